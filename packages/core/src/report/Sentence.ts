/** @internal */

import type { Evidence } from "../domain/Evidence.js"
import type { ReportSentence } from "../domain/RiskReport.js"

/** A sentence that rests on items, each named once. */
export const of = (text: string, items: ReadonlyArray<Pick<Evidence, "id">>): ReportSentence => ({
  text: clip(upper(text), longest),
  evidence_ids: [...new Set(items.map(({ id }) => id))]
})

// What a sentence of several clauses may have; only what a contract chose could make one longer.
const longest = 480

/** Text without control and direction characters, cut between words, so that no address is cut. */
export const clip = (text: string, length: number): string => {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
  if (visible.length <= length) return visible
  const cut = visible.slice(0, length)
  return `${cut.includes(" ") ? cut.replace(/\s*\S*$/, "") : cut.replace(/[\uD800-\uDBFF]$/, "")} …`
}

/** The claims of a text before what explains them, where it is longer than `length`: no clause is cut within. */
export const brief = (text: string, length: number): string => {
  const clipped = clip(text, length)
  if (clipped === text || !clipped.endsWith(" …")) return clipped
  const [whole] = /^.{30,}(?=: | \(|; |, so | because )/.exec(`${clipped.slice(0, -1)} `) ?? []
  return whole === undefined ? clipped : `${whole} …`
}

/** A text as it stands within a sentence. Names that begin with two capitals keep them. */
export const lower = (text: string): string =>
  /^[A-Z](?:[a-z\s'’]|$)/.test(text) && !/^Safe /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

/** A text as it begins a sentence. */
export const upper = (text: string): string =>
  /^[a-z](?!\w*_)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text

/** What a detail says first; functions, error texts and measurements that explain it follow after a semicolon. */
export const gist = (detail: string): string => detail.split("; ")[0] ?? detail

/** "a", "a and b", "a, b and c". */
export const list = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** Three digits of an amount, with separators: "23,300", "0.00512". */
export const amount = (units: bigint, decimals: number): string => {
  const digits = units.toString()
  const whole = digits.length - decimals
  const kept = digits.slice(0, 3)
  if (whole > 3) return kept.concat("0".repeat(whole - 3)).replace(/\B(?=(?:\d{3})+$)/g, ",")
  const padded = digits.padStart(decimals + 1, "0")
  const point = padded.length - decimals
  const fraction = padded.slice(point, point + 3 - whole).replace(/0+$/, "")
  return fraction === "" ? padded.slice(0, point) : `${padded.slice(0, point)}.${fraction}`
}

/**
 * An address as it stands in a text: six digits on each side, everywhere. Of four on each side a look-alike is made in minutes,
 * and is sent dust from, so that its owner is paid in place of the one that is meant; of six it takes 65,536 times as long.
 */
export const short = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`

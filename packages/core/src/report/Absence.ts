/** @internal */

import { checkId, type Evidence } from "../domain/Evidence.js"
import * as Doubt from "./Doubt.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/** What is true where the claim of an item is refuted, and what its detail adds to that. */
export const of = (item: Evidence, findings: Pick<Findings.Findings, "said"> = {}): string => {
  const detail = Sentence.clip(Sentence.gist(item.detail), mostOfDetail)
  const check = checkId(item.id)
  if (check.startsWith("opinion.") || isWhole.test(detail)) return detail
  const text = Findings.saidOf(findings, check).absent ?? `not so: ${Doubt.claimOf(item)}`
  const added = addedTo(text, detail)
  return added === "" ? text : added.includes("(") ? `${text}: ${added}` : `${text} (${added})`
}

const mostOfDetail = 130

/** A detail that says all that the sentence says, in figures; one that quotes another service names it too. */
const isWhole = /^(\d+) of \1 sampled holders can /

/** A figure, an address or a name; and that code proves it, which is another strength than a simulation. */
const news = /\S*\d\S*|\b[A-Z]\S*|\bproves\b/g

const addresses = /0x[0-9a-fA-F]{40}(?:(?:, | and )0x[0-9a-fA-F]{40})*(?: and \d+ more)?/

/** The part of a detail that a text does not say: nothing, the addresses alone, or the detail. */
const addedTo = (text: string, detail: string): string => {
  const rest = detail.replace(/: (.+)$/, (whole, tail: string) => (text.includes(tail) ? "" : whole))
  const said = new Set([...wordsOf(text), "at", "the"])
  if (!(rest.match(news) ?? []).flatMap(wordsOf).some((word) => !said.has(word))) return ""
  const [found] = addresses.exec(rest) ?? []
  return found !== undefined && wordsOf(rest.replace(found, "")).every((word) => said.has(word)) ? found : rest
}

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[^\s(),:]+/g) ?? []

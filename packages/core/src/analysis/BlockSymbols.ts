/** @internal */

import type { BlockUse, Derivation } from "../chain/state/BlockUse.js"
import type { BlockRef } from "../domain/BlockRef.js"
import * as SceneSeed from "../domain/SceneSeed.js"
import * as Timestamp from "../domain/Timestamp.js"

/** What the texts of an analysis were made at: its block, and the number of the block of the earlier one. */
export interface Origin {
  readonly block: BlockRef
  readonly earlier: number | undefined
}

/** Puts symbols in the place of what follows from a block, and what follows from another block in their place. */
export interface BlockSymbols {
  /** None where the text has characters that symbols are written with. */
  readonly of: (text: string) => string | undefined
  readonly derivations: ReadonlyMap<string, Derivation>
}

/** The symbols of an analysis that used its block so. */
export const make = (use: BlockUse, origin: Origin): BlockSymbols => {
  const { block, earlier } = origin
  const words = new Map([[block.hash.slice(2), "H"]])
  const accounts = new Map<string, string>()
  for (const [label, derivation] of use.derived) {
    const word = derivation(block.hash).slice(2)
    words.set(word, `L${label}`)
    words.set(word.toLowerCase(), `l${label}`)
    accounts.set(`0x${word}`, label)
  }
  const numbers = new Map<string, string>()
  const add = (number: number, symbol: string) => {
    if (!numbers.has(String(number))) numbers.set(String(number), symbol)
  }
  const time = Timestamp.toSeconds(block.timestamp)
  const dates = new Map<string, string>()
  for (const blocks of [0, ...use.blocks]) add(block.number + blocks, `N${blocks}`)
  for (const seconds of [0, ...use.seconds]) {
    add(time + seconds, `T${seconds}`)
    dates.set(Timestamp.fromSeconds(time + seconds), `D${seconds}`)
  }
  if (earlier !== undefined) for (const blocks of [0, 1]) add(earlier + blocks, `E${blocks}`)
  const known = (found: string, symbol: string | undefined): string => (symbol === undefined ? found : marked(symbol))

  return {
    derivations: use.derived,
    of: (text) =>
      text.includes(mark)
        ? undefined
        : text
            .replace(
              /("(0x[0-9a-fA-F]{40})":\{(?:"code":"0x[0-9a-f]*",)?"balance":")(\d+)n"/g,
              (found, before: string, owner: string, balance: string) => {
                const label = accounts.get(owner)
                const rest = BigInt(balance) - SceneSeed.tailOf(owner)
                return label === undefined || rest < 0n ? found : `${before}${marked(`B${rest} ${label}`)}"`
              }
            )
            .replace(/[0-9a-fA-F]{40,}/g, (run) => {
              const whole = words.get(run)
              return whole === undefined ? withArguments(run, words) : marked(whole)
            })
            .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (date) => known(date, dates.get(date)))
            .replace(/(?<=[:,[]|block[ =])\d+(?=[^\d.]|$)/g, (number) => known(number, numbers.get(number)))
  }
}

/** Gives texts for symbols at an origin; each symbol is made once. */
export const filler = (derivations: BlockSymbols["derivations"], origin: Origin): ((template: string) => string) => {
  const made = new Map<string, string>()
  const valueOf = (symbol: string): string => {
    const known = made.get(symbol)
    if (known !== undefined) return known
    const value = valueAt(symbol, derivations, origin)
    made.set(symbol, value)
    return value
  }
  return (template) =>
    template
      .split(mark)
      .map((part, place) => (place % 2 === 0 ? part : valueOf(part)))
      .join("")
}

const valueAt = (symbol: string, derivations: BlockSymbols["derivations"], { block, earlier = 0 }: Origin): string => {
  const rest = symbol.slice(1)
  const word = (label: string): string => derivations.get(label)?.(block.hash).slice(2) ?? ""
  switch (symbol[0]) {
    case "H":
      return block.hash.slice(2)
    case "L":
      return word(rest)
    case "l":
      return word(rest).toLowerCase()
    case "N":
      return String(block.number + Number(rest))
    case "T":
      return String(Timestamp.toSeconds(block.timestamp) + Number(rest))
    case "D":
      return Timestamp.fromSeconds(Timestamp.toSeconds(block.timestamp) + Number(rest))
    case "E":
      return String(earlier + Number(rest))
    default: {
      const end = rest.indexOf(" ")
      return `${BigInt(rest.slice(0, end)) + SceneSeed.tailOf(word(rest.slice(end + 1)))}n`
    }
  }
}

/** Rare in texts. */
const mark = "\u007f"
const marked = (symbol: string): string => mark + symbol + mark

const withArguments = (run: string, words: ReadonlyMap<string, string>): string => {
  if (run.length === 40) return run
  const parts: Array<string> = []
  let done = 0
  for (const { by, end, start } of SceneSeed.amongArguments(run, words)) {
    parts.push(run.slice(done, start), marked(by))
    done = end
  }
  return parts.length === 0 ? run : [...parts, run.slice(done)].join("")
}

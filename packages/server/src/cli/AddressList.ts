import type * as Address from "@assay/core/domain/Address"
import type { Either } from "effect"
import * as Targets from "./Targets.js"

/**
 * One address to analyse, or a line in which there is none, with what is wrong with it. `place` is `line 3` of a list, and
 * empty for an argument. `label` is what a list says of the address.
 */
export interface Entry {
  readonly place: string
  readonly label: string
  readonly address: Either.Either<Address.Address, string>
}

/**
 * Reads a list: an address a line, with what else is on the line as its label. Fields may be divided by commas, semicolons
 * or tabs, and quoted; several addresses on a line are several entries. Empty lines, what follows a `#`, and the heading of
 * a table are left out.
 */
export const parse = (text: string): ReadonlyArray<Entry> => {
  const lines = text
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ place: `line ${index + 1}`, words: wordsOf(line) }))
    .filter(({ words }) => words.length > 0)
  return lines.flatMap(({ place, words }, index) => (index === 0 && isHeading(words) ? [] : entriesOf(place, words)))
}

// A quote may be doubled in a quoted field: https://www.rfc-editor.org/rfc/rfc4180#section-2
const wordsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/(?:^|[\s,;])#.*$/u, "")
    .split(/[\s,;"]+/u)
    .filter((word) => word !== "" && word !== "-")

const isHeading = (words: ReadonlyArray<string>): boolean =>
  words.some((word) => /address$/i.test(word)) && !words.some((word) => /^0x/i.test(word))

const entriesOf = (place: string, words: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const isAddress = (word: string) => /^0x[0-9a-f]{40}$/i.test(word)
  // Beside an address, a hash or a small number is part of the label; what is nearly an address is a mistake.
  const isMeant = (word: string) => isAddress(word) || /^0x[0-9a-f]{30,50}$/i.test(word)
  const meant = words.some(isMeant)
    ? words.filter(isMeant)
    : [words.find((word) => /^0x/i.test(word)) ?? words.join(" ")]
  const label = words.filter((word) => !meant.includes(word)).join(" ")
  return meant.map((word) => ({ place, label, address: Targets.read(word) }))
}

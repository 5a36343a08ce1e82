import * as Lines from "./Lines.js"

/**
 * What became of one address of several: its verdict, or why there is none. `name` is the address, or the place of a line
 * without one.
 */
export interface Row {
  readonly name: string
  readonly label: string
  readonly level: string
  readonly score: number | null
  readonly text: string
}

/**
 * A table of all, a line each: level, score, address, then its label and the sentence of its verdict, cut at 120 columns.
 */
export const make = (rows: ReadonlyArray<Row>): string =>
  rows
    .map(({ label, level, name, score, text }) => {
      const words = Lines.visible([label, text].filter((part) => part !== "").join(": "))
      const line = `${level.padEnd(8)} ${String(score ?? "-").padStart(5)}  ${name.padEnd(addressWidth)}  ${words}`
      return `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`
    })
    .reduce((table, line) => table + line, `${"LEVEL".padEnd(8)} SCORE  ${"ADDRESS".padEnd(addressWidth)}  FOUND\n`)

const addressWidth = 42
const width = 120

import { readFileSync } from "node:fs"
import { checksum } from "@assay/core/domain/Address"
import { BlockTemplate } from "@assay/core/testing"

/*
 * What the analyser of a fleet answers: analyses that were made once, with the rules that they were made by: `{
 * ruleset, analyses: [{ quiet, changed }] }`, of each target as it was, and with a grave claim that is new. Where the
 * engine runs instead, they are its targets: `{ endpoint, targets: [{ address, kind }] }`.
 */

export const read = (file) => JSON.parse(readFileSync(file, "utf8"))

/** The address of a watch by its number, from 1 on. */
const addressOf = (number) => checksum(`0x${number.toString(16).padStart(40, "0")}`)

/** How many checks there are to a change, in every hour. */
export const perChange = 20

/** The answers for watches by their number: `targetOf` is what a watch is of, and `answer` an analysis of that at a time. */
export const answers = ({ analyses, targets }) => {
  const templates = analyses.map(({ changed, quiet }) => ({
    kind: quiet.target.kind,
    states: [template(quiet), template(changed)]
  }))
  const of = (number) => templates[number % templates.length]
  return {
    targetOf: (number) => targets?.[number - 1] ?? { address: addressOf(number), kind: of(number).kind },
    /** Of the state that a watch has in an hour of the benchmark: each hour it is another for one in `perChange`. */
    answer: (number, { at, hour }) => {
      const { states } = of(number)
      return states[Math.floor((number + hour) / perChange) % 2](addressOf(number), at)
    }
  }
}

/** The analysis of another address at the block of a time, as the engine would have written it. */
const template = (analysis) => {
  const { address } = analysis.target
  const made = BlockTemplate.make(JSON.stringify({ address, ...analysis }))
  if (made === undefined) throw new Error(`the analysis of ${address} has no template`)
  const bare = address.slice(2)
  const parts = made.text.split(new RegExp(`(${bare})`, "i"))
  return (other, at) => {
    const checksummed = other.slice(2)
    const lower = checksummed.toLowerCase()
    const text = parts.map((part, index) => (index % 2 === 0 ? part : part === bare ? checksummed : lower)).join("")
    const number = Math.floor(at / 12_000)
    const origin = { address: other, number, time: number * 12, hash: `0x${number.toString(16).padStart(64, "a")}` }
    const { address: _, ...answer } = JSON.parse(BlockTemplate.fill({ origin, text }))
    return answer
  }
}

import { execFileSync } from "node:child_process"
import * as Tier from "./Tier.js"

const commit = (): number => {
  try {
    return Number.parseInt(
      execFileSync("git", ["rev-parse", "--short=6", "HEAD"], { encoding: "utf8" }).slice(0, 6),
      16
    )
  } catch {
    return Number.NaN
  }
}

/**
 * The whole number that says which part of a list a run takes, where it does not take all of it: `$ASSAY_TEST_DRAW`, or
 * another one for each commit and day, and 0 without git. The run prints the command that repeats it.
 */
export const make = (): number => {
  const given = process.env.ASSAY_TEST_DRAW
  if (given !== undefined) return Number(given)
  const number = commit()
  return Number.isNaN(number) ? 0 : number + Math.floor(Date.now() / 86_400_000)
}

/** The draw of this run. */
export const draw: number = Number(process.env.ASSAY_TEST_DRAW ?? 0)

/** Whether a run takes an item of a list that it takes one of: `npm run test:all` takes all of them. */
export const isDrawn = (index: number, length: number): boolean => Tier.all || index === draw % length

/**
 * What a run takes of the cases of a sweep: before landing one in `oneIn`, at landing one in `atLanding` and what it would
 * take before, and all in `npm run test:all`. Which ones takes turns with the draw, so that so many landings take each once.
 */
export const portion = <A>(cases: ReadonlyArray<A>, oneIn = 5, atLanding = 1): ReadonlyArray<A> => {
  if (Tier.all) return cases
  const turns = (Tier.landing ? [oneIn, atLanding] : [oneIn]).map((parts) => Math.min(parts, cases.length))
  return cases.filter((_, index) => turns.some((parts) => index % parts === draw % parts))
}

/**
 * Whether a run takes the crossing of a row and a column, of which landing takes one in `atLanding`: of each row and of each
 * column, where it has as many. `npm run test:all` takes all of them.
 */
export const isCrossing = (row: number, column: number, atLanding: number): boolean =>
  Tier.all || (row + column) % atLanding === draw % atLanding

/** The place below `length` that this run takes for a name: another one with the next draw, and so each in turn. */
export const placeOf = (name: string, length: number): number => {
  let hash = 0
  for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0
  return (hash + draw) % length
}

import { type Composition, dimensions, fits, grammar } from "./Composition.js"

/** A composition with one part less: the first of its dimension in place of another. */
const lesser = (c: Composition): ReadonlyArray<Composition> =>
  dimensions
    // What it does, and when, is what it is.
    .filter((dimension) => dimension !== "condition" && dimension !== "effect" && dimension !== "twin")
    .filter((dimension) => c[dimension] !== grammar[dimension][0])
    .map((dimension) => ({ ...c, [dimension]: grammar[dimension][0] }) as Composition)
    .filter(fits)

/** Tries at most so many compositions. */
export const patience = 24

/** The composition of which no part can be left out any more without losing what it has. */
export const shrink = async (
  composition: Composition,
  has: (candidate: Composition) => Promise<boolean>
): Promise<Composition> => {
  let best = composition
  let tries = 0
  for (;;) {
    let next: Composition | undefined
    for (const candidate of lesser(best)) {
      if (tries >= patience) return best
      tries++
      if (await has(candidate)) {
        next = candidate
        break
      }
    }
    if (next === undefined) return best
    best = next
  }
}

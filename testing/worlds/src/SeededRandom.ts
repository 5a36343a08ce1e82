/** @internal */

import { Utils } from "effect"

/** The chance of a simulated world: the same for the same seed. Durations and sizes are whole numbers. */
export interface SeededRandom {
  /** Whether something of this probability happens. */
  readonly chance: (probability: number) => boolean
  /** At least `least`, below `end`. */
  readonly between: (least: number, end: number) => number
  readonly pick: <A>(items: readonly [A, ...ReadonlyArray<A>]) => A
  /** How long until something that happens every `mean` on average, at least 1. */
  readonly wait: (mean: number) => number
}

export const make = (seed: number, stream: number): SeededRandom => {
  const random = new Utils.PCGRandom(0, seed, 0, 2 * stream + 1)
  const between = (least: number, end: number) => least + Math.floor(random.number() * (end - least))
  return {
    chance: (probability) => random.number() < probability,
    between,
    pick: (items) => items[between(0, items.length)] ?? items[0],
    wait: (mean) => Math.max(1, Math.ceil(-Math.log(1 - random.number()) * mean))
  }
}

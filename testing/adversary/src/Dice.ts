import { Utils } from "effect"

/** Choices that are the same for the same seed. */
export interface Dice {
  readonly chance: (probability: number) => boolean
  /** At least `least`, below `end`. */
  readonly between: (least: number, end: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A
}

/** The dice of a seed. */
export const make = (seed: number): Dice => {
  const random = new Utils.PCGRandom(0, seed, 0, 1)
  const between = (least: number, end: number): number => least + Math.floor(random.number() * (end - least))
  return {
    chance: (probability) => random.number() < probability,
    between,
    pick: (items) => items[between(0, items.length)] as (typeof items)[number]
  }
}

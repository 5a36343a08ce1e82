import type { Composition } from "../src/Composition.js"

/** A kind of token of which the engine says that it is safe. */
interface BlindSpot {
  readonly name: string
  /** Why the engine says so, as far as it is known. */
  readonly reason: string
  /** A token of the kind: as long as it is judged falsely safe, the kind stands here. */
  readonly example: Composition
  readonly is: (composition: Composition) => boolean
}

/** What is known to be missed, as narrowly as it is known. This list only shrinks: whoever mends a kind takes it out. */
export const blindSpots: ReadonlyArray<BlindSpot> = []

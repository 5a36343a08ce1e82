import { type Composition, stored } from "../src/Composition.js"
import * as Trial from "../src/Trial.js"

/** A kind of token of which the engine says that it is safe. */
interface BlindSpot {
  readonly name: string
  /** Why the engine says so, as far as it is known. */
  readonly reason: string
  /** A token of the kind: as long as it is judged falsely safe, the kind stands here. */
  readonly example: Composition
  readonly is: (composition: Composition) => boolean
}

const example = (parts: Partial<Composition>): Composition => ({ ...Trial.base, ...parts })

const isAnyOf = (part: string, ...parts: ReadonlyArray<string>): boolean => parts.includes(part)

/** What is known to be missed, as narrowly as it is known. This list only shrinks: whoever mends a kind takes it out. */
export const blindSpots: ReadonlyArray<BlindSpot> = [
  {
    name: "an approve that writes less by a stored value, or refuses by a hash or what is in transient storage",
    reason: "of what approve requires only plain values are read, and what it writes is not compared with its argument",
    example: example({ entry: "approve", effect: "showLess", condition: "flag", lever: "immutable" }),
    is: (c) =>
      c.entry === "approve" &&
      stored.has(c.condition) &&
      (c.effect === "showLess" || c.condition === "hash" || c.store === "transient")
  },
  {
    name: "a balanceOf that answers less to the pool by a stored value",
    reason: "what balanceOf answers to a pool is followed only to variables that transfers read too",
    example: example({ entry: "balanceOf", effect: "showLess", condition: "flag", lever: "immutable" }),
    is: (c) => c.entry === "balanceOf" && stored.has(c.condition)
  },
  {
    name: "a transfer by the key that does something else",
    reason: "what transfer writes by the way, for a small amount or a word behind its arguments, is not followed",
    example: example({ entry: "lever", effect: "grant", condition: "none", lever: "calldata" }),
    is: (c) => c.entry === "lever" && isAnyOf(c.lever, "transfer", "calldata")
  }
]

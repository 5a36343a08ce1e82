import type { Composition } from "../src/Composition.js"
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

/** What is known to be missed, as narrowly as it is known. This list only shrinks: whoever mends a kind takes it out. */
export const blindSpots: ReadonlyArray<BlindSpot> = [
  {
    name: "an allowance of the pool that the constructor gave",
    reason: "only the code of the deployed contract is read, and nobody can list the entries of a mapping",
    example: { ...Trial.base, entry: "lever", effect: "given", condition: "none", lever: "immutable" },
    is: ({ effect }) => effect === "given"
  },
  {
    name: "a balance that the constructor gave without an event",
    reason: "the same: an account that no event names, and that is not the maker's own, has more than the supply",
    example: { ...Trial.base, entry: "lever", effect: "hidden", condition: "none", lever: "immutable", state: "born" },
    is: ({ effect, state }) => effect === "hidden" && state !== "live"
  },
  {
    name: "a fee of accounts in books of complements or of periods",
    reason:
      "a fee is sought where a balance is an amount; the level is unknown for other reasons, the claim is refuted",
    example: { ...Trial.base, books: "negated", effect: "take", condition: "nonce", lever: "immutable" },
    is: ({ books, effect }) =>
      (books === "negated" || books === "epochs") && (effect === "take" || effect === "onTop" || effect === "cap")
  },
  {
    name: "a transfer that needs no allowance, in books of periods",
    reason:
      "balances by period and account look like allowances, and a transfer that checks them like one that checks those",
    example: {
      ...Trial.base,
      books: "epochs",
      entry: "lever",
      effect: "bypass",
      condition: "none",
      lever: "immutable"
    },
    is: ({ books, effect }) => books === "epochs" && effect === "bypass"
  },
  {
    name: "one receiver that a variable names, where its answer decides too",
    reason: "what is sent to a pool that is compared with a variable counts as a sale there",
    example: {
      ...Trial.base,
      effect: "elsewhere",
      condition: "target",
      lever: "immutable",
      order: "gatesLast",
      receiver: "pair"
    },
    is: ({ condition, receiver }) => condition === "target" && receiver === "pair"
  }
]

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

const example = (parts: Partial<Composition>): Composition => ({ ...Trial.base, ...parts })

const isOfTransfers = ({ entry }: Composition): boolean => entry !== "lever"

/** What is known to be missed. This list only shrinks: whoever mends a kind takes it out. */
export const blindSpots: ReadonlyArray<BlindSpot> = [
  {
    name: "time",
    reason: "trades are simulated now, after 30 days and after a year, and moments in the code are not read",
    example: example({ condition: "window" }),
    is: (c) => isOfTransfers(c) && (c.condition === "window" || c.condition === "period")
  },
  {
    name: "a gift of anybody",
    reason: "what the contract holds of its own token is taken for fees that it deals with later",
    example: example({ condition: "donation" }),
    is: (c) => isOfTransfers(c) && c.condition === "donation"
  },
  {
    name: "a requirement that ends with the code or the ether of the sender",
    reason: "the requirement is dropped with all that it asks, if its last question is about the sender's account",
    example: example({ condition: "flag", lever: "immutable", exemption: "contracts", order: "gatesLast" }),
    is: (c) => isOfTransfers(c) && (c.sender === "account" || c.wealth === "coin" || c.exemption === "contracts")
  },
  {
    name: "approve",
    reason: "of what approve requires, only stored values are read",
    example: example({ entry: "approve", condition: "gasPrice" }),
    is: (c) => c.entry === "approve"
  },
  {
    name: "balanceOf",
    reason: "what balanceOf answers to a pool is asked only of variables that transfers read too",
    example: example({ entry: "balanceOf", effect: "showLess", condition: "coin" }),
    is: (c) => c.entry === "balanceOf"
  },
  {
    name: "elsewhere",
    reason: "of the outcomes of a transfer the best over all later questions counts",
    example: example({ effect: "elsewhere", condition: "coin", amount: "aboveDust", form: "assembly" }),
    is: (c) => c.effect === "elsewhere"
  },
  {
    name: "a lever in an allowance function",
    reason: "guards of one write are compared with those of another, so that nobody seems able to call it",
    example: example({
      entry: "transferFrom",
      receiver: "pool",
      condition: "list",
      lever: "increaseAllowance"
    }),
    is: (c) => ["increaseAllowance", "decreaseAllowance", "approve", "permit"].includes(c.lever)
  },
  {
    name: "an allowance by calldata behind the arguments",
    reason: "an allowance that transfer writes by a word behind its arguments is not found",
    example: example({ entry: "lever", effect: "grant", condition: "none", lever: "calldata" }),
    is: (c) => c.lever === "calldata" && c.effect === "grant"
  }
]

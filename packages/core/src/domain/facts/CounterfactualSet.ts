/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { UnknownReason } from "../Evidence.js"
import { Hex } from "../Hex.js"
import { Quantity } from "../Quantity.js"

/**
 * What a privileged account can do to the holders of a token: make more of it, stop all transfers, stop one account,
 * let only listed accounts through, bound amounts, change the part that does not arrive, lower a balance, spend without
 * an allowance.
 */
export const TokenPower = Schema.Literal(
  "mint",
  "pause",
  "blacklist",
  "whitelist",
  "limit",
  "tax",
  "seize",
  "bypass"
).annotations({ identifier: "TokenPower" })

export type TokenPower = typeof TokenPower.Type

/**
 * How a holder's transfer ended: `no_effect` where the call succeeded and nothing arrived, `unmeasured` where it was not
 * tried or a balance could not be read.
 */
export const MoveState = Schema.Literal("moved", "reverted", "no_effect", "unmeasured").annotations({
  identifier: "MoveState"
})

export type MoveState = typeof MoveState.Type

/**
 * The outcome for an ordinary holder: a transfer to another account, one into the pool as in a sale, one out of it as
 * in a purchase, and the largest part of any that did not arrive, in basis points.
 */
export const HolderOutcome = Schema.Struct({
  transfer: MoveState,
  sale: MoveState,
  purchase: MoveState,
  tax_bps: Schema.NullOr(Schema.NonNegativeInt)
}).annotations({ identifier: "HolderOutcome" })

export interface HolderOutcome extends Schema.Schema.Type<typeof HolderOutcome> {}

/**
 * What one function did to holders in simulated blocks on top of the pinned one, which nobody has sent.
 *
 * `controller` is the account that called it, null for a made-up account, where anyone can call. `arguments` are the
 * words of the call with the clearest effect. `effect` says what was seen: `stopped` or `released` a transfer that did
 * the opposite in the same blocks without the call (`baseline`), `taxed` it more, `minted`, `seized` or `bypassed` by
 * that many units (`amount`), or `none`. `guard_proved` says that the same call by a made-up account reverted each
 * time. `worst_tax_bps` is the largest that was measured. Of the values that were tried, `largest_value` is the largest
 * that the function took, null where it takes none, and `refused_from` the smallest above it that it refused.
 */
export const Counterfactual = Schema.Struct({
  power: TokenPower,
  selector: Schema.Union(Hex, Schema.Literal("fallback")),
  controller: Schema.NullOr(Address),
  arguments: Schema.Array(Hex),
  effect: Schema.Literal("stopped", "released", "taxed", "minted", "seized", "bypassed", "none"),
  baseline: HolderOutcome,
  after: HolderOutcome,
  amount: Schema.NullOr(Quantity),
  guard_proved: Schema.Boolean,
  worst_tax_bps: Schema.NullOr(Schema.NonNegativeInt),
  largest_value: Schema.NullOr(Quantity),
  refused_from: Schema.NullOr(Quantity)
}).annotations({ identifier: "Counterfactual" })

export interface Counterfactual extends Schema.Schema.Type<typeof Counterfactual> {}

/**
 * What those in power could do to holders at the pinned block, as simulated, one function a row. `victim` is the made-up
 * holder; `baseline` what he meets as things are. `unavailable` are the functions that gave no row, and why.
 */
export const CounterfactualSet = Schema.Struct({
  victim: Address,
  baseline: HolderOutcome,
  shown: Schema.Array(Counterfactual),
  unavailable: Schema.Array(
    Schema.Struct({
      power: TokenPower,
      selector: Schema.Union(Hex, Schema.Literal("fallback")),
      reason: UnknownReason,
      detail: Schema.String
    })
  )
}).annotations({ identifier: "CounterfactualSet" })

export interface CounterfactualSet extends Schema.Schema.Type<typeof CounterfactualSet> {}

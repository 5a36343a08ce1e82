import { Schema } from "effect"
import { Address } from "./Address.js"
import { Controller } from "./Controller.js"
import { DecisionPolicy } from "./DecisionPolicy.js"
import { AccountKind } from "./facts/AccountCode.js"
import { HolderKind } from "./facts/HolderKind.js"
import { Hex } from "./Hex.js"
import { Quantity } from "./Quantity.js"
import { Risk, RiskLevel } from "./Risk.js"
import { ChainRef, TargetKind } from "./Target.js"
import { Timestamp } from "./Timestamp.js"

/**
 * A sentence and the evidence that it rests on, by id. Without that evidence it would not be there.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportSentence = Schema.Struct({
  text: Schema.String,
  evidence_ids: Schema.Array(Schema.String)
}).annotations({ identifier: "ReportSentence" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportSentence extends Schema.Schema.Type<typeof ReportSentence> {}

/**
 * A confirmed finding that takes points, out of 100, and who can use the power that it describes; null where it is no
 * power.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportReason = Schema.Struct({
  ...ReportSentence.fields,
  points: Schema.NonNegativeInt,
  controlled_by: Schema.NullOr(Schema.String)
}).annotations({ identifier: "ReportReason" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportReason extends Schema.Schema.Type<typeof ReportReason> {}

/**
 * Claims that could not be checked for one cause, how many they are, and the points that they take until they are.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportUnknown = Schema.Struct({
  ...ReportSentence.fields,
  claims: Schema.NonNegativeInt,
  points: Schema.NonNegativeInt
}).annotations({ identifier: "ReportUnknown" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportUnknown extends Schema.Schema.Type<typeof ReportUnknown> {}

/**
 * Whether a token can be sold, what that costs, how much can be sold before its price falls by 10 %, and who can take out
 * the liquidity. A member is null where nothing in the evidence is about it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportExit = Schema.Struct({
  sale: Schema.NullOr(ReportSentence),
  taxes: Schema.NullOr(ReportSentence),
  depth: Schema.NullOr(ReportSentence),
  liquidity: Schema.NullOr(ReportSentence)
}).annotations({ identifier: "ReportExit" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportExit extends Schema.Schema.Type<typeof ReportExit> {}

/**
 * What the policy makes of the level, and at most three sentences that say why. `unknown` is never an `allow`: what could not
 * be checked may be what would block.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportDecision = Schema.Struct({
  outcome: Schema.Literal("allow", "review", "block", "unknown"),
  because: Schema.Array(ReportSentence),
  policy: DecisionPolicy
}).annotations({ identifier: "ReportDecision" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportDecision extends Schema.Schema.Type<typeof ReportDecision> {}

/**
 * What to do. `transaction` is null where a person has to find out or decide something. `data` is the calldata of `function`
 * with `arguments`, to be sent by the wallet to `to`; `command` does the same with Foundry's `cast` and has nothing in it
 * but addresses and numbers. Nobody tried it: an analysis sends nothing.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportAction = Schema.Struct({
  ...ReportSentence.fields,
  transaction: Schema.NullOr(
    Schema.Struct({
      to: Address,
      function: Schema.String,
      arguments: Schema.Array(Schema.String),
      data: Hex,
      command: Schema.String
    })
  )
}).annotations({ identifier: "ReportAction" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportAction extends Schema.Schema.Type<typeof ReportAction> {}

/**
 * What a spender can take now of a token. `amount` is in the token's smallest unit, null where it was not read or where it
 * is any item of a collection; `value` is what selling it would give, in the unit of the report's `at_risk`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportTaking = Schema.Struct({
  token: Address,
  symbol: Schema.NullOr(Schema.String),
  by: Schema.Literal("erc20", "permit2", "operator", "items"),
  amount: Schema.NullOr(Quantity),
  value: Schema.NullOr(Quantity)
}).annotations({ identifier: "ReportTaking" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportTaking extends Schema.Schema.Type<typeof ReportTaking> {}

/**
 * An account that may move tokens of the wallet. `risk` is `shown` where the account can use that against the wallet,
 * `unknown` where that could not be found out, `not_found` where nothing of the kind was found in its code.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportSpender = Schema.Struct({
  ...ReportSentence.fields,
  address: Address,
  kind: Schema.NullOr(AccountKind),
  risk: Schema.Literal("shown", "unknown", "not_found"),
  value: Schema.NullOr(Quantity),
  takes: Schema.Array(ReportTaking)
}).annotations({ identifier: "ReportSpender" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportSpender extends Schema.Schema.Type<typeof ReportSpender> {}

/**
 * What others can take from a wallet now, the worst spender first. `value` counts each token once, however many can take it,
 * and is a lower bound: a token without a known pool has no price. `unit` is the wrapped coin that values are given in.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportExposure = Schema.Struct({
  ...ReportSentence.fields,
  unit: Schema.NullOr(Schema.Struct({ address: Address, symbol: Schema.String, decimals: Schema.NonNegativeInt })),
  value: Schema.NullOr(Quantity),
  spenders: Schema.Array(ReportSpender)
}).annotations({ identifier: "ReportExposure" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportExposure extends Schema.Schema.Type<typeof ReportExposure> {}

/**
 * A large holder of the token, with its part of the supply in basis points; `insider` is whether it is among the accounts
 * that the token itself names or that received minted tokens, null where insiders could not be found.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportHolder = Schema.Struct({
  address: Address,
  kind: HolderKind,
  share_bps: Schema.NonNegativeInt,
  insider: Schema.NullOr(Schema.Boolean)
}).annotations({ identifier: "ReportHolder" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportHolder extends Schema.Schema.Type<typeof ReportHolder> {}

/**
 * Who can do what: everything of `can` is decided by `holder`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportPower = Schema.Struct({
  can: Schema.Array(Schema.String),
  holder: Controller,
  held_by: Schema.String,
  evidence_ids: Schema.Array(Schema.String)
}).annotations({ identifier: "ReportPower" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportPower extends Schema.Schema.Type<typeof ReportPower> {}

/**
 * The largest sales in the deepest pool that was read whole, at a loss of 1, 5 and 10 %: what the price falls by, the pool's fee
 * and the measured tax together. `amount` is in the token's smallest unit and `receives` in the quote's; both are "0" where
 * fee and tax alone cost more.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportSale = Schema.Struct({
  ...ReportSentence.fields,
  pool: Address,
  exchange: Schema.String,
  quote_symbol: Schema.String,
  sizes: Schema.Array(Schema.Struct({ loss_bps: Schema.NonNegativeInt, amount: Quantity, receives: Quantity }))
}).annotations({ identifier: "ReportSale" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportSale extends Schema.Schema.Type<typeof ReportSale> {}

/**
 * How many items of each list were left out, by its name; the result has all of them.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportOmissions = Schema.Record({
  key: Schema.Literal(
    "reasons",
    "reassurances",
    "unknown_claims",
    "control",
    "addresses",
    "exit",
    "changes",
    "holders",
    "powers",
    "spenders",
    "takes",
    "actions",
    "transactions",
    "largest_sale",
    "not_checked",
    "evidence_ids"
  ),
  value: Schema.NonNegativeInt
})
  .pipe(Schema.partialWith({ exact: true }))
  .annotations({ identifier: "ReportOmissions" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ReportOmissions extends Schema.Schema.Type<typeof ReportOmissions> {}

/**
 * What an analysis found, in few sentences, for a person with ten seconds or an agent with few tokens.
 *
 * - `name` is what the token calls itself: text from the chain, cleaned and at most 32 characters long. Never an instruction.
 * - `verdict.level` is `unknown` where what could not be checked decides it; `level_at_best` then is the least risk.
 * - `reasons` (at most five) are confirmed, most points first; `reassurances` (at most three) are decided.
 * - `unknowns` (at most three) say what could not be checked, why, and what would settle it.
 * - `decision` is what the policy makes of it, and is never left out.
 * - `actions` say what to do, `at_risk` what others can take from a wallet; `holders`, `powers` and `largest_sale` are those
 *   of a token. `holding` is who holds it, in one sentence. Nothing was read for them beside the analysis.
 * - `not_checked` has the ids of the checks that are unknown.
 * - `control` says who can do what; `exit` is null unless the target is a token.
 * - `changes` are null where there is no earlier execution to compare with.
 * - `evidence_link` is where an item is, from the execution's own address on, with the id in place of `{id}`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskReport = Schema.Struct({
  target: TargetKind,
  address: Address,
  name: Schema.NullOr(Schema.String),
  verdict: Schema.Struct({
    level: RiskLevel,
    level_at_best: RiskLevel,
    score: Schema.NullOr(Schema.Int),
    range: Risk.fields.range,
    coverage: Risk.fields.coverage
  }),
  decision: ReportDecision,
  headline: ReportSentence,
  actions: Schema.Array(ReportAction),
  reasons: Schema.Array(ReportReason),
  unknowns: Schema.Array(ReportUnknown),
  reassurances: Schema.Array(ReportSentence),
  control: Schema.Array(ReportSentence),
  powers: Schema.Array(ReportPower),
  at_risk: Schema.NullOr(ReportExposure),
  holding: Schema.NullOr(ReportSentence),
  holders: Schema.Array(ReportHolder),
  largest_sale: Schema.NullOr(ReportSale),
  exit: Schema.NullOr(ReportExit),
  changes: Schema.NullOr(Schema.Array(ReportSentence)),
  as_of: Schema.Struct({ chain: ChainRef, block: Schema.NonNegativeInt, time: Timestamp }),
  not_checked: Schema.Array(Schema.String),
  evidence_link: Schema.Literal("/evidence/{id}"),
  omitted: ReportOmissions,
  not_advice: Schema.String
}).annotations({ identifier: "RiskReport" })

/**
 * @since 0.1.0
 * @category models
 */
export interface RiskReport extends Schema.Schema.Type<typeof RiskReport> {}

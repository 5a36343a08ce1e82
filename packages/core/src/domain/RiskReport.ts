import { Schema } from "effect"
import { Address } from "./Address.js"
import { RiskLevel } from "./Risk.js"
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
    score: Schema.NullOr(Schema.Int)
  }),
  headline: ReportSentence,
  reasons: Schema.Array(ReportReason),
  unknowns: Schema.Array(ReportUnknown),
  reassurances: Schema.Array(ReportSentence),
  control: Schema.Array(ReportSentence),
  exit: Schema.NullOr(ReportExit),
  changes: Schema.NullOr(Schema.Array(ReportSentence)),
  as_of: Schema.Struct({ chain: ChainRef, block: Schema.NonNegativeInt, time: Timestamp }),
  evidence_link: Schema.Literal("/evidence/{id}"),
  omitted: ReportOmissions,
  not_advice: Schema.String
}).annotations({ identifier: "RiskReport" })

/**
 * @since 0.1.0
 * @category models
 */
export interface RiskReport extends Schema.Schema.Type<typeof RiskReport> {}

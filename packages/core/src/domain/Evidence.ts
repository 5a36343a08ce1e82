import { Schema } from "effect"
import { Controller } from "./Controller.js"
import { Hex } from "./Hex.js"

/**
 * What was found out about a claim. `unknown` is neither of the other two and is never scored as `refuted`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EvidenceState = Schema.Literal("confirmed", "refuted", "unknown").annotations({
  identifier: "EvidenceState"
})

/**
 * @since 0.1.0
 * @category models
 */
export type EvidenceState = typeof EvidenceState.Type

/**
 * Why a claim stayed unknown. `internal_error` is a defect of this engine, or of a check that was added to it; the detail
 * says which. It costs only the claims that met it. `budget_exhausted`: the calls or the time of the analysis were used up.
 *
 * @since 0.1.0
 * @category schemas
 */
export const UnknownReason = Schema.Literal(
  "rpc_error",
  "source_unavailable",
  "source_disabled",
  "rate_limited",
  "method_unsupported",
  "archive_required",
  "log_range_limited",
  "budget_exhausted",
  "inconclusive",
  "conflicting_sources",
  "dependency_unknown",
  "internal_error"
).annotations({
  identifier: "UnknownReason",
  description:
    "Why a claim is unknown. `internal_error`: a defect of this engine, or of a check that was added to it, which costs only the claims that met it; the detail says to whom to report it. `budget_exhausted`: the calls or the time of the analysis were used up."
})

/**
 * @since 0.1.0
 * @category models
 */
export type UnknownReason = typeof UnknownReason.Type

/**
 * How much a confirmed claim matters, least first.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Severity = Schema.Literal("info", "low", "medium", "high", "critical").annotations({
  identifier: "Severity"
})

/**
 * @since 0.1.0
 * @category models
 */
export type Severity = typeof Severity.Type

/**
 * The place of a severity in the order from `info` to `critical`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const severityRank = (severity: Severity): number => Severity.literals.indexOf(severity)

/**
 * Whether a confirmed claim is bad for a holder, good for one, or neither.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Polarity = Schema.Literal("risk", "protective", "neutral").annotations({ identifier: "Polarity" })

/**
 * @since 0.1.0
 * @category models
 */
export type Polarity = typeof Polarity.Type

/**
 * The part of the risk that a claim belongs to.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Dimension = Schema.Literal(
  "exit",
  "control",
  "code",
  "market",
  "identity",
  "counterparty",
  "approvals",
  "account"
).annotations({ identifier: "Dimension" })

/**
 * @since 0.1.0
 * @category models
 */
export type Dimension = typeof Dimension.Type

/**
 * The reading that decided an item, so that a reader can make it again and compare. `params_hash` and `answer_hash` are
 * SHA-256 over the RFC 8785 JSON of the JSON-RPC `params` and `result`. What nodes write in several ways is hashed in
 * one: bytes in lower case, a storage word with 32 bytes, a balance without leading zeroes, a revert as `{"reverted":
 * data}`. Of a service outside the chain, `method` is `GET`, the parameter is the URL without secrets, the answer is
 * its JSON, and the block is the one at which it was requested.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Observation = Schema.Struct({
  method: Schema.String,
  params_hash: Hex,
  block_hash: Hex,
  answer_hash: Hex
}).annotations({ identifier: "Observation" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Observation extends Schema.Schema.Type<typeof Observation> {}

/**
 * One finding: a claim with a permanent id (`<subject>.<kebab-claim>`, then `:address` parts where there are many
 * of it), its state, and how it was observed. Members are never absent; null means that there is none.
 *
 * - `version` is that of the check: it rises when its meaning does, and items of two versions are not compared.
 * - `severity` is the grade of a confirmed item; on an unknown one it is the highest grade that the check can give.
 * - `verified` is false where the state was inferred from bytecode instead of read or simulated.
 * - `controller` is who can use the power that the claim describes, null where the claim is no power. On an unknown item it
 *   is who alone can have that power, and null where that is not known.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Evidence = Schema.Struct({
  state: EvidenceState,
  source_url: Schema.String,
  id: Schema.String,
  version: Schema.Int,
  category: Dimension,
  title: Schema.String,
  detail: Schema.String,
  value: Schema.Unknown,
  polarity: Polarity,
  severity: Severity,
  verified: Schema.Boolean,
  reason: Schema.NullOr(UnknownReason),
  controller: Schema.NullOr(Controller),
  observation: Schema.NullOr(Observation)
}).annotations({ identifier: "Evidence" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Evidence extends Schema.Schema.Type<typeof Evidence> {}

/**
 * The check that an item comes from: its id without the subject (`allowance.unlimited:0x…:0x…` gives `allowance.unlimited`).
 *
 * @since 0.1.0
 * @category combinators
 */
export const checkId = (id: string): string => {
  const colon = id.indexOf(":")
  return colon === -1 ? id : id.slice(0, colon)
}

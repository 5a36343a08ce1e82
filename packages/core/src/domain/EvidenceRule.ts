import { Schema } from "effect"
import { Dimension, Polarity, Severity } from "./Evidence.js"
import { TargetKind } from "./Target.js"

/**
 * What is promised about the items of one check, as `GET /api/v1/evidence-rules` lists it. `code` is the catalogue's
 * code, `severity` the highest grade, `power` whether a controller mitigates it. `tolerance` is the change that is not
 * reported: relative (`0.1`) of the value's quantities, or absolute of its parts in basis points; a smaller difference
 * from the last report is noise. Null means that only what moves with every trade is tolerated. `volatile` says that
 * the claim is momentary: its values do not enter the content hash, and only changes for the worse are reported.
 *
 * `absent` is what is true where the claim is refuted, as far as that proves it; null for a claim that is never refuted.
 * `recommendation` is what a reader can do where the claim is confirmed, or, where it is protective, refuted. A check of
 * others may have neither.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EvidenceRule = Schema.Struct({
  id: Schema.String,
  code: Schema.String,
  version: Schema.Int,
  targets: Schema.Array(TargetKind),
  title: Schema.String,
  claim: Schema.String,
  absent: Schema.NullOr(Schema.String),
  recommendation: Schema.NullOr(Schema.String),
  category: Dimension,
  polarity: Polarity,
  severity: Severity,
  power: Schema.Boolean,
  value_type: Schema.Unknown,
  tolerance: Schema.NullOr(Schema.Struct({ kind: Schema.Literal("relative", "absolute"), amount: Schema.Number })),
  volatile: Schema.Boolean
}).annotations({ identifier: "EvidenceRule" })

/**
 * @since 0.1.0
 * @category models
 */
export interface EvidenceRule extends Schema.Schema.Type<typeof EvidenceRule> {}

/** @internal Part of `Analyzer`. */

import { Schema } from "effect"
import { UnknownReason } from "../domain/Evidence.js"
import { AccountKind } from "../domain/facts/AccountCode.js"

/** No code stands at a token or contract address on that chain; `detected` is what does. */
export class TargetMismatch extends Schema.TaggedError<TargetMismatch>()("TargetMismatch", {
  detected: AccountKind
}) {}

/** Nothing could be read of the chain. */
export class UpstreamUnavailable extends Schema.TaggedError<UpstreamUnavailable>()("UpstreamUnavailable", {
  sources_failed: Schema.Array(Schema.Struct({ name: Schema.String, reason: UnknownReason }))
}) {}

import { Context, type Effect, type Option, Schema } from "effect"
import type { Chain } from "../chain/Chains.js"
import type { Address } from "../domain/Address.js"
import type { Analysis } from "../domain/Analysis.js"
import { UnknownReason } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import { AccountKind } from "../domain/facts/AccountCode.js"
import type { TargetKind } from "../domain/Target.js"

/**
 * Analyses one target at one block.
 *
 * @since 0.1.0
 * @category services
 */
export class Analyzer extends Context.Tag("@assay/core/Analyzer")<
  Analyzer,
  {
    /**
     * Reads, judges and scores. Fails with `TargetMismatch` where a token or contract has no code, and with
     * `UpstreamUnavailable` where nothing could be read; whatever else goes wrong is evidence that stays unknown.
     */
    readonly analyze: (request: {
      readonly kind: TargetKind
      readonly address: Address
      readonly chain: Chain
      /** The block to read; the newest one where none is given. */
      readonly block?: Option.Option<number> | undefined
    }) => Effect.Effect<Analysis, TargetMismatch | UpstreamUnavailable>
    readonly rules: ReadonlyArray<EvidenceRule>
    readonly engineVersion: string
    readonly rulesetVersion: string
  }
>() {}

/**
 * No code stands at a token or contract address on that chain; `detected` is what does.
 *
 * @since 0.1.0
 * @category errors
 */
export class TargetMismatch extends Schema.TaggedError<TargetMismatch>()("TargetMismatch", {
  detected: AccountKind
}) {}

/**
 * Nothing could be read of the chain.
 *
 * @since 0.1.0
 * @category errors
 */
export class UpstreamUnavailable extends Schema.TaggedError<UpstreamUnavailable>()("UpstreamUnavailable", {
  sources_failed: Schema.Array(Schema.Struct({ name: Schema.String, reason: UnknownReason }))
}) {}

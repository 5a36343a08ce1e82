import { Context, Effect, Layer } from "effect"
import type { AnalysisResult, Summary, SummaryReason } from "../domain/AnalysisResult.js"

/**
 * What a summary is made of.
 *
 * @since 0.1.0
 * @category models
 */
export type SummaryInput = Pick<AnalysisResult, "target" | "address" | "chain" | "evidence" | "facts">

/**
 * Puts a finished analysis into words. It never changes what was found: no state, no number, no hash.
 *
 * @since 0.1.0
 * @category services
 */
export class Summarizer extends Context.Tag("@assay/core/Summarizer")<
  Summarizer,
  {
    /** What is shown while a requested summary is not there yet. */
    readonly pending: Summary
    /** Takes no longer than its own timeout. Whatever goes wrong is the reason why there is no summary. */
    readonly summarize: (result: SummaryInput) => Effect.Effect<Summary>
  }
>() {}

/**
 * Writes none, because nothing is configured that could.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDisabled: Layer.Layer<Summarizer> = Layer.suspend(() =>
  Layer.succeed(Summarizer, { pending: neverConfigured, summarize: () => Effect.succeed(neverConfigured) })
)

/**
 * @since 0.1.0
 * @category constructors
 */
export const generated = (text: string): Summary => ({
  summary: text,
  summary_status: "generated",
  summary_reason: null
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const skipped = (reason: SummaryReason): Summary => ({
  summary: null,
  summary_status: "skipped",
  summary_reason: reason
})

/**
 * @since 0.1.0
 * @category constructors
 */
export const neverConfigured: Summary = { summary: null, summary_status: "never_configured", summary_reason: null }

/**
 * Not written yet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unwritten: Summary = { summary: null, summary_status: "skipped", summary_reason: null }

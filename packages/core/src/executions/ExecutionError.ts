import { Schema } from "effect"
import type { TargetMismatch, UpstreamUnavailable } from "../analysis/Analyzer.js"
import { ExecutionFailure } from "../domain/AnalysisResult.js"
import { ExecutionId } from "../domain/Id.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class ExecutionNotFound extends Schema.TaggedError<ExecutionNotFound>()("ExecutionNotFound", {
  id: ExecutionId
}) {}

/**
 * The execution has no item of evidence with this id.
 *
 * @since 0.1.0
 * @category errors
 */
export class EvidenceNotFound extends Schema.TaggedError<EvidenceNotFound>()("EvidenceNotFound", {
  id: ExecutionId,
  evidence_id: Schema.String
}) {}

/**
 * The caller had this execution; it is past its retention.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionExpired extends Schema.TaggedError<ExecutionExpired>()("ExecutionExpired", {
  id: ExecutionId
}) {}

/**
 * The two executions are of different kinds, chains or addresses, or one of them has no result.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotComparable extends Schema.TaggedError<NotComparable>()("NotComparable", {
  detail: Schema.String
}) {}

/**
 * The execution failed for a reason of ours, and its unit was given back.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionFailed extends Schema.TaggedError<ExecutionFailed>()("ExecutionFailed", {
  execution_id: ExecutionId,
  failure: ExecutionFailure
}) {}

/**
 * The caller's waiting time is over; the execution goes on and can be fetched. `units` is what it cost this caller so far: 1
 * unless it waited for one that another request began.
 *
 * @since 0.1.0
 * @category errors
 */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  execution_id: ExecutionId,
  units: Schema.NonNegativeInt.pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => 1)
  )
}) {}

/**
 * Too many executions of this key are running.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConcurrencyExceeded extends Schema.TaggedError<ConcurrencyExceeded>()("ConcurrencyExceeded", {
  limit: Schema.NonNegativeInt
}) {}

/**
 * This process is shutting down and starts nothing new.
 *
 * @since 0.1.0
 * @category errors
 */
export class Draining extends Schema.TaggedError<Draining>()("Draining", {}) {}

/**
 * What is stored and reported of an analysis that could not be made.
 *
 * @since 0.1.0
 * @category constructors
 */
export const failureOf = (error: TargetMismatch | UpstreamUnavailable): ExecutionFailure => {
  switch (error._tag) {
    case "TargetMismatch":
      return { code: "target_mismatch", detail: error.message }
    case "UpstreamUnavailable": {
      const sources = error.sources_failed.map(({ name, reason }) => `${name} (${reason})`)
      return { code: "upstream_unavailable", detail: `Nothing could be read: ${sources.join(", ")}.` }
    }
  }
}

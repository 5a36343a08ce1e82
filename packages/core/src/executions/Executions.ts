import { Context, type Effect, type Option, Schema } from "effect"
import type { TargetMismatch, UpstreamUnavailable } from "../analysis/Analyzer.js"
import type { Chain } from "../chain/Chains.js"
import type { Address } from "../domain/Address.js"
import { type AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { ExecutionStub } from "../domain/Execution.js"
import { ExecutionId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { TargetKind } from "../domain/Target.js"
import type { QuotaExceeded } from "../quota/Quota.js"
import type { ExecutionFilter } from "../storage/ExecutionStore.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * The metered use-case: begin, reserve, analyse, compare, store, settle. A unit that was reserved is committed with a
 * stored result or released, exactly once, also when the process dies in between (`Reaper`).
 *
 * @since 0.1.0
 * @category services
 */
export class Executions extends Context.Tag("@assay/core/Executions")<
  Executions,
  {
    /**
     * Runs an analysis to its stored result. The run goes on when the caller stops waiting; `DeadlineExceeded` then
     * names the execution to fetch.
     */
    readonly run: (request: {
      readonly caller: Caller
      readonly kind: TargetKind
      readonly address: Address
      readonly chain: Chain
      readonly summary: boolean
      /** The execution to compare with; the previous one where none is named. */
      readonly compareTo: Option.Option<ExecutionId>
    }) => Effect.Effect<
      AnalysisResult,
      | QuotaExceeded
      | ConcurrencyExceeded
      | DeadlineExceeded
      | Draining
      | ExecutionFailed
      | ExecutionNotFound
      | NotComparable
      | StorageError
      | TargetMismatch
      | UpstreamUnavailable
    >
    readonly get: (caller: Caller, id: ExecutionId) => Effect.Effect<AnalysisResult, ExecutionNotFound | StorageError>
    readonly list: (
      caller: Caller,
      filter: ExecutionFilter,
      page: { readonly limit: number; readonly cursor: Option.Option<string> }
    ) => Effect.Effect<Page<ExecutionStub>, BadCursor | StorageError>
    /** Compares a stored execution with an earlier one of the same target; the previous one where none is named. */
    readonly changes: (
      caller: Caller,
      id: ExecutionId,
      base: Option.Option<ExecutionId>
    ) => Effect.Effect<ChangeReport, ExecutionNotFound | NotComparable | StorageError>
  }
>() {}

/**
 * @since 0.1.0
 * @category errors
 */
export class ExecutionNotFound extends Schema.TaggedError<ExecutionNotFound>()("ExecutionNotFound", {
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
 * The caller's waiting time is over; the execution goes on and can be fetched.
 *
 * @since 0.1.0
 * @category errors
 */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  execution_id: ExecutionId
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
 * The cursor was not made by a list of this service.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadCursor extends Schema.TaggedError<BadCursor>()("BadCursor", {}) {}

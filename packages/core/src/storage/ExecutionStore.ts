import { Context, type Effect, Layer, type Option } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { ExecutionStub } from "../domain/Execution.js"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Target } from "../domain/Target.js"
import type {
  BeginAnswer,
  BeginRequest,
  Binding,
  Bound,
  EndedExecution,
  ExecutionEnd,
  ExecutionFilter,
  ExecutionMemory,
  Lease,
  Lookup,
  PageRequest,
  RunningExecution,
  StoredDocument,
  StoredExecution
} from "./ExecutionRecords.js"
import * as MemoryExecutionStore from "./MemoryExecutionStore.js"
import type { StorageError } from "./StorageError.js"

export type {
  BeginAnswer,
  BeginRequest,
  Binding,
  Bound,
  EndedExecution,
  ExecutionEnd,
  ExecutionFilter,
  ExecutionMemory,
  Idempotency,
  Known,
  Lease,
  Lookup,
  PageRequest,
  RunningExecution,
  StoredDocument,
  StoredExecution
} from "./ExecutionRecords.js"
export { everything, failed, leaseLost, stub } from "./ExecutionRecords.js"

/**
 * Where executions are kept. Every method is atomic; those that finish an execution compare and set from *running* on
 * the lease's token, so a late worker changes nothing. Executions of another key are not found.
 *
 * @since 0.1.0
 * @category services
 */
export class ExecutionStore extends Context.Tag("@assay/core/ExecutionStore")<
  ExecutionStore,
  {
    /**
     * Starts an execution (durably, when it returns), or joins the running one of this key with the same `joinKey`, or
     * refuses where `slots` interactive ones of this key are running already. A repeated call with the same id gets the
     * same answer and changes nothing.
     *
     * An idempotency key is looked up before all this. Where it stands for an execution of this API key that runs or
     * has a result, that execution is joined or replayed, or the call is refused because its request differs. Otherwise
     * it stands for the execution that is started or joined from now on. One that failed or is gone frees its
     * idempotency key.
     */
    readonly begin: (request: BeginRequest) => Effect.Effect<BeginAnswer, StorageError>
    /** Prolongs the lease; false where it is no longer held. */
    readonly renew: (id: ExecutionId, lease: Lease) => Effect.Effect<boolean, StorageError>
    /**
     * Stores result, change report (inside it) and what is remembered, in one write; false where the lease is lost.
     * Once more by the token that completed it changes nothing and answers true, so that a call with a lost answer can
     * be repeated.
     */
    readonly complete: (
      token: string,
      result: AnalysisResult,
      memory: ExecutionMemory
    ) => Effect.Effect<boolean, StorageError>
    /** Stores that it failed, under the same rules as `complete`. */
    readonly fail: (
      id: ExecutionId,
      token: string,
      failure: ExecutionFailure,
      now: number
    ) => Effect.Effect<boolean, StorageError>
    /** Removes a running execution that was refused its unit, as if it had never begun. */
    readonly discard: (id: ExecutionId, token: string) => Effect.Effect<void, StorageError>
    readonly find: (keyId: KeyId, id: ExecutionId) => Effect.Effect<Option.Option<StoredExecution>, StorageError>
    /** The result of an execution as the text that is stored, which nothing has looked into. */
    readonly document: (keyId: KeyId, id: ExecutionId) => Effect.Effect<Option.Option<StoredDocument>, StorageError>
    /** The hash of that result, null while it may still change. */
    readonly contentHash: (
      keyId: KeyId,
      id: ExecutionId
    ) => Effect.Effect<Option.Option<AnalysisResult["content_hash"]>, StorageError>
    /**
     * The newest complete or partial interactive execution of the same key, chain, kind and address, of those that were
     * started before `before` where it is given. Newest means started last, whatever the clocks said.
     */
    readonly previous: (
      keyId: KeyId,
      target: Target,
      before?: ExecutionId | undefined
    ) => Effect.Effect<Option.Option<StoredExecution>, StorageError>
    /**
     * Newest first. `next_cursor` is the id to pass as `before` for the next page; an id that this key does not have
     * gives an empty one.
     */
    readonly list: (
      keyId: KeyId,
      filter: ExecutionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<ExecutionStub>, StorageError>
    /** Fails (`lease_lost`) at most `limit` running executions with an expired lease, and returns them. */
    readonly expireLeases: (now: number, limit: number) => Effect.Effect<ReadonlyArray<ExecutionId>, StorageError>
    /** All running executions of every key and process, ordered by the end of their lease. */
    readonly running: Effect.Effect<ReadonlyArray<RunningExecution>, StorageError>
    /** The lease under which an execution runs or ended; none where it expired or there is no such execution. */
    readonly lease: (id: ExecutionId) => Effect.Effect<Option.Option<Lease>, StorageError>
    /** The state of an execution whoever owns it, for the reaper; none where it does not exist. */
    readonly status: (id: ExecutionId) => Effect.Effect<Option.Option<AnalysisResult["status"]>, StorageError>
    /** At most `limit` executions that ended before a moment, the one that ended first comes first; for retention. */
    readonly endedBefore: (before: number, limit: number) => Effect.Effect<ReadonlyArray<EndedExecution>, StorageError>
    /**
     * Removes executions that have ended, for good, and remembers their API keys and the time of removal; running or
     * missing ones stay as they are.
     */
    readonly remove: (ids: ReadonlyArray<ExecutionId>, now: number) => Effect.Effect<void, StorageError>
    /** Of these executions of a key those that are there, in any order: their watch, and why they failed. */
    readonly ends: (
      keyId: KeyId,
      ids: ReadonlyArray<ExecutionId>
    ) => Effect.Effect<ReadonlyArray<ExecutionEnd>, StorageError>
    /** Whether this key had an execution that was removed and is still remembered. */
    readonly isRemoved: (keyId: KeyId, id: ExecutionId) => Effect.Effect<boolean, StorageError>
    /**
     * Binds an idempotency key to the id of a resource other than an execution, and returns its binding: an earlier
     * one, if it was made after `after`. All concurrent calls get the same binding.
     */
    readonly bind: (binding: Binding) => Effect.Effect<Bound, StorageError>
    /** What an idempotency key was bound to by `bind`, if that was after `after`. */
    readonly bound: (lookup: Lookup) => Effect.Effect<Option.Option<Bound>, StorageError>
    /** Forgets at most `limit` idempotency keys that were bound before a moment; answers how many. */
    readonly forgetIdempotencyKeys: (before: number, limit: number) => Effect.Effect<number, StorageError>
    /** Forgets at most `limit` of those that were removed before a moment; answers how many. */
    readonly forget: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * Keeps executions in this process, for as long as the layer lives.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<ExecutionStore> = Layer.sync(ExecutionStore, MemoryExecutionStore.make)

import { Context, type Effect, type Option } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Evidence } from "../domain/Evidence.js"
import type { ExecutionStub } from "../domain/Execution.js"
import type { ExecutionId, KeyId, WatchId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Target, TargetKind } from "../domain/Target.js"
import type { StorageError } from "./StorageError.js"

/**
 * The right to finish an execution, until a moment in epoch milliseconds. Another token never finishes it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lease {
  readonly token: string
  readonly until: number
}

/**
 * What was last known of each claim, by evidence id: the newest item that was not unknown.
 *
 * @since 0.1.0
 * @category models
 */
export type Known = { readonly [evidenceId: string]: Evidence }

/**
 * An execution as it is kept. `known` is empty unless it succeeded.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredExecution {
  readonly keyId: KeyId
  readonly watchId: Option.Option<WatchId>
  readonly result: AnalysisResult
  readonly known: Known
}

/**
 * @since 0.1.0
 * @category models
 */
export type BeginAnswer =
  | { readonly _tag: "Started" }
  | { readonly _tag: "Joined"; readonly id: ExecutionId }
  | { readonly _tag: "Busy"; readonly running: number }

/**
 * Which executions to list.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExecutionFilter {
  readonly kind: Option.Option<TargetKind>
  readonly address: Option.Option<Target["address"]>
  readonly chainId: Option.Option<number>
  readonly watchId: Option.Option<WatchId>
  readonly since: Option.Option<number>
}

/**
 * Where executions are kept. Every method is atomic; those that finish an execution compare and set from *running* on
 * the lease's token, so a late worker changes nothing. What another key owns is not found.
 *
 * @since 0.1.0
 * @category services
 */
export class ExecutionStore extends Context.Tag("@assay/core/ExecutionStore")<
  ExecutionStore,
  {
    /**
     * Starts an execution (durably, when it returns), or joins the running one of this key with the same `joinKey`, or
     * refuses where `slots` interactive ones of this key are running already. The same id again answers as before.
     * `running` is the document that is shown while it runs.
     */
    readonly begin: (request: {
      readonly id: ExecutionId
      readonly keyId: KeyId
      readonly joinKey: string
      readonly slots: number
      readonly lease: Lease
      readonly running: AnalysisResult
    }) => Effect.Effect<BeginAnswer, StorageError>
    /** Prolongs the lease; false where it is no longer held. */
    readonly renew: (id: ExecutionId, lease: Lease) => Effect.Effect<boolean, StorageError>
    /** Stores result, change report (inside it) and what is known, in one write; false where the lease is lost. */
    readonly complete: (token: string, result: AnalysisResult, known: Known) => Effect.Effect<boolean, StorageError>
    /** Stores that it failed; false where the lease is lost. */
    readonly fail: (
      id: ExecutionId,
      token: string,
      failure: ExecutionFailure,
      now: number
    ) => Effect.Effect<boolean, StorageError>
    /** Removes a running execution that was refused its unit, as if it had never begun. */
    readonly discard: (id: ExecutionId, token: string) => Effect.Effect<void, StorageError>
    readonly find: (keyId: KeyId, id: ExecutionId) => Effect.Effect<Option.Option<StoredExecution>, StorageError>
    /** The newest complete or partial interactive execution of the same key, chain, kind and address. */
    readonly previous: (keyId: KeyId, target: Target) => Effect.Effect<Option.Option<StoredExecution>, StorageError>
    /** Newest first; a cursor comes from the page before; one that cannot be read is refused as `BadCursor` by the use-case. */
    readonly list: (
      keyId: KeyId,
      filter: ExecutionFilter,
      page: { readonly limit: number; readonly before: Option.Option<ExecutionId> }
    ) => Effect.Effect<Page<ExecutionStub>, StorageError>
    /** Fails (`lease_lost`) at most `limit` running executions whose lease has ended, and names them. */
    readonly expireLeases: (now: number, limit: number) => Effect.Effect<ReadonlyArray<ExecutionId>, StorageError>
    /** The state of an execution whoever owns it, for the reaper; none where it does not exist. */
    readonly status: (id: ExecutionId) => Effect.Effect<Option.Option<AnalysisResult["status"]>, StorageError>
  }
>() {}

import { Context, Effect, Layer, Option } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Evidence } from "../domain/Evidence.js"
import type { ExecutionStub } from "../domain/Execution.js"
import type { ExecutionId, KeyId, WatchId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Reported } from "../domain/Reported.js"
import type { Target, TargetKind } from "../domain/Target.js"
import { fromMillis, toMillis } from "../domain/Timestamp.js"
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
 * What an execution remembers of those before it, for the next one to be compared with: what is last known of each claim,
 * and what was last told where that is something else.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExecutionMemory {
  readonly known: Known
  readonly reported: Reported
}

/**
 * An execution as it is kept. `known` and `reported` are empty unless it succeeded.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredExecution extends ExecutionMemory {
  readonly keyId: KeyId
  readonly watchId: Option.Option<WatchId>
  readonly result: AnalysisResult
}

/**
 * An execution to start. `running` is the document that is shown while it runs, `watchId` the watch that it checks; an
 * execution of a watch is not interactive: it takes none of `slots` and is not `previous`.
 *
 * @since 0.1.0
 * @category models
 */
export interface BeginRequest {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly joinKey: string
  readonly slots: number
  readonly lease: Lease
  readonly running: AnalysisResult
  readonly watchId?: Option.Option<WatchId> | undefined
}

/**
 * What became of a wish to start: it runs, it is the same as one that runs already, or `running` are too many.
 *
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
 * An execution that has ended, and whose it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface EndedExecution {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly watchId: Option.Option<WatchId>
}

/**
 * At most `limit` items, after the one that the page before ended with.
 *
 * @since 0.1.0
 * @category models
 */
export interface PageRequest {
  readonly limit: number
  readonly before: Option.Option<ExecutionId>
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
     * refuses where `slots` interactive ones of this key are running already. An id that was started answers so again
     * and changes nothing.
     */
    readonly begin: (request: BeginRequest) => Effect.Effect<BeginAnswer, StorageError>
    /** Prolongs the lease; false where it is no longer held. */
    readonly renew: (id: ExecutionId, lease: Lease) => Effect.Effect<boolean, StorageError>
    /**
     * Stores result, change report (inside it) and what is remembered, in one write; false where the lease is lost. Once
     * more by the token that completed it changes nothing and answers true, so that a lost answer can be asked again.
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
    /** Fails (`lease_lost`) at most `limit` running executions whose lease has ended, and names them. */
    readonly expireLeases: (now: number, limit: number) => Effect.Effect<ReadonlyArray<ExecutionId>, StorageError>
    /** The state of an execution whoever owns it, for the reaper; none where it does not exist. */
    readonly status: (id: ExecutionId) => Effect.Effect<Option.Option<AnalysisResult["status"]>, StorageError>
    /** At most `limit` executions that ended before a moment, the one that ended first comes first; for retention. */
    readonly endedBefore: (before: number, limit: number) => Effect.Effect<ReadonlyArray<EndedExecution>, StorageError>
    /** Removes executions that have ended, for good; one that runs, or is not there, stays as it is. */
    readonly remove: (ids: ReadonlyArray<ExecutionId>) => Effect.Effect<void, StorageError>
  }
>() {}

/**
 * Keeps executions in this process, for as long as the layer lives.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<ExecutionStore> = Layer.sync(ExecutionStore, () => {
  interface Row {
    readonly stored: StoredExecution
    readonly joinKey: string
    /** None once it expired: an end by expiry is nobody's to repeat. */
    readonly lease: Option.Option<Lease>
  }
  const rows = new Map<ExecutionId, Row>()
  const running = new Set<ExecutionId>()
  // Ids in the order in which they were started, which is what "newest" means.
  const byKey = new Map<KeyId, Array<ExecutionId>>()

  const owned = (keyId: KeyId, id: ExecutionId): Row | undefined => {
    const row = rows.get(id)
    return row?.stored.keyId === keyId ? row : undefined
  }
  const newestFirst = (keyId: KeyId, before: ExecutionId | undefined): ReadonlyArray<StoredExecution> => {
    const ids = byKey.get(keyId) ?? []
    const end = before === undefined ? ids.length : Math.max(0, ids.indexOf(before))
    return ids
      .slice(0, end)
      .reverse()
      .flatMap((id) => rows.get(id)?.stored ?? [])
  }
  const nothing: ExecutionMemory = { known: {}, reported: {} }
  const holds = (row: Row, token: string): boolean => Option.exists(row.lease, (lease) => lease.token === token)
  const finish = (token: string, row: Row, result: AnalysisResult, { known, reported }: ExecutionMemory): boolean => {
    if (!holds(row, token)) return false
    if (!running.delete(result.execution_id)) return row.stored.result.status === result.status
    rows.set(result.execution_id, { ...row, stored: { ...row.stored, result, known, reported } })
    return true
  }

  return {
    begin: Effect.fn("ExecutionStore.begin")((request: BeginRequest) =>
      Effect.sync((): BeginAnswer => {
        if (rows.has(request.id)) return { _tag: "Started" }
        const ofKey = Array.from(running).flatMap((id) => owned(request.keyId, id) ?? [])
        const same = ofKey.find((row) => row.joinKey === request.joinKey)
        if (same !== undefined) return { _tag: "Joined", id: same.stored.result.execution_id }
        const watchId = request.watchId ?? Option.none()
        const interactive = ofKey.filter((row) => Option.isNone(row.stored.watchId)).length
        if (Option.isNone(watchId) && interactive >= request.slots) return { _tag: "Busy", running: interactive }
        rows.set(request.id, {
          stored: { keyId: request.keyId, watchId, result: request.running, ...nothing },
          joinKey: request.joinKey,
          lease: Option.some(request.lease)
        })
        running.add(request.id)
        const ids = byKey.get(request.keyId)
        if (ids === undefined) byKey.set(request.keyId, [request.id])
        else ids.push(request.id)
        return { _tag: "Started" }
      })
    ),
    renew: Effect.fn("ExecutionStore.renew")((id: ExecutionId, lease: Lease) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row === undefined || !running.has(id) || !holds(row, lease.token)) return false
        rows.set(id, { ...row, lease: Option.some(lease) })
        return true
      })
    ),
    complete: Effect.fn("ExecutionStore.complete")((token: string, result: AnalysisResult, memory: ExecutionMemory) =>
      Effect.sync(() => {
        const row = rows.get(result.execution_id)
        return row !== undefined && finish(token, row, result, memory)
      })
    ),
    fail: Effect.fn("ExecutionStore.fail")((id: ExecutionId, token: string, failure: ExecutionFailure, now: number) =>
      Effect.sync(() => {
        const row = rows.get(id)
        return row !== undefined && finish(token, row, failed(row.stored.result, failure, now), nothing)
      })
    ),
    discard: Effect.fn("ExecutionStore.discard")((id: ExecutionId, token: string) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row === undefined || !holds(row, token) || !running.delete(id)) return
        rows.delete(id)
        const ids = byKey.get(row.stored.keyId) ?? []
        ids.splice(ids.indexOf(id), 1)
      })
    ),
    find: Effect.fn("ExecutionStore.find")((keyId: KeyId, id: ExecutionId) =>
      Effect.sync(() => Option.fromNullable(owned(keyId, id)?.stored))
    ),
    previous: Effect.fn("ExecutionStore.previous")((keyId: KeyId, target: Target, before?: ExecutionId | undefined) =>
      Effect.sync(() =>
        Option.fromNullable(
          newestFirst(keyId, before).find(
            ({ result, watchId }) =>
              Option.isNone(watchId) &&
              (result.status === "complete" || result.status === "partial") &&
              result.target === target.kind &&
              result.address === target.address &&
              result.chain.id === target.chain.id
          )
        )
      )
    ),
    list: Effect.fn("ExecutionStore.list")((keyId: KeyId, filter: ExecutionFilter, page: PageRequest) =>
      Effect.sync(() => {
        const wanted = <A>(option: Option.Option<A>, holds: (value: A) => boolean) =>
          Option.match(option, { onNone: () => true, onSome: holds })
        const matching = newestFirst(keyId, Option.getOrUndefined(page.before)).filter(
          ({ result, watchId }) =>
            wanted(filter.kind, (kind) => result.target === kind) &&
            wanted(filter.address, (address) => result.address === address) &&
            wanted(filter.chainId, (chainId) => result.chain.id === chainId) &&
            wanted(filter.watchId, (id) => Option.contains(watchId, id)) &&
            wanted(filter.since, (since) => toMillis(result.created_at) >= since)
        )
        const data = matching.slice(0, page.limit).map(stub)
        return { data, next_cursor: matching.length > page.limit ? (data.at(-1)?.execution_id ?? null) : null }
      })
    ),
    expireLeases: Effect.fn("ExecutionStore.expireLeases")((now: number, limit: number) =>
      Effect.sync(() => {
        const expired = Array.from(running)
          .flatMap((id) => rows.get(id) ?? [])
          .filter((row) => Option.exists(row.lease, (lease) => lease.until <= now))
          .slice(0, limit)
        return expired.map((row) => {
          const result = failed(row.stored.result, leaseLost, now)
          running.delete(result.execution_id)
          rows.set(result.execution_id, { ...row, stored: { ...row.stored, result }, lease: Option.none() })
          return result.execution_id
        })
      })
    ),
    status: Effect.fn("ExecutionStore.status")((id: ExecutionId) =>
      Effect.sync(() => Option.fromNullable(rows.get(id)?.stored.result.status))
    ),
    endedBefore: Effect.fn("ExecutionStore.endedBefore")((before: number, limit: number) =>
      Effect.sync(() =>
        Array.from(rows.values())
          .flatMap(({ stored: { keyId, result, watchId } }) =>
            result.completed_at === null
              ? []
              : [{ id: result.execution_id, keyId, watchId, endedAt: toMillis(result.completed_at) }]
          )
          .filter(({ endedAt }) => endedAt < before)
          .sort((a, b) => a.endedAt - b.endedAt)
          .slice(0, limit)
          .map(({ id, keyId, watchId }): EndedExecution => ({ id, keyId, watchId }))
      )
    ),
    remove: Effect.fn("ExecutionStore.remove")((ids: ReadonlyArray<ExecutionId>) =>
      Effect.sync(() => {
        for (const id of ids) {
          const row = rows.get(id)
          if (row === undefined || running.has(id)) continue
          rows.delete(id)
          const ofKey = byKey.get(row.stored.keyId) ?? []
          ofKey.splice(ofKey.indexOf(id), 1)
        }
      })
    )
  }
})

/**
 * The document of an execution that failed: what it was while it ran, with the failure, and no unit.
 *
 * @since 0.1.0
 * @category combinators
 */
export const failed = (running: AnalysisResult, failure: ExecutionFailure, now: number): AnalysisResult => ({
  ...running,
  status: "failed",
  error: failure,
  completed_at: fromMillis(now),
  progress: null,
  units: 0
})

/**
 * What an execution shows of itself in a list.
 *
 * @since 0.1.0
 * @category combinators
 */
export const stub = (execution: StoredExecution): ExecutionStub => ({
  execution_id: execution.result.execution_id,
  target: execution.result.target,
  address: execution.result.address,
  chain: execution.result.chain,
  status: execution.result.status,
  created_at: execution.result.created_at,
  completed_at: execution.result.completed_at,
  score: execution.result.facts.risk?.score ?? null,
  level: execution.result.facts.risk?.level ?? null,
  watch_id: Option.getOrNull(execution.watchId),
  content_hash: execution.result.content_hash
})

/**
 * What is stored of an execution whose worker did not come back.
 *
 * @since 0.1.0
 * @category models
 */
export const leaseLost: ExecutionFailure = {
  code: "lease_lost",
  detail: "The process that ran this analysis stopped before it was finished."
}

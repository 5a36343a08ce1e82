/** @internal */

import { Effect, Option } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { toMillis } from "../domain/Timestamp.js"
import {
  type BeginAnswer,
  type BeginRequest,
  type Binding,
  type Bound,
  type EndedExecution,
  type ExecutionEnd,
  type ExecutionFilter,
  type ExecutionMemory,
  failed,
  type Idempotency,
  type Lease,
  type Lookup,
  leaseLost,
  type PageRequest,
  type StoredDocument,
  type StoredExecution,
  stub
} from "./ExecutionRecords.js"

/** What `ExecutionStore.layerMemory` keeps, and how. */
export const make = () => {
  interface Row {
    readonly stored: StoredExecution
    readonly joinKey: string
    /** None once it expired: an end by expiry is nobody's to repeat. */
    readonly lease: Option.Option<Lease>
  }
  const rows = new Map<ExecutionId, Row>()
  const running = new Set<ExecutionId>()
  const removed = new Map<ExecutionId, { readonly keyId: KeyId; readonly at: number }>()
  // Ids in the order in which they were started, which is what "newest" means.
  const byKey = new Map<KeyId, Array<ExecutionId>>()

  interface Standing {
    readonly id: ExecutionId
    readonly fingerprint: string
    readonly at: number
  }
  const bindings = new Map<string, Standing>()
  const others = new Map<string, Bound & { readonly at: number }>()
  const nameOf = ({ keyId }: BeginRequest, { name }: Idempotency) => `${keyId} ${name}`
  const bound = (request: BeginRequest): Option.Option<BeginAnswer> =>
    Option.flatMap(request.idempotency ?? Option.none(), (idempotency) => {
      const binding = bindings.get(nameOf(request, idempotency))
      const status = binding === undefined ? undefined : rows.get(binding.id)?.stored.result.status
      if (binding === undefined || binding.at <= idempotency.after || status === undefined || status === "failed")
        return Option.none()
      if (binding.fingerprint !== idempotency.fingerprint) return Option.some({ _tag: "Reused" })
      return Option.some({ _tag: status === "running" ? "Joined" : "Replayed", id: binding.id })
    })
  const bind = (request: BeginRequest, id: ExecutionId): void => {
    for (const idempotency of Option.toArray(request.idempotency ?? Option.none())) {
      const { fingerprint, now } = idempotency
      bindings.set(nameOf(request, idempotency), { id, fingerprint, at: now })
    }
  }

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
  const leaseOf = (id: ExecutionId): Option.Option<Lease> =>
    Option.flatMap(Option.fromNullable(rows.get(id)), (row) => row.lease)
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
        const known = bound(request)
        if (Option.isSome(known)) return known.value
        const ofKey = Array.from(running).flatMap((id) => owned(request.keyId, id) ?? [])
        const same = ofKey.find((row) => row.joinKey === request.joinKey)
        if (same !== undefined) {
          const id = same.stored.result.execution_id
          bind(request, id)
          return { _tag: "Joined", id }
        }
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
        bind(request, request.id)
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
    contentHash: Effect.fn("ExecutionStore.contentHash")((keyId: KeyId, id: ExecutionId) =>
      Effect.sync(() => Option.map(Option.fromNullable(owned(keyId, id)?.stored), ({ result }) => result.content_hash))
    ),
    document: Effect.fn("ExecutionStore.document")((keyId: KeyId, id: ExecutionId) =>
      Effect.sync(() =>
        Option.map(
          Option.fromNullable(owned(keyId, id)?.stored),
          ({ result }): StoredDocument => ({
            status: result.status,
            contentHash: result.content_hash,
            text: JSON.stringify(result)
          })
        )
      )
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
    running: Effect.sync(() =>
      Array.from(running)
        .flatMap((id) => Option.toArray(Option.map(leaseOf(id), (lease) => ({ id, lease }))))
        .sort((a, b) => a.lease.until - b.lease.until)
    ).pipe(Effect.withSpan("ExecutionStore.running")),
    lease: Effect.fn("ExecutionStore.lease")((id: ExecutionId) => Effect.sync(() => leaseOf(id))),
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
    remove: Effect.fn("ExecutionStore.remove")((ids: ReadonlyArray<ExecutionId>, now: number) =>
      Effect.sync(() => {
        for (const id of ids) {
          const row = rows.get(id)
          if (row === undefined || running.has(id)) continue
          const { keyId } = row.stored
          rows.delete(id)
          removed.set(id, { keyId, at: now })
          const ofKey = byKey.get(keyId) ?? []
          ofKey.splice(ofKey.indexOf(id), 1)
        }
      })
    ),
    ends: Effect.fn("ExecutionStore.ends")((keyId: KeyId, ids: ReadonlyArray<ExecutionId>) =>
      Effect.sync(() =>
        ids.flatMap((id): ReadonlyArray<ExecutionEnd> => {
          const stored = rows.get(id)?.stored
          return stored?.keyId === keyId
            ? [{ id, watchId: stored.watchId, failure: Option.fromNullable(stored.result.error?.code) }]
            : []
        })
      )
    ),
    isRemoved: Effect.fn("ExecutionStore.isRemoved")((keyId: KeyId, id: ExecutionId) =>
      Effect.sync(() => removed.get(id)?.keyId === keyId)
    ),
    bind: Effect.fn("ExecutionStore.bind")(({ after, fingerprint, id, keyId, name, now }: Binding) =>
      Effect.sync(() => {
        const held = others.get(`${keyId} ${name}`)
        const standing = held !== undefined && held.at > after ? held : { id, fingerprint, at: now }
        others.set(`${keyId} ${name}`, standing)
        return { id: standing.id, fingerprint: standing.fingerprint }
      })
    ),
    bound: Effect.fn("ExecutionStore.bound")(({ after, keyId, name }: Lookup) =>
      Effect.sync(() =>
        Option.fromNullable(others.get(`${keyId} ${name}`)).pipe(
          Option.filter(({ at }) => at > after),
          Option.map(({ fingerprint, id }) => ({ id, fingerprint }))
        )
      )
    ),
    forgetIdempotencyKeys: Effect.fn("ExecutionStore.forgetIdempotencyKeys")((before: number, limit: number) =>
      Effect.sync(() => {
        const past = [bindings, others]
          .flatMap((all) => Array.from(all, ([name, { at }]) => ({ all, name, at })))
          .filter(({ at }) => at < before)
          .slice(0, limit)
        for (const { all, name } of past) all.delete(name)
        return past.length
      })
    ),
    forget: Effect.fn("ExecutionStore.forget")((before: number, limit: number) =>
      Effect.sync(() => {
        const past = Array.from(removed)
          .filter(([, { at }]) => at < before)
          .slice(0, limit)
        for (const [id] of past) removed.delete(id)
        return past.length
      })
    )
  }
}

/** @internal */

import { Effect, Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { EventId, ExecutionId, KeyId, RunId, WatchId } from "../domain/Id.js"
import type { WatchRun } from "../domain/Watch.js"
import * as DueQueue from "./DueQueue.js"
import type { Lease } from "./ExecutionStore.js"
import * as NewestFirst from "./NewestFirst.js"
import {
  type Begun,
  type Claim,
  type ClaimRequest,
  endOf,
  type Finish,
  hasChanged,
  isBegun,
  type ManualClaim,
  type PageAfter,
  type Slot,
  type StoredWatch,
  stateOf,
  type WatchContent,
  type WatchFilter
} from "./WatchRecords.js"

/** What `WatchStore.layerMemory` keeps, and how. */
export const make = () => {
  interface Row {
    readonly watch: StoredWatch
    /** The place in the order in which watches were made. */
    readonly order: number
    readonly askedAt: Option.Option<number>
  }
  interface Run {
    readonly watchId: WatchId
    readonly document: WatchRun
    readonly executionId: ExecutionId
    readonly lease: Lease
    readonly order: number
  }
  const rows = new Map<WatchId, Row>()
  const ofKey = new Map<KeyId, Set<WatchId>>()
  const runs = new Map<RunId, Run>()
  const ofWatch = new Map<WatchId, Set<RunId>>()
  const running = new Set<RunId>()
  const runningOf = new Map<KeyId, number>()
  const waiting = DueQueue.make<KeyId, WatchId>()
  const ended = DueQueue.make<"changed" | "unchanged", RunId>()
  const outbox = new Map<EventId, NewEvent>()
  let order = 0

  const owned = (keyId: KeyId, id: WatchId): Row | undefined => {
    const row = rows.get(id)
    return row?.watch.keyId === keyId ? row : undefined
  }
  const write = (row: Row): StoredWatch => {
    const { watch } = row
    rows.set(watch.id, row)
    if (Option.isSome(watch.live) || Option.isNone(watch.memory.nextDueAt)) waiting.remove(watch.id)
    else waiting.put({ group: watch.keyId, item: watch.id, at: watch.memory.nextDueAt.value, order: row.order })
    return watch
  }
  const claimOf = (runId: RunId): Option.Option<Claim> =>
    Option.gen(function* () {
      const run = yield* Option.fromNullable(runs.get(runId))
      const row = yield* Option.fromNullable(rows.get(run.watchId))
      return { watch: row.watch, run: run.document, executionId: run.executionId, token: run.lease.token }
    })
  const stop = (runId: RunId, keyId: KeyId): void => {
    running.delete(runId)
    runningOf.set(keyId, (runningOf.get(keyId) ?? 0) - 1)
  }
  const start = (row: Row, slot: Slot, begun: Begun, until: number): Claim => {
    const { watch } = row
    runs.set(slot.runId, {
      watchId: watch.id,
      document: begun.run,
      executionId: slot.executionId,
      lease: { token: slot.token, until },
      order: order++
    })
    ofWatch.get(watch.id)?.add(slot.runId)
    running.add(slot.runId)
    runningOf.set(watch.keyId, (runningOf.get(watch.keyId) ?? 0) + 1)
    const live = Option.some(slot.runId)
    const claimed = write({ ...row, watch: { ...watch, memory: begun.memory, revision: watch.revision + 1, live } })
    return { watch: claimed, run: begun.run, executionId: slot.executionId, token: slot.token }
  }
  const next = (now: number, perKey: number, postponedOf: ReadonlyMap<KeyId, number>): Row | undefined => {
    let best: { readonly running: number; readonly id: WatchId } | undefined
    // The oldest of each key. The first with a key that runs nothing is taken; few stand before it, because their keys
    // run something.
    for (const { at, group, item } of waiting.heads()) {
      if (at > now) break
      const running = (runningOf.get(group) ?? 0) + (postponedOf.get(group) ?? 0)
      if (running < perKey && (best === undefined || running < best.running)) best = { running, id: item }
      if (best?.running === 0) break
    }
    return best === undefined ? undefined : rows.get(best.id)
  }
  const tell = (events: ReadonlyArray<NewEvent>): void => {
    for (const event of events) if (!outbox.has(event.id)) outbox.set(event.id, event)
  }

  return {
    create: Effect.fn("WatchStore.create")((watch: StoredWatch, limit: number) =>
      Effect.sync(() => {
        if (rows.has(watch.id)) return true
        const ids = ofKey.get(watch.keyId) ?? new Set()
        if (ids.size >= limit) return false
        ofKey.set(watch.keyId, ids.add(watch.id))
        ofWatch.set(watch.id, new Set())
        write({ watch, order: order++, askedAt: Option.none() })
        return true
      })
    ),
    find: Effect.fn("WatchStore.find")((keyId: KeyId, id: WatchId) =>
      Effect.sync(() => Option.fromNullable(owned(keyId, id)?.watch))
    ),
    list: Effect.fn("WatchStore.list")((keyId: KeyId, filter: WatchFilter, page: PageAfter<WatchId>) =>
      Effect.sync(() => {
        const wanted = <A>(option: Option.Option<A>, value: A) => Option.isNone(option) || option.value === value
        const isWanted = ({ memory, target }: StoredWatch) =>
          wanted(filter.state, stateOf(memory)) &&
          wanted(filter.kind, target.kind) &&
          wanted(filter.address, target.address) &&
          wanted(filter.failing, Option.isSome(memory.lastError))
        return NewestFirst.page(ofKey.get(keyId) ?? [], page, (id) => {
          const watch = rows.get(id)?.watch
          return watch !== undefined && isWanted(watch) ? watch : undefined
        })
      })
    ),
    count: Effect.fn("WatchStore.count")((keyId: KeyId) => Effect.sync(() => ofKey.get(keyId)?.size ?? 0)),
    change: Effect.fn("WatchStore.change")(
      (keyId: KeyId, id: WatchId, decide: (watch: StoredWatch) => Option.Option<WatchContent>) =>
        Effect.sync(() => {
          const row = owned(keyId, id)
          if (row === undefined) return Option.none()
          const content = decide(row.watch)
          if (Option.isNone(content)) return Option.some(row.watch)
          const { label, memory, options, updatedAt } = content.value
          const revision = row.watch.revision + 1
          return Option.some(write({ ...row, watch: { ...row.watch, label, memory, options, updatedAt, revision } }))
        })
    ),
    remove: Effect.fn("WatchStore.remove")((keyId: KeyId, id: WatchId) =>
      Effect.sync(() => {
        const row = owned(keyId, id)
        if (row === undefined) return Option.none()
        const live = Option.flatMap(row.watch.live, claimOf)
        if (Option.isSome(row.watch.live)) stop(row.watch.live.value, keyId)
        for (const runId of ofWatch.get(id) ?? []) {
          runs.delete(runId)
          ended.remove(runId)
        }
        waiting.remove(id)
        ofWatch.delete(id)
        ofKey.get(keyId)?.delete(id)
        rows.delete(id)
        return Option.some({ live })
      })
    ),
    claimDue: Effect.fn("WatchStore.claimDue")(({ begin, now, perKey, slots, until }: ClaimRequest) =>
      Effect.sync(() => {
        const begunBefore = slots.flatMap(({ runId }) => (running.has(runId) ? Option.toArray(claimOf(runId)) : []))
        if (begunBefore.length > 0) return begunBefore
        const claims: Array<Claim> = []
        const postponedOf = new Map<KeyId, number>()
        for (const slot of slots) {
          const row = next(now, perKey, postponedOf)
          if (row === undefined) break
          const begun = begin(row.watch, slot)
          if (isBegun(begun)) claims.push(start(row, slot, begun, until))
          else {
            const { watch } = row
            postponedOf.set(watch.keyId, (postponedOf.get(watch.keyId) ?? 0) + 1)
            write({ ...row, watch: { ...watch, memory: begun.memory, revision: watch.revision + 1 } })
          }
        }
        return claims
      })
    ),
    claimNow: Effect.fn("WatchStore.claimNow")(
      (
        keyId: KeyId,
        id: WatchId,
        request: Pick<ClaimRequest, "now" | "until"> & {
          readonly slot: Slot
          readonly notAfter: number
          readonly begin: (watch: StoredWatch, slot: Slot) => Begun
        }
      ) =>
        Effect.sync((): Option.Option<ManualClaim> => {
          const row = owned(keyId, id)
          if (row === undefined) return Option.none()
          const { begin, notAfter, now, slot, until } = request
          const live = Option.flatMap(row.watch.live, claimOf)
          if (Option.isSome(live))
            return Option.some(
              live.value.token === slot.token
                ? { _tag: "Started", claim: live.value }
                : { _tag: "Joined", run: live.value.run }
            )
          if (Option.isSome(row.askedAt) && row.askedAt.value > notAfter)
            return Option.some({ _tag: "TooSoon", at: row.askedAt.value })
          const claim = start({ ...row, askedAt: Option.some(now) }, slot, begin(row.watch, slot), until)
          return Option.some({ _tag: "Started", claim })
        })
    ),
    renew: Effect.fn("WatchStore.renew")((runId: RunId, lease: Lease) =>
      Effect.sync(() => {
        const run = runs.get(runId)
        if (run === undefined || !running.has(runId) || run.lease.token !== lease.token) return false
        runs.set(runId, { ...run, lease })
        return true
      })
    ),
    finishRun: Effect.fn("WatchStore.finishRun")(
      (runId: RunId, token: string, decide: (watch: StoredWatch) => Finish) =>
        Effect.sync(() => {
          const run = runs.get(runId)
          const row = run === undefined ? undefined : rows.get(run.watchId)
          if (run === undefined || row === undefined || run.lease.token !== token) return false
          if (!running.has(runId)) return true
          const { events, memory, run: document } = decide(row.watch)
          stop(runId, row.watch.keyId)
          runs.set(runId, { ...run, document })
          ended.put({
            group: hasChanged(document) ? "changed" : "unchanged",
            item: runId,
            at: endOf(document),
            order: run.order
          })
          write({
            ...row,
            watch: { ...row.watch, memory, revision: row.watch.revision + 1, live: Option.none() }
          })
          tell(events)
          return true
        })
    ),
    expired: Effect.fn("WatchStore.expired")((now: number, limit: number) =>
      Effect.sync(() =>
        Array.from(running)
          .flatMap((id) => {
            const until = runs.get(id)?.lease.until
            return until === undefined || until > now ? [] : [{ id, until }]
          })
          .sort((a, b) => a.until - b.until)
          .slice(0, limit)
          .flatMap(({ id }) => Option.toArray(claimOf(id)))
      )
    ),
    tokens: Effect.sync(() => Array.from(running).flatMap((id) => runs.get(id)?.lease.token ?? [])).pipe(
      Effect.withSpan("WatchStore.tokens")
    ),
    claims: Effect.fn("WatchStore.claims")((tokens: ReadonlyArray<string>) =>
      Effect.sync(() => {
        const wanted = new Set(tokens)
        return Array.from(running)
          .flatMap((id) => Option.toArray(claimOf(id)))
          .filter(({ token }) => wanted.has(token))
      })
    ),
    runs: Effect.fn("WatchStore.runs")(
      (keyId: KeyId, id: WatchId, filter: { readonly changed: boolean }, page: PageAfter<RunId>) =>
        Effect.sync(() => {
          if (owned(keyId, id) === undefined) return Option.none()
          return Option.some(
            NewestFirst.page(ofWatch.get(id) ?? [], page, (runId) => {
              const run = runs.get(runId)?.document
              return run !== undefined && (hasChanged(run) || !filter.changed) ? run : undefined
            })
          )
        })
    ),
    nextDueAt: Effect.sync(() => {
      const [head] = waiting.heads()
      return Option.fromNullable(head?.at)
    }).pipe(Effect.withSpan("WatchStore.nextDueAt")),
    outbox: Effect.fn("WatchStore.outbox")((limit: number) =>
      Effect.sync(() => Array.from(outbox.values()).slice(0, limit))
    ),
    relayed: Effect.fn("WatchStore.relayed")((ids: ReadonlyArray<EventId>) =>
      Effect.sync(() => {
        for (const id of ids) outbox.delete(id)
      })
    ),
    prune: Effect.fn("WatchStore.prune")(
      (options: { readonly unchangedBefore: number; readonly changedBefore: number; readonly limit: number }) =>
        Effect.sync(() => {
          let removed = 0
          for (const [group, limit] of [
            ["unchanged", options.unchangedBefore],
            ["changed", options.changedBefore]
          ] as const)
            for (
              let oldest = ended.first(group);
              oldest !== undefined && oldest.at < limit && removed < options.limit;
              oldest = ended.first(group)
            ) {
              const run = runs.get(oldest.item)
              if (run !== undefined) ofWatch.get(run.watchId)?.delete(oldest.item)
              runs.delete(oldest.item)
              ended.remove(oldest.item)
              removed++
            }
          return removed
        })
    )
  }
}

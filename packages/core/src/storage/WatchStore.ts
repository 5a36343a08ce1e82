import { Context, Effect, Layer, Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { EventId, ExecutionId, KeyId, RunId, WatchId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Target, TargetKind } from "../domain/Target.js"
import { toMillis } from "../domain/Timestamp.js"
import type { WatchOptions, WatchRun, WatchState } from "../domain/Watch.js"
import type { WatchMemory } from "../domain/WatchMemory.js"
import * as DueQueue from "./DueQueue.js"
import type { Lease } from "./ExecutionStore.js"
import * as NewestFirst from "./NewestFirst.js"
import type { StorageError } from "./StorageError.js"

/**
 * A watch as it is kept; times in epoch milliseconds. `revision` rises with every write that its owner can see. `live` is
 * the run that checks it at this moment.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredWatch {
  readonly id: WatchId
  readonly keyId: KeyId
  readonly target: Target
  readonly label: string
  readonly options: WatchOptions
  readonly createdAt: number
  readonly updatedAt: number
  readonly memory: WatchMemory
  readonly revision: number
  readonly live: Option.Option<RunId>
}

/**
 * What of a watch can change; the rest is fixed when it is made.
 *
 * @since 0.1.0
 * @category models
 */
export type WatchContent = Pick<StoredWatch, "label" | "options" | "updatedAt" | "memory">

/**
 * Ids for one run that may be claimed: of the run, of the execution that it makes, and the token that finishes it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Slot {
  readonly runId: RunId
  readonly executionId: ExecutionId
  readonly token: string
}

/**
 * A run that the holder of `token` may finish, and its watch as it was when the run was claimed or last written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Claim {
  readonly watch: StoredWatch
  readonly run: WatchRun
  readonly executionId: ExecutionId
  readonly token: string
}

/**
 * What a claim writes: the watch's memory with the claim in it, and the run that begins.
 *
 * @since 0.1.0
 * @category models
 */
export interface Begun {
  readonly memory: WatchMemory
  readonly run: WatchRun
}

/**
 * What a claim writes where a watch that is due is to wait a little longer: it is due later than now then, and no run
 * begins.
 *
 * @since 0.1.0
 * @category models
 */
export interface Postponed {
  readonly memory: WatchMemory
}

/**
 * Whether a claim begins a run.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isBegun = (answer: Begun | Postponed): answer is Begun => "run" in answer

/**
 * Which due watches to take. At most one run per slot, at most `perKey` running runs of a key. `begin` is pure and may be
 * asked more than once; its answer is written with the claim. A watch that it postpones uses up a slot of this claim.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClaimRequest {
  readonly now: number
  readonly until: number
  readonly slots: ReadonlyArray<Slot>
  readonly perKey: number
  readonly begin: (watch: StoredWatch, slot: Slot) => Begun | Postponed
}

/**
 * What became of the wish to check one watch at once: it begins, a run of it lives already, or the last one that was
 * asked for is younger than allowed (`at`: when it was asked for).
 *
 * @since 0.1.0
 * @category models
 */
export type ManualClaim =
  | { readonly _tag: "Started"; readonly claim: Claim }
  | { readonly _tag: "Joined"; readonly run: WatchRun }
  | { readonly _tag: "TooSoon"; readonly at: number }

/**
 * What the end of a run writes, in one step: the run, what the watch remembers, and what is to be told.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finish {
  readonly run: WatchRun
  readonly memory: WatchMemory
  readonly events: ReadonlyArray<NewEvent>
}

/**
 * Which watches to list; `failing` are those whose last check failed.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchFilter {
  readonly state: Option.Option<WatchState>
  readonly kind: Option.Option<TargetKind>
  readonly address: Option.Option<Target["address"]>
  readonly failing: Option.Option<boolean>
}

/**
 * At most `limit` items, after the one that the page before ended with.
 *
 * @since 0.1.0
 * @category models
 */
export interface PageAfter<Id> {
  readonly limit: number
  readonly before: Option.Option<Id>
}

/**
 * Where watches, their runs and the events of these are kept until they are in the log. Every method is atomic and told
 * the time. What another key owns is not found. A run is finished by the token that it was claimed with, once; a token
 * whose run has ended changes nothing.
 *
 * The functions that methods are given are pure: a store may ask them again, with a newer state.
 *
 * @since 0.1.0
 * @category services
 */
export class WatchStore extends Context.Tag("@assay/core/WatchStore")<
  WatchStore,
  {
    /** Keeps a new watch, unless its key has `limit` already: then false. The same id again changes nothing: true. */
    readonly create: (watch: StoredWatch, limit: number) => Effect.Effect<boolean, StorageError>
    readonly find: (keyId: KeyId, id: WatchId) => Effect.Effect<Option.Option<StoredWatch>, StorageError>
    /** Newest first; `next_cursor` is the id to pass as `before`. */
    readonly list: (
      keyId: KeyId,
      filter: WatchFilter,
      page: PageAfter<WatchId>
    ) => Effect.Effect<Page<StoredWatch>, StorageError>
    /** How many watches a key has. */
    readonly count: (keyId: KeyId) => Effect.Effect<number, StorageError>
    /**
     * Changes a watch by `decide`, which answers none where nothing is to change; the revision then stays. Answers the
     * watch as it is afterwards, none where it does not exist.
     */
    readonly change: (
      keyId: KeyId,
      id: WatchId,
      decide: (watch: StoredWatch) => Option.Option<WatchContent>
    ) => Effect.Effect<Option.Option<StoredWatch>, StorageError>
    /**
     * Removes a watch with its runs; answers the claim of its live run, which nobody can finish any more, so that
     * nothing is added to the outbox about it from here on. What is there stays: it happened. None where the watch does
     * not exist.
     */
    readonly remove: (
      keyId: KeyId,
      id: WatchId
    ) => Effect.Effect<Option.Option<{ readonly live: Option.Option<Claim> }>, StorageError>
    /**
     * Takes active watches that are due (`nextDueAt <= now`) and not running: of the key with the fewest running first,
     * then the one that is due longest. Costs the same however many watches are kept. The ids of slots are new.
     */
    readonly claimDue: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /**
     * Takes one watch whatever its state and due time, unless a run of it lives or one was begun by hand after
     * `notAfter`. Once more with the slot that began the live run it answers as before. None where the watch does not
     * exist.
     */
    readonly claimNow: (
      keyId: KeyId,
      id: WatchId,
      request: Pick<ClaimRequest, "now" | "until"> & {
        readonly slot: Slot
        readonly notAfter: number
        readonly begin: (watch: StoredWatch, slot: Slot) => Begun
      }
    ) => Effect.Effect<Option.Option<ManualClaim>, StorageError>
    /** Prolongs the lease of a running run; false where it is not running under this token. */
    readonly renew: (runId: RunId, lease: Lease) => Effect.Effect<boolean, StorageError>
    /**
     * Ends a running run with what `decide` makes of the watch as it is now: run, memory and events in one write, all or
     * nothing. False where the run is not running under this token; once more by the same token after it ended, whoever
     * wrote that end, it changes nothing and answers true, so that a lost answer can be asked again.
     */
    readonly finishRun: (
      runId: RunId,
      token: string,
      decide: (watch: StoredWatch) => Finish
    ) => Effect.Effect<boolean, StorageError>
    /** Running runs whose lease ended by `now`, oldest first, to be finished by their token. */
    readonly expired: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /** Newest first; with `changed`, only those that found a change. */
    readonly runs: (
      keyId: KeyId,
      id: WatchId,
      filter: { readonly changed: boolean },
      page: PageAfter<RunId>
    ) => Effect.Effect<Option.Option<Page<WatchRun>>, StorageError>
    /** When the next watch that is not running is due; in the past where one waits. */
    readonly nextDueAt: Effect.Effect<Option.Option<number>, StorageError>
    /** Events that are not relayed yet, in the order in which they were written. */
    readonly outbox: (limit: number) => Effect.Effect<ReadonlyArray<NewEvent>, StorageError>
    /** Takes relayed events out of the outbox. */
    readonly relayed: (ids: ReadonlyArray<NewEvent["id"]>) => Effect.Effect<void, StorageError>
    /**
     * Removes at most `limit` finished runs: those without a change that ended before `unchangedBefore`, the others
     * before `changedBefore`. Answers how many.
     */
    readonly prune: (options: {
      readonly unchangedBefore: number
      readonly changedBefore: number
      readonly limit: number
    }) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * Keeps watches in this process, for as long as the layer lives.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<WatchStore> = Layer.sync(WatchStore, () => {
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
  const next = (now: number, perKey: number): Row | undefined => {
    let best: { readonly running: number; readonly id: WatchId } | undefined
    // The oldest of each key. The first whose key runs nothing is the one; those before it are few, because they run.
    for (const { at, group, item } of waiting.heads()) {
      if (at > now) break
      const running = runningOf.get(group) ?? 0
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
        const claims: Array<Claim> = []
        for (const slot of slots) {
          const row = next(now, perKey)
          if (row === undefined) break
          const begun = begin(row.watch, slot)
          if (isBegun(begun)) claims.push(start(row, slot, begun, until))
          else {
            const { watch } = row
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
})

/**
 * What state a watch shows.
 *
 * @since 0.1.0
 * @category combinators
 */
export const stateOf = (memory: WatchMemory): WatchState => {
  switch (memory.status._tag) {
    case "Active":
      return "active"
    case "Paused":
      return "paused"
    case "Suspended":
      return "suspended"
  }
}

/**
 * Whether a run found a change.
 *
 * @since 0.1.0
 * @category combinators
 */
export const hasChanged = (run: WatchRun): boolean => run.change_status === "changed"

/**
 * When a run ended, in epoch milliseconds; one that was skipped ended when it was to begin.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endOf = (run: WatchRun): number => toMillis(run.finished_at ?? run.scheduled_for)

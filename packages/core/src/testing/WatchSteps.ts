/** @internal */

import { Effect, Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { EventId, KeyId, WatchId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import { defaultOptions, type WatchRun } from "../domain/Watch.js"
import {
  type Claim,
  type ClaimRequest,
  type Finish,
  type PageAfter,
  type Slot,
  type StoredWatch,
  type WatchFilter,
  WatchStore
} from "../storage/WatchStore.js"
import * as Grid from "../watches/Grid.js"
import * as Transition from "../watches/Transition.js"
import * as Documents from "./Documents.js"
import { never, noon, same } from "./Guarantee.js"

export const minute = 60_000

/** A watch that is due at a moment, if any. */
export const watchOf = Effect.fnUntraced(function* (
  keyId: KeyId,
  dueAt: Option.Option<number>,
  changes: Partial<StoredWatch> = {}
) {
  const id = yield* Id.make("wat")
  const grid = Grid.make(id, { anchor: noon, intervalSeconds: 900 })
  const watch: StoredWatch = {
    id,
    keyId,
    target: Documents.token(0xa55a),
    label: "my token “äöü” 𝔘",
    options: { ...defaultOptions, ignore: ["token.mintable"], thresholds: { "liquidity.thin": 0.05 } },
    createdAt: noon,
    updatedAt: noon,
    memory: {
      ...Transition.created(grid, Option.isSome(dueAt) ? "Active" : "Paused"),
      nextDueAt: dueAt
    },
    revision: 1,
    live: Option.none(),
    ...changes
  }
  return watch
})

/** Keeps a watch that is due at a moment. */
export const watchAt = Effect.fnUntraced(function* (keyId: KeyId, dueAt: number, changes: Partial<StoredWatch> = {}) {
  const store = yield* WatchStore
  const watch = yield* watchOf(keyId, Option.some(dueAt), changes)
  yield* same("created", yield* store.create(watch, 1_000_000), true)
  return watch
})

/** New ids and tokens for runs to begin. */
export const slots = (count: number) =>
  Effect.replicateEffect(
    Effect.gen(function* () {
      const runId = yield* Id.make("run")
      return { runId, executionId: yield* Id.make("exe"), token: `token of ${runId}` } satisfies Slot
    }),
    count
  )

/** What a claim makes of a watch: it is claimed, and a run begins. */
export const begun = (now: number, trigger: WatchRun["trigger"]) => (watch: StoredWatch, slot: Slot) => {
  const { memory } = Transition.apply(watch.memory, { _tag: "Claimed" }, now)
  const run: WatchRun = {
    id: slot.runId,
    scheduled_for: fromMillis(Option.getOrElse(watch.memory.nextDueAt, () => now)),
    started_at: fromMillis(now),
    finished_at: null,
    trigger,
    status: "running",
    units: 0,
    execution_id: slot.executionId,
    change_status: null,
    max_severity: null,
    error_code: null,
    error: null
  }
  return { memory, run }
}

/** Claims what is due at a moment. */
export const claim = Effect.fnUntraced(function* (
  now: number,
  options: { readonly slots?: number; readonly perKey?: number; readonly until?: number } = {}
) {
  const store = yield* WatchStore
  const request: ClaimRequest = {
    now,
    until: options.until ?? now + 2 * minute,
    slots: yield* slots(options.slots ?? 10),
    perKey: options.perKey ?? 1000,
    begin: begun(now, "schedule")
  }
  return yield* store.claimDue(request)
})

/** Requests a check by hand; one of the same watch comes a minute later at the earliest. */
export const claimNow = Effect.fnUntraced(function* (
  watch: StoredWatch,
  now: number,
  options: { readonly keyId?: KeyId; readonly slot?: Slot; readonly until?: number } = {}
) {
  const store = yield* WatchStore
  const [slot] = yield* slots(1)
  return yield* store.claimNow(options.keyId ?? watch.keyId, watch.id, {
    now,
    until: options.until ?? now + 2 * minute,
    slot: options.slot ?? slot ?? (yield* Effect.dieMessage("no slot")),
    notAfter: now - minute,
    begin: begun(now, "manual")
  })
})

/** A check by hand that must begin. */
export const started = Effect.fnUntraced(function* (watch: StoredWatch, now: number) {
  const answer = yield* claimNow(watch, now)
  if (Option.isSome(answer) && answer.value._tag === "Started") return answer.value.claim
  return yield* Effect.dieMessage(`not started: ${JSON.stringify(answer)}`)
})

/** What the end of a run may write: a success, with as many changes as events. */
export const ending =
  (run: WatchRun, now: number, events: ReadonlyArray<NewEvent> = []) =>
  (watch: StoredWatch): Finish => ({
    run: {
      ...run,
      status: "succeeded",
      finished_at: fromMillis(now),
      units: 1,
      change_status: events.length > 0 ? "changed" : "unchanged"
    },
    memory: { ...watch.memory, lastCheckedAt: Option.some(now), lastSuccessAt: Option.some(now) },
    events
  })

/** Finishes a claimed run. */
export const finish = ({ run, token }: Claim, now: number, events: ReadonlyArray<NewEvent> = []) =>
  Effect.flatMap(WatchStore, (store) => store.finishRun(run.id, token, ending(run, now, events)))

/** An event of a watch, for its run to write. */
export const eventOf = Effect.fnUntraced(function* (watch: StoredWatch, id?: EventId) {
  const made: NewEvent = {
    id: id ?? (yield* Id.make("evt")),
    keyId: watch.keyId,
    timestamp: fromMillis(noon),
    body: {
      type: "watch.suspended",
      data: {
        watch_id: watch.id,
        label: watch.label,
        target: watch.target.kind,
        address: watch.target.address,
        chain: watch.target.chain,
        reason: "key_revoked"
      }
    },
    only: null
  }
  return made
})

/** Removes whatever others left, so that what is due, running or to be reported is a case's own. */
export const alone = Effect.gen(function* () {
  const store = yield* WatchStore
  let left: ReadonlyArray<Claim>
  do {
    left = [...(yield* claim(never, { slots: 100 })), ...(yield* store.expired(never * 2, 100))]
    // What cases before left is hundreds of them, and a removal waits for the disk.
    yield* Effect.forEach(left, ({ watch }) => store.remove(watch.keyId, watch.id), { concurrency: 8, discard: true })
  } while (left.length > 0)
  while ((yield* store.prune({ unchangedBefore: never, changedBefore: never, limit: 1000 })) > 0);
  let told: ReadonlyArray<NewEvent>
  do {
    told = yield* store.outbox(1000)
    yield* store.relayed(told.map(({ id }) => id))
  } while (told.length > 0)
})

/** The watches of the claims. */
export const ids = (claims: ReadonlyArray<Claim>): ReadonlyArray<WatchId> => claims.map(({ watch }) => watch.id)
/** A page of at most so many, from an item on. */
export const firstOf = <Id>(limit: number, before: Option.Option<Id> = Option.none()): PageAfter<Id> => ({
  limit,
  before
})
/** A filter that lets every watch through. */
export const everything: WatchFilter = {
  state: Option.none(),
  kind: Option.none(),
  address: Option.none(),
  failing: Option.none()
}

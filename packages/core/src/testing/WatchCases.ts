/** @internal */

import { Effect, Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { EventId, KeyId, RunId, WatchId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import { defaultOptions, type WatchRun } from "../domain/Watch.js"
import type { WatchMemory } from "../domain/WatchMemory.js"
import {
  type Claim,
  type ClaimRequest,
  type Finish,
  type PageAfter,
  type Slot,
  type StoredWatch,
  type WatchContent,
  type WatchFilter,
  WatchStore
} from "../storage/WatchStore.js"
import * as Grid from "../watches/Grid.js"
import * as Transition from "../watches/Transition.js"
import * as Documents from "./Documents.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"

const minute = 60_000

/** A watch that is due at a moment, if any. */
const watchOf = Effect.fnUntraced(function* (
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

const slots = (count: number) =>
  Effect.replicateEffect(
    Effect.gen(function* () {
      const runId = yield* Id.make("run")
      return { runId, executionId: yield* Id.make("exe"), token: `token of ${runId}` } satisfies Slot
    }),
    count
  )

const begun = (now: number, trigger: WatchRun["trigger"]) => (watch: StoredWatch, slot: Slot) => {
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

const claimNow = Effect.fnUntraced(function* (
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

const started = Effect.fnUntraced(function* (watch: StoredWatch, now: number) {
  const answer = yield* claimNow(watch, now)
  if (Option.isSome(answer) && answer.value._tag === "Started") return answer.value.claim
  return yield* Effect.dieMessage(`not started: ${JSON.stringify(answer)}`)
})

/** What the end of a run may write: a success, with as many changes as it is told of events. */
const ending =
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

const eventOf = Effect.fnUntraced(function* (watch: StoredWatch, id?: EventId) {
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

/** Removes whatever others left, so that what is due, running or to be told is a case's own. */
export const alone = Effect.gen(function* () {
  const store = yield* WatchStore
  let left: ReadonlyArray<Claim>
  do {
    left = [...(yield* claim(never, { slots: 100 })), ...(yield* store.expired(never * 2, 100))]
    yield* Effect.forEach(left, ({ watch }) => store.remove(watch.keyId, watch.id))
  } while (left.length > 0)
  while ((yield* store.prune({ unchangedBefore: never, changedBefore: never, limit: 1000 })) > 0);
  let told: ReadonlyArray<NewEvent>
  do {
    told = yield* store.outbox(1000)
    yield* store.relayed(told.map(({ id }) => id))
  } while (told.length > 0)
})

const ids = (claims: ReadonlyArray<Claim>): ReadonlyArray<WatchId> => claims.map(({ watch }) => watch.id)
const firstOf = <Id>(limit: number, before: Option.Option<Id> = Option.none()): PageAfter<Id> => ({ limit, before })
const everything: WatchFilter = {
  state: Option.none(),
  kind: Option.none(),
  address: Option.none(),
  failing: Option.none()
}

/** What `WatchStore` promises. */
export const cases: Guarantees = {
  "a watch is kept as it was made, and the same id again changes nothing": Effect.gen(function* () {
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const memory: Partial<WatchMemory> = {
      status: { _tag: "Suspended", reason: "consecutive_failures" },
      lastError: Option.some({ code: "upstream_unavailable", detail: "it’s “broken”" }),
      base: Option.some(yield* Id.make("exe")),
      since: Option.some(noon - 1),
      failures: 10
    }
    const plain = yield* watchOf(key, Option.some(noon))
    const rich = yield* watchOf(key, Option.none(), { label: "", revision: 7 })
    const suspended = { ...rich, memory: { ...rich.memory, ...memory } }
    for (const watch of [plain, suspended]) {
      yield* same("created", yield* store.create(watch, 2), true)
      yield* same("find", yield* store.find(key, watch.id), Option.some(watch))
    }
    yield* same("again", yield* store.create({ ...plain, label: "other", revision: 9 }, 2), true)
    yield* same("unchanged", yield* store.find(key, plain.id), Option.some(plain))
    yield* same("count", yield* store.count(key), 2)
    yield* same("absent", yield* store.find(key, yield* Id.make("wat")), Option.none())
  }),
  "of twenty watches at once with a limit of five exactly five are kept, and a removal makes room for one": Effect.gen(
    function* () {
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watches = yield* Effect.replicateEffect(watchOf(key, Option.none()), 20)
      const kept = yield* Effect.forEach(watches, (watch) => store.create(watch, 5), concurrently)
      yield* same("kept", kept.filter(Boolean).length, 5)
      yield* same("count", yield* store.count(key), 5)
      const [first] = watches.filter((_, index) => kept[index])
      if (first !== undefined) yield* store.remove(key, first.id)
      const again = yield* Effect.replicateEffect(watchOf(key, Option.none()), 3)
      const more = yield* Effect.forEach(again, (watch) => store.create(watch, 5), concurrently)
      yield* same("room for one", more.filter(Boolean).length, 1)
      yield* same(
        "another key has its own",
        yield* store.create(yield* watchOf(yield* Id.make("key"), Option.none()), 1),
        true
      )
    }
  ),
  "what another key watches is not found, listed, counted, changed, removed or begun, and is no place in a list":
    Effect.gen(function* () {
      yield* alone
      const store = yield* WatchStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const mine = yield* watchAt(one, never)
      const theirs = yield* watchAt(two, never)
      const run = yield* started(theirs, noon)
      yield* same("find", yield* store.find(one, theirs.id), Option.none())
      yield* same(
        "list",
        (yield* store.list(one, everything, firstOf(9))).data.map(({ id }) => id),
        [mine.id]
      )
      yield* same("before", (yield* store.list(one, everything, firstOf(9, Option.some(theirs.id)))).data, [])
      yield* same("count", yield* store.count(one), 1)
      yield* same("change", yield* store.change(one, theirs.id, () => Option.some(mine)), Option.none())
      yield* same("remove", yield* store.remove(one, theirs.id), Option.none())
      yield* same("begin", yield* claimNow(theirs, noon, { keyId: one }), Option.none())
      yield* same("runs", yield* store.runs(one, theirs.id, { changed: false }, firstOf(9)), Option.none())
      const place = yield* store.runs(one, mine.id, { changed: false }, firstOf(9, Option.some(run.run.id)))
      yield* same("before its run", place, Option.some({ data: [], next_cursor: null }))
      yield* same("unchanged", yield* store.find(two, theirs.id), Option.some(run.watch))
    }),
  "watches are listed newest first, in pages that neither repeat nor skip while the list grows": Effect.gen(
    function* () {
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const made = yield* Effect.replicateEffect(watchAt(key, never), 7)
      const seen: Array<WatchId> = []
      let before = Option.none<WatchId>()
      do {
        const page = yield* store.list(key, everything, firstOf(3, before))
        yield* same("at most three", page.data.length <= 3, true)
        seen.push(...page.data.map(({ id }) => id))
        before = Option.fromNullable(page.next_cursor as WatchId | null)
        yield* watchAt(key, never)
      } while (Option.isSome(before))
      yield* same("all", seen, made.map(({ id }) => id).reverse())
      const whole = yield* store.list(key, everything, firstOf(10))
      yield* same("an exactly full page is the last", [whole.data.length, whole.next_cursor], [10, null])
      const absent = Option.some(yield* Id.make("wat"))
      yield* same("an unknown place", yield* store.list(key, everything, firstOf(3, absent)), {
        data: [],
        next_cursor: null
      })
    }
  ),
  "a list of watches holds what is asked for only": Effect.gen(function* () {
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const keep = Effect.fnUntraced(function* (changes: Partial<StoredWatch>, memory: Partial<WatchMemory> = {}) {
      const watch = yield* watchOf(key, Option.none(), changes)
      yield* store.create({ ...watch, memory: { ...watch.memory, ...memory } }, 100)
      return watch.id
    })
    const paused = yield* keep({})
    const active = yield* keep({ target: Documents.token(3) }, { status: { _tag: "Active" } })
    const error = { code: "upstream_unavailable", detail: "" }
    const failing = yield* keep(
      { target: { ...Documents.token(3), kind: "wallet" } },
      { status: { _tag: "Suspended", reason: "key_revoked" }, lastError: Option.some(error) }
    )
    const list = (filter: Partial<WatchFilter>) =>
      Effect.map(store.list(key, { ...everything, ...filter }, firstOf(9)), ({ data }) => data.map(({ id }) => id))
    yield* same("paused", yield* list({ state: Option.some("paused") }), [paused])
    yield* same("active", yield* list({ state: Option.some("active") }), [active])
    yield* same("suspended", yield* list({ state: Option.some("suspended") }), [failing])
    yield* same("kind", yield* list({ kind: Option.some("wallet") }), [failing])
    yield* same("address", yield* list({ address: Option.some(Documents.address(3)) }), [failing, active])
    yield* same("failing", yield* list({ failing: Option.some(true) }), [failing])
    yield* same("not failing", yield* list({ failing: Option.some(false) }), [active, paused])
    yield* same("together", yield* list({ address: Option.some(Documents.address(3)), kind: Option.some("token") }), [
      active
    ])
  }),
  "changes at once are decided one after the other, each raises the revision by one, and none changes nothing":
    Effect.gen(function* () {
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watch = yield* watchAt(key, never, { label: "" })
      const more = ({ label, memory, options, updatedAt }: StoredWatch): Option.Option<WatchContent> =>
        Option.some({ label: `${label}x`, memory, options: { ...options, verify: false }, updatedAt: updatedAt + 1 })
      yield* Effect.replicateEffect(store.change(key, watch.id, more), 20, concurrently)
      const changed: StoredWatch = {
        ...watch,
        label: "x".repeat(20),
        options: { ...watch.options, verify: false },
        updatedAt: noon + 20,
        revision: 21
      }
      yield* same("changed", yield* store.find(key, watch.id), Option.some(changed))
      yield* same("nothing", yield* store.change(key, watch.id, Option.none), Option.some(changed))
      yield* same("unchanged", yield* store.find(key, watch.id), Option.some(changed))
      yield* same("absent", yield* store.change(key, yield* Id.make("wat"), more), Option.none())
    }),
  "a watch is claimed when it is due and not before, once, with what the claim wrote": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, noon)
    yield* same("before", yield* claim(noon - 1), [])
    const [claimed, ...others] = yield* claim(noon)
    yield* same("one", others, [])
    if (claimed === undefined) return yield* same("claimed", undefined, watch.id)
    const slot = { runId: claimed.run.id, executionId: claimed.executionId, token: claimed.token }
    const wanted = begun(noon, "schedule")(watch, slot)
    yield* same("claim", claimed, {
      watch: { ...watch, memory: wanted.memory, revision: 2, live: Option.some(slot.runId) },
      run: wanted.run,
      executionId: slot.executionId,
      token: slot.token
    })
    yield* same("find", yield* store.find(key, watch.id), Option.some(claimed.watch))
    yield* same("once", yield* claim(noon + 100 * minute), [])
    yield* finish(claimed, noon + 1)
    const next = Option.getOrElse(wanted.memory.nextDueAt, () => noon)
    yield* same("not before it is due again", yield* claim(next - 1), [])
    yield* same("due again", ids(yield* claim(next)), [watch.id])
  }),
  "a watch without a due time is never claimed, and one that is given one is": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchOf(key, Option.none())
    yield* store.create(watch, 9)
    const due = yield* watchAt(key, noon)
    yield* store.change(key, due.id, (found) =>
      Option.some({ ...found, memory: { ...found.memory, status: { _tag: "Paused" }, nextDueAt: Option.none() } })
    )
    yield* same("neither", yield* claim(never), [])
    yield* store.change(key, watch.id, (found) =>
      Option.some({ ...found, memory: { ...found.memory, status: { _tag: "Active" }, nextDueAt: Option.some(noon) } })
    )
    yield* same("one", ids(yield* claim(noon)), [watch.id])
  }),
  "of two due watches the one whose key runs fewer is first, and of equals the one that is due longest": Effect.gen(
    function* () {
      yield* alone
      const [a, b, c] = [yield* Id.make("key"), yield* Id.make("key"), yield* Id.make("key")]
      // Made in another order than they are due.
      const a3 = yield* watchAt(a, noon - 97 * minute)
      const a1 = yield* watchAt(a, noon - 99 * minute)
      const a2 = yield* watchAt(a, noon - 98 * minute)
      const b2 = yield* watchAt(b, noon - 1 * minute)
      const b1 = yield* watchAt(b, noon - 2 * minute)
      const c1 = yield* watchAt(c, noon - 3 * minute)
      yield* watchAt(c, noon + 1)
      const order = [a1, c1, b1, a2, b2, a3].map(({ id }) => id)
      yield* same("part", ids(yield* claim(noon, { slots: 2 })), order.slice(0, 2))
      yield* same("the rest", ids(yield* claim(noon, { slots: 9 })), order.slice(2))
    }
  ),
  "a key runs at most as many as it may, whoever began them, and each end lets another begin": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
    const byHand = yield* watchAt(key, never)
    const manual = yield* started(byHand, noon)
    yield* Effect.replicateEffect(watchAt(key, noon - minute), 5)
    const [beside] = yield* Effect.replicateEffect(watchAt(other, noon), 1)
    const claims = yield* claim(noon, { perKey: 2 })
    yield* same("claimed", claims.map(({ watch }) => watch.keyId).sort(), [key, other].sort())
    yield* same("no more", yield* claim(noon, { perKey: 2 }), [])
    yield* same("the other is not in its way", ids(claims).includes(beside?.id ?? byHand.id), true)
    yield* finish(manual, noon)
    const [next] = yield* claim(noon, { perKey: 2 })
    yield* same("one more", next?.watch.keyId, key)
    yield* same("no more", yield* claim(noon, { perKey: 2 }), [])
    yield* same(
      "a removed one frees its place",
      Option.isSome(yield* store.remove(key, next?.watch.id ?? byHand.id)),
      true
    )
    yield* same("one more", (yield* claim(noon, { perKey: 2 })).length, 1)
    yield* same("none where none may run", yield* claim(noon, { perKey: 0 }), [])
  }),
  "a key with hundreds of due watches takes its turns and keeps nobody waiting": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const [busy, ...quiet] = yield* Effect.replicateEffect(Id.make("key"), 4)
    if (busy === undefined) return
    yield* Effect.replicateEffect(watchAt(busy, noon - 1000 * minute), 300)
    for (const [index, key] of quiet.entries()) yield* watchAt(key, noon - 9 + index)
    const claims = yield* claim(noon, { slots: 6, perKey: 2 })
    yield* same(
      "claimed",
      claims.map(({ watch }) => watch.keyId),
      [busy, ...quiet, busy]
    )
    for (const made of claims) yield* finish(made, noon)
    const again = yield* claim(noon, { slots: 6, perKey: 2 })
    yield* same(
      "its turns",
      again.map(({ watch }) => watch.keyId),
      [busy, busy]
    )
    yield* same("none is lost", yield* store.count(busy), 300)
  }),
  "a due watch that its claim postpones begins no run, is due later, and is told with the next revision": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const made = yield* watchAt(key, noon)
      const later = { ...made.memory, nextDueAt: Option.some(noon + minute) }
      const request = { now: noon, until: noon + minute, slots: yield* slots(3), perKey: 2 }
      yield* same("none", yield* store.claimDue({ ...request, begin: () => ({ memory: later }) }), [])
      const found = yield* store.find(key, made.id)
      yield* same("it waits", found, Option.some({ ...made, memory: later, revision: made.revision + 1 }))
      yield* same("until then", ids(yield* claim(noon)), [])
      yield* same("no longer", ids(yield* claim(noon + minute)), [made.id])
    }
  ),
  "of twenty that claim at once none is given what another got": Effect.gen(function* () {
    yield* alone
    const keys = yield* Effect.replicateEffect(Id.make("key"), 5)
    const made = yield* Effect.forEach(keys, (key) => Effect.replicateEffect(watchAt(key, noon), 6))
    const claims = (yield* Effect.replicateEffect(claim(noon, { slots: 2 }), 20, concurrently)).flat()
    yield* same(
      "all",
      ids(claims).toSorted(),
      made
        .flat()
        .map(({ id }) => id)
        .toSorted()
    )
  }),
  "a run is ended by its token and no other, with watch and events in one write, once": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, noon)
    const [claimed] = yield* claim(noon)
    if (claimed === undefined) return yield* same("claimed", undefined, watch.id)
    const { run, token } = claimed
    const told = yield* eventOf(watch)
    const runs = store.runs(key, watch.id, { changed: false }, firstOf(9))
    yield* same("another token", yield* store.finishRun(run.id, "another", ending(run, noon, [told])), false)
    yield* same("an unknown run", yield* store.finishRun(yield* Id.make("run"), token, ending(run, noon)), false)
    yield* same("still running", yield* runs, Option.some({ data: [run], next_cursor: null }))
    yield* same("nothing told", yield* store.outbox(9), [])
    yield* same("unchanged", yield* store.find(key, watch.id), Option.some(claimed.watch))

    yield* same("its token", yield* store.finishRun(run.id, token, ending(run, noon + 5, [told])), true)
    const wanted = ending(run, noon + 5, [told])(claimed.watch)
    const ended = Option.some({ ...claimed.watch, memory: wanted.memory, revision: 3, live: Option.none() })
    yield* same("run", yield* runs, Option.some({ data: [wanted.run], next_cursor: null }))
    yield* same("watch", yield* store.find(key, watch.id), ended)
    yield* same("told", yield* store.outbox(9), [told])

    const again = yield* eventOf(watch)
    yield* same("again", yield* store.finishRun(run.id, token, ending(run, noon + 9, [again])), true)
    yield* same("another token", yield* store.finishRun(run.id, "another", ending(run, noon + 9, [again])), false)
    yield* same("run", yield* runs, Option.some({ data: [wanted.run], next_cursor: null }))
    yield* same("watch", yield* store.find(key, watch.id), ended)
    yield* same("told once", yield* store.outbox(9), [told])
  }),
  "of ten ends of a run at once one is written, and its token hears that it was": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    yield* watchAt(key, noon)
    const [claimed] = yield* claim(noon)
    if (claimed === undefined) return
    const events = yield* Effect.replicateEffect(eventOf(claimed.watch), 10)
    const answers = yield* Effect.forEach(events, (event) => finish(claimed, noon, [event]), concurrently)
    yield* same("answers", new Set(answers).size === 1 && answers[0], true)
    yield* same("told", (yield* store.outbox(99)).length, 1)
    yield* same(
      "revision",
      Option.map(yield* store.find(key, claimed.watch.id), ({ revision }) => revision),
      Option.some(3)
    )
  }),
  "a change during a run is kept when the run ends, and the end sees it": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, noon)
    const [claimed] = yield* claim(noon)
    if (claimed === undefined) return
    yield* store.change(key, watch.id, (found) =>
      Option.some({ ...found, label: "new", memory: Transition.apply(found.memory, { _tag: "Pause" }, noon).memory })
    )
    const seen: Array<StoredWatch> = []
    const { run, token } = claimed
    yield* store.finishRun(run.id, token, (found) => {
      seen.push(found)
      return ending(run, noon)(found)
    })
    const found = yield* store.find(key, watch.id)
    for (const { label, live, memory } of seen)
      yield* same("seen", [label, memory.status._tag, live], ["new", "Paused", Option.some(run.id)])
    yield* same(
      "kept",
      Option.map(found, ({ label, live, memory, revision }) => [label, memory.status._tag, live, revision]),
      Option.some(["new", "Paused", Option.none(), 4])
    )
    yield* same("not due", yield* claim(never), [])
  }),
  "a watch that is removed during a run answers with its claim, and nobody finishes or prolongs it": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watch = yield* watchAt(key, noon)
      const [claimed] = yield* claim(noon)
      if (claimed === undefined) return
      const { run, token } = claimed
      yield* same("removed", yield* store.remove(key, watch.id), Option.some({ live: Option.some(claimed) }))
      yield* same("finish", yield* finish(claimed, noon, [yield* eventOf(watch)]), false)
      yield* same("renew", yield* store.renew(run.id, { token, until: never }), false)
      yield* same("expired", yield* store.expired(never, 9), [])
      yield* same("nothing told", yield* store.outbox(9), [])
      yield* same("find", yield* store.find(key, watch.id), Option.none())
      yield* same("runs", yield* store.runs(key, watch.id, { changed: false }, firstOf(9)), Option.none())
      yield* same("not due", yield* claim(never), [])
      yield* same("again", yield* store.remove(key, watch.id), Option.none())
      const idle = yield* watchAt(key, noon)
      yield* same("one without a run", yield* store.remove(key, idle.id), Option.some({ live: Option.none() }))
    }
  ),
  "a check by hand begins whatever the state, joins a live run, and comes too soon after another": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      const watch = yield* watchOf(key, Option.none())
      yield* store.create(watch, 9)
      const [slot] = yield* slots(1)
      if (slot === undefined) return
      const first = yield* claimNow(watch, noon, { slot })
      const { memory, run } = begun(noon, "manual")(watch, slot)
      const made = {
        watch: { ...watch, memory, revision: 2, live: Option.some(slot.runId) },
        run,
        executionId: slot.executionId,
        token: slot.token
      }
      yield* same("begins paused", first, Option.some({ _tag: "Started", claim: made }))
      yield* same("with the same slot", yield* claimNow(watch, noon, { slot }), first)
      yield* same("joined", yield* claimNow(watch, noon), Option.some({ _tag: "Joined", run }))
      yield* finish(made, noon + 1)
      const tooSoon = Option.some({ _tag: "TooSoon", at: noon })
      yield* same("too soon", yield* claimNow(watch, noon + minute - 1), tooSoon)
      yield* same("changes nothing", yield* claim(never), [])
      const again = yield* started(watch, noon + minute)
      yield* same("later", again.run.trigger, "manual")

      const due = yield* watchAt(key, noon)
      const [scheduled] = yield* claim(noon)
      yield* same(
        "joins a scheduled one",
        yield* claimNow(due, noon),
        Option.some({ _tag: "Joined", run: scheduled?.run })
      )
      if (scheduled !== undefined) yield* finish(scheduled, noon)
      yield* same("which was not by hand", (yield* started(due, noon)).run.trigger, "manual")
      yield* same("absent", yield* claimNow({ ...due, id: yield* Id.make("wat") }, noon), Option.none())
    }
  ),
  "of ten checks by hand at once one begins and the others join it": Effect.gen(function* () {
    yield* alone
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const answers = (yield* Effect.replicateEffect(claimNow(watch, noon), 10, concurrently)).flatMap(Option.toArray)
    yield* same("begun", answers.filter(({ _tag }) => _tag === "Started").length, 1)
    yield* same("joined", answers.filter(({ _tag }) => _tag === "Joined").length, 9)
  }),
  "the lease of a run ends at the time that the store is told, unless its token has prolonged it": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      yield* watchAt(key, noon)
      const [claimed] = yield* claim(noon, { until: noon + 50 })
      if (claimed === undefined) return
      const { run, token } = claimed
      yield* same("before", yield* store.expired(noon + 49, 9), [])
      yield* same("at its end", yield* store.expired(noon + 50, 9), [claimed])
      yield* same("another token", yield* store.renew(run.id, { token: "another", until: never }), false)
      yield* same("its token", yield* store.renew(run.id, { token, until: noon + 90 }), true)
      yield* same("prolonged", yield* store.expired(noon + 89, 9), [])
      yield* same("again", yield* store.expired(noon + 90, 9), [claimed])
      yield* same("not claimed twice", yield* claim(never), [])
      yield* finish(claimed, noon + 91)
      yield* same("ended", yield* store.expired(never, 9), [])
      yield* same("not prolonged", yield* store.renew(run.id, { token, until: never }), false)
      yield* same("an unknown run", yield* store.renew(yield* Id.make("run"), { token, until: never }), false)
    }
  ),
  "ended leases come oldest first and in parts": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const order: Array<WatchId> = []
    for (const until of [noon + 3, noon + 1, noon + 2, noon + 9]) {
      const watch = yield* watchAt(key, noon)
      yield* claim(noon, { until })
      if (until < noon + 9) order[until - noon - 1] = watch.id
    }
    yield* same("part", ids(yield* store.expired(noon + 5, 2)), order.slice(0, 2))
    yield* same("all", ids(yield* store.expired(noon + 5, 9)), order)
  }),
  "runs are listed newest first, in pages, all or those that found a change": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const none = Option.some({ data: [], next_cursor: null })
    yield* same("none yet", yield* store.runs(key, watch.id, { changed: false }, firstOf(9)), none)
    const all: Array<RunId> = []
    const changed: Array<RunId> = []
    for (let round = 0; round < 7; round++) {
      const made = yield* started(watch, noon + round * minute)
      yield* finish(made, noon + round * minute, round % 3 === 0 ? [yield* eventOf(watch)] : [])
      all.unshift(made.run.id)
      if (round % 3 === 0) changed.unshift(made.run.id)
    }
    const read = Effect.fnUntraced(function* (filter: { readonly changed: boolean }) {
      const seen: Array<RunId> = []
      let before = Option.none<RunId>()
      do {
        const page = yield* store.runs(key, watch.id, filter, firstOf(2, before))
        const { data, next_cursor } = Option.getOrElse(page, () => ({ data: [], next_cursor: null }))
        seen.push(...data.map(({ id }) => id))
        before = Option.fromNullable(next_cursor as RunId | null)
      } while (Option.isSome(before))
      return seen
    })
    yield* same("all", yield* read({ changed: false }), all)
    yield* same("changed", yield* read({ changed: true }), changed)
    const absent = Option.some(yield* Id.make("run"))
    yield* same("an unknown place", yield* store.runs(key, watch.id, { changed: false }, firstOf(2, absent)), none)
    const unknown = yield* Id.make("wat")
    yield* same("an unknown watch", yield* store.runs(key, unknown, { changed: true }, firstOf(2)), Option.none())
  }),
  "the next due time is that of the first watch that waits": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
    yield* same("nothing", yield* store.nextDueAt, Option.none())
    yield* watchAt(one, noon + 7)
    const first = yield* watchAt(two, noon - 5)
    yield* same("in the past", yield* store.nextDueAt, Option.some(noon - 5))
    const [claimed] = yield* claim(noon)
    yield* same("what runs does not wait", yield* store.nextDueAt, Option.some(noon + 7))
    yield* store.change(one, (yield* store.list(one, everything, firstOf(1))).data[0]?.id ?? first.id, (found) =>
      Option.some({ ...found, memory: { ...found.memory, nextDueAt: Option.some(noon + 9) } })
    )
    yield* same("changed", yield* store.nextDueAt, Option.some(noon + 9))
    if (claimed !== undefined)
      yield* store.finishRun(claimed.run.id, claimed.token, (watch) => ({
        ...ending(claimed.run, noon)(watch),
        memory: { ...watch.memory, nextDueAt: Option.some(noon + 8) }
      }))
    yield* same("waits again", yield* store.nextDueAt, Option.some(noon + 8))
    yield* store.remove(two, first.id)
    yield* same("removed", yield* store.nextDueAt, Option.some(noon + 9))
  }),
  "events wait in the order in which they were written until they are relayed, each once": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const events = yield* Effect.replicateEffect(eventOf(watch), 5)
    const [first, second, third] = [events.slice(0, 2), events.slice(2, 4), events.slice(3)]
    for (const [index, told] of [first, second, third].entries())
      yield* finish(yield* started(watch, noon + index * minute), noon, told)
    const outbox = (limit: number) => Effect.map(store.outbox(limit), (all) => all.map(({ id }) => id))
    const order = events.map(({ id }) => id)
    yield* same("as written", yield* store.outbox(9), events)
    yield* same("part", yield* outbox(3), order.slice(0, 3))
    yield* store.relayed(order.slice(1, 3))
    yield* store.relayed(order.slice(1, 3))
    yield* store.relayed([])
    yield* same("the rest", yield* outbox(9), [order[0], order[3], order[4]])
  }),
  "what happened to a watch before it was removed is still told, and nothing after": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const [told, late] = [yield* eventOf(watch), yield* eventOf(watch)]
    yield* finish(yield* started(watch, noon), noon, [told])
    const live = yield* started(watch, noon + minute)
    yield* store.remove(key, watch.id)
    yield* same("its run ends no more", yield* finish(live, noon + minute, [late]), false)
    yield* same("left", yield* store.outbox(9), [told])
  }),
  "retention removes ended runs by their age and kind, in parts, and never one that lives": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const left = Effect.map(store.runs(key, watch.id, { changed: false }, firstOf(99)), (page) =>
      Option.match(page, { onNone: () => [], onSome: ({ data }) => data.map(({ id }) => id) })
    )
    const made: Array<RunId> = []
    for (let round = 0; round < 6; round++) {
      const at = noon + round * minute
      const begun = yield* started(watch, at)
      yield* finish(begun, at, round % 2 === 0 ? [] : [yield* eventOf(watch)])
      made.unshift(begun.run.id)
    }
    const live = yield* started(watch, noon + 6 * minute)
    made.unshift(live.run.id)
    const prune = (unchangedBefore: number, changedBefore: number, limit: number) =>
      store.prune({ unchangedBefore, changedBefore, limit })
    yield* same("nothing is old enough", yield* prune(noon, noon + minute, 99), 0)
    yield* same("all are left", yield* left, made)
    yield* same("unchanged ones", yield* prune(noon + 2 * minute + 1, noon, 99), 2)
    yield* same(
      "are gone",
      yield* left,
      [0, 1, 2, 3, 5].map((index) => made[index])
    )
    yield* same("in parts", yield* prune(never, never, 3), 3)
    yield* same("in parts", yield* prune(never, never, 3), 1)
    yield* same("no more", yield* prune(never, never, 3), 0)
    yield* same("the live one is left", yield* left, [live.run.id])
    yield* same("and can be finished", yield* finish(live, noon), true)
    yield* same("the watch is left", Option.isSome(yield* store.find(key, watch.id)), true)
  })
}

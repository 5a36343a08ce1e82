/** @internal */

import { Effect, Option } from "effect"
import * as Id from "../domain/Id.js"
import { type Claim, type ClaimRequest, WatchStore } from "../storage/WatchStore.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"
import {
  alone,
  begun,
  claim,
  ending,
  everything,
  finish,
  firstOf,
  ids,
  minute,
  slots,
  started,
  watchAt,
  watchOf
} from "./WatchSteps.js"

/** What `WatchStore` promises of due watches: who is given which, when, and in which order. */
export const cases: Guarantees<WatchStore> = {
  "asked again with the slots of a claim whose answer was lost, it answers what they run and takes nothing more":
    Effect.gen(function* () {
      yield* alone
      const store = yield* WatchStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      for (const key of [one, two]) yield* Effect.replicateEffect(watchAt(key, noon), 3)
      const request = {
        now: noon,
        until: noon + 2 * minute,
        slots: yield* slots(4),
        perKey: 1000,
        begin: begun(noon, "schedule")
      }
      const byRun = (claims: ReadonlyArray<Claim>) => claims.toSorted((a, b) => (a.run.id < b.run.id ? -1 : 1))
      const first = byRun(yield* store.claimDue(request))
      yield* same("claimed", first.length, 4)
      yield* same("again", byRun(yield* store.claimDue({ ...request, now: noon + 1 })), first)
      const [done, ...rest] = first
      if (done === undefined) return
      yield* finish(done, noon + 1)
      yield* same("those that run still", byRun(yield* store.claimDue(request)), rest)
      yield* same("others are free", (yield* claim(noon)).length, 2)
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
  "a due watch that its claim postpones was the turn of its key: one of another key comes before the next of the same":
    Effect.gen(function* () {
      yield* alone
      const store = yield* WatchStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const first = yield* watchAt(key, noon)
      const second = yield* watchAt(key, noon + 1)
      const third = yield* watchAt(other, noon + 2)
      const now = noon + minute
      const postponed = { ...first.memory, nextDueAt: Option.some(noon + 2 * minute) }
      const begin: ClaimRequest["begin"] = (watch, slot) =>
        watch.id === first.id ? { memory: postponed } : begun(now, "schedule")(watch, slot)
      const claims = yield* store.claimDue({ now, until: now + minute, slots: yield* slots(2), perKey: 5, begin })
      yield* same("of the other key", ids(claims), [third.id])
      yield* same("of the same key", ids(yield* claim(now)), [second.id])
    }),
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
  })
}

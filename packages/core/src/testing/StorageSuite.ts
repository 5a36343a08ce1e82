import { Effect, Exit, Layer, Option, Schema } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { dayOf, fromMillis, nextDay } from "../domain/Timestamp.js"
import {
  type BeginAnswer,
  type BeginRequest,
  type ExecutionFilter,
  ExecutionStore,
  failed,
  leaseLost,
  type StoredExecution,
  stub
} from "../storage/ExecutionStore.js"
import { type KeyRecord, KeyStore } from "../storage/KeyStore.js"
import { type Bucket, QuotaStore, type UnitKind } from "../storage/QuotaStore.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Documents from "./Documents.js"

/**
 * One guarantee of the stores. The effect succeeds where it holds; run it with any test runner.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case<E> {
  readonly title: string
  readonly effect: Effect.Effect<void, Violation | StorageError | E>
}

/**
 * What a back end can do beside the interfaces. `persistent`: the layer, built a second time, sees what the first wrote,
 * both after it and beside it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Capabilities {
  readonly persistent: boolean
}

/**
 * Everything that the interfaces of the stores promise, as cases to run against a back end. Each case builds the layer
 * anew and uses ids of its own, so that the cases may share one database.
 *
 * @example
 * ```ts
 * import { Storage } from "@assay/core"
 * import { StorageSuite } from "@assay/core/testing"
 * import { Effect } from "effect"
 * import { test } from "node:test"
 *
 * const suite = StorageSuite.suite("memory", Storage.layerMemory, { persistent: false })
 * for (const { effect, title } of suite.cases) test(`${suite.name}: ${title}`, () => Effect.runPromise(effect))
 * ```
 *
 * @since 0.1.0
 * @category testing
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Storage, E>,
  capabilities: Capabilities
): { readonly name: string; readonly cases: ReadonlyArray<Case<E>> } => ({
  name,
  cases: [
    ...Object.entries({ ...keyCases, ...quotaCases, ...executionCases }).map(([title, body]) => ({
      title,
      effect: Effect.provide(body, Layer.fresh(layer))
    })),
    ...(capabilities.persistent
      ? Object.entries(persistenceCases).map(([title, body]) => ({ title, effect: body(Layer.fresh(layer)) }))
      : [])
  ]
})

type Body = Effect.Effect<void, Violation | StorageError, Storage>

// Noon of a day, so that nothing but the cases about midnight crosses one.
const noon = Date.UTC(2026, 10, 21, 12)

const same = (what: string, actual: unknown, expected: unknown): Effect.Effect<void, Violation> => {
  const [found, wanted] = [CanonicalJson.stringify(actual), CanonicalJson.stringify(expected)]
  return found === wanted ? Effect.void : new Violation({ what, expected: wanted, actual: found })
}

const concurrently = { concurrency: "unbounded" } as const

const keyRecord = Effect.fnUntraced(function* (changes: Partial<KeyRecord> = {}) {
  const id = yield* Id.make("key")
  const record: KeyRecord = {
    id,
    hashVersion: 1,
    hash: CanonicalJson.hash(id),
    hint: "asy_7Hq2…x9Kd",
    label: "my bot “äöü” 𝔘",
    state: "active",
    dailyQuota: 50,
    createdAt: noon,
    expiresAt: Option.none(),
    lastUsedAt: Option.none(),
    source: Option.none()
  }
  return { ...record, ...changes }
})

const keyCases: { readonly [title: string]: Body } = {
  "a key is found by its hash and by its id, as it was inserted": Effect.gen(function* () {
    const keys = yield* KeyStore
    const plain = yield* keyRecord()
    const rich = yield* keyRecord({
      state: "disabled",
      dailyQuota: 0,
      expiresAt: Option.some(noon + 1),
      lastUsedAt: Option.some(noon),
      source: Option.some("2001:db8::/64")
    })
    yield* keys.insert(plain)
    yield* keys.insert(rich)
    for (const record of [plain, rich]) {
      yield* same("findByHash", yield* keys.findByHash(record.hash), Option.some(record))
      yield* same("find", yield* keys.find(record.id), Option.some(record))
    }
  }),
  "a key that was never inserted is not found": Effect.gen(function* () {
    const keys = yield* KeyStore
    const absent = yield* keyRecord()
    yield* same("findByHash", yield* keys.findByHash(absent.hash), Option.none())
    yield* same("find", yield* keys.find(absent.id), Option.none())
  }),
  "a second insert with the same id changes nothing": Effect.gen(function* () {
    const keys = yield* KeyStore
    const record = yield* keyRecord()
    yield* keys.insert(record)
    yield* keys.insert({ ...record, hash: CanonicalJson.hash(`other ${record.id}`), label: "other", dailyQuota: 1 })
    yield* same("find", yield* keys.find(record.id), Option.some(record))
    yield* same(
      "findByHash of the second",
      yield* keys.findByHash(CanonicalJson.hash(`other ${record.id}`)),
      Option.none()
    )
  }),
  "a hash that another key holds is refused, and neither key changes": Effect.gen(function* () {
    const keys = yield* KeyStore
    const first = yield* keyRecord()
    const second = yield* keyRecord({ hash: first.hash })
    yield* keys.insert(first)
    const exit = yield* Effect.exit(keys.insert(second))
    yield* same("the insert failed", Exit.isFailure(exit), true)
    yield* same("findByHash", yield* keys.findByHash(first.hash), Option.some(first))
    yield* same("find", yield* keys.find(second.id), Option.none())
  }),
  "when a key was used is kept for that key alone and never goes back": Effect.gen(function* () {
    const keys = yield* KeyStore
    const used = yield* keyRecord()
    const other = yield* keyRecord()
    yield* keys.insert(used)
    yield* keys.insert(other)
    yield* keys.touch(used.id, noon + 60_000)
    yield* keys.touch(used.id, noon)
    yield* same("used", yield* keys.find(used.id), Option.some({ ...used, lastUsedAt: Option.some(noon + 60_000) }))
    yield* keys.touch(used.id, noon + 120_000)
    yield* same("used", yield* keys.find(used.id), Option.some({ ...used, lastUsedAt: Option.some(noon + 120_000) }))
    yield* same("other", yield* keys.find(other.id), Option.some(other))
    yield* keys.touch(yield* Id.make("key"), noon)
  })
}

const reserve = Effect.fnUntraced(function* (
  keyId: KeyId,
  limit: number,
  options: {
    readonly id?: ExecutionId
    readonly kind?: UnitKind
    readonly now?: number
    readonly buckets?: ReadonlyArray<Bucket>
  } = {}
) {
  const store = yield* QuotaStore
  const id = options.id ?? (yield* Id.make("exe"))
  const answer = yield* store.reserve({
    id,
    keyId,
    kind: options.kind ?? "token",
    buckets: [{ name: `key:${keyId}`, limit }, ...(options.buckets ?? [])],
    now: options.now ?? noon
  })
  return { id, answer }
})

const reserved = { _tag: "Reserved" }
const today = dayOf(noon)
const nothing = { used: 0, reserved: 0, byKind: { token: 0, wallet: 0, contract: 0, watch: 0 } }

const quotaCases: { readonly [title: string]: Body } = {
  "a reserved unit counts as reserved, a committed one as used and by its kind, a released one not at all": Effect.gen(
    function* () {
      const store = yield* QuotaStore
      const key = yield* Id.make("key")
      yield* same("before", yield* store.count(key, today), nothing)
      const kinds: ReadonlyArray<UnitKind> = ["token", "token", "wallet", "contract", "watch", "token"]
      const ids = yield* Effect.forEach(kinds, (kind) => Effect.map(reserve(key, 6, { kind }), ({ id }) => id))
      yield* same("reserved", yield* store.count(key, today), { ...nothing, reserved: 6 })
      for (const id of ids.slice(0, 5)) yield* same("settled", yield* store.settle(id, "committed", noon), true)
      for (const id of ids.slice(5)) yield* same("settled", yield* store.settle(id, "released", noon), true)
      yield* same("after", yield* store.count(key, today), {
        used: 5,
        reserved: 0,
        byKind: { token: 2, wallet: 1, contract: 1, watch: 1 }
      })
    }
  ),
  "of 200 reservations at once against a limit of 50, exactly 50 are granted": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const answers = yield* Effect.replicateEffect(reserve(key, 50), 200, concurrently)
    yield* same("granted", answers.filter(({ answer }) => answer._tag === "Reserved").length, 50)
    yield* same(
      "refused",
      answers.filter(({ answer }) => answer._tag === "Refused" && answer.bucket === `key:${key}`).length,
      150
    )
    yield* same("count", yield* store.count(key, today), { ...nothing, reserved: 50 })
  }),
  "a refusal names the first bucket that is full and takes from none": Effect.gen(function* () {
    const key = yield* Id.make("key")
    const wide = { name: `source:${key}`, limit: 2 }
    const narrow = { name: `deployment:${key}`, limit: 1 }
    yield* same("first", (yield* reserve(key, 3, { buckets: [wide, narrow] })).answer, reserved)
    yield* same("second", (yield* reserve(key, 3, { buckets: [wide, narrow] })).answer, {
      _tag: "Refused",
      bucket: narrow.name
    })
    yield* same("the others kept theirs", (yield* reserve(key, 3, { buckets: [wide] })).answer, reserved)
    yield* same("in order", (yield* reserve(key, 3, { buckets: [wide, narrow] })).answer, {
      _tag: "Refused",
      bucket: wide.name
    })
    yield* same("the key kept its last", (yield* reserve(key, 3)).answer, reserved)
    yield* same("and no more", (yield* reserve(key, 3)).answer, { _tag: "Refused", bucket: `key:${key}` })
  }),
  "a limit of nothing grants nothing": Effect.gen(function* () {
    const key = yield* Id.make("key")
    yield* same("answer", (yield* reserve(key, 0)).answer, { _tag: "Refused", bucket: `key:${key}` })
  }),
  "reserving an id again takes nothing more and is granted, also when it is settled": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const { id } = yield* reserve(key, 1)
    const again = yield* Effect.replicateEffect(reserve(key, 1, { id }), 10, concurrently)
    for (const { answer } of again) yield* same("again", answer, reserved)
    yield* same("count", yield* store.count(key, today), { ...nothing, reserved: 1 })
    yield* store.settle(id, "released", noon)
    yield* same("once settled", (yield* reserve(key, 1, { id })).answer, reserved)
    yield* same("still released", yield* store.count(key, today), nothing)
  }),
  "an id that was refused may be granted later": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const { answer, id } = yield* reserve(key, 0)
    yield* same("first", answer, { _tag: "Refused", bucket: `key:${key}` })
    yield* same("nothing to settle", yield* store.settle(id, "committed", noon), false)
    yield* same("later", (yield* reserve(key, 1, { id })).answer, reserved)
    yield* same("count", yield* store.count(key, today), { ...nothing, reserved: 1 })
  }),
  "a reservation gets one final state, whoever asks at once, and the counts follow it": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    for (let round = 0; round < 10; round++) {
      const { id } = yield* reserve(key, 10)
      const before = yield* store.count(key, today)
      const states = Array.from({ length: 20 }, (_, index) =>
        (index + round) % 2 === 0 ? ("committed" as const) : ("released" as const)
      )
      const decided = yield* Effect.forEach(states, (state) => store.settle(id, state, noon), concurrently)
      yield* same("decided", decided.filter(Boolean).length, 1)
      const after = yield* store.count(key, today)
      const committed = states[decided.indexOf(true)] === "committed"
      yield* same("used", after.used, before.used + (committed ? 1 : 0))
      yield* same("reserved", after.reserved, before.reserved - 1)
    }
    yield* same("an unknown id", yield* store.settle(yield* Id.make("exe"), "committed", noon), false)
  }),
  "a release gives the unit back, a commit does not": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const refused = { _tag: "Refused", bucket: `key:${key}` }
    const first = yield* reserve(key, 1)
    yield* same("taken", (yield* reserve(key, 1)).answer, refused)
    yield* store.settle(first.id, "released", noon)
    yield* store.settle(first.id, "released", noon)
    const second = yield* reserve(key, 1)
    yield* same("given back once", second.answer, reserved)
    yield* same("given back once", (yield* reserve(key, 1)).answer, refused)
    yield* store.settle(second.id, "committed", noon)
    yield* same("spent", (yield* reserve(key, 1)).answer, refused)
  }),
  "a unit belongs to the UTC day of its reservation, also when it is settled after midnight": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    const midnight = nextDay(noon)
    const refused = { _tag: "Refused", bucket: `key:${key}` }
    const [late, kept] = [
      yield* reserve(key, 2, { now: midnight - 1 }),
      yield* reserve(key, 2, { now: midnight - 1, kind: "wallet" })
    ]
    yield* same("the day is full", (yield* reserve(key, 2, { now: midnight - 1 })).answer, refused)
    const next = yield* reserve(key, 1, { now: midnight })
    yield* same("the next day starts empty", next.answer, reserved)
    yield* same("released", yield* store.settle(late.id, "released", midnight + 1), true)
    yield* same("committed", yield* store.settle(kept.id, "committed", midnight + 1), true)
    yield* same("the next day gains nothing", (yield* reserve(key, 1, { now: midnight + 1 })).answer, refused)
    yield* same("the day", yield* store.count(key, today), {
      used: 1,
      reserved: 0,
      byKind: { ...nothing.byKind, wallet: 1 }
    })
    yield* same("the next day", yield* store.count(key, dayOf(midnight)), { ...nothing, reserved: 1 })
    yield* same("the day has one again", (yield* reserve(key, 2, { now: midnight - 1 })).answer, reserved)
  }),
  "a limit lowered below what is used refuses and a raised one grants": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    for (let unit = 0; unit < 3; unit++) yield* store.settle((yield* reserve(key, 3)).id, "committed", noon)
    yield* same("lowered", (yield* reserve(key, 1)).answer, { _tag: "Refused", bucket: `key:${key}` })
    yield* same("nothing lost", (yield* store.count(key, today)).used, 3)
    yield* same("raised", (yield* reserve(key, 4)).answer, reserved)
  }),
  "two keys spend apart, and together from a bucket that they share": Effect.gen(function* () {
    const store = yield* QuotaStore
    const one = yield* Id.make("key")
    const two = yield* Id.make("key")
    const shared = [{ name: `source:${one}`, limit: 2 }]
    const spent = yield* reserve(one, 1, { buckets: shared })
    yield* store.settle(spent.id, "committed", noon)
    yield* same("one", (yield* reserve(one, 1)).answer, { _tag: "Refused", bucket: `key:${one}` })
    const other = yield* reserve(two, 9, { buckets: shared })
    yield* same("two", other.answer, reserved)
    yield* same("shared", (yield* reserve(two, 9, { buckets: shared })).answer, {
      _tag: "Refused",
      bucket: `source:${one}`
    })
    yield* same("count of one", (yield* store.count(one, today)).used, 1)
    yield* same("count of two", yield* store.count(two, today), { ...nothing, reserved: 1 })
    yield* store.settle(other.id, "released", noon)
    yield* same("shared again", (yield* reserve(two, 9, { buckets: shared })).answer, reserved)
  }),
  "what is unsettled and older than a moment is listed, oldest first and no more than asked": Effect.gen(function* () {
    const store = yield* QuotaStore
    const key = yield* Id.make("key")
    // Long ago, so that what other cases left unsettled comes later.
    const then = Date.UTC(2001, 0, 1) + Math.floor(noon % 1000)
    const [third, first, second, settled] = [
      yield* reserve(key, 9, { now: then + 3, kind: "wallet" }),
      yield* reserve(key, 9, { now: then + 1 }),
      yield* reserve(key, 9, { now: then + 2 }),
      yield* reserve(key, 9, { now: then + 1 })
    ]
    yield* store.settle(settled.id, "committed", then + 4)
    const ofKey = (before: number) =>
      Effect.map(store.unsettled(before, 1000), (page) => page.filter(({ keyId }) => keyId === key).map(({ id }) => id))
    yield* same("all", yield* ofKey(then + 4), [first.id, second.id, third.id])
    yield* same("before", yield* ofKey(then + 3), [first.id, second.id])
    yield* same("limit", (yield* store.unsettled(then + 4, 2)).length, 2)
    yield* same(
      "the reservation",
      (yield* store.unsettled(then + 4, 1000)).filter(({ id }) => id === third.id),
      [{ id: third.id, keyId: key, day: "2001-01-01", kind: "wallet", state: "reserved", reservedAt: then + 3 }]
    )
    for (const { id } of [first, second, third]) yield* store.settle(id, "released", noon)
    yield* same("none", yield* ofKey(then + 4), [])
  })
}

const token = Documents.token(0xa55a)
const everything: ExecutionFilter = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}
const known = { "token.mintable": Documents.evidence("token.mintable", "confirmed") }
const failure = { code: "internal_error", detail: "it’s “broken”" } as const

const start = Effect.fnUntraced(function* (
  keyId: KeyId,
  options: Partial<Omit<BeginRequest, "keyId" | "lease">> & {
    readonly target?: Target
    readonly at?: number
    readonly until?: number
  } = {}
) {
  const store = yield* ExecutionStore
  const id = options.id ?? (yield* Id.make("exe"))
  const lease = { token: `token of ${id}`, until: options.until ?? noon + 120_000 }
  const running = options.running ?? Documents.running(id, options.target ?? token, options.at ?? noon)
  const answer: BeginAnswer = yield* store.begin({
    id,
    keyId,
    joinKey: options.joinKey ?? id,
    slots: options.slots ?? 1000,
    lease,
    running,
    watchId: options.watchId
  })
  return { id, answer, lease, running }
})

const finish = Effect.fnUntraced(function* (started: Effect.Effect.Success<ReturnType<typeof start>>) {
  const store = yield* ExecutionStore
  const result = Documents.completed(started.running, noon + 8000)
  yield* same("completed", yield* store.complete(started.lease.token, result, known), true)
  return result
})

const stored = (keyId: KeyId, result: StoredExecution["result"], of: StoredExecution["known"] = {}) =>
  Option.some<StoredExecution>({ keyId, watchId: Option.none(), result, known: of })

const ids = (page: { readonly data: ReadonlyArray<{ readonly execution_id: ExecutionId }> }) =>
  page.data.map((item) => item.execution_id)

const executionCases: { readonly [title: string]: Body } = {
  "an execution that was begun is found running, with its document": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const { answer, id, running } = yield* start(key)
    yield* same("answer", answer, { _tag: "Started" })
    yield* same("find", yield* store.find(key, id), stored(key, running))
    yield* same("status", yield* store.status(id), Option.some("running"))
  }),
  "beginning an id again answers as before and changes nothing": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const first = yield* start(key, { slots: 1, joinKey: "same" })
    const other = Documents.running(first.id, Documents.token(1), noon + 1)
    for (const joinKey of ["same", "other"]) {
      const again = yield* start(key, { id: first.id, slots: 1, joinKey, running: other })
      yield* same("again", again.answer, { _tag: "Started" })
    }
    yield* same("unchanged", yield* store.find(key, first.id), stored(key, first.running))
    const result = yield* finish(first)
    yield* same("again once finished", (yield* start(key, { id: first.id, running: other })).answer, {
      _tag: "Started"
    })
    yield* same("unchanged", yield* store.find(key, first.id), stored(key, result, known))
  }),
  "of twenty identical ones at once one starts and the others join it, before slots are counted": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const key = yield* Id.make("key")
      const all = yield* Effect.replicateEffect(start(key, { joinKey: "same", slots: 1 }), 20, concurrently)
      const started = all.filter(({ answer }) => answer._tag === "Started")
      yield* same("started", started.length, 1)
      for (const { answer, id } of all)
        if (answer._tag !== "Started") {
          yield* same("joined", answer, { _tag: "Joined", id: started[0]?.id })
          yield* same("stores nothing", yield* store.find(key, id), Option.none())
        }
    }
  ),
  "what another key runs is not joined and takes no slot, and what has ended is not joined": Effect.gen(function* () {
    const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
    const first = yield* start(one, { joinKey: "same", slots: 1 })
    yield* same("two", (yield* start(two, { joinKey: "same", slots: 1 })).answer, { _tag: "Started" })
    yield* finish(first)
    yield* same("one again", (yield* start(one, { joinKey: "same", slots: 1 })).answer, { _tag: "Started" })
  }),
  "of twenty at once with three slots exactly three start, and each end frees one": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const all = yield* Effect.replicateEffect(start(key, { slots: 3 }), 20, concurrently)
    const started = all.filter(({ answer }) => answer._tag === "Started")
    yield* same("started", started.length, 3)
    for (const { answer, id } of all)
      if (answer._tag !== "Started") {
        yield* same("busy", answer, { _tag: "Busy", running: 3 })
        yield* same("stores nothing", yield* store.find(key, id), Option.none())
      }
    const [first, second, third] = started
    if (first === undefined || second === undefined || third === undefined) return
    yield* finish(first)
    yield* store.fail(second.id, second.lease.token, failure, noon)
    yield* store.discard(third.id, third.lease.token)
    const again = yield* Effect.replicateEffect(start(key, { slots: 3 }), 4, concurrently)
    yield* same("freed", again.filter(({ answer }) => answer._tag === "Started").length, 3)
  }),
  "an execution of a watch takes no slot, is never previous, and is listed by its watch": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const watchId = yield* Id.make("wat")
    const watched = yield* start(key, { slots: 1, watchId: Option.some(watchId) })
    const plain = yield* start(key, { slots: 1 })
    yield* same("the slot is free", plain.answer, { _tag: "Started" })
    const beside = yield* start(key, { slots: 1, watchId: Option.some(watchId) })
    yield* same("needs none", beside.answer, { _tag: "Started" })
    yield* finish(watched)
    yield* same("previous", yield* store.previous(key, token), Option.none())
    const page = yield* store.list(
      key,
      { ...everything, watchId: Option.some(watchId) },
      { limit: 10, before: Option.none() }
    )
    yield* same("of the watch", ids(page), [beside.id, watched.id])
    yield* same("watch_id", page.data[0]?.watch_id, watchId)
  }),
  "a result is stored with what is known, by the token that holds the lease and no other": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const started = yield* start(key)
    const result = Documents.completed(started.running, noon + 8000)
    yield* same("another token", yield* store.complete("another", result, known), false)
    yield* same("another token", yield* store.fail(started.id, "another", failure, noon), false)
    yield* same("unchanged", yield* store.find(key, started.id), stored(key, started.running))
    yield* same("its token", yield* store.complete(started.lease.token, result, known), true)
    yield* same("find", yield* store.find(key, started.id), stored(key, result, known))
    yield* same("status", yield* store.status(started.id), Option.some("complete"))
    const absent = Documents.completed(Documents.running(yield* Id.make("exe"), token, noon), noon)
    yield* same("an unknown id", yield* store.complete(started.lease.token, absent, known), false)
  }),
  "a failure is stored with its time and costs nothing": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const { id, lease, running } = yield* start(key)
    yield* same("failed", yield* store.fail(id, lease.token, failure, noon + 5), true)
    yield* same("find", yield* store.find(key, id), stored(key, failed(running, failure, noon + 5)))
    yield* same("status", yield* store.status(id), Option.some("failed"))
  }),
  "an end is final: repeated by its token it answers true, and nothing else changes it": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const good = yield* start(key)
    const result = yield* finish(good)
    yield* same("complete again", yield* store.complete(good.lease.token, result, {}), true)
    yield* same("fail after complete", yield* store.fail(good.id, good.lease.token, failure, noon), false)
    yield* store.discard(good.id, good.lease.token)
    yield* same("renew after complete", yield* store.renew(good.id, good.lease), false)
    yield* same("unchanged", yield* store.find(key, good.id), stored(key, result, known))
    const bad = yield* start(key)
    yield* store.fail(bad.id, bad.lease.token, failure, noon)
    yield* same("fail again", yield* store.fail(bad.id, bad.lease.token, failure, noon + 9), true)
    const late = Documents.completed(bad.running, noon)
    yield* same("complete after fail", yield* store.complete(bad.lease.token, late, known), false)
    yield* same("unchanged", yield* store.find(key, bad.id), stored(key, failed(bad.running, failure, noon)))
  }),
  "of a completion, a failure and an expiry at once exactly one happens": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    for (let round = 0; round < 10; round++) {
      const { id, lease, running } = yield* start(key, { until: noon })
      const result = Documents.completed(running, noon)
      const attempts = [
        store.complete(lease.token, result, known),
        store.fail(id, lease.token, failure, noon),
        Effect.map(store.expireLeases(noon, 1000), (expired) => expired.includes(id))
      ]
      const order = attempts.map((_, index) => attempts[(index + round) % 3] ?? Effect.succeed(false))
      const won = yield* Effect.all(order, concurrently)
      yield* same("winners", won.filter(Boolean).length, 1)
      const winner = (won.indexOf(true) + round) % 3
      yield* same("status", yield* store.status(id), Option.some(winner === 0 ? "complete" : "failed"))
    }
  }),
  "a lease is prolonged by its own token only": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const { id, lease } = yield* start(key, { until: noon })
    yield* same("another token", yield* store.renew(id, { token: "another", until: noon + 9 }), false)
    yield* same("an unknown id", yield* store.renew(yield* Id.make("exe"), lease), false)
    yield* same("its token", yield* store.renew(id, { ...lease, until: noon + 1000 }), true)
    yield* same("not expired", (yield* store.expireLeases(noon + 999, 1000)).includes(id), false)
    yield* same("expired", (yield* store.expireLeases(noon + 1000, 1000)).includes(id), true)
    yield* same("lost", yield* store.renew(id, { ...lease, until: noon + 9000 }), false)
  }),
  "a lease ends at the time that the store is told, once, and then its worker changes nothing": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const key = yield* Id.make("key")
      const { id, lease, running } = yield* start(key, { until: noon + 50 })
      yield* same("before", (yield* store.expireLeases(noon + 49, 1000)).includes(id), false)
      yield* same("at its end", (yield* store.expireLeases(noon + 50, 1000)).includes(id), true)
      yield* same("once", (yield* store.expireLeases(noon + 50, 1000)).includes(id), false)
      const result = Documents.completed(running, noon)
      yield* same("a late worker", yield* store.complete(lease.token, result, known), false)
      yield* same("find", yield* store.find(key, id), stored(key, failed(running, leaseLost, noon + 50)))
    }
  ),
  "leases are ended in parts where more have ended than were asked for": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const started = yield* Effect.replicateEffect(start(key, { until: noon - 1 }), 5)
    const found = new Set<ExecutionId>()
    let expired: ReadonlyArray<ExecutionId>
    do {
      expired = yield* store.expireLeases(noon, 2)
      yield* same("at most two", expired.length <= 2, true)
      for (const id of expired) found.add(id)
    } while (expired.length > 0)
    for (const { id } of started) yield* same("expired", found.has(id), true)
  }),
  "an execution that is discarded was never there": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const { id, lease, running } = yield* start(key)
    yield* store.discard(id, "another")
    yield* same("another token", yield* store.find(key, id), stored(key, running))
    yield* store.discard(id, lease.token)
    yield* store.discard(id, lease.token)
    yield* same("find", yield* store.find(key, id), Option.none())
    yield* same("status", yield* store.status(id), Option.none())
    yield* same("list", ids(yield* store.list(key, everything, { limit: 9, before: Option.none() })), [])
    yield* same("begin again", (yield* start(key, { id })).answer, { _tag: "Started" })
  }),
  "what another key has is not found, not listed, not previous, and no place in a list": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
    const mine = yield* start(one)
    const theirs = yield* start(two)
    yield* finish(theirs)
    yield* same("find", yield* store.find(one, theirs.id), Option.none())
    yield* same("previous", yield* store.previous(one, token), Option.none())
    yield* same("list", ids(yield* store.list(one, everything, { limit: 9, before: Option.none() })), [mine.id])
    yield* same("before", ids(yield* store.list(one, everything, { limit: 9, before: Option.some(theirs.id) })), [])
    yield* same("previous before", yield* store.previous(two, token, mine.id), Option.none())
  }),
  "previous is the newest success of the same key, chain, kind and address": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const first = yield* start(key)
    const second = yield* start(key)
    yield* same("nothing yet", yield* store.previous(key, token), Option.none())
    const newer = yield* finish(second)
    yield* same("the second", yield* store.previous(key, token), stored(key, newer, known))
    const older = yield* finish(first)
    yield* same("started last, not ended last", yield* store.previous(key, token), stored(key, newer, known))
    yield* same("before", yield* store.previous(key, token, second.id), stored(key, older, known))
    yield* same("before the first", yield* store.previous(key, token, first.id), Option.none())

    const bad = yield* start(key)
    yield* store.fail(bad.id, bad.lease.token, failure, noon)
    yield* start(key)
    const others: ReadonlyArray<Target> = [
      { ...token, kind: "contract" },
      { ...token, address: Documents.address(2) },
      { ...token, chain: { id: 8453, name: "base" } }
    ]
    for (const target of others) {
      yield* same("of another target", yield* store.previous(key, target), Option.none())
      yield* finish(yield* start(key, { target }))
    }
    yield* same("still the second", yield* store.previous(key, token), stored(key, newer, known))

    const partial = yield* start(key)
    const result = { ...Documents.completed(partial.running, noon), status: "partial" as const }
    yield* store.complete(partial.lease.token, result, known)
    yield* same("a partial one", yield* store.previous(key, token), stored(key, result, known))
  }),
  "a list is newest first and its pages neither repeat nor skip, also while it grows": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const started = yield* Effect.replicateEffect(start(key), 7)
    const newestFirst = started.map(({ id }) => id).reverse()
    const seen: Array<ExecutionId> = []
    let before = Option.none<ExecutionId>()
    do {
      const page = yield* store.list(key, everything, { limit: 3, before })
      yield* same("at most three", page.data.length <= 3, true)
      seen.push(...ids(page))
      before = Option.fromNullable(page.next_cursor as ExecutionId | null)
      yield* start(key)
    } while (Option.isSome(before))
    yield* same("all", seen, newestFirst)
    const whole = yield* store.list(key, everything, { limit: 10, before: Option.none() })
    yield* same("an exactly full page is the last", [whole.data.length, whole.next_cursor], [10, null])
    const absent = Option.some(yield* Id.make("exe"))
    yield* same("an unknown place", yield* store.list(key, everything, { limit: 3, before: absent }), {
      data: [],
      next_cursor: null
    })
  }),
  "a list shows stubs and holds what is asked for only": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const base = { ...token, chain: { id: 8453, name: "base" } }
    const old = yield* start(key, { at: noon - 1000 })
    const result = yield* finish(old)
    const wallet = yield* start(key, { target: { ...token, kind: "wallet" } })
    yield* store.fail(wallet.id, wallet.lease.token, failure, noon)
    const elsewhere = yield* start(key, { target: base })
    const other = yield* start(key, { target: Documents.token(3) })
    const list = (filter: Partial<ExecutionFilter>) =>
      store.list(key, { ...everything, ...filter }, { limit: 9, before: Option.none() })
    yield* same("kind", ids(yield* list({ kind: Option.some("wallet") })), [wallet.id])
    yield* same("address", ids(yield* list({ address: Option.some(Documents.address(3)) })), [other.id])
    yield* same("chain", ids(yield* list({ chainId: Option.some(8453) })), [elsewhere.id])
    yield* same("watch", ids(yield* list({ watchId: Option.some(yield* Id.make("wat")) })), [])
    yield* same("since", ids(yield* list({ since: Option.some(noon) })), [other.id, elsewhere.id, wallet.id])
    yield* same(
      "together",
      ids(yield* list({ kind: Option.some("token"), chainId: Option.some(1), since: Option.some(noon - 1000) })),
      [other.id, old.id]
    )
    const whole = yield* list({})
    yield* same("a success", whole.data[3], stub({ keyId: key, watchId: Option.none(), result, known }))
    yield* same("a failure", whole.data[2], {
      execution_id: wallet.id,
      target: "wallet",
      address: token.address,
      chain: token.chain,
      status: "failed",
      created_at: fromMillis(noon),
      completed_at: fromMillis(noon),
      score: null,
      level: null,
      watch_id: null,
      content_hash: null
    })
  })
}

type Twice = <E>(layer: Layer.Layer<Storage, E>) => Effect.Effect<void, Violation | StorageError | E>

const persistenceCases: { readonly [title: string]: Twice } = {
  "what was acknowledged is there when the store is opened again": (layer) =>
    Effect.gen(function* () {
      const record = yield* keyRecord()
      const written = yield* Effect.provide(
        Effect.gen(function* () {
          yield* (yield* KeyStore).insert(record)
          const unit = yield* reserve(record.id, 2)
          yield* (yield* QuotaStore).settle(unit.id, "committed", noon)
          yield* reserve(record.id, 2)
          const done = yield* start(record.id)
          return { running: yield* start(record.id), done, result: yield* finish(done) }
        }),
        layer
      )
      yield* Effect.provide(
        Effect.gen(function* () {
          const executions = yield* ExecutionStore
          yield* same("key", yield* (yield* KeyStore).findByHash(record.hash), Option.some(record))
          yield* same("units", yield* (yield* QuotaStore).count(record.id, today), {
            used: 1,
            reserved: 1,
            byKind: { ...nothing.byKind, token: 1 }
          })
          yield* same("no unit is left", (yield* reserve(record.id, 2)).answer._tag, "Refused")
          yield* same(
            "result",
            yield* executions.find(record.id, written.done.id),
            stored(record.id, written.result, known)
          )
          const { id, lease, running } = written.running
          yield* same("running", yield* executions.find(record.id, id), stored(record.id, running))
          yield* same("lease", yield* executions.renew(id, lease), true)
        }),
        layer
      )
    }),
  "two that have the store open decide each thing once between them": (layer) =>
    Effect.scoped(
      Effect.gen(function* () {
        const here = yield* Layer.build(layer)
        const there = yield* Layer.build(layer)
        const either = [here, there]
        const key = yield* Id.make("key")
        const units = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, index) => either[index % 2] ?? here),
          (side) => Effect.provide(reserve(key, 50), side),
          concurrently
        )
        const granted = units.filter(({ answer }) => answer._tag === "Reserved")
        yield* same("granted", granted.length, 50)
        for (const { id } of granted.slice(0, 10)) {
          const decided = yield* Effect.forEach(
            [...either, ...either],
            (side) =>
              Effect.provide(
                Effect.flatMap(QuotaStore, (store) => store.settle(id, side === here ? "committed" : "released", noon)),
                side
              ),
            concurrently
          )
          yield* same("decided", decided.filter(Boolean).length, 1)
        }
        const begun = yield* Effect.forEach(
          [...either, ...either],
          (side) => Effect.provide(start(key, { joinKey: "same" }), side),
          concurrently
        )
        yield* same("started", begun.filter(({ answer }) => answer._tag === "Started").length, 1)
        yield* same("joined", begun.filter(({ answer }) => answer._tag === "Joined").length, 3)
        const record = yield* keyRecord()
        yield* Effect.provide(
          Effect.flatMap(KeyStore, (keys) => keys.insert(record)),
          here
        )
        yield* same(
          "seen there",
          yield* Effect.provide(
            Effect.flatMap(KeyStore, (keys) => keys.findByHash(record.hash)),
            there
          ),
          Option.some(record)
        )
      })
    )
}

/**
 * A store does not keep what its interface promises; both sides as RFC 8785 JSON.
 *
 * @since 0.1.0
 * @category errors
 */
export class Violation extends Schema.TaggedError<Violation>()("Violation", {
  what: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message(): string {
    return `${this.what}: expected ${this.expected}, got ${this.actual}`
  }
}

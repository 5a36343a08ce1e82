/** @internal */

import { Effect, Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Evidence } from "../domain/Evidence.js"
import type { Hex } from "../domain/Hex.js"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { fromMillis } from "../domain/Timestamp.js"
import {
  type BeginAnswer,
  type BeginRequest,
  type Binding,
  type ExecutionFilter,
  type ExecutionMemory,
  ExecutionStore,
  everything,
  failed,
  type Idempotency,
  leaseLost,
  type StoredExecution,
  stub
} from "../storage/ExecutionStore.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Documents from "./Documents.js"
import { concurrently, type Guarantees, noon, same } from "./Guarantee.js"

const token = Documents.token(0xa55a)
/** What an execution that was finished by {@link finish} remembers. */
export const memory: ExecutionMemory = {
  known: { "token.mintable": Documents.evidence("token.mintable", "confirmed") },
  reported: {
    "token.mintable": { subject: "evidence", item: Documents.evidence("token.mintable", "refuted") },
    "token.pausable": { subject: "evidence", item: null },
    "facts.token.total_supply": { subject: "fact", value: "115792089237316195423570985008687907853" },
    "facts.risk": { subject: "risk", from: { score: 71, level: "low" }, to: { score: null, level: "unknown" } }
  }
}
const noMemory: ExecutionMemory = { known: {}, reported: {} }
const failure = { code: "internal_error", detail: "it’s “broken”" } as const

const named = (name: string, changes: Partial<Omit<Idempotency, "name">> = {}) =>
  Option.some<Idempotency>({ name, fingerprint: "asked", now: noon, after: noon - 1, ...changes })

/** Begins an execution. */
export const start = Effect.fnUntraced(function* (
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
    watchId: options.watchId,
    idempotency: options.idempotency
  })
  return { id, answer, lease, running }
})

/** Finishes an execution with a result. */
export const finish = Effect.fnUntraced(function* (started: Effect.Effect.Success<ReturnType<typeof start>>) {
  const store = yield* ExecutionStore
  const result = Documents.completed(started.running, noon + 8000)
  yield* same("completed", yield* store.complete(started.lease.token, result, memory), true)
  return result
})

/** How an execution is found. */
export const stored = (keyId: KeyId, result: StoredExecution["result"], of: ExecutionMemory = noMemory) =>
  Option.some<StoredExecution>({ keyId, watchId: Option.none(), result, ...of })

/** A check of a watch on `token`, complete, as it is found. Much of it is the same in every round, in another order. */
const check = Effect.fnUntraced(function* (keyId: KeyId, round: number) {
  const store = yield* ExecutionStore
  const watchId = Option.some(yield* Id.make("wat"))
  const started = yield* start(keyId, { watchId, at: noon + round * 3_600_000 })
  const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`
  const items = Array.from({ length: 30 }, (_, index): Evidence => {
    const item = Documents.evidence(`token.claim-${index}`, (index + round) % 7 === 0 ? "refuted" : "confirmed")
    const block_hash = hash(4_000_000 + round)
    return {
      ...item,
      detail: `${item.detail}, read at ${block_hash}, reserve ${10 ** 15 + round * 977 * index}`,
      observation: { method: "eth_call", params_hash: hash(index), block_hash, answer_hash: hash(index * round) }
    }
  })
  const unknown = items.slice(0, 3).map((item): Evidence => ({ ...item, state: "unknown", reason: "rpc_error" }))
  const result = {
    ...Documents.completed(started.running, noon + 8000),
    evidence: [...unknown, ...(round % 2 === 0 ? items.slice(3) : items.slice(3).toReversed())]
  }
  const known = Object.fromEntries(items.slice(0, 25).map((item) => [item.id, item]))
  yield* store.complete(started.lease.token, result, { ...memory, known })
  const execution: StoredExecution = { keyId, watchId, result, ...memory, known }
  return { id: started.id, keyId, execution }
})

const ids = (page: { readonly data: ReadonlyArray<{ readonly execution_id: ExecutionId }> }) =>
  page.data.map((item) => item.execution_id)

/** What `ExecutionStore` promises. */
export const cases: Guarantees<ExecutionStore> = {
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
    yield* same("unchanged", yield* store.find(key, first.id), stored(key, result, memory))
  }),
  "an idempotency key stands for the execution that it began, running or with a result, before slots are counted":
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const first = yield* start(key, { slots: 1, idempotency: named("a") })
      yield* same("started", first.answer, { _tag: "Started" })
      const again = (changes: Parameters<typeof named>[1] = {}, keyId = key) =>
        Effect.map(start(keyId, { slots: 1, idempotency: named("a", changes) }), ({ answer }) => answer)
      yield* same("joined", yield* again(), { _tag: "Joined", id: first.id })
      yield* same("something else, while it runs", yield* again({ fingerprint: "else" }), { _tag: "Reused" })
      yield* same("of another API key", yield* again({ fingerprint: "else" }, other), { _tag: "Started" })
      const result = yield* finish(first)
      yield* same("replayed", yield* again(), { _tag: "Replayed", id: first.id })
      yield* same("something else, once it ended", yield* again({ fingerprint: "else" }), { _tag: "Reused" })
      yield* same("unchanged", yield* store.find(key, first.id), stored(key, result, memory))
      yield* same("until it is too old", (yield* again({ now: noon + 9, after: noon }))._tag, "Started")
    }),
  "of twenty requests with one idempotency key at once one starts and the others join it": Effect.gen(function* () {
    const key = yield* Id.make("key")
    const all = yield* Effect.replicateEffect(start(key, { slots: 9, idempotency: named("a") }), 20, concurrently)
    const started = all.filter(({ answer }) => answer._tag === "Started")
    yield* same("started", started.length, 1)
    for (const { answer } of all)
      if (answer._tag !== "Started") yield* same("joined", answer, { _tag: "Joined", id: started[0]?.id })
  }),
  "an idempotency key is free again when its execution failed, was discarded or was removed": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const ends: ReadonlyArray<
      (begun: Effect.Effect.Success<ReturnType<typeof start>>) => Effect.Effect<unknown, StorageError>
    > = [
      ({ id, lease }) => store.fail(id, lease.token, failure, noon),
      ({ id, lease }) => store.discard(id, lease.token),
      ({ lease, id, running }) =>
        Effect.zipRight(
          store.complete(lease.token, Documents.completed(running, noon), memory),
          store.remove([id], noon)
        )
    ]
    for (const end of ends) {
      const key = yield* Id.make("key")
      yield* end(yield* start(key, { idempotency: named("a") }))
      const next = yield* start(key, { idempotency: named("a", { fingerprint: "else" }) })
      yield* same("free", next.answer, { _tag: "Started" })
      const again = yield* start(key, { idempotency: named("a", { fingerprint: "else" }) })
      yield* same("bound anew", again.answer, { _tag: "Joined", id: next.id })
    }
  }),
  "an idempotency key that joins an identical execution stands for it, and one that is refused for nothing": Effect.gen(
    function* () {
      const key = yield* Id.make("key")
      const first = yield* start(key, { slots: 1, joinKey: "same" })
      const busy = yield* start(key, { slots: 1, idempotency: named("b") })
      yield* same("busy", busy.answer, { _tag: "Busy", running: 1 })
      const joined = yield* start(key, { slots: 1, joinKey: "same", idempotency: named("a") })
      yield* same("joined", joined.answer, { _tag: "Joined", id: first.id })
      yield* finish(first)
      const replayed = yield* start(key, { slots: 1, joinKey: "same", idempotency: named("a") })
      yield* same("replayed", replayed.answer, { _tag: "Replayed", id: first.id })
      const other = yield* start(key, { slots: 1, idempotency: named("b", { fingerprint: "else" }) })
      yield* same("never bound", other.answer, { _tag: "Started" })
    }
  ),
  "idempotency keys are forgotten in parts, the old ones": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const long = Date.UTC(2001, 0, 1)
    const at = (name: string, now: number) => start(key, { idempotency: named(name, { now, after: 0 }) })
    const begun = [yield* at("a", long), yield* at("b", long + 1), yield* at("c", long + 2)]
    yield* same("two at most", yield* store.forgetIdempotencyKeys(long + 2, 2), 2)
    yield* same("no more that old", yield* store.forgetIdempotencyKeys(long + 2, 2), 0)
    yield* same("forgotten", (yield* at("a", noon)).answer._tag, "Started")
    yield* same("kept", (yield* at("c", noon)).answer, { _tag: "Joined", id: begun[2]?.id })
  }),
  "an idempotency key that is bound stands for one thing of its API key, until it is old or forgotten": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const long = Date.UTC(2000, 0, 1)
      const binding = (id: string, changes: Partial<Binding> = {}): Binding => ({
        keyId: key,
        name: "watch\nit’s “a”",
        fingerprint: "asked",
        id,
        now: long,
        after: long - 10,
        ...changes
      })
      const stands = (id: string, fingerprint = "asked") => ({ id, fingerprint })
      yield* same("nothing yet", yield* store.bound(binding("wat_1")), Option.none())
      const all = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `wat_${index}`),
        (id) => store.bind(binding(id)),
        concurrently
      )
      const [first = stands("")] = all
      for (const bound of all) yield* same("one of those that bind at once", bound, first)
      yield* same("kept", yield* store.bound(binding("")), Option.some(first))
      const later = binding("wat_a", { fingerprint: "else", now: long + 9, after: long - 1 })
      yield* same("the first stays", yield* store.bind(later), first)
      yield* same("another API key", yield* store.bind({ ...later, keyId: other }), stands("wat_a", "else"))
      yield* same("another name", yield* store.bind({ ...later, name: "webhook\na" }), stands("wat_a", "else"))
      yield* same("an execution of this name", (yield* start(key, { idempotency: named("watch") })).answer, {
        _tag: "Started"
      })
      const old = binding("wat_b", { fingerprint: "new", now: long + 10, after: long })
      yield* same("too old to be found", yield* store.bound(old), Option.none())
      yield* same("free again", yield* store.bind(old), stands("wat_b", "new"))
      yield* same("from then on", yield* store.bind(binding("wat_c")), stands("wat_b", "new"))
      yield* same("forgotten", yield* store.forgetIdempotencyKeys(long + 11, 100), 3)
      yield* same("gone", yield* store.bound(binding("")), Option.none())
    }
  ),
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
  "checks of one target are found as they were stored, whatever moved and whichever of the others was removed":
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const checks: Array<Effect.Effect.Success<ReturnType<typeof check>>> = []
      for (let round = 0; round < 12; round++)
        checks.push(yield* check(round % 3 === 0 ? two : one, round), yield* check(one, round))
      const assertFound = (gone: ReadonlySet<ExecutionId>) =>
        Effect.forEach(checks, ({ execution, id, keyId }) =>
          Effect.flatMap(store.find(keyId, id), (found) =>
            same(`check ${id}`, found, gone.has(id) ? Option.none() : Option.some(execution))
          )
        )
      yield* assertFound(new Set())
      const texts = yield* Effect.forEach(checks, ({ id, keyId }) => store.document(keyId, id))
      const gone = new Set<ExecutionId>()
      for (const index of [0, 1, 5, 20]) {
        const removed = checks[index]
        if (removed === undefined) continue
        yield* store.remove([removed.id], noon)
        gone.add(removed.id)
        yield* assertFound(gone)
      }
      for (const [index, { execution }] of checks.entries())
        yield* same(
          "the text is of the document",
          Option.map(texts[index] ?? Option.none(), ({ text }) => CanonicalJson.stringify(JSON.parse(text))),
          Option.some(CanonicalJson.stringify(execution.result))
        )
      yield* store.remove(
        checks.map(({ id }) => id),
        noon
      )
      const after = yield* check(one, 99)
      yield* same("once all are gone", yield* store.find(one, after.id), Option.some(after.execution))
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
  "a result is stored with its memory, by the token that holds the lease and no other": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    const started = yield* start(key)
    const result = Documents.completed(started.running, noon + 8000)
    yield* same("another token", yield* store.complete("another", result, memory), false)
    yield* same("another token", yield* store.fail(started.id, "another", failure, noon), false)
    yield* same("unchanged", yield* store.find(key, started.id), stored(key, started.running))
    yield* same("its token", yield* store.complete(started.lease.token, result, memory), true)
    yield* same("find", yield* store.find(key, started.id), stored(key, result, memory))
    yield* same("status", yield* store.status(started.id), Option.some("complete"))
    const absent = Documents.completed(Documents.running(yield* Id.make("exe"), token, noon), noon)
    yield* same("an unknown id", yield* store.complete(started.lease.token, absent, memory), false)
  }),
  "the text of an execution is the document that is found, for its key only": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
    const first = yield* start(key)
    const text = Effect.map(store.document(key, first.id), (found) =>
      Option.map(found, (document) => ({ ...document, text: JSON.parse(document.text) }))
    )
    const documentOf = ({ content_hash, status }: AnalysisResult, result: AnalysisResult) =>
      Option.some({ status, contentHash: content_hash, text: result })
    yield* same("running", yield* text, documentOf(first.running, first.running))
    yield* same("hash while running", yield* store.contentHash(key, first.id), Option.some(null))
    const result = yield* finish(first)
    yield* same("ended", yield* text, documentOf(result, result))
    yield* same("hash", yield* store.contentHash(key, first.id), Option.some(result.content_hash))
    yield* same("hash of another key", yield* store.contentHash(other, first.id), Option.none())
    yield* same("of another key", yield* store.document(other, first.id), Option.none())
    yield* same("of no execution", yield* store.document(key, yield* Id.make("exe")), Option.none())
    const second = yield* start(key)
    yield* store.fail(second.id, second.lease.token, failure, noon + 5)
    const ended = failed(second.running, failure, noon + 5)
    const found = Option.map(yield* store.document(key, second.id), ({ status, text }) => [status, JSON.parse(text)])
    yield* same("failed", found, Option.some(["failed", ended]))
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
    yield* same("complete again", yield* store.complete(good.lease.token, result, noMemory), true)
    yield* same("fail after complete", yield* store.fail(good.id, good.lease.token, failure, noon), false)
    yield* store.discard(good.id, good.lease.token)
    yield* same("renew after complete", yield* store.renew(good.id, good.lease), false)
    yield* same("unchanged", yield* store.find(key, good.id), stored(key, result, memory))
    const bad = yield* start(key)
    yield* store.fail(bad.id, bad.lease.token, failure, noon)
    yield* same("fail again", yield* store.fail(bad.id, bad.lease.token, failure, noon + 9), true)
    const late = Documents.completed(bad.running, noon)
    yield* same("complete after fail", yield* store.complete(bad.lease.token, late, memory), false)
    yield* same("unchanged", yield* store.find(key, bad.id), stored(key, failed(bad.running, failure, noon)))
  }),
  "of a completion, a failure and an expiry at once exactly one happens": Effect.gen(function* () {
    const store = yield* ExecutionStore
    const key = yield* Id.make("key")
    for (let round = 0; round < 10; round++) {
      const { id, lease, running } = yield* start(key, { until: noon })
      const result = Documents.completed(running, noon)
      const attempts = [
        store.complete(lease.token, result, memory),
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
      yield* same("a late worker", yield* store.complete(lease.token, result, memory), false)
      yield* same("find", yield* store.find(key, id), stored(key, failed(running, leaseLost, noon + 50)))
    }
  ),
  "what runs is found with its lease, of every key, until it ends; a lease that did not expire stays known": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const late = yield* start(one, { until: noon + 9 })
      const early = yield* start(two, { until: noon + 3 })
      const ended = yield* start(one, { until: noon + 5 })
      const mine = new Set([late.id, early.id, ended.id])
      const running = Effect.map(store.running, (all) => all.filter(({ id }) => mine.has(id)))
      yield* same("running", yield* running, [
        { id: early.id, lease: early.lease },
        { id: ended.id, lease: ended.lease },
        { id: late.id, lease: late.lease }
      ])
      yield* store.renew(early.id, { ...early.lease, until: noon + 20 })
      yield* finish(ended)
      yield* same("ended or prolonged", yield* running, [
        { id: late.id, lease: late.lease },
        { id: early.id, lease: { ...early.lease, until: noon + 20 } }
      ])
      yield* same("of one that ended", yield* store.lease(ended.id), Option.some(ended.lease))
      yield* same("of one that runs", yield* store.lease(late.id), Option.some(late.lease))
      yield* same("of an unknown id", yield* store.lease(yield* Id.make("exe")), Option.none())
      yield* same("expired", (yield* store.expireLeases(noon + 9, 1000)).includes(late.id), true)
      yield* same("of one that expired", yield* store.lease(late.id), Option.none())
      yield* same("no longer running", (yield* running).length, 1)
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
  "those that ended are found in the order in which they ended, and removed for good; what runs stays": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const key = yield* Id.make("key")
      const watchId = yield* Id.make("wat")
      const [late, early, running, checked] = [
        yield* start(key),
        yield* start(key),
        yield* start(key),
        yield* start(key, { watchId: Option.some(watchId) })
      ]
      const old = Date.UTC(2001, 0, 1)
      const end = ({ lease, running: begun }: typeof late, at: number) =>
        store.complete(lease.token, Documents.completed(begun, at), memory)
      yield* end(late, old + 3)
      yield* end(early, old + 1)
      yield* store.fail(checked.id, checked.lease.token, leaseLost, old + 2)
      const found = Effect.map(store.endedBefore(old + 4, 1000), (all) => all.filter(({ keyId }) => keyId === key))
      yield* same("found", yield* found, [
        { id: early.id, keyId: key, watchId: Option.none() },
        { id: checked.id, keyId: key, watchId: Option.some(watchId) },
        { id: late.id, keyId: key, watchId: Option.none() }
      ])
      yield* same("at most", (yield* store.endedBefore(old + 4, 2)).length, 2)
      const isEarly = Effect.map(store.endedBefore(old + 1, 1000), (all) => all.some(({ id }) => id === early.id))
      yield* same("ended before, not at", yield* isEarly, false)
      yield* store.remove([early.id, running.id], noon)
      yield* store.remove([], noon)
      yield* same("removed", Option.isNone(yield* store.find(key, early.id)), true)
      yield* same("still runs", yield* store.status(running.id), Option.some("running"))
      yield* store.remove([late.id, checked.id], noon)
      yield* same("all", (yield* found).length, 0)
    }
  ),
  "what was removed is remembered for its key, until it is forgotten, the first that went first": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const [first, second, running] = [yield* start(key), yield* start(key), yield* start(key)]
      yield* finish(first)
      yield* finish(second)
      const old = Date.UTC(1999, 0, 1)
      yield* store.remove([first.id, running.id], old)
      yield* store.remove([second.id, first.id], old + 5)
      const remembered = (of: KeyId) => Effect.forEach([first, second, running], ({ id }) => store.isRemoved(of, id))
      yield* same("its key", yield* remembered(key), [true, true, false])
      yield* same("another key", yield* remembered(other), [false, false, false])
      yield* same("never there", yield* store.isRemoved(key, yield* Id.make("exe")), false)
      yield* same("one that is there", yield* store.isRemoved(key, (yield* start(key)).id), false)
      yield* same("before, not at", yield* store.forget(old, 10), 0)
      yield* same("at most", yield* store.forget(old + 6, 1), 1)
      yield* same("the other one", yield* remembered(key), [false, true, false])
      yield* same("it too", yield* store.forget(old + 6, 10), 1)
      yield* same("nothing", yield* remembered(key), [false, false, false])
      const gone = yield* start(key)
      yield* store.discard(gone.id, gone.lease.token)
      yield* same("discarded, not removed", yield* store.isRemoved(key, gone.id), false)
    }
  ),
  "how executions ended is answered of those of the key, with their watch and the code of a failure": Effect.gen(
    function* () {
      const store = yield* ExecutionStore
      const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
      const watchId = Option.some(yield* Id.make("wat"))
      const running = yield* start(key)
      const ended = yield* start(key, { watchId })
      yield* finish(ended)
      const failed = yield* start(key, { watchId })
      yield* store.fail(failed.id, failed.lease.token, failure, noon)
      const foreign = yield* start(other)
      const ids = [running.id, ended.id, failed.id, foreign.id, yield* Id.make("exe")]
      const ends = (yield* store.ends(key, ids)).toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
      yield* same("ends", ends, [
        { id: running.id, watchId: Option.none(), failure: Option.none() },
        { id: ended.id, watchId, failure: Option.none() },
        { id: failed.id, watchId, failure: Option.some(failure.code) }
      ])
      yield* same("none", yield* store.ends(key, []), [])
    }
  ),
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
    yield* same("the second", yield* store.previous(key, token), stored(key, newer, memory))
    const older = yield* finish(first)
    yield* same("started last, not ended last", yield* store.previous(key, token), stored(key, newer, memory))
    yield* same("before", yield* store.previous(key, token, second.id), stored(key, older, memory))
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
    yield* same("still the second", yield* store.previous(key, token), stored(key, newer, memory))

    const partial = yield* start(key)
    const result = { ...Documents.completed(partial.running, noon), status: "partial" as const }
    yield* store.complete(partial.lease.token, result, memory)
    yield* same("a partial one", yield* store.previous(key, token), stored(key, result, memory))
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
    yield* same("a success", whole.data[3], stub({ keyId: key, watchId: Option.none(), result, ...memory }))
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

import { type Event, EventBell, EventStore, Id, Timestamp } from "@assay/core"
import { describe, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { assert } from "vitest"
import { EventReader } from "../EventReader.js"
import { assertProblem, codesOf } from "../Problems.js"
import * as TestServer from "../TestServer.js"

const { createKey, send } = TestServer

const watchId = (last: number): Id.WatchId => `wat_01JD00000000000000000000${String(last).padStart(2, "0")}`

const quota: Event.EventBody = { type: "quota.threshold", data: { day: "1970-01-01", daily_quota: 50, used: 40 } }

const recovered = (last: number): Event.EventBody => ({
  type: "watch.recovered",
  data: {
    watch_id: watchId(last),
    label: "",
    target: "token",
    address: TestServer.target.works as Event.Event extends { data: { address: infer A } } ? A : never,
    chain: { id: 31_337, name: "sandbox" },
    execution_id: TestServer.executionId
  }
})

const keyIdOf = (key: string) => Effect.map(send("/api/v1/keys/self", { key }), ({ json }): Id.KeyId => json.id)

/** Appends to the log of a key, as a relay does. */
const tell = (keyId: Id.KeyId, ...bodies: ReadonlyArray<Event.EventBody>) =>
  Effect.gen(function* () {
    const log = yield* EventStore.EventStore
    const bell = yield* EventBell.EventBell
    const now = yield* Clock.currentTimeMillis
    const events = yield* Effect.forEach(bodies, (body) =>
      Effect.map(Id.make("evt"), (id) => ({ id, keyId, timestamp: Timestamp.fromMillis(now), body, only: null }))
    )
    const told = yield* log.append(events, now)
    yield* bell.ring([keyId])
    return told
  })

const newReader = Effect.gen(function* () {
  const key = yield* createKey
  return { key, keyId: yield* keyIdOf(key) }
})

const open = (path: string, key: string, headers: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.flatMap(TestServer.base, (origin) =>
      Effect.promise(() => EventReader.open(`${origin}${path}`, { authorization: `Bearer ${key}`, ...headers }))
    ),
    (reader) => Effect.sync(() => reader.close())
  )

const sequences = (answer: TestServer.Answer): ReadonlyArray<number> =>
  answer.json.data.map(({ sequence }: { readonly sequence: number }) => sequence)

describe("events", () => {
  layer(TestServer.layer())("read", (it) => {
    it.effect("the log is read oldest first, part by part, each key its own", () =>
      Effect.gen(function* () {
        const { key, keyId } = yield* newReader
        const told = yield* tell(keyId, quota, recovered(1), recovered(2))
        const first = yield* send("/api/v1/events?limit=2", { key })
        assert.strictEqual(first.status, 200)
        assert.deepStrictEqual(first.json.data, told.slice(0, 2))
        const second = yield* send(`/api/v1/events?after=${first.json.next_after}`, { key })
        assert.deepStrictEqual(second.json.data, told.slice(2))
        const third = yield* send(`/api/v1/events?after=${second.json.next_after}`, { key })
        assert.deepStrictEqual(third.json, { data: [], next_after: second.json.next_after })
        assert.deepStrictEqual(sequences(yield* send("/api/v1/events", { key: yield* createKey })), [])
      })
    )

    it.effect("types and one watch are all that a reader who says so gets, and it need not read the rest again", () =>
      Effect.gen(function* () {
        const { key, keyId } = yield* newReader
        yield* tell(keyId, quota, recovered(1), recovered(2), quota)
        const ofTypes = (types: string) => send(`/api/v1/events?types=${types}`, { key })
        assert.deepStrictEqual(sequences(yield* ofTypes("quota.threshold")), [1, 4])
        assert.deepStrictEqual(sequences(yield* ofTypes("quota.threshold,watch.recovered")), [1, 2, 3, 4])
        const one = yield* send(`/api/v1/events?watch_id=${watchId(2)}`, { key })
        assert.deepStrictEqual(sequences(one), [3])
        const rest = yield* send(`/api/v1/events?after=${one.json.next_after}`, { key })
        assert.deepStrictEqual(sequences(rest), [])
      })
    )

    it.effect("who waits is answered by the first event, and with nothing when the time is over", () =>
      Effect.gen(function* () {
        const { key, keyId } = yield* newReader
        const waiting = yield* Effect.fork(send("/api/v1/events?wait=30", { key }))
        yield* Effect.yieldNow()
        yield* tell(keyId, quota)
        assert.deepStrictEqual(sequences(yield* Fiber.join(waiting)), [1])

        const { next_after } = (yield* send("/api/v1/events", { key })).json
        const patient = yield* Effect.fork(send(`/api/v1/events?wait=30&after=${next_after}`, { key }))
        const answer = yield* Effect.raceFirst(Fiber.join(patient), Effect.forever(TestClock.adjust("1 second")))
        assert.deepStrictEqual(answer.json, { data: [], next_after })
      })
    )

    const refusals: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["wait=31", ["wait above_maximum"]],
      ["wait=-1", ["wait below_minimum"]],
      ["wait=1s", ["wait wrong_type"]],
      ["limit=0", ["limit below_minimum"]],
      ["limit=101", ["limit above_maximum"]],
      ["types=watch.change", ["types not_allowed"]],
      ["types=", ["types not_allowed"]],
      ["types=watch.changed,%20watch.failing", ["types not_allowed"]],
      ["watch_id=x", ["watch_id not_allowed"]],
      ["cursor=x&since=1&wait=99", ["cursor unknown_field", "since unknown_field", "wait above_maximum"]]
    ]
    for (const [query, expected] of refusals)
      it.effect(`?${query} is refused with every violation`, () =>
        Effect.gen(function* () {
          const answer = yield* send(`/api/v1/events?${query}`, { key: yield* createKey })
          assertProblem(answer, 422, "validation_failed")
          assert.deepStrictEqual([...codesOf(answer)].sort(), expected)
        })
      )

    it.effect("a cursor that nobody gave is malformed", () =>
      Effect.gen(function* () {
        const key = yield* createKey
        for (const path of ["events?after=x", "events/stream?after=x"])
          assertProblem(yield* send(`/api/v1/${path}`, { key }), 400, "malformed_request")
      })
    )

    it.effect("a cursor past retention says where the log begins now, and no event after that is missed", () =>
      Effect.gen(function* () {
        const { key, keyId } = yield* newReader
        yield* tell(keyId, quota, quota)
        const { next_after } = (yield* send("/api/v1/events?limit=1", { key })).json
        yield* TestClock.adjust("2 seconds")
        yield* tell(keyId, recovered(1))
        const log = yield* EventStore.EventStore
        yield* log.prune(yield* Clock.currentTimeMillis, 1_000)
        for (const path of [`events?after=${next_after}`, `events/stream?after=${next_after}`]) {
          const answer = yield* send(`/api/v1/${path}`, { key })
          assertProblem(answer, 410, "cursor_expired")
          const rest = yield* send(`/api/v1/events?after=${answer.json.oldest_cursor}`, { key })
          assert.deepStrictEqual(sequences(rest), [3])
        }
        assert.deepStrictEqual(sequences(yield* send("/api/v1/events", { key })), [3])
      })
    )
  })

  layer(TestServer.layer())("stream", (it) => {
    it.scoped("stored events come first, then each new one at once, and nothing in between may hold it back", () =>
      Effect.gen(function* () {
        const { key, keyId } = yield* newReader
        const before = yield* tell(keyId, quota, recovered(1))
        const stream = yield* open("/api/v1/events/stream", key)
        assert.strictEqual(stream.status, 200)
        assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
        assert.strictEqual(stream.headers.get("cache-control"), "no-store, no-transform")
        assert.strictEqual(stream.headers.get("x-accel-buffering"), "no")
        assert.strictEqual(stream.headers.get("content-length"), null)
        assert.include(stream.headers.get("ratelimit-policy") ?? "", '"daily"')
        const next = Effect.promise(() => stream.next())
        const messages = [yield* next, yield* next]
        const after = yield* tell(keyId, recovered(2))
        messages.push(yield* next)
        for (const [index, event] of [...before, ...after].entries()) {
          assert.strictEqual(messages[index]?.event, event.type)
          assert.deepStrictEqual(JSON.parse(messages[index]?.data ?? ""), event)
          const rest = yield* send(`/api/v1/events?after=${messages[index]?.id}`, { key })
          assert.deepStrictEqual(
            sequences(rest),
            [1, 2, 3].filter((sequence) => sequence > event.sequence)
          )
        }
      })
    )

    it.scoped("who comes back goes on after the last event that it has, whatever its URL says", () =>
      Effect.gen(function* () {
        const { key, keyId } = yield* newReader
        yield* tell(keyId, quota, quota, quota)
        const first = yield* open("/api/v1/events/stream", key)
        const seen = yield* Effect.promise(() => first.next())
        yield* tell(keyId, recovered(1))
        const sequenceOf = (stream: EventReader) =>
          Effect.map(
            Effect.promise(() => stream.next()),
            (message) => JSON.parse(message?.data ?? "{}").sequence
          )
        const id = seen?.id ?? ""
        const path = "/api/v1/events/stream"
        assert.strictEqual(yield* sequenceOf(yield* open(`${path}?after=${id}`, key)), 2)
        assert.strictEqual(yield* sequenceOf(yield* open(path, key, { "last-event-id": id })), 2)
        const later = (yield* send("/api/v1/events?limit=3", { key })).json.next_after
        const both = yield* open(`${path}?after=${id}`, key, { "last-event-id": later })
        assert.strictEqual(yield* sequenceOf(both), 4)
        const one = yield* open(`${path}?types=watch.recovered&watch_id=${watchId(1)}`, key)
        assert.strictEqual(yield* sequenceOf(one), 4)
      })
    )

    it.effect("a key has five streams, and who closes one may open another", () =>
      Effect.gen(function* () {
        const { key } = yield* newReader
        const path = "/api/v1/events/stream"
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.replicateEffect(open(path, key), 5)
            const refused = yield* send(path, { key })
            assertProblem(refused, 429, "concurrency_exceeded")
            assert.deepStrictEqual(refused.json.violated_policies, ["streams"])
            assert.strictEqual((yield* open(path, yield* createKey)).status, 200)
          })
        )
        // The server learns of it when the connection has closed.
        const free = send("/api/v1/events?wait=0", { key }).pipe(
          Effect.zipRight(Effect.scoped(Effect.map(open(path, key), ({ status }) => status))),
          Effect.repeat({ until: (status) => status === 200, times: 1_000 })
        )
        assert.strictEqual(yield* free, 200)
      })
    )

    it.effect("a caller that accepts no stream gets an error that says so", () =>
      Effect.gen(function* () {
        const answer = yield* send("/api/v1/events/stream", {
          key: yield* createKey,
          headers: { accept: "application/json" }
        })
        assertProblem(answer, 406, "not_acceptable")
        assert.deepStrictEqual(answer.json.acceptable, ["text/event-stream"])
      })
    )

    it.effect("an event of another key is never in a stream", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [mine, other] = [yield* newReader, yield* newReader]
          const stream = yield* open("/api/v1/events/stream", mine.key)
          yield* tell(other.keyId, quota)
          const [event] = yield* tell(mine.keyId, recovered(1))
          const message = yield* Effect.promise(() => stream.next())
          assert.deepStrictEqual(JSON.parse(message?.data ?? ""), event)
        })
      )
    )
  })
})

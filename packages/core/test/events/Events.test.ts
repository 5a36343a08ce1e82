import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Layer, Option, Stream, TestClock } from "effect"
import * as Cursor from "../../src/domain/Cursor.js"
import type { NewEvent } from "../../src/domain/Event.js"
import type { KeyId } from "../../src/domain/Id.js"
import * as EventBell from "../../src/events/EventBell.js"
import * as Events from "../../src/events/Events.js"
import * as EventStore from "../../src/storage/EventStore.js"
import { StorageError } from "../../src/storage/StorageError.js"
import { caller, exhausted, mine, recovered, theirs, watch } from "./News.js"

const world = (options: Events.Options = {}) =>
  Layer.provideMerge(Events.layer(options), Layer.merge(EventStore.layerMemory, EventBell.layer))

const everything: Events.EventFilter = { after: Option.none(), types: [], watchId: Option.none() }

/** Appends as another process does: nobody here hears of it. */
const append = (...events: ReadonlyArray<NewEvent>) =>
  Effect.flatMap(EventStore.EventStore, (store) => store.append(events, 0))

const appendAndRing = (...events: ReadonlyArray<NewEvent>) =>
  Effect.zipRight(
    append(...events),
    Effect.flatMap(EventBell.EventBell, (bell) => bell.ring(events.map(({ keyId }) => keyId)))
  )

const read = (
  options: Partial<Events.EventFilter> & { readonly limit?: number; readonly wait?: number; readonly key?: KeyId } = {}
) => {
  const { key, limit, wait, ...filter } = options
  return Effect.flatMap(Events.Events, (events) =>
    events.read(caller(key ?? mine), { ...everything, ...filter }, { limit: limit ?? 20, waitSeconds: wait ?? 0 })
  )
}

const sequences = (page: { readonly data: ReadonlyArray<{ readonly sequence: number }> }) =>
  page.data.map(({ sequence }) => sequence)

const many = (count: number, key: KeyId = mine) =>
  append(...Array.from({ length: count }, (_, index) => recovered(key, `${index}`)))

describe("reading events", () => {
  it.effect("goes through the log once, oldest first, whatever the size of a page", () =>
    Effect.gen(function* () {
      yield* many(10)
      yield* many(3, theirs)
      for (const limit of [1, 3, 10, 100]) {
        const seen: Array<number> = []
        let after = Option.none<string>()
        for (;;) {
          const page = yield* read({ limit, after })
          if (page.data.length === 0) break
          assert.isAtMost(page.data.length, limit)
          seen.push(...sequences(page))
          after = Option.some(page.next_after)
        }
        assert.deepStrictEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      }
      assert.deepStrictEqual(sequences(yield* read({ key: theirs })), [1, 2, 3])
    }).pipe(Effect.provide(world()))
  )

  it.effect("shows the requested events, and goes on after those that did not match", () =>
    Effect.gen(function* () {
      yield* append(recovered(mine, "a"), exhausted(mine, "2026-11-21"), recovered(mine, "b"))
      const quota = yield* read({ types: ["quota.exhausted"] })
      assert.deepStrictEqual(sequences(quota), [2])
      assert.deepStrictEqual(sequences(yield* read({ watchId: Option.some(watch) })), [1, 3])
      const none = yield* read({ types: ["test.ping"] })
      assert.deepStrictEqual(sequences(none), [])
      yield* append(exhausted(mine, "2026-11-22"))
      assert.deepStrictEqual(sequences(yield* read({ after: Option.some(none.next_after) })), [4])
    }).pipe(Effect.provide(world()))
  )

  it.effect("refuses cursors of other lists", () =>
    Effect.gen(function* () {
      const cursors = [
        "",
        "x",
        "42",
        Cursor.encode(watch),
        Cursor.encode("-1"),
        Cursor.encode("1e9"),
        Cursor.encode("01")
      ]
      for (const cursor of [...cursors, Cursor.encode("9".repeat(16))]) {
        const error = yield* Effect.flip(read({ after: Option.some(cursor) }))
        assert.strictEqual(error._tag, "BadCursor")
      }
    }).pipe(Effect.provide(world()))
  )

  it.effect("waits for the first event, and answers at once when one is appended", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.fork(read({ wait: 30 }))
      yield* TestClock.adjust("1 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      yield* appendAndRing(recovered(mine, "a"))
      assert.deepStrictEqual(sequences(yield* Fiber.join(waiting)), [1])
    }).pipe(Effect.provide(world()))
  )

  it.effect("finds what another process appended, within two seconds", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.fork(read({ wait: 30 }))
      yield* TestClock.adjust("5 seconds")
      yield* append(recovered(mine, "a"))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(sequences(yield* Fiber.join(waiting)), [1])
    }).pipe(Effect.provide(world()))
  )

  it.effect("looks once for all readers that wait for other processes, and only while one waits", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      const calls = { newest: 0, read: 0 }
      const counting = Layer.succeed(EventStore.EventStore, {
        ...store,
        newest: (keyIds) =>
          Effect.suspend(() => {
            calls.newest++
            return store.newest(keyIds)
          }),
        read: (keyId, query) =>
          Effect.suspend(() => {
            calls.read++
            return store.read(keyId, query)
          })
      })
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(calls, { newest: 0, read: 0 })
        const readers = yield* Effect.forEach([mine, mine, theirs], (key) => Effect.fork(read({ key, wait: 9 })))
        yield* TestClock.adjust("6 seconds")
        assert.deepStrictEqual(calls, { newest: 3, read: 3 })
        yield* append(recovered(theirs, "a"))
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(calls, { newest: 4, read: 4 })
        yield* TestClock.adjust("1 seconds")
        const pages = yield* Effect.forEach(readers, Fiber.join)
        assert.deepStrictEqual(pages.map(sequences), [[], [], [1]])
        const { newest } = calls
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(calls.newest, newest)
      }).pipe(Effect.provide(Layer.provide(Events.layer(), Layer.merge(counting, EventBell.layer))))
    }).pipe(Effect.provide(EventStore.layerMemory))
  )

  it.effect("fails a reader that waits where the log cannot be read", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      let isAway = false
      const away = Effect.suspend(() =>
        isAway ? new StorageError({ reason: "unavailable", operation: "", detail: "" }) : Effect.void
      )
      const failing = Layer.succeed(EventStore.EventStore, {
        ...store,
        newest: (keyIds) => Effect.zipRight(away, store.newest(keyIds)),
        read: (keyId, query) => Effect.zipRight(away, store.read(keyId, query))
      })
      const exit = yield* Effect.gen(function* () {
        const waiting = yield* Effect.fork(read({ wait: 30 }))
        yield* TestClock.adjust("1 seconds")
        isAway = true
        yield* TestClock.adjust("2 seconds")
        return yield* Fiber.poll(waiting)
      }).pipe(Effect.provide(Layer.provide(Events.layer(), Layer.merge(failing, EventBell.layer))))
      assert.isTrue(Option.exists(exit, Exit.isFailure))
    }).pipe(Effect.provide(EventStore.layerMemory))
  )

  it.effect(
    "waits no longer than requested, at most 30 s, not for events of others, and not for those it does not show",
    () =>
      Effect.gen(function* () {
        const short = yield* Effect.fork(read({ wait: 5, types: ["test.ping"] }))
        const long = yield* Effect.fork(read({ wait: 3_600, types: ["test.ping"] }))
        yield* TestClock.adjust("1 seconds")
        yield* appendAndRing(recovered(theirs, "a"), recovered(mine, "a"))
        yield* TestClock.adjust("3 seconds")
        assert.isTrue(Option.isNone(yield* Fiber.poll(short)))
        yield* TestClock.adjust("1 seconds")
        const page = yield* Fiber.join(short)
        assert.deepStrictEqual(sequences(page), [])
        // The next one goes on after what was there.
        assert.strictEqual(page.next_after, (yield* read({})).next_after)
        yield* TestClock.adjust("24 seconds")
        assert.isTrue(Option.isNone(yield* Fiber.poll(long)))
        yield* TestClock.adjust("1 seconds")
        assert.deepStrictEqual(sequences(yield* Fiber.join(long)), [])
      }).pipe(Effect.provide(world()))
  )

  it.effect("names the oldest cursor where events were removed, which misses none of what is left", () =>
    Effect.gen(function* () {
      yield* many(5)
      const old = (yield* read({ limit: 1 })).next_after
      const newer = (yield* read({ limit: 3 })).next_after
      const store = yield* EventStore.EventStore
      yield* store.prune(1, 3)
      const error = yield* Effect.flip(read({ after: Option.some(old) }))
      if (error._tag !== "CursorExpired") return assert.fail(error._tag)
      assert.deepStrictEqual(sequences(yield* read({ after: Option.some(error.oldest_cursor) })), [4, 5])
      assert.deepStrictEqual(sequences(yield* read({ after: Option.some(newer) })), [4, 5])
      // Who names no place begins with the oldest.
      assert.deepStrictEqual(sequences(yield* read({})), [4, 5])
      yield* store.prune(1, 3)
      assert.deepStrictEqual(sequences(yield* read({})), [])
    }).pipe(Effect.provide(world()))
  )
})

const open = (filter: Partial<Events.EventFilter> = {}, key: KeyId = mine) =>
  Effect.flatMap(Events.Events, (events) => events.stream(caller(key), { ...everything, ...filter }))

describe("a stream of events", () => {
  it.effect("has the stored events, then each new one from here or elsewhere, in order and once", () =>
    Effect.gen(function* () {
      yield* many(150)
      const stream = yield* open()
      const reading = yield* Effect.fork(Stream.runCollect(Stream.take(stream, 152)))
      yield* TestClock.adjust("1 seconds")
      yield* appendAndRing(recovered(mine, "x"), recovered(theirs, "x"))
      yield* TestClock.adjust("1 millis")
      yield* append(recovered(mine, "y"))
      yield* TestClock.adjust("2 seconds")
      const told = yield* Fiber.join(reading)
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(told).map(({ event }) => event.sequence),
        Array.from({ length: 152 }, (_, index) => index + 1)
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("goes on after the cursor of any of its events", () =>
    Effect.gen(function* () {
      yield* many(5)
      const [, second] = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(yield* open(), 2)))
      const rest = yield* Stream.runCollect(Stream.take(yield* open({ after: Option.fromNullable(second?.cursor) }), 3))
      assert.deepStrictEqual(
        Chunk.toReadonlyArray(rest).map(({ event }) => event.sequence),
        [3, 4, 5]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("refuses a wrong or too old cursor before it begins", () =>
    Effect.gen(function* () {
      yield* many(5)
      const old = Option.some((yield* read({ limit: 1 })).next_after)
      yield* Effect.flatMap(EventStore.EventStore, (store) => store.prune(1, 3))
      assert.strictEqual((yield* Effect.flip(open({ after: old })))._tag, "CursorExpired")
      assert.strictEqual((yield* Effect.flip(open({ after: Option.some("?") })))._tag, "BadCursor")
      const [first] = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(yield* open(), 1)))
      assert.strictEqual(first?.event.sequence, 4)
    }).pipe(Effect.provide(world()))
  )

  it.effect("ends where a reader is so late that its events were removed, which it learns when it comes back", () =>
    Effect.gen(function* () {
      yield* many(150)
      const [slow, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const reading = yield* open().pipe(
        Effect.flatMap((stream) =>
          Stream.runCollect(
            Stream.tap(stream, ({ event }) =>
              event.sequence === 100
                ? Effect.zipRight(Deferred.succeed(slow, undefined), Deferred.await(go))
                : Effect.void
            )
          )
        ),
        Effect.fork
      )
      yield* Deferred.await(slow)
      yield* Effect.flatMap(EventStore.EventStore, (store) => store.prune(1, 120))
      yield* Deferred.succeed(go, undefined)
      const told = Chunk.toReadonlyArray(yield* Fiber.join(reading))
      assert.strictEqual(told.at(-1)?.event.sequence, 100)
      const error = yield* Effect.flip(open({ after: Option.fromNullable(told.at(-1)?.cursor) }))
      assert.strictEqual(error._tag, "CursorExpired")
    }).pipe(Effect.provide(world()))
  )

  it.effect("reads no further ahead than a page, however slow its reader is", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      let reads = 0
      const counting = Layer.succeed(EventStore.EventStore, {
        ...store,
        read: (keyId, query) =>
          Effect.zipRight(
            Effect.sync(() => reads++),
            store.read(keyId, query)
          )
      })
      yield* many(1_000)
      const reached = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const stream = yield* open()
        const reading = yield* Effect.fork(
          Stream.runForEach(stream, () => Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
        )
        yield* Deferred.await(reached)
        yield* TestClock.adjust("1 hours")
        yield* Fiber.interrupt(reading)
      }).pipe(Effect.provide(Layer.provide(Events.layer(), Layer.merge(counting, EventBell.layer))))
      // One to see that the cursor is good, one for the stream.
      assert.strictEqual(reads, 2)
    }).pipe(Effect.provide(EventStore.layerMemory))
  )

  it.effect("is one of at most five of a key; one that ended, or was never begun, makes room", () =>
    Effect.gen(function* () {
      const streams = yield* Effect.replicateEffect(open(), 5)
      assert.strictEqual((yield* Effect.flip(open()))._tag, "StreamLimitReached")
      yield* open({}, theirs)
      const [first, second, ...others] = yield* Effect.forEach(streams, (stream) =>
        Effect.fork(Stream.runDrain(stream))
      )
      if (first === undefined || second === undefined) return assert.fail("five were opened")
      yield* TestClock.adjust("1 minutes")
      assert.strictEqual((yield* Effect.flip(open()))._tag, "StreamLimitReached")
      yield* Fiber.interrupt(first)
      yield* open()
      assert.strictEqual((yield* Effect.flip(open()))._tag, "StreamLimitReached")
      yield* TestClock.adjust("30 seconds")
      yield* open()
      assert.strictEqual((yield* Effect.flip(open()))._tag, "StreamLimitReached")
      yield* Fiber.interruptAll([second, ...others])
      yield* Effect.replicateEffect(open(), 4)
      assert.strictEqual((yield* Effect.flip(open()))._tag, "StreamLimitReached")
    }).pipe(Effect.provide(world()))
  )

  it.effect("fails where the log cannot be read, so that its reader comes back", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      let isAway = false
      const failing = Layer.succeed(EventStore.EventStore, {
        ...store,
        read: (keyId, query) => (isAway ? Effect.die("away") : store.read(keyId, query))
      })
      yield* many(1)
      const exit = yield* Effect.gen(function* () {
        const stream = yield* open()
        isAway = true
        return yield* Effect.exit(Stream.runDrain(stream))
      }).pipe(Effect.provide(Layer.provide(Events.layer(), Layer.merge(failing, EventBell.layer))))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.provide(EventStore.layerMemory))
  )
})

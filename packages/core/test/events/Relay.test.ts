import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, TestClock } from "effect"
import type { NewEvent } from "../../src/domain/Event.js"
import * as EventBell from "../../src/events/EventBell.js"
import * as Relay from "../../src/events/Relay.js"
import * as EventStore from "../../src/storage/EventStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import * as WatchStore from "../../src/storage/WatchStore.js"
import * as StorageFault from "../../src/testing/StorageFault.js"
import { claim, finish, watchAt } from "../../src/testing/WatchSteps.js"
import { mine, recovered, theirs } from "./News.js"

/** Lets a check find something: its events wait in the outbox. */
const checked = (...events: ReadonlyArray<NewEvent>) =>
  Effect.gen(function* () {
    yield* watchAt(mine, 0)
    const [claimed] = yield* claim(0, { slots: 1 })
    if (claimed === undefined) return assert.fail("nothing was due")
    assert.isTrue(yield* finish(claimed, 1, events))
    return claimed.watch
  })

const logOf = (keyId = mine) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const page = yield* store.read(keyId, { after: 0, types: [], watchId: Option.none(), limit: 1_000 })
    return page._tag === "Events" ? page.events.map(({ id }) => id) : []
  })

const outbox = Effect.flatMap(WatchStore.WatchStore, (store) => store.outbox(1_000))

const relay = Layer.provide(Relay.layer(), EventBell.layer)

const events = (count: number) => Array.from({ length: count }, (_, index) => recovered(mine, `${index}`))

describe("Relay", () => {
  it.scoped("brings what waits into the log: at the start, when it is notified, and when another process wrote", () =>
    Effect.gen(function* () {
      const [one, two, three] = events(3)
      if (one === undefined || two === undefined || three === undefined) return
      yield* checked(one)
      const { notify } = Context.get(yield* Layer.build(relay), Relay.Relay)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* logOf(), [one.id])
      yield* checked(two)
      yield* notify
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* logOf(), [one.id, two.id])
      yield* checked(three)
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(yield* logOf(), [one.id, two.id, three.id])
      assert.deepStrictEqual(yield* outbox, [])
    }).pipe(Effect.provide(Storage.layerMemory))
  )

  it.effect("brings any number in the order in which they were written, and rings for their keys", () =>
    Effect.gen(function* () {
      const bell = yield* EventBell.EventBell
      const rung = yield* bell.listen(mine)
      const other = yield* bell.listen(theirs)
      const many = events(250)
      yield* checked(...many)
      yield* Effect.flatMap(Relay.Relay, ({ drain }) => drain)
      assert.deepStrictEqual(
        yield* logOf(),
        many.map(({ id }) => id)
      )
      assert.deepStrictEqual(yield* outbox, [])
      yield* rung
      const silent = yield* Effect.fork(other)
      yield* TestClock.adjust("1 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.poll(silent)))
    }).pipe(
      Effect.scoped,
      Effect.provide(Relay.layer().pipe(Layer.provideMerge(Layer.merge(Storage.layerMemory, EventBell.layer))))
    )
  )

  it.effect("does no harm beside others: each event is in the log once", () =>
    Effect.gen(function* () {
      const many = events(120)
      yield* checked(...many)
      yield* Effect.all(
        Array.from({ length: 5 }, () =>
          Effect.provide(
            Effect.flatMap(Relay.Relay, ({ drain }) => drain),
            relay
          )
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        yield* logOf(),
        many.map(({ id }) => id)
      )
      assert.deepStrictEqual(yield* outbox, [])
    }).pipe(Effect.provide(Storage.layerMemory))
  )

  it.effect("loses nothing and appends nothing twice, whichever of its calls fails", () =>
    Effect.gen(function* () {
      for (const moment of ["before", "after"] as const)
        for (let call = 1; call <= 6; call++) {
          const many = events(150)
          const log = yield* Effect.gen(function* () {
            yield* checked(...many)
            const fault = yield* StorageFault.StorageFault
            yield* fault.arm(Option.some({ call, kind: "fails", moment }))
            yield* Effect.gen(function* () {
              // The pass at its start meets the fault; it is tried again after the interval.
              yield* Relay.Relay
              yield* TestClock.adjust("3 seconds")
            }).pipe(Effect.provide(relay))
            assert.deepStrictEqual(yield* outbox, [])
            return yield* logOf()
          }).pipe(Effect.provide(Layer.provideMerge(StorageFault.layer, Storage.layerMemory)))
          assert.deepStrictEqual(
            log,
            many.map(({ id }) => id)
          )
        }
    })
  )

  it.effect("appends nothing of a watch that was removed, once it was drained", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Layer.succeed(EventStore.EventStore, {
        ...store,
        append: (added, now) =>
          Deferred.succeed(reached, undefined).pipe(
            Effect.zipRight(Deferred.await(go)),
            Effect.zipRight(store.append(added, now))
          )
      })
      const [told] = events(1)
      if (told === undefined) return
      const watch = yield* checked(told)
      yield* Effect.gen(function* () {
        const { drain } = yield* Relay.Relay
        // The pass at the start has read the event, and has not appended it yet.
        yield* Deferred.await(reached)
        yield* Effect.flatMap(WatchStore.WatchStore, (watches) => watches.remove(mine, watch.id))
        const draining = yield* Effect.fork(drain)
        yield* TestClock.adjust("1 seconds")
        assert.isTrue(Option.isNone(yield* Fiber.poll(draining)))
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(draining)
        // Earlier events may still come; from here on there are none.
        const before = yield* logOf()
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* logOf(), before)
      }).pipe(Effect.provide(Layer.provide(Relay.layer(), Layer.merge(slow, EventBell.layer))))
    }).pipe(Effect.provide(Storage.layerMemory))
  )

  it.effect("answers a drain that cannot be done with the failure of its store", () =>
    Effect.gen(function* () {
      const away = new StorageError({ reason: "unavailable", operation: "EventStore.append", detail: "away" })
      const store = yield* EventStore.EventStore
      const failing = Layer.succeed(EventStore.EventStore, { ...store, append: () => away })
      yield* checked(...events(1))
      const error = yield* Effect.flip(Effect.flatMap(Relay.Relay, ({ drain }) => drain)).pipe(
        Effect.provide(Layer.provide(Relay.layer(), Layer.merge(failing, EventBell.layer)))
      )
      assert.strictEqual(error.reason, "unavailable")
      assert.strictEqual((yield* outbox).length, 1)
    }).pipe(Effect.provide(Storage.layerMemory))
  )
})

import { type Events, type Id, StorageError, Timestamp } from "@assay/core"
import { describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Ref, Stream, TestClock } from "effect"
import { assert } from "vitest"
import * as EventStream from "../../../src/http/representation/EventStream.js"

const told = (sequence: number): Events.Told => ({
  event: {
    id: `evt_01JD000000000000000000000${sequence}` as Id.EventId,
    sequence,
    timestamp: Timestamp.fromMillis(0),
    type: "test.ping",
    data: { webhook_id: "whk_01JD0000000000000000000000" }
  },
  cursor: `c${sequence}`
})

const frame = (sequence: number) =>
  `id: c${sequence}\nevent: test.ping\ndata: ${JSON.stringify(told(sequence).event)}\n\n`

/** What a reader has got so far, and the fiber that reads. */
const reading = (
  events: Stream.Stream<Events.Told, StorageError.StorageError>,
  closing: Effect.Effect<void>,
  isAccepted: EventStream.Until["isAccepted"] = Effect.succeed(true)
) =>
  Effect.gen(function* () {
    const text = yield* Ref.make("")
    const decoder = new TextDecoder()
    const fiber = yield* Effect.fork(
      Stream.runForEach(EventStream.encode(events, { closing, isAccepted }), (bytes) =>
        Ref.update(text, (before) => before + decoder.decode(bytes, { stream: true }))
      )
    )
    return { text: Ref.get(text), fiber }
  })

describe("EventStream", () => {
  it.effect("begins with a comment, so that the answer leaves at once, and repeats it every 15 seconds", () =>
    Effect.gen(function* () {
      const { fiber, text } = yield* reading(Stream.never, Effect.never)
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(yield* text, ":\n\n")
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* text, ":\n\n:\n\n")
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("an event is its cursor, its type and its document in one line", () =>
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Events.Told>()
      const { fiber, text } = yield* reading(Stream.fromQueue(queue), Effect.never)
      yield* TestClock.adjust("1 second")
      yield* Queue.offerAll(queue, [told(1), told(2)])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* text, `:\n\n${frame(1)}${frame(2)}`)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("gives a key that is no longer accepted no further event, and ends within 15 seconds without one", () =>
    Effect.gen(function* () {
      const accepted = yield* Ref.make(true)
      const queue = yield* Queue.unbounded<Events.Told>()
      const busy = yield* reading(Stream.fromQueue(queue), Effect.never, Ref.get(accepted))
      const idle = yield* reading(Stream.never, Effect.never, Ref.get(accepted))
      yield* TestClock.adjust("1 second")
      yield* Queue.offer(queue, told(1))
      yield* TestClock.adjust("1 second")
      yield* Ref.set(accepted, false)
      yield* Queue.offer(queue, told(2))
      yield* Fiber.join(busy.fiber)
      assert.strictEqual(yield* busy.text, `:\n\n${frame(1)}`)
      yield* TestClock.adjust("13 seconds")
      yield* Fiber.join(idle.fiber)
    })
  )

  it.effect("ends when the process closes, when its hour is over, and when the log cannot be read", () =>
    Effect.gen(function* () {
      const closing = yield* Deferred.make<void>()
      const closed = yield* reading(Stream.never, Deferred.await(closing))
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(closing, undefined)
      yield* Fiber.join(closed.fiber)

      const old = yield* reading(Stream.never, Effect.never)
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(old.fiber)

      const failure = new StorageError.StorageError({ reason: "unavailable", operation: "read", detail: "gone" })
      const failed = yield* reading(Stream.concat(Stream.make(told(1)), Stream.fail(failure)), Effect.never)
      yield* Fiber.join(failed.fiber)
      assert.include(yield* failed.text, frame(1))
    })
  )
})

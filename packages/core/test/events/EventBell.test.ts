import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { EventBell, layer } from "../../src/events/EventBell.js"
import { mine, theirs } from "./News.js"

describe("EventBell", () => {
  it.scoped("wakes whoever listens to a key or to all, and nobody else", () =>
    Effect.gen(function* () {
      const bell = yield* EventBell
      const one = yield* bell.listen(mine)
      const two = yield* bell.listen(mine)
      const other = yield* bell.listen(theirs)
      const all = yield* bell.listenAll
      const waiting = yield* Effect.forEach([one, two, all], Effect.fork)
      const asleep = yield* Effect.fork(other)
      yield* bell.ring([mine, mine])
      yield* Effect.forEach(waiting, Fiber.join)
      assert.isTrue(Option.isNone(yield* Fiber.poll(asleep)))
      yield* bell.ring([])
      assert.isTrue(Option.isNone(yield* Fiber.poll(asleep)))
      yield* bell.ring([theirs])
      yield* Fiber.join(asleep)
    }).pipe(Effect.provide(layer))
  )

  it.scoped("is heard by who listened before, however often it rang, once", () =>
    Effect.gen(function* () {
      const bell = yield* EventBell
      const rung = yield* bell.listen(mine)
      yield* bell.ring([mine])
      yield* bell.ring([mine])
      yield* rung
      const again = yield* Effect.fork(rung)
      yield* Effect.yieldNow()
      assert.isTrue(Option.isNone(yield* Fiber.poll(again)))
      yield* bell.ring([mine])
      yield* Fiber.join(again)
    }).pipe(Effect.provide(layer))
  )

  it.effect("forgets who has gone", () =>
    Effect.gen(function* () {
      const bell = yield* EventBell
      const gone = yield* Effect.scoped(bell.listen(mine))
      yield* bell.ring([mine])
      const waiting = yield* Effect.fork(gone)
      yield* Effect.yieldNow()
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      yield* Fiber.interrupt(waiting)
    }).pipe(Effect.provide(layer))
  )
})

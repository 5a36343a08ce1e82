import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, TestClock } from "effect"
import * as Expiring from "../../src/runtime/Expiring.js"

/** Counts how often it was found out; fails while `failing`. */
const counter = (delay: number) =>
  Effect.gen(function* () {
    const state = { found: 0, failing: false }
    const value = yield* Expiring.make<number, string>(
      Effect.suspend(() => {
        state.found++
        const outcome = state.failing ? Effect.fail("no") : Effect.succeed(state.found)
        return Effect.delay(outcome, delay)
      }),
      (exit) => (Exit.isSuccess(exit) ? 1_000 : 100)
    )
    return { state, value }
  })

describe("Expiring", () => {
  it.scoped("computes once for all concurrent callers, and not for the interrupted one", () =>
    Effect.gen(function* () {
      const { state, value } = yield* counter(10)
      const first = yield* Effect.fork(value.get)
      const second = yield* Effect.fork(value.get)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(10)
      assert.strictEqual(yield* Fiber.join(second), 1)
      assert.strictEqual(yield* value.get, 1)
      assert.strictEqual(state.found, 1)
    })
  )

  it.scoped("keeps a value as long as configured, from when it was known", () =>
    Effect.gen(function* () {
      const { value } = yield* counter(0)
      assert.strictEqual(yield* value.get, 1)
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* value.get, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* value.get, 2)
    })
  )

  it.scoped("keeps a failure its own time, and less long for who insists", () =>
    Effect.gen(function* () {
      const { state, value } = yield* counter(0)
      state.failing = true
      assert.strictEqual(yield* Effect.flip(value.get), "no")
      yield* TestClock.adjust(50)
      state.failing = false
      assert.strictEqual(yield* Effect.flip(value.get), "no")
      assert.strictEqual(yield* Effect.flip(value.insist(0)), "no")
      assert.strictEqual(yield* value.insist(1), 2)
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* value.insist(500), 2)
    })
  )

  it.scoped("takes a value that was come by elsewhere", () =>
    Effect.gen(function* () {
      const { state, value } = yield* counter(0)
      yield* value.put(42)
      assert.strictEqual(yield* value.get, 42)
      assert.strictEqual(state.found, 0)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as KeyChanges from "../../src/watches/KeyChanges.js"
import * as World from "./World.js"

describe("a key that changes", () => {
  it.scoped("by being enabled resumes what was suspended because it was disabled, and nothing else", () =>
    Effect.gen(function* () {
      const states = (["disabled", "revoked"] as const).map((state) =>
        Effect.gen(function* () {
          const caller = yield* World.makeCaller({ state })
          const id = yield* World.create(caller)
          yield* World.untilDue(caller, id, 1_000)
          assert.strictEqual((yield* World.get(caller, id)).state, "suspended")
          yield* KeyChanges.enabled(caller.id)
          return (yield* World.get(caller, id)).state
        })
      )
      assert.deepStrictEqual(yield* Effect.all(states), ["active", "suspended"])
    }).pipe(Effect.provide(World.inMemory(World.makeSky())))
  )

  it.scoped("by a higher quota wakes what waits for a unit, within a minute", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller({ dailyQuota: 0 })
      const id = yield* World.create(caller)
      yield* TestClock.adjust("61 seconds")
      const waiting = yield* World.get(caller, id)
      assert.strictEqual(waiting.last_error_code, "quota_exhausted")
      assert.isAtLeast(Date.parse(waiting.next_due_at ?? ""), 86_400_000)
      yield* KeyChanges.quotaRaised(caller.id)
      const woken = yield* World.get(caller, id)
      assert.isAtMost(Date.parse(woken.next_due_at ?? ""), 121_000)
    }).pipe(Effect.provide(World.inMemory(World.makeSky())))
  )
})

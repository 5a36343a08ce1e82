import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import * as Id from "../../src/domain/Id.js"
import type * as KeyStore from "../../src/storage/KeyStore.js"
import * as Bell from "../../src/watches/Bell.js"
import * as KeyChanges from "../../src/watches/KeyChanges.js"
import * as World from "./World.js"

describe("a key that changes", () => {
  it.scoped("by being enabled resumes what was suspended because it was disabled, and nothing else", () =>
    Effect.gen(function* () {
      const states = (["disabled", "revoked"] as const).map((state) =>
        Effect.gen(function* () {
          const caller = yield* World.makeCaller({ state })
          const id = yield* World.create(caller)
          // Its first check may have been due within this second.
          const { next_due_at } = yield* World.get(caller, id)
          if (next_due_at !== null) yield* World.untilDue(caller, id, 1_000)
          assert.strictEqual((yield* World.get(caller, id)).state, "suspended")
          yield* KeyChanges.enabled(caller.id)
          return (yield* World.get(caller, id)).state
        })
      )
      assert.deepStrictEqual(yield* Effect.all(states), ["active", "suspended"])
    }).pipe(Effect.provide(World.inMemory(World.makeSky())))
  )

  it.scoped("for its operator: is disabled and enabled again with its watches, and once revoked stays so", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller({})
      const id = yield* World.create(caller)
      const stateAfter = (to: KeyStore.KeyChange) =>
        Effect.gen(function* () {
          yield* KeyChanges.change(caller.id, to)
          // A scheduler looks by itself every few seconds, but the one of this world seldom.
          yield* Effect.flatMap(Bell.Bell, ({ ring }) => ring)
          yield* TestClock.adjust("1 second")
          // Its first check may have been due within this second.
          const { next_due_at } = yield* World.get(caller, id)
          if (next_due_at !== null) yield* World.untilDue(caller, id, 1_000)
          const { state, state_reason } = yield* World.get(caller, id)
          return [state, state_reason]
        })
      assert.deepStrictEqual(yield* stateAfter({ state: "disabled" }), ["suspended", "key_disabled"])
      yield* KeyChanges.change(caller.id, { state: "active" })
      assert.strictEqual((yield* World.get(caller, id)).state, "active")
      assert.deepStrictEqual(yield* stateAfter({ state: "revoked" }), ["suspended", "key_revoked"])
      yield* KeyChanges.change(caller.id, { state: "active" })
      assert.strictEqual((yield* World.get(caller, id)).state, "suspended")
      assert.isTrue(Option.isNone(yield* KeyChanges.change(yield* Id.make("key"), { state: "active" })))
    }).pipe(Effect.provide(World.inMemory(World.makeSky())))
  )

  it.scoped("by a plan wakes what waits for a unit, and its checks spend the units of the plan", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller({ dailyQuota: 0 })
      const id = yield* World.create(caller)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* World.get(caller, id)).last_error_code, "quota_exhausted")
      yield* KeyChanges.change(caller.id, { plan: Option.some("team") })
      yield* Effect.flatMap(Bell.Bell, ({ ring }) => ring)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* World.get(caller, id)).counts.checks, 1)
    }).pipe(Effect.provide(World.inMemory(World.makeSky(), { scheduler: { plans: new Map([["team", 5]]) } })))
  )

  it.scoped("by a higher quota wakes what waits for a unit, within a minute", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller({ dailyQuota: 0 })
      const id = yield* World.create(caller)
      yield* TestClock.adjust("61 seconds")
      const waiting = yield* World.get(caller, id)
      assert.strictEqual(waiting.last_error_code, "quota_exhausted")
      assert.isAtLeast(Date.parse(waiting.next_due_at ?? ""), 86_400_000)
      yield* KeyChanges.change(caller.id, { dailyQuota: 5 })
      const woken = yield* World.get(caller, id)
      assert.isAtMost(Date.parse(woken.next_due_at ?? ""), 121_000)
    }).pipe(Effect.provide(World.inMemory(World.makeSky())))
  )
})

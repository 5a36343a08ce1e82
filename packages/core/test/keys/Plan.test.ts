import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Entropy from "../../src/keys/Entropy.js"
import * as Keys from "../../src/keys/Keys.js"
import * as Plan from "../../src/keys/Plan.js"
import { KeyStore } from "../../src/storage/KeyStore.js"
import * as Storage from "../../src/storage/Storage.js"

const plans: Plan.Plans = new Map([
  ["team", 500],
  ["stopped", 0]
])
const over = (options: Keys.Options) =>
  Keys.layer(options).pipe(Layer.provideMerge(Storage.layerMemory), Layer.provide(Entropy.layerSeeded(7)))

const create = Effect.gen(function* () {
  const keys = yield* Keys.Keys
  const { key } = yield* keys.create({
    label: "my bot",
    expiresInSeconds: Option.none(),
    source: Option.some("192.0.2.1")
  })
  return Redacted.make(key)
})

describe("a plan", () => {
  it("has a name of lower case letters, digits and hyphens", () => {
    for (const name of ["a", "team", "desk-2", "x".repeat(32)]) assert.isTrue(Plan.isName(name), name)
    for (const name of ["", "Team", "2desk", "-a", "a_b", "a b", "none", "x".repeat(33)])
      assert.isFalse(Plan.isName(name), name)
  })

  it.effect("decides the units of a key from the change on, and takes the key out of the limit of its source", () =>
    Effect.gen(function* () {
      const keys = yield* Keys.Keys
      const store = yield* KeyStore
      const secret = yield* create
      const before = yield* keys.authenticate(secret)
      assert.deepStrictEqual([before.dailyQuota, before.source], [50, Option.some("192.0.2.1")])
      assert.isNull((yield* keys.self(before.id)).plan)
      for (const [plan, units, source] of [
        ["team", 500, Option.none()],
        ["stopped", 0, Option.none()],
        // Its own quota holds again, and with it the limit that everybody has.
        ["gone", 50, Option.some("192.0.2.1")]
      ] as const) {
        yield* store.change(before.id, { plan: Option.some(plan) })
        const caller = yield* keys.authenticate(secret)
        assert.deepStrictEqual([caller.dailyQuota, caller.source], [units, source])
        const self = yield* keys.self(before.id)
        assert.deepStrictEqual([self.daily_quota, self.plan], [units, { name: plan, configured: plans.has(plan) }])
      }
      yield* store.change(before.id, { plan: Option.none() })
      assert.deepStrictEqual(yield* keys.authenticate(secret), before)
    }).pipe(Effect.provide(over({ plans })))
  )

  it.effect("is what the answer to a rotation says too", () =>
    Effect.gen(function* () {
      const keys = yield* Keys.Keys
      const presented = yield* create
      const { id } = yield* keys.authenticate(presented)
      yield* (yield* KeyStore).change(id, { plan: Option.some("team") })
      assert.strictEqual((yield* keys.rotate({ presented, overlapSeconds: 0 })).daily_quota, 500)
    }).pipe(Effect.provide(over({ plans })))
  )
})

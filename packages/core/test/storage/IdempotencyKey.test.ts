import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import * as Id from "../../src/domain/Id.js"
import * as ExecutionStore from "../../src/storage/ExecutionStore.js"
import * as IdempotencyKey from "../../src/storage/IdempotencyKey.js"
import * as Storage from "../../src/storage/Storage.js"

describe("IdempotencyKey", () => {
  it.effect("gives all requests of a name one id for a day, and each kind of thing its own", () =>
    Effect.gen(function* () {
      const store = yield* ExecutionStore.ExecutionStore
      const [keyId, first, second, third] = yield* Effect.all([
        Id.make("key"),
        Id.make("wat"),
        Id.make("wat"),
        Id.make("wat")
      ])
      const request = (kind: "watch" | "webhook", asked: unknown = { address: "0x1" }) =>
        IdempotencyKey.make<string>(store, { keyId, kind, name: Option.some("order 1"), asked })
      assert.deepStrictEqual(yield* request("watch").made, Option.none())
      assert.strictEqual(yield* request("watch").claim(first), first)
      assert.strictEqual(yield* request("watch").claim(second), first)
      assert.deepStrictEqual(yield* request("watch").made, Option.some<string>(first))
      assert.deepStrictEqual(yield* request("webhook").made, Option.none())
      const other = yield* Effect.flip(request("watch", { address: "0x2" }).claim(second))
      assert.strictEqual(other._tag, "IdempotencyKeyReused")
      yield* TestClock.adjust(IdempotencyKey.standsForMillis + 1)
      assert.strictEqual(yield* request("watch").claim(third), third)
    }).pipe(Effect.provide(Storage.layerMemory))
  )

  it.effect("leaves requests without a name apart", () =>
    Effect.gen(function* () {
      const store = yield* ExecutionStore.ExecutionStore
      const [keyId, first, second] = yield* Effect.all([Id.make("key"), Id.make("wat"), Id.make("wat")])
      const request = IdempotencyKey.make<string>(store, { keyId, kind: "watch", name: Option.none(), asked: {} })
      assert.strictEqual(yield* request.claim(first), first)
      assert.strictEqual(yield* request.claim(second), second)
      assert.deepStrictEqual(yield* request.made, Option.none())
    }).pipe(Effect.provide(Storage.layerMemory))
  )
})

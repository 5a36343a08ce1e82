import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Ref } from "effect"
import * as EventStore from "../../src/storage/EventStore.js"
import * as ExecutionStore from "../../src/storage/ExecutionStore.js"
import * as KeyStore from "../../src/storage/KeyStore.js"
import * as QuotaStore from "../../src/storage/QuotaStore.js"
import * as Storage from "../../src/storage/Storage.js"
import * as StorageCalls from "../../src/storage/StorageCalls.js"
import * as WatchStore from "../../src/storage/WatchStore.js"

const tags = [
  KeyStore.KeyStore,
  QuotaStore.QuotaStore,
  ExecutionStore.ExecutionStore,
  WatchStore.WatchStore,
  EventStore.EventStore
] as const

const methodsOf = <R>(storage: Layer.Layer<R, never, never>) =>
  Effect.scoped(
    Effect.map(Layer.build(storage), (context) => tags.map(({ key }) => Object.keys(context.unsafeMap.get(key)).sort()))
  )

describe("StorageCalls", () => {
  it.effect("wraps every method that the stores have", () =>
    Effect.gen(function* () {
      const wrapped = StorageCalls.layer((_, effect) => effect).pipe(Layer.provide(Storage.layerMemory))
      assert.deepStrictEqual(yield* methodsOf(wrapped), yield* methodsOf(Storage.layerMemory))
    })
  )

  it.effect("reads and writes nothing while there is a refusal, and names the call", () =>
    Effect.gen(function* () {
      const refusal = yield* Ref.make(Option.some("the schema is too new"))
      const storage = StorageCalls.layerRefusing(Ref.get(refusal)).pipe(Layer.provide(Storage.layerMemory))
      yield* Effect.gen(function* () {
        const watches = yield* WatchStore.WatchStore
        const error = yield* Effect.flip(watches.nextDueAt)
        assert.deepStrictEqual(
          [error.reason, error.operation, error.detail],
          ["unavailable", "WatchStore.nextDueAt", "the schema is too new"]
        )
        yield* Ref.set(refusal, Option.none())
        assert.deepStrictEqual(yield* watches.nextDueAt, Option.none())
      }).pipe(Effect.provide(storage))
    })
  )
})

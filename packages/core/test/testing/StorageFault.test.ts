import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import * as Id from "../../src/domain/Id.js"
import { EventStore } from "../../src/storage/EventStore.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import { KeyStore } from "../../src/storage/KeyStore.js"
import { QuotaStore } from "../../src/storage/QuotaStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { WatchStore } from "../../src/storage/WatchStore.js"
import * as StorageFault from "../../src/testing/StorageFault.js"

const reserve = Effect.gen(function* () {
  const store = yield* QuotaStore
  const [id, keyId] = [yield* Id.make("exe"), yield* Id.make("key")]
  const exit = yield* Effect.exit(store.reserve({ id, keyId, kind: "token", buckets: [], now: 0 }))
  return { exit, keyId }
})
const arm = (fault: StorageFault.Fault) =>
  Effect.flatMap(StorageFault.StorageFault, (faults) => faults.arm(Option.some(fault)))

describe("StorageFault", () => {
  it.effect("fails the chosen call only, before or after its effect", () =>
    Effect.gen(function* () {
      const store = yield* QuotaStore
      for (const moment of ["before", "after"] as const) {
        yield* arm({ call: 2, kind: "fails", moment })
        const [first, second, third] = [yield* reserve, yield* reserve, yield* reserve]
        assert.deepStrictEqual(
          [first, second, third].map(({ exit }) => Exit.isSuccess(exit)),
          [true, false, true]
        )
        assert.isTrue(Exit.isFailure(second.exit) && Cause.isFailType(second.exit.cause))
        const { reserved } = yield* store.count(second.keyId, "1970-01-01")
        assert.strictEqual(reserved, moment === "after" ? 1 : 0)
      }
    }).pipe(Effect.provide(Layer.provide(StorageFault.layer, Storage.layerMemory)))
  )

  it.effect("a crashed process changes nothing more, in any store", () =>
    Effect.gen(function* () {
      const storage = yield* Layer.build(Storage.layerMemory)
      const process = yield* Layer.build(Layer.provide(StorageFault.layer, Layer.succeedContext(storage)))
      const attempts = yield* Effect.gen(function* () {
        yield* arm({ call: 1, kind: "crashes", moment: "after" })
        return [yield* reserve, yield* reserve]
      }).pipe(Effect.provide(process))
      const counts = yield* Effect.forEach(attempts, ({ keyId }) =>
        Effect.provide(
          Effect.flatMap(QuotaStore, (store) => store.count(keyId, "1970-01-01")),
          storage
        )
      )
      assert.deepStrictEqual(
        counts.map(({ reserved }) => reserved),
        [1, 0]
      )
      assert.isTrue(attempts.every(({ exit }) => Exit.isFailure(exit) && Cause.isDie(exit.cause)))
    }).pipe(Effect.scoped)
  )

  it.effect("stands before every method of every store", () =>
    Effect.gen(function* () {
      const beneath = yield* Layer.build(Storage.layerMemory)
      const above = yield* Layer.build(Layer.provide(StorageFault.layer, Layer.succeedContext(beneath)))
      const methods = <I, S extends object>(tag: Context.Tag<I, S>) => ({
        beneath: Object.entries(Context.unsafeGet(beneath, tag)),
        above: new Map<string, unknown>(Object.entries(Context.unsafeGet(above, tag)))
      })
      for (const tag of [KeyStore, QuotaStore, ExecutionStore, WatchStore, EventStore]) {
        const store = methods<unknown, object>(tag as Context.Tag<unknown, object>)
        assert.strictEqual(store.above.size, store.beneath.length, tag.key)
        for (const [name, method] of store.beneath) {
          assert.isTrue(store.above.has(name), `${tag.key}.${name}`)
          assert.notStrictEqual(store.above.get(name), method, `${tag.key}.${name}`)
        }
      }
    }).pipe(Effect.scoped)
  )
})

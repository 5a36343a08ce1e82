import * as Id from "@assay/core/domain/Id"
import * as Reaper from "@assay/core/executions/Reaper"
import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import * as Storage from "@assay/core/storage/Storage"
import { StorageHealth } from "@assay/core/storage/StorageHealth"
import { WatchStore } from "@assay/core/storage/WatchStore"
import { Documents } from "@assay/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Ref } from "effect"
import * as ClaimGuard from "../src/ClaimGuard.js"

describe("ClaimGuard", () => {
  it.effect(
    "ends no execution past its lease while something is known against the stores, and every one after that",
    () =>
      Effect.gen(function* () {
        const known = yield* Ref.make(Option.some("The clocks are 40 s apart."))
        const health = Layer.succeed(StorageHealth, { cause: Ref.get(known) })
        yield* Effect.gen(function* () {
          const store = yield* ExecutionStore
          const [id, keyId] = [yield* Id.make("exe"), yield* Id.make("key")]
          const running = Documents.running(id, Documents.token(7), 0)
          yield* store.begin({ id, keyId, joinKey: id, slots: 1, lease: { token: id, until: -1 }, running })
          yield* Reaper.sweep()
          assert.deepStrictEqual(yield* store.status(id), Option.some("running"))
          assert.isFalse(yield* Reaper.endIfLost(id))
          yield* Ref.set(known, Option.none())
          yield* Reaper.sweep()
          assert.deepStrictEqual(yield* store.status(id), Option.some("failed"))
        }).pipe(Effect.provide(ClaimGuard.layer.pipe(Layer.provide(health), Layer.provide(Storage.layerMemory))))
      })
  )

  it.effect("claims no watch, no run past its lease and no delivery meanwhile", () =>
    Effect.gen(function* () {
      const known = yield* Ref.make(Option.none<string>())
      const asked: Array<string> = []
      const spied = Layer.map(Storage.layerMemory, (stores) => {
        const noting = (name: string) => () =>
          Effect.sync((): ReadonlyArray<never> => {
            asked.push(name)
            return []
          })
        return stores.pipe(
          Context.add(WatchStore, {
            ...Context.get(stores, WatchStore),
            claimDue: noting("claimDue"),
            expired: noting("expired")
          }),
          Context.add(EventStore, { ...Context.get(stores, EventStore), claimDeliveries: noting("claimDeliveries") })
        )
      })
      const askAll = Effect.gen(function* () {
        const [watches, events] = [yield* WatchStore, yield* EventStore]
        const begin = () => {
          throw new Error("there is nothing to begin")
        }
        yield* watches.claimDue({ now: 1, until: 2, slots: [], perKey: 1, begin })
        yield* watches.expired(1, 1)
        yield* events.claimDeliveries({ now: 1, until: 2, tokens: [], perEndpoint: 1 })
      })
      const health = Layer.succeed(StorageHealth, { cause: Ref.get(known) })
      yield* Effect.gen(function* () {
        yield* askAll
        assert.deepStrictEqual(asked.splice(0), ["claimDue", "expired", "claimDeliveries"])
        yield* Ref.set(known, Option.some("The disk is full."))
        yield* askAll
        assert.deepStrictEqual(asked, [])
      }).pipe(Effect.provide(ClaimGuard.layer.pipe(Layer.provide(health), Layer.provide(spied))))
    })
  )
})

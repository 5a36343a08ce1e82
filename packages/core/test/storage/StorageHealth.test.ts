import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as StorageHealth from "../../src/storage/StorageHealth.js"

it.effect("nothing is ever known against stores in memory", () =>
  Effect.gen(function* () {
    const health = yield* StorageHealth.StorageHealth
    assert.deepStrictEqual(yield* health.cause, Option.none())
  }).pipe(Effect.provide(StorageHealth.layerMemory))
)

import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as StorageVersion from "../../src/storage/StorageVersion.js"

describe("StorageVersion", () => {
  it.effect("stores that do not know have no version, so that nothing read from them is used again", () =>
    Effect.map(StorageVersion.StorageVersion, ({ current, ofKey }) => {
      assert.deepStrictEqual([current(), current()], [Option.none(), Option.none()])
      assert.deepStrictEqual(ofKey("key_00000000000000000000000000"), Option.none())
    }).pipe(Effect.provide(StorageVersion.layerUnknown))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as Part from "../../src/runtime/Part.js"

describe("Part", () => {
  it.effect("that cannot be loaded ends what needs it, and is tried again by the next use", () =>
    Effect.gen(function* () {
      let isOffline = true
      const load = Part.load("the analyzer", () =>
        isOffline ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve("loaded")
      )
      assert.deepStrictEqual(yield* Effect.exit(load), Exit.die(new Part.PartUnavailable({ part: "the analyzer" })))
      isOffline = false
      assert.strictEqual(yield* load, "loaded")
    })
  )
})

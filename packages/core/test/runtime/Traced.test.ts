import { describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { assert } from "vitest"
import { traced } from "../../src/runtime/Traced.js"

describe("Traced", () => {
  it.effect("makes a span with its attributes where spans are made, and works nothing out where they are not", () =>
    Effect.gen(function* () {
      let made = 0
      const self = Effect.option(Effect.currentSpan).pipe(
        traced("Endpoint.request", () => {
          made++
          return { attributes: { calls: 3 } }
        })
      )
      const span = Option.getOrThrow(yield* self)
      assert.strictEqual(span.name, "Endpoint.request")
      assert.strictEqual(span.attributes.get("calls"), 3)
      assert.isTrue(Option.isNone(yield* Effect.withTracerEnabled(self, false)))
      assert.strictEqual(made, 1)
    })
  )
})

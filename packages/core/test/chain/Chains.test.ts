import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Chains from "../../src/chain/Chains.js"

const base = Chains.make({ id: 8_453, endpoints: ["http://127.0.0.1:1"] })
const sandbox = Chains.make({ id: 31_337, name: "sandbox", addressBook: 1, endpoints: ["http://127.0.0.1:2"] })

describe("Chains", () => {
  it("takes the public data of a chain, unless it is configured otherwise", () => {
    assert.deepInclude(base, { id: 8_453, name: "base", addressBook: 8_453 })
    assert.isTrue(Option.isSome(base.explorer))
    assert.deepInclude(sandbox, { name: "sandbox", addressBook: 1, explorer: Option.none() })
    assert.strictEqual(Chains.make({ id: 999_999_937, endpoints: ["http://127.0.0.1:1"] }).name, "chain-999999937")
  })

  it.effect("finds a chain by id or name in any case, and the default one where none is named", () =>
    Effect.gen(function* () {
      const chains = yield* Chains.Chains
      assert.strictEqual(chains.default, base)
      assert.strictEqual(yield* chains.find(Option.none()), base)
      assert.strictEqual(yield* chains.find(Option.some("31337")), sandbox)
      assert.strictEqual(yield* chains.find(Option.some("Sandbox")), sandbox)
      const error = yield* Effect.flip(chains.find(Option.some("x".repeat(500))))
      assert.strictEqual(error.chain.length, 64)
    }).pipe(Effect.provide(Chains.layer([base, sandbox])))
  )

  it.effect("takes the configured default chain", () =>
    Effect.gen(function* () {
      const chains = yield* Chains.Chains
      assert.strictEqual(chains.default, sandbox)
    }).pipe(Effect.provide(Chains.layer([base, sandbox], { default: 31_337 })))
  )
})

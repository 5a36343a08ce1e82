import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { reclaimable } from "../../../src/checks/contract/Reclaimable.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Script } from "../../../src/testing/ScriptedChain.js"
import { compile } from "../../facts/Compiled.js"
import { alice, bob, failing, nobody, own, person, said, target, word } from "../Scripted.js"

const { functions, selector } = Selectors
const code = compile("Owned.sol")

const owned = (runtime: Hex, owner: Hex, variables: ReadonlyArray<Hex>, options: Partial<Script> = {}) =>
  said(reclaimable, "token", {
    accounts: {
      [target]: {
        code: runtime,
        calls: { [functions.owner]: word(owner) },
        storage: Object.fromEntries(variables.map((value, index) => [word(BigInt(2 + index)), value]))
      },
      [alice]: person,
      [bob]: person
    },
    ...options
  })

describe("control.reclaimable", () => {
  it.effect("is confirmed and critical of an owner who is gone and can come back", () =>
    Effect.gen(function* () {
      const [item] = yield* owned(code("Locking"), nobody, [word(nobody), word(alice)])
      assert.deepInclude(item, { says: "confirmed", severity: "critical", controller: "eoa" })
      assert.deepStrictEqual(item?.value, {
        owner: nobody,
        functions: [selector("unlock()")],
        takers: [alice],
        complete: true
      })
    })
  )

  it.effect("is confirmed and high where the owner is still there", () =>
    Effect.gen(function* () {
      const [item] = yield* owned(code("Keeper"), alice, [word(alice), word(bob)])
      assert.deepInclude(item, { says: "confirmed", severity: "high" })
      assert.deepStrictEqual(item?.value?.takers, [bob])
      const [anybody] = yield* owned(code("Anybody"), alice, [word(alice)])
      assert.deepInclude(anybody, { says: "confirmed", controller: "eoa" })
    })
  )

  it.effect("is refuted where only the owner changes who that is", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* owned(code("Plain"), alice, [word(alice)]))[0]?.says, "refuted")
      assert.strictEqual((yield* owned(code("TwoStep"), nobody, []))[0]?.says, "refuted")
    })
  )

  it.effect("does not apply where there is no owner to take it from", () =>
    Effect.gen(function* () {
      const none = yield* said(reclaimable, "token", { accounts: { [target]: { code: own("PlainToken") } } })
      assert.deepStrictEqual(none, [])
    })
  )

  it.effect("is unknown where a way was not followed to its end, or the owner was not read", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* owned(code("Asking"), alice, [word(alice)]))[0]?.says, "unknown: inconclusive")
      const [lost] = yield* owned(code("Plain"), alice, [word(alice)], { fault: failing("eth_call", functions.owner) })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})

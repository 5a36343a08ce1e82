import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Functions from "../../../src/facts/code/Functions.js"
import * as PresentFlow from "../../../src/facts/code/PresentFlow.js"
import * as Proxy from "../../../src/facts/code/Proxy.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import { target, word } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const regained = compile("Regained.sol")

const usedUp = (contract: string, first: bigint) =>
  Effect.gen(function* () {
    const { value } = yield* (yield* Functions.Functions).of(target)
    return (yield* PresentFlow.usedUp(yield* ChainState, target, value.logics)).size
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Functions.layer.pipe(Layer.provideMerge(Proxy.layer), Layer.provideMerge(Facts.layer)),
        ScriptedChain.layer({
          accounts: { [target]: { code: regained(contract), storage: { [word(0n)]: word(first) } } }
        })
      )
    )
  )

describe("PresentFlow.usedUp", () => {
  it.effect("knows a function that did once what it does", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* usedUp("SetUp", 0n), 0)
      assert.strictEqual(yield* usedUp("SetUp", 1n), 1)
    })
  )

  it.effect("takes none for used up that still has others do what its caller wants", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* usedUp("Errand", 1n), 0)
      assert.strictEqual(yield* usedUp("Errand", 0x101n), 0)
    })
  )
})

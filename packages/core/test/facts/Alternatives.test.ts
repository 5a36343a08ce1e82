// With Alternatives.sol in packages/core/test/evm/contracts
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { reclaimable } from "../../src/checks/contract/Reclaimable.js"
import * as Controller from "../../src/domain/Controller.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Selectors from "../../src/evm/bytecode/Selectors.js"
import * as Control from "../../src/facts/control/Control.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as Facts from "../checks/Facts.js"
import { account, alice, bob, nobody, person, safe, said, target, word } from "../checks/Scripted.js"
import { contracts, describeCompiled } from "../evm/Compiled.js"

const { functions } = Selectors
const carol = account("c")
const council = safe(2n, [alice, carol, account("d")])

describeCompiled("of several accounts of which one is enough", (pipeline) => {
  const puppets = ["PairPuppet", "AskingPuppet", "MixingPuppet", "RefusingPuppet"]
  const made = contracts(pipeline, "Alternatives.sol")
  const keeping = (name: string, owner: Hex, backup: Hex): ScriptedChain.Account => ({
    code: made(name).code,
    calls: { [functions.owner]: word(owner) },
    storage: { [word(0n)]: word(owner), [word(1n)]: word(backup) }
  })

  it.effect("the weakest decides, and one who is nobody shuts nobody else out", () =>
    Effect.gen(function* () {
      for (const name of puppets)
        for (const [owner, backup] of [
          [nobody, alice],
          [alice, nobody],
          [carol, alice],
          [alice, carol]
        ] as const) {
          const accounts = { [alice]: person, [carol]: council, [bob]: keeping(name, owner, backup) }
          const controller = yield* Effect.flatMap(Control.Control, (control) => control.classify(bob)).pipe(
            Effect.provide(Layer.provideMerge(Facts.layer, ScriptedChain.layer({ accounts })))
          )
          assert.deepStrictEqual(controller.value, Controller.make("eoa", { address: alice }), name)
        }
    })
  )

  it.effect("the other one can take ownership, with an owner and without", () =>
    Effect.gen(function* () {
      for (const owner of [nobody, carol]) {
        const accounts = { [alice]: person, [carol]: council, [target]: keeping("PairOwned", owner, alice) }
        assert.strictEqual((yield* said(reclaimable, "contract", { accounts }))[0]?.says, "confirmed")
      }
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as RoleGetter from "../../../src/evm/patterns/RoleGetter.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { compile } from "../../facts/Compiled.js"
import { artifact } from "../Compiled.js"

const code = compile("Granting.sol")

const mayMislead = (runtime: Hex) =>
  Effect.flatMap(StorageFlow.analyse(runtime), (flow) =>
    Slices.run(() => RoleGetter.mayMislead(CodeModel.of(runtime), flow))
  )

describe("RoleGetter.mayMislead", () => {
  it.effect.each([
    "@openzeppelin/contracts/build/contracts/TimelockController.json",
    "@openzeppelin/contracts-upgradeable/build/contracts/TimelockControllerUpgradeable.json",
    "openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json"
  ])("does not of what OpenZeppelin publishes: %s", (path) =>
    Effect.gen(function* () {
      assert.isFalse(yield* mayMislead(artifact(path)))
    })
  )

  it.effect("does not where the entry of the role and the account is the answer, nor of code without the getter", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* mayMislead(code("AnsweringFrankly")))
      assert.isFalse(yield* mayMislead("0x00"))
    })
  )

  it.effect("does where the answer depends on the caller, the transaction, another list or another account", () =>
    Effect.gen(function* () {
      for (const name of ["AnsweringHimself", "AnsweringByPrice", "AnsweringButOne", "AnsweringOfKeeper"])
        assert.isTrue(yield* mayMislead(code(name)), name)
    })
  )
})

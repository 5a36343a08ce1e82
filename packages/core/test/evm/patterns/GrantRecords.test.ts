import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as GrantRecords from "../../../src/evm/patterns/GrantRecords.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { compile } from "../../facts/Compiled.js"
import { artifact } from "../Compiled.js"

const code = compile("Granting.sol")

const missing = (runtime: Hex) =>
  Effect.flatMap(StorageFlow.analyse(runtime), (flow) =>
    Slices.run(() => GrantRecords.missing(CodeModel.of(runtime), flow))
  )

describe("GrantRecords.missing", () => {
  it.effect.each([
    "@openzeppelin/contracts/build/contracts/TimelockController.json",
    "@openzeppelin/contracts-upgradeable/build/contracts/TimelockControllerUpgradeable.json",
    "openzeppelin-contracts-4/build/contracts/TimelockController.json",
    "openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json",
    "@uniswap/v3-periphery/node_modules/@openzeppelin/contracts/build/contracts/TimelockController.json"
  ])("is nothing of what OpenZeppelin publishes: %s", (path) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* missing(artifact(path)), [])
    })
  )

  it.effect("is nothing where every grant of a role emits its event", () =>
    Effect.gen(function* () {
      for (const name of ["TellingToken", "FrankToken"]) assert.deepStrictEqual(yield* missing(code(name)), [])
    })
  )

  it.effect("is the function that emits no event, not for every role, or for another account", () =>
    Effect.gen(function* () {
      const granting = Selectors.selector("grantRole(bytes32,address)")
      assert.deepStrictEqual(yield* missing(code("SilentToken")), [Selectors.selector("grantQuietly(bytes32,address)")])
      assert.deepStrictEqual(yield* missing(code("DiscreetToken")), [granting])
      assert.deepStrictEqual(yield* missing(code("LyingToken")), [granting])
    })
  )
})

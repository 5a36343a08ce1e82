import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Hex } from "../../src/domain/Hex.js"
import * as PlannedCalls from "../../src/evm/PlannedCalls.js"
import * as StorageFlow from "../../src/evm/StorageFlow.js"
import * as TimelockPattern from "../../src/evm/TimelockPattern.js"
import { artifact } from "./Compiled.js"

/** Whether the function of a timelock that acts calls nobody before it has asked for a plan. */
const planned = (code: Hex) =>
  Effect.gen(function* () {
    const pattern = Option.getOrThrow(TimelockPattern.of(yield* StorageFlow.analyse(code)))
    return yield* PlannedCalls.everyCallIsPlanned(code, [TimelockPattern.execute], pattern.plans)
  })

describe("PlannedCalls.everyCallIsPlanned", () => {
  it.effect.each([
    "@openzeppelin/contracts/build/contracts/TimelockController.json",
    "openzeppelin-contracts-4/build/contracts/TimelockController.json",
    "@uniswap/v3-periphery/node_modules/@openzeppelin/contracts/build/contracts/TimelockController.json"
  ])("holds of OpenZeppelin's timelock: %s", (path) =>
    Effect.gen(function* () {
      assert.isTrue(yield* planned(artifact(path)))
    })
  )

  it.effect("does not hold where one path goes past the question", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* planned(Artifact.own("SidesteppingTimelock").deployedBytecode ?? "0x"))
    })
  )

  it.effect("does not hold of another mapping", () =>
    Effect.gen(function* () {
      const code = artifact("@openzeppelin/contracts/build/contracts/TimelockController.json")
      assert.isFalse(yield* PlannedCalls.everyCallIsPlanned(code, [TimelockPattern.execute], "0x7[k]"))
    })
  )
})

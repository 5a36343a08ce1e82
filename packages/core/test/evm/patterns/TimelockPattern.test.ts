import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as TimelockPattern from "../../../src/evm/patterns/TimelockPattern.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { compile } from "../../facts/Compiled.js"
import { artifact, contracts, describeCompiled } from "../Compiled.js"

const code = compile("Timelocks.sol")

const of = (runtime: Hex) =>
  Effect.map(StorageFlow.analyse(runtime), (flow) =>
    Option.getOrUndefined(Option.map(TimelockPattern.of(flow), ({ kind }) => kind))
  )

describe("TimelockPattern.of", () => {
  it.effect.each([
    "@openzeppelin/contracts/build/contracts/TimelockController.json",
    "openzeppelin-contracts-4/build/contracts/TimelockController.json",
    "@uniswap/v3-periphery/node_modules/@openzeppelin/contracts/build/contracts/TimelockController.json"
  ])("knows OpenZeppelin's timelock by what it does: %s", (path) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* of(artifact(path)), "openzeppelin")
    })
  )

  it.effect("knows Compound's, whatever function stands beside its own", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* of(code("CompoundTimelock")), "compound")
      assert.strictEqual(yield* of(code("HastyTimelock")), "compound")
    })
  )

  it.effect("rejects code where an account sets the delay, or schedules around it", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* of(code("SettableTimelock")))
      assert.isUndefined(yield* of(code("BackdatedTimelock")))
    })
  )

  describeCompiled("a queue", (pipeline) =>
    it.effect("rejects code where an account besides itself may set the delay", () =>
      Effect.gen(function* () {
        const made = contracts(pipeline, "Announcements.sol")
        assert.strictEqual(yield* of(made("TellingQueue").code), "compound")
        for (const name of ["ServedQueue", "RegisteredQueue"]) assert.isUndefined(yield* of(made(name).code), name)
      })
    )
  )

  it.effect("takes for none where something else than a plan is enough", () =>
    Effect.gen(function* () {
      const own = (name: string) => of(Artifact.own(name).deployedBytecode ?? "0x")
      assert.strictEqual(yield* own("RoleTimelock"), "openzeppelin")
      assert.isUndefined(yield* own("ExemptingTimelock"))
      assert.isUndefined(yield* own("PrivilegedTimelock"))
    })
  )

  it.effect("takes for none where what is taken back is planned instead", () =>
    Effect.gen(function* () {
      const made = contracts("optimised", "Waits.sol")
      assert.strictEqual(yield* of(made("PatientQueue").code), "compound")
      assert.isUndefined(yield* of(made("RecallingQueue").code))
    })
  )

  it.effect("takes an answer to getMinDelay() for nothing", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* of("0x00"))
      assert.isUndefined(yield* of(artifact("@openzeppelin/contracts/build/contracts/ProxyAdmin.json")))
    })
  )
})

import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Hex } from "../../../src/domain/Hex.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as PlannedCalls from "../../../src/evm/patterns/PlannedCalls.js"
import * as TimelockPattern from "../../../src/evm/patterns/TimelockPattern.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { artifact, contracts, describeCompiled } from "../Compiled.js"

/**
 * Whether functions of a timelock that act call nobody before what they do was planned and is due, by the pattern of its own
 * code or of an honest one that it is made from.
 */
const planned = (code: Hex, acting: ReadonlyArray<Hex>, honest: Hex = code) =>
  Effect.gen(function* () {
    const pattern = Option.getOrThrow(TimelockPattern.of(yield* StorageFlow.analyse(honest)))
    return yield* Slices.run(() => PlannedCalls.everyCallIsPlanned(CodeModel.of(code), acting, pattern))
  })

/** Whether the functions of a timelock that plan something plan nothing that does not wait. */
const patient = (code: Hex, planning: ReadonlyArray<Hex>) =>
  Effect.gen(function* () {
    const pattern = Option.getOrThrow(TimelockPattern.of(yield* StorageFlow.analyse(code)))
    return yield* Slices.run(() => PlannedCalls.everyPlanWaits(CodeModel.of(code), planning, pattern))
  })

/** Whether those functions emit an event for everything that they schedule. */
const told = (code: Hex, planning: ReadonlyArray<Hex>) =>
  Effect.gen(function* () {
    const pattern = Option.getOrThrow(TimelockPattern.of(yield* StorageFlow.analyse(code)))
    return yield* Slices.run(() => PlannedCalls.everyPlanIsTold(CodeModel.of(code), planning, pattern))
  })

const { execute, executeBatch, executeTransaction, queueTransaction, schedule, scheduleBatch } = TimelockPattern
const publishedTimelocks = [
  "@openzeppelin/contracts/build/contracts/TimelockController.json",
  "openzeppelin-contracts-4/build/contracts/TimelockController.json",
  "@uniswap/v3-periphery/node_modules/@openzeppelin/contracts/build/contracts/TimelockController.json"
]

describe("PlannedCalls.everyCallIsPlanned", () => {
  it.effect.each(publishedTimelocks)("holds of OpenZeppelin's timelock, one call and several: %s", (path) =>
    Effect.gen(function* () {
      assert.isTrue(yield* planned(artifact(path), [execute]))
      assert.isTrue(yield* planned(artifact(path), [executeBatch]))
    })
  )

  describeCompiled("of what is", (pipeline) => {
    const made = contracts(pipeline, "PlannedCalls.sol")
    const timelock = (name: string, acting: Hex) => planned(made(name).code, [acting], made("PlainTimelock").code)
    const queue = (name: string) => planned(made(name).code, [executeTransaction], made("PlainQueue").code)

    it.effect("holds of a timelock like it, and of one like Compound's", () =>
      Effect.gen(function* () {
        assert.isTrue(yield* timelock("PlainTimelock", execute))
        assert.isTrue(yield* timelock("PlainTimelock", executeBatch))
        assert.isTrue(yield* queue("PlainQueue"))
      })
    )

    it.effect("does not hold where an argument stands for the plan, in one call or in several", () =>
      Effect.gen(function* () {
        assert.isFalse(yield* timelock("SecretTimelock", execute))
        assert.isFalse(yield* timelock("SecretTimelock", executeBatch))
        assert.isFalse(yield* timelock("UnplannedTimelock", execute))
      })
    )

    it.effect("does not hold where an argument stands for the time, or adds to it", () =>
      Effect.gen(function* () {
        assert.isFalse(yield* timelock("FastTimelock", execute))
        assert.isFalse(yield* queue("SecretQueue"))
        assert.isFalse(yield* queue("FastQueue"))
      })
    )
  })

  it.effect("does not hold where one path goes past the question", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* planned(Artifact.own("SidesteppingTimelock").deployedBytecode ?? "0x", [execute]))
    })
  )

  it.effect("does not hold of another mapping", () =>
    Effect.gen(function* () {
      const code = artifact("@openzeppelin/contracts/build/contracts/TimelockController.json")
      const other = { kind: "openzeppelin", plans: "0x7[k]" } as const
      assert.isFalse(yield* Slices.run(() => PlannedCalls.everyCallIsPlanned(CodeModel.of(code), [execute], other)))
    })
  )
})

describe("PlannedCalls.everyPlanWaits", () => {
  it.effect.each(publishedTimelocks)("holds of OpenZeppelin's timelock, one call and several: %s", (path) =>
    Effect.gen(function* () {
      assert.isTrue(yield* patient(artifact(path), [schedule]))
      assert.isTrue(yield* patient(artifact(path), [scheduleBatch]))
    })
  )

  describeCompiled("of what is", (pipeline) => {
    const made = contracts(pipeline, "Waits.sol")
    const plain = contracts(pipeline, "PlannedCalls.sol")

    it.effect("holds of a timelock like it, and of one like Compound's", () =>
      Effect.gen(function* () {
        assert.isTrue(yield* patient(plain("PlainTimelock").code, [schedule, scheduleBatch]))
        assert.isTrue(yield* patient(plain("PlainQueue").code, [queueTransaction]))
        assert.isTrue(yield* patient(made("PatientQueue").code, [queueTransaction]))
        assert.isTrue(yield* patient(made("PatientPlanner").code, [schedule]))
        assert.isTrue(yield* patient(made("PackedPlanner").code, [schedule]))
      })
    )

    it.effect("does not hold where what is planned for one contract need not wait", () =>
      Effect.gen(function* () {
        assert.isFalse(yield* patient(made("FavouringQueue").code, [queueTransaction]))
        assert.isFalse(yield* patient(made("ExceptingQueue").code, [queueTransaction]))
      })
    )

    it.effect("does not hold where a proposer need not wait", () =>
      Effect.gen(function* () {
        assert.isFalse(yield* patient(made("GuardedPlanner").code, [schedule]))
        assert.isFalse(yield* patient(made("HurriedPlanner").code, [schedule]))
      })
    )

    it.effect("does not hold where a wait that is long enough begins at zero again", () =>
      Effect.gen(function* () {
        assert.isFalse(yield* patient(made("WrappingPlanner").code, [schedule]))
      })
    )
  })
})

describe("PlannedCalls.everyPlanIsTold", () => {
  it.effect.each(publishedTimelocks)("holds of OpenZeppelin's timelock, one call and several: %s", (path) =>
    Effect.gen(function* () {
      assert.isTrue(yield* told(artifact(path), [schedule]))
      assert.isTrue(yield* told(artifact(path), [scheduleBatch]))
    })
  )

  describeCompiled("of what is", (pipeline) => {
    const made = contracts(pipeline, "Announcements.sol")
    const silent = contracts(pipeline, "PlannedCalls.sol")

    it.effect("holds of a timelock like it, and of Compound's", () =>
      Effect.gen(function* () {
        assert.isTrue(yield* told(made("OpenTimelock").code, [schedule, scheduleBatch]))
        assert.isTrue(yield* told(made("TellingQueue").code, [queueTransaction]))
      })
    )

    it.effect("does not hold where something is planned without a word, or under another name", () =>
      Effect.gen(function* () {
        assert.isFalse(yield* told(silent("PlainQueue").code, [queueTransaction]))
        for (const name of ["DiscreetQueue", "MisnamingQueue"])
          assert.isFalse(yield* told(made(name).code, [queueTransaction]), name)
      })
    )

    it.effect("does not hold where one of several calls is enough to plan them all without a word", () =>
      Effect.gen(function* () {
        assert.isTrue(yield* told(made("SilentBatchTimelock").code, [schedule]))
        assert.isFalse(yield* told(made("SilentBatchTimelock").code, [scheduleBatch]))
      })
    )

    it.effect("is over where Compound's timelock takes it for too old, and no sooner", () =>
      Effect.gen(function* () {
        const over = (name: string, grace: number) =>
          Slices.run(() => PlannedCalls.everyPlanExpires(CodeModel.of(made(name).code), [executeTransaction], grace))
        assert.isTrue(yield* over("TellingQueue", 1_209_600))
        assert.isFalse(yield* over("TellingQueue", 86_400))
        assert.isFalse(yield* over("LastingQueue", 1_209_600))
      })
    )
  })
})

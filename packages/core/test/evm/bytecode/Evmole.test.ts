import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as Evmole from "../../../src/evm/bytecode/Evmole.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"

// PUSH1 0 CALLDATALOAD PUSH1 e0 SHR, DUP1 PUSH4 owner() EQ PUSH1 11 JUMPI STOP JUMPDEST STOP
const dispatcher = "0x60003560e01c80638da5cb5b14601157005b00"

const absent = Effect.provideService(Evmole.Loader, () => Promise.reject(new Error("no such file")))

const trapping = Effect.provideService(Evmole.Loader, () =>
  Promise.resolve({
    contractInfo: () => {
      throw new Error("unreachable")
    }
  })
)

describe("evmole", () => {
  it.effect("that cannot be loaded is never taken for a code without functions", () =>
    Effect.gen(function* () {
      for (const reading of [
        Effect.asVoid(Selectors.dispatched(dispatcher)),
        Effect.asVoid(Selectors.describe(dispatcher)),
        Effect.asVoid(StorageFlow.selectorsOf(dispatcher)),
        Effect.asVoid(StorageFlow.analyse(dispatcher))
      ]) {
        const exit = yield* Effect.exit(absent(reading))
        const defects = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)] : []
        assert.deepStrictEqual(
          defects.map((thrown) => thrown instanceof Evmole.EvmoleUnavailable),
          [true]
        )
      }
    })
  )

  it.effect(
    "that traps on hostile code leaves the functions to those that are found where the code compares them",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* trapping(StorageFlow.selectorsOf(dispatcher)), [])
        const { functions } = yield* trapping(StorageFlow.analyse(dispatcher))
        assert.include(
          functions.map(({ selector }) => selector),
          "0x8da5cb5b"
        )
      })
  )

  it.effect("is there after it could not be loaded once", () =>
    Effect.gen(function* () {
      yield* Effect.exit(absent(Selectors.dispatched(dispatcher)))
      assert.deepStrictEqual(yield* Selectors.dispatched(dispatcher), ["0x8da5cb5b"])
    })
  )
})

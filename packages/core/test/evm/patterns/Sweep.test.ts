import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Sweep from "../../../src/evm/patterns/Sweep.js"
import { compile } from "../../facts/Compiled.js"

const runtime = compile("Delegates.sol")

describe("what becomes of a payment to code", () => {
  it.effect.each(["HandsOn", "HandsOnFromStorage", "HandsOnAll", "Ends"])(
    "is seen to go to another account in %s",
    (name) =>
      Effect.gen(function* () {
        assert.isTrue(yield* Sweep.handsOnValue(runtime(name)))
      })
  )

  it.effect.each(["Account", "GivesBack", "Tells"])("is not taken for stolen in %s", (name) =>
    Effect.gen(function* () {
      assert.isFalse(yield* Sweep.handsOnValue(runtime(name)))
    })
  )

  it.effect("of an address without code, and of bytes that are no code, goes nowhere", () =>
    Effect.gen(function* () {
      for (const code of ["0x", "0xfe", `0x${"5b".repeat(24_576)}`] as const)
        assert.isFalse(yield* Sweep.handsOnValue(code))
    })
  )
})

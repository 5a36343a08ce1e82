import { assert, it } from "@effect/vitest"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as SwapProof from "../../../src/evm/token/SwapProof.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { contracts, describeCompiled } from "../Compiled.js"

const manager = "0x000000000004444c5dc75cB358380D2e3dE08A90"

const { after, before } = SwapProof.entries

const isIdle = (code: `0x${string}`, calls: ReadonlyArray<SwapProof.Entry>): boolean =>
  Slices.complete(SwapProof.isIdle(CodeModel.of(code), manager, calls))

describeCompiled("SwapProof", (pipeline) => {
  const of = contracts(pipeline, "SwapEntries.sol")

  it("is that no swap depends on a hook that answers and does no more", () => {
    for (const name of ["Passes", "OnlyLogs", "TakesNoData", "SaysSo"])
      assert.isTrue(isIdle(of(name).code, [before, after]), name)
    assert.isTrue(isIdle(of("OnlyAfter").code, [after]))
  })

  it("is not given where the code can stop a swap, answer another thing, store, call, or be replaced", () => {
    for (const name of [
      "WantsData",
      "RefusesSales",
      "RefusesMuch",
      "RefusesLater",
      "RefusesOrigin",
      "RefusesSender",
      "RefusesFee",
      "RefusesGas",
      "RefusesBySwitch",
      "Stores",
      "StoresForTransaction",
      "Calls",
      "Looks",
      "Spends",
      "Replaceable"
    ])
      for (const call of [before, after]) assert.isFalse(isIdle(of(name).code, [call]), name)
    for (const name of ["AnswersWrong", "AnswersStored", "OtherManager", "AnswersShort", "OnlyAfter"])
      assert.isFalse(isIdle(of(name).code, [before]), name)
  })

  it("is not given of code that is none of a contract's", () => {
    for (const code of ["0x", "0xef01001234567890123456789012345678901234567890", "0x00", "0xef00"] as const)
      assert.isFalse(isIdle(code, [before]), code)
  })
})

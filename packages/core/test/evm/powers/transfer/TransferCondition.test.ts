import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { toFunctionSelector } from "viem/utils"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"

const powersOf = (contract: string) => {
  const { abi, deployedBytecode: code = "0x" } = Artifact.own(contract)
  const selectors = abi.flatMap((item) => (item.type === "function" ? [toFunctionSelector(item)] : []))
  return TokenPowers.of(code, StorageFlow.analyseWith(code, selectors))
}

describe("what a requirement of a transfer is decided by", () => {
  it("is the list that counts from when there is a pool, and not only that there is one", () => {
    const { whitelist } = powersOf("ReceiverToken")
    assert.strictEqual(whitelist.state, "found")
    assert.deepStrictEqual(
      whitelist.levers.map(({ selector }) => selector),
      [toFunctionSelector("setKnown(address,bool)")]
    )
  })
})

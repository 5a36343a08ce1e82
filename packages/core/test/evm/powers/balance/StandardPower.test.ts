import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as StandardPower from "../../../../src/evm/powers/balance/StandardPower.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as Erc20 from "../../../../src/evm/token/Erc20.js"
import * as TokenBooks from "../../../../src/evm/token/TokenBooks.js"

const askedBy = (contract: string, selector: Hex) => {
  const code = Artifact.own(contract).deployedBytecode ?? "0x"
  const flow = StorageFlow.analyseWith(code, Object.values(Selectors.functions))
  const entry = Erc20.functionOf(flow, selector)
  return entry === undefined ? undefined : StandardPower.makeReader(flow, TokenBooks.of(flow))(entry)
}

describe("what a condition about the caller gives", () => {
  it("is nothing where a getter answers an account differently by another contract's answer", () => {
    assert.deepStrictEqual(askedBy("PairLiarToken", Selectors.functions.balanceOf), [])
  })
})

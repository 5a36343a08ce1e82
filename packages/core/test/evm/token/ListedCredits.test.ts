import { assert, it } from "@effect/vitest"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as CodeModel from "../../../src/evm/interpreter/CodeModel.js"
import * as ListedCredits from "../../../src/evm/token/ListedCredits.js"
import * as Slices from "../../../src/runtime/Slices.js"
import { contracts, describeCompiled } from "../Compiled.js"

const places = { balances: "0x1[k]", mapping: "0x3[k]" }

describeCompiled("ListedCredits", (pipeline) => {
  const contract = contracts(pipeline, "FreeTransfers.sol")
  const of = (name: string, ...signatures: ReadonlyArray<string>): boolean =>
    Slices.complete(ListedCredits.areAll(CodeModel.of(contract(name).code), places, signatures.map(Selectors.selector)))

  it("are those with a checked receiver, and no debits", () => {
    assert.isTrue(of("Members"))
    assert.isTrue(of("Members", "issue(address,uint256)", "redeem(address,uint256)"))
  })

  it("are none where the receiver was not checked, or another account was, or too late, or not to be on a list", () => {
    assert.isFalse(of("Presale", "buy()"))
    assert.isFalse(of("WrongBuyer", "sell(address,address,uint256)"))
    assert.isFalse(of("LateList", "give(address,uint256)"))
  })

  it("are none of a function that was not followed to its end, or that answers no selector", () => {
    assert.isFalse(of("Members", "enrol(address[],bool)"))
    const { code } = contract("Paid")
    assert.isFalse(Slices.complete(ListedCredits.areAll(CodeModel.of(code), places, ["fallback"])))
  })
})

import { assert, it } from "@effect/vitest"
import { keccak256, toBytes } from "viem"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../Compiled.js"

describeCompiled("an entry whose key is packed", (pipeline) => {
  const { code, selectors } = contracts(pipeline, "Packed.sol")("Packed")
  const flow = StorageFlow.analyseWith(code, [...selectors.values()])
  const of = (name: string) => flow.functions.find(({ selector }) => selector === selectors.get(name))
  const writtenBy = (name: string) =>
    of(name)?.writes.map(({ keys, slot }) => [slot, ...keys.map((key) => (key.kind === "argument" ? key.index : key))])

  it("is the same however memory was filled with the same bytes", () => {
    const ordinary = writtenBy("ordinary")
    assert.deepStrictEqual(ordinary, [["#a.000000000000000087a211a2[k]", 0]])
    assert.deepStrictEqual(writtenBy("joined"), ordinary)
    assert.deepStrictEqual(writtenBy("pieced"), ordinary)
    const paired = writtenBy("paired")
    assert.deepStrictEqual(paired, [["#a.00000000000000007f5e9f20.a[k][k]", 0, 1]])
    assert.deepStrictEqual(writtenBy("pairedAlike"), paired)
  })

  it("is that of Solidity's mapping where its bytes are", () => {
    assert.deepStrictEqual(writtenBy("disguised"), [["0x0[k]", 0]])
  })

  it("is that of an account in the code, too", () => {
    const slot = `#${keccak256(toBytes("roles")).slice(2)}.a[k]`
    assert.deepStrictEqual(writtenBy("enter"), [[slot, 0]])
    // What the code has there is put in when it is deployed.
    assert.deepStrictEqual(writtenBy("enterService"), [[slot, { kind: "constant", value: "0x0" }]])
  })

  it("is unknown where a part of an account is the key", () => {
    assert.strictEqual(of("cut")?.complete, false)
  })
})

import { assert, it } from "@effect/vitest"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import type { Circumstance } from "../../../../src/evm/expression/Circumstance.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as Erc20 from "../../../../src/evm/token/Erc20.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const cases: ReadonlyArray<readonly [name: string, goesBy: ReadonlyArray<Circumstance>]> = [
  ["ByGas", ["gas"]],
  ["ByFees", ["fees"]],
  ["ByPrice", ["fees"]],
  ["ByProposer", ["proposer"]],
  ["ByChance", ["chance"]],
  ["ByCode", ["code"]],
  ["ByHash", ["code"]],
  ["ByWealth", ["wealth"]],
  ["ByAnswer", ["answer"]],
  ["BySwitch", ["answer"]],
  ["ByLibrary", ["answer"]],
  ["ByNothing", []],
  ["PlacedByPrice", ["fees"]],
  ["SpentByProposer", ["proposer"]],
  ["AnsweredByChance", ["chance"]],
  ["ChosenByGas", ["gas"]],
  ["KeyedByWealth", ["wealth"]],
  ["NotedByFees", ["fees"]],
  ["CopiedCode", ["code"]],
  ["OfAKeptAccount", ["code", "wealth"]],
  ["AllTheGas", []],
  ["OfOneChain", ["answer"]],
  ["OfEveryChain", []]
]

describeCompiled("what a transfer goes by", (pipeline) => {
  const contract = contracts(pipeline, "Circumstances.sol")

  it.each(cases)("is found in %s", (name, goesBy) => {
    const { code, selectors } = contract(name)
    const flow = StorageFlow.analyseWith(code, [...selectors.values()])
    assert.deepStrictEqual(Erc20.functionOf(flow, Selectors.functions.transfer)?.circumstances, goesBy)
  })
})

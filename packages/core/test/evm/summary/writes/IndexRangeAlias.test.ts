import { assert, it } from "@effect/vitest"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled, type Pipeline } from "../../Compiled.js"

const levers = (pipeline: Pipeline, cases: ReadonlyArray<readonly [string, TokenPowers.Power, string | undefined]>) => {
  const compiled = contracts(pipeline, "Places.sol")
  return cases.map(([name, power]) => {
    const { code, names } = compiled(name)
    const finding = TokenPowers.of(code, StorageFlow.analyseWith(code, []))[power]
    return [name, finding.state, ...finding.levers.map(({ selector }) => names.get(selector))]
  })
}

describeCompiled("IndexRangeAlias", (pipeline) => {
  it("finds who sets what, where one function goes by the number of an element and another one by its place", () => {
    const cases = [
      ["ListedFee", "tax", "setFee"],
      ["GrowingFees", "tax", "setFee"],
      ["NumberedFee", "tax", "setFee"],
      ["OneOfTwoFees", "tax", "setFee"],
      ["NumberedHalt", "pause", "set"],
      ["NumberedLists", "blacklist", "set"],
      ["GrowingLists", "blacklist", "set"]
    ] as const
    assert.deepStrictEqual(
      levers(pipeline, cases),
      cases.map(([name, , setter]) => [name, "found", setter])
    )
  })

  it("takes nothing for set that is behind an array, or beside what is set in it", () => {
    const cases = [
      ["BesideFees", "tax", undefined],
      ["BesideInStruct", "tax", undefined]
    ] as const
    assert.deepStrictEqual(
      levers(pipeline, cases),
      cases.map(([name]) => [name, "none"])
    )
  })

  it("takes an entry with a bytes key for one of the mapping that its hash ends with, and of no other", () => {
    const statesOf = (name: string) => {
      const { code } = contracts(pipeline, "Places.sol")(name)
      const found = TokenPowers.of(code, StorageFlow.analyseWith(code, []))
      return TokenPowers.powers.map((power) => found[power].state)
    }
    assert.deepStrictEqual(new Set(statesOf("NamedEntries")), new Set(["none"]))
    assert.notInclude([statesOf("NamedBooks")[0], statesOf("NamedBooks")[6]], "none")
    assert.notInclude(statesOf("NamedAnywhere"), "none")
  })
})

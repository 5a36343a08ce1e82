import { assert, describe, it } from "@effect/vitest"
import * as StorageFlow from "../../src/evm/StorageFlow.js"
import * as TokenPowers from "../../src/evm/TokenPowers.js"
import { contracts, pipelines } from "./Compiled.js"

const honest = ["Checked", "Endless", "OfOwn", "Wrapping", "Strict"]

const leaky = ["Looking", "ByAmount", "ByVanity", "OfAnother", "OfReceiver", "ByPart", "ByAny"]

describe.each(pipelines)("an allowance that is spent, compiled %s", (pipeline) => {
  const contract = contracts(pipeline, [...honest, ...leaky], "Approvals.sol")
  const bypassOf = (name: string) => {
    const { code, selectors } = contract(name)
    return TokenPowers.of(code, StorageFlow.analyseWith(code, [...selectors.values()])).bypass.state
  }

  it.each(honest)("is asked for on all ways: %s", (name) => {
    assert.strictEqual(bypassOf(name), "none")
  })

  it.each(leaky)(
    "is not taken to be asked for where it is only looked at, or of another entry, or in part: %s",
    (name) => {
      assert.notStrictEqual(bypassOf(name), "none")
    }
  )
})

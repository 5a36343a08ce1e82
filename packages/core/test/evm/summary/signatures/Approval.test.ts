import { assert, it } from "@effect/vitest"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const honest = [
  "Checked",
  "Endless",
  "OfOwn",
  "Wrapping",
  "Strict",
  "TakingParts",
  "Batching",
  "TakingFees",
  "TakingHalves",
  "TakingShares",
  "TakingPackedOnce",
  "NarrowOnce",
  "NarrowCut"
]

const leaky = [
  "Looking",
  "ByAmount",
  "ByVanity",
  "OfAnother",
  "OfReceiver",
  "ByPart",
  "ByLowBits",
  "ByWideBits",
  "ByAny"
]

const greedy = [
  "ApprovingMore",
  "TakingAll",
  "TakingTwice",
  "TakingOften",
  "TakingFixed",
  "TakingDouble",
  "TakingByFactor",
  "TakingOnTop",
  "TakingPackedDouble",
  "TakingPackedAll",
  "TakingPackedClear",
  "TakingListed",
  "TakingClear",
  "BatchingByOne",
  "NarrowTwice",
  "NarrowOften",
  "NarrowDouble",
  "NarrowAll",
  "NarrowWide",
  "NarrowBeside"
]

const ofSender = ["ApprovingForSender", "TakingFromSender"]

describeCompiled("an allowance that is spent", (pipeline) => {
  const contract = contracts(pipeline, "Approvals.sol")
  const isSafe = (name: string): boolean => {
    const { code, selectors } = contract(name)
    const { bypass, seize } = TokenPowers.of(code, StorageFlow.analyseWith(code, [...selectors.values()]))
    return bypass.state === "none" && seize.state === "none"
  }

  it.each(honest)("is required on all paths: %s", (name) => {
    assert.isTrue(isSafe(name))
  })

  it.each(greedy)("is not required where more is taken, or allowed, than that: %s", (name) => {
    assert.isFalse(isSafe(name))
  })

  it.each(ofSender)("is not the sender's own where others may call for him: %s", (name) => {
    assert.isFalse(isSafe(name))
  })

  it.each(leaky)("is not required where it is only read, or of another entry, or in part: %s", (name) => {
    assert.isFalse(isSafe(name))
  })
})

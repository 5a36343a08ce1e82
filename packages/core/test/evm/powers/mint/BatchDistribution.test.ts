import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const covered = ["Each", "Same", "SameAsked", "SameMultiplied"]

/** What is given is more than what is taken, in some call. */
const making = [
  "EachOther",
  "EachNext",
  "EachRewritten",
  "EachAliased",
  "EachPlaced",
  "EachLate",
  "SameForgiven",
  "SameWrapping",
  "SameAnew",
  "SameTwice",
  "SameInside",
  "SamePerhaps",
  "SameOfOther",
  "SameHalf",
  "SameBack",
  "SameUnasked"
]

describeCompiled("BatchDistribution", (pipeline) => {
  const contract = contracts(pipeline, "Handouts.sol")
  const mintOf = (name: string) => {
    const { code } = contract(name)
    return Effect.map(StorageFlow.analyse(code), (flow) => TokenPowers.of(code, flow).mint)
  }

  for (const name of covered)
    it.effect(`does not count a batch that gives several accounts what the sender loses as a mint: ${name}`, () =>
      Effect.gen(function* () {
        const { levers, state } = yield* mintOf(name)
        assert.deepStrictEqual([state, levers], ["none", []])
      })
    )

  for (const name of making)
    it.effect(`does not say that nothing is made where more may be given than taken: ${name}`, () =>
      Effect.gen(function* () {
        assert.notStrictEqual((yield* mintOf(name)).state, "none")
      })
    )

  it.effect("does not report a mint where it is unknown whether the debit equals the credits", () =>
    Effect.gen(function* () {
      const { levers, state } = yield* mintOf("Summed")
      assert.deepStrictEqual([state, levers.map(({ certain }) => certain)], ["unknown", [false]])
    })
  )
})

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** What there is to say of functions that make balanceOf() look in other entries. */
const expected: Record<string, string> = {
  FixedPeriod: "none",
  AdvancedPeriod: "found roll",
  ChosenPeriod: "found choose",
  PeriodOfAnybody: "found roll",
  // Storage shows whether it was started.
  StartedPeriod: "unknown start",
  CountedPeriods: "none",
  // What stands beside the period in its word may be all that is set.
  PackedPeriod: "unknown set",
  Aliases: "unknown group",
  FixedBooks: "none",
  ChosenBook: "found spare",
  OwnBook: "none",
  // Whether as much comes into the other book is a matter of numbers.
  MovedBook: "unknown spare"
}

describeCompiled("BalanceRedirect", (pipeline) => {
  const contract = contracts(pipeline, "Losses.sol")

  for (const [name, said] of Object.entries(expected)) {
    it.effect(`reads ${name}: ${said}`, () =>
      Effect.gen(function* () {
        const { code, names } = contract(name)
        const { seize } = TokenPowers.of(code, yield* StorageFlow.analyse(code))
        assert.strictEqual([seize.state, ...seize.levers.map(({ selector }) => names.get(selector))].join(" "), said)
      })
    )
  }
})

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Moments } from "../../../../src/evm/summary/conditions/Moments.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** Of a token, the moments at which its transfers go elsewhere, or undefined where they read no clock. */
const expected: Record<string, Moments | undefined> = {
  ByAmount: undefined,
  FromThen: {
    known: [{ clock: "timestamp", at: { constant: "2000000000", terms: [] } }],
    free: 0,
    complete: true
  },
  EachPeriod: {
    known: [
      { clock: "timestamp", at: { constant: "4320000", terms: [] }, every: "5184000" },
      { clock: "timestamp", at: { constant: "0", terms: [] }, every: "5184000" }
    ],
    free: 0,
    complete: true
  },
  FromBlock: { known: [{ clock: "number", at: { constant: "30000000", terms: [] } }], free: 0, complete: true }
}

describeCompiled("moments of what transfers select in memory", (pipeline) => {
  const of = (name: string) =>
    Effect.gen(function* () {
      const { code, selectors } = contracts(pipeline, "Moments.sol")(name)
      const flow = yield* StorageFlow.analyse(code)
      return flow.functions.find(({ selector }) => selector === selectors.get("transfer"))?.moments
    })

  for (const [name, moments] of Object.entries(expected))
    it.effect(`are those of the comparison that selects, in ${name}`, () =>
      Effect.gen(function* () {
        const found = yield* of(name)
        const byText = (all: Moments["known"]) => all.map((one) => JSON.stringify(one)).sort()
        assert.deepStrictEqual(
          found && { ...found, known: byText(found.known) },
          moments && { ...moments, known: byText(moments.known) }
        )
      })
    )

  it.effect("are not complete where the clock selects without a comparison", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of("EveryOtherDay"))?.complete, false)
    })
  )
})

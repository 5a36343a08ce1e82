import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TokenPowers from "../../../../src/evm/powers/TokenPowers.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

/** Whether the owner makes tokens when he moves some, by the code. */
const expected: Record<string, TokenPowers.PowerFinding["state"]> = {
  Once: "none",
  Twice: "found",
  TwiceForTwo: "none",
  Halves: "none",
  Either: "found",
  Unless: "found",
  Checked: "none",
  // The rounds are not followed to their end.
  Rounds: "unknown",
  EachRound: "none",
  Sides: "none"
}

describeCompiled("Balance", (pipeline) => {
  const contract = contracts(pipeline, "Moves.sol")

  for (const [name, state] of Object.entries(expected))
    it.effect(`finds whether as much is taken off as is added, on every path and as often: ${name}`, () =>
      Effect.gen(function* () {
        const code = contract(name).code
        const flow = yield* StorageFlow.analyse(code)
        const { mint } = TokenPowers.of(code, flow)
        assert.strictEqual(mint.state, state)
        for (const lever of mint.levers)
          assert.deepStrictEqual([lever.selector, lever.privileged], [contract(name).selectors.get("give"), true])
      })
    )

  for (const name of ["NarrowOnce", "NarrowCut"])
    it.effect(`takes an amount that is cut to the size of balances off one as it is added to another: ${name}`, () =>
      Effect.gen(function* () {
        const code = contracts(pipeline, "Approvals.sol")(name).code
        assert.strictEqual(TokenPowers.of(code, yield* StorageFlow.analyse(code)).mint.state, "none")
      })
    )

  it.effect("takes what is added to one of two accounts for nobody's loss", () =>
    Effect.gen(function* () {
      const code = contract("Sides").code
      const flow = yield* StorageFlow.analyse(code)
      assert.notStrictEqual(TokenPowers.of(code, flow).seize.state, "found")
    })
  )
})

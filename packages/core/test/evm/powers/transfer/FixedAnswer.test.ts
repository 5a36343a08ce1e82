import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bytecode from "../../../../src/evm/bytecode/Bytecode.js"
import * as FixedAnswer from "../../../../src/evm/powers/transfer/FixedAnswer.js"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import { contracts, describeCompiled } from "../../Compiled.js"

const fixed = ["same", "half", "bounded", "plusKept", "counting"]
const changing = ["counted", "plusSet", "belowSet", "unlisted", "gassed", "asking"]

describeCompiled("FixedAnswer", (pipeline) => {
  const contract = contracts(pipeline, "Hooks.sol")
  const answers = (name: string) => {
    const { code, selectors } = contract(name)
    return Effect.map(
      StorageFlow.analyse(code),
      (flow) => (asked: string) =>
        FixedAnswer.is(flow, Bytecode.reach(Bytecode.parse(code)), selectors.get(asked) ?? "0xdeadbeef")
    )
  }

  it.effect("is what comes from the arguments, the code and variables that nobody writes", () =>
    Effect.gen(function* () {
      const isFixed = yield* answers("Answering")
      for (const name of fixed) assert.deepStrictEqual([name, isFixed(name)], [name, true])
    })
  )

  it.effect("is nothing that an account can change, and nothing that the time or another contract decides", () =>
    Effect.gen(function* () {
      const isFixed = yield* answers("Answering")
      for (const name of changing) assert.deepStrictEqual([name, isFixed(name)], [name, false])
      assert.isFalse(isFixed("missing"))
    })
  )

  it.effect("is nothing in code that reads the caller or the time, and nothing in code that can be destroyed", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* answers("AnsweringOne"))("ofOwner"))
      assert.isFalse((yield* answers("AnsweringLate"))("timed"))
      assert.isFalse((yield* answers("AnsweringLate"))("dated"))
      assert.isFalse((yield* answers("AnsweringLeaving"))("same"))
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option } from "effect"
import { ChainState } from "../../src/chain/state/ChainState.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import { account, alice, inert, word } from "../checks/Scripted.js"

const on = <A, E>(script: ScriptedChain.Script, use: (state: ChainState["Type"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(ChainState, use), ScriptedChain.layer(script))

describe("ScriptedChain", () => {
  it.effect("is empty where nothing was scripted: no code, zero words, and reverts only where there is code", () =>
    on({ accounts: { [alice]: { code: inert } } }, (state) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* state.code(account("2"))).value, "0x")
        assert.strictEqual((yield* state.storage(alice, "0x5")).value, word(0n))
        assert.deepStrictEqual((yield* state.call({ to: account("2"), data: "0x01020304" })).value, {
          _tag: "Returned",
          data: "0x"
        })
        assert.strictEqual((yield* state.call({ to: alice, data: "0x01020304" })).value._tag, "Reverted")
      })
    )
  )

  it.effect("dies of an unscripted read that must not be made, and names it", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(on({ unscripted: "defect" }, (state) => state.code(alice)))
      assert.include(
        Option.getOrThrow(Exit.causeOption(exit)).pipe(Cause.pretty),
        `not scripted: eth_getCode of ${alice}`
      )
    })
  )

  it.effect("counts concurrent reads as one level and equal reads once", () =>
    on({}, (state) =>
      Effect.gen(function* () {
        yield* Effect.all([state.code(alice), state.nonce(alice), state.code(alice)], { concurrency: "unbounded" })
        yield* state.balance(alice)
        yield* state.code(alice)
        assert.deepStrictEqual(yield* state.spending, { requests: 2, calls: 3, levels: 2 })
      })
    )
  )

  it.effect("finds events by address and by each place of their topics", () =>
    on(
      {
        logs: [
          { address: alice, topics: ["0xa", "0x1"] },
          { address: alice, topics: ["0xb", "0x2"] },
          { address: account("2"), topics: ["0xa", "0x2"] }
        ]
      },
      (state) =>
        Effect.gen(function* () {
          const places = (filter: Parameters<typeof state.logs>[0]) =>
            Effect.map(state.logs(filter), ({ value }) => value.logs.map((log) => log.blockNumber))
          assert.deepStrictEqual(yield* places({ topics: [null, "0x2"] }), [2, 3])
          assert.deepStrictEqual(yield* places({ topics: [["0xa", "0xb"]], address: alice }), [1, 2])
          assert.deepStrictEqual(yield* places({ topics: ["0xc"] }), [])
        })
    )
  )
})

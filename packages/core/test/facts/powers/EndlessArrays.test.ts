import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import * as EndlessArrays from "../../../src/facts/powers/EndlessArrays.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { account, word } from "../../checks/Scripted.js"
import { compile } from "../Compiled.js"

const token = account("7")
const code = compile("Endless.sol")("Logging")
const note = Selectors.selector("note(uint256,uint256)")
const sign = Selectors.selector("sign(uint256)")

/** The functions that write any word where the arrays in slots 0 and 3 have these lengths. */
const writersOf = (first: bigint, second: bigint) =>
  Effect.gen(function* () {
    const flow = yield* StorageFlow.analyse(code)
    const writers = yield* EndlessArrays.writersOf(yield* ChainState, token, flow)
    return [...writers].sort()
  }).pipe(
    Effect.provide(
      ScriptedChain.layer({
        accounts: { [token]: { code, storage: { [word(0n)]: word(first), [word(3n)]: word(second) } } }
      })
    )
  )

describe("EndlessArrays", () => {
  it.effect("are those of which the length is more than anybody could have added", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* writersOf(2n ** 256n - 1n, 5n), [note])
      assert.deepStrictEqual(yield* writersOf(0n, 2n ** 255n), [sign])
      assert.deepStrictEqual(yield* writersOf(2n ** 64n + 1n, 2n ** 64n + 1n), [note, sign].sort())
      assert.deepStrictEqual(yield* writersOf(0n, 1_000_000n), [])
    })
  )

  it.effect("are no texts, which have their own bytes in place of a length", () =>
    Effect.gen(function* () {
      const named = compile("Endless.sol")("Named")
      const flow = yield* StorageFlow.analyse(named)
      assert.isTrue(flow.functions.some(({ writes }) => writes.some(({ slot }) => slot.startsWith("0x0[]"))))
      const text = `0x${"61".repeat(31)}3e` as const
      const read = Effect.flatMap(ChainState, (state) => EndlessArrays.writersOf(state, token, flow))
      const storage = { [word(0n)]: text, [word(1n)]: word(3n) }
      assert.isEmpty(
        yield* Effect.provide(read, ScriptedChain.layer({ accounts: { [token]: { code: named, storage } } }))
      )
    })
  )

  it.effect("are not known where the length is not read", () =>
    Effect.gen(function* () {
      const flow = yield* StorageFlow.analyse(code)
      const read = EndlessArrays.writersOf(yield* ChainState, token, flow)
      assert.strictEqual((yield* Effect.flip(read)).reason, "rate_limited")
    }).pipe(Effect.provide(ScriptedChain.layer({ accounts: { [token]: { code } }, fault: () => "rate_limited" })))
  )
})

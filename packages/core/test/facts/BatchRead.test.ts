import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { ChainState } from "../../src/chain/state/ChainState.js"
import * as Reading from "../../src/chain/state/Reading.js"
import * as Address from "../../src/domain/Address.js"
import * as Selectors from "../../src/evm/bytecode/Selectors.js"
import * as BatchRead from "../../src/facts/BatchRead.js"
import * as Getter from "../../src/facts/Getter.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import { pinned, Running, running } from "./SandboxState.js"

const { functions } = Selectors

describe("BatchRead", () => {
  layer(running)("on a chain", (it) => {
    it.effect("gives the first two words of each answer, in the order of the reads, in one call", () =>
      Effect.gen(function* () {
        const { accounts, targets } = yield* Running
        const state = yield* ChainState
        const token = Address.checksum(targets.plain.address)
        const nobody = Address.checksum(`0x${"99".repeat(20)}`)
        const { value } = yield* BatchRead.all(state, [
          BatchRead.get(token, functions.totalSupply),
          BatchRead.balanceOf(token, accounts.holder),
          BatchRead.get(token, functions.owner),
          BatchRead.balanceOf(nobody, accounts.holder),
          BatchRead.get(Address.checksum(targets.plain.pair ?? "0x"), functions.getReserves)
        ])
        const [supply, balance, owner, absent, reserves] = value
        assert.strictEqual(supply?.[0], 10n ** 24n)
        assert.isAbove(Number(balance?.[0]), 0)
        assert.deepStrictEqual([owner, absent], [[], []])
        assert.strictEqual(reserves?.length, 2)
        assert.strictEqual((yield* state.spending).calls, 1)
      }).pipe(Effect.provide(pinned()))
    )

    it.effect("leaves in as many calls as it takes, all of them at once", () =>
      Effect.gen(function* () {
        const { accounts, targets } = yield* Running
        const state = yield* ChainState
        const token = Address.checksum(targets.plain.address)
        const reads = Array.from({ length: 400 }, (_, index) =>
          index % 2 === 0 ? BatchRead.get(token, functions.totalSupply) : BatchRead.balanceOf(token, accounts.holder)
        )
        const { value } = yield* BatchRead.all(state, reads)
        assert.strictEqual(value.length, 400)
        assert.isTrue(value.every(([word]) => word !== undefined && word > 0n))
        const { calls, levels } = yield* state.spending
        assert.deepStrictEqual({ calls, levels }, { calls: 2, levels: 1 })
      }).pipe(Effect.provide(pinned()))
    )
  })

  it.effect("fails where the endpoint does not run a call without a recipient", () =>
    Effect.gen(function* () {
      const scripted = yield* ChainState
      const state: ChainState["Type"] = {
        ...scripted,
        call: (request) =>
          Effect.map(scripted.call(request), (reading) =>
            Reading.map(reading, () => ({ _tag: "Returned", data: "0x" }) as const)
          )
      }
      const read = yield* Effect.either(BatchRead.all(state, [BatchRead.get(Address.zero, functions.owner)]))
      assert.strictEqual(Either.isLeft(read) ? read.left.reason : "answered", "method_unsupported")
    }).pipe(Effect.provide(ScriptedChain.layer({})))
  )

  it.effect("is scripted as it is on a chain", () =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const token = Address.checksum(`0x${"11".repeat(20)}`)
      const { value } = yield* BatchRead.all(state, [
        BatchRead.get(token, functions.totalSupply),
        BatchRead.get(token, functions.owner)
      ])
      assert.deepStrictEqual(value, [[7n], []])
    }).pipe(
      Effect.provide(
        ScriptedChain.layer({
          accounts: {
            [Address.checksum(`0x${"11".repeat(20)}`)]: {
              code: "0x60006000f3",
              calls: { [functions.totalSupply]: Getter.word(7n) }
            }
          }
        })
      )
    )
  )
})

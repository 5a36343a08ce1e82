import { Artifact } from "@assay/sandbox"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import type { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as StorageFlow from "../../../src/evm/summary/StorageFlow.js"
import type * as Functions from "../../../src/facts/code/Functions.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as TradeCounters from "../../../src/facts/trade/TradeCounters.js"

const token = Address.checksum(`0x${"11".repeat(20)}`)
const volume = 1_000n

const lost = new ChainError({
  reason: "rate_limited",
  method: "eth_getStorageAt",
  retryable: true,
  detail: "no answer"
})

/** What trades make of a contract of the sandbox with one value in all variables. */
const wornOf = (contract: string, held: Effect.Effect<bigint, ChainError>) =>
  Effect.gen(function* () {
    const code = Artifact.own(contract).deployedBytecode as Hex
    const flow = yield* StorageFlow.analyse(code)
    const observation = () => assert.fail("nothing here is shown to a reader")
    const state = {
      storage: () => Effect.map(held, (value) => ({ value: Getter.word(value), observation }))
    } as unknown as ChainState["Type"]
    const logic = { address: token, code, flow } as unknown as Functions.LogicContract
    const functions = {
      of: () => Effect.succeed({ value: { logics: [logic], resolved: true, fixed: true }, observation }),
      at: () => Effect.succeed({ value: logic, observation }),
      linked: () => Effect.succeedNone
    } satisfies Functions.Functions["Type"]
    const worn = yield* TradeCounters.worn(state, functions, token, volume)
    return Object.values(worn).map((word) => BigInt(word))
  })

describe("TradeCounters", () => {
  it.effect("drives a number of trades up, as far as it goes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* wornOf("FirstSalesToken", Effect.succeed(7n)), [1_000_007n])
      assert.deepStrictEqual(yield* wornOf("CountingToken", Effect.succeed(2n ** 256n - 5n)), [2n ** 256n - 1n])
    })
  )

  it.effect("drives what may still be sold down by what is traded, and not below nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* wornOf("SalesBudgetToken", Effect.succeed(5_000n)), [4_000n])
      assert.deepStrictEqual(yield* wornOf("SalesBudgetToken", Effect.succeed(5n)), [0n])
    })
  )

  it.effect.each(["PlainToken", "FixedFeeToken", "RebasingToken", "PhantomToken", "VotesToken", "CooldownToken"])(
    "leaves balances, supply and what is kept of each account as they are: %s",
    (contract) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* wornOf(contract, Effect.succeed(5n)), [])
      })
  )

  it.effect("says nothing where the count could not be read", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(wornOf("FirstSalesToken", Effect.fail(lost)))
      assert.strictEqual(error.reason, "rate_limited")
    })
  )
})

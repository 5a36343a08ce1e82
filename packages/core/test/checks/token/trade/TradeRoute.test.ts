import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { tradeRoute } from "../../../../src/checks/token/trade/TradeRoute.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import { address, evidence, observation, pool, valueOf, vault } from "../Trades.js"

const empty = pool({ address: address("d"), reserve_token: Quantity.make(0), reserve_quote: Quantity.make(0) })

describe("trade.route", () => {
  it.effect("is confirmed with the deepest pool that holds both sides", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tradeRoute, { pools: [empty, pool()] })
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, {
        pool: address("b"),
        exchange: "Uniswap V2",
        quote: address("c"),
        routed: true
      })
      assert.deepStrictEqual(item?.observation, observation)
      assert.include(item?.source_url ?? "", address("b"))
    })
  )

  it.effect.each([
    ["there is no pool", []],
    ["every pool is empty", [empty]]
  ] as const)("is refuted where %s", ([, pools]) =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tradeRoute, { pools })
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { pool: null, exchange: null, quote: null, routed: false })
    })
  )

  it.effect("is unknown without a pool where the token lies in a vault of pools that are not read", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tradeRoute, { pools: [empty], vaults: [vault(7n)] })
      assert.strictEqual(item?.state, "unknown")
      const [routed] = yield* evidence(tradeRoute, { pools: [pool()], vaults: [vault(7n)] })
      assert.strictEqual(routed?.state, "confirmed")
    })
  )

  it.effect("says that no router leads to the pool", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tradeRoute, { pools: [pool()], routed: false })
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(valueOf(item).routed, false)
    })
  )

  it.effect("is refuted where a pool has tokens and nothing in range", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tradeRoute, { pools: [pool()], liquidity: 0n })
      assert.strictEqual(item?.state, "refuted")
    })
  )

  it.effect("is unknown without a known exchange, and does not apply to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* evidence(tradeRoute, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(tradeRoute, { standard: "erc721" }), [])
      assert.lengthOf(yield* evidence(tradeRoute, { standard: "none" }), 1)
    })
  )

  it.effect("is unknown where the pools could not be read", () =>
    Effect.gen(function* () {
      const pools = new ChainError({ reason: "rpc_error", method: "eth_call", retryable: false, detail: "" })
      assert.strictEqual((yield* evidence(tradeRoute, { pools }))[0]?.state, "unknown")
    })
  )
})

import { Effect, Option, Schema } from "effect"
import { Pool } from "../../../domain/facts/Pool.js"
import { PoolVault } from "../../../domain/facts/PoolVault.js"
import * as Pools from "../../../facts/market/Pools.js"
import * as Check from "../../Check.js"
import * as ShortList from "../../ShortList.js"
import * as Fungible from "../Fungible.js"
import * as Tradeable from "../trade/Tradeable.js"

/**
 * The pools, deepest first, and the vaults that hold more of the token.
 */
const LiquidityPoolsValue = Schema.Struct({ pools: Schema.Array(Pool), vaults: Schema.Array(PoolVault) })

/**
 * L-01: the pools of the token on known exchanges with their reserves, empty pools included. Pool addresses are
 * computed from the exchange's factory, which excludes fake pools. Pools in a shared vault, such as those of Uniswap
 * V4, are not read: the result is unknown where only such a vault holds the token, or the address book has no exchange.
 */
export const liquidityPools = Check.make({
  id: "liquidity.pools",
  code: "L-01",
  version: 1,
  targets: ["token"],
  claim: "The token has pools on known exchanges",
  polarity: "neutral",
  severity: "info",
  dimension: "exit",
  value: LiquidityPoolsValue,
  tolerance: { kind: "relative", amount: 0.1 },
  run: (target) =>
    Effect.gen(function* () {
      const pools = yield* Pools.Pools
      if (!(yield* Fungible.is(target.address))) return Check.notApplicable
      if (!(yield* pools.covers(target.address))) return [Tradeable.untried]
      const market = yield* pools.inspect(target.address)
      const [inspected, reference, vaults] = market
      const observation = inspected.observation()
      const found = Pools.deepestFirst(inspected.value, reference.value).map(({ pool }) => pool)
      const value = { pools: found, vaults }
      if (found.length > 0)
        return [
          Check.confirmed({
            value,
            detail: [
              ShortList.format(
                found.map((pool) => `${pool.exchange} ${pool.quote_symbol}`),
                4
              ),
              ...Option.toArray(Pools.inVaults(vaults))
            ].join("; "),
            observation
          })
        ]
      return [
        Option.match(Pools.elsewhere(market), {
          onNone: () => Check.refuted({ value, detail: "no pool found on the known exchanges", observation }),
          onSome: (elsewhere) => Check.unknown("inconclusive", elsewhere, { observation })
        })
      ]
    })
})

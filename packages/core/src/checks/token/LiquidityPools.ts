import { Effect, Option, Schema } from "effect"
import { Pool } from "../../domain/facts/Pool.js"
import { PoolVault } from "../../domain/facts/PoolVault.js"
import * as Pools from "../../facts/market/Pools.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The pools, deepest first, and where more of the token lies.
 */
const LiquidityPoolsValue = Schema.Struct({ pools: Schema.Array(Pool), vaults: Schema.Array(PoolVault) })

/**
 * L-01: the pools of the token on known exchanges with what they hold, empty ones included. Their addresses are computed
 * from the exchange's factory, so that a look-alike cannot be among them. Pools that lie in one vault with others, as
 * Uniswap V4's do, are not read: of a token that lies in such a vault alone it is unknown.
 *
 * @since 0.1.0
 * @category models
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
      if (!pools.covered || !(yield* Tradeable.fungible(target.address))) return Check.notApplicable
      const [inspected, reference, vaults] = yield* pools.inspect(target.address)
      const observation = inspected.observation()
      const found = Pools.deepestFirst(inspected.value, reference.value).map(({ pool }) => pool)
      const value = { pools: found, vaults }
      if (found.length > 0)
        return [
          Check.confirmed({
            value,
            detail: [
              ...found.map((pool) => `${pool.exchange} ${pool.quote_symbol}`),
              ...Option.toArray(Pools.inVaults(vaults))
            ].join(", "),
            observation
          })
        ]
      return [
        Option.match(Pools.inVaults(vaults), {
          onNone: () => Check.refuted({ value, detail: "no pool on the known exchanges", observation }),
          onSome: (elsewhere) => Check.unknown("inconclusive", elsewhere, { observation })
        })
      ]
    })
})

import { Effect, Schema } from "effect"
import { Pool } from "../../domain/facts/Pool.js"
import * as Pools from "../../facts/Pools.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The pools, deepest first.
 */
const LiquidityPoolsValue = Schema.Struct({ pools: Schema.Array(Pool) })

/**
 * L-01: the pools of the token on known exchanges with what they hold, empty ones included. Their addresses are
 * computed from the exchange's factory, so that a look-alike cannot be among them.
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
      const reading = yield* pools.of(target.address)
      const verdict = reading.value.length > 0 ? Check.confirmed : Check.refuted
      return [
        verdict({
          value: { pools: reading.value },
          detail:
            reading.value.length > 0
              ? reading.value.map((pool) => `${pool.exchange} ${pool.quote_symbol}`).join(", ")
              : "no pool on the known exchanges",
          observation: reading.observation()
        })
      ]
    })
})

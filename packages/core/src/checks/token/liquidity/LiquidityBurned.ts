import { Effect, Option, Schema } from "effect"
import { Address } from "../../../domain/Address.js"
import type { Pool } from "../../../domain/facts/Pool.js"
import { Quantity } from "../../../domain/Quantity.js"
import * as Pools from "../../../facts/market/Pools.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"
import * as Tradeable from "../trade/Tradeable.js"

/**
 * The burned share of a pair's liquidity in basis points, and the pair's reserve of the quote token.
 */
const LiquidityBurnedValue = Schema.Struct({
  burned_bps: Schema.NonNegativeInt,
  quote: Address,
  reserve_quote: Quantity
})

/**
 * L-03, one item per Uniswap V2 pair: whether at least 95 % of its LP tokens are at burn addresses. The rest could not
 * move the price much more than a trade does. The 1,000 units that every pair locks at its first deposit are not
 * counted. Empty pairs, and Uniswap V3 pools, which have no fungible LP token, are left out. One unknown item where the
 * chain has no known exchange, or the pools are in places that were not read.
 */
export const liquidityBurned = Check.make({
  id: "liquidity.burned",
  code: "L-03",
  version: 1,
  targets: ["token"],
  claim: "At least 95 % of the pair's liquidity is burned",
  polarity: "protective",
  severity: "info",
  dimension: "exit",
  value: LiquidityBurnedValue,
  tolerance: { kind: "absolute", amount: 100 },
  run: (target) =>
    Effect.gen(function* () {
      const pools = yield* Pools.Pools
      if (!(yield* Fungible.is(target.address))) return Check.notApplicable
      if (!(yield* pools.covers(target.address))) return [Tradeable.untried]
      const elsewhere = yield* Tradeable.unreadPools(target.address)
      if (Option.isSome(elsewhere)) return [elsewhere.value]
      const reading = yield* pools.of(target.address)
      return reading.value
        .filter((pool) => pool.kind === "uniswap-v2" && pool.reserve_token !== "0" && pool.reserve_quote !== "0")
        .map((pool) => {
          const subject = [pool.address]
          const observation = reading.observation()
          const share = burnedBps(pool)
          if (share === null) {
            return Check.unknown(
              "inconclusive",
              "the total supply or the burned balance of the LP token could not be read",
              {
                subject,
                observation
              }
            )
          }
          const verdict = share >= threshold ? Check.confirmed : Check.refuted
          return verdict({
            subject,
            value: { burned_bps: share, quote: pool.quote, reserve_quote: pool.reserve_quote },
            detail: `${(share / 100).toFixed(2)} % of the liquidity of the ${pool.exchange} ${pool.quote_symbol} pair is burned`,
            observation,
            at: pool.address
          })
        })
    })
})

const threshold = 9_500

// https://docs.uniswap.org/contracts/v2/reference/smart-contracts/pair: MINIMUM_LIQUIDITY
const lockedByPair = 1_000n

const burnedBps = (pool: Pool): number | null => {
  if (pool.lp_total_supply === null || pool.lp_burned === null) return null
  const total = BigInt(pool.lp_total_supply) - lockedByPair
  const burned = BigInt(pool.lp_burned) - lockedByPair
  if (total <= 0n) return null
  return burned <= 0n ? 0 : Number((burned * 10_000n) / total)
}

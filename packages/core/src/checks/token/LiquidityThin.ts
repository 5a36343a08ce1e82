import { Effect, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import type { Severity } from "../../domain/Evidence.js"
import * as MarketReference from "../../facts/MarketReference.js"
import * as Pools from "../../facts/Pools.js"
import { Token } from "../../facts/Token.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * L-02: whether all known pools together hold too little of what one sells the token for. Less than 10,000 dollars is
 * medium; less than 100,000, and less than one percent of what the whole supply is worth at the pools' price, is low.
 * The native coin is priced by the deepest pool of it with a dollar token of the address book. It does not apply to a
 * token without a pool, nor where the book knows no dollar token.
 *
 * @since 0.1.0
 * @category models
 */
export const liquidityThin = Check.make({
  id: "liquidity.thin",
  code: "L-02",
  version: 1,
  targets: ["token"],
  claim: "The token's pools hold little to sell it for",
  polarity: "risk",
  severity: "medium",
  dimension: "market",
  tolerance: { kind: "relative", amount: 0.1 },
  value: Schema.Struct({
    depth_usd: Schema.NonNegativeInt,
    market_value_usd: Schema.NullOr(Schema.NonNegativeInt),
    pools: Schema.NonNegativeInt
  }),
  run: (target) =>
    Effect.gen(function* () {
      const pools = yield* Pools.Pools
      const token = yield* Token
      if (!pools.covered) return Check.notApplicable
      const [fungible, { value: profile }, [reading, reference]] = yield* Together.all([
        Tradeable.fungible(target.address),
        token.of(target.address),
        pools.inspect(target.address)
      ])
      // Without a dollar token the address book does not cover the prices of this chain.
      if (!fungible || reading.value.length === 0 || reference.value.dollars.length === 0) return Check.notApplicable
      const observation = reading.observation()
      const dollars = reading.value.map((item) =>
        MarketReference.inDollars(reference.value, item.pool.quote, item.reserveQuote)
      )
      const depth = dollars.reduce((sum, amount) => sum + Option.getOrElse(amount, () => 0), 0)
      const supply = BigInt(profile.total_supply ?? "0")
      const deepest = Pools.deepestFirst(reading.value, reference.value)[0]
      const worth =
        deepest === undefined || deepest.reserveToken === 0n || deepest.pool.kind !== "uniswap-v2"
          ? Option.none<number>()
          : MarketReference.inDollars(
              reference.value,
              deepest.pool.quote,
              (deepest.reserveQuote * supply) / deepest.reserveToken
            )
      const value = {
        depth_usd: whole(depth),
        market_value_usd: Option.getOrNull(Option.map(worth, whole)),
        pools: reading.value.length
      }
      const detail = `about ${value.depth_usd} dollars in ${value.pools} pools`
      const grade = gradeOf(depth, worth)
      // A pool that has no price can hold any amount.
      if (grade !== null && dollars.some(Option.isNone))
        return [Check.unknown("inconclusive", "what a pool holds has no price", { observation })]
      return [
        grade === null
          ? Check.refuted({ value, detail, observation })
          : Check.confirmed({ value, detail, observation, severity: grade })
      ]
    })
})

const whole = (dollars: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.floor(dollars))

const gradeOf = (depth: number, worth: Option.Option<number>): Severity | null =>
  depth < 10_000 ? "medium" : depth < 100_000 && Option.exists(worth, (whole) => depth < whole / 100) ? "low" : null

import { BigInt as BigInts, Effect, Either, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import type { Severity } from "../../domain/Evidence.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import * as LiquidityPositions from "../../facts/market/LiquidityPositions.js"
import * as Pools from "../../facts/market/Pools.js"
import { Token } from "../../facts/market/Token.js"
import * as MarketReference from "../../facts/venue/MarketReference.js"
import * as Check from "../Check.js"
import * as Tradeable from "./Tradeable.js"

/**
 * L-02: whether all known pools together hold too little of what one sells the token for. Less than 10,000 dollars is
 * medium; less than 100,000, and less than one percent of what the whole supply is worth at the pools' price, is low.
 * The native coin is priced by the deepest pool of it with a dollar token of the address book. Of a Uniswap V3 pool that
 * counts which it pays while the token falls to a quarter of its price, as that of a pair that pays as much: what lies
 * further off is no way out. Where not all of its positions are known, what it holds may be such: the value is not
 * `complete` and tells no depth, and it is unknown where that would decide. So it is where as much
 * as a tenth of what the pools hold of the token lies in a vault of pools that are not read. It does not apply to a token
 * of which nothing lies in either, nor where the book knows no dollar token.
 *
 * @since 0.1.0
 * @category models
 */
export const liquidityThin = Check.make({
  id: "liquidity.thin",
  code: "L-02",
  version: 2,
  targets: ["token"],
  claim: "The token's pools hold little to sell it for",
  polarity: "risk",
  severity: "medium",
  dimension: "market",
  tolerance: { kind: "relative", amount: 0.1 },
  value: Schema.Struct({
    complete: Schema.Boolean,
    depth_usd: Schema.NullOr(Schema.NonNegativeInt),
    market_value_usd: Schema.NullOr(Schema.NonNegativeInt),
    pools: Schema.NonNegativeInt
  }),
  run: (target) =>
    Effect.gen(function* () {
      const pools = yield* Pools.Pools
      const token = yield* Token
      if (!pools.covered) return Check.notApplicable
      const positions = yield* LiquidityPositions.LiquidityPositions
      const [fungible, { value: profile }, [reading, reference, vaults], near] = yield* Together.all([
        Tradeable.fungible(target.address),
        token.of(target.address),
        pools.inspect(target.address),
        Effect.either(positions.of(target.address))
      ])
      // Without a dollar token the address book does not cover the prices of this chain.
      if (!fungible || reference.value.dollars.length === 0) return Check.notApplicable
      const observation = reading.observation()
      const elsewhere = mayOutweigh(vaults, reading.value) ? Pools.inVaults(vaults) : Option.none()
      if (reading.value.length === 0)
        return Option.match(elsewhere, {
          onNone: () => Check.notApplicable,
          onSome: (detail) => [Check.unknown("inconclusive", detail, { observation })]
        })
      const depths = LiquidityPositions.depths(Either.match(near, { onLeft: () => [], onRight: ({ value }) => value }))
      const inDollars = (amountOf: (item: Pools.Inspected) => bigint) =>
        reading.value.map((item) => MarketReference.inDollars(reference.value, item.pool.quote, amountOf(item)))
      const total = (amounts: ReadonlyArray<Option.Option<number>>) =>
        amounts.reduce((sum, amount) => sum + Option.getOrElse(amount, () => 0), 0)
      // What a pool of Uniswap V3 pays is told by its positions alone.
      const dollars = inDollars(
        (item) => depths.get(item.pool.address) ?? (item.pool.kind === "uniswap-v2" ? item.reserveQuote : 0n)
      )
      const depth = total(dollars)
      const most = total(inDollars((item) => depths.get(item.pool.address) ?? item.reserveQuote))
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
      // The shallowest of many pools of Uniswap V3 are never asked for, and count as nothing.
      const complete = Either.match(near, {
        onLeft: () =>
          reading.value.every(({ pool, reserveQuote }) => pool.kind === "uniswap-v2" || reserveQuote === 0n),
        onRight: ({ value }) => value.every(({ depth }) => Option.isSome(depth))
      })
      const value = {
        complete,
        depth_usd: complete ? whole(depth) : null,
        market_value_usd: Option.getOrNull(Option.map(worth, whole)),
        pools: reading.value.length
      }
      const detail = `${complete ? "about" : "at least"} ${whole(depth)} dollars in ${value.pools} pools`
      const grade = gradeOf(depth, worth)
      if (grade !== gradeOf(most, worth))
        return [
          Check.unknown(
            Either.match(near, { onLeft: ({ reason }) => reason, onRight: () => "inconclusive" }),
            `${detail}, and of a pool it was not found what it pays`,
            { observation }
          )
        ]
      if (grade !== null && Option.isSome(elsewhere))
        return [Check.unknown("inconclusive", `${detail}, but ${elsewhere.value}`, { observation })]
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

/** Whether what lies in vaults is more than a tenth of what the pools hold, so that they are not all that it is sold for. */
const mayOutweigh = (vaults: ReadonlyArray<PoolVault>, pools: ReadonlyArray<Pools.Inspected>): boolean => {
  const held = BigInts.sumAll(pools.map(({ reserveToken }) => reserveToken))
  return vaults.some(({ amount }) => amount === null || BigInt(amount) * 10n > held)
}

const whole = (dollars: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.floor(dollars))

const gradeOf = (depth: number, worth: Option.Option<number>): Severity | null =>
  depth < 10_000 ? "medium" : depth < 100_000 && Option.exists(worth, (whole) => depth < whole / 100) ? "low" : null

import { BigInt as BigInts, Effect, Either, Option, Schema } from "effect"
import type { Severity } from "../../../domain/Evidence.js"
import type { PoolVault } from "../../../domain/facts/PoolVault.js"
import * as LiquidityPositions from "../../../facts/market/LiquidityPositions.js"
import * as Pools from "../../../facts/market/Pools.js"
import { Token } from "../../../facts/market/Token.js"
import * as MarketReference from "../../../facts/venue/MarketReference.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"
import * as Tradeable from "../trade/Tradeable.js"

/**
 * L-02: whether all known pools together have little liquidity on the quote side. High below 100 USD, which is nowhere to
 * sell; medium below 10,000 USD; low below 100,000 USD and below 1 % of the value of the total supply at the pool price. The native coin is priced by its
 * deepest pool with a dollar token of the address book. A Uniswap V3 pool counts with what it pays until the token
 * falls to 25 % of its price, expressed as the pair that pays as much; liquidity further away does not help a seller.
 * Where not all positions are known, `complete` is false and `depth_usd` is null, and the result is unknown where the
 * missing positions could decide it. The result is also unknown where vaults of unread pools hold more than 10 % of the
 * tokens in the known pools. A token without pools and vaults weighs as much as one with empty pools, so that emptying or
 * missing a pool is never better. It is unknown where the address book has no exchange or no dollar token.
 */
export const liquidityThin = Check.make({
  id: "liquidity.thin",
  code: "L-02",
  version: 4,
  targets: ["token"],
  claim: "The token has little or no liquidity",
  polarity: "risk",
  severity: "high",
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
      if (!(yield* pools.covers(target.address)))
        return (yield* Fungible.is(target.address)) ? [Tradeable.untried] : Check.notApplicable
      const positions = yield* LiquidityPositions.LiquidityPositions
      const [fungible, { value: profile }, [reading, reference, vaults], near] = yield* Together.all([
        Fungible.is(target.address),
        token.of(target.address),
        pools.inspect(target.address),
        Effect.either(positions.of(target.address))
      ])
      if (!fungible) return Check.notApplicable
      const observation = reading.observation()
      if (reference.value.dollars.length === 0)
        return [
          Check.unknown("inconclusive", "liquidity was not measured: no dollar token is known on this chain", {
            observation
          })
        ]
      const elsewhere = mayOutweigh(vaults, reading.value) ? Pools.inVaults(vaults) : Option.none()
      if (reading.value.length === 0)
        return [
          Option.match(elsewhere, {
            onNone: () =>
              Check.confirmed({
                value: { complete: true, depth_usd: 0, market_value_usd: null, pools: 0 },
                detail: "no pool found on the known exchanges, so there is nowhere to sell",
                observation,
                severity: "high"
              }),
            onSome: (detail) => Check.unknown("inconclusive", detail, { observation })
          })
        ]
      const depths = LiquidityPositions.depths(Either.match(near, { onLeft: () => [], onRight: ({ value }) => value }))
      const inDollars = (amountOf: (item: Pools.Inspected) => bigint) =>
        reading.value.map((item) => MarketReference.inDollars(reference.value, item.pool.quote, amountOf(item)))
      const total = (amounts: ReadonlyArray<Option.Option<number>>) =>
        amounts.reduce((sum, amount) => sum + Option.getOrElse(amount, () => 0), 0)
      // Only its positions show what a Uniswap V3 pool pays.
      const dollars = inDollars(
        (item) => depths.get(item.pool.address) ?? (item.pool.kind === "uniswap-v3" ? 0n : item.reserveQuote)
      )
      const depth = total(dollars)
      const most = total(inDollars((item) => depths.get(item.pool.address) ?? item.reserveQuote))
      const supply = BigInt(profile.total_supply ?? "0")
      const deepest = Pools.deepestFirst(reading.value, reference.value)[0]
      const worth =
        deepest === undefined || deepest.reserveToken === 0n || deepest.pool.kind === "uniswap-v3"
          ? Option.none<number>()
          : MarketReference.inDollars(
              reference.value,
              deepest.pool.quote,
              (deepest.reserveQuote * supply) / deepest.reserveToken
            )
      // The shallowest of many Uniswap V3 pools are not read and count as 0.
      const complete = Either.match(near, {
        onLeft: () =>
          reading.value.every(({ pool, reserveQuote }) => pool.kind !== "uniswap-v3" || reserveQuote === 0n),
        onRight: ({ value }) => value.every(({ depth }) => Option.isSome(depth))
      })
      const value = {
        complete,
        depth_usd: complete ? whole(depth) : null,
        market_value_usd: Option.getOrNull(Option.map(worth, whole)),
        pools: reading.value.length
      }
      const detail = `${complete ? "about" : "at least"} ${whole(depth)} USD of liquidity in ${value.pools} pools`
      const grade = gradeOf(depth, worth)
      if (grade !== gradeOf(most, worth))
        return [
          Check.unknown(
            Either.match(near, { onLeft: ({ reason }) => reason, onRight: () => "inconclusive" }),
            `${detail}; the positions of a Uniswap V3 pool could not be read`,
            { observation }
          )
        ]
      if (grade !== null && Option.isSome(elsewhere))
        return [Check.unknown("inconclusive", `${detail}; ${elsewhere.value}`, { observation })]
      // A pool with a quote token without a price can hold any value.
      if (grade !== null && dollars.some(Option.isNone))
        return [Check.unknown("inconclusive", "the quote token of a pool has no known price", { observation })]
      return [
        grade === null
          ? Check.refuted({ value, detail, observation })
          : Check.confirmed({ value, detail, observation, severity: grade })
      ]
    })
})

/** Whether vaults hold more than 10 % of the tokens in the pools, so that the pools are not the whole market. */
const mayOutweigh = (vaults: ReadonlyArray<PoolVault>, pools: ReadonlyArray<Pools.Inspected>): boolean => {
  const held = BigInts.sumAll(pools.map(({ reserveToken }) => reserveToken))
  return vaults.some(({ amount }) => amount === null || BigInt(amount) * 10n > held)
}

const whole = (dollars: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.floor(dollars))

const gradeOf = (depth: number, worth: Option.Option<number>): Severity | null =>
  depth < 100
    ? "high"
    : depth < 10_000
      ? "medium"
      : depth < 100_000 && Option.exists(worth, (whole) => depth < whole / 100)
        ? "low"
        : null

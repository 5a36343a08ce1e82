import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import type { PoolShare, PoolShares } from "../../facts/market/Liquidity.js"
import * as Check from "../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const shown = 5

/**
 * L-06, once a pair or pool: whether the token's insiders together, or one other account with a key, can take out so much
 * that a fifth (medium) or half (high) of all that the token's pools hold is gone, here and in its other pools. Where a
 * Safe or a timelock decides it is one grade less. Burned and locked shares are nobody's; the shares behind a lock that
 * has ended are its owner's. A contract of unknown code may be an insider's, and so may a key that an insider gave shares to. `complete` is false where the share may be
 * more, or the pool's part of all is not known, which is null then. Of pools from which all was taken it is unknown: that
 * it happened must not look better than that it may.
 *
 * @since 0.1.0
 * @category models
 */
export const liquidityInsiders = Check.make({
  id: "liquidity.held-by-insiders",
  code: "L-06",
  version: 3,
  targets: ["token"],
  claim: "Insiders or one account can take out the pool's liquidity",
  polarity: "risk",
  severity: "high",
  dimension: "exit",
  tolerance: { kind: "absolute", amount: 500 },
  value: Schema.Struct({
    complete: Schema.Boolean,
    share_bps: Schema.NonNegativeInt,
    weight_bps: Schema.NullOr(Schema.NonNegativeInt),
    holders: Schema.Array(
      Schema.Struct({
        account: Address,
        kind: Schema.Literal("insider", "key", "safe", "timelock", "contract", "minor", "unknown"),
        share_bps: Schema.NonNegativeInt
      })
    )
  }),
  run: (target) =>
    Effect.gen(function* () {
      const held = yield* PoolLocks.of(target.address)
      if (Option.isNone(held)) return Check.notApplicable
      const { observation, value: pools } = held.value
      const missingIn = (shares: PoolShares) => PoolLocks.bpsOf(shares, shares.unseen)
      const shareIn = (kinds: ReadonlyArray<PoolShare["kind"]>) => (shares: PoolShares) =>
        PoolLocks.shareOf(shares, kinds)
      const insidersIn = shareIn(["insider"])
      // Who holds shares of several pools has them all.
      const holdersOf = (kinds: ReadonlyArray<PoolShare["kind"]>) =>
        [
          ...new Set(
            pools.flatMap(({ shares }) =>
              shares.flatMap(({ account, kind }) => (kinds.includes(kind) ? [account] : []))
            )
          )
        ].map(
          (holder) => (shares: PoolShares) =>
            PoolLocks.bpsOfAll(
              shares,
              shares.shares.filter(({ account, kind }) => account === holder && kinds.includes(kind))
            )
        )
      const worstOf =
        (list: ReadonlyArray<(shares: PoolShares) => Grade>) =>
        (shares: PoolShares): Grade =>
          list.reduce<Grade>((grade, each) => PoolLocks.worse(grade, each(shares)), null)
      const [keys, slowOnes] = [holdersOf(["key", "minor"]), holdersOf(["safe", "timelock"])]
      const ofQuick = worstOf([insidersIn, ...keys].map((in_) => PoolLocks.grades(pools, in_)))
      const ofSlow = worstOf(slowOnes.map((in_) => PoolLocks.grades(pools, in_)))
      const ofSlowAtMost = worstOf(slowOnes.map((in_) => PoolLocks.worstGrades(pools, in_)))
      const ofAll = worstOf(
        [
          (shares: PoolShares) =>
            shareIn(["insider", "contract", "unknown"])(shares) +
            PoolLocks.bpsOf(shares, shares.given) +
            missingIn(shares),
          ...keys.map((in_) => (shares: PoolShares) => in_(shares) + missingIn(shares))
        ].map((in_) => PoolLocks.worstGrades(pools, in_))
      )
      // Where not every insider could be read, any key may be one's.
      const ofAny = PoolLocks.worstGrades(
        pools,
        (shares) => shareIn(["insider", "key", "minor", "contract", "unknown"])(shares) + missingIn(shares)
      )
      return pools.map((shares) => {
        const { gap, insidersGap, mostWeight, pool, weight } = shares
        const insiders = insidersIn(shares)
        const most = (list: ReadonlyArray<(shares: PoolShares) => number>) =>
          Math.max(0, ...list.map((in_) => in_(shares)))
        const [single, slow] = [most(keys), most(slowOnes)]
        const found = PoolLocks.worse(ofQuick(shares), lessened(ofSlow(shares)))
        const worst = PoolLocks.worse(
          PoolLocks.worse(ofAll(shares), lessened(ofSlowAtMost(shares))),
          insidersGap === null ? null : ofAny(shares)
        )
        const share = Math.max(insiders, single, slow)
        const value = {
          complete: gap === null && insidersGap === null && weight === mostWeight,
          share_bps: share,
          weight_bps: weight === mostWeight ? weight : null,
          holders: shares.shares
            .flatMap(({ account, amount, kind }) =>
              kind === "burned" || kind === "locked" || kind === "stuck"
                ? []
                : [
                    {
                      account,
                      // Who is no insider as far as was read may be one.
                      kind: insidersGap === null || kind === "insider" ? kind : ("unknown" as const),
                      share_bps: PoolLocks.bpsOf(shares, amount)
                    }
                  ]
            )
            .slice(0, shown)
        }
        const common = { subject: [pool.address], observation: observation() }
        if (shares.total <= 0n && PoolLocks.worstGrades([shares], () => 10_000)(shares) !== null)
          return Check.unknown(
            "inconclusive",
            "all liquidity was taken out of the pool: nothing is left to be held",
            common
          )
        const detail = `${share / 100} % of the liquidity of ${pool.exchange} against ${pool.quote_symbol}`
        if (found !== "high" && PoolLocks.worse(found, worst) !== found)
          return Check.unknown(
            gap ?? insidersGap ?? "inconclusive",
            "some of the liquidity is in the hands of whoever could not be told",
            common
          )
        return found === null
          ? Check.refuted({ ...common, value, detail, at: pool.address })
          : Check.confirmed({ ...common, value, detail, severity: found, at: pool.address })
      })
    })
})

type Grade = Severity | null

const lessened = (grade: Grade): Grade => (grade === "high" ? "medium" : grade === "medium" ? "low" : null)

import { Schema } from "effect"
import { Address } from "../../../domain/Address.js"
import type { Severity } from "../../../domain/Evidence.js"
import type { PoolShare, PoolShares } from "../../../facts/market/Liquidity.js"
import * as PoolKey from "../../../facts/venue/PoolKey.js"
import * as Check from "../../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const shown = 5

/**
 * L-06, one item per pair, pool, or manager of Uniswap V4: whether the token's insiders together, or one other account with a
 * key, can withdraw 20 % (medium) or 50 % (high) of the liquidity of all pools of the token. One grade lower where a Safe or a timelock
 * controls it. Burned and locked shares do not count; the shares behind an ended lock belong to the owner of the lock.
 * A contract with unknown code may belong to an insider, and so may a key that received shares from an insider.
 * `complete` is false where the share may be higher, or where the pool's part of all liquidity is unknown (`weight_bps`
 * is null then). The result is unknown for a pool without liquidity: an executed withdrawal must not look better than a
 * possible one.
 */
export const liquidityInsiders = Check.make({
  id: "liquidity.held-by-insiders",
  code: "L-06",
  version: 3,
  targets: ["token"],
  claim: "Insiders or a single account can withdraw the pool liquidity",
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
    PoolLocks.judged(target.address, ({ observation, value: pools }) => {
      const missingIn = (shares: PoolShares) => PoolLocks.bpsOf(shares, shares.unseen)
      const shareIn = (kinds: ReadonlyArray<PoolShare["kind"]>) => (shares: PoolShares) =>
        PoolLocks.shareOf(shares, kinds)
      const insidersIn = shareIn(["insider"])
      // A holder of shares of several pools counts with all of them.
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
      // Where not all insiders could be read, any key may belong to one.
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
                      // Where not all insiders could be read, this account may be one.
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
            "the pool has no liquidity left, so there are no shares to attribute",
            common
          )
        const detail = `insiders or one account can withdraw ${share / 100} % of the ${pool.exchange} ${pool.quote_symbol} liquidity`
        if (found !== "high" && PoolLocks.worse(found, worst) !== found)
          return Check.unknown(
            gap ?? insidersGap ?? "inconclusive",
            pool.hook !== undefined && PoolKey.mayKeepLiquidity({ hook: pool.hook })
              ? `not decided: the hook ${pool.hook}, which ${pool.exchange} calls when liquidity is withdrawn`
              : `${detail}; the holders of another part could not be determined`,
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

import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import type * as Liquidity from "../../facts/Liquidity.js"
import * as Check from "../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const shown = 5

/**
 * L-06, once a pair: whether the token's insiders together, or one other account with a key, can take out so much that
 * a fifth (medium) or half (high) of all that the token's pools hold is gone. Where a Safe or a timelock decides it is
 * one grade less. Burned and locked shares are nobody's; the shares behind a lock that has ended are its owner's. A
 * contract of unknown code may be an insider's. Of pools from which all was taken it is unknown: that it happened must not
 * look better than that it may.
 *
 * @since 0.1.0
 * @category models
 */
export const liquidityInsiders = Check.make({
  id: "liquidity.held-by-insiders",
  code: "L-06",
  version: 2,
  targets: ["token"],
  claim: "Insiders or one account can take out the pool's liquidity",
  polarity: "risk",
  severity: "high",
  dimension: "exit",
  tolerance: { kind: "absolute", amount: 500 },
  value: Schema.Struct({
    share_bps: Schema.NonNegativeInt,
    weight_bps: Schema.NonNegativeInt,
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
      return pools.map((shares) => {
        const { gap, insidersGap, pool, unseen, weight } = shares
        const one = (kinds: ReadonlyArray<Liquidity.PoolShare["kind"]>) =>
          PoolLocks.bpsOf(
            shares,
            shares.shares.reduce(
              (most, { amount, kind }) => (kinds.includes(kind) && amount > most ? amount : most),
              0n
            )
          )
        const missing = PoolLocks.bpsOf(shares, unseen)
        const insiders = PoolLocks.shareOf(shares, ["insider"])
        const single = one(["key", "minor"])
        const slow = one(["safe", "timelock"])
        const grade = (part: number) => PoolLocks.gradeOf(shares, Math.min(10_000, part))
        const found = worse(grade(Math.max(insiders, single)), lessened(grade(slow)))
        const worst = worse(
          grade(insiders + PoolLocks.shareOf(shares, ["contract", "unknown"]) + missing),
          // Where not every insider could be read, any key may be one's.
          grade(
            insidersGap === null
              ? single + missing
              : PoolLocks.shareOf(shares, ["insider", "key", "minor", "contract", "unknown"]) + missing
          )
        )
        const share = Math.max(insiders, single, slow)
        const value = {
          share_bps: share,
          weight_bps: weight,
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
        if (shares.total <= 0n && grade(10_000) !== null)
          return Check.unknown(
            "inconclusive",
            "all liquidity was taken out of the pool: nothing is left to be held",
            common
          )
        const detail = `${share / 100} % of the liquidity of ${pool.exchange} against ${pool.quote_symbol}`
        if (found !== "high" && worse(found, worst) !== found)
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

const worse = (a: Grade, b: Grade): Grade => (rank(a) >= rank(b) ? a : b)

const rank = (grade: Grade): number => (grade === "high" ? 3 : grade === "medium" ? 2 : grade === "low" ? 1 : 0)

const lessened = (grade: Grade): Grade => (grade === "high" ? "medium" : grade === "medium" ? "low" : null)

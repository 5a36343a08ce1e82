import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import { Lock } from "../../domain/facts/Lock.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Locks from "../../facts/market/Locks.js"
import * as Check from "../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const threshold = 9_500

/**
 * L-04, once a pair, and once a pool of Uniswap V3 that has a lock, or of which nobody can say that it has none: whether
 * nearly all of the liquidity that is not burned is locked. Only a record counts, read from the locker itself, of shares
 * that it holds, and with a time that has not come; what lies in a locker without one leaves it open. A contract of other
 * code than the published ones may be a lock or a way around one, and leaves it open too.
 *
 * @since 0.1.0
 * @category models
 */
export const liquidityLocked = Check.make({
  id: "liquidity.locked",
  code: "L-04",
  version: 1,
  targets: ["token"],
  claim: "At least 95 % of the pool's liquidity that is not burned is locked",
  polarity: "protective",
  severity: "info",
  dimension: "exit",
  tolerance: { kind: "absolute", amount: 100 },
  value: Schema.Struct({
    locked_bps: Schema.NonNegativeInt,
    burned_bps: Schema.NonNegativeInt,
    until: Schema.NullOr(Timestamp.Timestamp),
    locks: Schema.Array(Lock)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { block } = yield* ChainState
      const held = yield* PoolLocks.of(target.address)
      if (Option.isNone(held)) return Check.notApplicable
      const { observation, value: pools } = held.value
      const now = Timestamp.toSeconds(block.timestamp)
      return pools
        .filter(({ locks, locksGap, pool }) => pool.kind === "uniswap-v2" || locks.length > 0 || locksGap !== null)
        .map((shares) => {
          const { gap, pool, unrecorded, unseen } = shares
          const locked = PoolLocks.shareOf(shares, ["locked"])
          const burned = PoolLocks.shareOf(shares, ["burned"])
          const possible =
            PoolLocks.shareOf(shares, ["locked", "stuck", "contract", "unknown"]) + PoolLocks.bpsOf(shares, unseen)
          const ends = shares.locks
            .filter((lock) => !Locks.isOver(lock, now))
            .flatMap(({ unlocksAt }) => Option.toArray(unlocksAt))
          const value = {
            locked_bps: locked,
            burned_bps: burned,
            until: ends.length === 0 ? null : Timestamp.fromSeconds(Math.min(...ends)),
            locks: PoolLocks.documents(shares)
          }
          const common = { subject: [pool.address], observation: observation() }
          const detail = `${locked / 100} % of the liquidity of ${pool.exchange} against ${pool.quote_symbol}`
          // Of what nobody burned, as far as whole basis points tell.
          const enough = (share: number) => share * 10_000 >= threshold * (10_000 - burned)
          if (burned < threshold && enough(locked) && locked > 0)
            return Check.confirmed({
              ...common,
              value,
              detail: value.until === null ? detail : `${detail}, the first until ${value.until}`,
              at: pool.address
            })
          // Of a pool of Uniswap V3 without a lock nothing is said, which a list that failed must not turn into a no.
          const isUnheard = pool.kind !== "uniswap-v2" && shares.locksGap !== null
          if (isUnheard || (burned < threshold && enough(possible)))
            return Check.unknown(gap ?? unrecorded[0]?.reason ?? "inconclusive", `${detail} by a record`, common)
          return Check.refuted({ ...common, value, detail, at: pool.address })
        })
    })
})

import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../../chain/state/ChainState.js"
import { Lock } from "../../../domain/facts/Lock.js"
import * as Timestamp from "../../../domain/Timestamp.js"
import * as Locks from "../../../facts/market/Locks.js"
import * as Check from "../../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const threshold = 9_500

/**
 * L-04, one item per pair, per manager of Uniswap V4, and per Uniswap V3 pool that has a lock or may have one: whether at least
 * 95 % of the liquidity that is not burned is locked. Only a lock record counts that is read from the locker itself, covers shares
 * that the locker holds, and ends in the future. Shares in a locker without a record, or in a contract with unpublished
 * code, make the result unknown where they could decide it.
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
      return yield* PoolLocks.judged(target.address, ({ observation, value: pools }) => {
        return pools
          .filter(({ locks, locksGap, pool }) => pool.kind !== "uniswap-v3" || locks.length > 0 || locksGap !== null)
          .map((shares) => {
            const { gap, pool, unrecorded, unseen } = shares
            const locked = PoolLocks.shareOf(shares, ["locked"])
            const burned = PoolLocks.shareOf(shares, ["burned"])
            const possible =
              PoolLocks.shareOf(shares, ["locked", "stuck", "contract", "unknown"]) + PoolLocks.bpsOf(shares, unseen)
            const ends = shares.locks
              .filter((lock) => !Locks.isOver(lock, block))
              .flatMap(({ unlocksAt }) => Option.toArray(unlocksAt))
            const value = {
              locked_bps: locked,
              burned_bps: burned,
              until: ends.length === 0 ? null : Timestamp.fromSeconds(Math.min(...ends)),
              locks: PoolLocks.documents(shares)
            }
            const common = { subject: [pool.address], observation: observation() }
            const detail = `${locked / 100} % of the ${pool.exchange} ${pool.quote_symbol} liquidity is locked`
            // Of the part that is not burned, to whole basis points.
            const enough = (share: number) => share * 10_000 >= threshold * (10_000 - burned)
            if (burned < threshold && enough(locked) && locked > 0)
              return Check.confirmed({
                ...common,
                value,
                detail: value.until === null ? detail : `${detail}; the first lock ends at ${value.until}`,
                at: pool.address
              })
            // A Uniswap V3 pool without a lock has no item; a failed list of locks must not become a refutation.
            const isUnheard = pool.kind !== "uniswap-v2" && shares.locksGap !== null
            if (isUnheard || (burned < threshold && enough(possible)))
              return Check.unknown(
                gap ?? unrecorded[0]?.reason ?? "inconclusive",
                `${detail} by lock records; a larger part may be locked, but not all holders could be read`,
                common
              )
            return Check.refuted({ ...common, value, detail, at: pool.address })
          })
      })
    })
})

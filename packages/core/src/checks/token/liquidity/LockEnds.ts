import { Effect, Option } from "effect"
import { ChainState } from "../../../chain/state/ChainState.js"
import * as Timestamp from "../../../domain/Timestamp.js"
import * as Locks from "../../../facts/market/Locks.js"
import * as Check from "../../Check.js"
import * as PoolLocks from "./PoolLocks.js"

type Value = typeof PoolLocks.EndingLocks.Type

/**
 * L-08, one item per pool with locks: whether locks in force that end one day cover 20 % of the liquidity of all pools of
 * the token. Whoever locked it can then withdraw it, at a time that everybody can read: low. Locks that end within 30 days
 * are also the subject of `liquidity.lock-expiring`. It does not apply to a pool without locks.
 */
export const lockEnds = Check.make({
  id: "liquidity.lock-ends",
  code: "L-08",
  version: 1,
  targets: ["token"],
  claim: "The lock of the pool's liquidity ends at a set time",
  polarity: "risk",
  severity: "low",
  dimension: "exit",
  value: PoolLocks.EndingLocks,
  run: (target) =>
    Effect.gen(function* () {
      const { block } = yield* ChainState
      return yield* PoolLocks.judged(target.address, ({ observation, value: pools }) => {
        const isEnding = (lock: Locks.LockRecord) => Option.isSome(lock.unlocksAt) && !Locks.isOver(lock, block)
        const of = PoolLocks.ending(pools, isEnding)
        return pools.flatMap((shares): ReadonlyArray<Check.Verdict<Value>> => {
          const { locks, pool } = shares
          const { ending, grade, open, worst } = of(shares)
          if (grade === null && worst !== null) return [PoolLocks.unread(shares, open, observation())]
          if (locks.length === 0) return []
          const ends = locks.filter(isEnding).flatMap(({ unlocksAt }) => Option.toArray(unlocksAt))
          const detail =
            ends.length === 0
              ? "no lock in force has an end"
              : `the first lock ends at ${Timestamp.fromSeconds(Math.min(...ends))}, and locks of ${ending / 100} % of the liquidity end`
          const verdict = grade !== null ? Check.confirmed<Value> : Check.refuted<Value>
          return [
            verdict({
              subject: [pool.address],
              observation: observation(),
              value: { ending_bps: ending, locks: PoolLocks.documents(shares) },
              detail,
              at: pool.address
            })
          ]
        })
      })
    })
})

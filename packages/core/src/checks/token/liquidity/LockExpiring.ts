import { Effect, Option } from "effect"
import { ChainState } from "../../../chain/state/ChainState.js"
import * as Timestamp from "../../../domain/Timestamp.js"
import * as Locks from "../../../facts/market/Locks.js"
import * as Check from "../../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const days = 30

type Value = typeof PoolLocks.EndingLocks.Type

/**
 * L-05, one item per pair with locks: whether locks that have ended, or end within 30 days, cover 20 % (medium) or 50 %
 * (high) of the liquidity of all pools of the token. It does not apply to a pair without locks.
 */
export const lockExpiring = Check.make({
  id: "liquidity.lock-expiring",
  code: "L-05",
  version: 1,
  targets: ["token"],
  claim: "The lock of the pool's liquidity has ended or ends within 30 days",
  polarity: "risk",
  severity: "high",
  dimension: "exit",
  value: PoolLocks.EndingLocks,
  run: (target) =>
    Effect.gen(function* () {
      const { block } = yield* ChainState
      return yield* PoolLocks.judged(target.address, ({ observation, value: pools }) => {
        const of = PoolLocks.ending(pools, (lock) => Locks.isOver(lock, block, days * 86_400))
        return pools.flatMap((shares): ReadonlyArray<Check.Verdict<Value>> => {
          const { locks, pool } = shares
          const { ending, grade, open, worst } = of(shares)
          const common = { subject: [pool.address], observation: observation() }
          if (grade !== worst && grade !== "high") return [PoolLocks.unread(shares, open, observation())]
          if (locks.length === 0) return []
          const value = { ending_bps: ending, locks: PoolLocks.documents(shares) }
          const next = locks.flatMap(({ unlocksAt }) => Option.toArray(unlocksAt))
          const detail =
            next.length === 0
              ? "no lock has an end"
              : `the first lock ends at ${Timestamp.fromSeconds(Math.min(...next))}`
          return [
            grade === null
              ? Check.refuted({ ...common, value, detail, at: pool.address })
              : Check.confirmed({ ...common, value, detail, severity: grade, at: pool.address })
          ]
        })
      })
    })
})

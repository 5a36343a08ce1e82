import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../../chain/state/ChainState.js"
import { Lock } from "../../../domain/facts/Lock.js"
import * as Timestamp from "../../../domain/Timestamp.js"
import type { PoolShares } from "../../../facts/market/Liquidity.js"
import * as Locks from "../../../facts/market/Locks.js"
import * as Check from "../../Check.js"
import * as PoolLocks from "./PoolLocks.js"

const Value = Schema.Struct({ ending_bps: Schema.NonNegativeInt, locks: Schema.Array(Lock) })

type Value = typeof Value.Type

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
  value: Value,
  run: (target) =>
    Effect.gen(function* () {
      const { block } = yield* ChainState
      return yield* PoolLocks.judged(target.address, ({ observation, value: pools }) => {
        const now = Timestamp.toSeconds(block.timestamp)
        const inForce = ({ locks }: PoolShares) =>
          locks.filter((lock) => Option.isSome(lock.unlocksAt) && !Locks.isOver(lock, now))
        const endingIn = (shares: PoolShares) => PoolLocks.bpsOfAll(shares, inForce(shares))
        const openIn = (shares: PoolShares) =>
          PoolLocks.shareOf(shares, ["unknown"]) + PoolLocks.bpsOf(shares, shares.unseen)
        const ofEnding = PoolLocks.grades(pools, endingIn)
        const ofAll = PoolLocks.worstGrades(pools, (shares) => endingIn(shares) + openIn(shares))
        return pools.flatMap((shares): ReadonlyArray<Check.Verdict<Value>> => {
          const { gap, locks, pool, unrecorded } = shares
          const common = { subject: [pool.address], observation: observation() }
          const isEnding = ofEnding(shares) !== null
          if (!isEnding && ofAll(shares) !== null)
            return [
              Check.unknown(
                gap ?? unrecorded[0]?.reason ?? "inconclusive",
                `${openIn(shares) / 100} % of the liquidity may be in a lock that could not be read`,
                common
              )
            ]
          if (locks.length === 0) return []
          const ends = inForce(shares).flatMap(({ unlocksAt }) => Option.toArray(unlocksAt))
          const detail =
            ends.length === 0
              ? "no lock in force has an end"
              : `the first lock ends at ${Timestamp.fromSeconds(Math.min(...ends))}, and locks of ${endingIn(shares) / 100} % of the liquidity end`
          const verdict = isEnding ? Check.confirmed<Value> : Check.refuted<Value>
          return [
            verdict({
              ...common,
              value: { ending_bps: endingIn(shares), locks: PoolLocks.documents(shares) },
              detail,
              at: pool.address
            })
          ]
        })
      })
    })
})

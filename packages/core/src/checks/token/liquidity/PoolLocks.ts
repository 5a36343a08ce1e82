import { BigInt as BigInts, Effect, Option, Order, Schema } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type { Reading } from "../../../chain/state/Reading.js"
import type { Address } from "../../../domain/Address.js"
import type { Observation, Severity } from "../../../domain/Evidence.js"
import { Lock } from "../../../domain/facts/Lock.js"
import * as Quantity from "../../../domain/Quantity.js"
import * as Timestamp from "../../../domain/Timestamp.js"
import { Liquidity, type PoolShare, type PoolShares } from "../../../facts/market/Liquidity.js"
import type { LockRecord } from "../../../facts/market/Locks.js"
import { Pools } from "../../../facts/market/Pools.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as Fungible from "../Fungible.js"
import * as Tradeable from "../trade/Tradeable.js"

/**
 * The verdicts on the liquidity holders of the pools of a token: one unknown item where the chain has no known exchange, or its
 * pools are in places that were not read; none where the token is not fungible.
 */
export const judged = <V>(
  token: Address,
  judge: (reading: Reading<ReadonlyArray<PoolShares>>) => ReadonlyArray<Check.Verdict<V>>
): Effect.Effect<
  ReadonlyArray<Check.Verdict<V>>,
  ChainError,
  Effect.Effect.Context<ReturnType<typeof Fungible.is>> | Liquidity | Pools
> =>
  Effect.gen(function* () {
    const liquidity = yield* Liquidity
    if (!(yield* (yield* Pools).covers(token)))
      return (yield* Fungible.is(token)) ? [Tradeable.untried] : Check.notApplicable
    const [fungible, reading, elsewhere] = yield* Together.all([
      Fungible.is(token),
      liquidity.of(token),
      Tradeable.unreadPools(token)
    ])
    if (!fungible) return Check.notApplicable
    return Option.match(elsewhere, { onNone: () => judge(reading), onSome: (verdict) => [verdict] })
  })

/** The part of the withdrawable liquidity of a pool in shares of some kinds, in basis points. */
export const shareOf = (shares: PoolShares, kinds: ReadonlyArray<PoolShare["kind"]>): number =>
  bpsOfAll(
    shares,
    shares.shares.filter(({ kind }) => kinds.includes(kind))
  )

/** An amount of a pool's shares as a part of its withdrawable liquidity, in basis points. */
export const bpsOf = ({ total }: PoolShares, amount: bigint): number =>
  total <= 0n ? 0 : Math.min(10_000, Number((amount * 10_000n) / total))

/** The same for the sum of several amounts. */
export const bpsOfAll = (shares: PoolShares, parts: ReadonlyArray<{ readonly amount: bigint }>): number =>
  bpsOf(shares, BigInts.sumAll(parts.map(({ amount }) => amount)))

/** The locks of a pool as documents, largest first. */
export const documents = (shares: PoolShares): ReadonlyArray<Lock> =>
  [...shares.locks]
    .sort((a, b) => Order.bigint(b.amount, a.amount) || (a.locker < b.locker ? -1 : 1))
    .map(({ amount, locker, name, owner, unlocksAt }) => ({
      locker,
      name,
      owner,
      amount: Quantity.make(amount),
      share_bps: bpsOf(shares, amount),
      unlocks_at: Option.getOrNull(Option.map(unlocksAt, (seconds) => Timestamp.fromSeconds(seconds)))
    }))

/** The value of a claim about locks that end. */
export const EndingLocks = Schema.Struct({ ending_bps: Schema.NonNegativeInt, locks: Schema.Array(Lock) })

/**
 * How much of a pool is behind locks that are meant (`ending`), and may be behind others that could not be read (`open`), in
 * basis points; the severity of the first alone, and of both at the worst.
 */
export const ending = (
  pools: ReadonlyArray<PoolShares>,
  isMeant: (lock: LockRecord) => boolean
): ((shares: PoolShares) => {
  readonly ending: number
  readonly open: number
  readonly grade: Severity | null
  readonly worst: Severity | null
}) => {
  const endingIn = (shares: PoolShares) => bpsOfAll(shares, shares.locks.filter(isMeant))
  const openIn = (shares: PoolShares) => shareOf(shares, ["unknown"]) + bpsOf(shares, shares.unseen)
  const ofEnding = grades(pools, endingIn)
  const ofAll = worstGrades(pools, (shares) => endingIn(shares) + openIn(shares))
  return (shares) => ({
    ending: endingIn(shares),
    open: openIn(shares),
    grade: ofEnding(shares),
    worst: ofAll(shares)
  })
}

/** The verdict where locks that could not be read may decide. */
export const unread = (
  { gap, pool, unrecorded }: PoolShares,
  open: number,
  observation: Observation
): Check.Undecided =>
  Check.unknown(
    gap ?? unrecorded[0]?.reason ?? "inconclusive",
    `${open / 100} % of the liquidity may be in a lock that could not be read`,
    { subject: [pool.address], observation }
  )

/**
 * The severity of a withdrawal of a share of each pool, in basis points, by one party: high from 50 % of the liquidity
 * of all pools of the token, medium from 20 %, none below. Parts of several pools are added up, so that many pools do
 * not hide a large holder. The sum applies to the pool with the largest part, and to every pool with at least 5 % of
 * all liquidity at risk; the other pools are graded by their own part.
 */
export const grades = (
  pools: ReadonlyArray<PoolShares>,
  shareIn: (shares: PoolShares) => number
): ((shares: PoolShares) => Severity | null) => gradesBy(pools, shareIn, ({ weight }) => weight)

/** The same with the largest possible weight of each pool. */
export const worstGrades = (
  pools: ReadonlyArray<PoolShares>,
  shareIn: (shares: PoolShares) => number
): ((shares: PoolShares) => Severity | null) => gradesBy(pools, shareIn, ({ mostWeight }) => mostWeight)

const gradesBy = (
  pools: ReadonlyArray<PoolShares>,
  shareIn: (shares: PoolShares) => number,
  weightOf: (shares: PoolShares) => number
): ((shares: PoolShares) => Severity | null) => {
  const partOf = (shares: PoolShares) => (Math.min(10_000, shareIn(shares)) * weightOf(shares)) / 10_000
  const parts = pools.map(partOf)
  const whole = parts.reduce((sum, part) => sum + part, 0)
  const largest = Math.max(...parts, 0)
  return (shares) => {
    const part = partOf(shares)
    return gradeOf(part >= 500 || part === largest ? whole : part)
  }
}

/** The worse of two grades. */
export const worse = (a: Severity | null, b: Severity | null): Severity | null => (rank(a) >= rank(b) ? a : b)

const rank = (grade: Severity | null): number =>
  grade === "high" ? 3 : grade === "medium" ? 2 : grade === "low" ? 1 : 0

const gradeOf = (part: number): Severity | null => (part >= 5_000 ? "high" : part >= 2_000 ? "medium" : null)

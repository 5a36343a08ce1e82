/** @internal */

import { BigInt as BigInts, Context, Effect, Either, Layer, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import { ChainState, type Log } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import type * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import * as Market from "../venue/Market.js"

/** A contract of the address book in which shares of pools are locked. */
export interface Locker extends Omit<AddressBook.Locker, "address"> {
  readonly address: Address.Address
}

/**
 * What a locker says that it keeps: so many shares of a pool, for whom, and until when (seconds since the epoch; none
 * where it will never give them back).
 */
export interface LockRecord {
  readonly pool: Address.Address
  readonly locker: Address.Address
  readonly name: string
  readonly owner: Address.Address
  readonly amount: bigint
  readonly unlocksAt: Option.Option<number>
}

/**
 * Shares of a pool that a locker holds without a record that could be read: nothing is known of how long. `empty` says
 * that the locker answered that it has no record for that pool at all.
 */
export interface Unrecorded {
  readonly pool: Address.Address
  readonly locker: Address.Address
  readonly name: string
  readonly amount: bigint
  readonly empty: boolean
  readonly reason: UnknownReason
}

/**
 * The locks of a token's pairs. A record counts only as far as the locker holds the shares, so that no locker is taken
 * at its word about more than it has.
 */
export interface LockSet {
  readonly records: ReadonlyArray<LockRecord>
  readonly unrecorded: ReadonlyArray<Unrecorded>
}

/** What lies in the lockers of the address book: the shares of a token's pairs, and of the token itself. */
export class Locks extends Context.Tag("@assay/core/Locks")<
  Locks,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading<LockSet>, ChainError>
    readonly ofToken: (token: Address.Address) => Effect.Effect<Reading<LockSet>, ChainError>
  }
>() {}

const { functions, selector, topic } = Selectors

// UniswapV2Locker of UNCX keeps its records by pair and index; its later version has a list of lock ids a pair, and the
// record of each by its id: https://arbiscan.io/address/0x275720567E5955F5f2D53A7A1Ab8a0Fc643dE50E#code
const lockIdOf = selector("TOKEN_LOCKS(address,uint256)")
const lockOf = selector("LOCKS(uint256)")
// https://etherscan.io/address/0x71B5759d73262FBb223956913ecF4ecC51057641#code
const countOfPinkLock = selector("totalLockCountForToken(address)")
// LockToken of Team Finance indexes the token in its event and has no getter by token:
// https://etherscan.io/address/0xE2fE530C047f2d85298b07D9333C05737f1435fB#code
const deposit = topic("Deposit(uint256,address,address,uint256,uint256)")

// Of one locker and pair; the shares of any further ones count as not recorded.
const mostLocks = 24

type FungibleLocker = Locker & { readonly kind: Exclude<Locker["kind"], "uncx-v3"> }

interface Place {
  readonly pair: Address.Address
  readonly locker: FungibleLocker
  readonly balance: bigint
  /** None where the locker did not say. */
  readonly count: Option.Option<number>
}

type Found = Omit<LockRecord, "pool" | "locker" | "name">

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const book = yield* ChainBook.of(state.chain.addressBook)
  const market = Market.of(book)
  const lockers = lockersOf(book).filter(isFungible)

  const words = (to: Address.Address, getter: Hex, args: ReadonlyArray<Hex>) =>
    Effect.map(Getter.read(state, to, getter, Getter.words, args), ({ value }) => Option.getOrElse(value, () => []))

  /** The records of a pair in a locker; none in place of a malformed one. */
  const recordsIn = (
    { balance: _, count, locker: { address, kind }, pair }: Place,
    deposits: ReadonlyArray<bigint>
  ): Effect.Effect<ReadonlyArray<Option.Option<Found>>, ChainError> => {
    const indices = Array.from(
      {
        length: Math.min(
          Option.getOrElse(count, () => 0),
          mostLocks
        )
      },
      (_, index) => Getter.word(BigInt(index))
    )
    switch (kind) {
      case "uncx-v2":
        return Together.forEach(indices, (index) =>
          Effect.map(
            words(address, functions.tokenLocks, [Getter.word(pair), index]),
            ([, amount, , unlockDate, , owner]) => found(amount, unlockDate, owner)
          )
        )
      case "uncx-v2.1":
        return Together.forEach(indices, (index) =>
          Effect.gen(function* () {
            const [id] = yield* words(address, lockIdOf, [Getter.word(pair), index])
            if (id === undefined) return Option.none<Found>()
            const [lpToken, , amount, , unlockDate, , owner] = yield* words(address, lockOf, [Getter.word(id)])
            return lpToken === BigInt(pair) ? found(amount, unlockDate, owner) : Option.none<Found>()
          })
        )
      case "pinklock":
        return indices.length === 0
          ? Effect.succeed([])
          : Effect.map(
              words(address, functions.getLocksForToken, [
                Getter.word(pair),
                Getter.word(0n),
                Getter.word(BigInt(indices.length - 1))
              ]),
              (answer) => pinkLocks(answer, BigInt(pair), indices.length)
            )
      case "team-finance":
        return Together.forEach(deposits.slice(-mostLocks), (id) =>
          Effect.map(
            words(address, functions.getDepositDetails, [Getter.word(id)]),
            ([token, owner, amount, unlockTime, withdrawn]) =>
              token !== BigInt(pair) || withdrawn === undefined
                ? Option.none()
                : found(withdrawn === 0n ? amount : 0n, unlockTime, owner)
          )
        )
    }
  }

  const read = Effect.fn("Locks.of")(function* (pairs: ReadonlyArray<Address.Address>) {
    const asked = pairs.flatMap((pair) => lockers.map((locker) => ({ pair, locker })))
    const team = lockers.filter(({ kind }) => kind === "team-finance").map(({ address }) => address)
    const { deposits, holdings } = yield* Together.all({
      holdings: BatchRead.all(
        state,
        asked.flatMap(({ locker, pair }) => [
          BatchRead.balanceOf(pair, locker.address),
          BatchRead.get(locker.address, locker.kind === "pinklock" ? countOfPinkLock : functions.getNumLocksForToken, [
            Getter.word(pair)
          ])
        ])
      ),
      deposits:
        team.length === 0 || pairs.length === 0
          ? Effect.succeed(Either.right<ReadonlyArray<Log>>([]))
          : Effect.either(
              Effect.map(
                state.logs({ address: team, topics: [deposit, pairs.map((pair) => Getter.word(pair))] }),
                ({ value }) => value.logs
              )
            )
    })
    const places = asked.flatMap(({ locker, pair }, index): ReadonlyArray<Place> => {
      const [balance = 0n] = holdings.value[2 * index] ?? []
      const [count] = holdings.value[2 * index + 1] ?? []
      return balance === 0n
        ? []
        : [{ pair, locker, balance, count: Option.map(Option.fromNullable(count), (many) => Number(many)) }]
    })
    const parts = yield* Together.forEach(places, (place) =>
      Effect.map(
        Effect.either(
          Effect.flatMap(
            place.locker.kind === "team-finance" ? deposits : Either.right<ReadonlyArray<Log>>([]),
            (logs) => recordsIn(place, depositsOf(logs, place))
          )
        ),
        (records) => settle(place, records)
      )
    )
    return {
      value: {
        records: parts.flatMap(({ records }) => records).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
        unrecorded: parts.flatMap(({ unrecorded }) => unrecorded).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      },
      observation: holdings.observation
    }
  })

  return Locks.of({
    of: yield* OncePerKey.make(
      (token: Address.Address) => token,
      (token) => read(Market.pairAddresses(market, token))
    ),
    ofToken: yield* OncePerKey.make(
      (token: Address.Address) => token,
      (token) => read([token])
    )
  })
})

/**
 * Reads the balance of every locker in every pair that the token could have, and for the records behind those that are
 * not zero: two levels, and a third for UNCX's later contract.
 *
 * @see https://etherscan.io/address/0x663A5C229c09b049E36dCc11a9B0d4a8Eb9db214#code
 */
export const layer: Layer.Layer<Locks, never, ChainState> = Layer.scoped(Locks, make)

/** The lockers that the address book knows of a chain. */
export const lockersOf = ({ addresses }: ChainBook.ChainBook): ReadonlyArray<Locker> =>
  Option.match(addresses, {
    onNone: () => [],
    onSome: ({ lockers }) => lockers.map((locker) => ({ ...locker, address: Address.checksum(locker.address) }))
  })

/** The end of a lock with a time in its record; none for "never", for which some lockers write the largest number. */
export const endOf = (unlocksAt: bigint): LockRecord["unlocksAt"] =>
  unlocksAt > Timestamp.lastSecond ? Option.none() : Option.some(Number(unlocksAt))

/** Whether a lock has ended at a block, or has so many seconds after it. */
export const isOver = ({ unlocksAt }: Pick<LockRecord, "unlocksAt">, block: BlockRef, seconds = 0): boolean =>
  Option.exists(unlocksAt, (at) => BlockUse.hasReached(block, "time", at - seconds))

const isFungible = (locker: Locker): locker is FungibleLocker => locker.kind !== "uncx-v3"

const found = (
  amount: bigint | undefined,
  unlocksAt: bigint | undefined,
  owner: bigint | undefined
): Option.Option<Found> =>
  amount === undefined || unlocksAt === undefined || owner === undefined || owner >= 1n << 160n
    ? Option.none()
    : Option.some({ amount, owner: Address.fromWord(Getter.word(owner)), unlocksAt: endOf(unlocksAt) })

/**
 * `getLocksForToken` of PinkLock02 and 03: id, token, owner, amount, lockDate, tgeDate, tgeBps, cycle, cycleBps,
 * unlockedAmount, and a description that makes each record one of variable size; a lock that is vested counts as
 * released where its vesting begins. Of the first PinkLock: id, token, owner, amount, lockDate, unlockDate.
 */
const pinkLocks = (words: ReadonlyArray<bigint>, pair: bigint, count: number): ReadonlyArray<Option.Option<Found>> => {
  const [offset, length] = words
  if (offset !== 32n || length !== BigInt(count)) return [Option.none()]
  const body = words.slice(2)
  const records = Array.from({ length: count }, (_, index) => {
    const start = body[index] ?? 0n
    const isWhole = start % 32n === 0n && start < BigInt(32 * body.length)
    const [, token, owner, amount, , tgeDate, , , , unlocked] = isWhole ? body.slice(Number(start) / 32) : []
    return token === pair && amount !== undefined && unlocked !== undefined && unlocked <= amount
      ? found(amount - unlocked, tgeDate, owner)
      : Option.none()
  })
  if (records.every(Option.isSome) || body.length !== 6 * count) return records
  return Array.from({ length: count }, (_, index) => {
    const [, token, owner, amount, , unlockDate] = body.slice(6 * index)
    return token === pair ? found(amount, unlockDate, owner) : Option.none()
  })
}

const depositsOf = (logs: ReadonlyArray<Log>, { locker, pair }: Place): ReadonlyArray<bigint> =>
  logs
    .filter((log) => log.address === locker.address && log.topics[1] === Getter.word(pair))
    .flatMap((log) => Option.toArray(Getter.uint(log.data)))

/** What of the locker's balance its records account for. */
const settle = (
  { balance, count, locker, pair }: Place,
  records: Either.Either<ReadonlyArray<Option.Option<Found>>, ChainError>
): LockSet => {
  const common = { pool: pair, locker: locker.address, name: locker.name }
  const lost = (amount: bigint, reason: UnknownReason): ReadonlyArray<Unrecorded> =>
    amount === 0n ? [] : [{ ...common, amount, empty: Option.contains(count, 0), reason }]
  if (Either.isLeft(records)) return { records: [], unrecorded: lost(balance, records.left.reason) }
  const kept = records.right.flatMap(Option.toArray).filter(({ amount }) => amount > 0n)
  const recorded = BigInts.sumAll(kept.map(({ amount }) => amount))
  if (recorded > balance) return { records: [], unrecorded: lost(balance, "conflicting_sources") }
  return {
    records: kept.map((record) => ({ ...common, ...record })),
    unrecorded: lost(balance - recorded, "inconclusive")
  }
}

const keyOf = (item: LockRecord | Unrecorded): string =>
  `${item.pool} ${item.locker} ${"owner" in item ? `${item.owner} ${Option.getOrElse(item.unlocksAt, () => 0)}` : ""}`

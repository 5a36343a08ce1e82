/** @internal */

import { Effect, Either, Option, Order } from "effect"
import type { ChainBook } from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"
import * as Locks from "./Locks.js"

/**
 * What a locker says now of a position of Uniswap V3: its manager, pool and owner, and the end of the lock in seconds
 * since the epoch.
 */
export interface PositionLock {
  readonly locker: Address.Address
  readonly manager: Address.Address
  readonly pool: Address.Address
  readonly position: bigint
  readonly owner: Address.Address
  readonly unlocksAt: bigint
}

// UNCX's lockers of positions: the event names the lock, and the record is read from the contract:
// https://etherscan.io/address/0xFD235968e65B0990584585763f837A5b5330e6DE#code
const onLock = Selectors.topic(
  "onLock(uint256,address,uint256,address,address,address,uint256,uint16,uint256,address,(uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128))"
)
const getLock = Selectors.selector("getLock(uint256)")

const mostLocks = 16

/** The lockers that keep positions. */
export const lockersOf = (book: ChainBook): ReadonlyArray<Locks.Locker> =>
  Locks.lockersOf(book).filter(({ kind }) => kind === "uncx-v3")

/** The events by which positions came into lockers. */
export const scan = (
  state: ChainState["Type"],
  lockers: ReadonlyArray<Locks.Locker>
): Effect.Effect<EventScan.EventScan> =>
  EventScan.of(state, { address: lockers.map(({ address }) => address), topics: [onLock] })

/** Reads the newest locks that events name of a pool, and says whether there are more. */
export const read = (
  state: ChainState["Type"],
  logs: ReadonlyArray<Log>,
  pool: Address.Address
): Effect.Effect<{ readonly records: ReadonlyArray<PositionLock>; readonly more: boolean }, ChainError> => {
  const ofPool = logs.filter(({ data }) => Option.contains(Getter.wordAt(data, 9 * 32), Getter.word(pool)))
  return Effect.map(
    Together.forEach(ofPool.slice(-mostLocks), ({ address, data }) =>
      Effect.map(
        Getter.read(state, address, getLock, Getter.words, Option.toArray(Getter.wordAt(data, 0))),
        ({ value }) => Option.flatMap(value, (record) => lockOf(address, record))
      )
    ),
    (records) => ({ records: records.flatMap(Option.toArray), more: ofPool.length > mostLocks })
  )
}

const lockOf = (
  locker: Address.Address,
  [, manager, pool, position, owner, , , , unlocksAt]: ReadonlyArray<bigint>
): Option.Option<PositionLock> =>
  manager === undefined ||
  pool === undefined ||
  position === undefined ||
  owner === undefined ||
  unlocksAt === undefined
    ? Option.none()
    : Option.some({
        locker,
        manager: addressOf(manager),
        pool: addressOf(pool),
        position,
        owner: addressOf(owner),
        unlocksAt
      })

const addressOf = (word: bigint): Address.Address => Address.fromWord(Getter.word(word))

/**
 * What a position that lies in a locker is by the locks that were read. One that was locked again has a record of each
 * time, and the soonest counts.
 */
export const settle = (
  locks: ReadonlyArray<PositionLock>,
  locker: Locks.Locker,
  {
    amount,
    id,
    manager,
    pool
  }: {
    readonly manager: Address.Address
    readonly pool: Address.Address
    readonly id: bigint
    readonly amount: bigint
  }
): Either.Either<Locks.LockRecord, Locks.Unrecorded> => {
  const common = { pool, locker: locker.address, name: locker.name, amount }
  const [soonest] = locks
    .filter(
      (lock) => lock.locker === locker.address && lock.manager === manager && lock.pool === pool && lock.position === id
    )
    .sort((a, b) => Order.bigint(a.unlocksAt, b.unlocksAt))
  return soonest === undefined
    ? Either.left({ ...common, empty: false, reason: "inconclusive" })
    : Either.right({ ...common, owner: soonest.owner, unlocksAt: Locks.endOf(soonest.unlocksAt) })
}

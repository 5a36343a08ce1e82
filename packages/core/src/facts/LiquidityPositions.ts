import { Context, Effect, Either, Layer, Option, Order } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState, type Log } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import * as AddressBook from "../data/AddressBook.js"
import * as Address from "../domain/Address.js"
import type { UnknownReason } from "../domain/Evidence.js"
import type { Hex } from "../domain/Hex.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as Selectors from "../evm/Selectors.js"
import * as BatchRead from "./BatchRead.js"
import * as ConcentratedLiquidity from "./ConcentratedLiquidity.js"
import * as Getter from "./Getter.js"
import * as Insiders from "./Insiders.js"
import type { LockRecord, Unrecorded } from "./Locks.js"
import * as Market from "./Market.js"
import * as MarketReference from "./MarketReference.js"
import * as Memo from "./Memo.js"
import * as Pools from "./Pools.js"
import * as PositionRanges from "./PositionRanges.js"

/**
 * Part of a pool that an account has: one that stands close to the token, one that has the position by which the pool was
 * opened, or any other.
 *
 * @since 0.1.0
 * @category models
 */
export interface Held {
  readonly account: Address.Address
  readonly amount: bigint
  readonly standing: "close" | "opener" | "other"
}

/**
 * Whose liquidity of a Uniswap V3 pool it is. Amounts are what a position pays in the quote while the token falls to a
 * quarter of its price, so that what is parked far from the price is nothing; of a pool that has none of it they are what
 * its positions sell of the token. `total` is that of all positions by the pool's events, `depth` what a pair would hold
 * that pays as much, none where not every event was seen; `total` is then what the pool holds, which is more.
 * `insidersGap` says why an insider may have more than was found, `locksGap` why a lock may be missing; null where nothing
 * is.
 *
 * @since 0.1.0
 * @category models
 */
export interface PoolPositions {
  readonly pool: Address.Address
  readonly total: bigint
  readonly depth: Option.Option<bigint>
  readonly burned: bigint
  readonly held: ReadonlyArray<Held>
  readonly locks: ReadonlyArray<LockRecord>
  readonly unrecorded: ReadonlyArray<Unrecorded>
  readonly insidersGap: UnknownReason | null
  readonly locksGap: UnknownReason | null
}

/**
 * Whose the positions in a token's Uniswap V3 pools are: those of its insiders, the one that each pool was opened with,
 * the largest others, and those that are locked.
 *
 * @since 0.1.0
 * @category services
 */
export class LiquidityPositions extends Context.Tag("@assay/core/LiquidityPositions")<
  LiquidityPositions,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading<ReadonlyArray<PoolPositions>>, ChainError>
  }
>() {}

const { functions, selector, topic, topics } = Selectors

// https://github.com/Uniswap/v3-periphery/blob/main/contracts/interfaces/INonfungiblePositionManager.sol
const increaseLiquidity = topic("IncreaseLiquidity(uint256,uint128,uint256,uint256)")
const tokenOfOwnerByIndex = selector("tokenOfOwnerByIndex(address,uint256)")

// UNCX's lockers of positions: the event names the lock, and the record is read from the contract, as it is now:
// https://etherscan.io/address/0xFD235968e65B0990584585763f837A5b5330e6DE#code
const onLock = topic(
  "onLock(uint256,address,uint256,address,address,address,uint256,uint16,uint256,address,(uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128))"
)
const getLock = selector("getLock(uint256)")

const mostPools = 4

// Of one insider, and of all of them together: more than these leave a gap.
const mostPositionsEach = 12
const mostPositions = 48

const mostLocks = 16

// Deposits of a pool that are looked into, largest first.
const mostDeposits = 8

const burnt: ReadonlySet<Address.Address> = new Set(
  AddressBook.burnAddresses.map((address) => Address.checksum(address))
)

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const pools = yield* Pools.Pools
  const market = Market.of(state.chain.addressBook)
  const lockers = Option.toArray(AddressBook.forChain(state.chain.addressBook)).flatMap((book) =>
    book.lockers.flatMap((locker) =>
      locker.kind === "uncx-v3" ? [{ name: locker.name, address: Address.checksum(locker.address) }] : []
    )
  )

  const words = (to: Address.Address, data: Hex) =>
    Effect.map(state.call({ to, data }), ({ value }) => (value._tag === "Returned" ? wordsOf(value.data) : []))

  /** The positions that a transaction put liquidity into, by the manager's events, and who got those that it made. */
  const fedBy = (manager: Address.Address, { blockNumber, transactionHash }: Log) =>
    Effect.map(
      state.logs({
        address: manager,
        topics: [[increaseLiquidity, topics.Transfer]],
        blocks: [blockNumber, blockNumber]
      }),
      ({ value }) => {
        const logs = value.logs.filter((log) => log.transactionHash === transactionHash)
        return {
          ids: logs.flatMap((log) => (log.topics[0] === increaseLiquidity ? wordsOf(log.topics[1] ?? "0x") : [])),
          receivers: logs.flatMap((log) =>
            log.topics[0] === increaseLiquidity
              ? []
              : Option.toArray(Option.flatMap(Option.fromNullable(log.topics[2]), Getter.addressOfWord))
          )
        }
      }
    )

  /** The positions of accounts, whichever pools they are in, and whether there are more of them. */
  const ownedBy = (manager: Address.Address, accounts: ReadonlyArray<Address.Address>) =>
    Effect.map(
      BatchRead.all(
        state,
        accounts.flatMap((account) => [
          BatchRead.balanceOf(manager, account),
          ...Array.from({ length: mostPositionsEach }, (_, index) =>
            BatchRead.get(manager, tokenOfOwnerByIndex, [Getter.word(account), Getter.word(BigInt(index))])
          )
        ])
      ),
      ({ value }) => {
        const each = accounts.map((account, place) => {
          const [[count = 0n] = [], ...ids] = value.slice(
            place * (mostPositionsEach + 1),
            (place + 1) * (mostPositionsEach + 1)
          )
          return {
            more: count > BigInt(mostPositionsEach),
            positions: ids.flatMap(([id]) => (id === undefined ? [] : [[id, account] as const]))
          }
        })
        const positions = each.flatMap(({ positions }) => positions)
        return {
          owners: new Map(positions.slice(0, mostPositions)),
          more: positions.length > mostPositions || each.some(({ more }) => more)
        }
      }
    )

  const read = Effect.fn("LiquidityPositions.of")(function* (token: Address.Address) {
    const places = Market.poolAddresses(market, token)
    const nothing = Effect.succeed(Either.right({ logs: [] as ReadonlyArray<Log>, complete: true }))
    const logs = (filter: Parameters<typeof state.logs>[0]) =>
      Effect.either(Effect.map(state.logs(filter), ({ value: { complete, logs } }) => ({ logs, complete })))
    const { deposits, firsts, inspected, locked, named } = yield* Together.all({
      inspected: pools.inspect(token),
      named: Insiders.named(state, token),
      firsts: Insiders.firstReceivers(state, token),
      deposits: places.length === 0 ? nothing : logs({ address: places, topics: [PositionRanges.events] }),
      locked:
        lockers.length === 0 || places.length === 0
          ? nothing
          : logs({ address: lockers.map(({ address }) => address), topics: [onLock] })
    })
    const [found, reference] = inspected
    // By all that they hold, so that none is taken for shallow whose liquidity lies beside the price.
    const worthOf = ({ pool, reserveQuote }: Pools.Inspected) =>
      Option.getOrElse(MarketReference.comparable(reference.value, pool.quote, reserveQuote), () => reserveQuote)
    const main = found.value
      .filter(({ pool }) => pool.kind === "uniswap-v3")
      .filter(({ liquidity, reserveQuote }) => reserveQuote > 0n || Option.exists(liquidity, (inRange) => inRange > 0n))
      .map((item) => ({ item, worth: worthOf(item) }))
      .sort((a, b) => Order.bigint(b.worth, a.worth) || (a.item.pool.address < b.item.pool.address ? -1 : 1))
      .slice(0, mostPools)
      .map(({ item }) => item)
    const close = new Set([...named.accounts, ...firsts.accounts])

    const value = yield* Together.forEach(main, (item) =>
      Effect.gen(function* () {
        const { exchange, fee, pool, sides } = item
        if (exchange.kind !== "uniswap-v3" || Option.isNone(item.price)) return []
        const price = item.price.value
        const manager = Address.checksum(exchange.nfpm)
        const ofPool = Either.match(deposits, {
          onLeft: () => [],
          onRight: ({ logs }) => logs.filter((log) => log.address === pool.address)
        })
        const ranges = PositionRanges.of(ofPool)
        const nearOf = (range: ConcentratedLiquidity.Range) => ConcentratedLiquidity.near(price, sides, range)
        const all = [...ranges.values()].map(({ range }) => nearOf(range))
        const whole = { quote: sum(all.map(({ quote }) => quote)), token: sum(all.map(({ token }) => token)) }
        const isWhole = gapOf(deposits) === null && [...ranges.values()].every(({ range }) => range.liquidity >= 0n)
        const side = (isWhole ? whole.quote : item.reserveQuote) > 0n ? "quote" : "token"

        const made = ofPool.filter((log) => PositionRanges.isDeposit(log) && log.topics[1] === Getter.word(manager))
        const first = made[0]
        const largest = made
          .map((log) => ({ log, amount: nearOf(PositionRanges.ofDeposit(log, isWhole ? ranges : new Map()))[side] }))
          .filter(({ amount }) => amount > 0n)
          .sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))
          .map(({ log }) => log)
        const lockIds = Either.match(locked, {
          onLeft: () => [],
          onRight: ({ logs }) =>
            logs
              .filter((log) => wordsOf(log.data)[9] === BigInt(pool.address))
              .map((log) => ({ locker: log.address, id: wordsOf(log.data)[0] ?? 0n }))
        })
        const { fed, owned, records } = yield* Together.all({
          fed: Together.forEach(
            onePerTransaction([...(first === undefined ? [] : [first]), ...largest]).slice(0, mostDeposits),
            (log) => fedBy(manager, log)
          ),
          owned: ownedBy(manager, [...close]),
          records: Together.forEach(lockIds.slice(-mostLocks), ({ id, locker }) =>
            Effect.map(words(locker, Getter.calldata(getLock, [Getter.word(id)])), (record) => ({ locker, record }))
          )
        })
        const amountIn = (position: ReadonlyArray<bigint>): bigint => {
          const [, , token0, token1, positionFee, lower, upper, liquidity] = position
          const [a, b] = [BigInt(token), BigInt(pool.quote)]
          const isHere =
            positionFee === BigInt(fee) && ((token0 === a && token1 === b) || (token0 === b && token1 === a))
          return isHere && lower !== undefined && upper !== undefined && liquidity !== undefined
            ? nearOf({ lower: PositionRanges.tickOf(lower), upper: PositionRanges.tickOf(upper), liquidity })[side]
            : 0n
        }
        const ownerOf = (id: bigint) =>
          Option.match(Option.fromNullable(owned.owners.get(id)), {
            onSome: (account) => Effect.succeedSome(account),
            onNone: () =>
              Effect.map(
                Getter.read(state, manager, functions.ownerOf, Getter.address, [Getter.word(id)]),
                ({ value }) => value
              )
          })
        const { positions } = yield* Together.all({
          positions: Together.forEach(
            new Set([
              ...owned.owners.keys(),
              ...fed.flatMap(({ ids }) => ids),
              ...records.flatMap(({ record }) => record.slice(3, 4))
            ]),
            (id) =>
              Effect.map(
                Together.all([words(manager, Getter.calldata(functions.positions, [Getter.word(id)])), ownerOf(id)]),
                ([position, account]) => ({ id, amount: amountIn(position), account })
              )
          ),
          // Most of them have it still, and what they are is asked next.
          ahead: Together.forEach(new Set([...close, ...fed.flatMap(({ receivers }) => receivers)]), (account) =>
            Effect.either(state.code(account))
          )
        })
        const openedBy = new Set(first === undefined ? [] : (fed[0]?.ids ?? []))
        const standingOf = (account: Address.Address, id: bigint): Held["standing"] =>
          close.has(account) ? "close" : openedBy.has(id) ? "opener" : "other"
        const parts = positions.flatMap(({ account, amount, id }): ReadonlyArray<Part> => {
          if (amount === 0n || Option.isNone(account)) return []
          const at = account.value
          if (burnt.has(at)) return [{ kind: "burned", amount }]
          const locker = lockers.find(({ address }) => address === at)
          if (locker === undefined)
            return [{ kind: "held", held: { account: at, amount, standing: standingOf(at, id) } }]
          const common = { pool: pool.address, locker: at, name: locker.name, amount }
          // One that was locked again has a record of each time.
          const until = records.flatMap(({ locker, record }) => {
            const [, of, lockedPool, position, owner, , , , unlockDate] = record
            return locker === at &&
              of === BigInt(manager) &&
              lockedPool === BigInt(pool.address) &&
              position === id &&
              owner !== undefined &&
              unlockDate !== undefined
              ? [{ owner: Address.fromWord(Getter.word(owner)), unlockDate }]
              : []
          })
          const record = until.sort((a, b) => (a.unlockDate < b.unlockDate ? -1 : 1))[0]
          return record === undefined
            ? [{ kind: "unrecorded", unrecorded: { ...common, empty: false, reason: "inconclusive" } }]
            : [
                {
                  kind: "locked",
                  lock: {
                    ...common,
                    owner: record.owner,
                    // UNCX writes the largest number for "never".
                    unlocksAt:
                      record.unlockDate > Timestamp.lastSecond ? Option.none() : Option.some(Number(record.unlockDate))
                  }
                }
              ]
        })
        // Who asked the pool itself has no token of the manager for it.
        const direct = [...ranges.values()].flatMap(({ owner, range }): ReadonlyArray<Held> => {
          const amount = owner === manager || range.liquidity <= 0n ? 0n : nearOf(range)[side]
          return amount === 0n ? [] : [{ account: owner, amount, standing: close.has(owner) ? "close" : "other" }]
        })
        const held = [...parts.flatMap((part) => (part.kind === "held" ? [part.held] : [])), ...direct]
        const found = sum([
          ...parts.map((part) =>
            part.kind === "burned"
              ? part.amount
              : part.kind === "held"
                ? part.held.amount
                : part.kind === "locked"
                  ? part.lock.amount
                  : part.unrecorded.amount
          ),
          ...direct.map(({ amount }) => amount)
        ])
        const most = isWhole ? whole[side] : side === "quote" ? item.reserveQuote : item.reserveToken
        return [
          {
            pool: pool.address,
            total: found > most ? found : most,
            depth: isWhole
              ? Option.some(smaller(ConcentratedLiquidity.asPair(whole), item.reserveQuote))
              : Option.none(),
            burned: sum(parts.map((part) => (part.kind === "burned" ? part.amount : 0n))),
            held,
            locks: parts.flatMap((part) => (part.kind === "locked" ? [part.lock] : [])),
            unrecorded: parts.flatMap((part) => (part.kind === "unrecorded" ? [part.unrecorded] : [])),
            insidersGap: named.gap ?? firsts.gap ?? gapOf(deposits) ?? (owned.more ? "inconclusive" : null),
            locksGap: gapOf(locked) ?? (lockIds.length > mostLocks ? "inconclusive" : null)
          } satisfies PoolPositions
        ]
      })
    )
    return { value: value.flat(), observation: found.observation }
  })

  return LiquidityPositions.of({ of: yield* Memo.make((token: Address.Address) => token, read) })
})

type Part =
  | { readonly kind: "burned"; readonly amount: bigint }
  | { readonly kind: "held"; readonly held: Held }
  | { readonly kind: "locked"; readonly lock: LockRecord }
  | { readonly kind: "unrecorded"; readonly unrecorded: Unrecorded }

const onePerTransaction = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> => {
  const seen = new Set<string>()
  return logs.filter(({ transactionHash }) => {
    const isNew = !seen.has(transactionHash)
    seen.add(transactionHash)
    return isNew
  })
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Asks the position manager what the insiders have, and whose the first and the largest positions of each pool are:
 * three levels.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<LiquidityPositions, never, ChainState | Pools.Pools> = Layer.scoped(
  LiquidityPositions,
  make
)

const gapOf = (scan: Either.Either<{ readonly complete: boolean }, ChainError>): UnknownReason | null =>
  Either.match(scan, {
    onLeft: ({ reason }) => reason,
    onRight: ({ complete }) => (complete ? null : "log_range_limited")
  })

const wordsOf = (data: Hex): ReadonlyArray<bigint> =>
  Array.from({ length: Math.min(Math.floor((data.length - 2) / 64), 32) }, (_, place) =>
    BigInt(`0x${data.slice(2 + 64 * place, 66 + 64 * place)}`)
  )

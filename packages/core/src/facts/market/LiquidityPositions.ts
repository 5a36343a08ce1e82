/** @internal */

import { Array as Arrays, BigInt as BigInts, Context, Effect, Layer, Option, Order } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type Log } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import * as Market from "../venue/Market.js"
import * as MarketReference from "../venue/MarketReference.js"
import * as Insiders from "./Insiders.js"
import type { LockRecord, Unrecorded } from "./Locks.js"
import * as Pools from "./Pools.js"
import * as PositionLocks from "./PositionLocks.js"
import * as PositionManager from "./PositionManager.js"
import * as PositionRanges from "./PositionRanges.js"

/**
 * An account's part of a pool. The account is an insider, the owner of the first position of the pool, the owner of a
 * position that was made for one of those, a contract that a manager of pools called back, or any other.
 */
export interface Held {
  readonly account: Address.Address
  readonly amount: bigint
  readonly standing: "close" | "opener" | "given" | "caller" | "other"
}

/**
 * The owners of a Uniswap V3 pool's liquidity. Amounts are what a position pays in the quote while the token falls to a
 * quarter of its price, so that liquidity far from the price counts as zero; in a pool without any such quote they are
 * what its positions sell of the token. `total` is that of all positions by the pool's events, `depth` the reserve of a
 * pair that pays as much, none where not every event was seen; `total` is then the pool's balance, which is larger.
 * `insidersGap` says why an insider may have more than was found, `locksGap` why a lock may be missing; null where
 * nothing is.
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
 * The owners of positions in a token's Uniswap V3 pools: its insiders, the one that each pool was opened with, the
 * largest others, and those that are locked.
 */
export class LiquidityPositions extends Context.Tag("@assay/core/LiquidityPositions")<
  LiquidityPositions,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading<ReadonlyArray<PoolPositions>>, ChainError>
  }
>() {}

/** The depth of pools with a complete event history, as {@link PoolPositions} defines it. */
export const depths = (pools: ReadonlyArray<PoolPositions>): ReadonlyMap<Address.Address, bigint> =>
  new Map(pools.flatMap(({ depth, pool }) => Option.toArray(Option.map(depth, (amount) => [pool, amount] as const))))

const mostPools = 4

// Deposits of a pool that are looked into, largest first.
const mostDeposits = 8

const burnt: ReadonlySet<Address.Address> = new Set(
  AddressBook.burnAddresses.map((address) => Address.checksum(address))
)

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const pools = yield* Pools.Pools
  const book = yield* ChainBook.of(state.chain.addressBook)
  const lockers = PositionLocks.lockersOf(book)

  const read = Effect.fn("LiquidityPositions.of")(function* (token: Address.Address) {
    const places = Market.poolAddresses(yield* pools.market(token), token)
    const { deposits, insiders, inspected, locked } = yield* Together.all({
      inspected: pools.inspect(token),
      insiders: Insiders.close(state, token),
      deposits: EventScan.of(state, { address: places, topics: [PositionRanges.events] }),
      locked: PositionLocks.scan(state, places.length === 0 ? [] : lockers)
    })
    const [found, reference] = inspected
    // By everything that they hold, so that a pool with liquidity away from the price does not count as shallow.
    const worthOf = ({ pool, reserveQuote }: Pools.Inspected) =>
      Option.getOrElse(MarketReference.comparable(reference.value, pool.quote, reserveQuote), () => reserveQuote)
    const main = found.value
      .filter(({ pool }) => pool.kind === "uniswap-v3")
      .filter(({ liquidity, reserveQuote }) => reserveQuote > 0n || Option.exists(liquidity, (inRange) => inRange > 0n))
      .map((item) => ({ item, worth: worthOf(item) }))
      .sort((a, b) => Order.bigint(b.worth, a.worth) || (a.item.pool.address < b.item.pool.address ? -1 : 1))
      .slice(0, mostPools)
      .map(({ item }) => item)
    const close = new Set(insiders.accounts)

    const value = yield* Together.forEach(main, (item) =>
      Effect.gen(function* () {
        const { exchange, fee, pool, sides } = item
        if (exchange.kind !== "uniswap-v3" || Option.isNone(item.price)) return []
        const price = item.price.value
        const ofPool = deposits.logs.filter((log) => log.address === pool.address)
        const ranges = PositionRanges.of(ofPool)
        const nearOf = (range: ConcentratedLiquidity.Range) => ConcentratedLiquidity.near(price, sides, range)
        const all = [...ranges.values()].map(({ range }) => nearOf(range))
        const whole = {
          quote: BigInts.sumAll(all.map(({ quote }) => quote)),
          token: BigInts.sumAll(all.map(({ token }) => token))
        }
        const isWhole = deposits.gap === null && [...ranges.values()].every(({ range }) => range.liquidity >= 0n)
        const side = (isWhole ? whole.quote : item.reserveQuote) > 0n ? "quote" : "token"
        const most = isWhole ? whole[side] : side === "quote" ? item.reserveQuote : item.reserveToken
        const depth = isWhole
          ? Option.some(BigInts.min(ConcentratedLiquidity.asPair(whole), item.reserveQuote))
          : Option.none<bigint>()
        if (exchange.nfpm === undefined) return [unowned(pool.address, most, depth)]
        const manager = Address.checksum(exchange.nfpm)

        const made = ofPool.filter((log) => PositionRanges.isDeposit(log) && log.topics[1] === Getter.word(manager))
        const first = made[0]
        const largest = made
          .map((log) => ({ log, amount: nearOf(PositionRanges.ofDeposit(log, isWhole ? ranges : new Map()))[side] }))
          .filter(({ amount }) => amount > 0n)
          .sort((a, b) => Order.bigint(b.amount, a.amount))
          .map(({ log }) => log)
        const { fed, locks, owned } = yield* Together.all({
          fed: Together.forEach(
            onePerTransaction([...(first === undefined ? [] : [first]), ...largest]).slice(0, mostDeposits),
            (log) => PositionManager.fedBy(state, manager, log)
          ),
          owned: PositionManager.ownedBy(state, manager, [...close]),
          locks: PositionLocks.read(state, locked.logs, pool.address)
        })
        const amountIn = ({ place }: PositionManager.Position): bigint => {
          const here = Option.filter(
            place,
            (at) => at.fee === BigInt(fee) && [token, pool.quote].every((each) => at.tokens.includes(BigInt(each)))
          )
          return Option.match(here, { onNone: () => 0n, onSome: ({ range }) => nearOf(range)[side] })
        }
        const { positions } = yield* Together.all({
          positions: Together.forEach(
            new Set([
              ...owned.owners.keys(),
              ...fed.flatMap(({ ids }) => ids),
              ...locks.records.map(({ position }) => position)
            ]),
            (id) => PositionManager.position(state, manager, id, owned.owners)
          ),
          // Most of them still have it, and their code is read next.
          ahead: Together.forEach(new Set([...close, ...fed.flatMap(({ receivers }) => receivers)]), (account) =>
            Effect.either(state.code(account))
          )
        })
        const openedBy = new Set(first === undefined ? [] : (fed[0]?.ids ?? []))
        const madeForClose = new Set(
          fed.flatMap(({ ids, receivers }) => (receivers.some((account) => close.has(account)) ? ids : []))
        )
        const standingOf = (account: Address.Address, id: bigint): Held["standing"] =>
          close.has(account) ? "close" : openedBy.has(id) ? "opener" : madeForClose.has(id) ? "given" : "other"
        const parts = positions.flatMap((position) => {
          const amount = amountIn(position)
          return amount === 0n
            ? []
            : Option.toArray(Option.map(position.owner, (account) => ({ id: position.id, account, amount })))
        })
        const lockerOf = (account: Address.Address) => lockers.find(({ address }) => address === account)
        const [unrecorded, recorded] = Arrays.separate(
          parts.flatMap(({ account, amount, id }) => {
            const locker = lockerOf(account)
            return locker === undefined
              ? []
              : [PositionLocks.settle(locks.records, locker, { manager, pool: pool.address, id, amount })]
          })
        )
        // An account that called the pool directly has no token of the manager.
        const direct = [...ranges.values()].flatMap(({ owner, range }): ReadonlyArray<Held> => {
          const amount = owner === manager || range.liquidity <= 0n ? 0n : nearOf(range)[side]
          return amount === 0n ? [] : [{ account: owner, amount, standing: close.has(owner) ? "close" : "other" }]
        })
        const held = [
          ...parts.flatMap(
            ({ account, amount, id }): ReadonlyArray<Held> =>
              burnt.has(account) || lockerOf(account) !== undefined
                ? []
                : [{ account, amount, standing: standingOf(account, id) }]
          ),
          ...direct
        ]
        const found = BigInts.sumAll([...parts, ...direct].map(({ amount }) => amount))
        return [
          {
            pool: pool.address,
            total: BigInts.max(found, most),
            depth,
            burned: BigInts.sumAll(parts.filter(({ account }) => burnt.has(account)).map(({ amount }) => amount)),
            held,
            locks: recorded,
            unrecorded,
            insidersGap: insiders.gap ?? deposits.gap ?? (owned.more ? "inconclusive" : null),
            locksGap: locked.gap ?? (locks.more ? "inconclusive" : null)
          } satisfies PoolPositions
        ]
      })
    )
    return { value: value.flat(), observation: found.observation }
  })

  return LiquidityPositions.of({ of: yield* OncePerKey.make((token: Address.Address) => token, read) })
})

/** A pool of an exchange of which no position manager is known: the pool's own events name no person. */
const unowned = (pool: Address.Address, total: bigint, depth: Option.Option<bigint>): PoolPositions => ({
  pool,
  total,
  depth,
  burned: 0n,
  held: [],
  locks: [],
  unrecorded: [],
  insidersGap: "inconclusive",
  locksGap: "inconclusive"
})

const onePerTransaction = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> => {
  const seen = new Set<string>()
  return logs.filter(({ transactionHash }) => {
    const isNew = !seen.has(transactionHash)
    seen.add(transactionHash)
    return isNew
  })
}

/**
 * Reads the insiders' positions from the position manager, and the owners of the first and the largest positions of
 * each pool: three levels.
 */
export const layer: Layer.Layer<LiquidityPositions, never, ChainState | Pools.Pools> = Layer.scoped(
  LiquidityPositions,
  make
)

import { Context, Effect, Either, Layer, Option } from "effect"
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
import * as Getter from "./Getter.js"
import * as Insiders from "./Insiders.js"
import type { LockRecord } from "./Locks.js"
import * as Market from "./Market.js"
import * as Memo from "./Memo.js"
import * as Pools from "./Pools.js"

/**
 * Whose liquidity of a Uniswap V3 pool is in range at its present price: an insider's, or locked by a record. `gap` says
 * why an insider may have more than was found; null where nothing is missing. What nobody here has belongs to others,
 * whoever they are.
 *
 * @since 0.1.0
 * @category models
 */
export interface PoolPositions {
  readonly pool: Address.Address
  readonly ofInsiders: ReadonlyArray<{ readonly account: Address.Address; readonly amount: bigint }>
  readonly locks: ReadonlyArray<LockRecord>
  readonly insidersGap: UnknownReason | null
  readonly locksGap: UnknownReason | null
}

/**
 * Which positions in a token's Uniswap V3 pools belong to its insiders, or are locked.
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

const { functions, selector, topic } = Selectors

// https://github.com/Uniswap/v3-core/blob/main/contracts/interfaces/pool/IUniswapV3PoolEvents.sol
const mint = topic("Mint(address,address,int24,int24,uint128,uint256,uint256)")
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

interface Position {
  readonly id: bigint
  readonly manager: Address.Address
}

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

  /** The position that the first deposit of a pool made, by the manager's event in the same transaction. */
  const opened = (manager: Address.Address, first: Log) =>
    Effect.map(
      state.logs({
        address: manager,
        topics: [increaseLiquidity],
        blocks: [first.blockNumber, first.blockNumber]
      }),
      ({ value }) =>
        value.logs.flatMap((log): ReadonlyArray<Position> => {
          const [id] = wordsOf(log.topics[1] ?? "0x")
          return log.transactionHash === first.transactionHash && id !== undefined ? [{ id, manager }] : []
        })
    )

  /** The positions of an account, whichever pools they are in, and whether there are more of them. */
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
            positions: ids.flatMap(([id]) => (id === undefined ? [] : [{ id, manager, account }]))
          }
        })
        const positions = each.flatMap(({ positions }) => positions)
        return {
          positions: positions.slice(0, mostPositions),
          more: positions.length > mostPositions || each.some(({ more }) => more)
        }
      }
    )

  const read = Effect.fn("LiquidityPositions.of")(function* (token: Address.Address) {
    const places = Market.poolAddresses(market, token)
    const nothing = Effect.succeed(Either.right({ logs: [] as ReadonlyArray<Log>, complete: true }))
    const logs = (filter: Parameters<typeof state.logs>[0]) =>
      Effect.either(Effect.map(state.logs(filter), ({ value: { complete, logs } }) => ({ logs, complete })))
    const { firsts, inspected, locked, mints, named } = yield* Together.all({
      inspected: pools.inspect(token),
      named: Insiders.named(state, token),
      firsts: Insiders.firstReceivers(state, token),
      mints: places.length === 0 ? nothing : logs({ address: places, topics: [mint] }),
      locked:
        lockers.length === 0 || places.length === 0
          ? nothing
          : logs({ address: lockers.map(({ address }) => address), topics: [onLock] })
    })
    const [found, reference] = inspected
    const main = Pools.deepestFirst(found.value, reference.value)
      .filter(({ liquidity }) => Option.exists(liquidity, (inRange) => inRange > 0n))
      .slice(0, mostPools)
    const close = [...new Set([...named.accounts, ...firsts.accounts])]

    const value = yield* Together.forEach(main, (item) =>
      Effect.gen(function* () {
        const { exchange, fee, pool } = item
        if (exchange.kind !== "uniswap-v3") return []
        const manager = Address.checksum(exchange.nfpm)
        const ofPool = Either.match(mints, {
          onLeft: () => [],
          onRight: ({ logs }) => logs.filter((log) => log.address === pool.address)
        })
        const first = ofPool.find((log) => log.topics[1] === Getter.word(manager))
        const lockIds = Either.match(locked, {
          onLeft: () => [],
          onRight: ({ logs }) =>
            logs
              .filter((log) => wordsOf(log.data)[9] === BigInt(pool.address))
              .map((log) => ({ locker: log.address, id: wordsOf(log.data)[0] ?? 0n }))
        })
        const { openers, owned, records, tick } = yield* Together.all({
          openers: first === undefined ? Effect.succeed([]) : opened(manager, first),
          owned: ownedBy(manager, close),
          records: Together.forEach(lockIds.slice(-mostLocks), ({ id, locker }) =>
            Effect.map(words(locker, Getter.calldata(getLock, [Getter.word(id)])), (record) => ({
              locker,
              record
            }))
          ),
          tick: Effect.map(words(pool.address, functions.slot0), ([, at]) =>
            at === undefined ? 0n : BigInt.asIntN(24, at)
          )
        })
        const inRange = (position: ReadonlyArray<bigint>): bigint => {
          const [, , token0, token1, positionFee, lower = 0n, upper = 0n, liquidity = 0n] = position
          const [a, b] = [BigInt(token), BigInt(pool.quote)]
          const isHere =
            positionFee === BigInt(fee) && ((token0 === a && token1 === b) || (token0 === b && token1 === a))
          return isHere && BigInt.asIntN(24, lower) <= tick && tick < BigInt.asIntN(24, upper) ? liquidity : 0n
        }
        const amountOf = ({ id, manager: at }: Position) =>
          Effect.map(words(at, Getter.calldata(functions.positions, [Getter.word(id)])), inRange)
        const ownerOf = ({ id, manager: at }: Position) =>
          Effect.map(words(at, Getter.calldata(functions.ownerOf, [Getter.word(id)])), ([owner]) => owner)

        const fresh = openers.filter(({ id }) => !owned.positions.some((position) => position.id === id))
        const { kept, ofClose, ofOpeners } = yield* Together.all({
          ofClose: Together.forEach(owned.positions, (position) =>
            Effect.map(amountOf(position), (amount) => ({ account: position.account, amount }))
          ),
          // Whoever has the first position now, if anybody can use it.
          ofOpeners: Together.forEach(fresh, (position) =>
            Effect.map(Together.all([amountOf(position), ownerOf(position)]), ([amount, owner]) =>
              owner === undefined ? [] : [{ account: Address.fromWord(Getter.word(owner)), amount }]
            )
          ),
          kept: Together.forEach(records, ({ locker, record }) => {
            const [, at, of, id, owner, , , , unlockDate] = record
            if (at !== BigInt(manager) || of !== BigInt(pool.address) || id === undefined || owner === undefined)
              return Effect.succeed([])
            const position = { id, manager }
            return Effect.map(Together.all([amountOf(position), ownerOf(position)]), ([amount, holder]) =>
              holder === BigInt(locker) && amount > 0n && unlockDate !== undefined
                ? [
                    {
                      pool: pool.address,
                      locker,
                      name: lockers.find(({ address }) => address === locker)?.name ?? "UNCX",
                      owner: Address.fromWord(Getter.word(owner)),
                      amount,
                      // UNCX writes the largest number for "never".
                      unlocksAt:
                        unlockDate > Timestamp.lastSecond ? Option.none<number>() : Option.some(Number(unlockDate))
                    } satisfies LockRecord
                  ]
                : []
            )
          })
        })
        const impersonal = new Set<Address.Address>([
          ...AddressBook.burnAddresses.map((burnt) => Address.checksum(burnt)),
          ...lockers.map(({ address }) => address)
        ])
        return [
          {
            pool: pool.address,
            ofInsiders: [...ofClose, ...ofOpeners.flat()].filter(
              ({ account, amount }) => amount > 0n && !impersonal.has(account)
            ),
            locks: kept.flat(),
            insidersGap: named.gap ?? firsts.gap ?? gapOf(mints) ?? (owned.more ? "inconclusive" : null),
            locksGap: gapOf(locked) ?? (lockIds.length > mostLocks ? "inconclusive" : null)
          } satisfies PoolPositions
        ]
      })
    )
    return { value: value.flat(), observation: found.observation }
  })

  return LiquidityPositions.of({ of: yield* Memo.make((token: Address.Address) => token, read) })
})

/**
 * Asks the position manager what the insiders have, and whoever made the first position of each pool: three levels.
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

/** @internal */

import { BigInt as BigInts, Effect, Option, Order } from "effect"
import * as OxHash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import * as MarketReference from "../venue/MarketReference.js"
import * as PoolKey from "../venue/PoolKey.js"
import * as Insiders from "./Insiders.js"
import type { Held, PoolPositions } from "./LiquidityPositions.js"
import * as Pools from "./Pools.js"
import * as PositionRanges from "./PositionRanges.js"

const { functions, selector, topic, topics } = Selectors

// https://github.com/Uniswap/v4-core/blob/main/src/interfaces/IPoolManager.sol
const modified = topic("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)")

const extsload = selector("extsload(bytes32)")

// Where a pool has its positions: https://github.com/Uniswap/v4-core/blob/main/src/libraries/StateLibrary.sol
const positionsOffset = 6n

// Of one manager, those that pay the most near the price; what others pay counts as not seen.
const mostPositions = 64

/** A position, as the manager keeps it: in a pool, of a sender, between two ticks, by a number that the sender chose. */
interface Place {
  readonly item: Pools.Inspected
  readonly key: PoolKey.PoolKey
  readonly sender: Address.Address
  readonly lower: number
  readonly upper: number
  readonly salt: Hex
}

/** What the events of a manager left in a position, and whether it was the first of its pool. */
interface Candidate {
  readonly place: Place
  readonly liquidity: bigint
  readonly isFirst: boolean
}

/**
 * The owners of the positions that a token's pools have in each manager, a manager's pools as one, since they share its
 * address. Events name the positions and prove nothing: what counts is the liquidity that the manager has in them now, and
 * what its ticks have near the price beside that is not seen. A position of the exchange's own position manager belongs to the
 * owner of its token, any other to whoever called the manager. Two levels behind the pools.
 *
 * Where a hook may keep what its address lets it see taken out, nobody is known to be able to withdraw, so that these positions
 * count as not seen, but for burned ones; and so does what a hook may swap from liquidity of its own.
 */
export const read = (
  state: ChainState["Type"],
  token: Address.Address,
  [{ value: pools }, { value: reference }, , managed]: Pools.MarketReading
): Effect.Effect<ReadonlyArray<PoolPositions>, ChainError> =>
  Effect.flatMap(Insiders.close(state, token), (insiders) =>
    Effect.map(
      Together.forEach(managed, (manager) =>
        ofManager(
          state,
          token,
          manager,
          pools.filter(({ exchange, key }) => exchange === manager.exchange && Option.isSome(key)),
          reference,
          insiders
        )
      ),
      (found) => found.flat()
    )
  )

const ofManager = (
  state: ChainState["Type"],
  token: Address.Address,
  { exchange, gap, unpricedToken }: Pools.Managed,
  pools: ReadonlyArray<Pools.Inspected>,
  reference: MarketReference.Reference,
  insiders: Insiders.Insiders
): Effect.Effect<ReadonlyArray<PoolPositions>, ChainError> =>
  Effect.gen(function* () {
    if (pools.length === 0) return []
    const manager = Address.checksum(exchange.manager)
    const positions = Option.map(Option.fromNullable(exchange.positions), Address.checksum)
    const ids = pools.flatMap(({ pool }) => (pool.pool_id === undefined ? [] : [pool.pool_id]))
    const events = yield* EventScan.of(state, { address: manager, topics: [modified, ids] })
    const worth = worthIn(token, pools, reference)
    const unknown: PoolPositions = {
      pool: manager,
      total: 0n,
      depth: Option.none(),
      burned: 0n,
      held: [],
      locks: [],
      unrecorded: [],
      insidersGap: events.gap ?? "inconclusive",
      locksGap: events.gap ?? "inconclusive"
    }
    const sold = BigInts.sumAll(pools.map(({ reserveToken }) => near(reserveToken)))
    const isWhole = events.gap === null && Option.isNone(gap) && 10n * unpricedToken <= sold
    if (!isWhole || Option.isNone(worth)) return [unknown]
    const of = worth.value

    const candidates = candidatesOf(events.logs, pools)
      .map((each) => ({ ...each, amount: of(each.place, each.liquidity) }))
      .filter(({ amount }) => amount > 0n)
      .sort((a, b) => Order.bigint(b.amount, a.amount))
    const chosen = candidates.slice(0, mostPositions)
    const tokens = chosen.flatMap(({ place }) => (Option.contains(positions, place.sender) ? [place.salt] : []))
    const { answers, passed } = yield* Together.all({
      answers: BatchRead.all(
        state,
        chosen.flatMap(({ place }) => [
          BatchRead.get(manager, extsload, [slotOf(place)]),
          Option.contains(positions, place.sender)
            ? BatchRead.get(place.sender, functions.ownerOf, [place.salt])
            : BatchRead.get(manager, extsload, [slotOf(place)])
        ])
      ),
      passed: EventScan.of(state, {
        address: tokens.length === 0 ? [] : Option.toArray(positions),
        topics: [topics.Transfer, null, null, tokens]
      })
    })
    const close = new Set(insiders.accounts)
    const passedByClose = new Set(
      passed.logs
        .filter(({ topics: [, from, to] }) => [from, to].some((account) => isIn(close, account)))
        .flatMap(({ topics: [, , , id] }) => (id === undefined ? [] : [id]))
    )
    const parts = chosen.flatMap(({ isFirst, place }, index) => {
      const [[slot], [holder]] = [answers.value[2 * index] ?? [], answers.value[2 * index + 1] ?? []]
      const amount = slot === undefined ? 0n : of(place, slot & (2n ** 128n - 1n))
      const isToken = Option.contains(positions, place.sender)
      const account = isToken
        ? Option.flatMap(Option.fromNullable(holder), (word) => Getter.addressOfWord(Getter.word(word)))
        : Option.some(place.sender)
      if (amount === 0n || Option.isNone(account)) return []
      const standing: Held["standing"] = close.has(account.value)
        ? "close"
        : !isToken
          ? "caller"
          : isFirst
            ? "opener"
            : passedByClose.has(place.salt)
              ? "given"
              : "other"
      return [{ account: account.value, amount, standing, key: place.key }]
    })
    const [burned, kept] = [
      parts.filter(({ account }) => burnt.has(account)),
      parts.filter(({ account }) => !burnt.has(account))
    ]
    const left = BigInts.sumAll([
      ...parts.map(({ amount }) => amount),
      ...candidates.slice(mostPositions).map(({ amount }) => amount)
    ])
    const inTicks = BigInts.sumAll(pools.map((item) => of.near(item)))
    const ofHooks = BigInts.sumAll(
      pools.map((item) => (Option.exists(item.key, PoolKey.mayHaveLiquidity) ? of.near(item) : 0n))
    )
    const total = BigInts.max(left, inTicks) + ofHooks
    if (total === 0n) return [unknown]
    return [
      {
        ...unknown,
        total,
        depth: Option.some(total),
        burned: BigInts.sumAll(burned.map(({ amount }) => amount)),
        held: kept
          .filter(({ key }) => !PoolKey.mayKeepLiquidity(key))
          .map(({ account, amount, standing }): Held => ({ account, amount, standing })),
        insidersGap: insiders.gap ?? passed.gap,
        locksGap: null
      }
    ]
  })

const burnt: ReadonlySet<Address.Address> = new Set(
  AddressBook.burnAddresses.map((address) => Address.checksum(address))
)

const isIn = (accounts: ReadonlySet<Address.Address>, word: Hex | undefined): boolean =>
  Option.exists(Option.flatMap(Option.fromNullable(word), Getter.addressOfWord), (account) => accounts.has(account))

/** Half of the reserves that are shown of a pool is what it pays near its price. */
const near = (reserve: bigint): bigint => reserve / 2n

/** Amounts of several pools in one measure: what a position pays near the price of its pool, and what a whole pool does. */
interface Worth {
  (place: Place, liquidity: bigint): bigint
  readonly near: (item: Pools.Inspected) => bigint
}

/**
 * By the quote of the pools where they have the same one, else by what these are worth; by the token where no pool pays any quote.
 * None where a quote has no known worth.
 */
const worthIn = (
  token: Address.Address,
  pools: ReadonlyArray<Pools.Inspected>,
  reference: MarketReference.Reference
): Option.Option<Worth> => {
  const side = pools.some(({ reserveQuote }) => reserveQuote > 0n) ? "quote" : "token"
  const isOne = new Set(pools.map(({ pool }) => pool.quote)).size === 1
  const valueOf = ({ pool }: Pools.Inspected, amount: bigint): Option.Option<bigint> =>
    isOne || side === "token" ? Option.some(amount) : MarketReference.comparable(reference, pool.quote, amount)
  if (!pools.every((item) => Option.isSome(valueOf(item, 1n)))) return Option.none()
  const value = (item: Pools.Inspected, amount: bigint) => Option.getOrElse(valueOf(item, amount), () => 0n)
  return Option.some(
    Object.assign(
      ({ item, key, lower, upper }: Place, liquidity: bigint): bigint => {
        const order = Pools.orderOf(key, token)
        const price = Option.getOrElse(item.price, () => 0n)
        const amounts = ConcentratedLiquidity.near(
          ConcentratedLiquidity.priceAs(price, { from: item.sides, to: order }),
          order,
          { lower, upper, liquidity: BigInts.max(liquidity, 0n) }
        )
        return value(item, amounts[side])
      },
      {
        near: (item: Pools.Inspected) => value(item, near(side === "quote" ? item.reserveQuote : item.reserveToken))
      }
    )
  )
}

/** What events left in each position of the pools. */
const candidatesOf = (logs: ReadonlyArray<Log>, pools: ReadonlyArray<Pools.Inspected>): ReadonlyArray<Candidate> => {
  const items = new Map(pools.map((item) => [item.pool.pool_id, item]))
  const found = new Map<string, Candidate>()
  const opened = new Set<string>()
  for (const {
    data,
    topics: [, id, sender]
  } of logs) {
    const item = items.get(id)
    const words = Option.all([0, 1, 2, 3].map((place) => Getter.wordAt(data, 32 * place)))
    const account = Option.flatMap(Option.fromNullable(sender), Getter.addressOfWord)
    if (id === undefined || item === undefined || Option.isNone(item.key)) continue
    if (Option.isNone(words) || Option.isNone(account)) continue
    const [lower = "0x0", upper = "0x0", delta = "0x0", salt = "0x0"] = words.value as ReadonlyArray<Hex>
    const change = BigInt.asIntN(256, BigInt(delta))
    const isFirst = change > 0n && !opened.has(id)
    if (isFirst) opened.add(id)
    const name = `${id} ${account.value} ${lower} ${upper} ${salt}`
    const before = found.get(name)
    found.set(name, {
      place: before?.place ?? {
        item,
        key: item.key.value,
        sender: account.value,
        lower: PositionRanges.tickOf(BigInt(lower)),
        upper: PositionRanges.tickOf(BigInt(upper)),
        salt
      },
      liquidity: (before?.liquidity ?? 0n) + change,
      isFirst: isFirst || before?.isFirst === true
    })
  }
  return [...found.values()]
}

/**
 * Where a manager keeps the liquidity of a position.
 *
 * @see https://github.com/Uniswap/v4-core/blob/main/src/libraries/Position.sol
 */
const slotOf = ({ key, lower, salt, sender, upper }: Place): Hex => {
  const tick = (value: number) => BigInt.asUintN(24, BigInt(value)).toString(16).padStart(6, "0")
  const name = OxHash.keccak256(`0x${sender.slice(2).toLowerCase()}${tick(lower)}${tick(upper)}${salt.slice(2)}`)
  const root = BigInt(PoolKey.stateSlot(PoolKey.idOf(key)))
  return OxHash.keccak256(Getter.calldata(name, [Getter.word(BigInt.asUintN(256, root + positionsOffset))]))
}

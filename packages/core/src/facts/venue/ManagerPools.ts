/** @internal */

import { Array as Arr, Effect, Either, Option, Order } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type * as AddressBook from "../../data/AddressBook.js"
import * as Code from "../../data/ManagerCode.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as CodeModel from "../../evm/interpreter/CodeModel.js"
import * as SwapProof from "../../evm/token/SwapProof.js"
import * as Slices from "../../runtime/Slices.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"
import * as ConcentratedLiquidity from "./ConcentratedLiquidity.js"
import * as ManagerLens from "./ManagerLens.js"
import * as Market from "./Market.js"
import type { RouterCodes } from "./MarketReference.js"
import * as PoolKey from "./PoolKey.js"

/** A pool that a manager keeps; `isApart` where no swap in it depends on a hook, by its address or by its code. */
export interface ManagerPool {
  readonly key: PoolKey.PoolKey
  readonly id: Hex
  readonly isApart: boolean
  readonly state: ConcentratedLiquidity.PoolState
}

/**
 * The pools of a token in one manager, those of native coin with a quote, which trades there are compared with, and why there
 * may be more of the token's; none where all of them were read.
 */
export interface ManagerPools {
  readonly exchange: AddressBook.ManagerExchange
  readonly pools: ReadonlyArray<ManagerPool>
  readonly controls: ReadonlyArray<ManagerPool>
  readonly gap: Option.Option<string>
  readonly codes: RouterCodes
}

/** The first topic of the event that makes a pool. */
export const initialized = Selectors.topic("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)")

const extsload = Selectors.selector("extsload(bytes32)")

/** Pools that are read; those with the most liquidity in range where there are more. */
const mostPools = 32

/** Hooks of which the code is read: of the pools with the most liquidity in range. */
const mostHooks = 8

/** Pools of which that is read. */
const mostWeighed = 360

/**
 * The pools of a token in a manager: those that its own events name, and those that interfaces propose, so that they are found
 * where events are not to be had. Two levels; one more where there are very many pools, and one for hooks with code that may
 * be idle.
 */
export const read = (
  state: ChainState["Type"],
  market: Market.Market,
  exchange: AddressBook.ManagerExchange,
  token: Address.Address
): Effect.Effect<ManagerPools> =>
  Effect.gen(function* () {
    const wrapped = Option.toArray(market.wrapped).map(({ address }) => Address.checksum(address))
    const coins = [...new Set([Address.zero, ...wrapped])]
    const others = Market.quotesFor(market, token).map(({ address }) => Address.checksum(address))
    const proposed = (a: Address.Address, b: Address.Address) => PoolKey.usual.map((fees) => PoolKey.plain(a, b, fees))
    const quotes = [Address.zero, ...others]
    const usual = quotes.flatMap((quote) => proposed(token, quote))
    const control = coins.flatMap((coin) =>
      coin === token ? [] : others.flatMap((other) => (coins.includes(other) ? [] : proposed(coin, other)))
    )
    const address = Address.checksum(exchange.manager)
    const word = Getter.word(token)
    const [exist, owned, ...scans] = yield* Together.all([
      Effect.either(liquidityOf(state, address, [...usual, ...control])),
      Effect.option(ownedBy(state, address, [token, ...others])),
      EventScan.of(state, { address, topics: [initialized, null, word] }),
      EventScan.of(state, { address, topics: [initialized, null, null, word] })
    ])
    const seen = Either.getOrElse(exist, () => [])
    const isThere = (_: PoolKey.PoolKey, index: number) => Option.isSome(seen[index] ?? Option.none())
    const known = new Map(usual.filter(isThere).map((key) => [PoolKey.idOf(key), key]))
    for (const { logs } of scans)
      for (const log of logs) Option.map(keyIn(log), (key) => known.set(PoolKey.idOf(key), key))
    const all = [...known].map(([id, key]) => ({ id, key }))
    const chosen =
      all.length <= mostPools
        ? all
        : yield* Effect.map(
            Effect.orElseSucceed(
              liquidityOf(
                state,
                address,
                all.map(({ key }) => key)
              ),
              () => []
            ),
            (amounts) =>
              all
                .map((each, place) => ({ each, amount: Option.getOrElse(amounts[place] ?? Option.none(), () => 0n) }))
                .sort((a, b) => Order.bigint(b.amount, a.amount))
                .slice(0, mostPools)
                .map(({ each }) => each)
          )
    const controls = control
      .filter((key, index) => isThere(key, usual.length + index))
      .map((key) => ({ id: PoolKey.idOf(key), key }))
    const subjects = [...chosen, ...controls].map(({ id, key }) => ({ id, tickSpacing: key.tickSpacing }))
    const states = yield* Effect.either(ManagerLens.read(state, address, subjects))
    const found = Either.getOrElse(states, () => [])
    const poolsOf = (list: typeof chosen, from: number) =>
      list.flatMap(({ id, key }, place) =>
        Option.toArray(Option.map(found[from + place] ?? Option.none(), (of) => ({ key, id, state: of })))
      )
    const pools = poolsOf(chosen, 0).filter((pool) => isBacked(owned, pool))
    const idle = yield* idleHooks(state, address, pools)
    const withApart = (pool: (typeof pools)[number]): ManagerPool => ({
      ...pool,
      isApart: PoolKey.isApartFromSwaps(pool.key) || idle(pool.key)
    })
    const gaps = [
      ...scans.flatMap(({ gap }) => (gap === null ? [] : ["the events that name its pools could not all be read"])),
      ...(all.length > mostPools ? [`${all.length} pools are too many to read`] : []),
      ...(Either.isLeft(states) || Either.isLeft(exist) ? ["the state of its pools could not be read"] : []),
      ...(pools.length < poolsOf(chosen, 0).length ? ["it owns less than its pools say"] : [])
    ]
    return {
      exchange,
      pools: pools.map(withApart),
      controls: poolsOf(controls, chosen.length).map(withApart),
      gap: Arr.head(gaps),
      codes: { router: Code.managerRouter, trade: Code.routerTrade }
    }
  })

/** How much a manager owns of native coin and of tokens; zero of a token that does not say. */
const ownedBy = (
  state: ChainState["Type"],
  manager: Address.Address,
  tokens: ReadonlyArray<Address.Address>
): Effect.Effect<ReadonlyMap<Address.Address, bigint>, ChainError> =>
  Effect.map(
    Together.all([
      state.balance(manager),
      BatchRead.all(
        state,
        tokens.map((token) => BatchRead.balanceOf(token, manager))
      )
    ]),
    ([coin, { value }]) =>
      new Map([[Address.zero, coin.value], ...tokens.map((token, place) => [token, value[place]?.[0] ?? 0n] as const)])
  )

/**
 * Whether a manager owns what a pool would pay near its price. Who deploys the published code can write pools into its storage
 * that nobody paid for. None is backed where what the manager owns is not known; another currency than a quote is not looked at.
 */
const isBacked = (
  owned: Option.Option<ReadonlyMap<Address.Address, bigint>>,
  { key: { currencies }, state }: Pick<ManagerPool, "key" | "state">
): boolean => {
  const near = ConcentratedLiquidity.nearOf(state, "token-first")
  return Option.exists(owned, (amounts) =>
    [near.token, near.quote].every((amount, side) => {
      const has = amounts.get(currencies[side] ?? Address.zero)
      return has === undefined || has >= amount
    })
  )
}

/** Which pools have a hook with code that proves that no swap depends on it; none where the code could not be read. */
const idleHooks = (
  state: ChainState["Type"],
  manager: Address.Address,
  pools: ReadonlyArray<Omit<ManagerPool, "isApart">>
): Effect.Effect<(key: PoolKey.PoolKey) => boolean> => {
  const hooks = new Set(
    pools
      .filter(({ key }) => PoolKey.plainCalls(key).length > 0)
      .sort((a, b) => Order.bigint(b.state.liquidity, a.state.liquidity))
      .map(({ key }) => key.hook)
  )
  return Effect.map(
    Together.forEach([...hooks].slice(0, mostHooks), (hook) =>
      Effect.flatMap(Effect.either(state.code(hook)), (code) => {
        // The address says what is called, so that it is the same for all pools of the hook.
        const calls = pools.find(({ key }) => key.hook === hook && PoolKey.plainCalls(key).length > 0)
        if (Either.isLeft(code) || calls === undefined) return Effect.succeed([])
        const entries = PoolKey.plainCalls(calls.key).map((when) => SwapProof.entries[when])
        return Effect.map(
          Slices.run(() => SwapProof.isIdle(CodeModel.of(code.right.value), manager, entries)),
          (isIdle) => (isIdle ? [hook] : [])
        )
      })
    ),
    (found) => {
      const idle = new Set(found.flat())
      return (key) => PoolKey.plainCalls(key).length > 0 && idle.has(key.hook)
    }
  )
}

/** The liquidity in range of pools; none of those that do not exist. */
const liquidityOf = (
  state: ChainState["Type"],
  manager: Address.Address,
  keys: ReadonlyArray<PoolKey.PoolKey>
): Effect.Effect<ReadonlyArray<Option.Option<bigint>>, ChainError> => {
  const weighed = keys.slice(0, mostWeighed)
  return Effect.flatMap(
    BatchRead.all(
      state,
      weighed.flatMap((key) => {
        const root = BigInt(PoolKey.stateSlot(PoolKey.idOf(key)))
        return [root, root + 3n].map((slot) =>
          BatchRead.get(manager, extsload, [Getter.word(BigInt.asUintN(256, slot))])
        )
      })
    ),
    ({ value }) =>
      Effect.forEach(weighed, (_, place) => {
        const [slot0, liquidity] = [value[2 * place]?.[0], value[2 * place + 1]?.[0]]
        if (slot0 === undefined || liquidity === undefined) return ManagerLens.unreadable
        return Effect.succeed(slot0 === 0n ? Option.none<bigint>() : Option.some(liquidity))
      })
  )
}

/** The key that an event of the manager names; none where it is not the one of the pool's id. */
const keyIn = ({ data, topics }: Log): Option.Option<PoolKey.PoolKey> =>
  Option.gen(function* () {
    const [fee, tickSpacing, hook] = yield* Option.all([0, 1, 2].map((place) => Getter.wordAt(data, 32 * place)))
    const [, id, first, second] = topics
    if (fee === undefined || tickSpacing === undefined || hook === undefined) return yield* Option.none()
    if (first === undefined || second === undefined) return yield* Option.none()
    const key: PoolKey.PoolKey = {
      currencies: [Address.fromWord(first), Address.fromWord(second)],
      fee: Number(BigInt(fee)),
      tickSpacing: Number(BigInt.asIntN(256, BigInt(tickSpacing))),
      hook: Address.fromWord(hook)
    }
    return PoolKey.idOf(key) === id ? key : yield* Option.none()
  })

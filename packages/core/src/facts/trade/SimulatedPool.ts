/** @internal */

import { BigInt as BigInts, Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type SimulatedCall, type StateOverride } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type { KnownToken, PairExchange } from "../../data/AddressBook.js"
import * as Simulator from "../../data/TradeSimulator.js"
import * as Address from "../../domain/Address.js"
import type { TradeOutcome } from "../../domain/facts/TradeOutcome.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { Variable } from "../../evm/summary/StorageFlow.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { Functions, type ResolvedCode } from "../code/Functions.js"
import type { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as Pools from "../market/Pools.js"
import { Token } from "../market/Token.js"
import * as Market from "../venue/Market.js"
import type * as MarketReference from "../venue/MarketReference.js"
import * as BalanceOverride from "./BalanceOverride.js"
import { transferData } from "./RouterCalls.js"
import { type Step, step } from "./SimulatedBlocks.js"
import * as Trade from "./Trade.js"
import * as TradeBlocks from "./TradeBlocks.js"
import * as TradeClerk from "./TradeClerk.js"
import * as TradeClock from "./TradeClock.js"
import * as TradeRoute from "./TradeRoute.js"
import * as TradeScene from "./TradeScene.js"

/**
 * Trades of a token that has no pool which can be traded, in a pair that is made in the simulation alone: a state
 * override gives the pair some of the token and a fresh account pays the native coin, then fresh accounts buy, transfer
 * and sell as in `simulate_v1` of {@link Trade}, beside a control token with code and pair from overrides too.
 *
 * A token can know its own pool, or wait for it, so this shows traps and never that there is none. None where a pool can be
 * traded, no exchange with pairs is known, the balances are not in one mapping, or the token did not say that the pair has
 * what it was given.
 */
export class SimulatedPool extends Context.Tag("@assay/core/SimulatedPool")<
  SimulatedPool,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Option.Option<Reading.Reading<SimulatedTrades>>, ChainError>
  }
>() {}

/**
 * The trades of fresh accounts in a pool that does not exist. `pairExists` says that an empty pair is deployed at its
 * address, so that the token can know it.
 */
export interface SimulatedTrades {
  readonly outcome: TradeOutcome
  readonly pairExists: boolean
}

/** Adds one simulation in the level after the pools, for tokens without a pool that can be traded only. */
export const layer: Layer.Layer<SimulatedPool, never, ChainState | Functions | Pools.Pools | Proxy | Token> =
  Layer.scoped(
    SimulatedPool,
    Effect.gen(function* () {
      const state = yield* ChainState
      const pools = yield* Pools.Pools
      const tokens = yield* Token
      const functions = yield* Functions
      const clocks = yield* TradeClock.TradeClocks
      const of = yield* OncePerKey.make(
        (token: Address.Address) => token,
        Effect.fn("SimulatedPool.of")(function* (token: Address.Address) {
          if (!(yield* pools.covers(token))) return Option.none()
          const { wrapped: coin } = yield* pools.market(token)
          const market = yield* pools.inspect(token)
          if (TradeRoute.canBeTraded(market)) return Option.none()
          const [profile, code, clock] = yield* Together.all([
            tokens.of(token),
            functions.of(token),
            Effect.option(clocks.of(token))
          ])
          const scene = TradeScene.make(state, token)
          const made = Option.flatMap(
            Option.all([coin, Option.fromNullable(profile.value.total_supply)]),
            ([wraps, supply]) => pairOf(market, scene, { token, wraps, supply: BigInt(supply), code: code.value })
          )
          if (Option.isNone(made) || Option.isNone(clock)) return Option.none()
          const { opening, pairExists, route } = made.value
          const reading = yield* TradeBlocks.simulateAfter(opening, state, route, scene, clock.value)
          return Option.map(reading.value, (runs) => {
            const outcome = Trade.outcomeOf(route.pool, {
              runs,
              unavailable: byAccountsAlone,
              ownerReceives: Option.none()
            })
            return Reading.map(reading, () => ({ outcome, pairExists }))
          })
        })
      )
      return { of }
    })
  ).pipe(Layer.provide(TradeClock.layer))

const byAccountsAlone: TradeOutcome["unavailable"] = (["override", "constructor"] as const).map((method) => ({
  method,
  begins: "now",
  reason: "inconclusive",
  detail: "contracts do not trade in a simulated pool"
}))

interface Made {
  readonly route: TradeRoute.TradeRoute
  readonly opening: TradeBlocks.Opening
  readonly pairExists: boolean
}

// Of the supply: little enough that no usual limit of what a wallet may hold forbids the pair to have it.
const pooledShare = 1_000n

// A pair counts up to 2^112.
const mostPooled = 2n ** 96n

// Of less, what is bought cannot be divided into the parts that are sold.
const leastPooled = 1_000_000n

// In wei; purchases are shares of it.
const paidIn = 100n * 10n ** 18n

// UniswapV2Factory.createPair takes about 2.5 million.
const creationGas = 4_000_000n

const pairOf = (
  [{ value: inspected }, { value: reference }]: Pools.MarketReading,
  scene: TradeScene.TradeScene,
  {
    code,
    supply,
    token,
    wraps
  }: {
    readonly token: Address.Address
    readonly wraps: KnownToken
    readonly supply: bigint
    readonly code: ResolvedCode
  }
): Option.Option<Made> =>
  Option.gen(function* () {
    const wrapped = Address.checksum(wraps.address)
    const amount = BigInts.min(supply / pooledShare, mostPooled)
    if (token === wrapped || amount < leastPooled) return yield* Option.none()
    const venues = reference.routers.flatMap((router) => {
      const { exchange, takesNative } = router
      if (exchange.kind !== "uniswap-v2" || !takesNative) return []
      const address = Market.pairAddress(exchange, token, wrapped)
      return [{ router, exchange, address, exists: inspected.some(({ pool }) => pool.address === address) }]
    })
    // A deployed pair is the one that the token may know.
    const venue = yield* Option.fromNullable(venues.find(({ exists }) => exists) ?? venues[0])
    const { address, exchange, exists } = venue
    const words = BalanceOverride.of(balancesOf(code), address, amount)
    if (Object.keys(words).length === 0) return yield* Option.none()
    const control = scene.account(SceneSeed.accounts.control)
    const controlPair = Market.pairAddress(exchange, control, wrapped)
    const route: TradeRoute.TradeRoute = {
      pool: inspectedOf(exchange, wraps, { address, token, amount }),
      token,
      wrapped,
      router: venue.router,
      funding: Option.none(),
      control: Option.some(referenceOf(exchange, { address: controlPair, token: control, amount })),
      ours: Option.none()
    }
    const provider = scene.account(SceneSeed.accounts.provider)
    const making = (name: string, of: Address.Address, pair: Address.Address): ReadonlyArray<Step> => {
      const call = (
        what: string,
        move: { readonly to: Hex; readonly data: Hex; readonly value?: bigint },
        gas: bigint
      ) => step(`${name}.${what}`, provider, move, gas)
      return [
        // Of a pair that exists this fails, and changes nothing.
        call("create", { to: exchange.factory, data: creation(of, wrapped) }, creationGas),
        call("deposit", { to: wrapped, data: Selectors.functions.deposit, value: paidIn }, TradeScene.gas.plain),
        call("pay", { to: wrapped, data: transferData(pair, paidIn) }, TradeScene.gas.plain),
        call("sync", { to: pair, data: syncSelector }, TradeScene.gas.plain)
      ]
    }
    const counted = TradeClerk.counting("pooled", TradeBlocks.clerkOf(scene), token, {
      sender: provider,
      peer: address
    })
    const overrides: StateOverride = {
      [provider]: { balance: TradeScene.purse(provider, 2n * paidIn) },
      [token]: { stateDiff: words },
      [control]: { code: Simulator.controlToken, stateDiff: BalanceOverride.of(controlBalances, controlPair, amount) }
    }
    const returned = (results: ReadonlyMap<string, SimulatedCall>, name: string) => {
      const outcome = results.get(name)?.outcome
      return outcome?._tag === "Returned" ? Option.some(outcome.data) : Option.none()
    }
    return {
      route,
      pairExists: exists,
      opening: {
        overrides,
        blocks: [[...making("pool", token, address), counted], making("control.pool", control, controlPair)],
        isOpen: (results) =>
          Option.isSome(returned(results, "pool.sync")) &&
          Option.exists(
            Option.flatMap(returned(results, counted.name), TradeClerk.counted),
            ({ peers }) => peers === amount
          )
      }
    }
  })

/** The variables in which one code keeps the balances, and nothing else that they are computed with. */
const balancesOf = ({ logics }: ResolvedCode): ReadonlyArray<Variable> => {
  const kept = logics.map(({ flow }) => TokenBooks.of(flow)).filter(({ balances }) => balances.length > 0)
  return kept.some(({ external, scalings }) => external || scalings.length > 0)
    ? []
    : kept.flatMap(({ balances }) => balances)
}

const syncSelector = Selectors.selector("sync()")

const creation = (token: Hex, wrapped: Hex): Hex =>
  Getter.calldata(Selectors.selector("createPair(address,address)"), [Getter.word(token), Getter.word(wrapped)])

/** The first slot of the control token is the mapping of its balances. */
const controlBalances: ReadonlyArray<Variable> = [{ slot: "0x0[k]", mask: `0x${"f".repeat(64)}` }]

interface MadePair {
  readonly address: Address.Address
  readonly token: Address.Address
  readonly amount: bigint
}

const inspectedOf = (
  exchange: PairExchange,
  wraps: KnownToken,
  { address, amount, token }: MadePair
): Pools.Inspected => ({
  pool: {
    address,
    exchange: exchange.name,
    kind: "uniswap-v2",
    fee_bps: null,
    quote: Address.checksum(wraps.address),
    quote_symbol: wraps.symbol,
    reserve_token: Quantity.make(amount),
    reserve_quote: Quantity.make(paidIn),
    lp_total_supply: null,
    lp_burned: null
  },
  exchange,
  fee: 0,
  sides: Market.sidesOf(token, wraps.address),
  reserveToken: amount,
  reserveQuote: paidIn,
  held: Option.some(amount),
  price: Option.none(),
  liquidity: Option.none(),
  key: Option.none(),
  ruled: Option.none()
})

const referenceOf = (exchange: PairExchange, { address, amount, token }: MadePair): MarketReference.ReferencePool => ({
  exchange,
  address,
  quote: { address: token, symbol: "control", decimals: 18, source: "packages/core/contracts/ControlToken.sol" },
  fee: 0,
  reserveWrapped: paidIn,
  reserveQuote: amount,
  price: Option.none()
})

/** @internal */

import { BigInt as BigInts, Effect, Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import type {
  BlockOverride,
  CallOutcome,
  CallRequest,
  ChainState,
  StateOverride
} from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as Simulator from "../../data/TradeSimulator.js"
import * as Address from "../../domain/Address.js"
import type { TradeEnvironment, TradeLeg, TradeRun } from "../../domain/facts/TradeOutcome.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type * as MarketReference from "../venue/MarketReference.js"
import { controlSpend, nativeFor, promisedByPrice } from "./TradeAmounts.js"
import type { Wear } from "./TradeCounters.js"
import {
  grown,
  isUnderpaid,
  legGas,
  missing,
  reasonOf,
  unlessExhausted,
  unlessRefused,
  unlessWorthless
} from "./TradeMeasure.js"
import { overridesOf, type TradeRoute } from "./TradeRoute.js"
import { blocksIn, delays, gas, gasPrice, purse, sizes, type TradeScene } from "./TradeScene.js"

/** One round trip by a contract: what the token can recognise it by, and the run. */
export interface ContractTrade {
  readonly environment: TradeEnvironment
  readonly run: Effect.Effect<Reading.Reading<TradeRun>, ChainError>
}

/**
 * Round trips of a contract that a state override puts at a fresh account's address, which is also the sender and the
 * origin of the transaction, and one of a constructor, which needs no override and looks like an account without code.
 * A trip happens in one block. Without block overrides there are no fees, and no trips in a month or a year. In those
 * trips the token's variables have the values that very many trades would leave (`worn`).
 */
export const trades = (
  state: ChainState["Type"],
  route: TradeRoute,
  scene: TradeScene,
  options: { readonly overridesBlocks: boolean; readonly worn: Effect.Effect<Wear, ChainError> }
): ReadonlyArray<ContractTrade> => {
  const { overridesBlocks, worn } = options
  // For eth_call nodes do not agree on the name of the randomness.
  const block = (seconds: number): BlockOverride => ({ ...scene.block(seconds), prevRandao: undefined })
  const now: Pretended = overridesBlocks ? { gasPrice, block: block(blockTime) } : {}
  const ahead = (seconds: number): Pretended => ({
    gasPrice,
    block: { ...block(seconds), number: BlockUse.numberAfter(state.block, blocksIn(seconds)) }
  })
  const fees = overridesBlocks ? "paid" : "none"
  const environment = (method: "override" | "constructor", begins: TradeEnvironment["begins"]): TradeEnvironment => ({
    method,
    begins,
    sells: "at_once",
    fees: begins === "now" ? fees : "paid"
  })
  const overridden = environment("override", "now")
  const later = (["in_a_month", "in_a_year"] as const).map((begins) => ({
    environment: environment("override", begins),
    pretended: ahead(begins === "in_a_month" ? delays.month : delays.year)
  }))
  const constructed = environment("constructor", "now")
  return [
    { environment: overridden, run: byOverride(state, route, scene, overridden, { ...now, token: {} }) },
    ...later.map(({ environment, pretended }) => ({
      environment,
      run: Effect.flatMap(worn, (token) => byOverride(state, route, scene, environment, { ...pretended, token }))
    })),
    { environment: constructed, run: byConstructor(state, route, scene, constructed, now) }
  ]
}

const blockTime = 12

const senders = {
  now: SceneSeed.accounts.trader,
  in_a_month: SceneSeed.accounts.traderInAMonth,
  in_a_year: SceneSeed.accounts.traderInAYear
} as const

type Pretended = Pick<CallRequest, "gasPrice" | "block">

const byOverride = (
  state: ChainState["Type"],
  route: TradeRoute,
  scene: TradeScene,
  environment: TradeEnvironment,
  { token, ...pretended }: Pretended & { readonly token: Wear }
) => {
  const sender = scene.account(senders[environment.begins])
  const spend = nativeFor(route, sizes.small)
  const funds = purse(sender, spend + controlsSpend(route))
  const pretendedToken: StateOverride = Object.keys(token).length === 0 ? {} : { [route.token]: { stateDiff: token } }
  return Effect.flatMap(
    state.call({
      ...pretended,
      from: sender,
      to: sender,
      data: `${runSelector}${planOf(route, spend, scene.account(SceneSeed.accounts.traderPeer)).slice(2)}`,
      gas: gas.trip,
      overrides: {
        [sender]: { code: Simulator.runtime, balance: funds },
        ...overridesOf(route),
        ...pretendedToken
      }
    }),
    (reading) => runOf(route, environment, sender, spend, reading)
  )
}

// The wrapped coin's contract holds native coin on every chain, so that a call from it can spend some without any
// override. So does the manager where trades are in native coin.
const byConstructor = (
  state: ChainState["Type"],
  route: TradeRoute,
  scene: TradeScene,
  environment: TradeEnvironment,
  pretended: Pretended
) => {
  const spend = nativeFor(route, sizes.large)
  const from = route.wrapped === Address.zero ? route.pool.pool.address : route.wrapped
  return Effect.flatMap(
    state.call({
      ...pretended,
      from,
      value: spend + controlsSpend(route),
      data: withRouter(
        route,
        `${Simulator.constructorCode}${planOf(route, spend, scene.account(SceneSeed.accounts.constructorPeer)).slice(2)}`
      ),
      gas: gas.trip
    }),
    (reading) => runOf(route, environment, from, spend, reading)
  )
}

/** The simulator as it is, or with a router that is made in the same call, where the route needs one of ours. */
const withRouter = ({ control, funding, ours }: TradeRoute, simulator: Hex): Hex => {
  if (Option.isNone(ours)) return simulator
  const plan = (Simulator.constructorCode.length - 2) / 2
  const words = [
    routerWord,
    ...(Option.exists(funding, ({ by }) => by === ours.value.address) ? [fundingWord] : []),
    ...(Option.isSome(control) ? [routeWords + routerWord] : [])
  ]
  const arguments_ = AbiParameters.encode(tradeParameters, [
    returning(ours.value.router),
    simulator,
    words.map((word) => BigInt(plan + 32 * word))
  ])
  return `${ours.value.trade}${arguments_.slice(2)}`
}

// The words of a `Route`, and which of them are its router and what funds it.
const routeWords = 8
const routerWord = 2
const fundingWord = 7

const tradeParameters = AbiParameters.from(["bytes router", "bytes simulator", "uint256[] places"])

/** Init code that puts a code there as it is: PUSH2 size, DUP1, PUSH1 10, RETURNDATASIZE, CODECOPY, RETURNDATASIZE, RETURN. */
const returning = (code: Hex): Hex =>
  `0x61${((code.length - 2) / 2).toString(16).padStart(4, "0")}80600a3d393df3${code.slice(2)}`

const controlsSpend = ({ control }: TradeRoute): bigint =>
  Option.match(control, { onNone: () => 0n, onSome: controlSpend })

const planParameters = AbiParameters.from([
  "struct Route { uint8 kind; uint24 fee; address router; address pool; address token; address quote; address wrapped; address funding; }",
  "struct Plan { Route target; Route control; address peer; uint256 spend; uint256 controlSpend; uint256 legGas; }",
  "Plan plan"
])

const outcomeParameters = AbiParameters.from([
  "struct Leg { uint8 state; uint256 gas; uint256 sent; uint256 quoted; uint256 used; uint256 arrived; uint256 tokenBefore; uint256 quoteBefore; uint256 tokenAfter; uint256 quoteAfter; bytes reason; }",
  "struct Trip { Leg buy; Leg transfer; Leg sell; }",
  "struct Outcome { Trip target; Trip control; }",
  "Outcome outcome"
])

const runSelector = Selectors.selector(
  "run(((uint8,uint24,address,address,address,address,address,address),(uint8,uint24,address,address,address,address,address,address),address,uint256,uint256,uint256))"
)

type Simulated = AbiParameters.decode.ReturnType<typeof outcomeParameters>[0]

const kindOf = (router: MarketReference.Router): number =>
  router.exchange.kind === "uniswap-v2" ? 0 : router.deadline ? 2 : 1

const planOf = (route: TradeRoute, spend: bigint, peer: Address.Address): Hex => {
  const common = { kind: kindOf(route.router), router: route.router.address, wrapped: route.wrapped }
  const nowhere = {
    ...common,
    router: Address.zero,
    fee: 0,
    pool: Address.zero,
    token: Address.zero,
    quote: Address.zero,
    funding: Address.zero
  }
  return AbiParameters.encode(planParameters, [
    {
      target: {
        ...common,
        fee: route.pool.fee,
        pool: route.pool.pool.address,
        token: route.token,
        quote: route.pool.pool.quote,
        funding: Option.match(route.funding, { onNone: () => Address.zero, onSome: ({ by }) => by })
      },
      control: Option.match(route.control, {
        onNone: () => nowhere,
        onSome: (control) => ({
          ...common,
          fee: control.fee,
          pool: control.address,
          token: control.quote.address,
          quote: route.wrapped,
          funding: Address.zero
        })
      }),
      peer,
      spend,
      controlSpend: controlsSpend(route),
      legGas: legGas(route)
    }
  ])
}

const runOf = (
  route: TradeRoute,
  environment: TradeEnvironment,
  sender: Address.Address,
  spent: bigint,
  reading: Reading.Reading<CallOutcome>
): Effect.Effect<Reading.Reading<TradeRun>, ChainError> =>
  reading.value._tag === "Returned" && reading.value.data.length > 2
    ? Effect.map(decodeOutcome(reading.value.data), ({ control, target }) =>
        Reading.map(reading, () => ({
          environment,
          sender,
          spent: Quantity.make(spent),
          buy: unlessRefused(
            route,
            unlessWorthless(legOf(target.buy, buyTax(target.buy)), promisedTo(route, target.buy))
          ),
          transfer: legOf(target.transfer, transferTax(target.transfer)),
          sell: unlessExhausted(
            route,
            unlessWorthless(legOf(target.sell, sellTax(route, target)), worthOf(route, target))
          ),
          sold_bps: null,
          refused_bps: null,
          sell_again: null,
          control: Option.match(route.control, {
            onNone: (): TradeRun["control"] => "unavailable",
            onSome: () => (control.buy.state === done && control.sell.state === done ? "ok" : "failed")
          })
        }))
      )
    : unsupported(
        reading.value._tag === "Reverted"
          ? "the simulation itself reverted"
          : "the endpoint answered a simulated call with nothing"
      )

const unsupported = (detail: string) =>
  new ChainError({ reason: "method_unsupported", method: "eth_call", retryable: false, detail })

const decodeOutcome = (data: Hex): Effect.Effect<Simulated, ChainError> =>
  Effect.try({
    try: () => AbiParameters.decode(outcomeParameters, data)[0],
    catch: () => unsupported("the endpoint answered a simulated call with something else")
  })

// The members of the Solidity enum `State`.
const states: ReadonlyArray<TradeLeg["state"]> = ["not_reached", "ok", "reverted", "no_effect"]
const done = 1

type SimulatedLeg = Simulated["target"]["buy"]

const legOf = (leg: SimulatedLeg, tax: Option.Option<number>): TradeLeg => {
  const state = states[leg.state] ?? "not_reached"
  return {
    state: state === "reverted" && isUnderpaid(leg.reason) ? "underpaid" : state,
    tax_bps: state === "ok" ? Option.getOrNull(tax) : null,
    gas: state === "not_reached" ? null : Number(leg.gas),
    error: Option.getOrNull(reasonOf(leg.reason))
  }
}

/** What a purchase was promised: by the quote of a pair, or at the price of a pool. */
const promisedTo = ({ pool }: TradeRoute, { quoted, sent }: SimulatedLeg): bigint =>
  Option.match(pool.price, {
    onNone: () => quoted,
    onSome: (price) => promisedByPrice(pool.sides, price, sent)
  })

// The simulator sells a tenth of what it has left after it moved a tenth.
const soldHundredths = 9n

/** What the sale after a purchase is worth: of what the pool took for it, the part that is sold of what the pool gave. */
const worthOf = ({ pool }: TradeRoute, { buy }: Simulated["target"]): bigint => {
  // A manager has the tokens of other pools as well, and is paid in native coin.
  const isManaged = Option.isSome(pool.key)
  const took = isManaged ? buy.sent : grown(buy.quoteBefore, buy.quoteAfter)
  const gave = BigInts.max(isManaged ? buy.quoted : grown(buy.tokenAfter, buy.tokenBefore), buy.arrived)
  return gave === 0n ? 0n : (took * buy.arrived * soldHundredths) / (gave * 100n)
}

const buyTax = (leg: SimulatedLeg) => missing(leg.quoted, leg.arrived)

const transferTax = (leg: SimulatedLeg) => missing(BigInts.max(leg.sent, leg.quoted), leg.arrived)

/**
 * What of the sold tokens did not reach the pool. A pair pays by what reached it, so the payment shows that amount,
 * also where the token sold some of its own in the same transfer. For other pools the balance is used. What a pool of a manager
 * would have given at its price for what it took is compared with what came, whoever took the rest, and what was sent with what
 * the pool took.
 */
const sellTax = (route: TradeRoute, { buy, sell }: Simulated["target"]): Option.Option<number> => {
  if (Option.isSome(route.pool.key))
    return missing(sell.quoted * BigInts.max(sell.sent, sell.used), sell.arrived * sell.used)
  return Option.orElse(
    route.router.exchange.kind === "uniswap-v2"
      ? Option.flatMap(pairFee(buy), (kept) => missing(sell.sent, soldFor(sell, kept)))
      : Option.none(),
    () => missing(sell.sent, grown(sell.tokenBefore, sell.tokenAfter))
  )
}

/** How many ten-thousandths of what is paid in a pair trades for, by what its router quoted; forks differ. */
const pairFee = ({ quoteBefore, quoted, sent, tokenBefore }: SimulatedLeg): Option.Option<bigint> => {
  const divisor = (tokenBefore - quoted) * sent
  if (quoted <= 0n || divisor <= 0n) return Option.none()
  const kept = (quoted * quoteBefore * 10_000n + divisor / 2n) / divisor
  return kept >= 9_000n && kept <= 10_000n ? Option.some(kept) : Option.none()
}

/** The constant product formula solved for what was paid in, from the reserves that the sale left behind. */
const soldFor = ({ arrived, quoteAfter, tokenAfter }: SimulatedLeg, kept: bigint): bigint => {
  const divisor = kept * quoteAfter + 10_000n * arrived
  return divisor === 0n ? 0n : (10_000n * arrived * tokenAfter + divisor - 1n) / divisor
}

import { Context, Effect, Either, Layer, Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as OxBytes from "ox/Bytes"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { Capabilities } from "../chain/Capabilities.js"
import { ChainError } from "../chain/ChainError.js"
import { type CallOutcome, type CallRequest, ChainState, type SimulatedCall } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import * as Simulator from "../data/TradeSimulator.js"
import * as Address from "../domain/Address.js"
import type { TradeLeg, TradeMethod, TradeOutcome, TradeRun } from "../domain/facts/TradeOutcome.js"
import type { Hex } from "../domain/Hex.js"
import * as Quantity from "../domain/Quantity.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as Selectors from "../evm/Selectors.js"
import * as Getter from "./Getter.js"
import * as HostileText from "./HostileText.js"
import * as Memo from "./Memo.js"
import * as Pools from "./Pools.js"

/**
 * What happens when the token is bought, moved and sold in simulation; none where it has no pool to trade in.
 *
 * Three ways run side by side in the deepest pool that can be reached from native coin. `simulate_v1` is the world as
 * a buyer meets it: two fresh accounts without code and of two sizes, the sale in a later block than the purchase, a
 * gas price and a fee recipient that are not zero. `override` and `constructor` do all of it in one block from a
 * contract, so that what they see differently is an artefact of theirs, or the token telling simulations apart.
 *
 * @since 0.1.0
 * @category services
 */
export class Trade extends Context.Tag("@assay/core/Trade")<
  Trade,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Option.Option<Reading.Reading<TradeOutcome>>, ChainError>
  }
>() {}

/**
 * Simulates on the exchanges in the address book of {@link ChainState}'s chain. A method that cannot be had is a row
 * of `unavailable`; the effect fails only where the pools could not be read.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Trade, never, ChainState> = Layer.scoped(
  Trade,
  Effect.gen(function* () {
    const state = yield* ChainState
    const market = Pools.marketOf(state.chain.addressBook)
    const of = yield* Memo.make(
      (token: Address.Address) => token,
      Effect.fn("Trade.of")(function* (token: Address.Address) {
        if (market.exchanges.length === 0) return Option.none()
        const [[inspected, { value: reference }], capabilities] = yield* Effect.all(
          [Pools.inspect(state, market, token), Effect.option(state.capabilities)],
          { concurrency: "unbounded" }
        )
        const pools = Pools.deepestFirst(inspected.value, reference).filter(tradeable)
        const deepest = pools[0]
        if (deepest === undefined) return Option.none()
        const route = pools.flatMap((pool) => Option.toArray(routeOf(reference, token, pool)))[0]
        if (route === undefined) {
          return Option.some(Reading.map(inspected, () => outcomeOf(deepest, [], noRoute)))
        }
        const attempts = yield* simulateAll(state, route, capabilities)
        const observed = attempts.flatMap((attempt) => Either.match(attempt, { onLeft: () => [], onRight: (a) => [a] }))
        return Option.some({
          value: outcomeOf(
            route.pool,
            observed.flatMap((reading) => reading.value),
            attempts.flatMap((attempt) => Either.match(attempt, { onLeft: (a) => [a], onRight: () => [] }))
          ),
          observation: (observed[0] ?? inspected).observation
        })
      })
    )
    return { of }
  })
)

type Unavailable = TradeOutcome["unavailable"][number]

const methods: ReadonlyArray<TradeMethod> = ["simulate_v1", "override", "constructor"]

const noRoute: ReadonlyArray<Unavailable> = methods.map((method) => ({
  method,
  reason: "inconclusive",
  detail: "no known router leads from native coin to the pools of the token"
}))

const tradeable = (pool: Pools.Inspected): boolean =>
  pool.reserveToken > 0n && pool.reserveQuote > 0n && Option.getOrElse(pool.liquidity, () => 1n) > 0n

const outcomeOf = (
  { pool }: Pools.Inspected,
  runs: ReadonlyArray<TradeRun>,
  unavailable: ReadonlyArray<Unavailable>
): TradeOutcome => {
  const tax = (leg: "buy" | "sell" | "transfer"): number | null => {
    for (const method of methods) {
      const measured = runs.flatMap((run) => (run.method === method ? (run[leg].tax_bps ?? []) : []))
      if (measured.length > 0) return Math.max(...measured)
    }
    return null
  }
  return {
    pool: pool.address,
    quote: pool.quote,
    buy_tax_bps: tax("buy"),
    sell_tax_bps: tax("sell"),
    transfer_tax_bps: tax("transfer"),
    runs,
    // One row a method is enough: the two calls of a method that fail, fail alike.
    unavailable: methods.flatMap((method) => unavailable.filter((row) => row.method === method).slice(0, 1))
  }
}

/** How a token is reached from native coin, beside a control token through the same router. */
interface Route {
  readonly pool: Pools.Inspected
  readonly token: Address.Address
  readonly wrapped: Address.Address
  readonly router: Pools.Router
  /** By what native coin becomes the quote first; none where the router takes native coin itself. */
  readonly funding: Option.Option<Funding>
  readonly control: Option.Option<Pools.ReferencePool>
}

/** The contract that gives the quote for native coin: the wrapped coin itself, which deposits, or a router. */
interface Funding {
  readonly by: Address.Address
  readonly deposits: boolean
  readonly reserveWrapped: bigint
  readonly reserveQuote: bigint
}

const routeOf = (reference: Pools.Reference, token: Address.Address, pool: Pools.Inspected): Option.Option<Route> =>
  Option.gen(function* () {
    const wrapped = Address.checksum(yield* reference.wrapped)
    const router = yield* Option.fromNullable(reference.routers.find((found) => found.exchange === pool.exchange))
    const funding = yield* fundingOf(reference, wrapped, router, pool)
    const control = Option.fromNullable(
      reference.pools.find(
        (candidate) =>
          router.takesNative &&
          candidate.exchange === pool.exchange &&
          candidate.quote.address !== token &&
          candidate.reserveWrapped > 0n &&
          candidate.reserveQuote > 0n
      )
    )
    return { pool, token, wrapped, router, funding, control }
  })

const fundingOf = (
  reference: Pools.Reference,
  wrapped: Address.Address,
  router: Pools.Router,
  pool: Pools.Inspected
): Option.Option<Option.Option<Funding>> => {
  if (pool.pool.quote !== wrapped) {
    return Option.flatMap(Pools.fundingPair(reference, pool.pool.quote), (pair) =>
      Option.map(
        Option.fromNullable(reference.routers.find((found) => found.exchange === pair.exchange)),
        ({ address }) =>
          Option.some({
            by: address,
            deposits: false,
            reserveWrapped: pair.reserveWrapped,
            reserveQuote: pair.reserveQuote
          })
      )
    )
  }
  return Option.some(
    router.takesNative
      ? Option.none()
      : Option.some({ by: wrapped, deposits: true, reserveWrapped: 1n, reserveQuote: 1n })
  )
}

// Shares of the pool's quote side that are traded, in ten-thousandths: what hardly moves the price, and ten times that.
const shares = [10n, 100n] as const

const nativeFor = (route: Route, share: bigint): bigint => {
  const quote = (route.pool.reserveQuote * share) / 10_000n
  return atLeastOne(
    Option.match(route.funding, {
      onNone: () => quote,
      // A deep pool may be funded through a shallow one: no more than a fiftieth of that is asked of it.
      onSome: ({ deposits, reserveQuote, reserveWrapped }) =>
        deposits ? quote : smaller((quote * reserveWrapped) / reserveQuote, reserveWrapped / 50n)
    })
  )
}

const atLeastOne = (amount: bigint): bigint => (amount > 0n ? amount : 1n)

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const controlSpend = (control: Pools.ReferencePool): bigint => control.reserveWrapped / 1_000n || 1n

const simulateAll = (
  state: ChainState["Type"],
  route: Route,
  capabilities: Option.Option<Capabilities>
): Effect.Effect<ReadonlyArray<Either.Either<Reading.Reading<ReadonlyArray<TradeRun>>, Unavailable>>> => {
  const account = (index: number): Address.Address => fresh(state, route.token, index)
  const environment = Option.exists(capabilities, ({ blockOverride }) => blockOverride)
    ? { gasPrice, block: { feeRecipient: account(100), baseFeePerGas } }
    : {}
  const attempt = (method: TradeMethod, effect: Effect.Effect<Reading.Reading<ReadonlyArray<TradeRun>>, ChainError>) =>
    Effect.either(
      Effect.mapError(
        effect,
        ({ detail, reason }): Unavailable => ({ method, reason, detail: HostileText.clean(detail) })
      )
    )
  return Effect.all(
    [
      attempt("simulate_v1", simulateBlocks(state, route, account)),
      ...shares.map((share, index) =>
        attempt("override", simulateOverride(state, route, share, account, index, environment))
      ),
      attempt("constructor", simulateConstructor(state, route, account, environment))
    ],
    { concurrency: "unbounded" }
  )
}

// The same for the same block and token, so that the same analysis gives the same bytes; nobody has its key.
const fresh = (state: ChainState["Type"], token: Address.Address, index: number): Address.Address =>
  Address.checksum(
    `0x${Hash.keccak256(`0x${token.slice(2)}${state.block.hash.slice(2)}${Getter.word(BigInt(index)).slice(2)}`).slice(-40)}`
  )

// Tokens that ask for the gas price do so to find out simulations, where it is zero.
const gasPrice = 2_000_000_000n
const baseFeePerGas = 1_000_000_000n

const purse = 10n ** 24n

// Below 2^24, to which EIP-7825 holds a transaction: https://eips.ethereum.org/EIPS/eip-7825
const tripGas = 15_000_000n
const legGas = 2_000_000n
const plainGas = 1_000_000n
const viewGas = 150_000n

const never = 2n ** 256n - 1n

const planParameters = AbiParameters.from([
  "struct Route { uint8 kind; uint24 fee; address router; address pool; address token; address quote; address wrapped; address funding; }",
  "struct Plan { Route target; Route control; address peer; uint256 spend; uint256 controlSpend; uint256 legGas; }",
  "Plan plan"
])

const outcomeParameters = AbiParameters.from([
  "struct Leg { uint8 state; uint256 gas; uint256 sent; uint256 quoted; uint256 arrived; uint256 tokenBefore; uint256 quoteBefore; uint256 tokenAfter; uint256 quoteAfter; bytes reason; }",
  "struct Trip { Leg buy; Leg transfer; Leg sell; }",
  "struct Outcome { Trip target; Trip control; }",
  "Outcome outcome"
])

const runSelector = Selectors.selector(
  "run(((uint8,uint24,address,address,address,address,address,address),(uint8,uint24,address,address,address,address,address,address),address,uint256,uint256,uint256))"
)

type Simulated = AbiParameters.decode.ReturnType<typeof outcomeParameters>[0]

const kindOf = (router: Pools.Router): number => (router.exchange.kind === "uniswap-v2" ? 0 : router.deadline ? 2 : 1)

const planOf = (route: Route, share: bigint, peer: Address.Address): Hex => {
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
      spend: nativeFor(route, share),
      controlSpend: Option.match(route.control, { onNone: () => 0n, onSome: controlSpend }),
      legGas
    }
  ])
}

type Environment = Pick<CallRequest, "gasPrice" | "block">

const simulateOverride = (
  state: ChainState["Type"],
  route: Route,
  share: bigint,
  account: (index: number) => Address.Address,
  index: number,
  environment: Environment
) => {
  const sender = account(10 + index)
  return Effect.flatMap(
    state.call({
      ...environment,
      from: sender,
      to: sender,
      data: `${runSelector}${planOf(route, share, account(20 + index)).slice(2)}`,
      gas: tripGas,
      overrides: { [sender]: { code: Simulator.runtime, balance: purse } }
    }),
    (reading) => runsOf(route, "override", sender, nativeFor(route, share), reading)
  )
}

// The wrapped coin's contract holds native coin on every chain, so that a call from it can spend some without any
// override.
const simulateConstructor = (
  state: ChainState["Type"],
  route: Route,
  account: (index: number) => Address.Address,
  environment: Environment
) => {
  const [share] = shares
  const spend = nativeFor(route, share)
  return Effect.flatMap(
    state.call({
      ...environment,
      from: route.wrapped,
      value: spend + Option.match(route.control, { onNone: () => 0n, onSome: controlSpend }),
      data: `${Simulator.constructorCode}${planOf(route, share, account(30)).slice(2)}`,
      gas: tripGas
    }),
    (reading) => runsOf(route, "constructor", route.wrapped, spend, reading)
  )
}

const runsOf = (
  route: Route,
  method: TradeMethod,
  sender: Address.Address,
  spent: bigint,
  reading: Reading.Reading<CallOutcome>
): Effect.Effect<Reading.Reading<ReadonlyArray<TradeRun>>, ChainError> =>
  reading.value._tag === "Returned" && reading.value.data.length > 2
    ? Effect.map(decodeOutcome(reading.value.data), ({ control, target }) =>
        Reading.map(reading, () => [
          {
            method,
            sender,
            spent: Quantity.make(spent),
            buy: legOf(target.buy, buyTax(target.buy)),
            transfer: legOf(target.transfer, transferTax(target.transfer)),
            sell: legOf(target.sell, sellTax(route, target)),
            control: Option.match(route.control, {
              onNone: (): TradeRun["control"] => "unavailable",
              onSome: () => (control.buy.state === done && control.sell.state === done ? "ok" : "failed")
            })
          }
        ])
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
    state,
    tax_bps: state === "ok" ? Option.getOrNull(tax) : null,
    gas: state === "not_reached" ? null : Number(leg.gas),
    error: Option.getOrNull(reasonOf(leg.reason))
  }
}

/** The part of `whole` that did not arrive, to the nearest basis point; none of nothing. */
const missing = (whole: bigint, arrived: bigint): Option.Option<number> =>
  whole <= 0n
    ? Option.none()
    : Option.some(arrived >= whole ? 0 : Number(((whole - arrived) * 20_000n + whole) / (2n * whole)))

const buyTax = (leg: SimulatedLeg) => missing(leg.quoted, leg.arrived)

const transferTax = (leg: SimulatedLeg) => missing(larger(leg.sent, leg.quoted), leg.arrived)

/**
 * What of the sold tokens did not reach the pool. A pair pays by what reached it, so that the payment tells how much
 * that was, also where the token sold some of its own in the same transfer. For pools the balance has to do.
 */
const sellTax = (route: Route, { buy, sell }: Simulated["target"]): Option.Option<number> =>
  Option.orElse(
    route.router.exchange.kind === "uniswap-v2"
      ? Option.flatMap(pairFee(buy), (kept) => missing(sell.sent, soldFor(sell, kept)))
      : Option.none(),
    () => missing(sell.sent, grown(sell.tokenBefore, sell.tokenAfter))
  )

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

const grown = (before: bigint, then: bigint): bigint => (then > before ? then - before : 0n)

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

const errorSelector = Selectors.selector("Error(string)")
const panicSelector = Selectors.selector("Panic(uint256)")

const reasonOf = (data: Hex): Option.Option<string> => {
  const selector = data.slice(0, 10)
  const body: Hex = `0x${data.slice(10, 10 + 512)}`
  if (selector === errorSelector) return Option.filter(messageIn(body), (text) => text.length > 0)
  if (selector === panicSelector) return Option.map(Getter.uint(body), (code) => `panic 0x${code.toString(16)}`)
  return selector.length === 10 ? Option.some(`error ${selector}`) : Option.none()
}

// Where a simulator cut the bytes, what is left of the message is shown.
const messageIn = (body: Hex): Option.Option<string> =>
  Option.flatMap(Getter.lengthAt(body, 32, Number.MAX_SAFE_INTEGER), (length) => {
    const bytes: Hex = `0x${body.slice(130, 130 + 2 * Math.min(length, 256))}`
    return Either.getRight(
      Either.try(() => HostileText.clean(decoder.decode(OxBytes.fromHex(bytes.length % 2 === 0 ? bytes : `${bytes}0`))))
    )
  })

const decoder = new TextDecoder("utf-8", { fatal: false })

interface Buyer {
  readonly sender: Address.Address
  readonly peer: Address.Address
  readonly spent: bigint
  /** What the purchase pays, in the quote. */
  readonly paid: bigint
  readonly moved: bigint
  readonly sold: bigint
}

/** A call of the simulated blocks, under the name by which its result is found. */
interface Step {
  readonly name: string
  readonly call: CallRequest
}

/**
 * Nothing in the blocks can wait for an answer, so that what is moved and sold is a fixed small share of what the
 * pool's price promises: any purchase that is taxed below nine tenths covers it.
 */
const simulateBlocks = (
  state: ChainState["Type"],
  route: Route,
  account: (index: number) => Address.Address
): Effect.Effect<Reading.Reading<ReadonlyArray<TradeRun>>, ChainError> =>
  Effect.gen(function* () {
    const buyers = buyersOf(route, account)
    const controller = account(2)
    const control = Option.map(route.control, (pool) => controlSteps(route, pool, controller))
    const first = [
      ...Option.match(control, { onNone: () => [], onSome: (steps) => steps.first }),
      ...buyers.flatMap((buyer) => buyingSteps(route, buyer))
    ]
    const second = [
      ...Option.match(control, { onNone: () => [], onSome: (steps) => steps.second }),
      ...buyers.flatMap((buyer) => sellingSteps(route, buyer)),
      // Last, because it would change what is measured: the token's own words, which routers hide.
      ...buyers.flatMap((buyer) => askingSteps(route, buyer))
    ]
    const now = Math.floor(Timestamp.toMillis(state.block.timestamp) / 1_000)
    const block = { feeRecipient: account(100), baseFeePerGas }
    const spenders = [controller, ...buyers.map(({ sender }) => sender)]
    const simulated = state.simulate({
      blocks: [
        {
          overrides: Object.fromEntries(spenders.map((spender) => [spender, { balance: purse }])),
          block: { ...block, time: now + firstBlockAfter },
          calls: first.map(({ call }) => call)
        },
        { block: { ...block, time: now + secondBlockAfter }, calls: second.map(({ call }) => call) }
      ]
    })
    const [reading, refusal] = yield* Effect.all([simulated, purchaseRefusal(state, route, account(0))], {
      concurrency: "unbounded"
    })
    const [bought = [], sold = []] = reading.value
    if (bought.length !== first.length || sold.length !== second.length) {
      return yield* new ChainError({
        reason: "method_unsupported",
        method: "eth_simulateV1",
        retryable: false,
        detail: "the endpoint answered fewer calls than it was asked to simulate"
      })
    }
    const results = new Map<string, SimulatedCall>()
    first.forEach(({ name }, index) => void results.set(name, bought[index] as SimulatedCall))
    second.forEach(({ name }, index) => void results.set(name, sold[index] as SimulatedCall))
    const controlled = Option.match(control, {
      onNone: (): TradeRun["control"] => "unavailable",
      onSome: () => (succeeded(results.get("control.buy")) && succeeded(results.get("control.sell")) ? "ok" : "failed")
    })
    return Reading.map(reading, () => buyers.map((buyer) => blockRun(route, buyer, results, controlled, refusal)))
  })

/** The token's own words on leaving the pool, which the router hides. */
const purchaseRefusal = (
  state: ChainState["Type"],
  route: Route,
  to: Address.Address
): Effect.Effect<Option.Option<string>> =>
  state.call({ from: route.pool.pool.address, to: route.token, data: transferData(to, 1n), gas: plainGas }).pipe(
    Effect.map(({ value }) => (value._tag === "Reverted" ? reasonOf(value.data) : Option.none())),
    Effect.orElseSucceed(() => Option.none())
  )

// One block after the pinned one, and an hour after that one: past every cooldown that is no trap.
const firstBlockAfter = 12
const secondBlockAfter = 3_612

const buyersOf = (route: Route, account: (index: number) => Address.Address): ReadonlyArray<Buyer> => {
  let { reserveQuote, reserveToken } = route.pool
  let funding = route.funding
  return shares.map((share, index) => {
    const spent = nativeFor(route, share)
    const paid = Option.match(funding, { onNone: () => spent, onSome: (by) => funded(by, spent) })
    funding = Option.map(funding, (by) => ({
      ...by,
      reserveWrapped: by.reserveWrapped + spent,
      reserveQuote: by.reserveQuote - paid
    }))
    const promised = Option.match(route.pool.price, {
      onNone: () => {
        // A pair's formula with a fee above any that is in use.
        const kept = paid * 990n
        const out = (kept * reserveToken) / (reserveQuote * 1_000n + kept)
        reserveQuote += paid
        reserveToken -= out
        return out
      },
      onSome: (price) => promisedByPrice(route.token, route.pool.pool.quote, price, paid)
    })
    return {
      sender: account(index),
      peer: account(50 + index),
      spent,
      paid,
      moved: atLeastOne((promised * movedShare) / 100n),
      sold: atLeastOne((promised * soldShare) / 100n)
    }
  })
}

const movedShare = 4n
const soldShare = 5n

/** What a deposit or a swap gives at the least, with room for a fee above any that is in use and for the control. */
const funded = (funding: Funding, native: bigint): bigint =>
  funding.deposits
    ? native
    : atLeastOne((98n * native * funding.reserveQuote) / (100n * (funding.reserveWrapped + native)))

// https://docs.uniswap.org/sdk/v3/guides/advanced/price-oracle: token1 per token0 is (price / 2^96)^2. A tenth less is
// taken for the fee and for the ticks that the purchase may cross.
const promisedByPrice = (token: Hex, quote: Hex, price: bigint, paid: bigint): bigint => {
  const square = price * price
  const amount = token.toLowerCase() < quote.toLowerCase() ? (paid << 192n) / (square || 1n) : (paid * square) >> 192n
  return (amount * 9n) / 10n
}

const step = (name: string, from: Address.Address, to: Hex, data: Hex, gas: bigint, value?: bigint): Step => ({
  name,
  call: { from, to: Address.checksum(to), data, gas, gasPrice, value }
})

const balanceStep = (name: string, from: Address.Address, token: Hex, account: Hex): Step =>
  step(name, from, token, Getter.calldata(Selectors.functions.balanceOf, [Getter.word(account)]), viewGas)

const approveStep = (name: string, from: Address.Address, token: Hex, spender: Hex): Step =>
  step(
    name,
    from,
    token,
    Getter.calldata(Selectors.functions.approve, [Getter.word(spender), Getter.word(never)]),
    plainGas
  )

const transferData = (to: Hex, amount: bigint): Hex =>
  Getter.calldata(Selectors.functions.transfer, [Getter.word(to), Getter.word(amount)])

const buyingSteps = (route: Route, buyer: Buyer): ReadonlyArray<Step> => {
  const { sender } = buyer
  const router = route.router.address
  const { quote } = route.pool.pool
  return [
    ...Option.match(route.funding, {
      onNone: () => [],
      onSome: ({ by, deposits }) => [
        step(
          `${sender}.fund`,
          sender,
          by,
          deposits ? Selectors.functions.deposit : swapNativeExactly(route.wrapped, quote, sender),
          plainGas,
          buyer.spent
        ),
        approveStep(`${sender}.approveQuote`, sender, quote, router)
      ]
    }),
    step(
      `${sender}.buy`,
      sender,
      router,
      purchaseData(route, quote, route.token, route.pool.fee, sender, buyer.paid),
      legGas,
      Option.isNone(route.funding) ? buyer.paid : undefined
    ),
    balanceStep(`${sender}.bought`, sender, route.token, sender),
    approveStep(`${sender}.approve`, sender, route.token, router)
  ]
}

const sellingSteps = (route: Route, { moved, peer, sender, sold }: Buyer): ReadonlyArray<Step> => [
  balanceStep(`${sender}.beforeTransfer`, sender, route.token, sender),
  balanceStep(`${sender}.peerBefore`, sender, route.token, peer),
  step(`${sender}.transfer`, sender, route.token, transferData(peer, moved), legGas),
  balanceStep(`${sender}.afterTransfer`, sender, route.token, sender),
  balanceStep(`${sender}.peerAfter`, sender, route.token, peer),
  step(
    `${sender}.sell`,
    sender,
    route.router.address,
    saleData(route, route.token, route.pool.pool.quote, route.pool.fee, sender, sold),
    legGas
  ),
  balanceStep(`${sender}.afterSale`, sender, route.token, sender)
]

const askingSteps = (route: Route, { sender }: Buyer): ReadonlyArray<Step> => [
  step(`${sender}.askSale`, sender, route.token, transferData(route.pool.pool.address, 1n), plainGas)
]

const controlSteps = (route: Route, pool: Pools.ReferencePool, sender: Address.Address) => {
  const spend = controlSpend(pool)
  const token = pool.quote.address
  const promised = Option.match(pool.price, {
    onNone: () => (spend * pool.reserveQuote) / (pool.reserveWrapped + spend),
    onSome: (price) => promisedByPrice(token, route.wrapped, price, spend)
  })
  const sold = atLeastOne((promised * soldShare) / 100n)
  return {
    first: [
      step(
        "control.buy",
        sender,
        route.router.address,
        purchaseData({ ...route, funding: Option.none() }, route.wrapped, token, pool.fee, sender, spend),
        legGas,
        spend
      ),
      approveStep("control.approve", sender, token, route.router.address)
    ],
    second: [
      step(
        "control.sell",
        sender,
        route.router.address,
        saleData({ ...route, funding: Option.none() }, token, route.wrapped, pool.fee, sender, sold),
        legGas
      )
    ]
  }
}

type Trading = Pick<Route, "router" | "funding">

const purchaseData = (
  { funding, router }: Trading,
  quote: Hex,
  token: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex =>
  router.exchange.kind === "uniswap-v3"
    ? singleSwap(router, quote, token, fee, to, amount)
    : Option.isNone(funding)
      ? encode("swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)", [
          1n,
          [quote, token],
          to,
          never
        ])
      : swapTokens(quote, token, to, amount)

const saleData = (
  { funding, router }: Trading,
  token: Hex,
  quote: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex =>
  router.exchange.kind === "uniswap-v3"
    ? singleSwap(router, token, quote, fee, to, amount)
    : Option.isNone(funding)
      ? encode("swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)", [
          amount,
          1n,
          [token, quote],
          to,
          never
        ])
      : swapTokens(token, quote, to, amount)

const swapTokens = (from: Hex, into: Hex, to: Address.Address, amount: bigint): Hex =>
  encode("swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)", [
    amount,
    1n,
    [from, into],
    to,
    never
  ])

const swapNativeExactly = (wrapped: Hex, quote: Hex, to: Address.Address): Hex =>
  encode("swapExactETHForTokens(uint256,address[],address,uint256)", [1n, [wrapped, quote], to, never])

// The one argument is a struct of value types, which is encoded as its members are.
const singleSwap = (
  router: Pools.Router,
  from: Hex,
  into: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex => {
  const words = [from, into, BigInt(fee), to, ...(router.deadline ? [never] : []), amount, 1n, 0n]
  return Getter.calldata(
    router.deadline
      ? Selectors.selector("exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))")
      : Selectors.selector("exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))"),
    words.map(Getter.word)
  )
}

/** Calldata of a function whose arguments are words but for one list of addresses. */
const encode = (signature: string, args: ReadonlyArray<bigint | Hex | readonly [Hex, Hex]>): Hex => {
  const tail: Array<Hex> = []
  const head = args.map((argument) => {
    if (typeof argument === "bigint" || typeof argument === "string") return Getter.word(argument)
    tail.push(Getter.word(BigInt(argument.length)), ...argument.map((item) => Getter.word(item)))
    return Getter.word(BigInt(args.length * 32))
  })
  return Getter.calldata(Selectors.selector(signature), [...head, ...tail])
}

const succeeded = (call: SimulatedCall | undefined): boolean => call?.outcome._tag === "Returned"

const notReached: TradeLeg = { state: "not_reached", tax_bps: null, gas: null, error: null }

const blockRun = (
  route: Route,
  buyer: Buyer,
  results: ReadonlyMap<string, SimulatedCall>,
  control: TradeRun["control"],
  refusal: Option.Option<string>
): TradeRun => {
  const { sender } = buyer
  const result = (name: string) => results.get(`${sender}.${name}`)
  const balance = (name: string): Option.Option<bigint> =>
    Option.flatMap(Option.fromNullable(result(name)), ({ outcome }) =>
      outcome._tag === "Returned" ? Getter.uint(outcome.data) : Option.none()
    )
  const asked = result("askSale")
  const saleRefusal = asked?.outcome._tag === "Reverted" ? reasonOf(asked.outcome.data) : Option.none<string>()
  /** `moved` says whether anything did, `tax` what of it is missing; both are asked only where the call succeeded. */
  const leg = (
    name: string,
    own: Option.Option<string>,
    moved: () => Option.Option<boolean>,
    tax: () => Option.Option<number>
  ): TradeLeg => {
    const call = result(name)
    if (call === undefined) return notReached
    const gas = call.gasUsed
    if (call.outcome._tag === "Reverted") {
      if (Option.isNone(own) && call.outcome.data.startsWith(underpaid)) {
        return { state: "underpaid", tax_bps: null, gas, error: null }
      }
      return {
        state: "reverted",
        tax_bps: null,
        gas,
        error: Option.getOrNull(Option.orElse(own, () => reasonOf(call.outcome.data)))
      }
    }
    // A balance that cannot be read shows nothing: neither that it moved nor that it stayed.
    return Option.match(moved(), {
      onNone: () => ({ ...notReached, gas, error: "a balance could not be read" }),
      onSome: (some): TradeLeg =>
        some
          ? { state: "ok", tax_bps: Option.getOrNull(tax()), gas, error: null }
          : { state: "no_effect", tax_bps: null, gas, error: null }
    })
  }

  const received = balance("bought")
  const buy = leg(
    "buy",
    refusal,
    () => Option.map(received, (amount) => amount > 0n),
    () =>
      Option.flatMap(Option.all([swapIn(route, result("buy")), received]), ([swap, amount]) =>
        missing(swap.tokenOut, amount)
      )
  )
  const common = { method: "simulate_v1", sender, spent: Quantity.make(buyer.spent), control } as const
  if (buy.state !== "ok") return { ...common, buy, transfer: notReached, sell: notReached }

  const moves = Option.all({
    before: balance("beforeTransfer"),
    after: balance("afterTransfer"),
    peerBefore: balance("peerBefore"),
    peerAfter: balance("peerAfter")
  })
  const enoughToMove = Option.exists(moves, ({ before }) => before >= buyer.moved)
  const transfer = enoughToMove
    ? leg(
        "transfer",
        Option.none(),
        () => Option.map(moves, (m) => m.after < m.before || m.peerAfter > m.peerBefore),
        () =>
          Option.flatMap(moves, (m) =>
            missing(larger(grown(m.after, m.before), buyer.moved), grown(m.peerBefore, m.peerAfter))
          )
      )
    : { ...notReached, error: tooLittle }

  const sales = Option.all({ before: balance("afterTransfer"), after: balance("afterSale") })
  const enoughToSell = Option.exists(sales, ({ before }) => before >= buyer.sold)
  const sell = enoughToSell
    ? leg(
        "sell",
        saleRefusal,
        // The router is the exchange's own and reverts where less than the asked-for minimum of the quote came.
        () => Option.some(true),
        () =>
          Option.flatMap(Option.all([sales, swapIn(route, result("sell"))]), ([m, swap]) =>
            missing(larger(grown(m.after, m.before), buyer.sold), swap.tokenIn)
          )
      )
    : { ...notReached, error: tooLittle }
  return { ...common, buy, transfer, sell }
}

// UniswapV3Pool refuses with "IIA" a swap for which less reached it than was promised; it takes no token with a tax.
const underpaid = Getter.calldata(errorSelector, [
  Getter.word(32n),
  Getter.word(3n),
  Getter.leftAligned(OxHex.fromString("IIA"))
])

const tooLittle = "too little arrived of what was bought"

const pairSwap = Selectors.topic("Swap(address,uint256,uint256,uint256,uint256,address)")
const poolSwap = Selectors.topic("Swap(address,address,int256,int256,uint160,uint128,int24)")
const pancakePoolSwap = Selectors.topic("Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)")

/** The token's side of the last swap that the pool reported in a call; earlier ones are the token's own. */
const swapIn = (
  route: Route,
  call: SimulatedCall | undefined
): Option.Option<{ readonly tokenIn: bigint; readonly tokenOut: bigint }> => {
  const log = call?.logs.findLast(
    ({ address, topics }) =>
      address === route.pool.pool.address &&
      (topics[0] === pairSwap || topics[0] === poolSwap || topics[0] === pancakePoolSwap)
  )
  if (log === undefined) return Option.none()
  const tokenFirst = route.token.toLowerCase() < route.pool.pool.quote.toLowerCase()
  const word = (place: number) => Getter.wordAt(log.data, 32 * place)
  if (log.topics[0] === pairSwap) {
    // amount0In, amount1In, amount0Out, amount1Out
    return Option.map(Option.all([word(tokenFirst ? 0 : 1), word(tokenFirst ? 2 : 3)]), ([paid, out]) => ({
      tokenIn: BigInt(paid),
      tokenOut: BigInt(out)
    }))
  }
  // What the pool took is positive, what it gave is negative.
  return Option.map(word(tokenFirst ? 0 : 1), (value) => {
    const amount = BigInt.asIntN(256, BigInt(value))
    return amount >= 0n ? { tokenIn: amount, tokenOut: 0n } : { tokenIn: 0n, tokenOut: -amount }
  })
}

/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as BlockUse from "../../chain/state/BlockUse.js"
import {
  type CallOutcome,
  type CallRequest,
  ChainState,
  type LogScan,
  type SimulatedCall
} from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import type * as Address from "../../domain/Address.js"
import type { Observation } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { Variable } from "../../evm/summary/StorageFlow.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import type { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as Pools from "../market/Pools.js"
import * as AnyRouter from "./AnyRouter.js"
import * as BalanceOverride from "./BalanceOverride.js"
import * as RouterCalls from "./RouterCalls.js"
import * as SimulatedBlocks from "./SimulatedBlocks.js"
import { type Step, step } from "./SimulatedBlocks.js"
import { Trade } from "./Trade.js"
import * as TradeAmounts from "./TradeAmounts.js"
import * as TradeClerk from "./TradeClerk.js"
import * as TradeClock from "./TradeClock.js"
import { isExhausted, isUnderpaid, leastWorth, legGas, reasonOf, worthless } from "./TradeMeasure.js"
import * as TradeMoments from "./TradeMoments.js"
import * as TradeRoute from "./TradeRoute.js"
import * as TradeScene from "./TradeScene.js"

/**
 * Whether present holders can sell or transfer the token, now and later.
 *
 * Where the endpoint simulates blocks, each holder sells a small part of its balance by the router of the deepest pool
 * (or sends it to a fresh account where there is none, and to another holder where there never was one), with fees and
 * with its effect measured. The same sale is simulated a month and a year later instead, in blocks with the numbers
 * that the chain will have reached. Without block simulation, plain calls from its address show what is refused, and
 * never that something moved. Where the endpoint can override the block of a call, refused calls are repeated as if a
 * month had passed.
 */
export class HolderReplay extends Context.Tag("@assay/core/HolderReplay")<
  HolderReplay,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<Replay>, ChainError>
  }
>() {}

/**
 * What became of the holders that were tried; none was where no account without code was found to hold any, which is
 * final where the events are `complete` and no holder in them is `untried`. `control` says whether a token known to be
 * good was sold in the same blocks. `later` is what became of the same holders at later moments, soonest first. By
 * plain calls it is a month later alone, of those who were refused alone, and nothing where no call could be made then.
 */
export interface Replay extends Trials {
  readonly later: ReadonlyArray<Later>
  readonly complete: boolean
  readonly untried: boolean
  readonly method: "simulate_v1" | "call"
}

/** What became of holders at one moment, and of the control. */
export interface Trials {
  readonly trials: ReadonlyArray<Trial>
  readonly control: "ok" | "failed" | "unavailable"
}

/**
 * What became of them some time after the pinned block, as if in the meantime nothing had happened, and how that was seen.
 */
export interface Later extends Trials {
  readonly when: "in_a_month" | "in_a_year" | "at_a_moment"
  /** The time of `at_a_moment`: right before or after a moment that the code compares a clock with. */
  readonly at?: Timestamp.Timestamp
  readonly observation: () => Observation
}

/**
 * One holder: it sold or sent a part (`free`), was refused (`blocked`; `routed` where the refusal was of a sale by the
 * router, with its own allowance or one that a state override writes), or nothing was shown (`unshown`). It is
 * `restricted` where the token has no pool, a fresh account may not receive from it and another holder may. `error` are
 * the words of a refusal, or why nothing was shown.
 */
export interface Trial {
  readonly holder: Address.Address
  readonly state: "free" | "restricted" | "blocked" | "unshown"
  readonly routed: boolean
  readonly error: Option.Option<string>
}

// Insiders hold much and may be exempt, so most of the sample comes from across the other holders. With this many, a
// single holder that an issuer froze is less than a tenth.
const largestHolders = 3
const otherHolders = 8

// One hundredth of a balance, and at most of the pool: small enough for usual limits and for the pool.
const part = 100n

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const pools = yield* Pools.Pools
  const trade = yield* Trade
  const clocks = yield* TradeClock.TradeClocks
  const functions = yield* Functions
  const readings = yield* CodeReadings
  const moments = yield* TradeMoments.TradeMoments
  const read = Effect.fn("HolderReplay.of")(function* (token: Address.Address) {
    const [transfers, market, supply, capabilities, clock, ahead] = yield* Together.all([
      state.logs({ address: token, topics: [Selectors.topics.Transfer] }),
      Effect.if(pools.covers(token), {
        onTrue: () => Effect.asSome(pools.inspect(token)),
        onFalse: () => Effect.succeed(Option.none<Pools.MarketReading>())
      }),
      Getter.read(state, token, Selectors.functions.totalSupply, Getter.uint),
      Effect.option(state.capabilities),
      Effect.either(clocks.of(token)),
      // What cannot be read is a gap, which the claim minds.
      Effect.orElseSucceed(moments.of(token), () => TradeMoments.none)
    ])
    const route = Option.flatMap(market, (found) => TradeRoute.find(found, token))
    const isEmptied = Option.exists(
      market,
      (found) => found[0].value.length > 0 && TradeRoute.tradeable(found).length === 0
    )
    // Honeypots let holders send to each other: where there is a pool, that is no way out.
    const isPoolless = !Option.exists(
      market,
      (found) => found[0].value.length > 0 || Option.isSome(Pools.elsewhere(found))
    )
    const known = Option.match(market, {
      onNone: () => [],
      onSome: ([{ value }]) => value.map(({ pool }) => pool.address)
    })
    const { complete, sample, untried } = sampleOf(transfers.value, supply.value, [
      token,
      ...known,
      ...AddressBook.burnAddresses
    ])
    if (sample.length === 0) {
      return Reading.map(
        transfers,
        (): Replay => ({ trials: [], later: [], complete, untried, method: "call", control: "unavailable" })
      )
    }
    const isShown = yield* Option.match(route, {
      onNone: () => Effect.succeed(true),
      onSome: (found) => AnyRouter.isShownBy({ functions, readings }, found)
    })
    const cast: Cast = {
      token,
      route,
      isShown,
      scene: TradeScene.make(state, token),
      sample,
      exchanges: isPoolless && sample.length > 1
    }
    const calling = byCalls(state, cast, {
      contractBlocked: contractIsBlocked(trade, token),
      overridesBlocks: Option.exists(capabilities, ({ blockOverride }) => blockOverride),
      allowances: Option.exists(capabilities, ({ codeOverride }) => codeOverride)
        ? allowancesOf(functions, token)
        : Effect.succeed([])
    })
    const simulates = Option.match(capabilities, { onNone: () => true, onSome: ({ simulateV1 }) => simulateV1 })
    const { balances, codes, replayed } = yield* Together.all({
      balances: BatchRead.all(
        state,
        sample.map(({ address }) => BatchRead.balanceOf(token, address)),
        { readsPerCall: BatchRead.hostileReads }
      ),
      codes: Together.forEach(sample, ({ address }) => Effect.either(state.code(address))),
      replayed: simulates
        ? // A method that fails counts as a missing one.
          Effect.flatMap(clock, (paced) => Effect.orElse(inBlocks(state, cast, paced, ahead.tries), () => calling))
        : calling
    })
    const shown = ({ control, trials }: Trials): Trials => ({
      control,
      trials: trials.flatMap((trial, index) => {
        const code = codes[index]
        const holder = sample[index]
        if (code === undefined || holder === undefined) return []
        if (Either.isLeft(code)) return [{ ...trial, state: "unshown" as const }]
        // A contract decides by itself what it can do, and so does an account that delegates to one.
        if (!Bytecode.isEmpty(code.right.value)) return []
        // A token can emit events about any account, and can set a buyer's balance to zero, which is no way out either.
        const [held = 0n] = balances.value[index] ?? []
        if (held < offerOf(route, holder)) return [{ ...unshown(holder.address), error: untold }]
        // A transfer does not show that the holder could sell: a trap must not look better for its pool being emptied, or
        // for its exchange not being known.
        const untried = isEmptied
          ? emptied
          : Option.isNone(market)
            ? uncovered
            : Option.isNone(route) && !isPoolless
              ? unreached
              : Option.none()
        return Option.isSome(untried) && trial.state === "free"
          ? [{ ...unshown(holder.address), error: untried }]
          : [trial]
      })
    })
    return Reading.map(
      replayed,
      ({ later, method, ...now }): Replay => ({
        ...shown(now),
        later: later.map((then) => ({ ...then, ...shown(then) })),
        complete,
        untried,
        method
      })
    )
  })
  return HolderReplay.of({ of: yield* OncePerKey.make((token: Address.Address) => token, read) })
})

/**
 * Two levels: the pools, the events and the code, the replay; one more for a code behind a proxy, and for one that
 * reads the block number.
 */
export const layer: Layer.Layer<
  HolderReplay,
  never,
  ChainState | CodeReadings | Functions | Pools.Pools | Proxy | Trade
> = Layer.provide(Layer.scoped(HolderReplay, make), [TradeMoments.layer, TradeClock.layer])

/** An account and what events say that came to it and did not leave it: with the oldest ones missing, the least it has. */
interface Holder {
  readonly address: Address.Address
  readonly balance: bigint
}

const emptied = Option.some("no pool of it holds anything to sell it for")
const uncovered = Option.some("sales were not tried: no exchange is known on this chain")
const unreached = Option.some("sales were not tried: no known router leads from native coin to its pools")
const untold = Option.some("the token does not say that they have what its transfers gave them")

const zeroWord = Getter.word(0n)

const sampleOf = (
  { complete, logs }: LogScan,
  supply: Option.Option<bigint>,
  others: ReadonlyArray<Hex>
): { readonly sample: ReadonlyArray<Holder>; readonly complete: boolean; readonly untried: boolean } => {
  const sums = new Map<Hex, bigint>()
  let readable = true
  for (const { data, topics: words } of logs) {
    const [, from, to] = words
    if (words.length !== 3 || data.length !== 66 || from === undefined || to === undefined) readable = false
    else {
      const amount = BigInt(data)
      sums.set(from, (sums.get(from) ?? 0n) - amount)
      sums.set(to, (sums.get(to) ?? 0n) + amount)
    }
  }
  sums.delete(zeroWord)
  const known = new Set(others.map((address) => Getter.word(address)))
  const holders = [...sums]
    .filter(([word, balance]) => balance > 0n && !known.has(word))
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))
  const rest = holders.slice(largestHolders)
  const stride = Math.max(1, rest.length / otherHolders)
  const chosen = [
    ...holders.slice(0, largestHolders),
    ...rest.filter((_, index) => Math.floor(index / stride) > Math.floor((index - 1) / stride))
  ]
  return {
    sample: chosen.flatMap(([word, balance]) =>
      Option.toArray(Option.map(Getter.addressOfWord(word), (address) => ({ address, balance })))
    ),
    untried: chosen.length < holders.length,
    complete:
      complete &&
      readable &&
      Option.contains(
        supply,
        [...sums.values()].reduce((sum, balance) => sum + balance, 0n)
      )
  }
}

interface Cast {
  readonly token: Address.Address
  readonly route: Option.Option<TradeRoute.TradeRoute>
  /** Whether a sale by the router of the route shows what one by any other does. */
  readonly isShown: boolean
  readonly scene: TradeScene.TradeScene
  readonly sample: ReadonlyArray<Holder>
  /** Whether holders also send to each other. */
  readonly exchanges: boolean
}

/** Another holder, for each a different one. */
const nextTo = (sample: ReadonlyArray<Holder>, index: number): Holder => sample[(index + 1) % sample.length] as Holder

type Replayed = Omit<Replay, "complete" | "untried">

const offerOf = (route: Option.Option<TradeRoute.TradeRoute>, { balance }: Holder): bigint => {
  const own = balance / part
  const most = Option.match(route, { onNone: () => own, onSome: ({ pool }) => pool.reserveToken / part })
  return TradeAmounts.atLeastOne(own < most ? own : most)
}

// So few in a block that tokens which burn all gas still fit into the blocks of small chains.
const holdersPerBlock = 4
const blockTime = 12

/** In blocks that begin so many seconds after the pinned one. */
const inBlocksAfter = (
  seconds: number,
  state: ChainState["Type"],
  { exchanges, isShown, route, sample, scene, token }: Cast,
  clock: TradeClock.TradeClock
): Effect.Effect<Reading.Reading<Trials>, ChainError> => {
  const [peer, clerk, controller] = [
    scene.account(SceneSeed.accounts.holder),
    scene.account(SceneSeed.accounts.holderPeer),
    scene.account(SceneSeed.accounts.holderBuyer)
  ]
  const control = Option.flatMap(route, (found) =>
    Option.map(found.control, (pool) => ({
      ...RouterCalls.controlMoves(found, pool, controller),
      spends: TradeAmounts.controlSpend(pool)
    }))
  )
  const controlSteps = Option.match(control, {
    onNone: () => [],
    onSome: ({ approval, purchase, sale }) => [
      step("control.buy", controller, purchase, TradeScene.gas.leg),
      step("control.approve", controller, approval, TradeScene.gas.plain),
      step("control.sell", controller, sale, TradeScene.gas.leg)
    ]
  })
  const leaving = (holder: Holder): ReadonlyArray<Step> =>
    Option.match(route, {
      onNone: () => sending(token, clerk, peer, holder.address, offerOf(route, holder), "send"),
      onSome: (found) => selling(found, holder.address, offerOf(route, holder))
    })
  const words = Option.match(route, {
    onNone: () => [],
    onSome: (found) => sample.slice(-askedHolders).map((holder) => asking(found, holder.address))
  })
  const inGroups = (steps: ReadonlyArray<ReadonlyArray<Step>>): ReadonlyArray<ReadonlyArray<Step>> =>
    Array.from({ length: Math.ceil(steps.length / holdersPerBlock) }, (_, index) =>
      steps.slice(index * holdersPerBlock, (index + 1) * holdersPerBlock).flat()
    )
  // After all others, so that nobody is refused for what it just received.
  const groups = [
    ...inGroups(sample.map(leaving)),
    ...inGroups(
      exchanges
        ? sample.map((holder, index) =>
            sending(token, clerk, nextTo(sample, index).address, holder.address, offerOf(route, holder), "pass")
          )
        : []
    )
  ]
  const spends = Option.match(control, { onNone: () => 0n, onSome: ({ spends }) => spends })
  const plan: TradeClock.Plan = {
    overrides: {
      ...Option.match(route, { onNone: () => ({}), onSome: TradeRoute.overridesOf }),
      ...Object.fromEntries(
        sample.map(({ address }) => [address, { balance: TradeScene.purse(address, 0n) }] as const)
      ),
      [controller]: { balance: TradeScene.purse(controller, spends) },
      [clerk]: { code: TradeClerk.code }
    },
    blocks: [controlSteps, ...groups, words]
      .filter((steps) => steps.length > 0)
      .map((steps, index) => ({ block: scene.block(seconds + (index + 1) * blockTime), steps }))
  }
  const reading = SimulatedBlocks.run(state, clock.paced(plan))
  return Effect.map(reading, (simulated) =>
    Reading.map(simulated, (results): Trials => {
      const returned = (name: string) => results.get(name)?.outcome._tag === "Returned"
      const own = Option.firstSomeOf(
        words.map(({ name }) => {
          const outcome = results.get(name)?.outcome
          return outcome?._tag === "Reverted" ? reasonOf(outcome.data) : Option.none<string>()
        })
      )
      return {
        control: Option.match(control, {
          onNone: () => "unavailable",
          onSome: () => (returned("control.buy") && returned("control.sell") ? "ok" : "failed")
        }),
        trials: sample.map((holder) =>
          Option.match(route, {
            onNone: () => {
              const sent = sendingShown(results, holder.address)
              return sent.state === "blocked" && exchanges && isPassed(results, holder.address)
                ? { ...sent, state: "restricted" }
                : sent
            },
            onSome: (found) =>
              isShown
                ? unlessUncompared(
                    found,
                    saleShown(results, holder.address, own, found, TradeAmounts.worthOf(found, offerOf(route, holder)))
                  )
                : { ...unshown(holder.address), error: Option.some(AnyRouter.unshown) }
          })
        )
      }
    })
  )
}

/** Each moment by itself: whoever sells once may not be let sell again. */
const inBlocks = (
  state: ChainState["Type"],
  cast: Cast,
  clock: TradeClock.TradeClock,
  tries: ReadonlyArray<number>
): Effect.Effect<Reading.Reading<Replayed>, ChainError> =>
  Effect.map(
    Together.all({
      now: inBlocksAfter(0, state, cast, TradeClock.asItIs),
      later: Together.forEach(momentsWith(state, tries), ({ seconds, ...moment }) =>
        Effect.map(inBlocksAfter(seconds, state, cast, clock), ({ observation, value }) => ({
          ...value,
          ...moment,
          observation
        }))
      )
    }),
    ({ later, now }) => Reading.map(now, (trials): Replayed => ({ ...trials, method: "simulate_v1", later }))
  )

const momentsWith = (
  { block }: ChainState["Type"],
  tries: ReadonlyArray<number>
): ReadonlyArray<Pick<Later, "when" | "at"> & { readonly seconds: number }> => [
  { when: "in_a_month", seconds: TradeScene.delays.month },
  { when: "in_a_year", seconds: TradeScene.delays.year },
  ...tries.map((seconds) => ({
    when: "at_a_moment" as const,
    at: Timestamp.fromSeconds(BlockUse.secondsAfter(block, seconds)),
    seconds
  }))
]

const selling = (route: TradeRoute.TradeRoute, holder: Address.Address, offer: bigint): ReadonlyArray<Step> => {
  const { pool, router, token } = route
  return [
    // Some tokens change an allowance from zero only.
    ...[0n, RouterCalls.boundless].map((amount) =>
      step(
        `${holder}.approve${amount}`,
        holder,
        { to: token, data: RouterCalls.approvalData(router.address, amount) },
        TradeScene.gas.plain
      )
    ),
    step(
      `${holder}.sell`,
      holder,
      { to: router.address, data: RouterCalls.saleData(route, token, pool.pool.quote, pool.fee, holder, offer) },
      legGas(route)
    )
  ]
}

// The token's own words, which the router hides: of few, since most words are the same.
const askedHolders = 2

const asking = ({ pool, token }: TradeRoute.TradeRoute, holder: Address.Address): Step =>
  step(
    `${holder}.ask`,
    holder,
    { to: token, data: RouterCalls.transferData(pool.pool.address, 1n) },
    TradeScene.gas.plain
  )

const saleShown = (
  results: ReadonlyMap<string, SimulatedCall>,
  holder: Address.Address,
  own: Option.Option<string>,
  route: TradeRoute.TradeRoute,
  worth: bigint
): Trial => {
  const call = results.get(`${holder}.sell`)
  const sale = call?.outcome
  if (sale?._tag === "Reverted" && isExhausted(route, call?.gasUsed)) return unshown(holder)
  if (sale === undefined || (sale._tag === "Reverted" && isUnderpaid(sale.data))) return unshown(holder)
  if (sale._tag === "Reverted" && worth < leastWorth) return { ...unshown(holder), error: Option.some(worthless) }
  // The router is the exchange's own and reverts where nothing came of the sale.
  return sale._tag === "Returned"
    ? free(holder)
    : { holder, state: "blocked", routed: true, error: Option.orElse(own, () => reasonOf(sale.data)) }
}

/** A refusal by a router of ours that no control was compared with may be the pool's. */
const unlessUncompared = (route: TradeRoute.TradeRoute, trial: Trial): Trial =>
  trial.state === "blocked" && AnyRouter.isUncompared(route)
    ? { ...unshown(trial.holder), error: Option.some(AnyRouter.uncompared) }
    : trial

const sending = (
  token: Address.Address,
  clerk: Address.Address,
  peer: Address.Address,
  holder: Address.Address,
  offer: bigint,
  name: "send" | "pass"
): ReadonlyArray<Step> => {
  const count = (moment: string) => TradeClerk.counting(`${name}.${moment}`, clerk, token, { sender: holder, peer })
  return [
    count("before"),
    step(`${holder}.${name}`, holder, { to: token, data: RouterCalls.transferData(peer, offer) }, TradeScene.gas.leg),
    count("after")
  ]
}

/** What sender and receiver had before and after a transfer, where that could be read. */
const countsOf = (
  results: ReadonlyMap<string, SimulatedCall>,
  holder: Address.Address,
  name: "send" | "pass"
): Option.Option<{ readonly before: TradeClerk.Count; readonly after: TradeClerk.Count }> => {
  const count = (moment: string) => {
    const answer = results.get(`${holder}.${name}.${moment}`)?.outcome
    return answer?._tag === "Returned" ? TradeClerk.counted(answer.data) : Option.none()
  }
  return Option.all({ before: count("before"), after: count("after") })
}

const sendingShown = (results: ReadonlyMap<string, SimulatedCall>, holder: Address.Address): Trial => {
  const sent = results.get(`${holder}.send`)?.outcome
  if (sent?._tag === "Reverted") return { holder, state: "blocked", routed: false, error: reasonOf(sent.data) }
  return Option.match(countsOf(results, holder, "send"), {
    onNone: () => unshown(holder),
    onSome: ({ after, before }) =>
      before.own === after.own && before.peers === after.peers ? { ...free(holder), state: "blocked" } : free(holder)
  })
}

/** Whether another holder was seen to receive from it. */
const isPassed = (results: ReadonlyMap<string, SimulatedCall>, holder: Address.Address): boolean =>
  results.get(`${holder}.pass`)?.outcome._tag === "Returned" &&
  Option.exists(
    countsOf(results, holder, "pass"),
    ({ after, before }) => after.own < before.own && after.peers > before.peers
  )

const free = (holder: Address.Address): Trial => ({ holder, state: "free", routed: false, error: Option.none() })

const unshown = (holder: Address.Address): Trial => ({ ...free(holder), state: "unshown" })

/**
 * What plain calls show. A holder is refused if the router was refused an allowed amount, if the holder's transfers to
 * the pool and to a fresh account both reverted, or if the one to the pool reverted while a contract that had just
 * bought could not sell either. A token that only refuses direct transfers into its pool does not count as a trap.
 * Without a pool, a holder that may send to another holder has no result: a call does not show that the tokens arrive.
 *
 * A holder that is refused that way is tried again at the router, with an allowance that a state override writes and
 * that `allowance` must return: that is no direct transfer into a pool, and no trade in the block of a purchase.
 *
 * Refused calls are repeated a month later, where the block of a call can be overridden: a cooldown is over by then.
 */
const byCalls = (
  state: ChainState["Type"],
  { exchanges, isShown, route, sample, scene, token }: Cast,
  options: {
    readonly contractBlocked: Effect.Effect<boolean>
    readonly overridesBlocks: boolean
    /** The variables that an override of an allowance writes. */
    readonly allowances: Effect.Effect<ReadonlyArray<Variable>>
  }
): Effect.Effect<Reading.Reading<Replayed>, ChainError> =>
  Effect.gen(function* () {
    const request = (from: Address.Address, data: Hex): CallRequest => ({
      from,
      to: token,
      data,
      gas: TradeScene.gas.plain
    })
    const isRouted = isShown && !Option.exists(route, AnyRouter.isUncompared)
    const call = (from: Address.Address, data: Hex) => Effect.either(state.call(request(from, data)))
    const sending = ({ address }: Holder, offer: bigint) =>
      [address, RouterCalls.transferData(scene.account(SceneSeed.accounts.holder), offer)] as const
    const direct = ({ pool }: TradeRoute.TradeRoute, { address }: Holder, offer: bigint) =>
      [address, RouterCalls.transferData(pool.pool.address, offer)] as const
    const routed = ({ pool, router }: TradeRoute.TradeRoute, { address }: Holder, offer: bigint) =>
      [
        router.address,
        Getter.calldata(
          Selectors.functions.transferFrom,
          [address, pool.pool.address, Getter.word(offer)].map((argument) => Getter.word(argument))
        )
      ] as const
    const ask = (holder: Holder, index: number) => {
      const { address } = holder
      const offer = offerOf(route, holder)
      return Together.all({
        sent: call(...sending(holder, offer)),
        passed: exchanges
          ? Effect.asSome(call(address, RouterCalls.transferData(nextTo(sample, index).address, offer)))
          : Effect.succeedNone,
        sale: Effect.transposeMapOption(route, (found) =>
          Together.all({
            direct: call(...direct(found, holder, offer)),
            allowed: call(
              address,
              Getter.calldata(Selectors.functions.allowance, [address, found.router.address].map(Getter.word))
            ),
            byRouter: call(...routed(found, holder, offer))
          })
        )
      })
    }
    const { asked, contractIsBlocked } = yield* Together.all({
      asked: Together.forEach(sample, ask),
      contractIsBlocked: options.contractBlocked
    })
    const shown = sample.flatMap((holder, index): ReadonlyArray<Shown> => {
      const answers = asked[index]
      if (answers === undefined) return []
      const { address } = holder
      const { passed, sale, sent } = answers
      return [
        Option.match(sale, {
          onNone: () =>
            isRefused(sent) && Option.getOrElse(Option.map(passed, isRefused), () => true)
              ? refusedBy(address, sent)
              : [unshown(address), sent],
          onSome: ({ allowed, byRouter, direct }) => {
            if (isRouted && isRefused(byRouter) && allowanceIn(allowed) >= offerOf(route, holder)) {
              const [trial, answer] = refusedBy(address, byRouter)
              return [{ ...trial, routed: true }, answer]
            }
            return isRefused(direct) && (isRefused(sent) || contractIsBlocked)
              ? refusedBy(address, direct)
              : [unshown(address), direct]
          }
        })
      ]
    })
    const pretending = isRouted && Option.isSome(route) && shown.some(([trial]) => isUnrouted(trial))
    const books = pretending ? yield* options.allowances : []
    const asIfAllowed = (found: TradeRoute.TradeRoute, holder: Holder): Pick<CallRequest, "overrides"> => {
      const [owner, spender, amount] = [holder.address, found.router.address, offerOf(route, holder)]
      const words = BalanceOverride.ofAllowance(books, { owner, spender, amount })
      return Object.keys(words).length === 0 ? {} : { overrides: { [token]: { stateDiff: words } } }
    }
    const routedShown = yield* Together.forEach(shown, (seen, index) => {
      const [trial] = seen
      const holder = sample[index]
      const found = Option.getOrUndefined(route)
      if (holder === undefined || found === undefined || !isUnrouted(trial)) return Effect.succeed(seen)
      const allowed = asIfAllowed(found, holder)
      if (allowed.overrides === undefined) return Effect.succeed(seen)
      const { router } = found
      const query = Getter.calldata(Selectors.functions.allowance, [holder.address, router.address].map(Getter.word))
      return Effect.map(
        Together.all({
          named: Effect.either(state.call({ ...request(holder.address, query), ...allowed })),
          moved: Effect.either(state.call({ ...request(...routed(found, holder, offerOf(route, holder))), ...allowed }))
        }),
        ({ moved, named }): Shown => {
          if (Either.isLeft(moved) || allowanceIn(named) < offerOf(route, holder)) return seen
          // The token only refuses direct transfers into its pool.
          if (!isRefused(moved)) return [unshown(holder.address), moved]
          const [refused, answer] = refusedBy(holder.address, moved)
          return [{ ...refused, routed: true }, answer]
        }
      )
    })
    const answered = routedShown.filter(([, answer]) => Either.isRight(answer))
    const [, decisive] = answered.find(([{ state }]) => state === "blocked") ?? answered[0] ?? (routedShown[0] as Shown)
    const trials = routedShown.map(([trial]) => trial)
    const refused = (trial: Trial, index: number): Option.Option<CallRequest> => {
      const holder = sample[index]
      if (holder === undefined || trial.state !== "blocked") return Option.none()
      const offer = offerOf(route, holder)
      const [from, data] = Option.match(route, {
        onNone: () => sending(holder, offer),
        onSome: (found) => (trial.routed ? routed(found, holder, offer) : direct(found, holder, offer))
      })
      const pretended = trial.routed ? Option.map(route, (found) => asIfAllowed(found, holder)) : Option.none()
      return Option.some({ ...request(from, data), ...Option.getOrElse(pretended, () => ({})) })
    }
    const later = options.overridesBlocks ? yield* inAMonth(state, scene, trials, trials.map(refused)) : []
    return Reading.map(yield* decisive, (): Replayed => ({ method: "call", control: "unavailable", trials, later }))
  })

/** Whether the holder's own transfer was refused, not one by the router. */
const isUnrouted = ({ routed, state }: Trial): boolean => state === "blocked" && !routed

/** The variables of a token's allowances, where one code keeps them. */
const allowancesOf = (functions: Functions["Type"], token: Address.Address): Effect.Effect<ReadonlyArray<Variable>> =>
  functions.of(token).pipe(
    Effect.map(({ value }) => value.logics.flatMap(({ flow }) => TokenBooks.of(flow).allowances)),
    Effect.orElseSucceed(() => [])
  )

/** The same calls again as if a month had passed, and what of them is refused then too. */
const inAMonth = (
  state: ChainState["Type"],
  scene: TradeScene.TradeScene,
  trials: ReadonlyArray<Trial>,
  requests: ReadonlyArray<Option.Option<CallRequest>>
): Effect.Effect<ReadonlyArray<Later>> =>
  Effect.gen(function* () {
    const seconds = TradeScene.delays.month
    const { time } = scene.block(seconds)
    const block = { time, number: BlockUse.numberAfter(state.block, TradeScene.blocksIn(seconds)) }
    const answers = yield* Together.forEach(requests, (request) =>
      Effect.transposeMapOption(request, (made) => Effect.either(state.call({ ...made, block })))
    )
    const answered = answers.flatMap((answer) =>
      Option.toArray(Option.flatMap(answer, (given) => Either.getRight(given)))
    )
    const [seen] = answered
    if (seen === undefined) return []
    const then = trials.map((trial, index): Trial => {
      const answer = Option.flatten(Option.fromNullable(answers[index]))
      return Option.exists(answer, isRefused) ? trial : unshown(trial.holder)
    })
    return [{ when: "in_a_month", control: "unavailable", trials: then, observation: seen.observation }]
  })

type Answer = Either.Either<Reading.Reading<CallOutcome>, ChainError>

/** What became of a holder, and the answer that shows it. */
type Shown = readonly [Trial, Answer]

/** A transfer is refused by a revert, or by the answer `false`: https://eips.ethereum.org/EIPS/eip-20 */
const isRefused = (answer: Answer): boolean =>
  Either.isRight(answer) &&
  (answer.right.value._tag === "Reverted" || Option.contains(Getter.bool(answer.right.value.data), false))

const refusedBy = (holder: Address.Address, answer: Answer): Shown => [
  {
    holder,
    state: "blocked",
    routed: false,
    error:
      Either.isRight(answer) && answer.right.value._tag === "Reverted"
        ? reasonOf(answer.right.value.data)
        : Option.none()
  },
  answer
]

const allowanceIn = (answer: Answer): bigint =>
  Either.isRight(answer) && answer.right.value._tag === "Returned"
    ? Option.getOrElse(Getter.uint(answer.right.value.data), () => 0n)
    : 0n

/** Whether a contract without any override bought and could not sell, where it could trade the control. */
const contractIsBlocked = (trade: Trade["Type"], token: Address.Address): Effect.Effect<boolean> =>
  trade.of(token).pipe(
    Effect.map(
      Option.exists(({ value }) =>
        value.runs.some(
          ({ buy, control, environment, sell }) =>
            environment.method === "constructor" &&
            control === "ok" &&
            buy.state === "ok" &&
            (sell.state === "reverted" || sell.state === "no_effect")
        )
      )
    ),
    Effect.orElseSucceed(() => false)
  )

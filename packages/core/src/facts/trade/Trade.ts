/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Observation } from "../../domain/Evidence.js"
import {
  isOrdinary,
  type TradeEnvironment,
  type TradeMethod,
  type TradeOutcome,
  type TradeRun
} from "../../domain/facts/TradeOutcome.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import type { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as HostileText from "../HostileText.js"
import * as Pools from "../market/Pools.js"
import * as AnyRouter from "./AnyRouter.js"
import * as RouterCalls from "./RouterCalls.js"
import * as TradeBlocks from "./TradeBlocks.js"
import * as TradeClock from "./TradeClock.js"
import * as TradeContract from "./TradeContract.js"
import * as TradeCounters from "./TradeCounters.js"
import * as TradeMoments from "./TradeMoments.js"
import * as TradeRoute from "./TradeRoute.js"
import * as TradeScene from "./TradeScene.js"

/**
 * What happens when the token is bought, moved and sold in simulation; none where it has no pool to trade in.
 *
 * Three methods run in parallel in the deepest pool that can be reached from native coin. `simulate_v1` is what a buyer
 * meets: fresh accounts without code, of several sizes, with sales hours, a day, a month and a year after their
 * purchase, with a gas price, a base fee and a fee recipient that are not zero. `override` and `constructor` do all of
 * it in one block from a contract, so that what they see differently is an artefact of theirs, or the token recognising
 * a simulation. All of it is one level after the pools, in requests that leave together, with three exceptions: a token
 * with transfers that count something, where the count is read first, one behind a proxy, where the code is, and one
 * that reads the block number (`TradeClock`).
 */
export class Trade extends Context.Tag("@assay/core/Trade")<
  Trade,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Option.Option<TradeReading>, ChainError>
  }
>() {}

/** An outcome with the observation of its best method, and with that of each environment. */
export interface TradeReading extends Reading.Reading<TradeOutcome> {
  readonly observationIn: (environment: TradeEnvironment) => Observation
}

/**
 * Simulates on the exchanges that {@link Pools.Pools} covers. An environment that cannot be had is a row of
 * `unavailable`; the effect fails only where the pools could not be read.
 */
export const layer: Layer.Layer<Trade, never, ChainState | CodeReadings | Functions | Pools.Pools | Proxy> =
  Layer.scoped(
    Trade,
    Effect.gen(function* () {
      const state = yield* ChainState
      const pools = yield* Pools.Pools
      const functions = yield* Functions
      const readings = yield* CodeReadings
      const clocks = yield* TradeClock.TradeClocks
      const moments = yield* TradeMoments.TradeMoments
      const of = yield* OncePerKey.make(
        (token: Address.Address) => token,
        Effect.fn("Trade.of")(function* (token: Address.Address) {
          if (!(yield* pools.covers(token))) return Option.none()
          const [market, owner, capabilities, clock, ahead] = yield* Together.all([
            pools.inspect(token),
            ownerOf(state, token),
            Effect.option(state.capabilities),
            Effect.either(clocks.of(token)),
            // What cannot be read is a gap, which the claims mind.
            Effect.orElseSucceed(moments.of(token), () => TradeMoments.none)
          ])
          const [deepest] = TradeRoute.tradeable(market)
          if (deepest === undefined) return Option.none()
          const [inspected] = market
          const observationIn = inspected.observation
          return Option.some(
            yield* Option.match(TradeRoute.find(market, token), {
              onNone: () =>
                Effect.succeed<TradeReading>({
                  value: outcomeOf(deepest, { runs: [], unavailable: noRoute, ownerReceives: Option.none() }),
                  observation: inspected.observation,
                  observationIn
                }),
              onSome: (route) =>
                Effect.map(
                  Effect.flatMap(
                    // Both trips that lie ahead begin with it.
                    Effect.cached(TradeCounters.worn(state, functions, token, route.pool.reserveToken * turnover)),
                    (worn) =>
                      Together.all([
                        simulateAll(state, route, owner, {
                          clock,
                          tries: ahead.tries,
                          soon: ahead.soon,
                          overridesBlocks: Option.exists(capabilities, ({ blockOverride }) => blockOverride),
                          worn
                        }),
                        AnyRouter.isShownBy({ functions, readings }, route)
                      ])
                  ),
                  ([{ observations, runs, ...simulated }, isShown]): TradeReading => ({
                    value: {
                      ...outcomeOf(route.pool, {
                        ...simulated,
                        runs: isShown ? runs : runs.map(AnyRouter.withoutSales)
                      }),
                      ...(Option.isSome(route.ours) ? { router: "simulated" as const } : {})
                    },
                    observation: observations.values().next().value ?? inspected.observation,
                    observationIn: (environment) => (observations.get(keyOf(environment)) ?? inspected.observation)()
                  })
                )
            })
          )
        })
      )
      return { of }
    })
  ).pipe(Layer.provide([TradeMoments.layer, TradeClock.layer]))

/** The owner that the token names; none for a dead one, or one that has a part in the trade. */
const ownerOf = (state: ChainState["Type"], token: Address.Address): Effect.Effect<Option.Option<Address.Address>> =>
  Getter.account(state, token, Selectors.functions.owner).pipe(
    Effect.map(({ value }) => Option.filter(value, (owner) => owner !== Address.zero && owner !== token)),
    Effect.orElseSucceed(() => Option.none())
  )

// How often a month of trades moves all that is in the pool.
const turnover = 100n

/**
 * The runs that were simulated in a pool, the environments that gave none, and whether the pool can send the token to its owner.
 */
export interface Simulated {
  readonly runs: ReadonlyArray<TradeRun>
  readonly unavailable: TradeOutcome["unavailable"]
  readonly ownerReceives: Option.Option<boolean>
}

type Begins = TradeEnvironment["begins"]

const unavailable = (method: TradeMethod, begins: Begins, { detail, reason }: ChainError) => ({
  method,
  begins,
  reason,
  detail: HostileText.clean(detail)
})

const noRoute: TradeOutcome["unavailable"] = (["simulate_v1", "override", "constructor"] as const).map((method) => ({
  method,
  begins: "now",
  reason: "inconclusive",
  detail: "no known router leads from native coin to the pools of the token"
}))

const keyOf = ({ at, begins, fees, method, sells }: TradeEnvironment): string =>
  `${method} ${begins} ${sells} ${fees} ${at ?? ""}`

const simulateAll = (
  state: ChainState["Type"],
  route: TradeRoute.TradeRoute,
  owner: Option.Option<Address.Address>,
  options: Parameters<typeof TradeContract.trades>[3] & {
    readonly clock: Either.Either<TradeClock.TradeClock, ChainError>
    readonly tries: ReadonlyArray<number>
    readonly soon: boolean
  }
): Effect.Effect<Simulated & { readonly observations: ReadonlyMap<string, () => Observation> }> => {
  const scene = TradeScene.make(state, route.token)
  const contracts = TradeContract.trades(state, route, scene, options)
  return Effect.map(
    Together.all({
      inBlocks: Effect.either(
        Effect.flatMap(options.clock, (clock) =>
          TradeBlocks.simulate(state, route, scene, { clock, tries: options.tries, soon: options.soon })
        )
      ),
      ownerReceives: Effect.transposeMapOption(owner, (account) => receives(state, route, account)),
      byContracts: Together.forEach(contracts, ({ environment, run }) =>
        Effect.either(Effect.mapError(run, (error) => unavailable(environment.method, environment.begins, error)))
      )
    }),
    ({ byContracts, inBlocks, ownerReceives }) => {
      const observations = new Map<string, () => Observation>()
      const blocks = Either.getOrElse(
        Either.map(inBlocks, (reading) => {
          for (const { environment } of reading.value) observations.set(keyOf(environment), reading.observation)
          return reading.value
        }),
        (): ReadonlyArray<TradeRun> => []
      )
      const runs = byContracts.flatMap(Either.match({ onLeft: () => [], onRight: (reading) => [reading] }))
      for (const { observation, value } of runs) observations.set(keyOf(value.environment), observation)
      return {
        runs: [...blocks, ...runs.map(({ value }) => value)],
        ownerReceives: Option.flatten(ownerReceives),
        unavailable: [
          ...Either.match(inBlocks, {
            onLeft: (error) => [unavailable("simulate_v1", "now", error)],
            onRight: () => []
          }),
          ...byContracts.flatMap(Either.match({ onLeft: (row) => [row], onRight: () => [] }))
        ],
        observations
      }
    }
  )
}

/**
 * Whether the pool can send the token to its owner, which distinguishes a token that is not open yet from one that is
 * stuck.
 */
const receives = (
  state: ChainState["Type"],
  route: TradeRoute.TradeRoute,
  account: Address.Address
): Effect.Effect<Option.Option<boolean>> =>
  state
    .call({
      from: route.pool.pool.address,
      to: route.token,
      data: RouterCalls.transferData(account, 1n),
      gas: TradeScene.gas.plain
    })
    .pipe(
      Effect.map(({ value }) => Option.some(value._tag === "Returned")),
      Effect.orElseSucceed(() => Option.none())
    )

/** What runs in a pool add up to. */
export const outcomeOf = ({ pool }: Pools.Inspected, { ownerReceives, runs, unavailable }: Simulated): TradeOutcome => {
  const groups = [
    runs.filter(({ environment }) => isOrdinary(environment)),
    ...(["override", "constructor"] as const).map((method) =>
      runs.filter(({ environment }) => environment.method === method && environment.begins === "now")
    )
  ]
  const tax = (leg: "buy" | "sell" | "transfer"): number | null =>
    groups
      .map((group) => group.flatMap((run) => run[leg].tax_bps ?? []))
      .filter((measured) => measured.length > 0)
      .map((measured) => Math.max(...measured))[0] ?? null
  return {
    pool: pool.address,
    quote: pool.quote,
    buy_tax_bps: tax("buy"),
    sell_tax_bps: tax("sell"),
    transfer_tax_bps: tax("transfer"),
    owner_receives: Option.getOrNull(ownerReceives),
    runs,
    unavailable
  }
}

import { Effect, Layer, Option } from "effect"
import type { ChainError } from "../../../src/chain/ChainError.js"
import type { Reading } from "../../../src/chain/state/Reading.js"
import * as Check from "../../../src/checks/Check.js"
import type { PairExchange } from "../../../src/data/AddressBook.js"
import * as Address from "../../../src/domain/Address.js"
import type { Evidence, Observation } from "../../../src/domain/Evidence.js"
import type { Pool } from "../../../src/domain/facts/Pool.js"
import type { PoolVault } from "../../../src/domain/facts/PoolVault.js"
import type { TokenStandard } from "../../../src/domain/facts/TokenProfile.js"
import type { TradeEnvironment, TradeLeg, TradeOutcome, TradeRun } from "../../../src/domain/facts/TradeOutcome.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import type { Target } from "../../../src/domain/Target.js"
import * as Bytecode from "../../../src/evm/bytecode/Bytecode.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import type { Circumstance } from "../../../src/evm/expression/Circumstance.js"
import type { TransferProof } from "../../../src/evm/token/TransferProof.js"
import { Functions, type LogicContract } from "../../../src/facts/code/Functions.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import { Token } from "../../../src/facts/market/Token.js"
import { FreeTransfer } from "../../../src/facts/trade/FreeTransfer.js"
import { HolderReplay, type Replay, type Trial } from "../../../src/facts/trade/HolderReplay.js"
import { SettledFunctions } from "../../../src/facts/trade/SettledFunctions.js"
import { SimulatedPool, type SimulatedTrades } from "../../../src/facts/trade/SimulatedPool.js"
import { Trade } from "../../../src/facts/trade/Trade.js"
import { TradeMoments } from "../../../src/facts/trade/TradeMoments.js"
import * as Market from "../../../src/facts/venue/Market.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"

export const address = (digit: string): Address.Address => Address.checksum(`0x${digit.repeat(40)}`)

export const target: Target = { kind: "token", address: address("a"), chain: { id: 1, name: "scripted" } }

export const observation: Observation = {
  method: "eth_simulateV1",
  params_hash: "0x01",
  block_hash: "0x02",
  answer_hash: "0x03"
}

/** Where the code of the token was read. */
export const codeObservation: Observation = { ...observation, method: "eth_getCode" }

const reading = <A>(value: A): Reading<A> => ({ value, observation: () => observation })

export const leg = (fields: Partial<TradeLeg> = {}): TradeLeg => ({
  state: "ok",
  tax_bps: 0,
  gas: 100_000,
  error: null,
  ...fields
})

export const blocked = (error: string | null = null): TradeLeg => leg({ state: "reverted", tax_bps: null, error })

/** A sale that the pool has nothing to pay for. */
export const worthless: TradeLeg = leg({ state: "worthless", tax_bps: null, error: "too little" })

export const unreached: TradeLeg = leg({ state: "not_reached", tax_bps: null, gas: null })

const ordinary: TradeEnvironment = { method: "simulate_v1", begins: "now", sells: "in_hours", fees: "paid" }

type RunFields = Partial<Omit<TradeRun, "environment">> & { readonly environment?: Partial<TradeEnvironment> }

export const run = ({ environment, ...fields }: RunFields = {}): TradeRun => ({
  environment: { ...ordinary, ...environment },
  sender: address("1"),
  spent: Quantity.make(1),
  buy: leg(),
  transfer: leg(),
  sell: leg(),
  sold_bps: null,
  refused_bps: null,
  sell_again: null,
  control: "ok",
  ...fields
})

/** What one simulation gives: a run of each role, all alike but for what makes them roles. */
export const allRuns = (fields: Omit<RunFields, "environment"> = {}): ReadonlyArray<TradeRun> => [
  run({ sold_bps: 10_000, ...fields }),
  run({ spent: Quantity.make(10), sold_bps: 10_000, ...fields }),
  run({ environment: { sells: "in_a_day" }, sell_again: leg(), ...fields }),
  run({ environment: { sells: "in_a_month" }, ...fields }),
  run({ environment: { sells: "in_a_month" }, spent: Quantity.make(10), ...fields }),
  run({ environment: { sells: "in_a_year" }, ...fields }),
  run({ environment: { sells: "in_a_year" }, spent: Quantity.make(10), ...fields }),
  run({ environment: { sells: "at_once" }, ...fields }),
  run({ environment: { fees: "none" }, ...fields }),
  ...contractRuns(fields)
]

/** What contracts do in one block. */
export const contractRuns = (fields: Omit<RunFields, "environment"> = {}): ReadonlyArray<TradeRun> => [
  run({ environment: { method: "override", sells: "at_once" }, ...fields }),
  run({ environment: { method: "override", sells: "at_once", begins: "in_a_month" }, ...fields }),
  run({ environment: { method: "override", sells: "at_once", begins: "in_a_year" }, ...fields }),
  run({ environment: { method: "constructor", sells: "at_once" }, ...fields })
]

export const outcome = (fields: Partial<TradeOutcome> = {}): TradeOutcome => ({
  pool: address("b"),
  quote: address("c"),
  buy_tax_bps: null,
  sell_tax_bps: null,
  transfer_tax_bps: null,
  owner_receives: null,
  runs: [],
  unavailable: [],
  ...fields
})

/** What of the token lies in a vault of pools that are not read. */
export const vault = (amount: bigint | null): PoolVault => ({
  exchange: "Uniswap V4",
  vault: address("f"),
  amount: amount === null ? null : Quantity.make(amount)
})

export const pool = (fields: Partial<Pool> = {}): Pool => ({
  address: address("b"),
  exchange: "Uniswap V2",
  kind: "uniswap-v2",
  fee_bps: null,
  quote: address("c"),
  quote_symbol: "WETH",
  reserve_token: Quantity.make(1_000_000),
  reserve_quote: Quantity.make(1_000),
  lp_total_supply: Quantity.make(101_000),
  lp_burned: Quantity.make(101_000),
  ...fields
})

export interface World {
  readonly covered?: boolean
  /** Why trades may change at moments that were not simulated. */
  readonly moments?: string
  /** Whether the code compares the time with a moment within the hour. */
  readonly soon?: boolean
  /** Whether a router serves the exchange of the pools. */
  readonly routed?: boolean
  /** What is in range in the pools of Uniswap V3. */
  readonly liquidity?: bigint
  readonly pools?: ReadonlyArray<Pool> | ChainError
  readonly vaults?: ReadonlyArray<PoolVault>
  readonly trade?: TradeOutcome | ChainError
  /** What was shown in a pool that exists in the simulation alone. */
  readonly simulated?: SimulatedTrades | ChainError
  readonly standard?: TokenStandard
  readonly replay?: Partial<Replay> | ChainError
  /** What the transfers of the token go by. */
  readonly circumstances?: ReadonlyArray<Circumstance> | ChainError
  /** Which circumstances decide whether its transfers succeed. */
  readonly deciding?: ReadonlyArray<Circumstance>
  /** The code of the token; none by default. */
  readonly code?: Hex
  /** What the code of the token proves of its transfers; nothing by default. */
  readonly proof?: TransferProof | ChainError
  /** Who has a delegate. */
  readonly delegated?: ReadonlyArray<Address.Address>
  /** What the token's balanceOf answers for its pools, and its supply. */
  readonly held?: bigint | null
  readonly supply?: bigint | null
}

/** A holder that was tried. */
export const trial = (state: Trial["state"], fields: Partial<Trial> = {}): Trial => ({
  holder: address("f"),
  state,
  routed: false,
  error: Option.none(),
  ...fields
})

const exchange: PairExchange = {
  name: "Uniswap V2",
  kind: "uniswap-v2",
  factory: address("e"),
  router: address("d"),
  initCodeHash: "0x",
  source: "scripted"
}

const marketOf = ({ held, liquidity, pools, routed, vaults }: World): Pools.MarketReading => [
  reading(
    (isError(pools) ? [] : (pools ?? [])).map((one) => ({
      pool: one,
      exchange,
      fee: 0,
      sides: "token-first" as const,
      reserveToken: BigInt(one.reserve_token),
      reserveQuote: BigInt(one.reserve_quote),
      held: Option.fromNullable(held === undefined ? BigInt(one.reserve_token) : held),
      price: Option.none(),
      liquidity: Option.fromNullable(liquidity),
      key: Option.none(),
      ruled: Option.none()
    }))
  ),
  reading({
    wrapped: Option.some(address("c")),
    dollars: [],
    routers: routed === false ? [] : [{ exchange, address: address("d"), takesNative: true, deadline: false }],
    pools: [],
    ours: Option.none()
  }),
  vaults ?? [],
  [],
  Option.none()
]

/** A market of which nothing is known. */
export const noMarket = Market.of({ addresses: Option.none(), listed: [] })

const transferring = (
  circumstances: ReadonlyArray<Circumstance>,
  code: Hex = "0x",
  deciding: ReadonlyArray<Circumstance> = []
): LogicContract => ({
  address: target.address,
  code,
  reach: Bytecode.reach(Bytecode.parse(code)),
  flow: {
    functions: [
      {
        selector: Selectors.functions.transfer,
        reads: [],
        writes: [],
        gates: [],
        requirements: [],
        implied: [],
        calls: [],
        circumstances,
        deciding: { circumstances: deciding, entries: [] },
        returns: undefined,
        complete: true
      }
    ],
    slots: [],
    delegations: [],
    completeness: {
      attributedSload: 0,
      totalSload: 0,
      attributedSstore: 0,
      totalSstore: 0,
      ratio: 1,
      complete: true,
      gaps: []
    }
  }
})

/** The facts that the checks of trades read, as given. */
export const facts = (world: World) =>
  Layer.mergeAll(
    ScriptedChain.layer({}),
    Layer.succeed(Pools.Pools, {
      covers: () => Effect.succeed(world.covered ?? true),
      market: () => Effect.succeed(noMarket),
      of: () => (isError(world.pools) ? world.pools : Effect.succeed(reading(world.pools ?? []))),
      inspect: () => (isError(world.pools) ? world.pools : Effect.succeed(marketOf(world))),
      known: () => Effect.dieMessage("checks read all that there is")
    }),
    Layer.succeed(Trade, {
      of: () =>
        isError(world.trade)
          ? world.trade
          : Effect.succeed(
              Option.map(Option.fromNullable(world.trade), (value) => ({
                ...reading(value),
                observationIn: () => observation
              }))
            )
    }),
    Layer.succeed(TradeMoments, {
      of: () =>
        Effect.succeed({
          tries: [],
          soon: world.soon === true,
          gap: world.moments === undefined ? Option.none() : Option.some(world.moments)
        })
    }),
    Layer.succeed(SimulatedPool, {
      of: () =>
        isError(world.simulated)
          ? world.simulated
          : Effect.succeed(Option.map(Option.fromNullable(world.simulated), reading))
    }),
    Layer.succeed(FreeTransfer, {
      isDelegated: (_, mapping, accounts) =>
        Effect.succeed((world.delegated ?? []).some((each) => accounts.includes(each)) && mapping.length > 0),
      of: () =>
        isError(world.proof)
          ? world.proof
          : Effect.succeed({
              value: world.proof ?? { state: "inconclusive", reason: "too_many_paths" },
              observation: () => codeObservation
            })
    }),
    Layer.succeed(Functions, {
      linked: () => Effect.succeedNone,
      of: () =>
        isError(world.circumstances)
          ? world.circumstances
          : Effect.succeed(
              reading({
                logics: [transferring(world.circumstances ?? [], world.code, world.deciding)],
                resolved: true,
                fixed: true
              })
            ),
      at: () =>
        isError(world.circumstances)
          ? world.circumstances
          : Effect.succeed(reading(transferring(world.circumstances ?? [])))
    }),
    Layer.succeed(SettledFunctions, {
      of: () => {
        if (isError(world.circumstances)) return world.circumstances
        const { flow } = transferring(world.circumstances ?? [], world.code, world.deciding)
        return Effect.succeed([
          { flow, functionOf: (selector) => flow.functions.find((each) => each.selector === selector) }
        ])
      }
    }),
    Layer.succeed(HolderReplay, {
      of: () =>
        isError(world.replay)
          ? world.replay
          : Effect.succeed(
              reading({
                trials: [],
                later: [],
                complete: true,
                untried: false,
                method: "simulate_v1",
                control: "ok",
                ...world.replay
              } as const)
            )
    }),
    Layer.succeed(Token, {
      of: () =>
        Effect.succeed(
          reading({
            standard: world.standard ?? "erc20",
            name: null,
            symbol: null,
            decimals: null,
            total_supply: world.supply === undefined || world.supply === null ? null : Quantity.make(world.supply)
          })
        ),
      isCollection: () => Effect.succeed(world.standard === "erc721" || world.standard === "erc1155"),
      written: () => Effect.succeed(reading({ name: Option.none(), symbol: Option.none() }))
    })
  )

const isError = (value: object | undefined): value is ChainError => value !== undefined && "_tag" in value

/** The value of an item, to look into. */
export const valueOf = <V = Readonly<Record<string, unknown>>>(item: Evidence | undefined): V => item?.value as V

type Facts =
  | Pools.Pools
  | FreeTransfer
  | SettledFunctions
  | SimulatedPool
  | Trade
  | TradeMoments
  | Token
  | HolderReplay
  | Functions

/** The evidence that a check gives in such a world. */
export const evidence = <V, R extends Facts>(check: Check.Check<V, R>, world: World) =>
  Check.evaluate(check as Check.Check<V, Facts>, target).pipe(Effect.provide(facts(world)))

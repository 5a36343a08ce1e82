import { Effect, Layer, Option } from "effect"
import type { ChainError } from "../../../src/chain/ChainError.js"
import type { Reading } from "../../../src/chain/Reading.js"
import * as Check from "../../../src/checks/Check.js"
import * as Address from "../../../src/domain/Address.js"
import type { Observation } from "../../../src/domain/Evidence.js"
import type { Pool } from "../../../src/domain/facts/Pool.js"
import type { TokenStandard } from "../../../src/domain/facts/TokenProfile.js"
import type { TradeLeg, TradeOutcome, TradeRun } from "../../../src/domain/facts/TradeOutcome.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import type { Target } from "../../../src/domain/Target.js"
import { Pools } from "../../../src/facts/Pools.js"
import { Token } from "../../../src/facts/Token.js"
import { Trade } from "../../../src/facts/Trade.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"

export const address = (digit: string): Address.Address => Address.checksum(`0x${digit.repeat(40)}`)

export const target: Target = { kind: "token", address: address("a"), chain: { id: 1, name: "scripted" } }

export const observation: Observation = {
  method: "eth_simulateV1",
  params_hash: "0x01",
  block_hash: "0x02",
  answer_hash: "0x03"
}

const reading = <A>(value: A): Reading<A> => ({ value, observation: () => observation })

export const leg = (fields: Partial<TradeLeg> = {}): TradeLeg => ({
  state: "ok",
  tax_bps: 0,
  gas: 100_000,
  error: null,
  ...fields
})

export const blocked = (error: string | null = null): TradeLeg => leg({ state: "reverted", tax_bps: null, error })

export const unreached: TradeLeg = leg({ state: "not_reached", tax_bps: null, gas: null })

export const run = (fields: Partial<TradeRun> = {}): TradeRun => ({
  method: "simulate_v1",
  sender: address("1"),
  spent: Quantity.make(1),
  buy: leg(),
  transfer: leg(),
  sell: leg(),
  control: "ok",
  ...fields
})

export const outcome = (fields: Partial<TradeOutcome> = {}): TradeOutcome => ({
  pool: address("b"),
  quote: address("c"),
  buy_tax_bps: null,
  sell_tax_bps: null,
  transfer_tax_bps: null,
  runs: [],
  unavailable: [],
  ...fields
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
  readonly pools?: ReadonlyArray<Pool> | ChainError
  readonly trade?: TradeOutcome | ChainError
  readonly standard?: TokenStandard
}

/** The facts that the checks of trades read, as told. */
export const facts = (world: World) =>
  Layer.mergeAll(
    ScriptedChain.layer({}),
    Layer.succeed(Pools, {
      covered: world.covered ?? true,
      of: () => (isError(world.pools) ? world.pools : Effect.succeed(reading(world.pools ?? [])))
    }),
    Layer.succeed(Trade, {
      of: () =>
        isError(world.trade)
          ? world.trade
          : Effect.succeed(Option.map(Option.fromNullable(world.trade), (value) => reading(value)))
    }),
    Layer.succeed(Token, {
      of: () =>
        Effect.succeed(
          reading({ standard: world.standard ?? "erc20", name: null, symbol: null, decimals: null, total_supply: null })
        )
    })
  )

const isError = (value: object | undefined): value is ChainError => value !== undefined && "_tag" in value

/** The evidence that a check gives in such a world. */
export const evidence = <V, R extends Pools | Trade | Token>(check: Check.Check<V, R>, world: World) =>
  Check.evaluate(check as Check.Check<V, Pools | Trade | Token>, target).pipe(Effect.provide(facts(world)))

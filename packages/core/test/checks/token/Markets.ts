import { Effect, Layer, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import type { Reading } from "../../../src/chain/state/Reading.js"
import * as Check from "../../../src/checks/Check.js"
import type { Address } from "../../../src/domain/Address.js"
import type { UnknownReason } from "../../../src/domain/Evidence.js"
import type { PoolVault } from "../../../src/domain/facts/PoolVault.js"
import type { TokenStandard } from "../../../src/domain/facts/TokenProfile.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import { type Holder, type HolderSet, Holders } from "../../../src/facts/market/Holders.js"
import { Liquidity, type PoolShares } from "../../../src/facts/market/Liquidity.js"
import { LiquidityPositions, type PoolPositions } from "../../../src/facts/market/LiquidityPositions.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import { Token } from "../../../src/facts/market/Token.js"
import type * as MarketReference from "../../../src/facts/venue/MarketReference.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { address, noMarket, observation, pool, target } from "./Trades.js"

/** The given parts of a token's market; the others are empty. */
export interface Market {
  readonly covered?: boolean
  readonly standard?: TokenStandard
  readonly supply?: bigint
  readonly holders?: HolderSet | ChainError
  readonly shares?: ReadonlyArray<PoolShares> | ChainError
  readonly inspected?: ReadonlyArray<Pools.Inspected> | ChainError
  readonly vaults?: ReadonlyArray<PoolVault>
  readonly positions?: ReadonlyArray<PoolPositions> | ChainError
  readonly reference?: Partial<MarketReference.Reference>
  readonly chain?: ScriptedChain.Script
}

export const lost = (reason: UnknownReason): ChainError =>
  new ChainError({ reason, method: "eth_call", retryable: false, detail: "scripted" })

export const holder = (digit: string, balance: bigint, kind: Holder["kind"] = "account"): Holder => ({
  address: address(digit),
  balance,
  kind
})

export const holderSet = (holders: ReadonlyArray<Holder>, fields: Partial<HolderSet> = {}): HolderSet => ({
  holders: [...holders].sort((a, b) => Number(b.balance - a.balance)),
  supply: 1_000n,
  complete: true,
  unattributed: 0n,
  withheld: new Map(),
  withheldGap: null,
  handed: new Map(),
  handedGap: null,
  unseen: 0n,
  gap: null,
  fromBlock: 0,
  toBlock: 1_000_000,
  ...fields
})

export const shares = (fields: Partial<PoolShares> = {}): PoolShares => ({
  pool: pool(),
  weight: 10_000,
  mostWeight: fields.weight ?? 10_000,
  total: 100_000n,
  shares: [],
  locks: [],
  unrecorded: [],
  given: 0n,
  withdrawn: null,
  unseen: 0n,
  gap: null,
  insidersGap: null,
  locksGap: null,
  ...fields
})

export const weth: Address = address("c")

export const inspected = (reserveToken: bigint, reserveQuote: bigint): Pools.Inspected => ({
  pool: pool({
    quote: weth,
    reserve_token: Quantity.make(reserveToken),
    reserve_quote: Quantity.make(reserveQuote)
  }),
  exchange: {
    name: "Uniswap V2",
    kind: "uniswap-v2",
    factory: address("f"),
    router: address("e"),
    initCodeHash: "0x",
    source: "scripted"
  },
  fee: 0,
  sides: "token-first",
  reserveToken,
  reserveQuote,
  held: Option.some(reserveToken),
  price: Option.none(),
  liquidity: Option.none(),
  key: Option.none(),
  ruled: Option.none()
})

const reading = <A>(value: A): Reading<A> => ({ value, observation: () => observation })

const told = <A>(value: A | ChainError): Effect.Effect<Reading<A>, ChainError> =>
  value instanceof ChainError ? value : Effect.succeed(reading(value))

/** The evidence that a check gives of such a market. */
export const evidence = <V, R>(check: Check.Check<V, R>, market: Market) =>
  Check.evaluate(check as Check.Check<V, Pools.Pools | Token | Holders | Liquidity | LiquidityPositions>, target).pipe(
    Effect.provide(
      Layer.mergeAll(
        ScriptedChain.layer(market.chain ?? {}),
        Layer.succeed(Pools.Pools, {
          covers: () => Effect.succeed(market.covered ?? true),
          market: () => Effect.succeed(noMarket),
          of: () =>
            Effect.map(told(market.inspected ?? []), ({ value }) => reading(value.map(({ pool: each }) => each))),
          inspect: () =>
            Effect.map(told(market.inspected ?? []), (found) => [
              found,
              reading({
                wrapped: Option.some(weth),
                dollars: [],
                routers: [],
                pools: [],
                ours: Option.none(),
                ...market.reference
              }),
              market.vaults ?? [],
              [],
              Option.none()
            ]),
          known: () => Effect.dieMessage("checks read all that there is")
        }),
        Layer.succeed(Token, {
          of: () =>
            Effect.succeed(
              reading({
                standard: market.standard ?? "erc20",
                name: null,
                symbol: null,
                decimals: 18,
                total_supply: Quantity.make(market.supply ?? 1_000n)
              })
            ),
          isCollection: () => Effect.succeed(market.standard === "erc721" || market.standard === "erc1155")
        } as unknown as Token["Type"]),
        Layer.succeed(Holders, { of: () => told(market.holders ?? holderSet([])) }),
        Layer.succeed(Liquidity, { of: () => told(market.shares ?? []) }),
        Layer.succeed(LiquidityPositions, { of: () => told(market.positions ?? []) })
      )
    )
  )

/** State or reason, and grade, of each item. */
export const said = <V, R>(check: Check.Check<V, R>, market: Market) =>
  Effect.map(evidence(check, market), (items) =>
    items.map(({ reason, severity, state }) =>
      state === "unknown" ? `unknown: ${reason}` : state === "confirmed" ? `confirmed ${severity}` : state
    )
  )

import { Context, type Effect, type Option } from "effect"
import type { Address } from "../domain/Address.js"
import type { BlockRef } from "../domain/BlockRef.js"
import type { Observation } from "../domain/Evidence.js"
import type { Hex } from "../domain/Hex.js"
import type { Recipe } from "../domain/Recipe.js"
import type { Capabilities } from "./Capabilities.js"
import type { ChainError } from "./ChainError.js"
import type { Chain } from "./Chains.js"
import type { Reading } from "./Reading.js"

/**
 * State to pretend for one call, by account. A `stateDiff` maps 32-byte slots to 32-byte words.
 *
 * @see https://geth.ethereum.org/docs/interacting-with-geth/rpc/objects#state-override-set
 * @since 0.1.0
 * @category models
 */
export interface StateOverride {
  readonly [address: string]: {
    readonly code?: Hex | undefined
    readonly balance?: bigint | undefined
    readonly nonce?: number | undefined
    readonly stateDiff?: { readonly [slot: string]: Hex } | undefined
  }
}

/**
 * Block fields to pretend for one call.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlockOverride {
  readonly number?: number | undefined
  readonly time?: number | undefined
  readonly feeRecipient?: Address | undefined
  readonly baseFeePerGas?: bigint | undefined
  /** Taken by `eth_simulateV1`; for `eth_call` nodes do not agree on its name. */
  readonly prevRandao?: Hex | undefined
}

/**
 * A message call. Without `to` its data is init code that runs as a constructor. Amounts in wei.
 *
 * @since 0.1.0
 * @category models
 */
export interface CallRequest {
  readonly to?: Address | undefined
  readonly from?: Address | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint | undefined
  readonly gas?: bigint | undefined
  readonly gasPrice?: bigint | undefined
  readonly overrides?: StateOverride | undefined
  readonly block?: BlockOverride | undefined
}

/**
 * How a call ended. A revert is an answer of the chain, not a failure to read it. `data` of a revert may be empty.
 *
 * @since 0.1.0
 * @category models
 */
export type CallOutcome =
  | { readonly _tag: "Returned"; readonly data: Hex }
  | { readonly _tag: "Reverted"; readonly data: Hex }

/**
 * An event as the chain kept it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Log {
  readonly address: Address
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
  readonly blockNumber: number
  readonly logIndex: number
  readonly transactionHash: Hex
}

/**
 * Which events to look for, from the first block to the pinned one or between two of them; each topic place takes one
 * or several values.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogFilter {
  readonly address?: Address | ReadonlyArray<Address> | undefined
  readonly topics: ReadonlyArray<Hex | ReadonlyArray<Hex> | null>
  readonly blocks?: readonly [first: number, last: number] | undefined
}

/**
 * The events found in `fromBlock` to `toBlock`, oldest first. `complete` says that all that was asked for was seen, the
 * whole history or the blocks named; otherwise the newest blocks were, and every count is a lower bound.
 *
 * @since 0.1.0
 * @category models
 */
export interface LogScan {
  readonly logs: ReadonlyArray<Log>
  readonly fromBlock: number
  readonly toBlock: number
  readonly complete: boolean
}

/**
 * Calls in consecutive simulated blocks on top of the pinned one, from true accounts without signatures. Where it asks
 * for `validation`, a call is held to what a transaction is held to but for its signature: its sender has no code and
 * pays for its gas. Some nodes show a base fee to contracts in this case only.
 *
 * @see https://github.com/ethereum/execution-apis/blob/main/docs-api/docs/ethsimulatev1-notes.mdx
 * @since 0.1.0
 * @category models
 */
export interface SimulateRequest {
  readonly validation?: boolean | undefined
  readonly blocks: ReadonlyArray<{
    readonly overrides?: StateOverride | undefined
    readonly block?: BlockOverride | undefined
    readonly calls: ReadonlyArray<Omit<CallRequest, "overrides" | "block">>
  }>
}

/**
 * What one simulated call did.
 *
 * @since 0.1.0
 * @category models
 */
export interface SimulatedCall {
  readonly outcome: CallOutcome
  readonly gasUsed: number
  readonly logs: ReadonlyArray<{ readonly address: Address; readonly topics: ReadonlyArray<Hex>; readonly data: Hex }>
}

/**
 * What of a transaction's receipt tells where a contract comes from: who signed it, whom it called, and the contract
 * that it created itself. A contract that another one created is not in it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Receipt {
  readonly blockNumber: number
  readonly from: Address
  readonly to: Option.Option<Address>
  readonly created: Option.Option<Address>
}

/**
 * What an analysis has cost the endpoints so far: HTTP requests, JSON-RPC calls in them, and dependent levels
 * (the longest chain of requests of which one waited for the answer of another). Retries are requests and calls but
 * no levels; the pin and the probes before it are shared by all analyses and are not in it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Spending {
  readonly requests: number
  readonly calls: number
  readonly levels: number
}

/**
 * The chain at one pinned block, for one analysis. Equal reads are made once. Reads that are asked for concurrently
 * leave in one round trip. Every method fails with `ChainError` where there was no answer; none retries by itself
 * above what the endpoint layer does.
 *
 * @since 0.1.0
 * @category services
 */
export class ChainState extends Context.Tag("@assay/core/ChainState")<
  ChainState,
  {
    readonly chain: Chain
    readonly block: BlockRef
    /** Runtime code; `0x` where there is none. */
    readonly code: (address: Address) => Effect.Effect<Reading<Hex>, ChainError>
    /** The code of an earlier block; fails with `archive_required` where no endpoint keeps that block's state. */
    readonly codeAt: (address: Address, blockNumber: number) => Effect.Effect<Reading<Hex>, ChainError>
    /** A storage word, 32 bytes. */
    readonly storage: (address: Address, slot: Hex) => Effect.Effect<Reading<Hex>, ChainError>
    /** Native balance in wei. */
    readonly balance: (address: Address) => Effect.Effect<Reading<bigint>, ChainError>
    readonly nonce: (address: Address) => Effect.Effect<Reading<number>, ChainError>
    readonly call: (request: CallRequest) => Effect.Effect<Reading<CallOutcome>, ChainError>
    readonly logs: (filter: LogFilter) => Effect.Effect<Reading<LogScan>, ChainError>
    /** What a transaction of the pinned block or an earlier one did; none where there is no such transaction. */
    readonly receipt: (transactionHash: Hex) => Effect.Effect<Reading<Option.Option<Receipt>>, ChainError>
    /** One list of results a block; fails with `method_unsupported` where no endpoint can. */
    readonly simulate: (
      request: SimulateRequest
    ) => Effect.Effect<Reading<ReadonlyArray<ReadonlyArray<SimulatedCall>>>, ChainError>
    /** What the endpoint that is being read from was shown to be able to do. A method may still find another one. */
    readonly capabilities: Effect.Effect<Capabilities, ChainError>
    readonly spending: Effect.Effect<Spending>
    /** How to make each observation again that a reading was asked for so far, by the hash of its parameters. */
    readonly recipes: Effect.Effect<ReadonlyArray<Recipe>>
    /** Makes an observation of an earlier analysis again, at the pinned block. */
    readonly repeat: (recipe: Recipe) => Effect.Effect<Observation, ChainError>
    /** Reads the pinned block's hash again; false where the chain now has another block at that height. */
    readonly stillCanonical: Effect.Effect<boolean, ChainError>
  }
>() {}

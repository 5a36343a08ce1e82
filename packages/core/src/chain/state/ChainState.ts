import { Context, type Effect, type Option } from "effect"
import type { Address } from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Observation } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import type { Recipe } from "../../domain/Recipe.js"
import type { ChainError } from "../ChainError.js"
import type { Chain } from "../Chains.js"
import type { Capabilities } from "../rpc/Capabilities.js"
import type { Reading } from "./Reading.js"

/**
 * State overrides for one call, by account. A `stateDiff` maps 32-byte slots to 32-byte words.
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
 * Block overrides for one call.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlockOverride {
  readonly number?: number | undefined
  readonly time?: number | undefined
  readonly feeRecipient?: Address | undefined
  readonly baseFeePerGas?: bigint | undefined
  /** Applied by `eth_simulateV1` only: for `eth_call`, nodes do not agree on its name. */
  readonly prevRandao?: Hex | undefined
}

/**
 * A message call. Without `to`, its data runs as init code. Amounts are in wei.
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
 * The outcome of a call. A revert is an answer of the chain, not a failed read. The `data` of a revert may be empty.
 *
 * @since 0.1.0
 * @category models
 */
export type CallOutcome =
  | { readonly _tag: "Returned"; readonly data: Hex }
  | { readonly _tag: "Reverted"; readonly data: Hex }

/**
 * An event log of the chain.
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
 * A filter for events, from the first block to the pinned one or between two blocks. Each topic takes one or several
 * values.
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
 * The events from `fromBlock` to `toBlock`, oldest first. `complete`: the whole requested range was read. Otherwise
 * only the newest blocks were, and every count is a lower bound.
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
 * Calls in consecutive simulated blocks on top of the pinned one, from real accounts without signatures. With
 * `validation`, a call must satisfy the rules for a transaction except its signature: the sender has no code and pays
 * for gas. Some nodes show a base fee to contracts only then.
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
 * The outcome of one simulated call.
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
 * The parts of a transaction receipt that show the origin of a contract: sender, recipient, and the contract that the
 * transaction itself created. Contracts that another contract created are not in it.
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
 * The parts of a transaction that do something: sender, recipient (none where it created a contract), wei, and calldata or
 * init code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Transaction {
  readonly blockNumber: number
  readonly from: Address
  readonly to: Option.Option<Address>
  readonly value: bigint
  readonly data: Hex
}

/**
 * What an analysis has cost the endpoints so far: HTTP requests, JSON-RPC calls in them, and dependent levels (the
 * longest chain of requests in which each waited for the answer of another). Retries count as requests and calls, not
 * as levels. The pin and its probes are shared by all analyses and not included.
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
 * The chain at one pinned block, for one analysis. Equal reads are made once. Concurrent reads leave in one round trip.
 * Every method fails with `ChainError` if there was no answer; none retries beyond what the endpoint layer does.
 *
 * @since 0.1.0
 * @category services
 */
export class ChainState extends Context.Tag("@assay/core/ChainState")<
  ChainState,
  {
    readonly chain: Chain
    readonly block: BlockRef
    /** Runtime code; `0x` if there is none. */
    readonly code: (address: Address) => Effect.Effect<Reading<Hex>, ChainError>
    /** The code at an earlier block. Fails with `archive_required` if no endpoint has the state of that block. */
    readonly codeAt: (address: Address, blockNumber: number) => Effect.Effect<Reading<Hex>, ChainError>
    /** A storage word, 32 bytes. */
    readonly storage: (address: Address, slot: Hex) => Effect.Effect<Reading<Hex>, ChainError>
    /** A storage word at an earlier block. Fails with `archive_required` if no endpoint has the state of that block. */
    readonly storageAt: (address: Address, slot: Hex, blockNumber: number) => Effect.Effect<Reading<Hex>, ChainError>
    /** Native balance in wei. */
    readonly balance: (address: Address) => Effect.Effect<Reading<bigint>, ChainError>
    readonly nonce: (address: Address) => Effect.Effect<Reading<number>, ChainError>
    readonly call: (request: CallRequest) => Effect.Effect<Reading<CallOutcome>, ChainError>
    readonly logs: (filter: LogFilter) => Effect.Effect<Reading<LogScan>, ChainError>
    /** The receipt of a transaction of the pinned block or an earlier one; none if there is no such transaction. */
    readonly receipt: (transactionHash: Hex) => Effect.Effect<Reading<Option.Option<Receipt>>, ChainError>
    /** A transaction of the pinned block or an earlier one; none if there is no such transaction. */
    readonly transaction: (transactionHash: Hex) => Effect.Effect<Reading<Option.Option<Transaction>>, ChainError>
    /** One list of results per block. Fails with `method_unsupported` if no endpoint supports it. */
    readonly simulate: (
      request: SimulateRequest
    ) => Effect.Effect<Reading<ReadonlyArray<ReadonlyArray<SimulatedCall>>>, ChainError>
    /** The probed capabilities of the endpoint in use. A method may still use another endpoint. */
    readonly capabilities: Effect.Effect<Capabilities, ChainError>
    readonly spending: Effect.Effect<Spending>
    /** How to repeat each observation made so far, by the hash of its parameters. */
    readonly recipes: Effect.Effect<ReadonlyArray<Recipe>>
    /** Repeats an observation of an earlier analysis, at the pinned block. */
    readonly repeat: (recipe: Recipe) => Effect.Effect<Observation, ChainError>
    /** Reads the hash of the pinned block again; false if the chain now has another block at that height. */
    readonly stillCanonical: Effect.Effect<boolean, ChainError>
  }
>() {}

/** @internal */

import { Effect, Either, Option } from "effect"
import { type Address, checksum } from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Hex } from "../../domain/Hex.js"
import type { Recipe } from "../../domain/Recipe.js"
import type * as ReadQueue from "../../runtime/ReadQueue.js"
import { ChainError } from "../ChainError.js"
import type { Chain } from "../Chains.js"
import * as Capabilities from "../rpc/Capabilities.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { CallBudget } from "./CallBudget.js"
import type {
  CallOutcome,
  CallRequest,
  ChainState,
  LogFilter,
  Receipt,
  SimulatedCall,
  Transaction
} from "./ChainState.js"
import * as Logs from "./Logs.js"
import type { Observations } from "./Observations.js"
import { type BlockParam, type BlockParams, type PinnedRead, plain } from "./PinnedRead.js"
import type { Reading } from "./Reading.js"
import type { ReadRouting } from "./ReadRouting.js"
import * as Simulation from "./Simulation.js"
import type * as StateLens from "./StateLens.js"

/** The queue of the reads of one analysis. */
export type PinnedQueue = ReadQueue.ReadQueue<PinnedRead, Reading<unknown>, JsonRpc.Fault>

/** The reads of an analysis as the service has them: each becomes one call in the queue, a scan of events several. */
export const make = (options: {
  readonly chain: Chain
  readonly block: BlockRef
  readonly blockParams: BlockParams
  readonly budget: CallBudget
  readonly maxLogRequests: number
  readonly observations: Observations
  readonly queue: PinnedQueue
  readonly routing: ReadRouting
}): ChainState["Type"] => {
  const { block, blockParams, budget, chain, maxLogRequests, observations, queue, routing } = options
  const toChainError = errorsOf(chain)

  const read = <A>(request: PinnedRead): Effect.Effect<Reading<A>, ChainError> =>
    Effect.mapError(queue.ask(request) as Effect.Effect<Reading<A>, JsonRpc.Fault>, toChainError(request.method))

  // Serialised once for the key and the request: code overrides of a simulation are long.
  const written = (params: PinnedRead["params"]): PinnedRead["params"] => {
    let exact: ReadonlyArray<unknown> | undefined
    return (at) => {
      if (at !== blockParams.byHash) return params(at)
      exact ??= params(at)
      return exact
    }
  }

  const scan = (filter: LogFilter, firstBlock: number, lastBlock: number) =>
    Effect.mapBoth(
      Logs.scan(filter, {
        page: (fromBlock, toBlock) =>
          Effect.map(queue.ask(pageOf(filter, fromBlock, toBlock)), ({ value }) => value as Logs.LogPage),
        firstBlock,
        lastBlock,
        maxRequests: maxLogRequests,
        maxTimeouts: 1,
        maxLogs,
        widest: Option.getOrUndefined(routing.current().endpoint.logBlocks)
      }),
      {
        onSuccess: ({ params, result, scan }) => observations.observe("eth_getLogs", scan, params, () => result),
        onFailure: toChainError("eth_getLogs")
      }
    )

  const repeatScan = (params: ReadonlyArray<unknown>): Effect.Effect<Reading<unknown>, ChainError> =>
    Option.match(Logs.parseParams(params), {
      onNone: () => Effect.fail(unrepeatable("eth_getLogs")),
      onSome: ({ filter, fromBlock, toBlock }) =>
        Effect.filterOrFail(
          scan(filter, fromBlock, toBlock),
          ({ value }) => value.complete,
          () => toChainError("eth_getLogs")(partial)
        )
    })

  const repeatRead = ({ method, params }: Recipe): Effect.Effect<Reading<unknown>, ChainError> => {
    const place = blockPlaces.get(method)
    if (place === undefined) return Effect.fail(unrepeatable(method))
    // However the endpoint takes the block: it was shown to have it under the same hash.
    const isPinned = [blockParams.byHash, blockParams.byNumber].some(
      (at) => JSON.stringify(at) === JSON.stringify(params[place])
    )
    const needs =
      method === "eth_simulateV1" ? (["simulateV1"] as const) : overridden(params[place + 1], params[place + 2])
    return read({
      ...plain,
      method,
      params: (at) => (isPinned ? params.map((param, index) => (index === place ? at : param)) : params),
      decode: Option.some,
      alone: needs.length > 0,
      heavy: needs.length > 0,
      needs
    })
  }

  // No span per read: there are hundreds, most are cached, and a span costs ten times as much as the answer. Requests
  // have spans.
  return {
    chain,
    block,
    code: (address) =>
      read<Hex>({
        ...stateRead("eth_getCode", (at) => [address, at], RpcValue.parseCode),
        lensRead: { kind: "code", account: lower(address) }
      }),
    codeAt: (address, number) =>
      read<Hex>(stateRead("eth_getCode", () => [address, RpcValue.quantity(number)], RpcValue.parseCode)),
    storage: (address, slot) =>
      read<Hex>({
        ...stateRead("eth_getStorageAt", (at) => [address, RpcValue.word(slot), at], RpcValue.parseWord),
        lensRead: { kind: "slot", account: lower(address), slot }
      }),
    storageAt: (address, slot, number) =>
      read<Hex>(
        stateRead(
          "eth_getStorageAt",
          () => [address, RpcValue.word(slot), RpcValue.quantity(number)],
          RpcValue.parseWord
        )
      ),
    balance: (address) =>
      read<bigint>({
        ...stateRead("eth_getBalance", (at) => [address, at], RpcValue.parseBigInt),
        lensRead: { kind: "balance", account: lower(address) }
      }),
    nonce: (address) => read<number>(stateRead("eth_getTransactionCount", (at) => [address, at], RpcValue.parseNumber)),
    call: (request) => {
      const needs = overridden(request.overrides, request.block)
      return read<CallOutcome>({
        ...plain,
        method: "eth_call",
        params: written((at) =>
          Simulation.callParams(request.to === undefined ? request : { gas: ownGas, ...request }, at)
        ),
        decode: callOutcome,
        alone: needs.length > 0,
        heavy: needs.length > 0 || request.to === undefined,
        needs,
        lensRead: getterOf(request)
      })
    },
    receipt: (transactionHash) =>
      read<Option.Option<Receipt>>(
        stateRead("eth_getTransactionReceipt", () => [transactionHash], parseReceipt(block.number))
      ),
    transaction: (transactionHash) =>
      read<Option.Option<Transaction>>(
        stateRead("eth_getTransactionByHash", () => [transactionHash], parseTransaction(block.number))
      ),
    simulate: (request) =>
      read<ReadonlyArray<ReadonlyArray<SimulatedCall>>>({
        ...plain,
        method: "eth_simulateV1",
        params: written((at) => Simulation.simulateParams(request, at)),
        decode: (answer) =>
          Option.flatMap(JsonRpc.resultOf(answer), (result) => Simulation.parseSimulated(request, result)),
        alone: true,
        heavy: true,
        needs: ["simulateV1"]
      }),
    logs: (filter) => {
      const [first, last] = filter.blocks ?? [0, block.number]
      return scan(filter, Math.max(0, first), Math.min(last, block.number))
    },
    capabilities: Effect.suspend(() => routing.current().probe).pipe(
      // No evidence depends on batches, so none is lost where it is not known whether there are.
      Effect.flatMap(({ capabilities }) =>
        Either.all({ ...capabilities, batch: Either.right(Either.getOrElse(capabilities.batch, () => false)) })
      ),
      Effect.mapError(toChainError("eth_call"))
    ),
    recipes: Effect.sync(observations.recipes),
    repeat: (recipe) =>
      Effect.map(recipe.method === "eth_getLogs" ? repeatScan(recipe.params) : repeatRead(recipe), (reading) => ({
        ...reading.observation(),
        params_hash: recipe.params_hash
      })),
    spending: Effect.sync(() => ({ ...budget.sent(), levels: queue.levels() })),
    stillCanonical: Effect.mapBoth(queue.askAfresh(headerRead(blockParams.header)), {
      onSuccess: ({ value }) => (value as BlockRef).hash === block.hash,
      onFailure: toChainError(blockParams.header.method)
    })
  }
}

const stateRead = (
  method: string,
  params: (at: BlockParam) => ReadonlyArray<unknown>,
  parse: (result: unknown) => Option.Option<unknown>
): PinnedRead => ({ ...plain, method, params, decode: (answer) => Option.flatMap(JsonRpc.resultOf(answer), parse) })

/** Whether the block is still canonical can be checked whatever the budget says. */
const headerRead = ({ method, params }: JsonRpc.RpcCall): PinnedRead => ({
  ...stateRead(method, () => params, Capabilities.parseBlock),
  free: true
})

const pageOf = (filter: LogFilter, fromBlock: number, toBlock: number): PinnedRead => ({
  ...stateRead(
    "eth_getLogs",
    () => Logs.params(filter, fromBlock, toBlock),
    Logs.parsePage(filter, fromBlock, toBlock)
  ),
  // Where no index of the contracts helps, a scan takes long.
  alone: filter.address === undefined,
  heavy: true,
  divisible: fromBlock < toBlock,
  bound: true
})

const lower = (address: Address): Hex => address.toLowerCase() as Hex

// A call with only a target and calldata.
const getterOf = ({ data = "0x", to, ...further }: CallRequest): StateLens.LensRead | undefined =>
  to !== undefined && Object.values(further).every((member) => member === undefined)
    ? { kind: "call", account: lower(to), data }
    : undefined

/** What a call with these overrides of state and block needs. */
const overridden = (state: unknown, block: unknown): PinnedRead["needs"] => [
  ...(isFilled(state) ? (["codeOverride"] as const) : []),
  ...(isFilled(block) ? (["blockOverride"] as const) : [])
]

const isFilled = (param: unknown): boolean =>
  typeof param === "object" && param !== null && Object.keys(param).length > 0

// What a contract burns of this is its own doing, and not a cap of the node: the largest getters take a tenth of it.
const ownGas = 10_000_000n

// About 25 MB as JSON.
const maxLogs = 50_000

// A transaction of a later block is none that the pinned one knows.
const parseReceipt =
  (lastBlock: number) =>
  (result: unknown): Option.Option<Option.Option<Receipt>> => {
    if (result === null) return Option.some(Option.none())
    return Option.map(
      Option.flatMap(RpcValue.parseRecord(result), (receipt) =>
        Option.all({
          blockNumber: RpcValue.parseNumber(receipt.blockNumber),
          from: account(receipt.from),
          to: accountOrNull(receipt.to),
          created: accountOrNull(receipt.contractAddress)
        })
      ),
      (receipt) => Option.liftPredicate(receipt, ({ blockNumber }) => blockNumber <= lastBlock)
    )
  }

// One that waits is in no block.
const parseTransaction =
  (lastBlock: number) =>
  (result: unknown): Option.Option<Option.Option<Transaction>> =>
    Option.flatMap(
      result === null ? Option.some({ blockNumber: null }) : RpcValue.parseRecord(result),
      (transaction) =>
        transaction.blockNumber === null
          ? Option.some(Option.none())
          : Option.map(
              Option.all({
                blockNumber: RpcValue.parseNumber(transaction.blockNumber),
                from: account(transaction.from),
                to: accountOrNull(transaction.to),
                value: RpcValue.parseBigInt(transaction.value),
                data: RpcValue.parseBytes(transaction.input)
              }),
              (found) => Option.liftPredicate(found, ({ blockNumber }) => blockNumber <= lastBlock)
            )
    )

const account = (value: unknown) => Option.map(RpcValue.parseAccount(value), checksum)

const accountOrNull = (value: unknown) =>
  value === null || value === undefined ? Option.some(Option.none()) : Option.map(account(value), Option.some)

const callOutcome = (answer: JsonRpc.RpcAnswer): Option.Option<CallOutcome> =>
  answer._tag === "Reverted"
    ? Option.some(answer)
    : Option.map(RpcValue.parseBytes(answer.result), (data) => ({ _tag: "Returned", data }))

// Where each method of this service names the block: https://ethereum.github.io/execution-apis/api-documentation/
const blockPlaces: ReadonlyMap<string, number> = new Map([
  ["eth_getCode", 1],
  ["eth_getStorageAt", 2],
  ["eth_getBalance", 1],
  ["eth_getTransactionCount", 1],
  ["eth_call", 1],
  ["eth_simulateV1", 1],
  // They name none: a transaction is in one block.
  ["eth_getTransactionByHash", 1],
  ["eth_getTransactionReceipt", 1]
])

const unrepeatable = (method: string): ChainError =>
  new ChainError({
    reason: "method_unsupported",
    method,
    retryable: false,
    detail: "no reading of this engine is made so"
  })

const partial = JsonRpc.fault({
  reason: "log_range_limited",
  detail: "not all blocks of the range were read again"
})

const errorsOf =
  ({ endpoints, name }: Chain) =>
  (method: string) =>
  ({ detail, failure, reason, retryable }: JsonRpc.Fault): ChainError =>
    new ChainError({
      reason,
      method,
      retryable,
      detail,
      // The last one that was tried.
      endpoints: failure === undefined ? [] : [{ ...failure, chain: name, endpoint: endpoints.length === 1 ? 1 : null }]
    })

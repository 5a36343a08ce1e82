/** @internal */

import { Clock, type Duration, Effect, Either, Exit, Option, type Scope } from "effect"
import { type Address, checksum } from "../../domain/Address.js"
import type { BlockRef } from "../../domain/BlockRef.js"
import * as CanonicalJson from "../../domain/CanonicalJson.js"
import type { Observation } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import type { Recipe } from "../../domain/Recipe.js"
import * as Expiring from "../../runtime/Expiring.js"
import * as ReadQueue from "../../runtime/ReadQueue.js"
import * as Together from "../../runtime/Together.js"
import { ChainError } from "../ChainError.js"
import type { Chain } from "../Chains.js"
import * as Capabilities from "../rpc/Capabilities.js"
import type { Endpoint, Meter } from "../rpc/Endpoint.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import type { Turn } from "../rpc/Pace.js"
import * as RpcValue from "../rpc/RpcValue.js"
import * as BoundScan from "./BoundScan.js"
import type { CallOutcome, CallRequest, ChainState, LogFilter, Receipt, SimulatedCall } from "./ChainState.js"
import * as LensedReads from "./LensedReads.js"
import type { Lenses } from "./Lenses.js"
import * as Logs from "./Logs.js"
import type { Reading } from "./Reading.js"
import * as ReadState from "./ReadState.js"
import * as Simulation from "./Simulation.js"
import type * as StateLens from "./StateLens.js"

/**
 * What an analysis reads its chain with: the endpoints in order of preference, first the one that the block was pinned
 * at, and how many JSON-RPC calls it may send. A scan of events reads at most `maxLogRequests` ranges.
 */
export interface PinnedStateOptions {
  readonly chain: Chain
  readonly block: BlockRef
  readonly endpoints: readonly [Endpoint, ...Array<Endpoint>]
  readonly maxCalls: number
  readonly maxLogRequests: number
  readonly restAfterFailure: Duration.Duration
  /** The state of lenses of an endpoint. */
  readonly lensesOf: (endpoint: Endpoint) => Lenses
  /** Its place among the analyses that read from the same endpoints, and until when it waits for them. */
  readonly turn: Turn
  /** Called with every endpoint that is read from. */
  readonly onUse?: ((endpoint: Endpoint) => void) | undefined
}

// The block parameter of a read, in the form that the endpoint accepts.
type At = { readonly blockHash: Hex } | Hex

interface Read {
  readonly method: string
  readonly params: (at: At) => ReadonlyArray<unknown>
  /** None where the answer has another type than the read. */
  readonly decode: (answer: JsonRpc.RpcAnswer) => Option.Option<unknown>
  /** Sent in a request of its own, since it must not hold the others. */
  readonly alone: boolean
  /** It may be too much for an endpoint that answers the others: its timeout does not show that the endpoint is gone. */
  readonly heavy: boolean
  readonly needs: ReadonlyArray<keyof Capabilities.Capabilities>
  /** Whether it can be split where the whole is too much for the endpoint. */
  readonly divisible: boolean
  /** It names no block by hash, so that its answer is only taken from a node that shows that it has the pinned block. */
  readonly bound: boolean
  /** Sent whatever the budget says. */
  readonly free: boolean
  /** The lens read that replaces it. */
  readonly lensRead?: StateLens.LensRead | undefined
  /** The one endpoint that it is for. */
  readonly only?: Endpoint | undefined
}

type Item = ReadQueue.Waiting<Read, Reading<unknown>, JsonRpc.Fault>

/**
 * Makes the view of one analysis.
 *
 * Every read is pinned by the block's hash where the endpoint takes one (EIP-1898; `requireCanonical` is left at its
 * default, false), else by its number. All reads go to one endpoint as long as it answers. Before another one is read
 * from, it must know the pinned block under the same hash, so that it can only answer the same, or not at all.
 *
 * `maxCalls` bounds the calls for state, retries included; checking that the block is still canonical is always
 * possible.
 */
export const make = (options: PinnedStateOptions): Effect.Effect<ChainState["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const { block, chain, endpoints, maxCalls, maxLogRequests } = options
    const blockNumber = RpcValue.quantity(block.number)
    // The most exact form of the block: reads are equal where they are so in this form, whichever is sent.
    const exactly: At = { blockHash: block.hash }
    const blockAt = ({ capabilities }: Capabilities.Probe): At =>
      Either.getOrElse(capabilities.blockByHash, () => false) ? exactly : blockNumber
    let taken = 0
    let requests = 0
    let calls = 0
    let current = 0

    const sent: Meter["sent"] = (ofRequests, ofCalls) => {
      requests += ofRequests
      calls += ofCalls
    }
    const meter: Meter = {
      take: (count) => {
        if (taken + count > maxCalls) return false
        taken += count
        return true
      },
      sent,
      turn: options.turn
    }
    const unmetered: Meter = { take: () => true, sent, turn: options.turn }

    const blockRead: Read = {
      ...plain,
      method: "eth_getBlockByNumber",
      params: () => [blockNumber, false],
      decode: (answer) => Option.flatMap(JsonRpc.resultOf(answer), Capabilities.parseBlock),
      free: true
    }

    // Whether another endpoint has our block, found out when it is needed. The one that it was pinned at has it.
    const knows = yield* Effect.forEach(endpoints, (endpoint, index) => {
      if (index === 0) return Effect.succeed(endpoint.probe)
      const find = Effect.gen(function* () {
        const probe = yield* endpoint.probe
        const [answer] = yield* endpoint.send([{ method: blockRead.method, params: [blockNumber, false] }], unmetered)
        const seen = yield* Capabilities.headOf(answer ?? Either.left(JsonRpc.garbage("no answer")))
        if (seen.hash === block.hash) return probe
        return yield* Effect.fail(
          JsonRpc.fault({ reason: "conflicting_sources", detail: "the endpoint has another block at this height" })
        )
      })
      // It may only be behind, and see our block in a moment.
      const known = Expiring.make(find, (exit) =>
        Exit.isSuccess(exit) && Object.values(exit.value.capabilities).every(Either.isRight)
          ? Number.POSITIVE_INFINITY
          : 1_000
      )
      return Effect.map(known, ({ get }) => get)
    })

    // The current one first, unless there is a longer wait at it than at another one.
    const nearest = Effect.gen(function* () {
      const places = endpoints.map((_, step) => (current + step) % endpoints.length)
      if (places.length === 1) return places
      const waits = yield* Effect.forEach(endpoints, ({ backlog }) => backlog)
      const wait = (place: number) => Math.max(0, (waits[place] ?? 0) - tolerableWait)
      return places.sort((a, b) => wait(a) - wait(b))
    })

    // Where there is another endpoint, who waits long at one looks again which is nearer.
    const hurried = Effect.map(Clock.currentTimeMillis, (now): Meter => {
      const until = endpoints.length === 1 ? options.turn.until : Math.min(options.turn.until, now + patienceWithOne)
      return { ...meter, turn: { ...options.turn, until } }
    })

    const route = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const faults = new Map<Item, JsonRpc.Fault>()
        const paid = new Set(items)
        let asked = items
        while (asked.length > 0) {
          const limited = new Set<Item>()
          const left = yield* round(asked, { faults, limited, paid })
          const isOver = endpoints.length === 1 || (yield* Clock.currentTimeMillis) >= options.turn.until
          // What an endpoint refused for its rate is not answered yet, whatever the others said.
          asked = isOver ? [] : left.filter((item) => limited.has(item))
          const lost = isOver ? left : left.filter((item) => !limited.has(item))
          for (const item of lost) item.settle(Exit.fail(verdict(faults.get(item))))
        }
      })

    // Sends the reads to each endpoint in turn, and returns those that none has answered. `paid` are the reads that the
    // next request costs nothing for: a read pays when it leaves the queue, and a retry after a refusal for the rate is
    // free.
    const round = (
      items: ReadonlyArray<Item>,
      {
        faults,
        limited,
        paid
      }: {
        readonly faults: Map<Item, JsonRpc.Fault>
        readonly limited: Set<Item>
        readonly paid: Set<Item>
      }
    ) =>
      Effect.gen(function* () {
        let pending = items
        for (const index of yield* nearest) {
          if (pending.length === 0) break
          const endpoint = endpoints[index] ?? endpoints[0]
          const probe = yield* Effect.either(knows[index] ?? endpoint.probe)
          // It received no read, so its failure does not count where another endpoint did.
          if (Either.isLeft(probe)) continue
          const able: Array<Item> = []
          const left: Array<Item> = []
          for (const item of pending) {
            if (item.request.only !== undefined && item.request.only !== endpoint) {
              left.push(item)
              continue
            }
            const lack = Option.firstSomeOf(
              item.request.needs.map((need) => lacking(need, probe.right.capabilities[need]))
            )
            if (Option.isSome(lack) && faults.get(item)?.reason !== "rate_limited") faults.set(item, lack.value)
            const goes = Option.isNone(lack) && (paid.has(item) || meter.take(1))
            if (goes) able.push(item)
            else left.push(item)
          }
          const lost = yield* attempt(endpoint, probe.right, able)
          for (const [item, fault] of lost) {
            if (fault.kind !== "unreachable" || !faults.has(item)) faults.set(item, fault)
            if (fault.reason === "rate_limited") limited.add(item)
            else paid.delete(item)
            if (fault.elsewhere && !isTooWide(item, fault)) left.push(item)
            else item.settle(Exit.fail(fault))
          }
          const gone = able.length > 0 && lost.length === able.length && lost.every(isGone)
          if (gone) {
            const rest = Option.firstSomeOf(lost.map(([, fault]) => fault.retryAfter))
            yield* endpoint.rest(Option.getOrElse(rest, () => options.restAfterFailure))
            if (current === index) current = (index + 1) % endpoints.length
          }
          pending = left
        }
        return pending
      })

    const readState = ReadState.make()

    // With lenses where the endpoint that is read from now takes code in the place of an account's.
    const lensed = (items: ReadonlyArray<Item>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const endpoint = endpoints[current] ?? endpoints[0]
        const probe = yield* Effect.either(knows[current] ?? endpoint.probe)
        const takesCode = Either.flatMap(probe, ({ capabilities }) => capabilities.codeOverride)
        const takesLenses = Either.getOrElse(takesCode, () => false) && taken + 3 <= maxCalls
        if (Either.isLeft(probe) || !takesLenses) return yield* route(items)
        const at = blockAt(probe.right)
        yield* LensedReads.send<Item>(items, {
          lenses: options.lensesOf(endpoint),
          state: readState,
          readOf: ({ request }) => Option.fromNullable(request.lensRead),
          plainly: route,
          lens: (call, onData) => {
            taken += 1
            return {
              request: {
                ...plain,
                method: "eth_call",
                params: (at) => Simulation.callParams(call, at),
                decode: (answer) => Option.flatMap(JsonRpc.resultOf(answer), RpcValue.parseBytes),
                heavy: true,
                needs: ["codeOverride"],
                only: endpoint
              },
              settle: (exit) => onData(Exit.isSuccess(exit) ? Option.some(exit.value.value as Hex) : Option.none())
            }
          },
          watching: ({ request, settle }, onValue) => ({
            request,
            settle: (exit) => {
              if (Exit.isSuccess(exit)) onValue(exit.value.value)
              settle(exit)
            }
          }),
          decode: ({ request }, answer) => request.decode(answer),
          settle: ({ request, settle }, answer) => {
            // It was paid for when it left the queue, and is not sent.
            taken -= 1
            const { decode, method, params } = request
            const value = Option.map(decode(answer), (value) =>
              observe(method, value, params(at), () => hashed(method, answer))
            )
            settle(
              Either.match(
                Either.fromOption(value, () => unreadable),
                { onLeft: Exit.fail, onRight: Exit.succeed }
              )
            )
          }
        })
      })

    const boundScan = BoundScan.make(block)

    // Sends reads to one endpoint, settles those that it answered, and gives back the others.
    const attempt = (endpoint: Endpoint, probe: Capabilities.Probe, items: ReadonlyArray<Item>) => {
      const at = blockAt(probe)
      const asked = items.map(({ request }) => ({ method: request.method, params: request.params(at) }))
      const batches = Either.getOrElse(probe.capabilities.batch, () => true)
      const isBound = items.some(({ request }) => request.bound)
      if (asked.length === 0) return Effect.succeed<ReadonlyArray<readonly [Item, JsonRpc.Fault]>>([])
      options.onUse?.(endpoint)
      return Effect.map(
        Effect.flatMap(hurried, (limited) =>
          isBound ? boundScan(endpoint, asked, limited, batches) : endpoint.send(asked, limited)
        ),
        (answers) =>
          items.flatMap((item, place): ReadonlyArray<readonly [Item, JsonRpc.Fault]> => {
            const params = asked[place]?.params ?? []
            const outcome = Either.flatMap(answers[place] ?? Either.left(JsonRpc.garbage("no answer")), (answer) =>
              Either.fromOption(
                Option.map(item.request.decode(answer), (value) =>
                  observe(item.request.method, value, params, () => hashed(item.request.method, answer))
                ),
                () => unreadable
              )
            )
            if (Either.isLeft(outcome)) return [[item, outcome.left]]
            item.settle(Exit.succeed(outcome.right))
            return []
          })
      )
    }

    const queue = yield* ReadQueue.make<Read, Reading<unknown>, JsonRpc.Fault>({
      keyOf: (read) => `${read.method} ${JSON.stringify(read.params(exactly))}`,
      refuse: (request) => (request.free || meter.take(1) ? Option.none() : Option.some(JsonRpc.overBudget)),
      flush: (waiting) => {
        const alone = waiting.filter(({ request }) => request.alone)
        const scans = waiting.filter(({ request }) => !request.alone && request.bound)
        const together = waiting.filter(({ request }) => !request.alone && !request.bound)
        return Effect.asVoid(
          Together.forEach(
            [together, scans, ...alone.map((item) => [item])].filter((group) => group.length > 0),
            (items) =>
              Effect.withSpan(items === together ? lensed(items) : route(items), "ChainState.send", {
                attributes: { reads: items.length }
              })
          )
        )
      }
    })

    const recipes = new Map<string, Recipe>()
    const observe = <A>(
      method: string,
      value: A,
      params: ReadonlyArray<unknown>,
      answer: () => unknown
    ): Reading<A> => {
      let observed: Observation | undefined
      return {
        value,
        observation: () => {
          if (observed !== undefined) return observed
          const params_hash = CanonicalJson.hash(params)
          recipes.set(`${method} ${params_hash}`, { method, params_hash, params })
          observed = { method, params_hash, block_hash: block.hash, answer_hash: CanonicalJson.hash(answer()) }
          return observed
        }
      }
    }

    const read = <A>(request: Read): Effect.Effect<Reading<A>, ChainError> =>
      Effect.mapError(queue.ask(request) as Effect.Effect<Reading<A>, JsonRpc.Fault>, toChainError(request.method))

    // Serialised once for the key and the request: code overrides of a simulation are long.
    const written = (params: Read["params"]): Read["params"] => {
      let exact: ReadonlyArray<unknown> | undefined
      return (at) => {
        if (at !== exactly) return params(at)
        exact ??= params(exactly)
        return exact
      }
    }

    const state = (
      method: string,
      params: (at: At) => ReadonlyArray<unknown>,
      parse: (result: unknown) => Option.Option<unknown>
    ): Read => ({ ...plain, method, params, decode: (answer) => Option.flatMap(JsonRpc.resultOf(answer), parse) })

    const scan = (filter: LogFilter, firstBlock: number, lastBlock: number) =>
      Effect.mapBoth(
        Logs.scan(filter, {
          page: (fromBlock, toBlock) =>
            Effect.map(
              queue.ask({
                ...plain,
                method: "eth_getLogs",
                params: () => Logs.params(filter, fromBlock, toBlock),
                decode: (answer) =>
                  Option.flatMap(JsonRpc.resultOf(answer), Logs.parsePage(filter, fromBlock, toBlock)),
                // Where no index of the contracts helps, a scan takes long.
                alone: filter.address === undefined,
                heavy: true,
                divisible: fromBlock < toBlock,
                bound: true
              }),
              ({ value }) => value as Logs.LogPage
            ),
          firstBlock,
          lastBlock,
          maxRequests: maxLogRequests,
          maxTimeouts: 1,
          maxLogs,
          widest: Option.getOrUndefined((endpoints[current] ?? endpoints[0]).logBlocks)
        }),
        {
          onSuccess: ({ params, result, scan }) => observe("eth_getLogs", scan, params, () => result),
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
      const isPinned = [exactly, blockNumber].some((at) => JSON.stringify(at) === JSON.stringify(params[place]))
      const needs: Read["needs"] =
        method === "eth_simulateV1"
          ? ["simulateV1"]
          : [
              ...(isFilled(params[place + 1]) ? (["codeOverride"] as const) : []),
              ...(isFilled(params[place + 2]) ? (["blockOverride"] as const) : [])
            ]
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
    const service: ChainState["Type"] = {
      chain,
      block,
      code: (address) =>
        read<Hex>({
          ...state("eth_getCode", (at) => [address, at], RpcValue.parseCode),
          lensRead: { kind: "code", account: lower(address) }
        }),
      codeAt: (address, number) =>
        read<Hex>(state("eth_getCode", () => [address, RpcValue.quantity(number)], RpcValue.parseCode)),
      storage: (address, slot) =>
        read<Hex>({
          ...state("eth_getStorageAt", (at) => [address, RpcValue.word(slot), at], RpcValue.parseWord),
          lensRead: { kind: "slot", account: lower(address), slot }
        }),
      storageAt: (address, slot, number) =>
        read<Hex>(
          state("eth_getStorageAt", () => [address, RpcValue.word(slot), RpcValue.quantity(number)], RpcValue.parseWord)
        ),
      balance: (address) =>
        read<bigint>({
          ...state("eth_getBalance", (at) => [address, at], RpcValue.parseBigInt),
          lensRead: { kind: "balance", account: lower(address) }
        }),
      nonce: (address) => read<number>(state("eth_getTransactionCount", (at) => [address, at], RpcValue.parseNumber)),
      call: (request) => {
        const needs: Read["needs"] = [
          ...(Object.keys(request.overrides ?? {}).length > 0 ? (["codeOverride"] as const) : []),
          ...(Object.keys(request.block ?? {}).length > 0 ? (["blockOverride"] as const) : [])
        ]
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
          state("eth_getTransactionReceipt", () => [transactionHash], parseReceipt(block.number))
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
      capabilities: Effect.suspend(() => knows[current] ?? endpoints[0].probe).pipe(
        // No evidence depends on batches, so none is lost where it is not known whether there are.
        Effect.flatMap(({ capabilities }) =>
          Either.all({ ...capabilities, batch: Either.right(Either.getOrElse(capabilities.batch, () => false)) })
        ),
        Effect.mapError(toChainError("eth_call"))
      ),
      recipes: Effect.sync(() => [...recipes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, recipe]) => recipe)),
      repeat: (recipe) =>
        Effect.map(recipe.method === "eth_getLogs" ? repeatScan(recipe.params) : repeatRead(recipe), (reading) => ({
          ...reading.observation(),
          params_hash: recipe.params_hash
        })),
      spending: Effect.sync(() => ({ requests, calls, levels: queue.levels() })),
      stillCanonical: Effect.mapBoth(queue.askAfresh(blockRead), {
        onSuccess: ({ value }) => (value as BlockRef).hash === block.hash,
        onFailure: toChainError(blockRead.method)
      })
    }
    return service
  })

const lower = (address: Address): Hex => address.toLowerCase() as Hex

// A call with only a target and calldata.
const getterOf = ({ data = "0x", to, ...further }: CallRequest): StateLens.LensRead | undefined =>
  to !== undefined && Object.values(further).every((member) => member === undefined)
    ? { kind: "call", account: lower(to), data }
    : undefined

// What a contract burns of this is its own doing, and not a cap of the node: the largest getters take a tenth of it.
const ownGas = 10_000_000n

// Milliseconds: a wait that is no reason to read from another endpoint, and how long one is waited for where there are
// others.
const tolerableWait = 500
const patienceWithOne = 5_000

// About 25 MB as JSON.
const maxLogs = 50_000

const plain: Pick<Read, "alone" | "heavy" | "needs" | "divisible" | "bound" | "free"> = {
  alone: false,
  heavy: false,
  needs: [],
  divisible: false,
  bound: false,
  free: false
}

// A transaction of a later block is none that the pinned one knows.
const parseReceipt =
  (lastBlock: number) =>
  (result: unknown): Option.Option<Option.Option<Receipt>> => {
    if (result === null) return Option.some(Option.none())
    const account = (value: unknown) => Option.map(RpcValue.parseAccount(value), checksum)
    const accountOrNull = (value: unknown) =>
      value === null || value === undefined ? Option.some(Option.none()) : Option.map(account(value), Option.some)
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

const callOutcome = (answer: JsonRpc.RpcAnswer): Option.Option<CallOutcome> =>
  answer._tag === "Reverted"
    ? Option.some(answer)
    : Option.map(RpcValue.parseBytes(answer.result), (data) => ({ _tag: "Returned", data }))

// A revert has no result to hash; nodes put its data into errors of many shapes, so one shape is hashed. So is one shape
// of what nodes write in several.
const hashed = (method: string, answer: JsonRpc.RpcAnswer): unknown => {
  if (answer._tag === "Reverted") return { reverted: answer.data }
  return Option.getOrElse(normalized.get(method)?.(answer.result) ?? Option.none(), () => answer.result)
}

const normalized: ReadonlyMap<string, (result: unknown) => Option.Option<Hex>> = new Map([
  ["eth_getCode", RpcValue.parseCode],
  ["eth_getStorageAt", RpcValue.parseWord],
  ["eth_getBalance", (result: unknown) => Option.map(RpcValue.parseBigInt(result), RpcValue.quantity)],
  ["eth_call", RpcValue.parseBytes]
])

const unreadable = JsonRpc.garbage("the answer is not of the type that was asked for")

// Where each method of this service names the block: https://ethereum.github.io/execution-apis/api-documentation/
const blockPlaces: ReadonlyMap<string, number> = new Map([
  ["eth_getCode", 1],
  ["eth_getStorageAt", 2],
  ["eth_getBalance", 1],
  ["eth_getTransactionCount", 1],
  ["eth_call", 1],
  ["eth_simulateV1", 1],
  // It names none: a transaction is in one block.
  ["eth_getTransactionReceipt", 1]
])

const isFilled = (param: unknown): boolean =>
  typeof param === "object" && param !== null && Object.keys(param).length > 0

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

const lacking = (
  need: keyof Capabilities.Capabilities,
  shown: Either.Either<boolean, JsonRpc.Fault>
): Option.Option<JsonRpc.Fault> =>
  Either.match(shown, {
    onLeft: Option.some,
    onRight: (able) =>
      able
        ? Option.none()
        : Option.some(
            JsonRpc.fault({ reason: "method_unsupported", detail: `the endpoint was not shown to do ${need}` })
          )
  })

// A narrower range is tried before another endpoint.
const isTooWide = (item: Item, fault: JsonRpc.Fault): boolean =>
  item.request.divisible &&
  fault.reason === "log_range_limited" &&
  fault.kind !== "addressless" &&
  fault.kind !== "behind"

// The endpoint is gone, as opposed to one that finds a heavy read too heavy.
const isGone = ([item, fault]: readonly [Item, JsonRpc.Fault]): boolean =>
  fault.spread === "endpoint" &&
  fault.reason !== "rate_limited" &&
  fault.kind !== "refused" &&
  fault.kind !== "oversized" &&
  !(fault.kind === "timeout" && item.request.heavy)

// The failure of a read that no endpoint answered: the last fault of a reachable endpoint, else that none was
// reachable.
const verdict = (last: JsonRpc.Fault | undefined): JsonRpc.Fault =>
  last === undefined || last.kind === "unreachable"
    ? JsonRpc.fault({
        reason: "source_unavailable",
        kind: "unreachable",
        retryable: true,
        detail: "no endpoint of this chain could be reached"
      })
    : last

const toChainError =
  (method: string) =>
  (fault: JsonRpc.Fault): ChainError =>
    new ChainError({ reason: fault.reason, method, retryable: fault.retryable, detail: fault.detail })

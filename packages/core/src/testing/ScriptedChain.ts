import { Effect, FiberId, Layer, Option } from "effect"
import * as Deferred from "effect/Deferred"
import { ChainError } from "../chain/ChainError.js"
import type { Chain } from "../chain/Chains.js"
import type { Capabilities } from "../chain/rpc/Capabilities.js"
import {
  type CallOutcome,
  type CallRequest,
  ChainState,
  type Log,
  type LogFilter,
  type Receipt,
  type SimulatedCall,
  type SimulateRequest,
  type Transaction
} from "../chain/state/ChainState.js"
import type { Reading } from "../chain/state/Reading.js"
import * as Address from "../domain/Address.js"
import type { BlockRef } from "../domain/BlockRef.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Observation, UnknownReason } from "../domain/Evidence.js"
import type { Hex } from "../domain/Hex.js"
import type { Recipe } from "../domain/Recipe.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as BatchRead from "../facts/BatchRead.js"

/**
 * One account of a scripted chain. `storage` maps slots to words of any width; `calls` maps call data, or a selector
 * where no argument matters, to what is returned; see {@link reverts} for a revert.
 *
 * @since 0.1.0
 * @category models
 */
export interface Account {
  readonly code?: Hex | undefined
  /** The block that its code came with; from the first block on by default. */
  readonly since?: number | undefined
  readonly balance?: bigint | undefined
  readonly nonce?: number | undefined
  readonly storage?: { readonly [slot: Hex]: Hex } | undefined
  /** Its storage in the blocks before `until`, where that was another one. */
  readonly earlier?: { readonly until: number; readonly storage: { readonly [slot: Hex]: Hex } } | undefined
  readonly calls?: { readonly [data: Hex]: Answer } | undefined
}

/**
 * What a scripted call answers: bytes, an outcome, or a function of the request.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer = Hex | CallOutcome | ((request: CallRequest) => Hex | CallOutcome)

/**
 * A read, as a fault sees it: its JSON-RPC method, the account it is about and, for calls, the data.
 *
 * @since 0.1.0
 * @category models
 */
export interface Read {
  readonly method: string
  readonly address: Option.Option<Address.Address>
  readonly data: Option.Option<Hex>
}

/**
 * What a scripted chain is made of. What is not scripted is empty (no code, zero words, a revert of a contract that
 * does not know the call) or, for simulations, not supported, unless `unscripted` is `"defect"`, which makes such a read
 * a defect that names it.
 * `fault` makes the reads that it gives a reason for fail.
 *
 * @since 0.1.0
 * @category models
 */
export interface Script {
  readonly accounts?: { readonly [address: Hex]: Account } | undefined
  readonly logs?: ReadonlyArray<Partial<Log> & Pick<Log, "address" | "topics">> | undefined
  readonly logsComplete?: boolean | undefined
  readonly receipts?: { readonly [transactionHash: Hex]: Receipt } | undefined
  readonly transactions?: { readonly [transactionHash: Hex]: Transaction } | undefined
  readonly simulate?: ((request: SimulateRequest) => ReadonlyArray<ReadonlyArray<SimulatedCall>>) | undefined
  readonly capabilities?: Partial<Capabilities> | undefined
  readonly chain?: Partial<Chain> | undefined
  readonly block?: Partial<BlockRef> | undefined
  readonly fault?: ((read: Read) => UnknownReason | undefined) | undefined
  readonly unscripted?: "empty" | "defect" | undefined
}

/**
 * A revert, with its data.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reverts = (data: Hex = "0x"): CallOutcome => ({ _tag: "Reverted", data })

/**
 * A chain with given answers, for tests of facts and checks. Like the real one it answers equal reads once and lets
 * concurrent reads leave together, so that `spending` counts dependent levels as a network would see them (one request
 * a level; a scan or a simulation is a call like any other).
 *
 * @since 0.1.0
 * @category testing
 */
export const layer = (script: Script): Layer.Layer<ChainState> => Layer.sync(ChainState, () => make(script))

/**
 * The service behind {@link layer}.
 *
 * @since 0.1.0
 * @category testing
 */
export const make = (script: Script): ChainState["Type"] => {
  const accounts = new Map(
    Object.entries(script.accounts ?? {}).map(([address, account]) => [address.toLowerCase(), account] as const)
  )
  const block: BlockRef = {
    number: 1_000_000,
    hash: `0x${"b1".repeat(32)}`,
    timestamp: Timestamp.fromMillis(1_700_000_000_000),
    ...script.block
  }
  const chain: Chain = {
    id: 1,
    name: "scripted",
    shortName: "scripted",
    endpoints: ["http://127.0.0.1:1"],
    explorer: Option.none(),
    addressBook: 1,
    ...script.chain
  }
  const capabilities: Capabilities = {
    batch: true,
    blockByHash: true,
    codeOverride: true,
    blockOverride: true,
    simulateV1: true,
    archive: true,
    ...script.capabilities
  }
  const recipes = new Map<string, { readonly recipe: Recipe; readonly again: () => Hex }>()
  const seen = new Map<string, Deferred.Deferred<unknown, ChainError>>()
  let waiting: Array<() => void> = []
  let requests = 0

  const unscripted = <A>(read: Read, empty: A): A => {
    if (script.unscripted !== "defect") return empty
    const about = Option.getOrElse(read.address, () => "the chain")
    throw new Error(`not scripted: ${read.method} of ${about} ${Option.getOrElse(read.data, () => "")}`)
  }

  const ask = <A>(read: Read, params: unknown, answer: () => A, shown: (value: A) => unknown) =>
    Effect.suspend((): Effect.Effect<Reading<A>, ChainError> => {
      const key = CanonicalJson.stringify([read.method, params])
      const known = seen.get(key)
      if (known !== undefined) return Deferred.await(known as Deferred.Deferred<Reading<A>, ChainError>)
      const deferred = Deferred.unsafeMake<Reading<A>, ChainError>(FiberId.none)
      seen.set(key, deferred as Deferred.Deferred<unknown, ChainError>)
      const settle = Effect.suspend((): Effect.Effect<Reading<A>, ChainError> => {
        const isMissing = read.method === "eth_simulateV1" && script.simulate === undefined
        const reason =
          script.fault?.(read) ?? (isMissing && script.unscripted !== "defect" ? "method_unsupported" : undefined)
        if (reason !== undefined) {
          return Effect.fail(
            new ChainError({ reason, method: read.method, retryable: false, detail: "scripted fault" })
          )
        }
        return Effect.sync(() => {
          const value = answer()
          const asked: ReadonlyArray<unknown> = JSON.parse(JSON.stringify(Array.isArray(params) ? params : [params]))
          const params_hash = CanonicalJson.hash(asked)
          const observation = (): Observation => {
            recipes.set(`${read.method} ${params_hash}`, {
              recipe: { method: read.method, params_hash, params: asked },
              again: () => CanonicalJson.hash(shown(answer()))
            })
            return {
              method: read.method,
              params_hash,
              block_hash: block.hash,
              answer_hash: CanonicalJson.hash(shown(value))
            }
          }
          return { value, observation }
        })
      })
      waiting.push(() => Deferred.unsafeDone(deferred, settle))
      if (waiting.length === 1) {
        setTimeout(() => {
          const leaving = waiting
          waiting = []
          requests++
          for (const leave of leaving) leave()
        }, 0)
      }
      return Deferred.await(deferred)
    })

  const accountOf = (read: Read): Account => {
    const address = Option.getOrElse(read.address, () => Address.zero).toLowerCase()
    return accounts.get(address) ?? unscripted<Account>(read, {})
  }
  const about = (method: string, address: Address.Address, data: Option.Option<Hex> = Option.none()): Read => ({
    method,
    address: Option.some(address),
    data
  })

  const called = (request: CallRequest): CallOutcome => {
    const read: Read = {
      method: "eth_call",
      address: Option.fromNullable(request.to),
      data: Option.fromNullable(request.data)
    }
    const account = accountOf(read)
    const data = (request.data ?? "0x").toLowerCase() as Hex
    const calls = new Map(Object.entries(account.calls ?? {}).map(([key, value]) => [key.toLowerCase(), value]))
    const answer = calls.get(data) ?? calls.get(data.slice(0, 10))
    if (answer === undefined) {
      const empty: CallOutcome =
        (account.code ?? "0x") === "0x" ? { _tag: "Returned", data: "0x" } : { _tag: "Reverted", data: "0x" }
      return unscripted(read, empty)
    }
    const value = typeof answer === "function" ? answer(request) : answer
    return typeof value === "string" ? { _tag: "Returned", data: value } : value
  }

  return {
    chain,
    block,
    code: (address) => {
      const read = about("eth_getCode", address)
      return ask(
        read,
        [address],
        (): Hex => accountOf(read).code ?? "0x",
        (value) => value
      )
    },
    codeAt: (address, number) => {
      const read = about("eth_getCode", address)
      return ask(
        read,
        [address, number],
        (): Hex => {
          const { code = "0x", since = 0 } = accountOf(read)
          return number >= since ? code : "0x"
        },
        (value) => value
      )
    },
    storage: (address, slot) => {
      const read = about("eth_getStorageAt", address, Option.some(word(slot)))
      return ask(
        read,
        [address, word(slot)],
        () => wordOf(accountOf(read).storage, slot),
        (value) => value
      )
    },
    storageAt: (address, slot, number) => {
      const read = about("eth_getStorageAt", address, Option.some(word(slot)))
      return ask(
        read,
        [address, word(slot), number],
        () => {
          const { earlier, since = 0, storage } = accountOf(read)
          if (number < since) return word("0x0")
          return wordOf(earlier !== undefined && number < earlier.until ? earlier.storage : storage, slot)
        },
        (value) => value
      )
    },
    balance: (address) => {
      const read = about("eth_getBalance", address)
      return ask(
        read,
        [address],
        () => accountOf(read).balance ?? 0n,
        (value) => value.toString()
      )
    },
    nonce: (address) => {
      const read = about("eth_getTransactionCount", address)
      return ask(
        read,
        [address],
        () => accountOf(read).nonce ?? 0,
        (value) => value
      )
    },
    call: (request) => {
      // What makes one of many reads fail, makes the call fail that they are made in.
      let lost: UnknownReason | undefined
      const batched = BatchRead.answer(request.data ?? "0x", ({ data, to }) => {
        const inner: Read = { method: "eth_call", address: Option.some(Address.checksum(to)), data: Option.some(data) }
        lost ??= script.fault?.(inner)
        const outcome = called({ to: Address.checksum(to), data })
        return outcome._tag === "Returned" ? Option.some(outcome.data) : Option.none()
      })
      if (lost !== undefined) {
        return Effect.fail(
          new ChainError({ reason: lost, method: "eth_call", retryable: false, detail: "scripted fault" })
        )
      }
      const read: Read = {
        method: "eth_call",
        address: Option.fromNullable(request.to),
        data: Option.fromNullable(request.data)
      }
      const params = {
        ...request,
        value: request.value?.toString(),
        gas: request.gas?.toString(),
        gasPrice: request.gasPrice?.toString(),
        overrides: undefined
      }
      return ask(
        read,
        params,
        (): CallOutcome =>
          Option.match(batched, {
            onNone: () => called(request),
            onSome: (data) => ({ _tag: "Returned", data })
          }),
        (value) => value
      )
    },
    logs: (filter) =>
      ask(
        { method: "eth_getLogs", address: oneAddress(filter), data: Option.none() },
        filter,
        () => {
          const complete = script.logsComplete ?? true
          const logs = (script.logs ?? [])
            .map(
              (log, index): Log => ({
                data: "0x",
                blockNumber: index + 1,
                logIndex: 0,
                transactionHash: word("0x1"),
                ...log
              })
            )
            .filter((log) => matches(filter, log))
          const [first, last] = filter.blocks ?? [complete ? 0 : 1, block.number]
          const within = logs.filter(({ blockNumber }) => blockNumber >= first && blockNumber <= last)
          return {
            logs: within,
            fromBlock: Math.max(0, first),
            toBlock: Math.min(last, block.number),
            complete
          }
        },
        (value) => value
      ),
    receipt: (transactionHash) =>
      ask(
        { method: "eth_getTransactionReceipt", address: Option.none(), data: Option.some(transactionHash) },
        [transactionHash],
        () => Option.fromNullable(script.receipts?.[transactionHash]),
        (value) => Option.getOrNull(value)
      ),
    transaction: (transactionHash) =>
      ask(
        { method: "eth_getTransactionByHash", address: Option.none(), data: Option.some(transactionHash) },
        [transactionHash],
        () => Option.fromNullable(script.transactions?.[transactionHash]),
        (value) =>
          Option.getOrNull(
            Option.map(value, (found) => ({ ...found, to: Option.getOrNull(found.to), value: `${found.value}` }))
          )
      ),
    simulate: (request) =>
      ask(
        { method: "eth_simulateV1", address: Option.none(), data: Option.none() },
        JSON.parse(JSON.stringify(request, (_, value) => (typeof value === "bigint" ? value.toString() : value))),
        () => {
          if (script.simulate === undefined) throw new Error("not scripted: eth_simulateV1")
          return script.simulate(request)
        },
        (value) => value
      ),
    capabilities: Effect.succeed(capabilities),
    spending: Effect.sync(() => ({ requests, calls: seen.size, levels: requests })),
    recipes: Effect.sync(() => [...recipes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { recipe }]) => recipe)),
    repeat: ({ method, params_hash }) =>
      Effect.suspend(() => {
        const known = recipes.get(`${method} ${params_hash}`)
        return known === undefined
          ? Effect.fail(
              new ChainError({ reason: "method_unsupported", method, retryable: false, detail: "never observed" })
            )
          : Effect.succeed({ method, params_hash, block_hash: block.hash, answer_hash: known.again() })
      }),
    stillCanonical: Effect.succeed(true)
  }
}

const wordOf = (storage: Account["storage"], slot: Hex): Hex => {
  const stored = Object.entries(storage ?? {}).find(([key]) => word(key as Hex) === word(slot))
  return stored === undefined ? word("0x0") : word(stored[1])
}

const word = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`

const oneAddress = (filter: LogFilter): Option.Option<Address.Address> =>
  typeof filter.address === "string" ? Option.some(filter.address) : Option.none()

const matches = (filter: LogFilter, log: Log): boolean => {
  const wanted =
    filter.address === undefined ? [] : typeof filter.address === "string" ? [filter.address] : filter.address
  if (wanted.length > 0 && !wanted.includes(log.address)) return false
  return filter.topics.every((wantedTopic, place) => {
    if (wantedTopic === null) return true
    const options = typeof wantedTopic === "string" ? [wantedTopic] : wantedTopic
    return options.some((option) => option.toLowerCase() === log.topics[place]?.toLowerCase())
  })
}

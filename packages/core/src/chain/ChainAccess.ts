import type { HttpClient } from "@effect/platform"
import { Clock, Context, Duration, Effect, Either, Layer, Option, Scope } from "effect"
import type { BlockRef } from "../domain/BlockRef.js"
import * as Capabilities from "./Capabilities.js"
import { ChainError } from "./ChainError.js"
import type { ChainState } from "./ChainState.js"
import type { Chain } from "./Chains.js"
import * as Endpoint from "./Endpoint.js"
import * as JsonRpc from "./JsonRpc.js"
import * as PinnedState from "./PinnedState.js"
import * as RpcValue from "./RpcValue.js"
import * as Transport from "./Transport.js"

/**
 * The way to a chain's state: long-lived connections, from which each analysis takes one pinned view.
 *
 * @since 0.1.0
 * @category services
 */
export class ChainAccess extends Context.Tag("@assay/core/ChainAccess")<
  ChainAccess,
  {
    /**
     * Pins a block (the newest where none is given) and gives a view of it that may send at most `maxCalls` JSON-RPC
     * calls, retries included; seeing whether the block still stands is always possible. Closing the scope aborts what
     * is under way. With `apartFrom`, only endpoints that this other view was not read from are.
     */
    readonly pin: (options: {
      readonly chain: Chain
      readonly block: Option.Option<number>
      readonly maxCalls: number
      readonly apartFrom?: ChainState["Type"] | undefined
    }) => Effect.Effect<ChainState["Type"], ChainError, Scope.Scope>
  }
>() {}

/**
 * How endpoints are treated. `maxLogRequests` is how many ranges of blocks a scan of events may read (24);
 * `restAfterFailure` how long an endpoint that was found dead stands behind the others (30 s).
 *
 * @since 0.1.0
 * @category models
 */
export interface AccessOptions extends Endpoint.EndpointOptions {
  readonly maxLogRequests?: number | undefined
  readonly restAfterFailure?: Duration.DurationInput | undefined
}

/**
 * Reads plain Ethereum JSON-RPC endpoints over HTTP.
 *
 * @example
 * ```ts
 * import { Address, ChainAccess, Chains, ChainState } from "@assay/core"
 * import { FetchHttpClient } from "@effect/platform"
 * import { Effect, Layer, Option } from "effect"
 *
 * const chain = Chains.make({ id: 1, endpoints: ["http://127.0.0.1:8545"] })
 *
 * // Inside: every read is pinned to one block, and what is asked for at once leaves at once.
 * const program = Effect.gen(function* () {
 *   const state = yield* ChainState.ChainState
 *   const [code, balance] = yield* Effect.all([state.code(Address.zero), state.balance(Address.zero)], {
 *     concurrency: "unbounded"
 *   })
 *   return { code: code.value, balance: balance.value, spending: yield* state.spending }
 * })
 *
 * const pinned = Layer.scoped(
 *   ChainState.ChainState,
 *   Effect.flatMap(ChainAccess.ChainAccess, (access) => access.pin({ chain, block: Option.none(), maxCalls: 400 }))
 * )
 *
 * export const main = program.pipe(
 *   Effect.provide(pinned),
 *   Effect.provide(ChainAccess.layerJsonRpc()),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerJsonRpc = (
  options: AccessOptions & Transport.TransportOptions = {}
): Layer.Layer<ChainAccess, never, HttpClient.HttpClient> =>
  layerTransport(options).pipe(Layer.provide(Transport.layerHttpClient(options)))

/**
 * As `layerJsonRpc`, over a transport of the caller's: a fault injector, or another way to an endpoint.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerTransport = (options: AccessOptions = {}): Layer.Layer<ChainAccess, never, Transport.Transport> =>
  Layer.scoped(
    ChainAccess,
    Effect.gen(function* () {
      const transport = yield* Transport.Transport
      const scope = yield* Effect.scope
      const restAfterFailure = Duration.decode(options.restAfterFailure ?? "30 seconds")
      const maxLogRequests = options.maxLogRequests ?? 24
      // Endpoints outlive analyses, so that probes and heads are shared by them.
      const known = new Map<string, Endpoint.Endpoint>()
      const readBy = new WeakMap<ChainState["Type"], ReadonlySet<Endpoint.Endpoint>>()
      const endpointOf = (chainId: number, url: string) =>
        Effect.suspend(() => {
          const key = `${chainId} ${url}`
          const found = known.get(key)
          if (found !== undefined) return Effect.succeed(found)
          return Effect.map(
            Effect.provideService(Endpoint.make(transport, url, chainId, options), Scope.Scope, scope),
            (made) => {
              // Whoever was first stands, so that all share one probe.
              const first = known.get(key) ?? made
              known.set(key, first)
              return first
            }
          )
        })

      const blockAt = (endpoint: Endpoint.Endpoint, number: Option.Option<number>) =>
        Option.match(number, {
          onNone: () => endpoint.head,
          onSome: (height) =>
            Effect.flatMap(
              endpoint.send(
                [{ method: "eth_getBlockByNumber", params: [RpcValue.quantity(height), false] }],
                Endpoint.unmetered
              ),
              ([answer]) => Capabilities.headOf(answer ?? Either.left(JsonRpc.garbage("no answer")))
            )
        })

      const pin = Effect.fn("ChainAccess.pin")(function* (request: {
        readonly chain: Chain
        readonly block: Option.Option<number>
        readonly maxCalls: number
        readonly apartFrom?: ChainState["Type"] | undefined
      }) {
        const { chain } = request
        const avoided = request.apartFrom === undefined ? undefined : readBy.get(request.apartFrom)
        const configured = yield* Effect.forEach(chain.endpoints, (url) => endpointOf(chain.id, url))
        const all = configured.filter((endpoint) => avoided?.has(endpoint) !== true)
        const resting = yield* Effect.filter(all, (endpoint) => endpoint.isResting)
        const ordered = [...all.filter((endpoint) => !resting.includes(endpoint)), ...resting]
        const started = yield* Clock.currentTimeMillis
        const found = yield* firstThatAnswers(ordered, (endpoint) =>
          Effect.flatMap(endpoint.probe, () => blockAt(endpoint, request.block))
        ).pipe(
          // All were known to be down: rather ask again than fail on what they were a while ago. A second apart, so
          // that many who insist at once on dead endpoints ask them once.
          Effect.catchAll(() =>
            firstThatAnswers(ordered, (endpoint) =>
              Effect.flatMap(endpoint.probeSince(started - 1_000), () => blockAt(endpoint, request.block))
            )
          ),
          Effect.mapError(toPinError)
        )
        const others = ordered.filter((endpoint) => endpoint !== found.endpoint)
        const used = new Set([found.endpoint])
        const state = yield* PinnedState.make({
          chain,
          block: found.block,
          endpoints: [found.endpoint, ...others],
          maxCalls: request.maxCalls,
          maxLogRequests,
          restAfterFailure,
          onUse: (endpoint) => used.add(endpoint)
        })
        readBy.set(state, used)
        return state
      })
      return { pin }
    })
  )

const firstThatAnswers = (
  endpoints: ReadonlyArray<Endpoint.Endpoint>,
  read: (endpoint: Endpoint.Endpoint) => Effect.Effect<BlockRef, JsonRpc.Fault>
) =>
  Effect.gen(function* () {
    const faults: Array<JsonRpc.Fault> = []
    for (const endpoint of endpoints) {
      const block = yield* Effect.either(read(endpoint))
      if (Either.isRight(block)) return { endpoint, block: block.right }
      faults.push(block.left)
    }
    return yield* Effect.fail(faults)
  })

const toPinError = (faults: ReadonlyArray<JsonRpc.Fault>): ChainError => {
  const there = faults.filter((fault) => fault.kind !== "unreachable" && fault.kind !== "timeout").at(-1)
  return new ChainError({
    reason: there?.reason ?? "source_unavailable",
    method: "eth_getBlockByNumber",
    retryable: there?.retryable ?? true,
    detail: there?.detail ?? "no endpoint of this chain could be reached"
  })
}

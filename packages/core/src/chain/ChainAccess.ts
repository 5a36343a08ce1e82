import type * as HttpClient from "@effect/platform/HttpClient"
import { Clock, Context, Duration, Effect, Either, identity, Layer, Option, Redacted, Scope } from "effect"
import type { BlockRef } from "../domain/BlockRef.js"
import { ChainError } from "./ChainError.js"
import type { Chain } from "./Chains.js"
import type * as EndpointFailure from "./EndpointFailure.js"
import * as Capabilities from "./rpc/Capabilities.js"
import * as Endpoint from "./rpc/Endpoint.js"
import * as JsonRpc from "./rpc/JsonRpc.js"
import type { Priority, Turn } from "./rpc/Pace.js"
import * as RpcValue from "./rpc/RpcValue.js"
import * as Transport from "./rpc/Transport.js"
import type { ChainState } from "./state/ChainState.js"
import * as Lenses from "./state/Lenses.js"
import * as PinnedState from "./state/PinnedState.js"

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
     * calls, retries included; checking that the block is still canonical is always possible. Closing the scope aborts
     * running requests. With `apartFrom`, endpoints that this other view was read from are not used. With `insteadOf`,
     * the newest block is read again, because the block of this other view was replaced, and waiting calls keep their
     * place in the queue.
     *
     * Where an endpoint limits the rate, `interactive` analyses (the default) go before `scheduled` ones, and a call is sent
     * again until `waitUntil`, in epoch milliseconds; without it for as long as `AccessOptions.patience`. Fails with the
     * failure of each endpoint, in the order in which they are configured.
     */
    readonly pin: (options: {
      readonly chain: Chain
      readonly block: Option.Option<number>
      readonly maxCalls: number
      readonly apartFrom?: ChainState["Type"] | undefined
      readonly insteadOf?: ChainState["Type"] | undefined
      readonly priority?: Priority | undefined
      readonly waitUntil?: number | undefined
    }) => Effect.Effect<ChainState["Type"], ChainError, Scope.Scope>
  }
>() {}

/**
 * How endpoints are treated. `maxLogRequests` is how many ranges of blocks a scan of events may read (24);
 * `restAfterFailure` how long an endpoint that was found dead is tried after the others (30 s); `endpoints` the
 * settings of single ones, by their URL; `patience` for how long a call that is refused for its rate is sent again
 * where an analysis does not say until when (3 min); `lenses` whether reads travel in lenses from the first one on
 * (`"agrees"`), never (`"differs"`), or as soon as the endpoint has answered lenses as it answers plain reads
 * (`"unproven"`, the default); `onRequest` is called with every request once it is answered.
 *
 * @since 0.1.0
 * @category models
 */
export interface AccessOptions extends Omit<Endpoint.EndpointOptions, "limits" | "place" | "secrets"> {
  readonly maxLogRequests?: number | undefined
  readonly restAfterFailure?: Duration.DurationInput | undefined
  readonly endpoints?: ReadonlyMap<string, EndpointSettings> | undefined
  readonly lenses?: Lenses.Standing | undefined
}

/**
 * One request to an endpoint, which is named by its chain and its place among the endpoints of it, from 1: the method of each
 * call, why each has no answer (null where it has one; empty where the request was interrupted), how long the request waited
 * for its turn, and how long the answer took.
 *
 * @since 0.1.0
 * @category models
 */
export interface SentRequest extends Endpoint.Sent {}

/**
 * Settings of one endpoint: its limits, and the headers that it requires.
 *
 * @since 0.1.0
 * @category models
 */
export interface EndpointSettings {
  readonly limits?: Endpoint.Limits | undefined
  readonly headers?: Transport.Headers | undefined
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
 * // Inside: every read is pinned to one block, and reads made at the same time are sent together.
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
  layerTransport(options).pipe(
    Layer.provide(
      Transport.layerHttpClient({ headersOf: (url) => options.endpoints?.get(url)?.headers ?? {}, ...options })
    )
  )

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
      const given = yield* Transport.Transport
      // A transport of others that cannot be interrupted costs its requests, and no analysis waits for it.
      const transport: Transport.Transport["Type"] = {
        post: (url, body) => Effect.disconnect(Effect.suspend(() => given.post(url, body)))
      }
      const scope = yield* Effect.scope
      const restAfterFailure = Duration.decode(options.restAfterFailure ?? "30 seconds")
      const maxLogRequests = options.maxLogRequests ?? 24
      const patience = Duration.toMillis(options.patience ?? Endpoint.patience)
      // Endpoints outlive analyses, so that probes and heads are shared by them.
      const known = new Map<string, Endpoint.Endpoint>()
      const lensesOf = Lenses.perEndpoint(options.lenses)
      const readBy = new WeakMap<ChainState["Type"], ReadonlySet<Endpoint.Endpoint>>()
      const turns = new WeakMap<ChainState["Type"], Turn>()
      const endpointOf = (chain: Chain, url: string, index: number) =>
        Effect.suspend(() => {
          const key = `${chain.id} ${url}`
          const found = known.get(key)
          if (found !== undefined) return Effect.succeed(found)
          const { headers = {}, limits } = options.endpoints?.get(url) ?? {}
          const secrets = Object.values(headers).map(Redacted.value)
          return Effect.map(
            Effect.provideService(
              Endpoint.make(transport, url, chain.id, {
                ...options,
                limits,
                secrets,
                place: { chain: chain.name, endpoint: index + 1 }
              }),
              Scope.Scope,
              scope
            ),
            (made) => {
              // The first one is kept, so that all share one probe.
              const first = known.get(key) ?? made
              known.set(key, first)
              return first
            }
          )
        })

      const blockAt = (
        endpoint: Endpoint.Endpoint,
        number: Option.Option<number>,
        turn: Turn,
        since: Option.Option<number>
      ) =>
        Option.match(number, {
          onNone: () => Option.match(since, { onNone: () => endpoint.head, onSome: endpoint.headSince }),
          onSome: (height) =>
            Effect.flatMap(
              endpoint.send([{ method: "eth_getBlockByNumber", params: [RpcValue.quantity(height), false] }], {
                ...Endpoint.unmetered,
                turn
              }),
              ([answer]) => Capabilities.headOf(answer ?? Either.left(JsonRpc.garbage("no answer")))
            ).pipe(Effect.catchAll((fault) => Effect.flip(withoutBlock(endpoint, height, fault))))
        })

      const pin = Effect.fn("ChainAccess.pin")(function* (request: {
        readonly chain: Chain
        readonly block: Option.Option<number>
        readonly maxCalls: number
        readonly apartFrom?: ChainState["Type"] | undefined
        readonly insteadOf?: ChainState["Type"] | undefined
        readonly priority?: Priority | undefined
        readonly waitUntil?: number | undefined
      }) {
        const { chain } = request
        const started = yield* Clock.currentTimeMillis
        const replaced = Option.fromNullable(request.insteadOf)
        const turn = Option.getOrElse(
          Option.flatMapNullable(replaced, (state) => turns.get(state)),
          (): Turn => ({
            priority: request.priority ?? "interactive",
            since: started,
            until: request.waitUntil ?? started + patience
          })
        )
        const since = Option.as(replaced, started)
        const avoided = request.apartFrom === undefined ? undefined : readBy.get(request.apartFrom)
        const configured = yield* Effect.forEach(chain.endpoints, (url, index) => endpointOf(chain, url, index))
        const all = configured.filter((endpoint) => avoided?.has(endpoint) !== true)
        const resting = yield* Effect.filter(all, (endpoint) => endpoint.isResting)
        const ordered = [...(yield* byWait(all.filter((endpoint) => !resting.includes(endpoint)))), ...resting]
        const found = yield* firstThatAnswers(ordered, (endpoint) =>
          Effect.flatMap(Option.match(since, { onNone: () => endpoint.probe, onSome: endpoint.probeAfter }), () =>
            blockAt(endpoint, request.block, turn, since)
          )
        ).pipe(
          // All endpoints were down when last probed, so probe again before failing. Probes are at least a second
          // apart, so that many concurrent callers share one.
          Effect.catchAll(() =>
            firstThatAnswers(ordered, (endpoint) =>
              Effect.flatMap(endpoint.probeSince(started - 1_000), () => blockAt(endpoint, request.block, turn, since))
            )
          ),
          Effect.mapError(toPinError(chain, configured)),
          // Who has no patience waits for no turn, so there is nothing to be late for.
          turn.until > started
            ? (found) =>
                Effect.timeoutOption(found, Duration.millis(turn.until - started)).pipe(
                  Effect.flatMap(
                    Option.match({
                      onNone: () => tooLate(chain, configured),
                      onSome: (block) => Effect.succeed(block)
                    })
                  )
                )
            : identity
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
          lensesOf,
          turn,
          onUse: (endpoint) => used.add(endpoint)
        })
        readBy.set(state, used)
        turns.set(state, turn)
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
    const faults: Array<Failed> = []
    for (const [place, endpoint] of endpoints.entries()) {
      const isLast = place === endpoints.length - 1
      const block = yield* Effect.either(isLast ? read(endpoint) : Effect.raceFirst(read(endpoint), stalled(endpoint)))
      if (Either.isRight(block)) return { endpoint, block: block.right }
      faults.push({ endpoint, fault: block.left })
    }
    return yield* Effect.fail(faults)
  })

// In order of preference, but that who limits us longest comes last: the load is spread by what each endpoint takes.
const byWait = (endpoints: ReadonlyArray<Endpoint.Endpoint>) =>
  Effect.map(
    Effect.forEach(endpoints, (endpoint) => Effect.map(endpoint.backlog, (wait) => ({ endpoint, wait }))),
    (waits) =>
      waits
        .map(({ endpoint, wait }) => ({ endpoint, wait: wait < tolerableWait ? 0 : wait }))
        .sort((a, b) => a.wait - b.wait)
        .map(({ endpoint }) => endpoint)
  )

// Milliseconds: a wait that is no reason to prefer another endpoint, and one that is too long where there is another.
const tolerableWait = 500
const longWait = 2_000

// Fails when the rate limit of an endpoint has blocked every request for so long that another endpoint should be used.
const stalled = (endpoint: Endpoint.Endpoint): Effect.Effect<never, JsonRpc.Fault> =>
  Effect.suspend(() => Effect.delay(endpoint.backlog, "500 millis")).pipe(
    Effect.repeat({ while: (wait) => wait < longWait }),
    Effect.zipRight(
      Effect.fail(JsonRpc.fault({ reason: "rate_limited", retryable: true, detail: "the endpoint limits the rate" }))
    )
  )

interface Failed {
  readonly endpoint: Endpoint.Endpoint
  readonly fault: JsonRpc.Fault
}

// It has the newest block, or no look at this one would have been made.
const withoutBlock = (
  endpoint: Endpoint.Endpoint,
  block: number,
  fault: JsonRpc.Fault
): Effect.Effect<JsonRpc.Fault> =>
  fault.failure !== undefined || Capabilities.isSilent(fault)
    ? Effect.succeed(fault)
    : Effect.map(Effect.option(endpoint.head), (head) => ({
        ...fault,
        failure: {
          code: "block_not_found",
          block,
          newest: Option.getOrNull(Option.map(head, ({ number }) => number))
        }
      }))

const placed = (
  chain: Chain,
  configured: ReadonlyArray<Endpoint.Endpoint>,
  failureOf: (endpoint: Endpoint.Endpoint) => EndpointFailure.EndpointFailure | undefined
): ReadonlyArray<EndpointFailure.Placed> =>
  configured.flatMap((endpoint, place) => {
    const failure = failureOf(endpoint)
    return failure === undefined ? [] : [{ ...failure, chain: chain.name, endpoint: place + 1 }]
  })

const toPinError =
  (chain: Chain, configured: ReadonlyArray<Endpoint.Endpoint>) =>
  (failed: ReadonlyArray<Failed>): ChainError => {
    const faults = new Map(failed.map(({ endpoint, fault }) => [endpoint, fault]))
    const there = [...faults.values()].filter(({ kind }) => kind !== "unreachable" && kind !== "timeout").at(-1)
    return new ChainError({
      reason: there?.reason ?? "source_unavailable",
      method: "eth_getBlockByNumber",
      retryable: there?.retryable ?? true,
      detail: there?.detail ?? "no endpoint of this chain could be reached",
      endpoints: placed(chain, configured, (endpoint) => {
        const fault = faults.get(endpoint)
        return fault === undefined ? undefined : JsonRpc.failureOf(fault)
      })
    })
  }

const tooLate = (chain: Chain, configured: ReadonlyArray<Endpoint.Endpoint>) =>
  Effect.flatMap(
    Effect.forEach(configured, (endpoint) => Effect.map(endpoint.backlog, (wait) => [endpoint, wait] as const)),
    (waits) => {
      const wait = new Map(waits)
      return new ChainError({
        reason: "rate_limited",
        method: "eth_getBlockByNumber",
        retryable: true,
        detail: "no endpoint of this chain answered in the time that there was",
        endpoints: placed(chain, configured, (endpoint) =>
          (wait.get(endpoint) ?? 0) > 0 ? { code: "rate_limited" } : { code: "timeout", after_ms: null }
        )
      })
    }
  )

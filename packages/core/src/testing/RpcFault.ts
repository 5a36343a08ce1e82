import { Context, Effect, Layer } from "effect"
import { Transport, TransportError, type TransportReply } from "../chain/rpc/Transport.js"
import * as CanonicalJson from "../domain/CanonicalJson.js"

/**
 * A JSON-RPC call on its way to an endpoint. `key` is the method and the RFC 8785 JSON of the params: the same question
 * has the same key whichever id, batch or endpoint it travels in. `nth` counts the sendings of this key, from 1, and
 * `request` the HTTP requests: calls of one batch have the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface SeenCall {
  readonly url: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly key: string
  readonly nth: number
  readonly request: number
}

/**
 * What goes wrong.
 *
 * With the whole HTTP request that the call travels in:
 * - `unreachable`, `timeout` (at once, without waiting for it), `http_429`, `http_503`, `not_json` (a web page).
 *
 * With this call alone, also within a batch:
 * - `rate_limited` (-32005), `method_missing` (-32601), `internal_error` (-32603), `pruned` (missing trie node),
 *   `execution_aborted` (the node's own time limit), `log_limit` (too many results);
 * - `absent` (no answer to it), `wrong_id` (an answer to another one), `empty` (a null result), `garbage` (a number
 *   where text belongs), `wrong_chain` (the result of `eth_chainId` on another chain);
 * - `blank`: the result `0x`, which a node that ignores an override gives, and a lie that only a second reading shows.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = RequestKind | CallKind

type RequestKind = "unreachable" | "timeout" | "http_429" | "http_503" | "not_json"

type CallKind =
  | "rate_limited"
  | "method_missing"
  | "internal_error"
  | "pruned"
  | "execution_aborted"
  | "log_limit"
  | "absent"
  | "wrong_id"
  | "empty"
  | "garbage"
  | "wrong_chain"
  | "blank"

/**
 * Every kind under which a call gets no usable answer, so that evidence read by it must become unknown. `blank` is not
 * among them, and `wrong_chain` makes sense for `eth_chainId` alone.
 *
 * @since 0.1.0
 * @category constructors
 */
export const kinds: ReadonlyArray<Kind> = [
  "unreachable",
  "timeout",
  "http_429",
  "http_503",
  "not_json",
  "rate_limited",
  "method_missing",
  "internal_error",
  "pruned",
  "execution_aborted",
  "log_limit",
  "absent",
  "wrong_id",
  "empty",
  "garbage"
]

/**
 * Eight kinds that differ in how they come: a request that fails, one that is limited, one method, old state, events, an
 * answer of another type, another chain behind the same address, and nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const typical: ReadonlyArray<Kind> = [
  "timeout",
  "http_429",
  "method_missing",
  "pruned",
  "log_limit",
  "garbage",
  "wrong_chain",
  "empty"
]

/**
 * Whether a kind of fault can befall a call: the answer of another chain shows in `eth_chainId` alone, elsewhere it would
 * be a lie that nobody can see.
 *
 * @since 0.1.0
 * @category combinators
 */
export const befalls = (kind: Kind, method: string): boolean => kind !== "wrong_chain" || method === "eth_chainId"

/**
 * Whether a kind of fault takes all calls of the HTTP request with it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOfRequest = (kind: Kind): kind is RequestKind => kind in replies

/**
 * Which calls fail, and how. The first rule that admits a call decides.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly when: (call: SeenCall) => boolean
  readonly kind: Kind
}

/**
 * Stands between the engine and its endpoints, counts every JSON-RPC call and fails the configured ones.
 *
 * A test that fails each single call in turn runs once to learn the keys of `seen`, then once a key:
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { RpcFault } from "@assay/core/testing"
 *
 * const eachInTurn = <A, E, R>(analysis: Effect.Effect<A, E, R>, kind: RpcFault.Kind) =>
 *   Effect.gen(function* () {
 *     const faults = yield* RpcFault.RpcFault
 *     yield* analysis
 *     const keys = new Set((yield* faults.seen).map(({ key }) => key))
 *     return yield* Effect.forEach(keys, (key) =>
 *       Effect.zipRight(
 *         faults.replace([{ when: (call) => call.key === key, kind }]),
 *         Effect.map(Effect.exit(analysis), (exit) => ({ key, exit }))
 *       )
 *     )
 *   })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class RpcFault extends Context.Tag("@assay/core/testing/RpcFault")<
  RpcFault,
  {
    /** From now on these rules hold, and no others; none heals everything. */
    readonly replace: (rules: ReadonlyArray<Rule>) => Effect.Effect<void>
    /** Every call so far, in the order of sending, whether it was failed or not. */
    readonly seen: Effect.Effect<ReadonlyArray<SeenCall>>
    /** HTTP requests so far. */
    readonly requests: Effect.Effect<number>
    /** Starts counting anew, keys' `nth` included; the rules stay. */
    readonly forget: Effect.Effect<void>
  }
>() {}

/**
 * Puts the injector before the transport that is given.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<RpcFault | Transport, never, Transport> = Layer.effectContext(
  Effect.map(Transport, (transport) => {
    let rules: ReadonlyArray<Rule> = []
    let seen: Array<SeenCall> = []
    let counts = new Map<string, number>()
    let requests = 0

    const see = (url: string, body: RequestItem): Faulty => {
      const key = keyOf(body.method, body.params)
      const nth = (counts.get(key) ?? 0) + 1
      counts.set(key, nth)
      const call: SeenCall = { url, method: body.method, params: body.params, key, nth, request: requests }
      seen.push(call)
      return { id: body.id, kind: rules.find((rule) => rule.when(call))?.kind }
    }

    const post: Transport["Type"]["post"] = (url, body) =>
      Effect.suspend(() => {
        requests++
        const items = parseRequest(body).map((item) => see(url, item))
        const whole = items.flatMap(({ kind }) => (kind !== undefined && isOfRequest(kind) ? [kind] : []))[0]
        if (whole !== undefined) return replies[whole]
        const faults = new Map(items.flatMap(({ id, kind }) => (kind === undefined ? [] : [[id, kind as CallKind]])))
        const reply = transport.post(url, body)
        return faults.size === 0 ? reply : Effect.map(reply, (given) => ({ ...given, body: spoil(given.body, faults) }))
      })

    return Context.make(Transport, { post }).pipe(
      Context.add(RpcFault, {
        replace: (next) =>
          Effect.sync(() => {
            rules = next
          }),
        seen: Effect.sync(() => [...seen]),
        requests: Effect.sync(() => requests),
        forget: Effect.sync(() => {
          seen = []
          counts = new Map()
          requests = 0
        })
      })
    )
  })
)

/**
 * The key of a call: its method and the RFC 8785 JSON of its params.
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyOf = (method: string, params: ReadonlyArray<unknown>): string =>
  `${method} ${CanonicalJson.stringify(params)}`

interface RequestItem {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

interface Faulty {
  readonly id: unknown
  readonly kind: Kind | undefined
}

const parseRequest = (body: string): ReadonlyArray<RequestItem> => {
  const json = JSON.parse(body) as RequestItem | ReadonlyArray<RequestItem>
  return "method" in json ? [json] : json
}

const reply = (status: number, body: string, headers: TransportReply["headers"] = {}): TransportReply => ({
  status,
  headers,
  body
})

const replies: { readonly [Kind in RequestKind]: Effect.Effect<TransportReply, TransportError> } = {
  unreachable: Effect.fail(new TransportError({ reason: "unreachable" })),
  timeout: Effect.fail(new TransportError({ reason: "timeout" })),
  http_429: Effect.succeed(reply(429, "too many requests", { "retry-after": "0" })),
  http_503: Effect.succeed(reply(503, "<html>unavailable</html>")),
  not_json: Effect.succeed(reply(200, "<html>welcome</html>"))
}

const error = (code: number, message: string) => ({ error: { code, message } })

const answers: { readonly [Kind in Exclude<CallKind, "absent" | "wrong_id">]: object } = {
  rate_limited: error(-32005, "rate limit exceeded"),
  method_missing: error(-32601, "the method does not exist/is not available"),
  internal_error: error(-32603, "internal error"),
  pruned: error(-32000, "missing trie node 0f7c (path ) state 0x0f7c is not available"),
  execution_aborted: error(-32000, "execution aborted (timeout = 5s)"),
  log_limit: error(-32005, "query returned more than 10000 results"),
  empty: { result: null },
  garbage: { result: 7 },
  wrong_chain: { result: "0x5afe" },
  blank: { result: "0x" }
}

const spoil = (body: string, faults: ReadonlyMap<unknown, CallKind>): string => {
  const json = JSON.parse(body) as { readonly id: unknown } | ReadonlyArray<{ readonly id: unknown }>
  const spoilOne = (item: { readonly id: unknown }): ReadonlyArray<object> => {
    const kind = faults.get(item.id)
    if (kind === undefined) return [item]
    if (kind === "absent") return []
    if (kind === "wrong_id") return [{ ...item, id: 1_000_000 }]
    return [{ jsonrpc: "2.0", id: item.id, ...answers[kind] }]
  }
  const items = ("id" in json ? [json] : json).flatMap(spoilOne)
  return JSON.stringify("id" in json ? (items[0] ?? {}) : items)
}

import * as Transport from "@assay/core/chain/rpc/Transport"
import { Duration, Effect } from "effect"

/**
 * A wallet or a client that forwards JSON-RPC calls (EIP-1193): `window.ethereum`, a client of viem, or with `send` a
 * provider of ethers. Only read methods are requested of it.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1193
 */
export type Eip1193Provider =
  | { readonly request: (call: { readonly method: never; readonly params?: never }) => Promise<unknown> }
  | { readonly send: (method: string, params: Array<unknown>) => Promise<unknown> }

/** Whether a value has one of the two methods. */
export const isProvider = (value: unknown): value is Eip1193Provider =>
  typeof value === "object" &&
  value !== null &&
  (("request" in value && typeof value.request === "function") || ("send" in value && typeof value.send === "function"))

interface RpcRequest {
  readonly id: number | string
  readonly method: string
  readonly params: Array<unknown>
}

/**
 * Sends the JSON-RPC body of a transport call by call. What the provider throws becomes the error object that its endpoint
 * gave, as far as the provider kept it.
 */
export const post = (
  provider: Eip1193Provider,
  body: string,
  timeout: Duration.DurationInput = "20 seconds"
): Effect.Effect<Transport.TransportReply, Transport.TransportError> => {
  const parsed: RpcRequest | ReadonlyArray<RpcRequest> = JSON.parse(body)
  const calls = Array.isArray(parsed) ? parsed : [parsed]
  return Effect.forEach(calls, (call) => answer(provider, call), { concurrency: "unbounded" }).pipe(
    Effect.map((answers) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Array.isArray(parsed) ? answers : answers[0])
    })),
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new Transport.TransportError({ reason: "timeout", afterMillis: Duration.toMillis(timeout) })
    })
  )
}

const answer = (provider: Eip1193Provider, { id, method, params }: RpcRequest) =>
  Effect.tryPromise({
    // It may throw before there is a promise.
    try: () => Promise.resolve().then(() => requested(provider, method, params)),
    catch: (thrown) => thrown
  }).pipe(
    // JSON has no undefined, and a provider that knows nothing of a method may return it.
    Effect.map((result) => (result === undefined ? refusal(id, notImplemented) : { jsonrpc: "2.0", id, result })),
    Effect.catchAll((thrown) => {
      const error = errorOf(thrown)
      return error === undefined || disconnected.has(error.code)
        ? Effect.fail(new Transport.TransportError({ reason: "unreachable" }))
        : Effect.succeed(refusal(id, declined.has(error.code) ? { ...error, code: notImplemented.code } : error))
    })
  )

const requested = (provider: Eip1193Provider, method: string, params: Array<unknown>): Promise<unknown> =>
  "request" in provider
    ? (provider.request as (call: object) => Promise<unknown>)({ method, params })
    : provider.send(method, params)

interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

const refusal = (id: RpcRequest["id"], error: RpcError) => ({ jsonrpc: "2.0", id, error })

const notImplemented: RpcError = { code: -32601, message: "the provider does not implement this method" }

// EIP-1193: the user rejected it, the method is not authorised, the method is not supported.
const declined: ReadonlySet<number> = new Set([4001, 4100, 4200])

// EIP-1193: disconnected from all chains, or from this one.
const disconnected: ReadonlySet<number> = new Set([4900, 4901])

/**
 * The JSON-RPC error in what a provider threw: the innermost one, since clients wrap what the endpoint said, and the
 * nearest data of a revert.
 */
const errorOf = (thrown: unknown): RpcError | undefined => {
  const found = layersOf(thrown)
    .filter((layer) => Number.isInteger(layer.code))
    .at(-1)
  if (found === undefined) return undefined
  const data = layersOf(thrown)
    .map((layer) => dataOf(layer.data))
    .filter((each) => each !== undefined)
    .at(-1)
  return { code: Number(found.code), message: textOf(found), ...(data === undefined ? {} : { data }) }
}

interface Layer {
  readonly [member: string]: unknown
}

const isLayer = (value: unknown): value is Layer => typeof value === "object" && value !== null

// `cause` of viem, `error` and `info.error` of ethers, `data.originalError` of wallets. A cycle ends with the bound.
const layersOf = (thrown: unknown): ReadonlyArray<Layer> => {
  const layers: Array<Layer> = []
  let inner: unknown = thrown
  while (isLayer(inner) && layers.length < 10) {
    layers.push(inner)
    const { cause, data, error, info }: Layer = inner
    inner = [cause, error, isLayer(info) ? info.error : undefined, isLayer(data) ? data.originalError : undefined].find(
      isLayer
    )
  }
  return layers
}

const dataOf = (data: unknown): string | undefined => {
  if (typeof data === "string" && /^0x[0-9a-fA-F]*$/.test(data)) return data
  return isLayer(data) && "data" in data ? dataOf(data.data) : undefined
}

// viem's `message` has the URL of its endpoint; `details` has what the endpoint said.
const textOf = ({ details, message, shortMessage }: Layer): string => {
  const text = [details, shortMessage, message].find((each) => typeof each === "string") ?? "an error without a message"
  return String(text).replaceAll(/\b[a-z]+:\/\/\S+/gi, "an endpoint")
}

import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as Transport from "@assay/core/chain/rpc/Transport"
import type * as HttpClient from "@effect/platform/HttpClient"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import * as AssayErrors from "./AssayError.js"
import { AssayError } from "./AssayError.js"
import * as Eip1193 from "./Eip1193.js"

/**
 * How a chain is reached: a URL, a URL with its limits and headers, or a provider.
 */
export type Endpoint = string | EndpointOptions | Eip1193.Eip1193Provider

/**
 * A JSON-RPC endpoint with what is known of it: the headers that it requires, and its limits, which are found out where
 * they are not stated. `batch` is how many calls it takes in one request, 1 for none; `logBlocks` how many blocks in one
 * `eth_getLogs`.
 */
export interface EndpointOptions {
  readonly url: string
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly callsPerSecond?: number | undefined
  readonly requestsPerSecond?: number | undefined
  readonly batch?: number | undefined
  readonly logBlocks?: number | undefined
}

/**
 * A chain that is not named as in the table of chains. `id` is its EIP-155 chain id; `explorer` a URL that takes
 * `/address/…`; `addressBook` the chain with the known addresses that hold there, which differs from `id` on a local fork.
 */
export interface ChainOptions {
  readonly id: number
  readonly endpoints: Endpoint | readonly [Endpoint, ...ReadonlyArray<Endpoint>]
  readonly explorer?: string | undefined
  readonly addressBook?: number | undefined
}

/**
 * Chains by name (`ethereum`, `base`) or id (`8453`), each with an endpoint or several in order of preference.
 */
export interface ChainsOption {
  readonly [nameOrId: string]: Endpoint | readonly [Endpoint, ...ReadonlyArray<Endpoint>] | ChainOptions
}

/** Chains that can be read. */
export interface Readable {
  readonly chains: readonly [Chains.Chain, ...Array<Chains.Chain>]
  readonly settings: ReadonlyMap<string, ChainAccess.EndpointSettings>
  readonly transport: Layer.Layer<Transport.Transport, never, HttpClient.HttpClient>
}

/** Reads the option; throws an `AssayError` that says what is wrong with it. */
export const parse = (option: ChainsOption): Readable =>
  Either.getOrThrowWith(
    Either.try(() => read(option)),
    AssayErrors.of
  )

const read = (option: ChainsOption): Readable => {
  const settings = new Map<string, ChainAccess.EndpointSettings>()
  const providers = new Map<string, Eip1193.Eip1193Provider>()
  const made = Object.entries(option).map(([name, given]) => {
    const known = isList(given) || typeof given === "string" || !("endpoints" in given) ? undefined : given
    const id = known?.id ?? idOf(name)
    const listed = known?.endpoints ?? (given as Endpoint | ReadonlyArray<Endpoint>)
    const urls = (isList(listed) ? listed : [listed]).map((endpoint, place) => {
      if (typeof endpoint === "string") return endpoint
      if (Eip1193.isProvider(endpoint)) {
        // What core calls it; it is never sent to.
        const url = `eip1193://${id}/${place + 1}`
        providers.set(url, endpoint)
        settings.set(url, { limits: { batch: 1 } })
        return url
      }
      if (typeof endpoint?.url !== "string")
        throw AssayError.make("invalid_option", `Endpoint ${place + 1} of ${name} is no URL and no provider.`)
      settings.set(endpoint.url, settingsOf(endpoint))
      return endpoint.url
    })
    const [first, ...others] = urls
    if (first === undefined) throw AssayError.make("invalid_option", `${name} has no endpoint; give a URL.`)
    return Chains.make({
      id,
      endpoints: [first, ...others],
      name: /^\d+$/.test(name) ? undefined : name,
      addressBook: known?.addressBook,
      explorer: known?.explorer === undefined ? undefined : Option.some(known.explorer)
    })
  })
  const [first, ...others] = made
  if (first === undefined)
    throw AssayError.make("invalid_option", 'No chain is given; give one, as in chains: { ethereum: "https://…" }.')
  return { chains: [first, ...others], settings, transport: transportOver(settings, providers) }
}

const isList = (value: unknown): value is ReadonlyArray<Endpoint> => Array.isArray(value)

const idOf = (name: string): number =>
  /^[1-9]\d{0,15}$/.test(name)
    ? Number(name)
    : Option.getOrThrowWith(Chains.idOf(name), () =>
        AssayError.make(
          "unsupported_chain",
          `No chain is known as ${JSON.stringify(name)}; give its id: ${JSON.stringify(name)}: { id: 1, endpoints: "https://…" }.`
        )
      )

const settingsOf = ({ batch, callsPerSecond, headers = {}, logBlocks, requestsPerSecond }: EndpointOptions) => ({
  limits: { batch, callsPerSecond, logBlocks, requestsPerSecond },
  headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, Redacted.make(value)]))
})

const transportOver = (
  settings: Readable["settings"],
  providers: ReadonlyMap<string, Eip1193.Eip1193Provider>
): Readable["transport"] =>
  Layer.effect(
    Transport.Transport,
    Effect.map(Transport.Transport, (http): Transport.Transport["Type"] => ({
      post: (url, body) => {
        const provider = providers.get(url)
        return provider === undefined ? http.post(url, body) : Eip1193.post(provider, body)
      }
    }))
  ).pipe(Layer.provide(Transport.layerHttpClient({ headersOf: (url) => settings.get(url)?.headers ?? {} })))

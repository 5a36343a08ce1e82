import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as Transport from "@assay/core/chain/Transport"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ConfigProvider, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as ServerConfig from "../ServerConfig.js"
import * as Sources from "../Sources.js"
import type { Progress } from "./Progress.js"
import { Refusal } from "./Refusal.js"
import * as Shell from "./Shell.js"

/**
 * Where a command reads: the endpoints of `--rpc`, else those of the settings, and the chain of `--chain`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wanted {
  readonly rpc: ReadonlyArray<string>
  readonly chain: Option.Option<string>
}

/**
 * The chain that is read, and the settings under which it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoints {
  readonly chain: Chains.Chain
  readonly config: ServerConfig.ServerConfig["Type"]
}

/**
 * Finds the chain. The id of the endpoints of `--rpc` is read from them; each of them has to serve that chain.
 *
 * @since 0.1.0
 * @category constructors
 */
export const find = (wanted: Wanted): Effect.Effect<Endpoints, Refusal, Shell.Shell> =>
  Effect.gen(function* () {
    const config = yield* configOf(wanted)
    const chains = yield* Effect.provide(
      Chains.Chains,
      Chains.layer(Redacted.value(config.chains), { default: config.defaultChain })
    )
    const chain = yield* Effect.mapError(chains.find(wanted.chain), () => {
      const known = chains.all.map(({ id, name }) => `${name} (${id})`).join(", ")
      return new Refusal({
        detail: `unknown chain; ${wanted.rpc.length === 0 ? "ASSAY_RPC_URLS has" : "the endpoint of --rpc serves"} ${known}; name one of these, or another endpoint with --rpc`
      })
    })
    return { chain, config }
  })

/**
 * As `find`, but every chain of the settings where none is named.
 *
 * @since 0.1.0
 * @category constructors
 */
export const findAll = (
  wanted: Wanted
): Effect.Effect<
  { readonly chains: ReadonlyArray<Chains.Chain>; readonly config: Endpoints["config"] },
  Refusal,
  Shell.Shell
> =>
  wanted.rpc.length > 0 || Option.isSome(wanted.chain)
    ? Effect.map(find(wanted), ({ chain, config }) => ({ chains: [chain], config }))
    : Effect.map(configOf(wanted), (config) => ({ chains: Redacted.value(config.chains), config }))

const configOf = (wanted: Wanted) =>
  Effect.gen(function* () {
    const { settings } = yield* Shell.Shell
    const [first, ...others] = wanted.rpc
    return yield* load(first === undefined ? settings : yield* given(settings, [first, ...others]))
  })

// What is set for the endpoints of the settings is not of these.
const given = (settings: Shell.Shell["Type"]["settings"], urls: readonly [string, ...Array<string>]) =>
  Effect.gen(function* () {
    const id = yield* chainIdOf(urls[0], 1)
    for (const [index, url] of urls.entries())
      if (index > 0 && (yield* chainIdOf(url, index + 1)) !== id)
        return yield* new Refusal({ detail: `endpoint ${index + 1} of --rpc serves another chain than the first one` })
    const kept = Object.entries(settings).filter(([name]) => !/^ASSAY_(?:RPC_|DEFAULT_CHAIN$)/.test(name))
    return { ...Object.fromEntries(kept), ASSAY_RPC_URLS: `${id}=${urls.join("|")}` }
  })

/**
 * An analyser that reads these endpoints and the sources of the settings, and tells its progress.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = ({ config }: Endpoints, progress: Progress) => {
  const endpoints = Redacted.value(config.endpoints)
  const watched = Layer.effect(Transport.Transport, Effect.map(Transport.Transport, progress.watching)).pipe(
    Layer.provide(transport(config))
  )
  return Analyzer.layer(Sources.checks(config.sources).map(progress.counting)).pipe(
    Layer.provide(Sources.layer(config.sources)),
    Layer.provideMerge(Layer.provide(ChainAccess.layerTransport({ endpoints }), watched)),
    Layer.provide(NodeHttpClient.layerUndici)
  )
}

/**
 * The way to these endpoints, with the headers that they ask for.
 *
 * @since 0.1.0
 * @category layers
 */
export const transport = (config: Endpoints["config"]): Layer.Layer<Transport.Transport> => {
  const endpoints = Redacted.value(config.endpoints)
  return Layer.provide(
    Transport.layerHttpClient({ headersOf: (url) => endpoints.get(url)?.headers ?? {} }),
    NodeHttpClient.layerUndici
  )
}

const load = (settings: Shell.Shell["Type"]["settings"]) => {
  const set = Shell.stated(settings)
  return ServerConfig.load({ terminal: true, names: [...set.keys()] }).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(set))),
    Effect.provide(NodeContext.layer),
    Effect.mapError(
      (error) =>
        new Refusal({
          detail:
            error.setting === "ASSAY_RPC_URLS"
              ? "no endpoint to read; give one with --rpc https://…, or set ASSAY_RPC_URLS=1=https://…"
              : error.message
        })
    )
  )
}

const Answer = Schema.parseJson(Schema.Struct({ result: Schema.String.pipe(Schema.pattern(/^0x[0-9a-fA-F]{1,13}$/)) }))

// The endpoint is named by its place: its URL may hold a secret.
const chainIdOf = (url: string, place: number): Effect.Effect<number, Refusal> => {
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url) || /[|,]/.test(url))
    return new Refusal({
      detail: `endpoint ${place} of --rpc is no URL; give one that begins with https:// or http://`
    })
  return Transport.Transport.pipe(
    Effect.flatMap((transport) =>
      transport.post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }))
    ),
    Effect.mapError(
      () =>
        new Refusal({
          detail: `endpoint ${place} of --rpc cannot be reached; check the URL, or give another with --rpc`
        })
    ),
    Effect.flatMap(({ body, status }) =>
      Effect.mapError(
        Schema.decode(Answer)(body),
        () =>
          new Refusal({
            detail: `endpoint ${place} of --rpc did not say which chain it serves (HTTP ${status}); give a JSON-RPC endpoint, and its key if it needs one`
          })
      )
    ),
    Effect.map(({ result }) => Number(result)),
    Effect.provide(Transport.layerHttpClient()),
    Effect.provide(NodeHttpClient.layerUndici)
  )
}

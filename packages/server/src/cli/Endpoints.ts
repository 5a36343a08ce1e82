import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as Sources from "@assay/core/analysis/Sources"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as EndpointFailure from "@assay/core/chain/EndpointFailure"
import * as Transport from "@assay/core/chain/rpc/Transport"
import * as ServedChain from "@assay/core/chain/ServedChain"
import * as Url from "@assay/core/domain/Url"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import * as OutboundProxies from "../OutboundProxies.js"
import * as ServerConfig from "../ServerConfig.js"
import type { Progress } from "./Progress.js"
import { Refusal } from "./Refusal.js"
import * as Shell from "./Shell.js"

/** Where a command reads: the endpoints of `--rpc`, else those of the settings, and the chain of `--chain`. */
export interface Wanted {
  readonly rpc: ReadonlyArray<string>
  readonly chain: Option.Option<string>
}

/** The chain that is read, and the settings under which it is. */
export interface Endpoints {
  readonly chain: Chains.Chain
  readonly config: ServerConfig.ServerConfig["Type"]
}

/** Finds the chain. The id of the endpoints of `--rpc` is read from them; each of them has to serve that chain. */
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

/** As `find`, but every chain of the settings where none is named. */
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
    const through = yield* loadProxies
    const id = yield* chainIdOf(urls[0], 1, through)
    for (const [index, url] of urls.entries())
      if (index > 0 && (yield* chainIdOf(url, index + 1, through)) !== id)
        return yield* new Refusal({ detail: `endpoint ${index + 1} of --rpc serves another chain than the first one` })
    const kept = Object.entries(settings).filter(([name]) => !/^ASSAY_(?:RPC_|DEFAULT_CHAIN$)/.test(name))
    return { ...Object.fromEntries(kept), ASSAY_RPC_URLS: `${id}=${urls.join("|")}` }
  })

/** The HTTP proxies of the settings. */
export const loadProxies: Effect.Effect<OutboundProxies.OutboundProxies, Refusal, Shell.Shell> = Effect.flatMap(
  Shell.Shell,
  ({ settings }) =>
    ServerConfig.loadProxies.pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Shell.stated(settings)))),
      Effect.mapError(({ message }) => new Refusal({ detail: message }))
    )
)

/**
 * An analyser that reads these endpoints and the sources of the settings, and reports its progress. An endpoint that
 * does not answer is named on standard error.
 */
export const layer = ({ config }: Endpoints, progress: Progress) => {
  const endpoints = Redacted.value(config.endpoints)
  const watched = Layer.effect(
    Transport.Transport,
    Effect.gen(function* () {
      const shell = yield* Shell.Shell
      return progress.watching(naming(yield* Transport.Transport, shell, config.proxies))
    })
  ).pipe(Layer.provide(transport(config)))
  return Analyzer.layer(Sources.checks(config.sources).map(progress.counting)).pipe(
    Layer.provide(Sources.layer(config.sources)),
    Layer.provideMerge(Layer.provide(ChainAccess.layerTransport({ endpoints }), watched)),
    Layer.provide(OutboundProxies.layer(config.proxies))
  )
}

/** The transport to these endpoints, with the headers that they require. */
export const transport = (config: Endpoints["config"]): Layer.Layer<Transport.Transport> => {
  const endpoints = Redacted.value(config.endpoints)
  return Layer.provide(
    Transport.layerHttpClient({ headersOf: (url) => endpoints.get(url)?.headers ?? {} }),
    OutboundProxies.layer(config.proxies)
  )
}

/** What an endpoint is called: scheme, host and port, since the rest of its URL may hold a secret. */
export const nameOf = (url: string): string =>
  Option.match(Url.parse(url), { onNone: () => "it", onSome: ({ origin }) => origin })

// One request that is lost may be a slow one, and is sent again. Two without an answer between them are the endpoint.
const naming = (
  transport: Transport.Transport["Type"],
  shell: Shell.Shell["Type"],
  proxies: OutboundProxies.OutboundProxies
): Transport.Transport["Type"] => {
  const lost = new Map<string, number>()
  return {
    post: (url, body) =>
      transport.post(url, body).pipe(
        Effect.tap(() => Effect.sync(() => lost.set(url, Math.min(0, lost.get(url) ?? 0)))),
        Effect.tapError(({ afterMillis, reason, systemCode }) => {
          const times = (lost.get(url) ?? 0) + 1
          if (reason === "too_large" || reason === "url_invalid" || times < 1) return Effect.void
          // It is named once.
          lost.set(url, times < 2 ? times : Number.NEGATIVE_INFINITY)
          if (times < 2) return Effect.void
          const { what } = EndpointFailure.phrase(
            reason === "timeout"
              ? { code: "timeout", after_ms: afterMillis ?? null }
              : { code: "endpoint_unreachable", system_code: systemCode ?? null }
          )
          return shell.writeError(
            `${shell.terminal.errors.erase}assay: ${nameOf(url)} ${what}${OutboundProxies.through(OutboundProxies.of(proxies, url))}\n`
          )
        })
      )
  }
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

const chainIdOf = (
  url: string,
  place: number,
  proxies: OutboundProxies.OutboundProxies
): Effect.Effect<number, Refusal, Shell.Shell> => {
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url) || /[|,]/.test(url))
    return new Refusal({
      detail: `endpoint ${place} of --rpc is no URL; give one that begins with https:// or http://`
    })
  const refused = ({ failure }: EndpointFailure.EndpointFailed) => {
    const { advice, what } = EndpointFailure.phrase(failure)
    const by = OutboundProxies.through(OutboundProxies.of(proxies, url))
    const check = by === "" ? "check the URL" : "check the URL and the proxy"
    return `endpoint ${place} of --rpc (${nameOf(url)}) ${what}${by}; ${advice ?? check}, or give another with --rpc`
  }
  return Effect.gen(function* () {
    const { writeError } = yield* Shell.Shell
    yield* Effect.forkScoped(
      Effect.delay(
        writeError(`assay: ${nameOf(url)} has not said yet which chain it serves; it is asked for up to 3 minutes\n`),
        noticeAfter
      )
    )
    return yield* ServedChain.make({ url })
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => new Refusal({ detail: refused(error) })),
    Effect.provide(Transport.layerHttpClient()),
    Effect.provide(OutboundProxies.layer(proxies))
  )
}

// Longer than a request may take, so that only an endpoint that refuses them is waited for.
const noticeAfter = "12 seconds"

import * as Url from "@assay/core/domain/Url"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import * as Network from "./Network.js"

/**
 * The HTTP proxies through which requests to the outside go, by the scheme of their URL, and which hosts are reached
 * directly. Loopback always is.
 *
 * @since 0.1.0
 * @category models
 */
export interface OutboundProxies {
  readonly http: Option.Option<OutboundProxy>
  readonly https: Option.Option<OutboundProxy>
  readonly isExcepted: (url: URL) => boolean
}

/**
 * One HTTP proxy. `shown` is its URL without user and password, `url` may hold them.
 *
 * @since 0.1.0
 * @category models
 */
export interface OutboundProxy {
  readonly url: Redacted.Redacted<string>
  readonly shown: string
}

/**
 * No proxy: every host is reached directly.
 *
 * @since 0.1.0
 * @category constructors
 */
export const none: OutboundProxies = { http: Option.none(), https: Option.none(), isExcepted: () => false }

/**
 * Reads `HTTP_PROXY` or `HTTPS_PROXY`: the URL of an HTTP proxy, or its host and port. On the left is what is expected.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (text: string): Either.Either<OutboundProxy, string> =>
  Option.match(Url.parse(text.includes("://") ? text : `http://${text}`), {
    onNone: () => Either.left(expected),
    onSome: (url) =>
      /^https?:$/.test(url.protocol) && isDecodable(url.username) && isDecodable(url.password)
        ? Either.right({ url: Redacted.make(url.href), shown: url.origin })
        : Either.left(expected)
  })

const expected = "the URL of an HTTP proxy, such as http://proxy.example:3128"

const isDecodable = (text: string): boolean => Option.isSome(Option.liftThrowable(decodeURIComponent)(text))

/**
 * Reads `NO_PROXY`: hosts with all their subdomains, addresses and CIDR ranges, each with a port or for every port,
 * between commas or spaces; `*` is every host. On the left is what is expected.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseExceptions = (text: string): Either.Either<OutboundProxies["isExcepted"], string> => {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "")
  return Either.map(Either.all(entries.map(parseException)), (found) => (url) => found.some((matches) => matches(url)))
}

const parseException = (entry: string): Either.Either<(url: URL) => boolean, string> => {
  if (entry === "*") return Either.right(() => true)
  // An IPv6 address has colons of its own; it has a port only where it is in brackets.
  const [, name = "", port = ""] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? ["", entry]
  const host = name.replace(/^\[|\]$/g, "").toLowerCase()
  const isOfPort = (url: URL) => port === "" || Number(port) === portOf(url)
  if (host.includes("/"))
    return Either.mapBoth(
      Either.try(() => Network.membership([host])),
      {
        onLeft: () => `hosts, addresses and CIDR ranges between commas, not ${JSON.stringify(entry)}`,
        onRight: (isMember) => (url: URL) => isOfPort(url) && isMember(hostOf(url))
      }
    )
  const domain = host.replace(/^\*?\./, "")
  return Either.right((url) => isOfPort(url) && (hostOf(url) === domain || hostOf(url).endsWith(`.${domain}`)))
}

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase()

/**
 * The proxy of requests to a URL; none where it is reached directly.
 *
 * @since 0.1.0
 * @category combinators
 */
export const of = (proxies: OutboundProxies, url: string): Option.Option<OutboundProxy> =>
  Option.flatMap(Url.parse(url), (parsed) =>
    isLocal(hostOf(parsed)) || proxies.isExcepted(parsed)
      ? Option.none()
      : parsed.protocol === "https:"
        ? proxies.https
        : proxies.http
  )

// 0.0.0.0 is this machine as well, and where local nodes say that they listen.
const isLocal = (host: string): boolean =>
  Network.isLoopback(host) || host.endsWith(".localhost") || host === "0.0.0.0" || host === "::"

/**
 * ` through the proxy http://…`, without its password, to end what is said of a URL that could not be reached; nothing
 * where it was reached directly.
 *
 * @since 0.1.0
 * @category combinators
 */
export const through = (proxy: Option.Option<OutboundProxy>): string =>
  Option.match(proxy, { onNone: () => "", onSome: ({ shown }) => ` through the proxy ${shown}` })

/**
 * The HTTP client of Node.js over these proxies: a URL of https goes through a tunnel (CONNECT), one of http is given to
 * the proxy. The proxy resolves the name. Where an answer does not come through a proxy, `failed` runs.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  proxies: OutboundProxies,
  failed: (proxy: OutboundProxy) => Effect.Effect<void> = () => Effect.void
): Layer.Layer<HttpClient.HttpClient> => {
  const all = [...Option.toArray(proxies.http), ...Option.toArray(proxies.https)]
  if (all.length === 0) return NodeHttpClient.layerUndici
  return Layer.scoped(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const direct = yield* opened(() => new Undici.Agent())
      const agents = new Map<OutboundProxy, Undici.Dispatcher>()
      for (const proxy of all) agents.set(proxy, yield* opened(() => new Undici.ProxyAgent(optionsOf(proxy))))
      const agentOf = (origin: unknown) =>
        Option.flatMapNullable(of(proxies, String(origin)), (proxy) => agents.get(proxy))
      const dispatcher = direct.compose(
        (dispatch) => (options, handler) =>
          Option.match(agentOf(options.origin), {
            onNone: () => dispatch(options, handler),
            onSome: (agent) => agent.dispatch(options, handler)
          })
      )
      return HttpClient.transform(NodeHttpClient.makeUndici(dispatcher), (answer, { url }) =>
        Effect.tapError(answer, () => Option.match(of(proxies, url), { onNone: () => Effect.void, onSome: failed }))
      )
    })
  )
}

const opened = (dispatcher: () => Undici.Dispatcher) =>
  Effect.acquireRelease(Effect.sync(dispatcher), (made) => Effect.promise(() => made.destroy()))

const optionsOf = ({ url }: OutboundProxy): Undici.ProxyAgent.Options => {
  const { origin, password, username } = new URL(Redacted.value(url))
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
  return {
    uri: origin,
    // Many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
    ...(username === "" && password === "" ? {} : { token: `Basic ${credentials}` })
  }
}

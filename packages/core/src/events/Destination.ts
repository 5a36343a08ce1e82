import { isIP } from "node:net"
import { Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import * as Url from "../domain/Url.js"
import { type Reach, reachOf } from "./PublicAddress.js"
import { Resolver } from "./Resolver.js"

/**
 * A URL that may be called, and the addresses that were found to be allowed: connect to these and to no other, because
 * the name may have another address a moment later.
 *
 * @since 0.1.0
 * @category models
 */
export interface Destination {
  readonly url: string
  readonly addresses: Arr.NonEmptyReadonlyArray<string>
}

/**
 * Decides where messages may be sent.
 *
 * @since 0.1.0
 * @category services
 */
export class Destinations extends Context.Tag("@assay/core/Destinations")<
  Destinations,
  {
    /** Parses a URL, resolves its host once, and checks every address that it has. The answer holds for this moment. */
    readonly check: (url: string) => Effect.Effect<Destination, WebhookUrlForbidden>
  }
>() {}

/**
 * What else than public addresses by https may be called: `allowHttp` for http, `allowPrivate` for hosts of the same
 * network or machine. Link-local addresses and the metadata services of clouds are never called. `ports` are those of public hosts; by default that of the
 * scheme, because other services than web servers listen on the others.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly allowHttp?: boolean | undefined
  readonly allowPrivate?: boolean | undefined
  readonly ports?: ReadonlyArray<number> | undefined
}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Destinations, never, Resolver> =>
  Layer.effect(
    Destinations,
    Effect.map(Resolver, (resolver) => {
      const schemes: ReadonlySet<string> = new Set(options.allowHttp === true ? ["https:", "http:"] : ["https:"])
      const reaches: ReadonlySet<Reach> = new Set(options.allowPrivate === true ? ["public", "private"] : ["public"])

      return {
        check: Effect.fn("Destinations.check")(function* (text: string) {
          const parsed = text.length > maxLength ? Option.none() : Url.parse(text)
          if (Option.isNone(parsed)) return yield* new WebhookUrlForbidden({ reason: "bad_url" })
          const url = parsed.value
          if (!schemes.has(url.protocol)) return yield* new WebhookUrlForbidden({ reason: "scheme" })
          if (url.username !== "" || url.password !== "") return yield* new WebhookUrlForbidden({ reason: "userinfo" })
          // An IPv4 address is in dotted decimals by now, whatever it was written in, and an IPv6 one in brackets.
          const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
          const addresses =
            isIP(host) === 0
              ? yield* Effect.mapError(
                  resolver.resolve(host),
                  () => new WebhookUrlForbidden({ reason: "unresolvable" })
                )
              : [host]
          if (!Arr.isNonEmptyReadonlyArray(addresses)) return yield* new WebhookUrlForbidden({ reason: "unresolvable" })
          // One is enough to refuse all: which of them is connected to is not ours to choose.
          if (!addresses.every((address) => reaches.has(reachOf(address))))
            return yield* new WebhookUrlForbidden({ reason: "address" })
          // A host of one's own network may listen anywhere.
          const isAnyPublic = addresses.some((address) => reachOf(address) === "public")
          if (isAnyPublic && !isAllowedPort(url, options.ports))
            return yield* new WebhookUrlForbidden({ reason: "port" })
          return { url: url.href, addresses }
        })
      }
    })
  )

const maxLength = 2048

// A URL drops the port of its scheme.
const isAllowedPort = ({ port, protocol }: URL, ports: Options["ports"]): boolean =>
  ports === undefined ? port === "" : ports.includes(Number(port || (protocol === "https:" ? 443 : 80)))

/**
 * Nothing is sent to such an address: it is no URL, of another scheme or port, with credentials in it, cannot be
 * resolved, or resolves to an address that is not public.
 *
 * @since 0.1.0
 * @category errors
 */
export class WebhookUrlForbidden extends Schema.TaggedError<WebhookUrlForbidden>()("WebhookUrlForbidden", {
  reason: Schema.Literal("bad_url", "scheme", "userinfo", "port", "unresolvable", "address")
}) {}

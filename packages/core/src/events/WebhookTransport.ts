import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction, Socket } from "node:net"
import { isIPv6 } from "node:net"
import { Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import type { Destination } from "./Destination.js"

/**
 * The response of an endpoint, without its body.
 *
 * @since 0.1.0
 * @category models
 */
export interface WebhookAnswer {
  readonly status: number
  readonly retryAfter: Option.Option<string>
}

/**
 * The exact message that is sent to an endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface WebhookMessage {
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/**
 * Sends one POST to a checked destination. It neither retries nor follows redirects.
 *
 * @since 0.1.0
 * @category services
 */
export class WebhookTransport extends Context.Tag("@assay/core/WebhookTransport")<
  WebhookTransport,
  {
    readonly post: (
      destination: Destination,
      message: WebhookMessage
    ) => Effect.Effect<WebhookAnswer, WebhookUnanswered>
  }
>() {}

/**
 * - `timeoutSeconds` (15): how long an endpoint has to respond.
 * - `maxBodyBytes` (64 KiB): how much of a response is read and discarded.
 * - `roots`: the PEM certificates to trust, instead of those of the runtime.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly timeoutSeconds?: number | undefined
  readonly maxBodyBytes?: number | undefined
  readonly roots?: ReadonlyArray<string> | undefined
}

/**
 * Sends with the HTTP client of the runtime: it connects to the checked addresses only, while certificate and `Host`
 * header are those of the name. Every message has its own connection, so that none outlives its check.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<WebhookTransport> =>
  Layer.succeed(WebhookTransport, {
    post: Effect.fn("WebhookTransport.post")((destination: Destination, message: WebhookMessage) => {
      const timeout = Duration.toMillis(Duration.seconds(options.timeoutSeconds ?? 15))
      const exchange = (outgoing: Http.ClientRequest) =>
        Effect.gen(function* () {
          const startedAt = yield* Clock.currentTimeMillis
          const response = yield* Effect.timeoutFail(answerOf(outgoing, message.body), {
            duration: timeout,
            onTimeout: () => new WebhookUnanswered({ reason: "timeout" })
          })
          const left = timeout - ((yield* Clock.currentTimeMillis) - startedAt)
          // Only the status counts; the rest is read so that a receiver that is still writing is not cut off.
          yield* Effect.timeoutOption(discard(response, options.maxBodyBytes ?? 64 * 1024), left)
          return {
            status: response.statusCode ?? 0,
            retryAfter: Option.fromNullable(response.headers["retry-after"])
          }
        })
      return Effect.acquireUseRelease(
        Effect.sync(() => open(destination, message, options.roots)),
        exchange,
        (outgoing) => Effect.sync(() => outgoing.destroy())
      )
    })
  })

const open = (
  { addresses, url }: Destination,
  { body, headers }: WebhookMessage,
  roots: Options["roots"]
): Http.ClientRequest => {
  const parsed = new URL(url)
  const shared: Http.RequestOptions = {
    method: "POST",
    agent: false,
    lookup: answering(addresses),
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "assay-webhooks",
      connection: "close"
    }
  }
  const outgoing =
    parsed.protocol === "https:"
      ? Https.request(parsed, roots === undefined ? shared : { ...shared, ca: [...roots] })
      : Http.request(parsed, shared)
  // An error after the response, or after the caller stopped waiting, must not end the process.
  return outgoing.on("error", () => {})
}

/** Answers a look-up with the checked addresses, whatever the name resolves to by now. */
const answering =
  (addresses: Destination["addresses"]): LookupFunction =>
  (_host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    if (all === true) callback(null, found)
    else callback(null, addresses[0], isIPv6(addresses[0]) ? 6 : 4)
  }

const answerOf = (outgoing: Http.ClientRequest, body: string): Effect.Effect<Http.IncomingMessage, WebhookUnanswered> =>
  Effect.async((resume) => {
    let phase: "connecting" | "handshake" | "sent" = "connecting"
    outgoing.once("socket", (socket: Socket) => {
      const isSecure = "encrypted" in socket
      socket.once("connect", () => {
        phase = isSecure ? "handshake" : "sent"
      })
      socket.once("secureConnect", () => {
        phase = "sent"
      })
    })
    outgoing.once("response", (response) => resume(Effect.succeed(response)))
    const fail = () => resume(new WebhookUnanswered({ reason: phase === "handshake" ? "tls" : "connection" }))
    outgoing.once("error", fail)
    // Without a response, as after an upgrade, the connection only closes.
    outgoing.once("close", fail)
    outgoing.end(body)
  })

const discard = (response: Http.IncomingMessage, maxBytes: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    let bytes = 0
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes >= maxBytes) response.destroy()
    })
    response.on("error", () => resume(Effect.void))
    response.once("close", () => resume(Effect.void))
  })

/**
 * There was no response. The cause is not given, because causes of the runtime contain the address.
 *
 * @since 0.1.0
 * @category errors
 */
export class WebhookUnanswered extends Schema.TaggedError<WebhookUnanswered>()("WebhookUnanswered", {
  reason: Schema.Literal("timeout", "connection", "tls")
}) {}

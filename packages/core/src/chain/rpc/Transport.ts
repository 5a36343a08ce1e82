import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as Url from "../../domain/Url.js"
import * as ContentCoding from "./ContentCoding.js"
import * as Outbound from "./Outbound.js"

/**
 * An HTTP response of any status: header names in lower case, the body as text, without the compression that it was sent with.
 * `undecodable` says why that could not be undone, where it could not.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransportReply {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
  readonly undecodable?: string | undefined
}

/**
 * Sends one POST with a JSON body to an endpoint: the only place where a chain read leaves the process. It neither
 * retries nor interprets the response, so a test can stand between it and the engine.
 *
 * @since 0.1.0
 * @category services
 */
export class Transport extends Context.Tag("@assay/core/Transport")<
  Transport,
  {
    readonly post: (url: string, body: string) => Effect.Effect<TransportReply, TransportError>
  }
>() {}

/**
 * How long an endpoint may take for a request, body included (10 s by default), the maximum size of its response (32 MiB by
 * default, compressed and not), and the headers that an endpoint requires, by its URL. Userinfo in a URL is sent as basic authentication.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransportOptions {
  readonly timeout?: Duration.DurationInput | undefined
  readonly maxBodyBytes?: number | undefined
  readonly headersOf?: ((url: string) => Headers) | undefined
}

/**
 * Request headers by name; values may be secrets.
 *
 * @since 0.1.0
 * @category models
 */
export interface Headers {
  readonly [name: string]: Redacted.Redacted<string>
}

/**
 * Sends with the platform's HTTP client, without trace headers, which would go to third parties, and without a span,
 * which would contain the endpoint's URL, a secret. Redirects are not followed: what is sent may hold a key.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerHttpClient = (options: TransportOptions = {}): Layer.Layer<Transport, never, HttpClient.HttpClient> =>
  Layer.effect(
    Transport,
    Effect.map(HttpClient.HttpClient, (platform) => {
      const allowed = Duration.decode(options.timeout ?? "10 seconds")
      const maxBytes = options.maxBodyBytes ?? 32 * 1024 * 1024
      const client = platform.pipe(
        HttpClient.withTracerPropagation(false),
        HttpClient.withTracerDisabledWhen(() => true),
        // A header with a key is for this endpoint alone.
        HttpClient.transformResponse(Outbound.unfollowed)
      )
      // What cannot be decompressed is passed as it came; its reader refuses it.
      const text = (response: HttpClientResponse.HttpClientResponse) =>
        Effect.flatMap(bytesOf(response, maxBytes), (bytes) =>
          ContentCoding.undo(bytes, response.headers["content-encoding"], maxBytes).pipe(
            Effect.map((decoded) => ({ body: new TextDecoder().decode(decoded), undecodable: undefined })),
            Effect.catchIf(
              ({ reason }) => reason === "undecodable",
              ({ detail }) => Effect.succeed({ body: new TextDecoder().decode(bytes), undecodable: detail })
            )
          )
        )
      const lost = (cause: HttpClientError.HttpClientError | ContentCoding.Unread) =>
        "detail" in cause
          ? new TransportError({ reason: cause.reason === "too_large" ? "too_large" : "unreachable" })
          : new TransportError({
              reason: cause.reason === "InvalidUrl" ? "url_invalid" : "unreachable",
              systemCode: Option.getOrUndefined(systemCodeOf(cause.cause))
            })
      const requestOf = (url: string, body: string) => {
        const headers = Object.entries(options.headersOf?.(url) ?? {})
        return HttpClientRequest.bodyText(request(url), body, "application/json").pipe(
          HttpClientRequest.setHeader("accept-encoding", ContentCoding.accepted),
          HttpClientRequest.setHeaders(headers.map(([name, value]) => [name, Redacted.value(value)] as const))
        )
      }
      return {
        post: (url, body) =>
          Effect.suspend(() =>
            isHttp(url)
              ? Effect.mapError(client.execute(requestOf(url, body)), lost)
              : Effect.fail(new TransportError({ reason: "url_invalid" }))
          ).pipe(
            Effect.flatMap((response) =>
              Effect.mapBoth(text(response), {
                onFailure: lost,
                onSuccess: (read) => ({ status: response.status, headers: response.headers, ...read })
              })
            ),
            Effect.timeoutFail({
              duration: allowed,
              onTimeout: () => new TransportError({ reason: "timeout", afterMillis: Duration.toMillis(allowed) })
            })
          )
      }
    })
  )

const bytesOf = (response: HttpClientResponse.HttpClientResponse, maxBytes: number) =>
  Effect.catchIf(
    ContentCoding.collect(response.stream, maxBytes),
    (cause) => cause instanceof HttpClientError.ResponseError && cause.reason === "EmptyBody",
    () => Effect.succeed(new Uint8Array())
  )

const isHttp = (url: string): boolean => Option.exists(Url.parse(url), ({ protocol }) => /^https?:$/.test(protocol))

/**
 * What the system calls the failure of a connection. Clients wrap it: fetch in a `TypeError`, Node.js in an
 * `AggregateError` where a name has several addresses.
 */
const systemCodeOf = (cause: unknown, depth = 0): Option.Option<string> => {
  if (typeof cause !== "object" || cause === null || depth > deepest) return Option.none()
  const { cause: inner, code, errors } = cause as { readonly [member: string]: unknown }
  if (typeof code === "string" && /^[A-Za-z][A-Za-z0-9_]{2,63}$/.test(code)) return Option.some(code)
  return Option.firstSomeOf(
    [inner, ...(Array.isArray(errors) ? errors : [])].map((nested) => systemCodeOf(nested, depth + 1))
  )
}

const deepest = 4

// A URL may hold a user and a password, which clients of fetch refuse to send unless as a header.
const request = (url: string): HttpClientRequest.HttpClientRequest => {
  const found = Url.parse(url)
  if (Option.isNone(found)) return HttpClientRequest.post(url)
  const parsed = found.value
  const { password, username } = parsed
  if (username === "" && password === "") return HttpClientRequest.post(url)
  parsed.username = ""
  parsed.password = ""
  return HttpClientRequest.basicAuth(HttpClientRequest.post(parsed.href), decode(username), decode(password))
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * No complete response arrived; `afterMillis` is how long it was waited for, `systemCode` what the system calls the failure
 * of the connection (`ECONNREFUSED`). `url_invalid`: this transport cannot send to such a URL. The cause is not included,
 * because causes of the platform contain the URL.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  reason: Schema.Literal("timeout", "unreachable", "too_large", "url_invalid"),
  afterMillis: Schema.optional(Schema.Number),
  systemCode: Schema.optional(Schema.String)
}) {}

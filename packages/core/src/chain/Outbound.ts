/** @internal */

import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, Option, Stream } from "effect"

/**
 * The platform's HTTP client, restricted for third-party services: no trace headers, which would identify our callers;
 * no spans, which would contain the URL and its key; no redirects, so that only the configured host is contacted; and
 * responses of bounded size.
 *
 * @since 0.1.0
 * @category constructors
 */
export const client = (platform: HttpClient.HttpClient, maxBodyBytes: number): HttpClient.HttpClient =>
  platform.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.transformResponse((response) => Effect.flatMap(unfollowed(response), bounded(maxBodyBytes)))
  )

// The client of fetch follows redirects unless told; the one of undici never does.
const unfollowed = <A, E, R>(response: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
    Effect.provideService(response, FetchHttpClient.RequestInit, {
      ...Option.getOrElse(init, () => ({})),
      redirect: "manual"
    })
  )

const bounded = (maxBodyBytes: number) => (response: HttpClientResponse.HttpClientResponse) =>
  Stream.runFoldEffect(response.stream, { bytes: 0, chunks: [] as ReadonlyArray<Uint8Array> }, (read, chunk) => {
    const bytes = read.bytes + chunk.byteLength
    return bytes > maxBodyBytes
      ? Effect.fail(refused(response, `more than ${maxBodyBytes} bytes`))
      : Effect.succeed({ bytes, chunks: [...read.chunks, chunk] })
  }).pipe(
    Effect.map(({ chunks }) => chunks),
    Effect.catchIf(
      (error) => error.reason === "EmptyBody",
      () => Effect.succeed([])
    ),
    Effect.flatMap((chunks) =>
      // An opaque redirect has status 0, which no response can be made of.
      response.status < 200 || response.status > 599
        ? refused(response, "no final answer")
        : Effect.succeed(
            HttpClientResponse.fromWeb(
              response.request,
              new Response(withoutBody.has(response.status) ? null : new Blob([...chunks]), {
                status: response.status,
                headers: response.headers
              })
            )
          )
    )
  )

// https://fetch.spec.whatwg.org/#null-body-status
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const refused = (response: HttpClientResponse.HttpClientResponse, description: string) =>
  new HttpClientError.ResponseError({ request: response.request, response, reason: "Decode", description })

/** @internal */

import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, Option } from "effect"
import * as ContentCoding from "./ContentCoding.js"

/**
 * The platform's HTTP client, restricted for third-party services: no trace headers, which would identify our callers;
 * no spans, which would contain the URL and its key; no redirects, so that only the configured host is contacted; and
 * responses of bounded size, also once they are decompressed.
 */
export const client = (platform: HttpClient.HttpClient, maxBodyBytes: number): HttpClient.HttpClient =>
  platform.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.mapRequest(HttpClientRequest.setHeader("accept-encoding", ContentCoding.accepted)),
    HttpClient.transformResponse((response) => Effect.flatMap(unfollowed(response), bounded(maxBodyBytes)))
  )

/** Follows no redirect. The fetch client does by default; the undici client never does. */
export const unfollowed = <A, E, R>(response: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
    Effect.provideService(response, FetchHttpClient.RequestInit, {
      ...Option.getOrElse(init, () => ({})),
      redirect: "manual"
    })
  )

const bounded = (maxBodyBytes: number) => (response: HttpClientResponse.HttpClientResponse) =>
  ContentCoding.collect(response.stream, maxBodyBytes).pipe(
    Effect.catchIf(
      (error) => error.reason === "EmptyBody",
      () => Effect.succeed(new Uint8Array())
    ),
    Effect.flatMap((body) =>
      Effect.catchIf(
        ContentCoding.undo(body, response.headers["content-encoding"], maxBodyBytes),
        // What it is not, its reader sees.
        ({ reason }) => reason === "undecodable",
        () => Effect.succeed(body)
      )
    ),
    Effect.mapError((error) => ("detail" in error ? refused(response, error.detail) : error)),
    Effect.flatMap((body) =>
      // An opaque redirect has status 0, which no response can be made of.
      response.status < 200 || response.status > 599
        ? refused(response, "no final answer")
        : Effect.succeed(
            HttpClientResponse.fromWeb(
              response.request,
              new Response(withoutBody.has(response.status) ? null : new Blob([body]), {
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

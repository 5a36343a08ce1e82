import type * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { type Effect, flow, identity, type Redacted } from "effect"
import { Api } from "./api/Api.js"

/**
 * The API as methods, `client.<group>.<endpoint>`; each fails with the problems declared by its endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export type Client =
  typeof Api extends HttpApi.HttpApi<infer _Id, infer Groups, infer E, infer _R>
    ? HttpApiClient.Client<Groups, E, never>
    : never

/**
 * A client derived from the API contract. Without a key it can create a key and use the public endpoints.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly baseUrl: string | URL
  readonly key?: Redacted.Redacted<string> | undefined
}): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformClient: flow(
      options.key === undefined ? identity : HttpClient.mapRequest(HttpClientRequest.bearerToken(options.key)),
      HttpClient.withTracerPropagation(false)
    )
  })

import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, type Redacted, Schema } from "effect"

/** A request of the HTTP API, by its path from `/api/v1` on. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: unknown
}

/** What the API answered: the body as JSON, null where there is none. */
export interface ApiResponse {
  readonly status: number
  readonly location: string | null
  readonly body: unknown
}

/**
 * Sends a request to the HTTP API of one server, as one caller. Interrupting it ends the wait; the server decides about the work.
 */
export type ApiExchange = (request: ApiRequest) => Effect.Effect<ApiResponse, Unreachable>

/** The server did not answer, or not with JSON. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { detail: Schema.String }) {}

/**
 * The API of a server at another address, with the key of the caller. `through` ends what is said where it does not answer.
 */
export const overHttp = (
  client: HttpClient.HttpClient,
  options: { readonly baseUrl: string; readonly key: Redacted.Redacted<string>; readonly through?: string }
): ApiExchange => {
  const baseUrl = options.baseUrl.replace(/\/+$/, "")
  const server = `the server at ${new URL(baseUrl).origin}`
  const through = options.through ?? ""
  return (request) =>
    HttpClientRequest.make(request.method)(`${baseUrl}${target(request)}`).pipe(
      HttpClientRequest.bearerToken(options.key),
      HttpClientRequest.acceptJson,
      (sent) => (request.body === undefined ? sent : HttpClientRequest.bodyUnsafeJson(sent, request.body)),
      client.execute,
      Effect.flatMap(({ headers, status, text }) =>
        Effect.map(text, (body) => ({ status, location: headers["content-location"] ?? null, body: parse(body) }))
      ),
      Effect.scoped,
      Effect.mapError(() => new Unreachable({ detail: `${server} did not answer${through}` })),
      Effect.filterOrFail(
        ({ body }) => body !== undefined,
        () => new Unreachable({ detail: `${server} did not answer with JSON${through}` })
      )
    )
}

/** The request target of a request: path and query. */
export const target = ({ path, query = {} }: ApiRequest): string => {
  const set = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]]
  )
  return `/api/v1${path}${set.length === 0 ? "" : `?${new URLSearchParams(set)}`}`
}

/** A body as JSON, null where it is empty and undefined where it is none. */
export const parse = (text: string): unknown => {
  if (text === "") return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

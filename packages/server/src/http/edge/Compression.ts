import { brotliCompress, constants, gzip } from "node:zlib"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"

/** The body size in bytes from which bodies are compressed; smaller ones fit into one packet anyway. */
export const minimumBytes = 1_024

/** A content coding that this server writes. */
export type Coding = "br" | "gzip"

/**
 * The coding that an Accept-Encoding header prefers, `br` on a tie; undefined where it accepts none, or prefers the body as
 * it is.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export const preferred = (acceptEncoding: string | undefined): Coding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const weights = new Map(acceptEncoding.split(",").map(parse))
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0
  // Plain bytes are accepted unless they are refused, but a coding that is named is what the client wishes for.
  const plain = weights.get("identity") ?? 0
  let best: { readonly coding: Coding; readonly weight: number } | undefined
  for (const coding of ["br", "gzip"] as const) {
    const weight = Math.max(weightOf(coding), coding === "gzip" ? (weights.get("x-gzip") ?? 0) : 0)
    if (weight > (best?.weight ?? 0) && weight >= plain) best = { coding, weight }
  }
  return best?.coding
}

const parse = (item: string): readonly [coding: string, weight: number] => {
  const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith("q="))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return [coding, Number.isFinite(weight) ? Math.min(1, Math.max(0, weight)) : 0]
}

/**
 * The conditional header fields of a request with the tags that the handlers make, whatever coding the client has them in.
 */
export const uncoded = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const plain: Record<string, string> = {}
  for (const name of conditions) {
    const tags = headers[name]
    if (tags !== undefined) plain[name] = tags.replace(suffix, '"')
  }
  return plain
}

const conditions = ["if-none-match", "if-match"]

// No tag of ours ends like this by itself: hashes have no plus, and forms of a result have other names.
const suffix = /\+(?:br|gzip)"/g

/**
 * The response in the coding that the client prefers, with an entity tag of its own. Streams, small bodies and what has a
 * coding already stay as they are. A 304 has the tag that the client sent.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3
 */
export const encode = (
  { headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body } = response
  const { etag } = response.headers
  if (response.status === 304 && etag !== undefined)
    return Effect.succeed(
      varied(HttpServerResponse.setHeader(response, "etag", tagSent(headers["if-none-match"], etag)))
    )
  if (body._tag !== "Uint8Array" || body.body.length < minimumBytes) return Effect.succeed(response)
  if (response.headers["content-encoding"] !== undefined) return Effect.succeed(response)
  const coding = preferred(headers["accept-encoding"])
  if (coding === undefined) return Effect.succeed(varied(response))
  return Effect.map(compress(coding, body.body), (bytes) =>
    varied(
      HttpServerResponse.setHeaders(
        HttpServerResponse.setBody(response, HttpBody.uint8Array(bytes, body.contentType)),
        {
          "content-encoding": coding,
          ...(etag === undefined ? {} : { etag: coded(etag, coding) })
        }
      )
    )
  ).pipe(Effect.orElseSucceed(() => varied(response)))
}

const coded = (etag: string, coding: Coding): string => etag.replace(/"$/, `+${coding}"`)

const tagSent = (known: string | undefined, etag: string): string =>
  (["br", "gzip"] as const).map((coding) => coded(etag, coding)).find((tag) => known?.includes(tag)) ?? etag

const varied = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(response, "vary", vary === undefined ? field : `${vary}, ${field}`)
}

const field = "Accept-Encoding"

// In the thread pool, so that no other request waits. Beyond level 5 brotli takes several times as long for 3 % less.
const compress = (coding: Coding, bytes: Uint8Array): Effect.Effect<Uint8Array, Error> =>
  Effect.async((resume) => {
    const done = (error: Error | null, compressed: Uint8Array) =>
      resume(error === null ? Effect.succeed(compressed) : Effect.fail(error))
    if (coding === "gzip") return gzip(bytes, done)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    brotliCompress(bytes, { params }, done)
  })

import * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Schema } from "effect"

/** The maximum size of a body in bytes. */
export const maxBytes = 64 * 1024

// A body slightly above the limit is read and discarded, so that a client that reads only after it has sent everything
// gets the response. Beyond this size the connection is closed after the response.
const maxDiscarded = 1024 * 1024

/** The request with a body that is read at most once and never past the limit. */
export const bounded = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<HttpServerRequest.HttpServerRequest> =>
  Effect.map(Effect.cached(bytes(request)), (read) => {
    const text = Effect.flatMap(read, (content) =>
      Effect.try({
        try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(content),
        catch: () => new BodyRefused({ reason: "malformed", detail: "The body is not UTF-8." })
      })
    )
    const asRequestError = Effect.mapError(
      (cause: BodyRefused) => new HttpServerError.RequestError({ request, reason: "Decode", cause })
    )
    return Object.create(request, {
      text: { value: asRequestError(text) },
      json: { value: isAbsent(request) ? Effect.succeed({}) : asRequestError(Effect.flatMap(text, parse)) }
    }) as HttpServerRequest.HttpServerRequest
  })

/** The JSON value of a request's body; an empty object where body and content type are absent. */
export const json = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, BodyRefused> =>
  Effect.suspend(() => {
    const { "content-encoding": encoding, "content-type": type } = request.headers
    if (encoding !== undefined && encoding.toLowerCase() !== "identity")
      return new BodyRefused({ reason: "unsupported_media_type", detail: "Compressed bodies are not supported." })
    if (isAbsent(request)) return Effect.succeed({})
    if (type === undefined || !jsonType.test(type.trim()))
      return new BodyRefused({ reason: "unsupported_media_type", detail: "Send content-type: application/json." })
    return Effect.catchTag(request.json, "RequestError", (error) =>
      error.cause instanceof BodyRefused
        ? error.cause
        : new BodyRefused({ reason: "malformed", detail: "The body ended early or could not be read." })
    )
  })

/** Whether a request has no body, whatever its content type: some clients always send one. */
export const isEmpty = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["content-length"] === "0" ||
  (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)

const isAbsent = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.headers["content-type"] === undefined && isEmpty(request)

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i

const parse = (text: string): Effect.Effect<unknown, BodyRefused> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () => new BodyRefused({ reason: "malformed", detail: "The body is not JSON." })
  })

const bytes = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array, BodyRefused> =>
  Effect.async((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const tooLarge = new BodyRefused({ reason: "too_large", detail: `A body may have at most ${maxBytes} bytes.` })
    const cutOff = new BodyRefused({ reason: "malformed", detail: "The body ended early or could not be read." })
    if (Number(request.headers["content-length"] ?? 0) > maxDiscarded) return resume(tooLarge)
    const chunks: Array<Uint8Array> = []
    let size = 0
    source.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else if (size > maxDiscarded) resume(tooLarge)
    })
    source.once("end", () => resume(size <= maxBytes ? Effect.succeed(Buffer.concat(chunks)) : tooLarge))
    source.once("error", () => resume(cutOff))
    source.once("close", () => resume(cutOff))
  })

/** The body is refused. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  reason: Schema.Literal("too_large", "unsupported_media_type", "malformed"),
  detail: Schema.String
}) {}

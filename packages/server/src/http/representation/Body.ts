import type { IncomingMessage } from "node:http"
import * as HttpServerError from "@effect/platform/HttpServerError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Data, Effect, Option, Schema, Stream } from "effect"
import * as NodeMessage from "./NodeMessage.js"

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
      json: {
        value: asRequestError(
          Effect.flatMap(text, (content) =>
            content === "" && request.headers["content-type"] === undefined ? Effect.succeed({}) : parse(content)
          )
        )
      }
    }) as HttpServerRequest.HttpServerRequest
  })

/** The JSON value of a request's body; an empty object where body and content type are absent. */
export const json = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, BodyRefused> =>
  Effect.suspend(() => {
    const { "content-encoding": encoding, "content-type": type } = request.headers
    if (encoding !== undefined && encoding.toLowerCase() !== "identity")
      return new BodyRefused({ reason: "unsupported_media_type", detail: "Compressed bodies are not supported." })
    const wrongType = new BodyRefused({
      reason: "unsupported_media_type",
      detail: "Send content-type: application/json."
    })
    if (type === undefined) return Effect.flatMap(isEmpty(request), (empty) => (empty ? Effect.succeed({}) : wrongType))
    return jsonType.test(type.trim()) ? refusing(request.json) : wrongType
  })

/** Whether a request has no body, whatever its content type: some clients always send one. */
export const isEmpty = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean, BodyRefused> => {
  const { "content-length": length, "transfer-encoding": coding } = request.headers
  if (length !== undefined || coding !== undefined) return Effect.succeed(length === "0")
  return Option.match(NodeMessage.of(request), {
    // HTTP/1.1 says the length of a body, or that it comes in chunks.
    onSome: ({ httpVersionMajor }) => (httpVersionMajor < 2 ? Effect.succeed(true) : isBlank(request)),
    onNone: () => isBlank(request)
  })
}

const isBlank = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean, BodyRefused> =>
  Effect.map(refusing(request.text), (text) => text === "")

const refusing = <A>(read: Effect.Effect<A, HttpServerError.RequestError>): Effect.Effect<A, BodyRefused> =>
  Effect.mapError(read, ({ cause }) => (cause instanceof BodyRefused ? cause : cutOff))

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?$/i

const parse = (text: string): Effect.Effect<unknown, BodyRefused> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () => new BodyRefused({ reason: "malformed", detail: "The body is not JSON." })
  })

const bytes = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array, BodyRefused> =>
  Effect.suspend(() => {
    if (Number(request.headers["content-length"] ?? 0) > maxDiscarded) return tooLarge
    return Option.match(NodeMessage.of(request), {
      onSome: ofMessage,
      // Only a web request is no message of Node.
      onNone: () => ofWeb(request.source as Request)
    })
  })

/** The body is refused. */
export class BodyRefused extends Schema.TaggedError<BodyRefused>()("BodyRefused", {
  reason: Schema.Literal("too_large", "unsupported_media_type", "malformed"),
  detail: Schema.String
}) {}

const tooLarge = new BodyRefused({ reason: "too_large", detail: `A body may have at most ${maxBytes} bytes.` })
const cutOff = new BodyRefused({ reason: "malformed", detail: "The body ended early or could not be read." })

const ofMessage = (source: IncomingMessage): Effect.Effect<Uint8Array, BodyRefused> =>
  Effect.async((resume) => {
    if (source.readableDidRead) return resume(Effect.die(new BodyConsumed()))
    if (source.destroyed) return resume(cutOff)
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

const ofWeb = ({ body, bodyUsed }: Request): Effect.Effect<Uint8Array, BodyRefused> => {
  if (bodyUsed || body?.locked === true) return Effect.die(new BodyConsumed())
  if (body === null) return Effect.succeed(new Uint8Array())
  return Stream.fromReadableStream(
    () => body,
    () => cutOff
  ).pipe(
    Stream.runFoldWhile(
      { chunks: [] as ReadonlyArray<Uint8Array>, size: 0 },
      ({ size }) => size <= maxDiscarded,
      ({ chunks, size }, chunk) => ({
        size: size + chunk.length,
        chunks: size + chunk.length <= maxBytes ? [...chunks, chunk] : []
      })
    ),
    Effect.flatMap(({ chunks, size }) => (size <= maxBytes ? Effect.succeed(Buffer.concat(chunks)) : tooLarge))
  )
}

/**
 * The body was read before it came here. Whoever mounts the handler has to do so before what parses bodies.
 *
 * What a parser leaves in `request.body` is not taken instead. It is not what was sent: the parser had its own limit, decompressed
 * what is refused here, and repaired what is no UTF-8. And `{}` is also what some leave where they read nothing.
 */
export class BodyConsumed extends Data.TaggedError("BodyConsumed") {
  override get message(): string {
    return "The body of this request was read before it came to the handler of Assay: mount the handler before what parses bodies."
  }
}

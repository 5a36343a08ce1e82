/** @internal */

import { Effect, Option, Stream } from "effect"

/** What an answer's body could not be read for: it is larger than it may be, or its coding cannot be undone. */
export interface Unread {
  readonly reason: "too_large" | "undecodable"
  readonly detail: string
}

/** Reads a body of at most `maxBytes`. */
export const collect = <E, R>(
  stream: Stream.Stream<Uint8Array, E, R>,
  maxBytes: number
): Effect.Effect<Uint8Array, E | Unread, R> =>
  Stream.runFoldEffect(stream, { bytes: 0, parts: [] as Array<Uint8Array> }, (read, part) => {
    const bytes = read.bytes + part.byteLength
    read.parts.push(part)
    return bytes > maxBytes ? Effect.fail(tooLarge(maxBytes)) : Effect.succeed({ bytes, parts: read.parts })
  }).pipe(Effect.map(({ bytes, parts }) => joined(parts, bytes)))

const joined = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

/**
 * Undoes the codings that a body was compressed by, as its `Content-Encoding` names them. `maxBytes` bounds what comes of each.
 *
 * Some clients of HTTP undo them and leave the header as it was (fetch), others leave them to their caller (undici), and some
 * endpoints name none. So the bytes decide whether there is anything to undo: text is none of a coding. Nothing is undone twice.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-8.4
 */
export const undo = (
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number
): Effect.Effect<Uint8Array, Unread> => {
  if (isText(body)) return Effect.succeed(body)
  const named = codingsOf(contentEncoding)
  const codings = named.length > 0 ? named : signed(body)
  if (codings.length > mostCodings) return Effect.fail(undecodable("it is compressed too often"))
  return codings.reduceRight(
    (bytes: Effect.Effect<Uint8Array, Unread>, coding) =>
      Effect.flatMap(bytes, (coded) => decoders.get(coding)?.(coded, maxBytes) ?? Effect.fail(unknown(coding))),
    Effect.succeed(body)
  )
}

const codingsOf = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")

// More codings only cost time.
const mostCodings = 3

/** What an unnamed coding shows itself by in the first bytes. */
const signed = (body: Uint8Array): ReadonlyArray<string> =>
  body[0] === 0x1f && body[1] === 0x8b ? ["gzip"] : isZlib(body) ? ["deflate"] : []

// https://www.rfc-editor.org/rfc/rfc1950#section-2.2
const isZlib = (body: Uint8Array): boolean => {
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

/** UTF-8 without control characters but white space: JSON and pages, and no compressed bytes. */
const isText = (body: Uint8Array): boolean => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body.subarray(0, looked), {
      stream: body.byteLength > looked
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what text does not have.
    return !/[\0-\x08\x0e-\x1f]/.test(text)
  } catch {
    return false
  }
}

const looked = 4_096

type Decoder = (body: Uint8Array, maxBytes: number) => Effect.Effect<Uint8Array, Unread>

const inflated =
  (formatOf: (body: Uint8Array) => "gzip" | "deflate" | "deflate-raw"): Decoder =>
  (body, maxBytes) =>
    collect(
      Stream.fromReadableStream(
        () => new Blob([body]).stream().pipeThrough(new DecompressionStream(formatOf(body))),
        () => undecodable("it is cut off or not compressed as it says")
      ),
      maxBytes
    )

const gzip = inflated(() => "gzip")
// Some servers leave out the wrapper that the specification requires.
const deflate = inflated((body) => (isZlib(body) ? "deflate" : "deflate-raw"))

// DecompressionStream does not know Brotli. Taken from the runtime and not imported: a browser has no such module, and its fetch
// undoes Brotli itself.
const brotli: Option.Option<Decoder> = Option.map(
  Option.fromNullable(globalThis.process?.getBuiltinModule?.("node:zlib")),
  ({ brotliDecompress }) =>
    (body, maxBytes) =>
      Effect.async<Uint8Array, Unread>((resume) => {
        brotliDecompress(body, { maxOutputLength: maxBytes }, (error, decoded) => {
          const isTooLarge = error !== null && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
          resume(
            error === null
              ? Effect.succeed(decoded)
              : Effect.fail(isTooLarge ? tooLarge(maxBytes) : undecodable("it is cut off or not compressed as it says"))
          )
        })
      })
)

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", deflate],
  ...Option.toArray(Option.map(brotli, (decoder): [string, Decoder] => ["br", decoder]))
])

/** The supported codings, as `Accept-Encoding`. */
export const accepted: string = ["gzip", "br", "deflate"].filter((coding) => decoders.has(coding)).join(", ")

const tooLarge = (maxBytes: number): Unread => ({ reason: "too_large", detail: `more than ${maxBytes} bytes` })

const undecodable = (detail: string): Unread => ({ reason: "undecodable", detail })

const unknown = (coding: string): Unread =>
  undecodable(
    /^[a-z0-9-]{1,16}$/.test(coding)
      ? `it is compressed by ${coding}, which was not asked for`
      : "it is compressed in an unknown way"
  )

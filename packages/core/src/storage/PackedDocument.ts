import { createHash } from "node:crypto"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { Effect, Either, Option, type ParseResult, Schema } from "effect"
import * as Slices from "../runtime/Slices.js"
import * as BlockTemplate from "./BlockTemplate.js"
import * as DocumentPatch from "./DocumentPatch.js"

/**
 * The JSON texts of an execution: its document, what it last knew and what it last reported.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Texts = Schema.Struct({ document: Schema.String, known: Schema.String, reported: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export interface Texts extends Schema.Schema.Type<typeof Texts> {}

/**
 * What to store of an execution: the patch of a base, or a text that is to be the next base, with its hash.
 *
 * @since 0.1.0
 * @category models
 */
export type PackedDocument<Id> =
  | { readonly _tag: "Patched"; readonly base: Id; readonly patch: Uint8Array }
  | { readonly _tag: "Whole"; readonly hash: Uint8Array; readonly body: Uint8Array }

/**
 * A base with its id in the store.
 *
 * @since 0.1.0
 * @category models
 */
export interface Base<Id> {
  readonly id: Id
  readonly body: Uint8Array
}

/**
 * Packs the texts of an execution that succeeded, against the newest base of the same target. What it last knew of a claim
 * is stored only where its own evidence says otherwise. Fails where the texts are not those of an execution.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pack = <Id>(
  texts: Texts,
  base: Option.Option<Base<Id>>
): Either.Either<PackedDocument<Id>, ParseResult.ParseError> => Slices.complete(inSlices(texts, base))

/**
 * `pack` in turns of the event loop, since all of it takes some 50 ms of CPU.
 *
 * @since 0.1.0
 * @category constructors
 */
export const packInTurns = <Id>(
  texts: Texts,
  base: Option.Option<Base<Id>>
): Effect.Effect<PackedDocument<Id>, ParseResult.ParseError> => Effect.flatten(Slices.run(() => inSlices(texts, base)))

function* inSlices<Id>(
  texts: Texts,
  base: Option.Option<Base<Id>>
): Slices.Slices<Either.Either<PackedDocument<Id>, ParseResult.ParseError>> {
  const document = decodeJson(texts.document)
  const joined = Either.flatMap(document, (parsed) => joinedText(texts, parsed))
  if (Either.isLeft(joined)) return Either.left(joined.left)
  const text = joined.right
  yield undefined
  const template = BlockTemplate.make(text, Either.getOrUndefined(document))
  yield undefined
  const patch = Option.flatMapNullable(base, ({ body }) => {
    const found = inflated(body)
    return isFirst(found) && !isFirst(text) ? undefined : patchOf(found, text, template)
  })
  if (Option.isSome(base) && Option.isSome(patch) && patch.value.length <= base.value.body.length / largestPart)
    return Either.right({ _tag: "Patched", base: base.value.id, patch: patch.value })
  yield undefined
  const whole = Buffer.from(template === undefined ? text : BlockTemplate.print(template))
  return Either.right({
    _tag: "Whole",
    hash: sha256(text),
    body: deflated(whole, constants.BROTLI_MODE_TEXT, wholeQuality)
  })
}

/**
 * The text of an execution: its document, the known items without present evidence, and the reported ones, one line
 * each.
 */
const joinedText = (
  { document, known, reported }: Texts,
  parsed: unknown
): Either.Either<string, ParseResult.ParseError> =>
  Either.zipWith(decodeEvidence(parsed), decodeKnown(known), (evidence, others) =>
    [document, JSON.stringify(exceptions(evidence, others)), reported].join("\n")
  )

/**
 * The texts that were packed into a body, or into a patch of it. Throws where the stored bytes are damaged.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unpack = (body: Uint8Array, patch: Uint8Array | null): Texts => {
  const { document, memory, reported } = partsOf(textOf(body, patch))
  const [absent, others] = Either.getOrThrow(decodeExceptions(memory))
  const known = new Map(Either.getOrThrow(Either.flatMap(decodeJson(document), decodeEvidence)))
  for (const id of absent) known.delete(id)
  for (const [id, item] of Object.entries(others)) known.set(id, item)
  return { document, known: JSON.stringify(Object.fromEntries(known)), reported }
}

/**
 * The document alone, as `unpack` gives it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unpackDocument = (body: Uint8Array, patch: Uint8Array | null): string =>
  partsOf(textOf(body, patch)).document

/**
 * The first check of a target compares with nothing. The second one is the better base: it has what all later ones have, a
 * comparison, and what was reported before.
 */
const isFirst = (text: string): boolean => /"change_report":\{[^{}]*"status":"baseline"/.test(text)

/** A patch that is larger is not worth it: a new base makes those after it small again. */
const largestPart = 3

/**
 * From 9 on the compressor clears 32 MB of tables for each text, which took 40 times the CPU for 0.1 to 0.4 % fewer bytes
 * of texts of 130 to 170 kB.
 */
const wholeQuality = 8

/** The claims with evidence but without a known item, and the known items that differ from the evidence. */
const exceptions = (evidence: Items, known: { readonly [id: string]: unknown }) => {
  const others = new Map(Object.entries(known))
  const absent: Array<string> = []
  for (const [id, item] of evidence) {
    if (!others.has(id)) absent.push(id)
    else if (JSON.stringify(others.get(id)) === JSON.stringify(item)) others.delete(id)
  }
  return [absent, Object.fromEntries(others)]
}

/** Evidence that says something, by its id, as it was written. */
type Items = ReadonlyMap<string, unknown>

const isDecided = Schema.is(Schema.Struct({ id: Schema.String, state: Schema.Literal("confirmed", "refuted") }))
const decodeJson = Schema.decodeEither(Schema.parseJson())
const decodeItems = Schema.decodeUnknownEither(Schema.Struct({ evidence: Schema.Array(Schema.Unknown) }))
const decodeEvidence = (document: unknown): Either.Either<Items, ParseResult.ParseError> =>
  Either.map(
    decodeItems(document),
    ({ evidence }) => new Map(evidence.flatMap((item) => (isDecided(item) ? [[item.id, item] as const] : [])))
  )
const Known = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const decodeKnown = Schema.decodeEither(Schema.parseJson(Known))
const decodeExceptions = Schema.decodeEither(Schema.parseJson(Schema.Tuple(Schema.Array(Schema.String), Known)))

/** JSON has no line break of its own. */
const partsOf = (text: string) => {
  const [document = "", memory = "", reported = ""] = text.split("\n")
  return { document, memory, reported }
}

/** A body of the first format is the text itself, and its patches are of that. */
const textOf = (body: Uint8Array, patch: Uint8Array | null): string => {
  const base = inflated(body)
  const template = BlockTemplate.parse(base)
  if (patch === null) return template === undefined ? base : BlockTemplate.fill(template)
  const content = brotliDecompressSync(patch.subarray(1 + checkLength))
  const text = patched(patch[0], content, base, template)
  if (
    !sha256(text)
      .subarray(0, checkLength)
      .equals(patch.subarray(1, 1 + checkLength))
  )
    throw new Error("not what was packed")
  return text
}

const patched = (
  format: number | undefined,
  content: Buffer,
  base: string,
  template: BlockTemplate.BlockTemplate | undefined
): string => {
  if (format === formats.text) return applied(base, content)
  if (format !== formats.template || template === undefined) throw new Error("a format of a later version")
  const numbers = reader(content.subarray(hashLength))
  const number = numbers.next()
  const time = numbers.next()
  const hash = `0x${content.subarray(0, hashLength).toString("hex")}` as const
  return BlockTemplate.fill({
    origin: { address: template.origin.address, hash, number, time },
    text: applied(template.text, numbers.rest())
  })
}

/**
 * A patch in bytes: the format, the first bytes of the hash of the text that it makes, and compressed its content. None
 * where one of the two is a template and the other is not, or is one of another target.
 */
const patchOf = (
  base: string,
  text: string,
  template: BlockTemplate.BlockTemplate | undefined
): Uint8Array | undefined => {
  const baseTemplate = BlockTemplate.parse(base)
  if (baseTemplate?.origin.address !== template?.origin.address) return undefined
  const check = sha256(text).subarray(0, checkLength)
  const packed = (format: number, content: Uint8Array) =>
    Buffer.concat([Uint8Array.of(format), check, deflated(content, constants.BROTLI_MODE_GENERIC, 11)])
  if (baseTemplate === undefined || template === undefined) return packed(formats.text, contentOf(base, text))
  const { hash, number, time } = template.origin
  const digest = Buffer.from(hash.slice(2), "hex")
  if (digest.length !== hashLength) return undefined
  const numbers: Array<number> = []
  writeNumber(numbers, number)
  writeNumber(numbers, time)
  const content = contentOf(baseTemplate.text, template.text)
  return packed(formats.template, Buffer.concat([digest, Uint8Array.from(numbers), content]))
}

/** The number of steps' numbers, these by their place in a step, and what is inserted. */
const contentOf = (base: string, text: string): Uint8Array => {
  const { inserted, steps } = DocumentPatch.make(base, text)
  const numbers: Array<number> = []
  writeNumber(numbers, steps.length)
  for (let place = 0; place < 3; place++)
    for (let index = place; index < steps.length; index += 3) writeNumber(numbers, steps[index] ?? 0)
  return Buffer.concat([Uint8Array.from(numbers), Buffer.from(inserted)])
}

const applied = (base: string, content: Buffer): string => {
  const numbers = reader(content)
  const count = numbers.next()
  const steps = new Array<number>(count)
  for (let place = 0; place < 3; place++)
    for (let index = place; index < count; index += 3) steps[index] = numbers.next()
  const text = DocumentPatch.apply(base, { steps, inserted: numbers.rest().toString() })
  if (text === undefined) throw new Error("not what was packed")
  return text
}

/** A patch of a text, and one of a template, which begins with the hash of the block, its number and time. */
const formats = { text: 1, template: 2 } as const
const checkLength = 8
const hashLength = 32

/** Seven bits a byte, the lowest first; whole numbers of either sign as 0, -1, 1, -2, 2 and so on. */
const writeNumber = (bytes: Array<number>, number: number): void => {
  let rest = number < 0 ? -2 * number - 1 : 2 * number
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

const reader = (bytes: Buffer) => {
  let at = 0
  return {
    next: (): number => {
      let [value, factor, byte] = [0, 1, 0]
      do {
        byte = bytes[at++] ?? 0
        value += (byte % 128) * factor
        factor *= 128
      } while (byte > 127)
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    },
    rest: (): Buffer => bytes.subarray(at)
  }
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

const inflated = (body: Uint8Array): string => brotliDecompressSync(body).toString()

const deflated = (content: Uint8Array, mode: number, quality: number): Uint8Array =>
  brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_MODE]: mode,
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length
    }
  })

/** @internal */

import { createHash } from "node:crypto"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import type * as Target from "@assay/core/domain/Target"
import * as DocumentPatch from "@assay/core/storage/DocumentPatch"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Either, Option, ParseResult, Schema, type SchemaAST } from "effect"

/**
 * The columns of an execution that hold its document and what it remembers, as JSON text or packed. Packed, `patch` makes
 * the text of `body`, the base that `document_id` names; without a patch the base is the text. A base is never packed
 * itself, so that reading takes one step.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Columns = Schema.Struct({
  document: Schema.String,
  known: Schema.String,
  reported: Schema.String,
  patch: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  body: Schema.NullOr(Schema.Uint8ArrayFromSelf)
})

/**
 * What these columns hold beside a packed document.
 *
 * @since 0.1.0
 * @category models
 */
export const noTexts = { document: "", known: "", reported: "" } as const

const DocumentColumns = Columns.pick("document", "patch", "body")

/**
 * The JSON texts of an execution: its document, what it last knew and what it last reported.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Texts = Schema.Struct({ document: Schema.String, known: Schema.String, reported: Schema.String })

/**
 * The JSON texts in these columns, as they were before they were packed. It is the only place that unpacks.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TextsOfColumns = Schema.transformOrFail(Columns, Texts, {
  strict: true,
  decode: (row, _, ast) => {
    const { body, document, known, patch, reported } = row
    if (body === null) return ParseResult.succeed({ document, known, reported })
    return ParseResult.try({
      try: () => textsOf(unpack(body, patch)),
      catch: () => unpackable(ast, row)
    })
  },
  encode: (texts, _, ast) => ParseResult.fail(new ParseResult.Forbidden(ast, texts, packedWhole))
})

/**
 * The text of the document alone, as `TextsOfColumns` has it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DocumentOfColumns = Schema.transformOrFail(DocumentColumns, Schema.String, {
  strict: true,
  decode: (row, _, ast) => {
    const { body, document, patch } = row
    return body === null
      ? ParseResult.succeed(document)
      : ParseResult.try({
          try: () => partsOf(unpack(body, patch)).document,
          catch: () => unpackable(ast, row)
        })
  },
  encode: (text, _, ast) => ParseResult.fail(new ParseResult.Forbidden(ast, text, packedWhole))
})

const packedWhole = "Executions are packed as a whole"

const unpackable = (ast: SchemaAST.AST, row: unknown) =>
  new ParseResult.Type(ast, row, "The document cannot be unpacked")

/**
 * A base that documents of the same target may be patched against.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Base = Schema.Struct({ id: Schema.Int, body: Schema.Uint8ArrayFromSelf })

/**
 * What to store of an execution: the patch of a base, or a text that is to be the next base.
 *
 * @since 0.1.0
 * @category models
 */
export type Packed =
  | { readonly _tag: "Patched"; readonly base: number; readonly patch: Uint8Array }
  | { readonly _tag: "Whole"; readonly hash: Uint8Array; readonly body: Uint8Array }

/**
 * Packs the texts of an execution that succeeded. What it last knew of a claim is stored only where its own evidence says
 * otherwise. Fails where the texts are not those of an execution.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pack = (
  { document, known, reported }: typeof Texts.Type,
  base: Option.Option<typeof Base.Type>
): Either.Either<Packed, ParseResult.ParseError> =>
  Either.gen(function* () {
    const evidence = yield* decodeEvidence(document)
    const memory = JSON.stringify(exceptions(evidence, yield* decodeKnown(known)))
    const text = [document, memory, reported].join("\n")
    if (Option.isSome(base)) {
      const { body, id } = base.value
      const patch = packedPatch(DocumentPatch.make(inflated(body), text), text)
      if (patch.length <= body.length / largestPart) return { _tag: "Patched", base: id, patch }
    }
    return { _tag: "Whole", hash: sha256(text), body: deflated(Buffer.from(text), constants.BROTLI_MODE_TEXT, 9) }
  })

/**
 * The target that documents have to have in common to be patched against one base.
 *
 * @since 0.1.0
 * @category combinators
 */
export const subjectOf = ({ address, chain, kind }: Target.Target): string => `${chain.id} ${kind} ${address}`

/**
 * The newest base of a target.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectBase = (sql: SqlClient, subject: string) =>
  sql`SELECT id, body FROM document WHERE subject = ${subject} ORDER BY id DESC LIMIT 1`

const decodeIds = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Schema.Int })))

/**
 * Writes what was packed into an execution that is complete already, in the transaction that completed it. A base that was
 * removed since it was read leaves the row as it is: then the answer is false, and it has to be packed whole.
 *
 * @since 0.1.0
 * @category combinators
 */
export const write = Effect.fnUntraced(function* (
  sql: SqlClient,
  executionId: string,
  subject: string,
  packed: Packed
) {
  const ids = yield* decodeIds(
    packed._tag === "Patched"
      ? yield* sql`SELECT id FROM document WHERE id = ${packed.base} AND subject = ${subject}`
      : yield* sql`
        INSERT INTO document (hash, subject, body) VALUES (${packed.hash}, ${subject}, ${packed.body})
        ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash
        RETURNING id`
  )
  const id = Arr.head(ids)
  if (Option.isNone(id)) return false
  yield* sql`
    UPDATE execution
    SET document = ${noTexts.document}, known = ${noTexts.known}, reported = ${noTexts.reported}, document_id = ${id.value.id},
      patch = ${packed._tag === "Patched" ? packed.patch : null}
    WHERE id = ${executionId}`
  return true
})

/**
 * Removes those of these bases that no execution refers to any more.
 *
 * @since 0.1.0
 * @category combinators
 */
export const removeUnused = (sql: SqlClient, ids: ReadonlyArray<number>) => sql`
  DELETE FROM document
  WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    AND NOT EXISTS (SELECT 1 FROM execution WHERE document_id = document.id)`

/** A patch that is larger is not worth it: a new base makes those after it small again. */
const largestPart = 3

/** The claims that nothing is known of although there is evidence, and what is known beside the evidence. */
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
const decodeEvidence = (document: string): Either.Either<Items, ParseResult.ParseError> =>
  Either.map(
    Schema.decodeEither(Schema.parseJson(Schema.Struct({ evidence: Schema.Array(Schema.Unknown) })))(document),
    ({ evidence }) => new Map(evidence.flatMap((item) => (isDecided(item) ? [[item.id, item] as const] : [])))
  )
const Known = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const decodeKnown = Schema.decodeEither(Schema.parseJson(Known))
const decodeExceptions = Schema.decodeEither(Schema.parseJson(Schema.Tuple(Schema.Array(Schema.String), Known)))

/** Throws where the text is none that `pack` made. */
const textsOf = (text: string): typeof Texts.Type => {
  const { document, memory, reported } = partsOf(text)
  const [absent, others] = Either.getOrThrow(decodeExceptions(memory))
  const known = new Map(Either.getOrThrow(decodeEvidence(document)))
  for (const id of absent) known.delete(id)
  for (const [id, item] of Object.entries(others)) known.set(id, item)
  return { document, known: JSON.stringify(Object.fromEntries(known)), reported }
}

/** JSON has no line break of its own. */
const partsOf = (text: string) => {
  const [document = "", memory = "", reported = ""] = text.split("\n")
  return { document, memory, reported }
}

/** Throws where what is stored is damaged. */
const unpack = (body: Uint8Array, patch: Uint8Array | null): string => {
  const base = inflated(body)
  return patch === null ? base : unpackedPatch(base, patch)
}

/**
 * A patch in bytes: the format, the first bytes of the hash of the text that it makes, and compressed the number of
 * steps' numbers, these by their place in a step, and what is inserted.
 */
const packedPatch = ({ inserted, steps }: DocumentPatch.DocumentPatch, text: string): Uint8Array => {
  const numbers: Array<number> = []
  writeNumber(numbers, steps.length)
  for (let place = 0; place < 3; place++)
    for (let index = place; index < steps.length; index += 3) writeNumber(numbers, steps[index] ?? 0)
  const content = Buffer.concat([Uint8Array.from(numbers), Buffer.from(inserted)])
  return Buffer.concat([
    Uint8Array.of(format),
    sha256(text).subarray(0, checkLength),
    deflated(content, constants.BROTLI_MODE_GENERIC, 11)
  ])
}

const unpackedPatch = (base: string, patch: Uint8Array): string => {
  if (patch[0] !== format) throw new Error("a format of a later version")
  const numbers = reader(brotliDecompressSync(patch.subarray(1 + checkLength)))
  const count = numbers.next()
  const steps = new Array<number>(count)
  for (let place = 0; place < 3; place++)
    for (let index = place; index < count; index += 3) steps[index] = numbers.next()
  const text = DocumentPatch.apply(base, { steps, inserted: numbers.rest().toString() })
  if (
    text === undefined ||
    !sha256(text)
      .subarray(0, checkLength)
      .equals(patch.subarray(1, 1 + checkLength))
  )
    throw new Error("not what was packed")
  return text
}

const format = 1
const checkLength = 8

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

import type * as Target from "@assay/core/domain/Target"
import * as PackedDocument from "@assay/core/storage/PackedDocument"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Option, ParseResult, Schema, type SchemaAST } from "effect"
import type { SqlDatabase } from "./SqlDatabase.js"

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
 * The JSON texts in these columns, as they were before they were packed. It is the only place that unpacks.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TextsOfColumns = Schema.transformOrFail(Columns, PackedDocument.Texts, {
  strict: true,
  decode: (row, _, ast) => {
    const { body, document, known, patch, reported } = row
    if (body === null) return ParseResult.succeed({ document, known, reported })
    return ParseResult.try({
      try: () => PackedDocument.unpack(body, patch),
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
          try: () => PackedDocument.unpackDocument(body, patch),
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
export type Packed = PackedDocument.PackedDocument<number>

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
  { forKeyShare, sql }: Pick<SqlDatabase, "forKeyShare" | "sql">,
  executionId: string,
  subject: string,
  packed: Packed
) {
  const ids = yield* decodeIds(
    packed._tag === "Patched"
      ? // Held until the execution refers to it, so that nobody removes it as unused meanwhile.
        yield* sql`SELECT id FROM document WHERE id = ${packed.base} AND subject = ${subject} ${forKeyShare}`
      : yield* sql`
        INSERT INTO document (hash, subject, body) VALUES (${packed.hash}, ${subject}, ${packed.body})
        ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash
        RETURNING id`
  )
  const id = Arr.head(ids)
  if (Option.isNone(id)) return false
  // What has ended is joined no more.
  yield* sql`
    UPDATE execution
    SET join_key = '', document = ${noTexts.document}, known = ${noTexts.known}, reported = ${noTexts.reported}, document_id = ${id.value.id},
      patch = ${packed._tag === "Patched" ? packed.patch : null}
    WHERE id = ${executionId}`
  return true
})

/**
 * Removes those of these bases that no execution refers to any more. They are locked first: what refers to one then is
 * committed, so that the statement after it sees that.
 *
 * @since 0.1.0
 * @category combinators
 */
export const removeUnused = Effect.fnUntraced(function* ({ hold, sql }: SqlDatabase, ids: ReadonlyArray<number>) {
  if (ids.length === 0) return
  yield* hold(sql`SELECT id FROM document WHERE ${sql.in("id", ids)} ORDER BY id`)
  yield* sql`
    DELETE FROM document
    WHERE ${sql.in("id", ids)} AND NOT EXISTS (SELECT 1 FROM execution WHERE document_id = document.id)`
})

import * as PackedDocument from "@assay/core/storage/PackedDocument"
import * as SqlDocuments from "@assay/storage-sql/SqlDocuments"
import { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Either, Schema } from "effect"

/**
 * Checks of watches are packed: what is long and repeats is stored once, in a base by its hash, and each check as a patch
 * of one. Those that are stored already are packed too, some at a time.
 */
export const documents = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE document (
      id      INTEGER NOT NULL PRIMARY KEY,
      hash    BLOB    NOT NULL,
      subject TEXT    NOT NULL,
      body    BLOB    NOT NULL
    ) STRICT`
  yield* sql`CREATE UNIQUE INDEX document_by_hash ON document (hash)`
  yield* sql`CREATE INDEX document_by_subject ON document (subject, id)`
  yield* sql`ALTER TABLE execution ADD COLUMN document_id INTEGER`
  yield* sql`ALTER TABLE execution ADD COLUMN patch BLOB`
  yield* sql`CREATE INDEX execution_by_document ON execution (document_id) WHERE document_id IS NOT NULL`

  let last = 0
  let rows: ReadonlyArray<typeof Row.Type>
  do {
    rows = yield* decodeRows(
      yield* sql`
      SELECT seq, id, chain_id, kind, address, document, known, reported FROM execution
      WHERE seq > ${last} AND watch_id IS NOT NULL AND status IN ('complete', 'partial')
      ORDER BY seq LIMIT ${batch}`
    )
    for (const { address, chain_id, id, kind, seq, ...texts } of rows) {
      last = seq
      const subject = `${chain_id} ${kind} ${address}`
      const bases = yield* decodeBases(yield* SqlDocuments.selectBase(sql, subject))
      const packed = PackedDocument.pack(texts, Arr.head(bases))
      // What cannot be read stays as it is, and is found to be corrupt when it is read, as before.
      if (Either.isRight(packed))
        yield* SqlDocuments.write({ sql, forKeyShare: sql.literal("") }, id, subject, packed.right)
    }
  } while (rows.length === batch)
})

/** A token's execution has some 190 kB. */
const batch = 16

const Row = Schema.Struct({
  seq: Schema.Int,
  id: Schema.String,
  chain_id: Schema.Int,
  kind: Schema.String,
  address: Schema.String,
  document: Schema.String,
  known: Schema.String,
  reported: Schema.String
})
const decodeRows = Schema.decodeUnknown(Schema.Array(Row))
const decodeBases = Schema.decodeUnknown(Schema.Array(SqlDocuments.Base))

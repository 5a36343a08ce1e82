import { createHash } from "node:crypto"
import type * as StorageError from "@assay/core/storage/StorageError"
import type { Uncertain } from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema, Stream } from "effect"
import { literal, operation, transaction } from "./PgStore.js"

/**
 * A table of the schema: its columns, and those of them that are its primary key.
 *
 * @since 0.1.0
 * @category models
 */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly key: ReadonlyArray<string>
}

/**
 * What is copied from: the rows of a table with the values of its columns, in the order of its key by bytes, the same each
 * time. Numbers, texts, bytes and null.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source {
  readonly rows: (table: Table) => Iterable<ReadonlyArray<unknown>>
}

/**
 * What a table holds after the copy, on both sides: `hash` is of all rows in any order (XOR of the SHA-256 of each), and
 * `copied` how many of them came with this call.
 *
 * @since 0.1.0
 * @category models
 */
export interface Copied {
  readonly table: string
  readonly rows: number
  readonly hash: string
  readonly copied: number
}

const TableRow = Schema.Struct({ name: Schema.String, columns: Schema.String, key: Schema.String })
const decodeTables = Schema.decodeUnknown(Schema.Array(TableRow))

/**
 * Copies all tables into a database of the newest schema that holds nothing, or what an earlier call copied before it was
 * stopped: it goes on there. Then every table is read again and compared with the source, by its count and its hash.
 * Nobody else may write to either side meanwhile.
 *
 * @since 0.1.0
 * @category combinators
 */
export const copy = (
  source: Source
): Effect.Effect<ReadonlyArray<Copied>, StorageError.StorageError | CopyRefused, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const tables = yield* selectTables(sql)
    const copied = yield* Effect.forEach(tables, (table) => copyTable(sql, source, table))
    for (const table of tables) yield* resume(sql, table)
    return copied
  }).pipe(
    Effect.catchAll(
      (error): Effect.Effect<never, StorageError.StorageError | CopyRefused> =>
        error._tag === "CopyRefused" ? Effect.fail(error) : operation("PgCopy.copy")(Effect.fail(error))
    ),
    Effect.withSpan("PgCopy.copy")
  )

const selectTables = (sql: SqlClient) =>
  Effect.map(
    Effect.flatMap(
      sql`
      SELECT relname AS name,
        (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
         WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns,
        (SELECT string_agg(attname, ',' ORDER BY array_position(conkey, attnum)) FROM pg_constraint
         JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
         WHERE conrelid = pg_class.oid AND contype = 'p') AS key
      FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'effect_sql_migrations'
      ORDER BY relname COLLATE "C"`,
      decodeTables
    ),
    (rows) => rows.map(({ columns, key, name }): Table => ({ name, columns: columns.split(","), key: key.split(",") }))
  )

/** Rows go over in this many a transaction, so that a copy that is stopped has the first rows of a table and no others. */
const pageSize = 100

const copyTable = (
  sql: SqlClient,
  source: Source,
  table: Table
): Effect.Effect<Copied, SqlError | Uncertain | CopyRefused> =>
  Effect.gen(function* () {
    const before = yield* digestOf(sql, table)
    const refused = new CopyRefused({ reason: "other_data", table: table.name })
    const read = yield* Effect.acquireUseRelease(
      Effect.sync(() => source.rows(table)[Symbol.iterator]()),
      (rows) =>
        Effect.gen(function* () {
          const read = new Digest()
          let page: Array<ReadonlyArray<unknown>> = []
          for (let next = rows.next(); next.done !== true; next = rows.next()) {
            read.add(next.value)
            if (read.count === before.count && read.text !== before.text) return yield* refused
            if (read.count <= before.count) continue
            page.push(next.value)
            if (page.length < pageSize) continue
            yield* transaction(sql)(insert(sql, table, page))
            page = []
          }
          if (read.count < before.count) return yield* refused
          if (page.length > 0) yield* transaction(sql)(insert(sql, table, page))
          return read
        }),
      (rows) => Effect.sync(() => rows.return?.())
    )
    const after = read.count === before.count ? before : yield* digestOf(sql, table)
    if (after.count !== read.count || after.text !== read.text)
      return yield* new CopyRefused({ reason: "differs", table: table.name })
    return { table: table.name, rows: read.count, hash: read.text, copied: read.count - before.count }
  })

const insert = (sql: SqlClient, { columns, name }: Table, rows: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const places = rows.map(
    (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join(", ")})`
  )
  return sql.unsafe(
    `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(", ")}) OVERRIDING SYSTEM VALUE VALUES ${places.join(", ")}`,
    rows.flat()
  )
}

/** What is in a table, read once from its beginning to its end. */
const digestOf = (sql: SqlClient, { columns, name }: Table) =>
  Effect.gen(function* () {
    const digest = new Digest()
    yield* Stream.runForEach(
      sql.unsafe<{ readonly [column: string]: unknown }>(
        `SELECT ${columns.map((column) => `"${column}"`).join(", ")} FROM "${name}"`
      ).stream,
      (row) => Effect.sync(() => digest.add(columns.map((column) => row[column])))
    )
    return digest
  })

/** The next number of a table comes after those that were copied. */
const resume = (sql: SqlClient, { key, name }: Table) =>
  sql.unsafe(`
    SELECT setval(sequence, (SELECT coalesce(max("${key[0]}"::text::bigint), 0) + 1 FROM "${name}"), false)
    FROM (SELECT pg_get_serial_sequence(${literal(name)}, ${literal(key[0] ?? "")}) AS sequence) AS named
    WHERE sequence IS NOT NULL`)

class Digest {
  count = 0
  private readonly bytes = Buffer.alloc(32)

  add(row: ReadonlyArray<unknown>): void {
    const text = JSON.stringify(
      row.map((value) => (value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("hex") } : value))
    )
    const hash = createHash("sha256").update(text).digest()
    for (let index = 0; index < 32; index++) this.bytes[index] = (this.bytes[index] ?? 0) ^ (hash[index] ?? 0)
    this.count++
  }

  get text(): string {
    return this.bytes.toString("hex")
  }
}

/**
 * Nothing more was copied, because of the table that is named. `other_data`: it holds rows that are not those that a copy of
 * this source begins with. `differs`: after the copy it is not what the source has.
 *
 * @since 0.1.0
 * @category errors
 */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", {
  reason: Schema.Literal("other_data", "differs"),
  table: Schema.String
}) {}

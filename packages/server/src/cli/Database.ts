import { existsSync } from "node:fs"
import * as Id from "@assay/core/domain/Id"
import * as ExecutionStore from "@assay/core/storage/ExecutionStore"
import * as KeyStore from "@assay/core/storage/KeyStore"
import type * as StorageError from "@assay/core/storage/StorageError"
import { SqliteStorage } from "@assay/storage-sqlite"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Array as Arr, Chunk, ConfigProvider, Effect, Layer, Option, Schema, Stream } from "effect"
import * as ServerConfig from "../ServerConfig.js"
import { Refusal } from "./Refusal.js"
import * as ResultFile from "./ResultFile.js"
import * as Shell from "./Shell.js"

/**
 * The file of the database that `--database` names, else that of the settings of a server.
 *
 * @since 0.1.0
 * @category constructors
 */
export const find = (named: Option.Option<string>): Effect.Effect<string, Refusal, Shell.Shell> =>
  Effect.gen(function* () {
    const { settings } = yield* Shell.Shell
    if (isPostgres(Option.getOrElse(named, () => settings.ASSAY_DATABASE?.trim() ?? "")))
      return yield* new Refusal({ detail: postgres })
    const filename = yield* Option.match(named, {
      onNone: () => ofSettings(settings),
      onSome: (text) => Effect.succeed(text === "memory:" ? null : text.replace(/^sqlite:/, ""))
    })
    return (
      filename ?? (yield* new Refusal({ detail: "memory: keeps nothing; name the file of a database with --database" }))
    )
  })

const ofSettings = (settings: Shell.Shell["Type"]["settings"]): Effect.Effect<string | null, Refusal> =>
  ServerConfig.database.pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Shell.stated(settings)))),
    Effect.provide(NodeContext.layer),
    Effect.mapBoth({
      onFailure: ({ message }) => new Refusal({ detail: message }),
      onSuccess: (database) => (database._tag === "Memory" ? null : database.filename)
    })
  )

/**
 * As `find`, for a file that is there.
 *
 * @since 0.1.0
 * @category constructors
 */
export const findExisting = (named: Option.Option<string>): Effect.Effect<string, Refusal, Shell.Shell> =>
  Effect.filterOrFail(
    find(named),
    (filename) => existsSync(filename),
    (filename) =>
      new Refusal({ detail: `there is no database ${JSON.stringify(filename)}; name its file with --database` })
  )

/**
 * The stores of a database, for a command that fails with one line.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (filename: string) =>
  Layer.catchAll(SqliteStorage.layer({ filename }), (error) => Layer.fail(refusalOf(error)))

/**
 * What a failure of the database is in one line.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusalOf = ({ detail, reason }: StorageError.StorageError): Refusal =>
  new Refusal({
    detail: `the database ${reason === "corrupt" ? "has a row that cannot be read" : "cannot be used"}: ${detail.replace(/\.$/, "")}; check --database`
  })

/**
 * All keys of a database, newest first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const keys: Stream.Stream<KeyStore.KeyRecord, StorageError.StorageError, KeyStore.KeyStore> = Stream.unwrap(
  Effect.map(KeyStore.KeyStore, (store) =>
    Stream.paginateChunkEffect(Option.none<Id.KeyId>(), (before) =>
      Effect.map(store.list({ limit: 100, before }), ({ data, next_cursor }) => [
        Chunk.fromIterable(data),
        next_cursor === null ? Option.none() : Option.map(Arr.last(data), ({ id }) => Option.some(id))
      ])
    )
  )
)

/**
 * The result of an execution, whichever key it belongs to: the command of an operator sees them all.
 *
 * @since 0.1.0
 * @category combinators
 */
export const result = (filename: string, text: string): Effect.Effect<ResultFile.Kept, Refusal> =>
  Effect.gen(function* () {
    const id = yield* Effect.mapError(
      Schema.decodeUnknown(Id.ExecutionId)(text),
      () => new Refusal({ detail: `${JSON.stringify(text)} is no id of an execution; it begins with exe_` })
    )
    const executions = yield* ExecutionStore.ExecutionStore
    const found = yield* keys.pipe(
      Stream.mapEffect((key) => executions.find(key.id, id)),
      Stream.filterMap((execution) => execution),
      Stream.runHead
    )
    if (Option.isNone(found))
      return yield* new Refusal({ detail: `the database has no execution ${id}; it may be past its retention` })
    const { result } = found.value
    return yield* Effect.mapError(
      ResultFile.ofResult(result),
      () => new Refusal({ detail: `${id} has no result: it is ${result.status}` })
    )
  }).pipe(
    Effect.provide(layer(filename)),
    Effect.catchTag("StorageError", (error) => refusalOf(error))
  )

/**
 * Whether a name is the URL of a Postgres database.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isPostgres = (text: string): boolean => /^postgres(?:ql)?:\/\//.test(text)

const postgres =
  "a Postgres database is backed up with pg_dump and restored with pg_restore; this command is for SQLite"

import { existsSync } from "node:fs"
import * as Id from "@assay/core/domain/Id"
import * as ExecutionStore from "@assay/core/storage/ExecutionStore"
import * as KeyStore from "@assay/core/storage/KeyStore"
import type * as StorageError from "@assay/core/storage/StorageError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Layer, Option, Schema, Stream } from "effect"
import * as ServerConfig from "../ServerConfig.js"
import * as Stores from "../Stores.js"
import { Refusal } from "./Refusal.js"
import * as ResultFile from "./ResultFile.js"
import * as Shell from "./Shell.js"

/** A database that is kept: in a file, or by a Postgres server. */
export type Kept = Exclude<ServerConfig.Database, { readonly _tag: "Memory" }>

/** The database that `--database` names, by its file or its URL, else that of the settings of a server. */
export const find = (named: Option.Option<string>): Effect.Effect<Kept, Refusal, Shell.Shell> =>
  Effect.gen(function* () {
    const { settings } = yield* Shell.Shell
    return yield* Option.match(named, {
      onNone: () => Effect.flatMap(ofSettings(settings), kept),
      onSome: findNamed
    })
  })

/** The database that an argument names, by its file or its URL. */
export const findNamed = (text: string): Effect.Effect<Kept, Refusal> =>
  ofSettings({ ASSAY_DATABASE: /^(?:sqlite|memory|postgres(?:ql)?):/.test(text) ? text : `sqlite:${text}` }).pipe(
    Effect.mapError(({ detail }) => new Refusal({ detail: detail.replace(/^ASSAY_DATABASE/, "--database") })),
    Effect.flatMap(kept)
  )

const kept = (database: ServerConfig.Database): Effect.Effect<Kept, Refusal> =>
  database._tag === "Memory"
    ? new Refusal({ detail: "memory: keeps nothing; name a database with --database" })
    : Effect.succeed(database)

const ofSettings = (settings: Shell.Shell["Type"]["settings"]): Effect.Effect<ServerConfig.Database, Refusal> =>
  ServerConfig.database.pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Shell.stated(settings)))),
    Effect.provide(NodeContext.layer),
    Effect.mapError(({ message }) => new Refusal({ detail: message }))
  )

/** As `find`, for a database that is there; whether a Postgres server has one is found when it is opened. */
export const findExisting = (named: Option.Option<string>): Effect.Effect<Kept, Refusal, Shell.Shell> =>
  Effect.filterOrFail(
    find(named),
    (database) => database._tag === "Postgres" || existsSync(database.filename),
    (database) =>
      new Refusal({
        detail: `there is no database ${JSON.stringify(database._tag === "Sqlite" ? database.filename : "")}; name its file with --database`
      })
  )

/** The file of a database, for a command that copies files. */
export const fileOf = (database: Kept): Effect.Effect<string, Refusal> =>
  database._tag === "Sqlite"
    ? Effect.succeed(database.filename)
    : new Refusal({
        detail: "a Postgres database is backed up with pg_dump and restored with pg_restore; this command is for SQLite"
      })

/** The stores of a database, for a command that fails with one line. */
export const layer = (database: Kept) => Layer.catchAll(Stores.layer(database), (error) => Layer.fail(refusalOf(error)))

/** What a failure of the database is in one line. */
export const refusalOf = ({ detail, reason }: StorageError.StorageError): Refusal =>
  new Refusal({
    detail: `the database ${reason === "corrupt" ? "has a row that cannot be read" : "cannot be used"}: ${detail.replace(/\.$/, "")}; check --database`
  })

/** The result of an execution, whichever key it belongs to: the command of an operator sees them all. */
export const result = (database: Kept, text: string): Effect.Effect<ResultFile.Kept, Refusal> =>
  Effect.gen(function* () {
    const id = yield* Effect.mapError(
      Schema.decodeUnknown(Id.ExecutionId)(text),
      () => new Refusal({ detail: `${JSON.stringify(text)} is no id of an execution; it begins with exe_` })
    )
    const executions = yield* ExecutionStore.ExecutionStore
    const found = yield* KeyStore.all.pipe(
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
    Effect.provide(layer(database)),
    Effect.catchTag("StorageError", (error) => refusalOf(error))
  )

import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type * as Entropy from "@assay/core/keys/Entropy"
import * as Secrets from "@assay/core/keys/Secrets"
import { PrivateFile } from "@assay/storage-sqlite"
import { type Array as Arr, Effect, Layer, Option, Redacted } from "effect"
import { type Database, SettingInvalid } from "./ServerConfig.js"
import { settings } from "./Settings.js"

/**
 * The keys that encrypt webhook secrets: those of the setting, or that of the file beside a SQLite database, which is
 * made where it is missing. Processes that share a Postgres database need the same key, so there it has to be set. In
 * memory it ends with the process.
 */
export const layer = (options: {
  readonly database: Database
  readonly secretsKeys: Option.Option<Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>>
}): Layer.Layer<Secrets.Secrets, SettingInvalid, Entropy.Entropy> => {
  if (Option.isSome(options.secretsKeys)) return Secrets.layer(options.secretsKeys.value)
  const { database } = options
  switch (database._tag) {
    case "Memory":
      return Secrets.layerEphemeral
    case "Sqlite":
      return Layer.unwrapEffect(Effect.map(ofFile(pathOf(database.filename)), (key) => Secrets.layer([key])))
    case "Postgres":
      return Layer.fail(
        new SettingInvalid({
          setting: settings.database.secretsKeys.name,
          detail:
            "set it to the key that every process on this Postgres database has; `openssl rand -base64 32` makes one"
        })
      )
  }
}

/** The keys of the setting, for stores of the embedder: nothing is known of where another key could be. */
export const layerOf = (
  keys: Option.Option<Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>>
): Layer.Layer<Secrets.Secrets, SettingInvalid, Entropy.Entropy> =>
  Option.match(keys, {
    onNone: () =>
      Layer.fail(
        new SettingInvalid({
          setting: settings.database.secretsKeys.name,
          detail:
            "set it (or `secretsKeys`): stores of your own keep the secrets of webhooks, which only its key opens; `openssl rand -base64 32` makes one"
        })
      ),
    onSome: Secrets.layer
  })

/** Where the key of a database is: in a file of its own, so that a copy of the database alone does not hold it. */
export const pathOf = (database: string): string => `${database}.secrets-key`

const ofFile = (path: string) =>
  Effect.gen(function* () {
    // A folder that cannot be made is a fault of the database's setting, which names it.
    yield* Effect.try({
      try: () => mkdirSync(dirname(path), { recursive: true }),
      catch: () =>
        new SettingInvalid({
          setting: settings.database.place.name,
          detail: `the folder ${dirname(path)} could not be made`
        })
    })
    const fresh = yield* Secrets.makeKey
    const text = yield* Effect.try({
      try: () => {
        if (!exists(path)) writeNew(path, `${Buffer.from(Redacted.value(fresh)).toString("base64")}\n`)
        return readFileSync(path, "utf8").trim()
      },
      catch: () => invalid(path, "could not be read or made")
    })
    yield* PrivateFile.restrict(path)
    if ((statSync(path).mode & 0o077) !== 0)
      yield* Effect.logWarning(`Others on this machine can read the key in ${path}: chmod 600 it`)
    return yield* Effect.mapError(Secrets.parseKey(text), () => invalid(path, "does not hold a key of 32 bytes"))
  })

const invalid = (path: string, what: string) =>
  new SettingInvalid({ setting: settings.database.secretsKeys.name, detail: `not set, and the file ${path} ${what}` })

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

// Under a name of its own first: another process must not read half a key, and of two that begin at once one wins.
const writeNew = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}`
  const file = openSync(draft, "wx", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
    linkSync(draft, path)
  } catch (error) {
    if (!exists(path)) throw error
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

import { SqliteBackup } from "@assay/storage-sqlite"
import { Effect, Option } from "effect"
import * as SecretsKey from "../SecretsKey.js"
import * as Database from "./Database.js"
import type * as ExitCode from "./ExitCode.js"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"

/** The arguments of `assay backup` and `assay restore`. `file` is the backup. */
export interface Request {
  readonly file: string
  readonly database: Option.Option<string>
  readonly json: boolean
}

/** Copies the database into a file, also while processes use it. */
export const backup = (request: Request): Effect.Effect<ExitCode.ExitCode, Refusal, Shell> =>
  Effect.gen(function* () {
    const filename = yield* Effect.flatMap(Database.findExisting(request.database), Database.fileOf)
    yield* Effect.mapError(SqliteBackup.backup({ filename, to: request.file }), refusalOf)
    return yield* told(request, { database: filename, backup: request.file, secrets_key_included: false }, [
      `Copied ${filename} to ${request.file}.`,
      `The key of webhook secrets is not in it: keep a copy of ${SecretsKey.pathOf(filename)}, or of ASSAY_SECRETS_KEY, elsewhere.`
    ])
  })

/** Puts a backup where the database is, which is kept under another name. */
export const restore = (request: Request): Effect.Effect<ExitCode.ExitCode, Refusal, Shell> =>
  Effect.gen(function* () {
    const filename = yield* Effect.flatMap(Database.find(request.database), Database.fileOf)
    const kept = yield* Effect.mapError(SqliteBackup.restore({ from: request.file, filename }), refusalOf)
    return yield* told(request, { database: filename, backup: request.file, replaced: Option.getOrNull(kept) }, [
      `Restored ${filename} from ${request.file}.`,
      ...Option.toArray(Option.map(kept, (old) => `What was there before is kept as ${old}.`)),
      `A server with webhooks needs the key that this backup was made with, in ${SecretsKey.pathOf(filename)} or ASSAY_SECRETS_KEY.`
    ])
  })

const told = (request: Request, document: object, lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    yield* shell.write(request.json ? `${JSON.stringify(document)}\n` : lines.map((line) => `${line}\n`).join(""))
    const code: ExitCode.ExitCode = 0
    return code
  })

/** What a file that cannot be copied is in one line. */
export const refusalOf = ({ code, filename, reason }: SqliteBackup.BackupRefused): Refusal => {
  const file = JSON.stringify(filename)
  switch (reason) {
    case "missing":
      return new Refusal({ detail: `there is no file ${file}; check its path` })
    case "exists":
      return new Refusal({ detail: `${file} is there already and is not written over; name another file` })
    case "foreign":
      return new Refusal({ detail: `${file} is no database of Assay; give a file that assay backup made` })
    case "damaged":
      return new Refusal({ detail: `${file} is damaged, so nothing was copied; restore an earlier backup` })
    case "unopened":
      return new Refusal({ detail: `${file} cannot be opened: ${code}` })
    case "in_use":
      return new Refusal({ detail: `a process uses ${file}; stop every server on it, then restore again` })
    case "failed":
      return new Refusal({
        detail: `${file} cannot be read or written (${code}); check its folder and its permissions`
      })
  }
}

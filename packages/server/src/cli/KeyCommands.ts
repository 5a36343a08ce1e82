import * as ApiKey from "@assay/core/domain/ApiKey"
import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as Entropy from "@assay/core/keys/Entropy"
import * as Keys from "@assay/core/keys/Keys"
import * as KeyStore from "@assay/core/storage/KeyStore"
import * as KeyChanges from "@assay/core/watches/KeyChanges"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import * as Database from "./Database.js"
import type * as ExitCode from "./ExitCode.js"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"

/** The arguments that all commands on keys share. */
export interface Request {
  readonly database: Option.Option<string>
  readonly json: boolean
}

/** Creates a key and shows its secret, this once. A database that is named and not there is made. */
export const create = (
  request: Request & {
    readonly label: string
    readonly quota: Option.Option<number>
    readonly expiresInDays: Option.Option<number>
  }
) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const label = yield* Effect.mapError(
      Schema.decode(ApiKey.KeyLabel)(request.label.trim()),
      () => new Refusal({ detail: "a label has 1 to 100 characters, none of them a control character" })
    )
    const dailyQuota = yield* quotaOf(Option.orElse(request.quota, () => settingOf(shell.settings.ASSAY_DAILY_QUOTA)))
    if (Option.exists(request.expiresInDays, (days) => days < 1 || days > 36_500))
      return yield* new Refusal({ detail: "--expires-in-days takes 1 to 36500" })
    const database = yield* Option.isSome(request.database)
      ? Database.find(request.database)
      : Database.findExisting(request.database)
    const created = yield* Effect.flatMap(Keys.Keys, (keys) =>
      keys.create({
        label,
        expiresInSeconds: Option.map(request.expiresInDays, (days) => days * 86_400),
        source: Option.none()
      })
    ).pipe(
      Effect.provide(Keys.layer({ dailyQuota })),
      Effect.provide(Layer.merge(Database.layer(database), Entropy.layer)),
      Effect.catchTag("StorageError", Database.refusalOf)
    )
    yield* shell.write(
      request.json
        ? `${JSON.stringify(created)}\n`
        : `${created.key}\n${created.label}: ${created.daily_quota} units a UTC day. ${created.note}\n`
    )
    return done
  })

/** Lists all keys, newest first. */
export const list = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const database = yield* Database.findExisting(request.database)
    yield* KeyStore.all.pipe(
      Stream.runForEach((record) =>
        shell.write(request.json ? `${JSON.stringify(documentOf(record))}\n` : `${lineOf(record)}\n`)
      ),
      Effect.provide(Database.layer(database)),
      Effect.catchTag("StorageError", Database.refusalOf)
    )
    return done
  })

/** Changes a key by its id: its daily quota, or its state. Revoking is final. */
export const change = (request: Request & { readonly id: string; readonly to: KeyStore.KeyChange }) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const { to } = request
    const id = yield* Effect.mapError(
      Schema.decodeUnknown(Id.KeyId)(request.id),
      () => new Refusal({ detail: `${JSON.stringify(request.id)} is no id of a key; assay keys list shows them` })
    )
    if (to.dailyQuota !== undefined) yield* quotaOf(Option.some(to.dailyQuota))
    const database = yield* Database.findExisting(request.database)
    const changed = yield* KeyChanges.change(id, to).pipe(
      Effect.provide(Database.layer(database)),
      Effect.catchTag("StorageError", Database.refusalOf)
    )
    if (Option.isNone(changed))
      return yield* new Refusal({ detail: `the database has no key ${id}; assay keys list shows them` })
    if (changed.value.state === "revoked" && to.state !== "revoked")
      return yield* new Refusal({ detail: `${id} was revoked, which is final; create another key` })
    yield* shell.write(request.json ? `${JSON.stringify(documentOf(changed.value))}\n` : `${lineOf(changed.value)}\n`)
    return done
  })

const done: ExitCode.ExitCode = 0

const settingOf = (text: string | undefined): Option.Option<number> =>
  text === undefined || text.trim() === "" ? Option.none() : Option.some(Number(text))

const quotaOf = (quota: Option.Option<number>) =>
  Effect.filterOrFail(
    Effect.succeed(Option.getOrElse(quota, () => 50)),
    (units) => Number.isInteger(units) && units >= 0 && units <= 1_000_000_000,
    () => new Refusal({ detail: "a daily quota is an integer from 0 to 1000000000 units" })
  )

const documentOf = (record: KeyStore.KeyRecord) => ({
  id: record.id,
  label: record.label,
  hint: record.hint,
  state: record.state,
  daily_quota: record.dailyQuota,
  created_at: Timestamp.fromMillis(record.createdAt),
  expires_at: Option.getOrNull(Option.map(record.expiresAt, Timestamp.fromMillis)),
  last_used_at: Option.getOrNull(Option.map(record.lastUsedAt, Timestamp.fromMillis)),
  source: Option.getOrNull(record.source)
})

const lineOf = (record: KeyStore.KeyRecord): string => {
  const used = Option.match(record.lastUsedAt, {
    onNone: () => "never used",
    onSome: (at) => `used ${Timestamp.dayOf(at)}`
  })
  const end = Option.match(record.expiresAt, { onNone: () => "", onSome: (at) => `, expires ${Timestamp.dayOf(at)}` })
  return `${record.id} ${record.state.padEnd(8)} ${record.dailyQuota}/day, ${used}${end}: ${record.label}`
}

import * as ApiKey from "@assay/core/domain/ApiKey"
import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as Entropy from "@assay/core/keys/Entropy"
import * as Invitations from "@assay/core/keys/Invitations"
import * as Keys from "@assay/core/keys/Keys"
import * as Plan from "@assay/core/keys/Plan"
import type { InvitationRecord } from "@assay/core/storage/Invitation"
import * as KeyStore from "@assay/core/storage/KeyStore"
import * as KeyChanges from "@assay/core/watches/KeyChanges"
import { Clock, Effect, Either, Layer, Option, Redacted, Schema, Stream } from "effect"
import * as SettingValue from "../SettingValue.js"
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
    const label = yield* labelOf(request.label)
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

/** Makes an invitation and shows it, this once: whoever has it makes keys with it until it ends or is used. */
export const invite = (
  request: Request & {
    readonly label: string
    readonly plan: Option.Option<string>
    readonly uses: number
    readonly days: number
  }
) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const label = yield* labelOf(request.label)
    const plan = yield* Effect.transposeMapOption(request.plan, planOf)
    if (request.uses < 1 || request.uses > 10_000) return yield* new Refusal({ detail: "--uses takes 1 to 10000" })
    if (request.days < 1 || request.days > longestDays)
      return yield* new Refusal({ detail: `--ends-in-days takes 1 to ${longestDays}` })
    const database = yield* Database.findExisting(request.database)
    const { record, secret } = yield* Invitations.make({ label, plan, uses: request.uses, days: request.days }).pipe(
      Effect.provide(Layer.merge(Database.layer(database), Entropy.layer)),
      Effect.catchTag("StorageError", Database.refusalOf)
    )
    const invitation = Redacted.value(secret)
    const uses = record.uses === 1 ? "1 key" : `${record.uses} keys`
    yield* shell.write(
      request.json
        ? `${JSON.stringify({ ...invitationOf(record), invitation })}\n`
        : `${invitation}\n${record.label}: for ${uses}${planned(record)}, until ${Timestamp.fromMillis(record.endsAt)}. Send it as the member invitation of POST /api/v1/keys. It is shown once.\n`
    )
    return done
  })

/** Lists all invitations, newest first. */
export const invitations = (request: Request) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const now = yield* Clock.currentTimeMillis
    const database = yield* Database.findExisting(request.database)
    yield* KeyStore.allInvitations.pipe(
      Stream.runForEach((record) =>
        shell.write(request.json ? `${JSON.stringify(invitationOf(record))}\n` : `${invitationLineOf(record, now)}\n`)
      ),
      Effect.provide(Database.layer(database)),
      Effect.catchTag("StorageError", Database.refusalOf)
    )
    return done
  })

/** Ends an invitation by its id, now. The keys that it made stay. */
export const endInvitation = (request: Request & { readonly id: string }) =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const id = yield* Effect.mapError(
      Schema.decodeUnknown(Id.InvitationId)(request.id),
      () =>
        new Refusal({
          detail: `${JSON.stringify(request.id)} is no id of an invitation; assay keys invitations shows them`
        })
    )
    const now = yield* Clock.currentTimeMillis
    const database = yield* Database.findExisting(request.database)
    const ended = yield* Effect.flatMap(KeyStore.KeyStore, (keys) => keys.endInvitation(id, now)).pipe(
      Effect.provide(Database.layer(database)),
      Effect.catchTag("StorageError", Database.refusalOf)
    )
    if (Option.isNone(ended))
      return yield* new Refusal({ detail: `the database has no invitation ${id}; assay keys invitations shows them` })
    yield* shell.write(
      request.json ? `${JSON.stringify(invitationOf(ended.value))}\n` : `${invitationLineOf(ended.value, now)}\n`
    )
    return done
  })

/** Gives a key a plan by its name, or none. */
export const plan = (request: Request & { readonly id: string; readonly name: string }) =>
  Effect.gen(function* () {
    const { name, ...rest } = request
    const plan = name === "none" ? Option.none() : Option.some(yield* planOf(name))
    return yield* change({ ...rest, to: { plan } })
  })

/** Changes a key by its id: its daily quota, its plan, or its state. Revoking is final. */
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

/** How long an invitation lasts at most. */
const longestDays = 90

const labelOf = (label: string) =>
  Effect.mapError(
    Schema.decode(ApiKey.KeyLabel)(label.trim()),
    () => new Refusal({ detail: "a label has 1 to 100 characters, none of them a control character" })
  )

/** The name of a plan, one of those in ASSAY_PLANS where that is set here. */
const planOf = (name: string) =>
  Effect.gen(function* () {
    if (!Plan.isName(name))
      return yield* new Refusal({
        detail: `${JSON.stringify(name)} is no name of a plan: 1 to 32 lower case letters, digits and hyphens`
      })
    const { settings } = yield* Shell
    const text = settings.ASSAY_PLANS?.trim() ?? ""
    if (text === "") return name
    const plans = Either.getOrElse(SettingValue.plans(text, {}), () => Plan.none)
    if (!plans.has(name))
      return yield* new Refusal({
        detail: `ASSAY_PLANS has no plan ${name}; it has ${[...plans.keys()].join(", ")}`
      })
    return name
  })

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
  source: Option.getOrNull(record.source),
  plan: Option.getOrNull(record.plan),
  invitation_id: Option.getOrNull(Option.map(record.invitation, ({ id }) => id))
})

const invitationOf = (record: InvitationRecord) => ({
  id: record.id,
  label: record.label,
  plan: Option.getOrNull(record.plan),
  uses: record.uses,
  used: record.used,
  created_at: Timestamp.fromMillis(record.createdAt),
  ends_at: Timestamp.fromMillis(record.endsAt)
})

const invitationLineOf = (record: InvitationRecord, now: number): string => {
  const end = `${record.endsAt <= now ? "ended" : "ends"} ${Timestamp.fromMillis(record.endsAt)}`
  return `${record.id} ${record.used} of ${record.uses} used, ${end}${planned(record)}: ${record.label}`
}

const planned = ({ plan }: { readonly plan: Option.Option<string> }): string =>
  Option.match(plan, { onNone: () => "", onSome: (name) => `, plan ${name}` })

const lineOf = (record: KeyStore.KeyRecord): string => {
  const used = Option.match(record.lastUsedAt, {
    onNone: () => "never used",
    onSome: (at) => `used ${Timestamp.dayOf(at)}`
  })
  const end = Option.match(record.expiresAt, { onNone: () => "", onSome: (at) => `, expires ${Timestamp.dayOf(at)}` })
  const units = Option.match(record.plan, {
    onNone: () => `${record.dailyQuota}/day`,
    // What the plan is worth is in the settings of the servers.
    onSome: (name) => `plan ${name}, else ${record.dailyQuota}/day`
  })
  return `${record.id} ${record.state.padEnd(8)} ${units}, ${used}${end}: ${record.label}`
}

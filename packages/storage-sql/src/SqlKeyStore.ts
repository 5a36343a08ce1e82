import * as ApiKey from "@assay/core/domain/ApiKey"
import * as Hex from "@assay/core/domain/Hex"
import * as Id from "@assay/core/domain/Id"
import * as Invitation from "@assay/core/storage/Invitation"
import * as KeyStore from "@assay/core/storage/KeyStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Array as Arr, Effect, Option, Schema } from "effect"
import type { SqlDatabase } from "./SqlDatabase.js"

const Row = Schema.Struct({
  id: Id.KeyId,
  hashVersion: Schema.propertySignature(Schema.Literal(1)).pipe(Schema.fromKey("hash_version")),
  hash: Hex.Hex,
  hint: Schema.String,
  label: Schema.String,
  state: ApiKey.KeyState,
  dailyQuota: Schema.propertySignature(Schema.Int).pipe(Schema.fromKey("daily_quota")),
  createdAt: Schema.propertySignature(Schema.Int).pipe(Schema.fromKey("created_at")),
  expiresAt: Schema.propertySignature(Schema.OptionFromNullOr(Schema.Int)).pipe(Schema.fromKey("expires_at")),
  lastUsedAt: Schema.propertySignature(Schema.OptionFromNullOr(Schema.Int)).pipe(Schema.fromKey("last_used_at")),
  source: Schema.OptionFromNullOr(Schema.String),
  formerHash: Schema.propertySignature(Schema.OptionFromNullOr(Hex.Hex)).pipe(Schema.fromKey("former_hash")),
  formerEndsAt: Schema.propertySignature(Schema.OptionFromNullOr(Schema.Int)).pipe(Schema.fromKey("former_ends_at")),
  plan: Schema.OptionFromNullOr(Schema.String),
  invitationId: Schema.propertySignature(Schema.OptionFromNullOr(Id.InvitationId)).pipe(
    Schema.fromKey("invitation_id")
  ),
  invitationRequest: Schema.propertySignature(Schema.OptionFromNullOr(Hex.Hex)).pipe(
    Schema.fromKey("invitation_request")
  )
})
const InvitationRow = Schema.Struct({
  id: Id.InvitationId,
  hash: Hex.Hex,
  label: Schema.String,
  plan: Schema.OptionFromNullOr(Schema.String),
  uses: Schema.Int,
  used: Schema.Int,
  createdAt: Schema.propertySignature(Schema.Int).pipe(Schema.fromKey("created_at")),
  endsAt: Schema.propertySignature(Schema.Int).pipe(Schema.fromKey("ends_at"))
})
const decodeRows = Schema.decodeUnknown(Schema.Array(Row))
const decodeIds = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.KeyId })))
const encodeRow = Schema.encode(Row)
const decodeInvitations = Schema.decodeUnknown(Schema.Array(InvitationRow))
const encodeInvitation = Schema.encode(InvitationRow)

const decode = (rows: unknown) => Effect.map(decodeRows(rows), Arr.map(recordOf))

const recordOf = ({
  formerEndsAt,
  formerHash,
  invitationId,
  invitationRequest,
  ...columns
}: typeof Row.Type): KeyStore.KeyRecord => ({
  ...columns,
  invitation: Option.map(invitationId, (id) => ({ id, request: invitationRequest })),
  former: Option.zipWith(formerHash, formerEndsAt, (hash, endsAt) => ({ hash, endsAt }))
})

const encode = ({ former, invitation, ...columns }: KeyStore.KeyRecord) =>
  encodeRow({
    ...columns,
    invitationId: Option.map(invitation, ({ id }) => id),
    invitationRequest: Option.flatMap(invitation, ({ request }) => request),
    formerHash: Option.map(former, ({ hash }) => hash),
    formerEndsAt: Option.map(former, ({ endsAt }) => endsAt)
  })

// After every id: ids have digits and upper case letters.
const afterAll = { key: "key_a", invitation: "inv_a" }

const pageOf = <A extends { readonly id: string }>(found: ReadonlyArray<A>, limit: number) => {
  const data = found.slice(0, limit)
  return { data, next_cursor: found.length > limit ? (data.at(-1)?.id ?? null) : null }
}

/**
 * The one look-up of a request that is authenticated by the newest secret of its key.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectByHash = (sql: SqlClient, hash: Hex.Hex) => sql`SELECT * FROM api_key WHERE hash = ${hash}`

const selectByFormerHash = (sql: SqlClient, hash: Hex.Hex) => sql`SELECT * FROM api_key WHERE former_hash = ${hash}`

/**
 * A page of keys that were never used, by an index of these alone.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectUnused = (sql: SqlClient, { after, before, limit }: KeyStore.UnusedQuery) => sql`
  SELECT id FROM api_key
  WHERE last_used_at IS NULL AND id > ${Option.getOrElse(after, () => "")} AND created_at < ${before}
  ORDER BY id LIMIT ${limit}`

/**
 * The keys of a database.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({
  each,
  forUpdate,
  operation,
  reading,
  rows,
  sql,
  statement,
  transaction
}: SqlDatabase): KeyStore.KeyStore["Type"] => ({
  insert: Effect.fn("KeyStore.insert")(
    function* (record: KeyStore.KeyRecord) {
      const row = yield* encode(record)
      yield* sql`INSERT INTO api_key ${sql.insert(row)} ON CONFLICT (id) DO NOTHING`
    },
    (self) => operation("KeyStore.insert")(statement(self))
  ),
  findByHash: Effect.fn("KeyStore.findByHash")(function* (hash: Hex.Hex) {
    const found = Arr.head(yield* decode(yield* rows(selectByHash(sql, hash))))
    // A secret is never the newest one again, so nothing is missed between the two.
    return Option.isSome(found) ? found : Arr.head(yield* decode(yield* rows(selectByFormerHash(sql, hash))))
  }, reading("KeyStore.findByHash")),
  find: Effect.fn("KeyStore.find")(function* (id: Id.KeyId) {
    return Arr.head(yield* decode(yield* rows(sql`SELECT * FROM api_key WHERE id = ${id}`)))
  }, reading("KeyStore.find")),
  list: Effect.fn("KeyStore.list")(function* ({
    before,
    limit
  }: {
    readonly limit: number
    readonly before: Option.Option<Id.KeyId>
  }) {
    const end = Option.getOrElse(before, () => afterAll.key)
    const found = yield* decode(
      yield* rows(sql`SELECT * FROM api_key WHERE id < ${end} ORDER BY id DESC LIMIT ${limit + 1}`)
    )
    return pageOf(found, limit)
  }, reading("KeyStore.list")),
  change: Effect.fn("KeyStore.change")(
    function* (id: Id.KeyId, change: KeyStore.KeyChange) {
      const found = Arr.head(yield* decode(yield* sql`SELECT * FROM api_key WHERE id = ${id} ${forUpdate}`))
      if (Option.isNone(found)) return found
      const after = KeyStore.changed(found.value, change)
      const { daily_quota, expires_at, label, plan, state } = yield* encode(after)
      yield* sql`UPDATE api_key SET ${sql.update({ daily_quota, expires_at, label, plan, state })} WHERE id = ${id}`
      return Option.some(after)
    },
    (self) => operation("KeyStore.change")(transaction()(self))
  ),
  rotate: Effect.fn("KeyStore.rotate")(
    function* (id: Id.KeyId, rotation: KeyStore.Rotation) {
      const found = Arr.head(yield* decode(yield* sql`SELECT * FROM api_key WHERE id = ${id} ${forUpdate}`))
      const after = Option.flatMap(found, (record) => KeyStore.rotated(record, rotation))
      if (Option.isNone(after)) return after
      const { former_ends_at, former_hash, hash, hint } = yield* encode(after.value)
      yield* sql`UPDATE api_key SET ${sql.update({ former_ends_at, former_hash, hash, hint })} WHERE id = ${id}`
      return after
    },
    (self) => operation("KeyStore.rotate")(transaction()(self))
  ),
  invite: Effect.fn("KeyStore.invite")(
    function* (record: Invitation.InvitationRecord) {
      const row = yield* encodeInvitation(record)
      yield* sql`INSERT INTO invitation ${sql.insert(row)} ON CONFLICT (id) DO NOTHING`
    },
    (self) => operation("KeyStore.invite")(statement(self))
  ),
  invitations: Effect.fn("KeyStore.invitations")(function* ({
    before,
    limit
  }: {
    readonly limit: number
    readonly before: Option.Option<Id.InvitationId>
  }) {
    const end = Option.getOrElse(before, () => afterAll.invitation)
    const found = yield* decodeInvitations(
      yield* rows(sql`SELECT * FROM invitation WHERE id < ${end} ORDER BY id DESC LIMIT ${limit + 1}`)
    )
    return pageOf(found, limit)
  }, reading("KeyStore.invitations")),
  endInvitation: Effect.fn("KeyStore.endInvitation")(
    function* (id: Id.InvitationId, now: number) {
      const found = yield* decodeInvitations(yield* sql`SELECT * FROM invitation WHERE id = ${id} ${forUpdate}`)
      const after = Option.map(Arr.head(found), (record) => Invitation.ended(record, now))
      if (Option.isSome(after)) yield* sql`UPDATE invitation SET ends_at = ${after.value.endsAt} WHERE id = ${id}`
      return after
    },
    (self) => operation("KeyStore.endInvitation")(transaction()(self))
  ),
  redeem: Effect.fn("KeyStore.redeem")(
    function* (redemption: Invitation.Redemption) {
      const { invitation, key, request } = redemption
      // Those that redeem one invitation at once wait for each other here.
      const found = Arr.head(
        yield* decodeInvitations(yield* sql`SELECT * FROM invitation WHERE hash = ${invitation} ${forUpdate}`)
      )
      const keyWhere = (condition: Statement.Fragment) =>
        Effect.map(
          Effect.flatMap(sql`SELECT * FROM api_key WHERE ${condition} ${forUpdate}`, decode),
          Arr.head<KeyStore.KeyRecord>
        )
      const same = yield* keyWhere(sql`id = ${key.id}`)
      const named = Option.all([found, request])
      const earlier = Option.isNone(named)
        ? Option.none()
        : yield* keyWhere(sql`invitation_id = ${named.value[0].id} AND invitation_request = ${named.value[1]}`)
      const answer = Invitation.redeemed(found, { same, earlier }, redemption)
      if (answer._tag === "Refused") return answer as Invitation.RedeemAnswer
      const { record } = answer
      if (answer._tag === "Made") {
        const { id, used } = answer.invitation
        yield* sql`UPDATE invitation SET used = ${used} WHERE id = ${id}`
        yield* sql`INSERT INTO api_key ${sql.insert(yield* encode(record))}`
      }
      if (answer._tag === "Renewed") {
        const { hash, hint } = record
        yield* sql`UPDATE api_key SET ${sql.update({ hash, hint })} WHERE id = ${record.id}`
      }
      return { _tag: "Redeemed", record } as const
    },
    (self) => operation("KeyStore.redeem")(transaction()(self))
  ),
  touch: Effect.fn("KeyStore.touch")(
    function* (id: Id.KeyId, usedAt: number) {
      yield* sql`
        UPDATE api_key SET last_used_at = ${usedAt}
        WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${usedAt})`
    },
    (self) => operation("KeyStore.touch")(statement(self))
  ),
  unused: Effect.fn("KeyStore.unused")(function* (query: KeyStore.UnusedQuery) {
    return (yield* decodeIds(yield* rows(selectUnused(sql, query)))).map(({ id }) => id)
  }, reading("KeyStore.unused")),
  removeUnused: Effect.fn("KeyStore.removeUnused")(
    function* (ids: ReadonlyArray<Id.KeyId>) {
      const removed = yield* sql`
        DELETE FROM api_key WHERE id IN (${each(ids)}) AND last_used_at IS NULL RETURNING id`
      return removed.length
    },
    (self) => operation("KeyStore.removeUnused")(statement(self))
  )
})

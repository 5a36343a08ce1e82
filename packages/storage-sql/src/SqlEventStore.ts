import * as Event from "@assay/core/domain/Event"
import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as Webhook from "@assay/core/domain/Webhook"
import type * as EventStore from "@assay/core/storage/EventStore"
import type * as WatchStore from "@assay/core/storage/WatchStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import { Array as Arr, Effect, Option, type ParseResult, Schema } from "effect"
import type { SqlDatabase, Together } from "./SqlDatabase.js"

const Endpoint = Schema.parseJson(Webhook.Webhook)
const Secrets = Schema.parseJson(
  Schema.Array(Schema.Struct({ secret: Schema.String, until: Schema.OptionFromNullOr(Schema.Int) }))
)
const DeliveryDocument = Schema.parseJson(Webhook.Delivery)

const EventRow = Schema.Struct({
  id: Id.EventId,
  sequence: Schema.Int,
  timestamp: Timestamp.Timestamp,
  body: Schema.parseJson(Event.EventBody)
})
const Log = { last: Schema.Int, removed: Schema.Int }
const LogRow = Schema.Union(
  Schema.Struct({ ...Log, ...EventRow.fields }),
  // A log without a matching event.
  Schema.Struct({ ...Log, id: Schema.Null })
)
const NewestRow = Schema.Struct({ key_id: Id.KeyId, last: Schema.Int })
const WebhookRow = Schema.Struct({
  key_id: Id.KeyId,
  document: Endpoint,
  secrets: Secrets,
  failures: Schema.Int,
  warned: Schema.Int
})
const DeliveryRow = Schema.Struct({
  webhook_id: Id.WebhookId,
  document: Schema.NullOr(DeliveryDocument)
})

/**
 * A row of a delivery that a lease holds, or held.
 *
 * @since 0.1.0
 * @category schemas
 */
export const HeldRow = Schema.Struct({
  webhook_id: Id.WebhookId,
  event_id: Id.EventId,
  due_at: Schema.Int,
  asked: Schema.Int,
  lease_token: Schema.NullOr(Schema.String),
  document: DeliveryDocument
})
const TokenRow = Schema.Struct({ lease_token: Schema.String })
const DueRow = Schema.Struct({ due_at: Schema.OptionFromNullOr(Schema.Int) })
const OfWebhookRow = Schema.Struct({ webhook_id: Id.WebhookId })

/**
 * Reads rows of the log.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decodeEvents = Schema.decodeUnknown(Schema.Array(EventRow))
const decodeLog = Schema.decodeUnknown(Schema.Array(LogRow))
const decodeNewest = Schema.decodeUnknown(Schema.Array(NewestRow))
const decodeWebhooks = Schema.decodeUnknown(Schema.Array(WebhookRow))

/**
 * Reads rows of deliveries.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decodeDeliveries = Schema.decodeUnknown(Schema.Array(DeliveryRow))

/**
 * Reads rows of held deliveries.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decodeHeld = Schema.decodeUnknown(Schema.Array(HeldRow))
const decodeTokens = Schema.decodeUnknown(Schema.Array(TokenRow))
const decodeDue = Schema.decodeUnknown(Schema.NonEmptyArray(DueRow))
const decodeOfWebhook = Schema.decodeUnknown(Schema.Array(OfWebhookRow))
const encodeSecrets = Schema.encode(Secrets)

/**
 * What a kind of database does in its own way, in a transaction but for `claimDeliveries`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sending extends Pick<EventStore.EventStore["Type"], "claimDeliveries"> {
  /** Puts those of these events into the log that are not there, with their deliveries, and answers them. */
  readonly append: (
    events: ReadonlyArray<Event.NewEvent>,
    now: number
  ) => Effect.Effect<ReadonlyArray<Event.Event>, SqlError | ParseResult.ParseError>
  /** Drops the pending deliveries to an endpoint. */
  readonly drop: (id: Id.WebhookId) => Effect.Effect<void, SqlError | ParseResult.ParseError>
  /** Keeps others from the events and endpoints of the key of a delivery. */
  readonly ofDelivery: (id: Id.DeliveryId) => Together
  /** Keeps others from the events and endpoints of the keys of the deliveries that these leases hold. */
  readonly ofTokens: (tokens: ReadonlyArray<string>) => Together
  /** Keeps others from the keys of old events, and from removing these. */
  readonly ofOld: (before: number, limit: number) => Together
}

/**
 * The events of a database: the log, and the deliveries to each endpoint.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  database: SqlDatabase,
  { append, claimDeliveries, drop, ofDelivery, ofOld, ofTokens }: Sending
): EventStore.EventStore["Type"] => {
  const { each, forUpdate, hold, operation, reading, rows: read, sql, transaction } = database

  /** An endpoint, which no claim looks into until the transaction ends. */
  const locked = (keyId: Id.KeyId, id: Id.WebhookId) =>
    endpoints(database, sql`id = ${id} AND key_id = ${keyId} ${forUpdate}`)

  /** Writes an endpoint. If that disables it, its deliveries are dropped. */
  const writeWebhook = Effect.fnUntraced(function* (before: EventStore.StoredWebhook, after: EventStore.StoredWebhook) {
    const { failures, secrets, warned, webhook } = after
    const { id } = before.webhook
    yield* sql`
      UPDATE webhook
      SET state = ${webhook.state}, document = ${JSON.stringify(webhook)}, secrets = ${yield* encodeSecrets(secrets)},
        failures = ${failures}, warned = ${warned ? 1 : 0}
      WHERE id = ${id}`
    if (webhook.state === "disabled" && before.webhook.state === "enabled") yield* drop(id)
    yield* refresh(database, [id])
    return after
  })

  return {
    append: Effect.fn("EventStore.append")(append, (self, events) =>
      operation("EventStore.append")(transaction(...events.map(({ keyId }) => nameOf(keyId)))(self))
    ),
    read: Effect.fn("EventStore.read")(function* (keyId: Id.KeyId, query: EventStore.EventQuery) {
      const rows = yield* decodeLog(yield* read(selectEvents(sql, keyId, query)))
      const log = Arr.head(rows)
      if (Option.isNone(log)) return { _tag: "Events", events: [], next: query.after } as const
      const { last, removed } = log.value
      if (query.after < removed) return { _tag: "Expired", oldest: removed } as const
      const events = rows.flatMap((row) => (row.id === null ? [] : event(row)))
      const end = events.length < query.limit ? Math.max(query.after, last) : (events.at(-1)?.sequence ?? query.after)
      return { _tag: "Events", events, next: end } as const
    }, reading("EventStore.read")),
    newest: Effect.fn("EventStore.newest")(function* (keyIds: ReadonlyArray<Id.KeyId>) {
      const rows = yield* decodeNewest(
        yield* read(sql`SELECT key_id, last FROM event_sequence WHERE key_id IN (${each(keyIds)})`)
      )
      return new Map(rows.map(({ key_id, last }) => [key_id, last]))
    }, reading("EventStore.newest")),
    addWebhook: Effect.fn("EventStore.addWebhook")(
      function* (endpoint: EventStore.StoredWebhook, limit: number) {
        const { failures, keyId, secrets, warned, webhook } = endpoint
        const inserted = yield* sql`
          INSERT INTO webhook (id, key_id, state, document, secrets, failures, warned)
          SELECT ${webhook.id}, ${keyId}, ${webhook.state}, ${JSON.stringify(webhook)},
            ${yield* encodeSecrets(secrets)}, ${failures}, ${warned ? 1 : 0}
          WHERE (SELECT count(*) FROM webhook WHERE key_id = ${keyId}) < ${limit}
          ON CONFLICT (id) DO NOTHING
          RETURNING id`
        return inserted.length > 0 || (yield* sql`SELECT id FROM webhook WHERE id = ${webhook.id}`).length > 0
      },
      (self, { keyId }) => operation("EventStore.addWebhook")(transaction(nameOf(keyId))(self))
    ),
    webhooks: Effect.fn("EventStore.webhooks")(
      (keyId: Id.KeyId) =>
        Effect.flatMap(read(selectEndpoints(sql, sql`key_id = ${keyId} ORDER BY seq DESC`)), decodeEndpoints),
      reading("EventStore.webhooks")
    ),
    changeWebhook: Effect.fn("EventStore.changeWebhook")(
      function* (
        keyId: Id.KeyId,
        id: Id.WebhookId,
        decide: (endpoint: EventStore.StoredWebhook) => EventStore.StoredWebhook
      ) {
        const row = Arr.head(yield* locked(keyId, id))
        return Option.isNone(row) ? Option.none() : Option.some(yield* writeWebhook(row.value, decide(row.value)))
      },
      (self, keyId) => operation("EventStore.changeWebhook")(transaction(nameOf(keyId))(self))
    ),
    removeWebhook: Effect.fn("EventStore.removeWebhook")(
      function* (keyId: Id.KeyId, id: Id.WebhookId) {
        const removed = yield* sql`DELETE FROM webhook WHERE id = ${id} AND key_id = ${keyId} RETURNING id`
        if (removed.length === 0) return false
        yield* sql`DELETE FROM delivery WHERE webhook_id = ${id}`
        return true
      },
      (self, keyId) => operation("EventStore.removeWebhook")(transaction(nameOf(keyId))(self))
    ),
    deliveries: Effect.fn("EventStore.deliveries")(function* (
      keyId: Id.KeyId,
      id: Id.WebhookId,
      page: WatchStore.PageAfter<Id.DeliveryId>
    ) {
      const rows = yield* decodeDeliveries(yield* read(selectDeliveries(sql, keyId, id, page)))
      if (rows.length === 0) return Option.none()
      const deliveries = rows.flatMap((row) => row.document ?? [])
      const data = deliveries.slice(0, page.limit)
      return Option.some({ data, next_cursor: deliveries.length > page.limit ? (data.at(-1)?.id ?? null) : null })
    }, reading("EventStore.deliveries")),
    redeliver: Effect.fn("EventStore.redeliver")(
      function* (keyId: Id.KeyId, webhookId: Id.WebhookId, id: Id.DeliveryId, now: number) {
        if ((yield* locked(keyId, webhookId)).length === 0) return Option.none()
        const rows = yield* decodeDeliveries(
          yield* sql`
            UPDATE delivery
            SET asked = CASE WHEN status <> 'pending' THEN 1 ELSE asked END, status = 'pending',
              due_at = CASE WHEN lease_token IS NULL THEN ${now} ELSE due_at END
            WHERE id = ${id} AND webhook_id = ${webhookId}
            RETURNING webhook_id, document`
        )
        const found = Option.flatMapNullable(Arr.head(rows), (row) => row.document)
        if (Option.isNone(found)) return Option.none()
        const pending = { ...found.value, status: "pending" as const, next_attempt_at: Timestamp.fromMillis(now) }
        yield* sql`UPDATE delivery SET document = ${JSON.stringify(pending)} WHERE id = ${id}`
        yield* refresh(database, [webhookId])
        return Option.some(pending)
      },
      (self, keyId) => operation("EventStore.redeliver")(transaction(nameOf(keyId))(self))
    ),
    claimDeliveries,
    finishDelivery: Effect.fn("EventStore.finishDelivery")(
      function* (id: Id.DeliveryId, token: string, decide: (current: EventStore.Sending) => EventStore.Attempted) {
        const rows = yield* decodeHeld(
          yield* sql`
            UPDATE delivery SET lease_token = NULL WHERE id = ${id} AND lease_token = ${token}
            RETURNING ${heldColumns(sql)}`
        )
        const row = Arr.head(rows)
        const before = Option.isNone(row)
          ? Option.none()
          : Arr.head(yield* endpoints(database, sql`id = ${row.value.webhook_id}`))
        if (Option.isNone(row) || Option.isNone(before)) return Option.none()
        const asked = row.value.asked === 1
        const held = { delivery: row.value.document, endpoint: before.value, asked }
        const { delivery, endpoint, events } = decide(held)
        const next = delivery.next_attempt_at
        yield* sql`
          UPDATE delivery
          SET status = ${delivery.status}, due_at = ${next === null ? row.value.due_at : Timestamp.toMillis(next)},
            document = ${JSON.stringify(delivery)}
          WHERE id = ${id}`
        yield* writeWebhook(before.value, endpoint)
        const told = yield* Effect.forEach(events, (event) => append([event], Timestamp.toMillis(event.timestamp)))
        return Option.some(told.flat())
      },
      (self, id) => operation("EventStore.finishDelivery")(ofDelivery(id)(self))
    ),
    heldDeliveries: Effect.map(Effect.flatMap(read(selectHeld(sql)), decodeTokens), (rows) =>
      rows.map((row) => row.lease_token)
    ).pipe(reading("EventStore.heldDeliveries"), Effect.withSpan("EventStore.heldDeliveries")),
    freeDeliveries: Effect.fn("EventStore.freeDeliveries")(
      function* (tokens: ReadonlyArray<string>, now: number) {
        const held = heldBy(database, tokens)
        yield* hold(sql`
          SELECT id FROM webhook WHERE id IN (SELECT webhook_id FROM delivery WHERE ${held}) ORDER BY id`)
        const freed = yield* decodeOfWebhook(
          yield* sql`UPDATE delivery SET lease_token = NULL, due_at = ${now} WHERE ${held} RETURNING webhook_id`
        )
        yield* refresh(database, [...new Set(freed.map((row) => row.webhook_id))])
        return freed.length
      },
      (self, tokens) => operation("EventStore.freeDeliveries")(ofTokens(tokens)(self))
    ),
    nextDeliveryAt: Effect.gen(function* () {
      const rows = yield* read(sql`SELECT min(due_at) AS due_at FROM webhook WHERE due_at IS NOT NULL`)
      return (yield* decodeDue(rows))[0].due_at
    }).pipe(reading("EventStore.nextDeliveryAt"), Effect.withSpan("EventStore.nextDeliveryAt")),
    prune: Effect.fn("EventStore.prune")(
      function* (before: number, limit: number) {
        const events = old(sql, before, limit)
        yield* hold(sql`
          SELECT id FROM webhook
          WHERE id IN (SELECT webhook_id FROM delivery WHERE event_id IN (SELECT id ${events})) ORDER BY id`)
        const deliveries = yield* decodeOfWebhook(
          yield* sql`DELETE FROM delivery WHERE event_id IN (SELECT id ${events}) RETURNING webhook_id`
        )
        yield* sql`
          UPDATE event_sequence SET removed = newest.sequence
          FROM (
            SELECT key_id, max(sequence) AS sequence FROM event WHERE seq IN (SELECT seq ${events}) GROUP BY key_id
          ) AS newest
          WHERE event_sequence.key_id = newest.key_id`
        const removed = yield* sql`DELETE FROM event WHERE seq IN (SELECT seq ${events}) RETURNING seq`
        if (deliveries.length > 0) yield* refresh(database, [...new Set(deliveries.map((row) => row.webhook_id))])
        return removed.length
      },
      (self, before, limit) => operation("EventStore.prune")(ofOld(before, limit)(self))
    )
  }
}

/**
 * Every write about the events and endpoints of a key gives its transaction a name: this and the key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const eventsOf = "events of "

const nameOf = (keyId: Id.KeyId): string => `${eventsOf}${keyId}`

/**
 * The endpoints that a condition holds of.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endpoints = ({ sql }: SqlDatabase, which: Statement.Fragment) =>
  Effect.flatMap(selectEndpoints(sql, which), decodeEndpoints)

const selectEndpoints = (sql: SqlClient, which: Statement.Fragment) =>
  sql`SELECT key_id, document, secrets, failures, warned FROM webhook WHERE ${which}`

const decodeEndpoints = (rows: unknown) => Effect.map(decodeWebhooks(rows), (webhooks) => webhooks.map(stored))

/**
 * Updates when the first delivery to each of these endpoints is due.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refresh = ({ each, sql }: SqlDatabase, ids: ReadonlyArray<Id.WebhookId>) => sql`
  UPDATE webhook
  SET due_at = (SELECT min(delivery.due_at) FROM delivery WHERE webhook_id = webhook.id AND status = 'pending')
  WHERE id IN (${each(ids)})`

/**
 * The columns of a held delivery.
 *
 * @since 0.1.0
 * @category combinators
 */
export const heldColumns = (sql: SqlClient) => sql`webhook_id, event_id, due_at, asked, lease_token, document`

/**
 * Whether one of these leases holds a delivery.
 *
 * @since 0.1.0
 * @category combinators
 */
export const heldBy = ({ each, sql }: SqlDatabase, tokens: ReadonlyArray<string>) =>
  sql`lease_token IS NOT NULL AND lease_token IN (${each(tokens)})`

/**
 * A part of a key's log, each row with the state of the log at the same moment. One row without an event if none
 * matches, no row if the key has no log.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectEvents = (sql: SqlClient, keyId: Id.KeyId, query: EventStore.EventQuery) => sql`
  SELECT last, removed, event.id, event.sequence, event.timestamp, event.body
  FROM event_sequence
  LEFT JOIN event ON ${sql.and([
    sql`event.key_id = ${keyId}`,
    sql`event.sequence > ${query.after}`,
    ...(query.types.length === 0 ? [] : [sql.in("event.type", query.types)]),
    ...Option.toArray(Option.map(query.watchId, (watchId) => sql`event.watch_id = ${watchId}`))
  ])}
  WHERE event_sequence.key_id = ${keyId}
  ORDER BY event.sequence LIMIT ${query.limit}`

/**
 * The oldest events that were appended before a time; they are the first ones of their keys.
 *
 * @since 0.1.0
 * @category combinators
 */
export const old = (sql: SqlClient, before: number, limit: number) =>
  sql`FROM event WHERE appended_at < ${before} ORDER BY appended_at, seq LIMIT ${limit}`

/**
 * A page of the deliveries to an endpoint. One empty row if it has none, no row if the endpoint does not exist.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectDeliveries = (
  sql: SqlClient,
  keyId: Id.KeyId,
  id: Id.WebhookId,
  page: WatchStore.PageAfter<Id.DeliveryId>
) => sql`
  SELECT webhook.id AS webhook_id, delivery.document FROM webhook
  LEFT JOIN delivery ON ${sql.and([
    sql`delivery.webhook_id = ${id}`,
    ...Option.toArray(
      Option.map(
        page.before,
        (before) => sql`delivery.seq < (SELECT seq FROM delivery WHERE id = ${before} AND webhook_id = ${id})`
      )
    )
  ])}
  WHERE webhook.id = ${id} AND webhook.key_id = ${keyId}
  ORDER BY delivery.seq DESC LIMIT ${page.limit + 1}`

/**
 * The tokens that hold deliveries. The index of held deliveries has only these, and they are few.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectHeld = (sql: SqlClient) => sql`SELECT lease_token FROM delivery WHERE lease_token IS NOT NULL`

const stored = (row: typeof WebhookRow.Type): EventStore.StoredWebhook => ({
  keyId: row.key_id,
  webhook: row.document,
  secrets: row.secrets,
  failures: row.failures,
  warned: row.warned === 1
})

/**
 * The event of a row of the log.
 *
 * @since 0.1.0
 * @category combinators
 */
export const event = ({ body, id, sequence, timestamp }: typeof EventRow.Type): Event.Event => ({
  id,
  sequence,
  timestamp,
  ...body
})

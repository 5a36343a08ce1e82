import * as Event from "@assay/core/domain/Event"
import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as Webhook from "@assay/core/domain/Webhook"
import * as EventStore from "@assay/core/storage/EventStore"
import type * as WatchStore from "@assay/core/storage/WatchStore"
import { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Layer, Option, Schema } from "effect"
import { operation, transaction } from "./PgStore.js"

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
const AppendedRow = Schema.Struct({ sequence: Schema.Int, appended_at: Schema.Int })
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
const HeldRow = Schema.Struct({
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
const RemovedRow = Schema.Struct({ key_id: Id.KeyId, sequence: Schema.Int })

const decodeEvents = Schema.decodeUnknown(Schema.Array(EventRow))
const decodeLog = Schema.decodeUnknown(Schema.Array(LogRow))
const decodeAppended = Schema.decodeUnknown(Schema.Array(AppendedRow))
const decodeWebhooks = Schema.decodeUnknown(Schema.Array(WebhookRow))
const decodeDeliveries = Schema.decodeUnknown(Schema.Array(DeliveryRow))
const decodeHeld = Schema.decodeUnknown(Schema.Array(HeldRow))
const decodeTokens = Schema.decodeUnknown(Schema.Array(TokenRow))
const decodeDue = Schema.decodeUnknown(Schema.NonEmptyArray(DueRow))
const decodeOfWebhook = Schema.decodeUnknown(Schema.Array(OfWebhookRow))
const decodeRemoved = Schema.decodeUnknown(Schema.Array(RemovedRow))
const encodeSecrets = Schema.encode(Secrets)

/**
 * Events in Postgres: the log, and the deliveries to each endpoint.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<EventStore.EventStore, never, SqlClient> = Layer.effect(
  EventStore.EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient

    const heldColumns = sql`webhook_id, event_id, due_at, asked, lease_token, document`

    /** Updates when the first delivery to each of these endpoints is due. */
    const refresh = (ids: ReadonlyArray<Id.WebhookId>) => sql`
      UPDATE webhook
      SET due_at = (SELECT min(delivery.due_at) FROM delivery WHERE webhook_id = webhook.id AND status = 'pending')
      WHERE id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`

    const webhooksOf = Effect.fnUntraced(function* (keyId: Id.KeyId) {
      const rows = yield* sql`
        SELECT key_id, document, secrets, failures, warned FROM webhook WHERE key_id = ${keyId} ORDER BY seq DESC`
      return (yield* decodeWebhooks(rows)).map(stored)
    })

    /** Writes an endpoint. If that disables it, its deliveries are dropped. */
    const writeWebhook = Effect.fnUntraced(function* (
      before: EventStore.StoredWebhook,
      after: EventStore.StoredWebhook
    ) {
      const { failures, secrets, warned, webhook } = after
      const { id } = before.webhook
      yield* sql`
        UPDATE webhook
        SET state = ${webhook.state}, document = ${JSON.stringify(webhook)}, secrets = ${yield* encodeSecrets(secrets)},
          failures = ${failures}, warned = ${warned ? 1 : 0}
        WHERE id = ${id}`
      if (webhook.state === "disabled" && before.webhook.state === "enabled")
        for (const { document } of yield* decodeDeliveries(
          yield* sql`SELECT webhook_id, document FROM delivery WHERE webhook_id = ${id} AND status = 'pending'`
        ))
          if (document !== null)
            yield* sql`
              UPDATE delivery
              SET status = 'dropped', lease_token = NULL, due_at = NULL,
                document = ${JSON.stringify({ ...document, status: "dropped", next_attempt_at: null })}
              WHERE id = ${document.id}`
      yield* refresh([id])
      return after
    })

    const append = Effect.fnUntraced(function* (event: Event.NewEvent, now: number) {
      const { body, id, keyId, timestamp } = event
      const watchId = "watch_id" in body.data ? body.data.watch_id : null
      const log = sql`FROM event_sequence WHERE key_id = ${keyId}`
      // A clock that moves back does not make an event older than those before it, so the oldest are the first.
      const rows = yield* decodeAppended(
        yield* sql`
        INSERT INTO event (id, key_id, sequence, type, watch_id, timestamp, appended_at, body)
        VALUES (${id}, ${keyId}, coalesce((SELECT last ${log}), 0) + 1, ${body.type}, ${watchId}, ${timestamp},
          greatest(${now}::bigint, (SELECT appended_at ${log})), ${JSON.stringify(body)})
        ON CONFLICT (id) DO NOTHING
        RETURNING sequence, appended_at`
      )
      const appended = Arr.head(rows)
      if (Option.isNone(appended)) return Option.none<Event.Event>()
      const { appended_at, sequence } = appended.value
      yield* sql`
        INSERT INTO event_sequence (key_id, last, removed, appended_at)
        VALUES (${keyId}, ${sequence}, 0, ${appended_at})
        ON CONFLICT (key_id) DO UPDATE SET last = excluded.last, appended_at = excluded.appended_at`
      return Option.some<Event.Event>({ id, sequence, timestamp, ...body })
    })

    const send = ({ id, only }: Event.NewEvent, webhookId: Id.WebhookId, now: number) => {
      const delivery = Webhook.pending(id, webhookId, now)
      return sql`
        INSERT INTO delivery (id, webhook_id, event_id, status, asked, due_at, document)
        VALUES (${delivery.id}, ${webhookId}, ${id}, 'pending', ${only === null ? 0 : 1}, ${now},
          ${JSON.stringify(delivery)})`
    }

    const appendAll = Effect.fnUntraced(function* (events: ReadonlyArray<Event.NewEvent>, now: number) {
      const appended: Array<Event.Event> = []
      const endpoints = new Map<Id.KeyId, ReadonlyArray<EventStore.StoredWebhook>>()
      const told = new Set<Id.WebhookId>()
      for (const event of events) {
        const added = yield* append(event, now)
        if (Option.isNone(added)) continue
        appended.push(added.value)
        const ofKey = endpoints.get(event.keyId) ?? (yield* webhooksOf(event.keyId))
        endpoints.set(event.keyId, ofKey)
        for (const { webhook } of ofKey)
          if (Webhook.wants(webhook, event)) {
            yield* send(event, webhook.id, now)
            told.add(webhook.id)
          }
      }
      if (told.size > 0) yield* refresh([...told])
      return appended
    })

    return {
      append: Effect.fn("EventStore.append")(appendAll, (self) =>
        operation("EventStore.append")(transaction(sql, "event")(self))
      ),
      read: Effect.fn("EventStore.read")(function* (keyId: Id.KeyId, query: EventStore.EventQuery) {
        const rows = yield* decodeLog(yield* selectEvents(sql, keyId, query))
        const log = Arr.head(rows)
        if (Option.isNone(log)) return { _tag: "Events", events: [], next: query.after } as const
        const { last, removed } = log.value
        if (query.after < removed) return { _tag: "Expired", oldest: removed } as const
        const events = rows.flatMap((row) => (row.id === null ? [] : event(row)))
        const end = events.length < query.limit ? Math.max(query.after, last) : (events.at(-1)?.sequence ?? query.after)
        return { _tag: "Events", events, next: end } as const
      }, operation("EventStore.read")),
      addWebhook: Effect.fn("EventStore.addWebhook")(
        function* (endpoint: EventStore.StoredWebhook, limit: number) {
          const { failures, keyId, secrets, warned, webhook } = endpoint
          const inserted = yield* sql`
            INSERT INTO webhook (id, key_id, state, document, secrets, failures, warned)
            SELECT ${webhook.id}::text, ${keyId}::text, ${webhook.state}::text, ${JSON.stringify(webhook)}::text,
              ${yield* encodeSecrets(secrets)}::text, ${failures}::integer, ${warned ? 1 : 0}::integer
            WHERE (SELECT count(*) FROM webhook WHERE key_id = ${keyId}) < ${limit}::bigint
            ON CONFLICT (id) DO NOTHING
            RETURNING id`
          return inserted.length > 0 || (yield* sql`SELECT id FROM webhook WHERE id = ${webhook.id}`).length > 0
        },
        (self) => operation("EventStore.addWebhook")(transaction(sql, "event")(self))
      ),
      webhooks: Effect.fn("EventStore.webhooks")(webhooksOf, operation("EventStore.webhooks")),
      changeWebhook: Effect.fn("EventStore.changeWebhook")(
        function* (
          keyId: Id.KeyId,
          id: Id.WebhookId,
          decide: (endpoint: EventStore.StoredWebhook) => EventStore.StoredWebhook
        ) {
          const rows = yield* decodeWebhooks(
            yield* sql`
            UPDATE webhook SET id = id WHERE id = ${id} AND key_id = ${keyId}
            RETURNING key_id, document, secrets, failures, warned`
          )
          const row = Option.map(Arr.head(rows), stored)
          return Option.isNone(row) ? Option.none() : Option.some(yield* writeWebhook(row.value, decide(row.value)))
        },
        (self) => operation("EventStore.changeWebhook")(transaction(sql, "event")(self))
      ),
      removeWebhook: Effect.fn("EventStore.removeWebhook")(
        function* (keyId: Id.KeyId, id: Id.WebhookId) {
          const removed = yield* sql`DELETE FROM webhook WHERE id = ${id} AND key_id = ${keyId} RETURNING id`
          if (removed.length === 0) return false
          yield* sql`DELETE FROM delivery WHERE webhook_id = ${id}`
          return true
        },
        (self) => operation("EventStore.removeWebhook")(transaction(sql, "event")(self))
      ),
      deliveries: Effect.fn("EventStore.deliveries")(function* (
        keyId: Id.KeyId,
        id: Id.WebhookId,
        page: WatchStore.PageAfter<Id.DeliveryId>
      ) {
        const rows = yield* decodeDeliveries(yield* selectDeliveries(sql, keyId, id, page))
        if (rows.length === 0) return Option.none()
        const deliveries = rows.flatMap((row) => row.document ?? [])
        const data = deliveries.slice(0, page.limit)
        return Option.some({ data, next_cursor: deliveries.length > page.limit ? (data.at(-1)?.id ?? null) : null })
      }, operation("EventStore.deliveries")),
      redeliver: Effect.fn("EventStore.redeliver")(
        function* (keyId: Id.KeyId, webhookId: Id.WebhookId, id: Id.DeliveryId, now: number) {
          const rows = yield* decodeDeliveries(
            yield* sql`
            UPDATE delivery
            SET asked = CASE WHEN status <> 'pending' THEN 1 ELSE asked END, status = 'pending',
              due_at = CASE WHEN lease_token IS NULL THEN ${now} ELSE due_at END
            WHERE id = ${id} AND webhook_id = ${webhookId}
              AND EXISTS (SELECT id FROM webhook WHERE id = ${webhookId} AND key_id = ${keyId})
            RETURNING webhook_id, document`
          )
          const found = Option.flatMapNullable(Arr.head(rows), (row) => row.document)
          if (Option.isNone(found)) return Option.none()
          const pending = { ...found.value, status: "pending" as const, next_attempt_at: Timestamp.fromMillis(now) }
          yield* sql`UPDATE delivery SET document = ${JSON.stringify(pending)} WHERE id = ${id}`
          yield* refresh([webhookId])
          return Option.some(pending)
        },
        (self) => operation("EventStore.redeliver")(transaction(sql, "event")(self))
      ),
      claimDeliveries: Effect.fn("EventStore.claimDeliveries")(
        function* (request: {
          readonly now: number
          readonly until: number
          readonly tokens: ReadonlyArray<string>
          readonly perEndpoint: number
        }) {
          const claims: Array<EventStore.DeliveryClaim> = []
          const claimed = Effect.fnUntraced(function* ({
            document,
            event_id,
            lease_token,
            webhook_id
          }: typeof HeldRow.Type) {
            const events = yield* decodeEvents(
              yield* sql`SELECT id, sequence, timestamp, body FROM event WHERE id = ${event_id}`
            )
            const token = lease_token ?? ""
            const endpoint = yield* webhook(sql, webhook_id)
            for (const found of events)
              for (const to of endpoint) claims.push({ delivery: document, event: event(found), endpoint: to, token })
          })
          const before = yield* decodeHeld(
            yield* sql`
            SELECT ${heldColumns} FROM delivery
            WHERE lease_token IS NOT NULL
              AND lease_token IN (SELECT jsonb_array_elements_text(${JSON.stringify(request.tokens)}::jsonb))`
          )
          yield* Effect.forEach(before, claimed, { discard: true })
          if (before.length > 0) return claims
          for (const token of request.tokens) {
            const rows = yield* decodeHeld(
              yield* sql`
              UPDATE delivery SET lease_token = ${token}, due_at = ${request.until}
              WHERE seq = (${selectDelivery(sql, request.now, request.perEndpoint)})
              RETURNING ${heldColumns}`
            )
            const row = Arr.head(rows)
            if (Option.isNone(row)) break
            yield* refresh([row.value.webhook_id])
            yield* claimed(row.value)
          }
          return claims
        },
        (self) => operation("EventStore.claimDeliveries")(transaction(sql, "event")(self))
      ),
      finishDelivery: Effect.fn("EventStore.finishDelivery")(
        function* (id: Id.DeliveryId, token: string, decide: (current: EventStore.Sending) => EventStore.Attempted) {
          const rows = yield* decodeHeld(
            yield* sql`
            UPDATE delivery SET lease_token = NULL WHERE id = ${id} AND lease_token = ${token}
            RETURNING ${heldColumns}`
          )
          const row = Arr.head(rows)
          const before = Option.isNone(row) ? Option.none() : Arr.head(yield* webhook(sql, row.value.webhook_id))
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
          const told = yield* Effect.forEach(events, (event) => appendAll([event], Timestamp.toMillis(event.timestamp)))
          return Option.some(told.flat())
        },
        (self) => operation("EventStore.finishDelivery")(transaction(sql, "event")(self))
      ),
      heldDeliveries: Effect.map(Effect.flatMap(selectHeld(sql), decodeTokens), (rows) =>
        rows.map((row) => row.lease_token)
      ).pipe(operation("EventStore.heldDeliveries"), Effect.withSpan("EventStore.heldDeliveries")),
      freeDeliveries: Effect.fn("EventStore.freeDeliveries")(
        function* (tokens: ReadonlyArray<string>, now: number) {
          const freed = yield* decodeOfWebhook(
            yield* sql`
            UPDATE delivery SET lease_token = NULL, due_at = ${now}
            WHERE lease_token IS NOT NULL AND lease_token IN (SELECT jsonb_array_elements_text(${JSON.stringify(tokens)}::jsonb))
            RETURNING webhook_id`
          )
          yield* refresh([...new Set(freed.map((row) => row.webhook_id))])
          return freed.length
        },
        (self) => operation("EventStore.freeDeliveries")(transaction(sql, "event")(self))
      ),
      nextDeliveryAt: Effect.gen(function* () {
        const rows = yield* sql`SELECT min(due_at) AS due_at FROM webhook WHERE due_at IS NOT NULL`
        return (yield* decodeDue(rows))[0].due_at
      }).pipe(operation("EventStore.nextDeliveryAt"), Effect.withSpan("EventStore.nextDeliveryAt")),
      prune: Effect.fn("EventStore.prune")(
        function* (before: number, limit: number) {
          const deliveries = yield* decodeOfWebhook(
            yield* sql`DELETE FROM delivery WHERE event_id IN (SELECT id ${old(sql, before, limit)}) RETURNING webhook_id`
          )
          const removed = yield* decodeRemoved(
            yield* sql`DELETE FROM event WHERE seq IN (SELECT seq ${old(sql, before, limit)}) RETURNING key_id, sequence`
          )
          const upTo = new Map<Id.KeyId, number>()
          for (const { key_id, sequence } of removed) upTo.set(key_id, Math.max(sequence, upTo.get(key_id) ?? 0))
          for (const [keyId, sequence] of upTo)
            yield* sql`UPDATE event_sequence SET removed = ${sequence} WHERE key_id = ${keyId}`
          yield* refresh([...new Set(deliveries.map((row) => row.webhook_id))])
          return removed.length
        },
        (self) => operation("EventStore.prune")(transaction(sql, "event")(self))
      )
    }
  })
)

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
 * The next delivery to claim: of the endpoint whose first delivery has waited longest and that has fewer claimed than
 * its limit. Endpoints at their limit are skipped; they are few, because claimed deliveries are being sent at this
 * moment. A claimed delivery is due when its lease ends, so one column serves for both.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectDelivery = (sql: SqlClient, now: number, perEndpoint: number) => sql`
  SELECT seq FROM delivery
  WHERE status = 'pending' AND due_at <= ${now} AND webhook_id = (
    SELECT id FROM webhook
    WHERE due_at <= ${now} AND due_at IS NOT NULL AND (
      SELECT count(*) FROM delivery
      WHERE webhook_id = webhook.id AND lease_token IS NOT NULL AND delivery.due_at > ${now}) < ${perEndpoint}
    ORDER BY due_at LIMIT 1)
  ORDER BY due_at, seq LIMIT 1`

/**
 * The tokens that hold deliveries. The index of held deliveries has only these, and they are few.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectHeld = (sql: SqlClient) => sql`SELECT lease_token FROM delivery WHERE lease_token IS NOT NULL`

const webhook = Effect.fnUntraced(function* (sql: SqlClient, id: Id.WebhookId) {
  const rows = yield* sql`SELECT key_id, document, secrets, failures, warned FROM webhook WHERE id = ${id}`
  return (yield* decodeWebhooks(rows)).map(stored)
})

const stored = (row: typeof WebhookRow.Type): EventStore.StoredWebhook => ({
  keyId: row.key_id,
  webhook: row.document,
  secrets: row.secrets,
  failures: row.failures,
  warned: row.warned === 1
})

const event = ({ body, id, sequence, timestamp }: typeof EventRow.Type): Event.Event => ({
  id,
  sequence,
  timestamp,
  ...body
})

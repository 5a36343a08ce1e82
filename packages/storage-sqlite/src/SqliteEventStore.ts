import type * as Event from "@assay/core/domain/Event"
import type * as Id from "@assay/core/domain/Id"
import * as Webhook from "@assay/core/domain/Webhook"
import * as EventStore from "@assay/core/storage/EventStore"
import * as SqlEventStore from "@assay/storage-sql/SqlEventStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Layer, Option, Schema } from "effect"
import { database } from "./SqliteDatabase.js"
import type { SqliteHealth } from "./SqliteHealth.js"
import type { SqliteReads } from "./SqliteReads.js"

const AppendedRow = Schema.Struct({ sequence: Schema.Int, appended_at: Schema.Int })
const decodeAppended = Schema.decodeUnknown(Schema.Array(AppendedRow))

/**
 * Events in SQLite.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<EventStore.EventStore, never, SqlClient | SqliteHealth | SqliteReads> = Layer.effect(
  EventStore.EventStore,
  Effect.map(database, (database) => {
    const { operation, sql, transaction } = database

    const append = Effect.fnUntraced(function* (event: Event.NewEvent, now: number) {
      const { body, id, keyId, timestamp } = event
      const watchId = "watch_id" in body.data ? body.data.watch_id : null
      const log = sql`FROM event_sequence WHERE key_id = ${keyId}`
      // A clock that moves back does not make an event older than those before it, so the oldest are the first.
      const rows = yield* decodeAppended(
        yield* sql`
        INSERT INTO event (id, key_id, sequence, type, watch_id, timestamp, appended_at, body)
        VALUES (${id}, ${keyId}, coalesce((SELECT last ${log}), 0) + 1, ${body.type}, ${watchId}, ${timestamp},
          max(${now}, coalesce((SELECT appended_at ${log}), ${now})), ${JSON.stringify(body)})
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
        const ofKey =
          endpoints.get(event.keyId) ??
          (yield* SqlEventStore.endpoints(database, sql`key_id = ${event.keyId} ORDER BY seq DESC`))
        endpoints.set(event.keyId, ofKey)
        for (const { webhook } of ofKey)
          if (Webhook.wants(webhook, event)) {
            yield* send(event, webhook.id, now)
            told.add(webhook.id)
          }
      }
      if (told.size > 0) yield* SqlEventStore.refresh(database, [...told])
      return appended
    })

    return SqlEventStore.make(database, {
      append: appendAll,
      drop: (id) => sql`
        UPDATE delivery
        SET status = 'dropped', lease_token = NULL, due_at = NULL,
          document = json_set(document, '$.status', 'dropped', '$.next_attempt_at', json('null'))
        WHERE webhook_id = ${id} AND status = 'pending'`,
      ofDelivery: () => transaction(),
      ofTokens: () => transaction(),
      ofOld: () => transaction(),
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
          }: typeof SqlEventStore.HeldRow.Type) {
            const events = yield* SqlEventStore.decodeEvents(
              yield* sql`SELECT id, sequence, timestamp, body FROM event WHERE id = ${event_id}`
            )
            const token = lease_token ?? ""
            const endpoint = yield* SqlEventStore.endpoints(database, sql`id = ${webhook_id}`)
            for (const found of events)
              for (const to of endpoint)
                claims.push({ delivery: document, event: SqlEventStore.event(found), endpoint: to, token })
          })
          const before = yield* SqlEventStore.decodeHeld(
            yield* sql`
            SELECT ${SqlEventStore.heldColumns(sql)} FROM delivery
            WHERE ${SqlEventStore.heldBy(database, request.tokens)}`
          )
          yield* Effect.forEach(before, claimed, { discard: true })
          if (before.length > 0) return claims
          for (const token of request.tokens) {
            const rows = yield* SqlEventStore.decodeHeld(
              yield* sql`
              UPDATE delivery SET lease_token = ${token}, due_at = ${request.until}
              WHERE seq = (${selectDelivery(sql, request.now, request.perEndpoint)})
              RETURNING ${SqlEventStore.heldColumns(sql)}`
            )
            const row = Arr.head(rows)
            if (Option.isNone(row)) break
            yield* SqlEventStore.refresh(database, [row.value.webhook_id])
            yield* claimed(row.value)
          }
          return claims
        },
        (self) => operation("EventStore.claimDeliveries")(transaction()(self))
      )
    })
  })
)

/**
 * The next delivery to claim: of the endpoint with the delivery that has waited longest and fewer claimed than
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

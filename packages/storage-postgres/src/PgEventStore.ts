import type * as Event from "@assay/core/domain/Event"
import * as Id from "@assay/core/domain/Id"
import * as Webhook from "@assay/core/domain/Webhook"
import * as EventStore from "@assay/core/storage/EventStore"
import type { SqlDatabase } from "@assay/storage-sql/SqlDatabase"
import * as SqlEventStore from "@assay/storage-sql/SqlEventStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import * as Claiming from "./Claiming.js"
import { database } from "./PgDatabase.js"
import { literal, lock, lockEach, transaction } from "./PgStore.js"

const decodeAppended = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.EventId, sequence: Schema.Int })))
const decodeIds = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.WebhookId })))

/**
 * Events in Postgres.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<EventStore.EventStore, never, SqlClient> = Layer.effect(
  EventStore.EventStore,
  Effect.map(database, (database) => {
    const { each, operation, sql } = database

    /** Puts those of these events into the log that are not there, and answers their numbers. Their keys are locked. */
    const append = (events: ReadonlyArray<Event.NewEvent>, now: number) => {
      const given = events.map(({ body, id, keyId, timestamp }) => ({
        id,
        key_id: keyId,
        type: body.type,
        watch_id: "watch_id" in body.data ? body.data.watch_id : null,
        timestamp,
        body: JSON.stringify(body)
      }))
      // A clock that moves back does not make an event older than those before it, so the oldest are the first.
      return sql`
        WITH given AS (
          SELECT * FROM ROWS FROM (
            json_to_recordset(${JSON.stringify(given)}::json)
              AS (id TEXT, key_id TEXT, type TEXT, watch_id TEXT, timestamp TEXT, body TEXT)
          ) WITH ORDINALITY AS given (id, key_id, type, watch_id, timestamp, body, place)
        ), new AS (
          SELECT DISTINCT ON (id) * FROM given
          WHERE NOT EXISTS (SELECT FROM event WHERE event.id = given.id)
          ORDER BY id, place
        ), appended AS (
          INSERT INTO event (id, key_id, sequence, type, watch_id, timestamp, appended_at, body)
          SELECT id, new.key_id, coalesce(last, 0) + row_number() OVER (PARTITION BY new.key_id ORDER BY place), type,
            watch_id, timestamp, greatest(${now}::bigint, appended_at), body
          FROM new LEFT JOIN event_sequence ON event_sequence.key_id = new.key_id
          ORDER BY place
          RETURNING id, key_id, sequence, appended_at
        ), counted AS (
          INSERT INTO event_sequence (key_id, last, removed, appended_at)
          SELECT key_id, max(sequence), 0, max(appended_at) FROM appended GROUP BY key_id
          ON CONFLICT (key_id) DO UPDATE SET last = excluded.last, appended_at = excluded.appended_at
        )
        SELECT id, sequence FROM appended`
    }

    const send = (
      deliveries: ReadonlyArray<{ readonly event: Event.NewEvent; readonly to: Id.WebhookId }>,
      now: number
    ) => {
      const given = deliveries.map(({ event, to }) => {
        const delivery = Webhook.pending(event.id, to, now)
        return {
          id: delivery.id,
          webhook_id: to,
          event_id: event.id,
          asked: event.only === null ? 0 : 1,
          document: JSON.stringify(delivery)
        }
      })
      return sql`
        INSERT INTO delivery (id, webhook_id, event_id, status, asked, due_at, document)
        SELECT id, webhook_id, event_id, 'pending', asked, ${now}::bigint, document
        FROM ROWS FROM (
          json_to_recordset(${JSON.stringify(given)}::json)
            AS (id TEXT, webhook_id TEXT, event_id TEXT, asked BIGINT, document TEXT)
        ) WITH ORDINALITY AS given (id, webhook_id, event_id, asked, document, place)
        ORDER BY place`
    }

    const appendAll = Effect.fnUntraced(function* (events: ReadonlyArray<Event.NewEvent>, now: number) {
      if (events.length === 0) return []
      const rows = yield* decodeAppended(yield* append(events, now))
      const sequences = new Map(rows.map(({ id, sequence }) => [id, sequence]))
      const added: Array<{ readonly event: Event.NewEvent; readonly sequence: number }> = []
      for (const event of events) {
        const sequence = sequences.get(event.id)
        // The first of those with the same id.
        if (sequence !== undefined && sequences.delete(event.id)) added.push({ event, sequence })
      }
      if (added.length === 0) return []
      const keys = [...new Set(added.map(({ event }) => event.keyId))]
      const endpoints = yield* SqlEventStore.endpoints(
        database,
        sql`${sql.in("key_id", keys)} ORDER BY id ${database.forUpdate}`
      )
      const deliveries = added.flatMap(({ event }) =>
        endpoints
          .filter(({ keyId, webhook }) => keyId === event.keyId && Webhook.wants(webhook, event))
          .map(({ webhook }) => ({ event, to: webhook.id }))
      )
      if (deliveries.length > 0) {
        yield* send(deliveries, now)
        yield* SqlEventStore.refresh(database, [...new Set(deliveries.map(({ to }) => to))])
      }
      return added.map(
        ({ event: { body, id, timestamp }, sequence }): Event.Event => ({ id, sequence, timestamp, ...body })
      )
    })

    /** What these leases hold, in the order of their tokens. */
    const claimsOf = Effect.fnUntraced(function* (
      held: ReadonlyArray<typeof SqlEventStore.HeldRow.Type>,
      tokens: ReadonlyArray<string>
    ) {
      const events = yield* SqlEventStore.decodeEvents(
        yield* sql`
        SELECT id, sequence, timestamp, body FROM event
        WHERE id IN (${each(held.map(({ event_id }) => event_id))})`
      )
      const endpoints = yield* SqlEventStore.endpoints(
        database,
        sql`id IN (${each(held.map(({ webhook_id }) => webhook_id))})`
      )
      return held
        .flatMap(({ document, event_id, lease_token, webhook_id }): ReadonlyArray<EventStore.DeliveryClaim> => {
          const found = events.find(({ id }) => id === event_id)
          const endpoint = endpoints.find(({ webhook }) => webhook.id === webhook_id)
          if (found === undefined || endpoint === undefined || lease_token === null) return []
          return [{ delivery: document, event: SqlEventStore.event(found), endpoint, token: lease_token }]
        })
        .toSorted((a, b) => tokens.indexOf(a.token) - tokens.indexOf(b.token))
    })

    const claimFrom = (
      { now, perEndpoint, tokens, until }: Parameters<EventStore.EventStore["Type"]["claimDeliveries"]>[0],
      waits: boolean
    ) =>
      Effect.gen(function* () {
        const limit = waits ? 1 : tokens.length
        const locked = yield* decodeIds(
          yield* sql`
          SELECT id ${dueWebhooks(sql, now, perEndpoint)} ORDER BY due_at LIMIT ${limit}
          FOR UPDATE ${waits ? sql`` : sql`SKIP LOCKED`}`
        )
        const ids = locked.map(({ id }) => id)
        const held = yield* SqlEventStore.decodeHeld(
          yield* sql`
          UPDATE delivery SET lease_token = next.token, due_at = ${until}
          FROM (
            SELECT due.seq, given.token
            FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place
                  FROM (${selectDue(database, ids, now, perEndpoint)}) AS waiting) AS due
            JOIN jsonb_array_elements_text(${JSON.stringify(tokens)}::jsonb) WITH ORDINALITY AS given (token, place)
              ON given.place = due.place
          ) AS next
          WHERE delivery.seq = next.seq
          RETURNING ${SqlEventStore.heldColumns(sql)}`
        )
        const claims =
          held.length === 0 ? [] : yield* Effect.zipRight(SqlEventStore.refresh(database, ids), claimsOf(held, tokens))
        const isMore =
          held.length < tokens.length &&
          (yield* sql`SELECT id ${dueWebhooks(sql, now, perEndpoint)} LIMIT 1`).length > 0
        return { claims, used: held.length, isMore }
      }).pipe(database.transaction())

    return SqlEventStore.make(database, {
      append: appendAll,
      drop: Effect.fnUntraced(function* (id) {
        for (const { document } of yield* SqlEventStore.decodeDeliveries(
          yield* sql`SELECT webhook_id, document FROM delivery WHERE webhook_id = ${id} AND status = 'pending'`
        ))
          if (document !== null)
            yield* sql`
              UPDATE delivery
              SET status = 'dropped', lease_token = NULL, due_at = NULL,
                document = ${JSON.stringify({ ...document, status: "dropped", next_attempt_at: null })}
              WHERE id = ${document.id}`
      }),
      ofDelivery: (id) => transaction(sql, lockDelivery(id)),
      ofTokens: (tokens) => transaction(sql, lockHeld(tokens)),
      ofOld: (before, limit) => transaction(sql, lockOld(before, limit)),
      claimDeliveries: Effect.fn("EventStore.claimDeliveries")(function* (request: {
        readonly now: number
        readonly until: number
        readonly tokens: ReadonlyArray<string>
        readonly perEndpoint: number
      }) {
        const { now, perEndpoint, tokens, until } = request
        const before = yield* SqlEventStore.decodeHeld(
          yield* sql`
            SELECT ${SqlEventStore.heldColumns(sql)} FROM delivery WHERE ${SqlEventStore.heldBy(database, tokens)}`
        )
        if (before.length > 0) return yield* claimsOf(before, tokens)
        if (tokens.length === 0) return []
        return yield* Claiming.all(tokens, (tokens, { waits }) => claimFrom({ now, until, perEndpoint, tokens }, waits))
      }, operation("EventStore.claimDeliveries"))
    })
  })
)

/**
 * Locks the key of a delivery, then its endpoint: a claim of deliveries holds endpoints and waits for nothing, so this may
 * wait for one.
 */
const lockDelivery = (id: Id.DeliveryId) => `
  ${lockEach(`
    SELECT '${SqlEventStore.eventsOf}' || key_id FROM webhook JOIN delivery ON webhook.id = webhook_id WHERE delivery.id = ${literal(id)}`)};
  SELECT FROM webhook WHERE id = (SELECT webhook_id FROM delivery WHERE id = ${literal(id)}) FOR UPDATE`

const lockHeld = (tokens: ReadonlyArray<string>) =>
  tokens.length === 0
    ? ""
    : lockEach(`
      SELECT '${SqlEventStore.eventsOf}' || key_id FROM webhook JOIN delivery ON webhook.id = webhook_id
      WHERE lease_token IN (${tokens.map(literal).join(", ")})`)

/** Who prunes is alone in that, so that what is old stays the same until its keys are locked. */
const lockOld = (before: number, limit: number) => `
  ${lock(["pruning of events"])};
  ${lockEach(`
    SELECT '${SqlEventStore.eventsOf}' || key_id FROM (
      SELECT key_id FROM event WHERE appended_at < ${before} ORDER BY appended_at, seq LIMIT ${limit}) AS old`)}`

/**
 * The endpoints that deliveries can be claimed of: one is due, and fewer than its limit are claimed. As many as there are
 * tokens, those with the delivery that has waited longest, are enough. Those at their limit are few, because claimed
 * deliveries are being sent at this moment.
 *
 * @since 0.1.0
 * @category combinators
 */
export const dueWebhooks = (sql: SqlClient, now: number, perEndpoint: number) => sql`
  FROM webhook
  WHERE due_at <= ${now} AND due_at IS NOT NULL AND (
    SELECT count(*) FROM delivery
    WHERE webhook_id = webhook.id AND lease_token IS NOT NULL AND delivery.due_at > ${now}) < ${perEndpoint}`

/**
 * The deliveries of these endpoints that are due, as many of each as it may have claimed beside those it has. A claimed
 * delivery is due when its lease ends, so one column serves for both.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectDue = (
  { each, sql }: SqlDatabase,
  ids: ReadonlyArray<Id.WebhookId>,
  now: number,
  perEndpoint: number
) => sql`
  SELECT waiting.seq, waiting.due_at
  FROM (${each(ids)}) AS endpoint (id)
  CROSS JOIN LATERAL (
    SELECT seq, due_at, row_number() OVER (ORDER BY due_at, seq) AS place FROM (
      SELECT seq, due_at FROM delivery
      WHERE webhook_id = endpoint.id AND status = 'pending' AND due_at <= ${now}
      ORDER BY due_at, seq LIMIT ${perEndpoint}
    ) AS first
  ) AS waiting
  WHERE place <= ${perEndpoint}::bigint - (
    SELECT count(*) FROM delivery
    WHERE webhook_id = endpoint.id AND lease_token IS NOT NULL AND delivery.due_at > ${now})`

import * as Event from "@assay/core/domain/Event"
import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as Webhook from "@assay/core/domain/Webhook"
import * as EventStore from "@assay/core/storage/EventStore"
import type * as WatchStore from "@assay/core/storage/WatchStore"
import { SqlClient } from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Array as Arr, Effect, Layer, Option, Schema } from "effect"
import * as Claiming from "./Claiming.js"
import { literal, lock, lockEach, operation, reading, transaction } from "./PgStore.js"

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
const AppendedRow = Schema.Struct({ id: Id.EventId, sequence: Schema.Int })
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
const IdRow = Schema.Struct({ id: Id.WebhookId })
const OfWebhookRow = Schema.Struct({ webhook_id: Id.WebhookId })
const RemovedRow = Schema.Struct({ events: Schema.Int })

const decodeEvents = Schema.decodeUnknown(Schema.Array(EventRow))
const decodeLog = Schema.decodeUnknown(Schema.Array(LogRow))
const decodeAppended = Schema.decodeUnknown(Schema.Array(AppendedRow))
const decodeWebhooks = Schema.decodeUnknown(Schema.Array(WebhookRow))
const decodeDeliveries = Schema.decodeUnknown(Schema.Array(DeliveryRow))
const decodeHeld = Schema.decodeUnknown(Schema.Array(HeldRow))
const decodeTokens = Schema.decodeUnknown(Schema.Array(TokenRow))
const decodeDue = Schema.decodeUnknown(Schema.NonEmptyArray(DueRow))
const decodeIds = Schema.decodeUnknown(Schema.Array(IdRow))
const decodeOfWebhook = Schema.decodeUnknown(Schema.Array(OfWebhookRow))
const decodeRemoved = Schema.decodeUnknown(Schema.NonEmptyArray(RemovedRow))
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

    /** These endpoints, which no claim looks into until the transaction ends. */
    const lockedWebhooks = Effect.fnUntraced(function* (which: Statement.Fragment) {
      const rows = yield* sql`
        SELECT key_id, document, secrets, failures, warned FROM webhook WHERE ${which} ORDER BY id FOR UPDATE`
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

    /** Puts those of these events into the log that are not there, whose keys are locked, and answers their numbers. */
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
      const endpoints = yield* lockedWebhooks(sql.in("key_id", [...new Set(added.map(({ event }) => event.keyId))]))
      const deliveries = added.flatMap(({ event }) =>
        endpoints
          .filter(({ keyId, webhook }) => keyId === event.keyId && Webhook.wants(webhook, event))
          .map(({ webhook }) => ({ event, to: webhook.id }))
      )
      if (deliveries.length > 0) {
        yield* send(deliveries, now)
        yield* refresh([...new Set(deliveries.map(({ to }) => to))])
      }
      return added.map(
        ({ event: { body, id, timestamp }, sequence }): Event.Event => ({ id, sequence, timestamp, ...body })
      )
    })

    /** What these leases hold, in the order of their tokens. */
    const claimsOf = Effect.fnUntraced(function* (
      held: ReadonlyArray<typeof HeldRow.Type>,
      tokens: ReadonlyArray<string>
    ) {
      const eventIds = JSON.stringify(held.map(({ event_id }) => event_id))
      const webhookIds = JSON.stringify(held.map(({ webhook_id }) => webhook_id))
      const events = yield* decodeEvents(
        yield* sql`
        SELECT id, sequence, timestamp, body FROM event
        WHERE id IN (SELECT jsonb_array_elements_text(${eventIds}::jsonb))`
      )
      const endpoints = yield* decodeWebhooks(
        yield* sql`
        SELECT key_id, document, secrets, failures, warned FROM webhook
        WHERE id IN (SELECT jsonb_array_elements_text(${webhookIds}::jsonb))`
      )
      return held
        .flatMap(({ document, event_id, lease_token, webhook_id }): ReadonlyArray<EventStore.DeliveryClaim> => {
          const found = events.find(({ id }) => id === event_id)
          const endpoint = endpoints.find(({ document }) => document.id === webhook_id)
          if (found === undefined || endpoint === undefined || lease_token === null) return []
          return [{ delivery: document, event: event(found), endpoint: stored(endpoint), token: lease_token }]
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
        const held = yield* decodeHeld(
          yield* sql`
          UPDATE delivery SET lease_token = next.token, due_at = ${until}
          FROM (
            SELECT due.seq, given.token
            FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place
                  FROM (${selectDue(sql, ids, now, perEndpoint)}) AS waiting) AS due
            JOIN jsonb_array_elements_text(${JSON.stringify(tokens)}::jsonb) WITH ORDINALITY AS given (token, place)
              ON given.place = due.place
          ) AS next
          WHERE delivery.seq = next.seq
          RETURNING ${heldColumns}`
        )
        const claims = held.length === 0 ? [] : yield* Effect.zipRight(refresh(ids), claimsOf(held, tokens))
        const isMore =
          held.length < tokens.length &&
          (yield* sql`SELECT id ${dueWebhooks(sql, now, perEndpoint)} LIMIT 1`).length > 0
        return { claims, used: held.length, isMore }
      }).pipe(transaction(sql))

    return {
      append: Effect.fn("EventStore.append")(appendAll, (self, events) =>
        operation("EventStore.append")(transaction(sql, lock(events.map(({ keyId }) => nameOf(keyId))))(self))
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
      }, reading("EventStore.read")),
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
        (self, { keyId }) => operation("EventStore.addWebhook")(transaction(sql, lock([nameOf(keyId)]))(self))
      ),
      webhooks: Effect.fn("EventStore.webhooks")(webhooksOf, reading("EventStore.webhooks")),
      changeWebhook: Effect.fn("EventStore.changeWebhook")(
        function* (
          keyId: Id.KeyId,
          id: Id.WebhookId,
          decide: (endpoint: EventStore.StoredWebhook) => EventStore.StoredWebhook
        ) {
          const row = Arr.head(yield* lockedWebhooks(sql`id = ${id} AND key_id = ${keyId}`))
          return Option.isNone(row) ? Option.none() : Option.some(yield* writeWebhook(row.value, decide(row.value)))
        },
        (self, keyId) => operation("EventStore.changeWebhook")(transaction(sql, lock([nameOf(keyId)]))(self))
      ),
      removeWebhook: Effect.fn("EventStore.removeWebhook")(
        function* (keyId: Id.KeyId, id: Id.WebhookId) {
          const removed = yield* sql`DELETE FROM webhook WHERE id = ${id} AND key_id = ${keyId} RETURNING id`
          if (removed.length === 0) return false
          yield* sql`DELETE FROM delivery WHERE webhook_id = ${id}`
          return true
        },
        (self, keyId) => operation("EventStore.removeWebhook")(transaction(sql, lock([nameOf(keyId)]))(self))
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
      }, reading("EventStore.deliveries")),
      redeliver: Effect.fn("EventStore.redeliver")(
        function* (keyId: Id.KeyId, webhookId: Id.WebhookId, id: Id.DeliveryId, now: number) {
          if ((yield* lockedWebhooks(sql`id = ${webhookId} AND key_id = ${keyId}`)).length === 0) return Option.none()
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
          yield* refresh([webhookId])
          return Option.some(pending)
        },
        (self, keyId) => operation("EventStore.redeliver")(transaction(sql, lock([nameOf(keyId)]))(self))
      ),
      claimDeliveries: Effect.fn("EventStore.claimDeliveries")(function* (request: {
        readonly now: number
        readonly until: number
        readonly tokens: ReadonlyArray<string>
        readonly perEndpoint: number
      }) {
        const { now, perEndpoint, tokens, until } = request
        const before = yield* decodeHeld(
          yield* sql`
            SELECT ${heldColumns} FROM delivery
            WHERE lease_token IS NOT NULL
              AND lease_token IN (SELECT jsonb_array_elements_text(${JSON.stringify(tokens)}::jsonb))`
        )
        if (before.length > 0) return yield* claimsOf(before, tokens)
        if (tokens.length === 0) return []
        return yield* Claiming.all(tokens, (tokens, { waits }) => claimFrom({ now, until, perEndpoint, tokens }, waits))
      }, operation("EventStore.claimDeliveries")),
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
        (self, id) => operation("EventStore.finishDelivery")(transaction(sql, lockDelivery(id))(self))
      ),
      heldDeliveries: Effect.map(Effect.flatMap(selectHeld(sql), decodeTokens), (rows) =>
        rows.map((row) => row.lease_token)
      ).pipe(reading("EventStore.heldDeliveries"), Effect.withSpan("EventStore.heldDeliveries")),
      freeDeliveries: Effect.fn("EventStore.freeDeliveries")(
        function* (tokens: ReadonlyArray<string>, now: number) {
          const held = sql`
            lease_token IS NOT NULL AND lease_token IN (SELECT jsonb_array_elements_text(${JSON.stringify(tokens)}::jsonb))`
          yield* lockedWebhooks(sql`id IN (SELECT webhook_id FROM delivery WHERE ${held})`)
          const freed = yield* decodeOfWebhook(
            yield* sql`UPDATE delivery SET lease_token = NULL, due_at = ${now} WHERE ${held} RETURNING webhook_id`
          )
          yield* refresh([...new Set(freed.map((row) => row.webhook_id))])
          return freed.length
        },
        (self, tokens) => operation("EventStore.freeDeliveries")(transaction(sql, lockHeld(tokens))(self))
      ),
      nextDeliveryAt: Effect.gen(function* () {
        const rows = yield* sql`SELECT min(due_at) AS due_at FROM webhook WHERE due_at IS NOT NULL`
        return (yield* decodeDue(rows))[0].due_at
      }).pipe(reading("EventStore.nextDeliveryAt"), Effect.withSpan("EventStore.nextDeliveryAt")),
      prune: Effect.fn("EventStore.prune")(
        function* (before: number, limit: number) {
          yield* lockedWebhooks(
            sql`id IN (SELECT webhook_id FROM delivery WHERE event_id IN (SELECT id ${old(sql, before, limit)}))`
          )
          const deliveries = yield* decodeOfWebhook(
            yield* sql`DELETE FROM delivery WHERE event_id IN (SELECT id ${old(sql, before, limit)}) RETURNING webhook_id`
          )
          const removed = yield* decodeRemoved(
            yield* sql`
            WITH removed AS (
              DELETE FROM event WHERE seq IN (SELECT seq ${old(sql, before, limit)}) RETURNING key_id, sequence
            ), logs AS (
              UPDATE event_sequence SET removed = newest.sequence
              FROM (SELECT key_id, max(sequence) AS sequence FROM removed GROUP BY key_id) AS newest
              WHERE event_sequence.key_id = newest.key_id
            )
            SELECT count(*) AS events FROM removed`
          )
          if (deliveries.length > 0) yield* refresh([...new Set(deliveries.map((row) => row.webhook_id))])
          return removed[0].events
        },
        (self, before, limit) => operation("EventStore.prune")(transaction(sql, lockOld(before, limit))(self))
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

/** What every write about the events and endpoints of a key locks. */
const nameOf = (keyId: Id.KeyId) => `events of ${keyId}`

/**
 * Locks the key of a delivery, then its endpoint: a claim of deliveries holds endpoints and waits for nothing, so this may
 * wait for one.
 */
const lockDelivery = (id: Id.DeliveryId) => `
  ${lockEach(`
    SELECT 'events of ' || key_id FROM webhook JOIN delivery ON webhook.id = webhook_id WHERE delivery.id = ${literal(id)}`)};
  SELECT FROM webhook WHERE id = (SELECT webhook_id FROM delivery WHERE id = ${literal(id)}) FOR UPDATE`

const lockHeld = (tokens: ReadonlyArray<string>) =>
  tokens.length === 0
    ? ""
    : lockEach(`
      SELECT 'events of ' || key_id FROM webhook JOIN delivery ON webhook.id = webhook_id
      WHERE lease_token IN (${tokens.map(literal).join(", ")})`)

/** Who prunes is alone in that, so that what is old stays the same until its keys are locked. */
const lockOld = (before: number, limit: number) => `
  ${lock(["pruning of events"])};
  ${lockEach(`
    SELECT 'events of ' || key_id FROM (
      SELECT key_id FROM event WHERE appended_at < ${before} ORDER BY appended_at, seq LIMIT ${limit}) AS old`)}`

/**
 * The endpoints that deliveries can be claimed of: one is due, and fewer than its limit are claimed. As many as there are
 * tokens, whose first delivery has waited longest, are enough. Those at their limit are few, because claimed deliveries are
 * being sent at this moment.
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
export const selectDue = (sql: SqlClient, ids: ReadonlyArray<Id.WebhookId>, now: number, perEndpoint: number) => sql`
  SELECT waiting.seq, waiting.due_at
  FROM jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) AS endpoint (id)
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

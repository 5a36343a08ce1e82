/** @internal */

import { Effect, Option } from "effect"
import type { EventBody, NewEvent } from "../domain/Event.js"
import type { KeyId, WatchId, WebhookId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import type { Delivery, Webhook } from "../domain/Webhook.js"
import {
  type Attempted,
  type DeliveryClaim,
  type EventPage,
  type EventQuery,
  EventStore,
  type Sending,
  type StoredWebhook
} from "../storage/EventStore.js"
import type { PageAfter } from "../storage/WatchStore.js"
import * as Documents from "./Documents.js"
import { never, noon, same } from "./Guarantee.js"

export const minute = 60_000

/** An event of a key that is not in the log yet. */
export const newEvent = Effect.fnUntraced(function* (
  keyId: KeyId,
  options: { readonly body?: EventBody; readonly only?: WebhookId } = {}
) {
  const made: NewEvent = {
    id: yield* Id.make("evt"),
    keyId,
    timestamp: fromMillis(noon),
    body: options.body ?? {
      type: "quota.threshold",
      data: { day: "2026-11-21", daily_quota: 50, used: 40 }
    },
    only: options.only ?? null
  }
  return made
})

/** A change of a watch, of a severity. */
export const changed = Effect.fnUntraced(function* (watchId: WatchId, severity: "low" | "high") {
  const { address, chain, kind } = Documents.token(0xa55a)
  const body: EventBody = {
    type: "watch.changed",
    data: {
      watch_id: watchId,
      label: "my token “äöü” 𝔘",
      target: kind,
      address,
      chain,
      execution_id: yield* Id.make("exe"),
      base_execution_id: null,
      max_severity: severity,
      counts: { [severity]: 1 },
      score_before: 71,
      score_after: null,
      changes: [],
      changes_url: "/api/v1/executions/exe/changes"
    }
  }
  return body
})

/** An endpoint that wants every event of the kinds that these cases append. */
export const endpointOf = Effect.fnUntraced(function* (keyId: KeyId, changes: Partial<Webhook> = {}) {
  const endpoint: StoredWebhook = {
    keyId,
    webhook: {
      id: yield* Id.make("whk"),
      url: "https://example.com/hook?a=“b”",
      label: null,
      event_types: ["quota.threshold", "watch.changed"],
      watch_ids: null,
      min_severity: null,
      state: "enabled",
      disabled_reason: null,
      failing_since: null,
      last_success_at: null,
      created_at: fromMillis(noon),
      ...changes
    },
    secrets: [
      { secret: "whsec_new", until: Option.none() },
      { secret: "whsec_old", until: Option.some(noon + minute) }
    ],
    failures: 0,
    warned: false
  }
  return endpoint
})

/** Keeps an endpoint. */
export const endpointAt = Effect.fnUntraced(function* (keyId: KeyId, changes: Partial<Webhook> = {}) {
  const store = yield* EventStore
  const endpoint = yield* endpointOf(keyId, changes)
  yield* same("added", yield* store.addWebhook(endpoint, 1000), true)
  return endpoint
})

/** Appends events to the log. */
export const append = (events: ReadonlyArray<NewEvent>, now: number = noon) =>
  Effect.flatMap(EventStore, (store) => store.append(events, now))

/** Appends so many new events of a key. */
export const appended = Effect.fnUntraced(function* (keyId: KeyId, count: number, now: number = noon) {
  const events = yield* Effect.replicateEffect(newEvent(keyId), count)
  return yield* append(events, now)
})

/** A query that reads a log from its beginning. */
export const everything: EventQuery = { after: 0, types: [], watchId: Option.none(), limit: 100 }
/** A page of at most so many, from an item on. */
export const firstOf = <Id>(limit: number, before: Option.Option<Id> = Option.none()): PageAfter<Id> => ({
  limit,
  before
})

/** The numbers of the events of a page. */
export const sequences = (page: EventPage): ReadonlyArray<number> =>
  page._tag === "Events" ? page.events.map(({ sequence }) => sequence) : []

/** 1 to a number. */
export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

/** Claims deliveries that are due at a moment. */
export const claim = Effect.fnUntraced(function* (
  now: number,
  options: { readonly tokens?: number; readonly perEndpoint?: number; readonly until?: number } = {}
) {
  const store = yield* EventStore
  const ids = yield* Effect.replicateEffect(Id.make("req"), options.tokens ?? 10)
  return yield* store.claimDeliveries({
    now,
    until: options.until ?? now + minute,
    tokens: ids.map((id) => `token ${id}`),
    perEndpoint: options.perEndpoint ?? 1000
  })
})

/** An attempt that succeeded. */
export const delivered = ({ delivery, endpoint }: Omit<Sending, "asked">): Attempted => ({
  delivery: {
    ...delivery,
    attempt: delivery.attempt + 1,
    status: "delivered",
    http_status: 204,
    latency_ms: 12,
    at: fromMillis(noon),
    next_attempt_at: null
  },
  endpoint: { ...endpoint, failures: 0, webhook: { ...endpoint.webhook, last_success_at: fromMillis(noon) } },
  events: []
})

/** An attempt that failed, with another one due at a moment. */
export const failedUntil =
  (next: number) =>
  ({ delivery, endpoint }: Omit<Sending, "asked">): Attempted => ({
    delivery: {
      ...delivery,
      attempt: delivery.attempt + 1,
      error_class: "timeout",
      at: fromMillis(noon),
      next_attempt_at: fromMillis(next)
    },
    endpoint: { ...endpoint, failures: endpoint.failures + 1, warned: true },
    events: []
  })

/** The endpoint, gone. */
export const disabled = (endpoint: StoredWebhook): StoredWebhook => ({
  ...endpoint,
  webhook: { ...endpoint.webhook, state: "disabled", disabled_reason: "gone" }
})

/** The endpoint, switched on again. */
export const enabled = (endpoint: StoredWebhook): StoredWebhook => ({
  ...endpoint,
  webhook: { ...endpoint.webhook, state: "enabled", disabled_reason: null }
})

/** An attempt that disables its endpoint. */
export const disabling = (current: Sending): Attempted => ({
  ...failedUntil(noon)(current),
  endpoint: disabled(current.endpoint)
})

/** Whether it was written. */
export const finish = (made: DeliveryClaim, decide: (current: Sending) => Attempted) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.map(store.finishDelivery(made.delivery.id, made.token, decide), Option.isSome)
  )

/** What was ever on its way to an endpoint, newest first. */
export const deliveriesTo = Effect.fnUntraced(function* ({ keyId, webhook }: StoredWebhook) {
  const store = yield* EventStore
  const page = yield* store.deliveries(keyId, webhook.id, firstOf(100))
  return Option.match(page, { onNone: (): ReadonlyArray<Delivery> => [], onSome: ({ data }) => data })
})

/** What became of it. */
export const statuses = (endpoint: StoredWebhook) =>
  Effect.map(deliveriesTo(endpoint), (all) => all.map(({ status }) => status))

/** Removes whatever others left, so that what is on its way or old is a case's own. */
export const alone = Effect.gen(function* () {
  const store = yield* EventStore
  let left: ReadonlyArray<DeliveryClaim>
  do {
    left = yield* claim(never, { tokens: 100 })
    yield* Effect.forEach(left, ({ endpoint }) => store.removeWebhook(endpoint.keyId, endpoint.webhook.id))
  } while (left.length > 0)
  while ((yield* store.prune(never, 1000)) > 0);
})

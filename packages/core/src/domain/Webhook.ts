import { Schema } from "effect"
import { type EventBody, EventType } from "./Event.js"
import { Severity, severityRank } from "./Evidence.js"
import { DeliveryId, derive, EventId, WatchId, WebhookId } from "./Id.js"
import { fromMillis, Timestamp } from "./Timestamp.js"

/**
 * Why nothing is sent to an endpoint any more: it answered 410, it failed for days, its first attempts all failed, or its
 * owner switched it off.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DisabledReason = Schema.Literal("gone", "failing", "unproven", "by_owner").annotations({
  identifier: "DisabledReason"
})

/**
 * @since 0.1.0
 * @category models
 */
export type DisabledReason = typeof DisabledReason.Type

/**
 * An endpoint that receives events. Null `watch_ids` means every watch, null `min_severity` every change.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Webhook = Schema.Struct({
  id: WebhookId,
  url: Schema.String,
  label: Schema.NullOr(Schema.String),
  event_types: Schema.Array(EventType),
  watch_ids: Schema.NullOr(Schema.Array(WatchId)),
  min_severity: Schema.NullOr(Severity),
  state: Schema.Literal("enabled", "disabled"),
  disabled_reason: Schema.NullOr(DisabledReason),
  failing_since: Schema.NullOr(Timestamp),
  last_success_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
}).annotations({ identifier: "Webhook" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

/**
 * An endpoint with its signing secret, which is shown when it is made and when it is rotated.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreatedWebhook = Schema.Struct({ ...Webhook.fields, secret: Schema.String }).annotations({
  identifier: "CreatedWebhook"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface CreatedWebhook extends Schema.Schema.Type<typeof CreatedWebhook> {}

/**
 * Why an attempt did not succeed; `status` is an answer that is not 2xx.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DeliveryError = Schema.Literal(
  "status",
  "timeout",
  "connection",
  "tls",
  "dns",
  "forbidden_address"
).annotations({ identifier: "DeliveryError" })

/**
 * @since 0.1.0
 * @category models
 */
export type DeliveryError = typeof DeliveryError.Type

/**
 * An event on its way to an endpoint. `attempt` counts the attempts; the other members describe the last one.
 * `exhausted`: it failed, and no further one comes; `dropped`: the endpoint was disabled first.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  event_id: EventId,
  attempt: Schema.NonNegativeInt,
  status: Schema.Literal("pending", "delivered", "exhausted", "dropped"),
  http_status: Schema.NullOr(Schema.Int),
  latency_ms: Schema.NullOr(Schema.NonNegativeInt),
  error_class: Schema.NullOr(DeliveryError),
  at: Schema.NullOr(Timestamp),
  next_attempt_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Delivery" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}

/**
 * The delivery of an event to an endpoint before its first attempt, which is due at `now`. Its id is the same whoever makes
 * it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pending = (eventId: EventId, webhookId: WebhookId, now: number): Delivery => ({
  id: derive("dlv", eventId, webhookId),
  event_id: eventId,
  attempt: 0,
  status: "pending",
  http_status: null,
  latency_ms: null,
  error_class: null,
  at: null,
  next_attempt_at: fromMillis(now)
})

/**
 * Whether an endpoint receives an event. A ping goes only to the endpoint that is tried, also while it is disabled.
 * Otherwise a disabled endpoint receives nothing, and no endpoint receives events about its own failures.
 *
 * @since 0.1.0
 * @category combinators
 */
export const wants = (
  webhook: Pick<Webhook, "id" | "event_types" | "watch_ids" | "min_severity" | "state">,
  event: { readonly body: EventBody; readonly only: WebhookId | null }
): boolean => {
  if (event.only !== null) return event.only === webhook.id
  if (webhook.state === "disabled") return false
  const { data, type } = event.body
  if (!webhook.event_types.includes(type)) return false
  if ("webhook_id" in data && data.webhook_id === webhook.id) return false
  if ("watch_id" in data && webhook.watch_ids !== null && !webhook.watch_ids.includes(data.watch_id)) return false
  return (
    webhook.min_severity === null ||
    type !== "watch.changed" ||
    (data.max_severity !== null && severityRank(data.max_severity) >= severityRank(webhook.min_severity))
  )
}

import { Schema } from "effect"
import { Address } from "./Address.js"
import { Change } from "./ChangeReport.js"
import { Severity } from "./Evidence.js"
import { EventId, ExecutionId, type KeyId, WatchId, WebhookId } from "./Id.js"
import { ChainRef, TargetKind } from "./Target.js"
import { Timestamp } from "./Timestamp.js"
import { SuspensionReason } from "./Watch.js"

/** Which watch an event is about. */
const ofWatch = {
  watch_id: WatchId,
  label: Schema.String,
  target: TargetKind,
  address: Address,
  chain: ChainRef
}

const counts = Schema.Record({ key: Schema.String, value: Schema.NonNegativeInt })

const typed = <const T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), data: Schema.Struct(fields) })

/**
 * How many changes an event carries; the rest is at its `changes_url`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const changesShown = 5

const checked = {
  ...ofWatch,
  execution_id: ExecutionId,
  base_execution_id: Schema.NullOr(ExecutionId),
  max_severity: Schema.NullOr(Severity),
  counts,
  score_before: Schema.NullOr(Schema.Int),
  score_after: Schema.NullOr(Schema.Int),
  changes: Schema.Array(Change).pipe(Schema.maxItems(changesShown)),
  changes_url: Schema.String
}

/**
 * What happened: a type, and what belongs to it.
 *
 * - `watch.changed`: a check found changes of at least the watch's `min_severity`; the most severe come first.
 *   `watch.checked`: a check that found none, for watches with `notify_unchanged`.
 * - `watch.failing`: the third check in a row failed. `watch.recovered`: the first that succeeded after that.
 *   `watch.suspended`: it is not checked any more.
 * - `quota.threshold`: four fifths of a day's units are used. `quota.exhausted`: none is left. Once a key and day.
 * - `key.rotated`: the key has a new secret; the one before is accepted until `old_ends_at`.
 * - `webhook.failing`: only failures for a day. `webhook.disabled`: nothing is sent there any more.
 * - `test.ping`: sent on request, to try an endpoint.
 *
 * @since 0.1.0
 * @category schemas
 */
export const EventBody = Schema.Union(
  typed("watch.changed", checked),
  typed("watch.checked", checked),
  typed("watch.failing", {
    ...ofWatch,
    consecutive_failures: Schema.NonNegativeInt,
    error_code: Schema.String,
    error: Schema.String
  }),
  typed("watch.recovered", { ...ofWatch, execution_id: ExecutionId }),
  typed("watch.suspended", { ...ofWatch, reason: SuspensionReason }),
  typed("quota.threshold", { day: Schema.String, daily_quota: Schema.NonNegativeInt, used: Schema.NonNegativeInt }),
  typed("quota.exhausted", { day: Schema.String, daily_quota: Schema.NonNegativeInt, resets_at: Timestamp }),
  typed("key.rotated", { hint: Schema.String, old_ends_at: Timestamp }),
  typed("webhook.failing", { webhook_id: WebhookId, url: Schema.String, failing_since: Timestamp }),
  typed("webhook.disabled", { webhook_id: WebhookId, url: Schema.String, reason: Schema.String }),
  typed("test.ping", { webhook_id: WebhookId })
).annotations({ identifier: "EventBody" })

/**
 * @since 0.1.0
 * @category models
 */
export type EventBody = typeof EventBody.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const EventType = Schema.Literal(
  "watch.changed",
  "watch.checked",
  "watch.failing",
  "watch.recovered",
  "watch.suspended",
  "quota.threshold",
  "quota.exhausted",
  "key.rotated",
  "webhook.failing",
  "webhook.disabled",
  "test.ping"
).annotations({ identifier: "EventType" })

/**
 * @since 0.1.0
 * @category models
 */
export type EventType = typeof EventType.Type

/**
 * An event of the log. `sequence` rises by one with every event of a key, and is what order and cursors mean.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Event = Schema.extend(
  Schema.Struct({ id: EventId, sequence: Schema.NonNegativeInt, timestamp: Timestamp }),
  EventBody
).annotations({ identifier: "Event" })

/**
 * @since 0.1.0
 * @category models
 */
export type Event = typeof Event.Type

/**
 * An event with its links below the path at which an API is served, such as `/risk`. The log has them from the root, as it
 * may be read by several programs.
 *
 * @since 0.1.0
 * @category combinators
 */
export const located = (event: Event, basePath: string): Event =>
  basePath !== "" && (event.type === "watch.changed" || event.type === "watch.checked")
    ? { ...event, data: { ...event.data, changes_url: `${basePath}${event.data.changes_url}` } }
    : event

/**
 * An event that is not in the log yet. `only` names the one endpoint that it is meant for, where there is one; it stands
 * in the log all the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface NewEvent {
  readonly id: EventId
  readonly keyId: KeyId
  readonly timestamp: Timestamp
  readonly body: EventBody
  readonly only: WebhookId | null
}

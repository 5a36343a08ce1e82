import { Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import * as Id from "../domain/Id.js"
import { fromMillis, toMillis } from "../domain/Timestamp.js"
import type { Delivery, DeliveryError, DisabledReason, Webhook } from "../domain/Webhook.js"
import type { Attempted, Sending, StoredWebhook } from "../storage/EventStore.js"

/**
 * What came of one attempt: an answer, or why there was none. `retryAfter` is the wait that the endpoint demands, in
 * milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly retryAfter: Option.Option<number> }
  | { readonly _tag: "Unanswered"; readonly error: Exclude<DeliveryError, "status"> }

/**
 * One attempt: where it went, when it began and ended, in epoch milliseconds, what came of it, and the draw of its
 * jitter, from 0 to below 1.
 *
 * @since 0.1.0
 * @category models
 */
export interface Attempt {
  readonly url: string
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: Outcome
  readonly jitter: number
}

/**
 * What an attempt writes: 2xx is success and clears the endpoint's clock; 410 disables the endpoint at once, and so do
 * five days of only failures with ten attempts or more, or five failures where it never succeeded: nobody has shown that
 * its host wants the messages. Any other answer, or none, is tried again by the schedule, until ten attempts were made.
 *
 * - A delivery that was requested by hand is sent once, also to a disabled endpoint, and its failure does not count for
 *   the endpoint: only 410 disables it all the same.
 * - What another URL answers than the one that the endpoint has by now says nothing of the endpoint.
 * - That an endpoint fails for a day, or is disabled, is reported once in a row of failures.
 *
 * Pure, so that a store may call it again.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decide = (current: Sending, attempt: Attempt): Attempted => {
  const { endedAt, outcome, startedAt } = attempt
  const made: Delivery = {
    ...current.delivery,
    attempt: current.delivery.attempt + 1,
    http_status: outcome._tag === "Answered" ? outcome.status : null,
    latency_ms: Math.max(0, endedAt - startedAt),
    error_class: null,
    at: fromMillis(startedAt),
    next_attempt_at: null
  }
  const endpoint = current.endpoint.webhook.url === attempt.url ? endpointAfter(current, attempt) : current.endpoint
  const delivery: Delivery = isSuccess(outcome)
    ? { ...made, status: "delivered" }
    : failed({ ...current, delivery: made, endpoint }, attempt)
  return { delivery, endpoint, events: news(current.endpoint, { delivery, endpoint }, attempt) }
}

const failed = ({ asked, delivery: made, endpoint }: Sending, attempt: Attempt): Delivery => {
  const { outcome } = attempt
  const delivery: Delivery = { ...made, error_class: outcome._tag === "Answered" ? "status" : outcome.error }
  if (asked) return { ...delivery, status: "exhausted" }
  if (endpoint.webhook.state === "disabled") return { ...delivery, status: "dropped" }
  return Option.match(nextAttemptAt(delivery.attempt, attempt), {
    onNone: () => ({ ...delivery, status: "exhausted" as const }),
    onSome: (at) => ({ ...delivery, status: "pending" as const, next_attempt_at: fromMillis(at) })
  })
}

/** The 2xx statuses. */
const isSuccess = (outcome: Outcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status <= 299

const endpointAfter = ({ asked, endpoint }: Sending, { endedAt, outcome }: Attempt): StoredWebhook => {
  if (isSuccess(outcome)) return succeeded(endpoint, endedAt)
  const { webhook } = endpoint
  if (webhook.state === "disabled") return endpoint
  const isGone = outcome._tag === "Answered" && outcome.status === 410
  if (asked) return isGone ? { ...endpoint, webhook: disabled(webhook, "gone") } : endpoint
  const failures = endpoint.failures + 1
  const since = webhook.failing_since ?? fromMillis(endedAt)
  const lasted = endedAt - toMillis(since)
  const failing = { ...webhook, failing_since: since }
  const isOver = lasted >= disableAfter && failures >= scheduleLength
  const isUnproven = webhook.last_success_at === null && failures >= unprovenAttempts
  return {
    ...endpoint,
    webhook: isGone
      ? disabled(failing, "gone")
      : isUnproven
        ? disabled(failing, "unproven")
        : isOver
          ? disabled(failing, "failing")
          : failing,
    failures,
    warned: endpoint.warned || lasted >= warnAfter
  }
}

const succeeded = (endpoint: StoredWebhook, at: number): StoredWebhook => ({
  ...endpoint,
  webhook: { ...endpoint.webhook, failing_since: null, last_success_at: fromMillis(at) },
  failures: 0,
  warned: false
})

const disabled = (webhook: Webhook, reason: DisabledReason): Webhook => ({
  ...webhook,
  state: "disabled",
  disabled_reason: reason
})

/** Changes of an endpoint by an attempt that its owner should know. */
const news = (
  before: StoredWebhook,
  { delivery, endpoint }: Pick<Attempted, "delivery" | "endpoint">,
  { endedAt }: Attempt
): ReadonlyArray<NewEvent> => {
  const { webhook } = endpoint
  const event = (body: NewEvent["body"]): NewEvent => ({
    id: Id.derive("evt", delivery.id, String(delivery.attempt), body.type),
    keyId: endpoint.keyId,
    timestamp: fromMillis(endedAt),
    body,
    only: null
  })
  const of = { webhook_id: webhook.id, url: webhook.url }
  return [
    ...(endpoint.warned && !before.warned && webhook.failing_since !== null
      ? [event({ type: "webhook.failing", data: { ...of, failing_since: webhook.failing_since } })]
      : []),
    ...(webhook.state === "disabled" && before.webhook.state === "enabled" && webhook.disabled_reason !== null
      ? [event({ type: "webhook.disabled", data: { ...of, reason: webhook.disabled_reason } })]
      : [])
  ]
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * How long after the end of an attempt the next one is due, in milliseconds; the first is due at once. So the tenth comes
 * 75 h 35 min 5 s after the first, give or take the jitter.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
 * @since 0.1.0
 * @category constructors
 */
export const delays: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
]

const scheduleLength = delays.length + 1

/**
 * How many failed attempts disable an endpoint that never succeeded.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unprovenAttempts = 5

const warnAfter = day
const disableAfter = 5 * day

/**
 * When a delivery that failed `made` times is tried again, in epoch milliseconds: its delay, spread by a fifth to
 * either side, and no earlier than the endpoint demands, up to a day. None after the tenth attempt.
 *
 * @since 0.1.0
 * @category combinators
 */
export const nextAttemptAt = (
  made: number,
  { endedAt, jitter, outcome }: Pick<Attempt, "endedAt" | "jitter" | "outcome">
): Option.Option<number> =>
  Option.map(Option.fromNullable(delays[made - 1]), (delay) => {
    const asked = outcome._tag === "Answered" ? Option.getOrElse(outcome.retryAfter, () => 0) : 0
    return endedAt + Math.max(Math.round(delay * (0.8 + 0.4 * jitter)), Math.min(asked, day))
  })

/**
 * The wait in a `Retry-After` header, in milliseconds; none where it is neither seconds nor an HTTP date, or is in the
 * past.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 * @since 0.1.0
 * @category combinators
 */
export const retryAfter = (header: string, now: number): Option.Option<number> => {
  const text = header.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * second : dateOf(text) - now
  return wait > 0 ? Option.some(wait) : Option.none()
}

// The three forms of https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7, of which the last does not name its zone; what
// else the runtime takes for a date is none.
const dateOf = (text: string): number => {
  if (/^[A-Z][a-z]+, [A-Za-z0-9 :-]+ GMT$/.test(text)) return Date.parse(text)
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text)
    ? Date.parse(`${text} GMT`)
    : Number.NaN
}

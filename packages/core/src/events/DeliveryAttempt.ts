import { Option } from "effect"
import { fromMillis, toMillis } from "../domain/Timestamp.js"
import type { Delivery, DeliveryError, DisabledReason, Webhook } from "../domain/Webhook.js"
import type { Attempted, StoredWebhook } from "../storage/EventStore.js"

/**
 * What came of one attempt: an answer, or why there was none. `retryAfter` is what the endpoint asked to wait, in
 * milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number; readonly retryAfter: Option.Option<number> }
  | { readonly _tag: "Unanswered"; readonly error: Exclude<DeliveryError, "status"> }

/**
 * One attempt: when it began and ended, in epoch milliseconds, what came of it, and the draw of its jitter, from 0 to
 * below 1.
 *
 * @since 0.1.0
 * @category models
 */
export interface Attempt {
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: Outcome
  readonly jitter: number
}

/**
 * What an attempt writes: 2xx is success and clears the endpoint's clock; 410 disables the endpoint at once, and so do
 * five days of only failures with ten attempts or more. Any other answer, or none, is tried again by the schedule, until
 * ten attempts were made. Pure, so that a store may ask again.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decide = (current: Attempted, attempt: Attempt): Attempted => {
  const { endedAt, outcome, startedAt } = attempt
  const delivery: Delivery = {
    ...current.delivery,
    attempt: current.delivery.attempt + 1,
    http_status: outcome._tag === "Answered" ? outcome.status : null,
    latency_ms: Math.max(0, endedAt - startedAt),
    error_class: null,
    at: fromMillis(startedAt),
    next_attempt_at: null
  }
  if (isSuccess(outcome))
    return { delivery: { ...delivery, status: "delivered" }, endpoint: succeeded(current.endpoint, endedAt) }

  const failed: Delivery = { ...delivery, error_class: outcome._tag === "Answered" ? "status" : outcome.error }
  const endpoint = endpointAfterFailure(current.endpoint, attempt)
  if (endpoint.webhook.state === "disabled") return { delivery: { ...failed, status: "dropped" }, endpoint }
  return {
    delivery: Option.match(nextAttemptAt(failed.attempt, attempt), {
      onNone: () => ({ ...failed, status: "exhausted" as const }),
      onSome: (at) => ({ ...failed, status: "pending" as const, next_attempt_at: fromMillis(at) })
    }),
    endpoint
  }
}

/**
 * The 2xx statuses.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isSuccess = (outcome: Outcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status <= 299

const succeeded = (endpoint: StoredWebhook, at: number): StoredWebhook => ({
  ...endpoint,
  webhook: { ...endpoint.webhook, failing_since: null, last_success_at: fromMillis(at) },
  failures: 0,
  warned: false
})

const endpointAfterFailure = (endpoint: StoredWebhook, { endedAt, outcome }: Attempt): StoredWebhook => {
  const failures = endpoint.failures + 1
  const since = endpoint.webhook.failing_since ?? fromMillis(endedAt)
  const lasted = endedAt - toMillis(since)
  const webhook: Webhook = { ...endpoint.webhook, failing_since: since }
  const failing = { ...endpoint, webhook, failures, warned: endpoint.warned || lasted >= warnAfter }
  if (webhook.state === "disabled") return failing
  if (outcome._tag === "Answered" && outcome.status === 410) return { ...failing, webhook: disabled(webhook, "gone") }
  return lasted >= disableAfter && failures >= scheduleLength
    ? { ...failing, webhook: disabled(webhook, "failing") }
    : failing
}

const disabled = (webhook: Webhook, reason: DisabledReason): Webhook => ({
  ...webhook,
  state: "disabled",
  disabled_reason: reason
})

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

const warnAfter = day
const disableAfter = 5 * day

/**
 * When a delivery that failed `made` times is tried again, in epoch milliseconds: its delay, spread by a fifth to either
 * side, and no earlier than the endpoint asked for, up to a day. None after the tenth attempt.
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
 * How long a `Retry-After` header asks to wait, in milliseconds; none where it is neither seconds nor an HTTP date, or
 * asks for the past.
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

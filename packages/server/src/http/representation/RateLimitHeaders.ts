import * as Timestamp from "@assay/core/domain/Timestamp"
import type * as Usage from "@assay/core/domain/Usage"
import type * as RateLimit from "@assay/core/quota/RateLimit"
import { Option } from "effect"

/** A limit and the caller's remaining amount; times in seconds. */
export interface Item {
  readonly name: string
  readonly quota: number
  readonly window: number
  readonly remaining: number
  readonly reset: number
}

/** The names of the rate-limit header fields. */
export const names = ["ratelimit-policy", "ratelimit"] as const

/**
 * The two rate-limit header fields, as structured field lists.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export const encode = (items: ReadonlyArray<Item>): Record<(typeof names)[number], string> => ({
  "ratelimit-policy": items.map(({ name, quota, window }) => `"${name}";q=${quota};w=${window}`).join(", "),
  ratelimit: items.map(({ name, remaining, reset }) => `"${name}";r=${remaining};t=${reset}`).join(", ")
})

/** The limits that a response reports: the daily units, where they could be read, and the short-term limits. */
export const items = (
  usage: Option.Option<Usage.Usage>,
  standings: ReadonlyArray<RateLimit.Standing>,
  now: number
): ReadonlyArray<Item> => {
  const bursts = standings.map(burst)
  return Option.isSome(usage) ? [daily(usage.value, now), ...bursts] : bursts
}

/** The daily units. */
export const daily = (usage: Usage.Usage, now: number): Item => ({
  name: "daily",
  quota: usage.daily_quota,
  window: 86_400,
  remaining: usage.remaining,
  reset: Math.max(0, Math.ceil((Timestamp.toMillis(usage.resets_at) - now) / 1000))
})

/** A short-term limit. */
export const burst = (standing: RateLimit.Standing): Item => ({
  name: standing.policy,
  quota: standing.limit,
  window: standing.window_seconds,
  remaining: standing.remaining,
  reset: standing.reset_seconds
})

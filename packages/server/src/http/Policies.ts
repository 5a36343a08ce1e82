import type { RateLimit } from "@assay/core"
import type { Limits } from "../ServerConfig.js"

/**
 * What a key may have of what stays: endpoints of its own, and streams that are open at once in this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const perKey = { webhooks: 5, streams: 5 } as const

/**
 * Requests of one key; ten times as many where they cost no unit.
 *
 * @since 0.1.0
 * @category constructors
 */
export const burst = (limits: Limits, metered: boolean): RateLimit.Policy => ({
  name: "burst",
  shape: "smooth",
  limit: metered ? limits.burstPerMinute : limits.burstPerMinute * 10,
  windowSeconds: 60
})

/**
 * Keys that one source makes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyCreation = (limits: Limits): ReadonlyArray<RateLimit.Policy> => [
  { name: "keys-per-hour", shape: "strict", limit: limits.keysPerSourceHour, windowSeconds: 3_600 },
  { name: "keys-per-day", shape: "strict", limit: limits.keysPerSourceDay, windowSeconds: 86_400 }
]

/**
 * Requests of one source without a key that works.
 *
 * @since 0.1.0
 * @category constructors
 */
export const authenticationFailures: RateLimit.Policy = {
  name: "authentication-failures",
  shape: "strict",
  limit: 30,
  windowSeconds: 60
}

/**
 * Executions of one key whose unit was given back for a reason of the caller's: an address that is not what it asked for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const releasedExecutions: RateLimit.Policy = {
  name: "released-executions",
  shape: "strict",
  limit: 30,
  windowSeconds: 3_600
}

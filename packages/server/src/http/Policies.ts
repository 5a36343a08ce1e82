import type * as Caller from "@assay/core/domain/Caller"
import type * as RateLimit from "@assay/core/quota/RateLimit"
import type { Limits } from "../ServerConfig.js"

/**
 * The limits of webhooks per key and of open streams per key in this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const perKey = { webhooks: 5, streams: 5 } as const

/**
 * Requests per key; ten times as many for free requests.
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
 * The subject under which the requests of a caller are counted: metered and free ones apart.
 *
 * @since 0.1.0
 * @category constructors
 */
export const requestsOf = ({ id }: Caller.Caller, metered: boolean): string => `${id} ${metered ? "metered" : "free"}`

/**
 * Keys created per source.
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyCreation = (limits: Limits): ReadonlyArray<RateLimit.Policy> => [
  { name: "keys-per-hour", shape: "strict", limit: limits.keysPerSourceHour, windowSeconds: 3_600 },
  { name: "keys-per-day", shape: "strict", limit: limits.keysPerSourceDay, windowSeconds: 86_400 }
]

/**
 * Requests per source without a valid key.
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
 * Executions per key with a refund caused by the caller: the address is not a target of the requested kind.
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

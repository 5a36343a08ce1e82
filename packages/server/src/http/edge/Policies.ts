import type * as Caller from "@assay/core/domain/Caller"
import type * as RateLimit from "@assay/core/quota/RateLimit"
import type { Limits } from "../../ServerConfig.js"

/** The limits of webhooks per key and of open streams per key in this process. */
export const perKey = { webhooks: 5, streams: 5 } as const

/**
 * The part of a limit that one process grants of a caller. Together they grant the limit where the requests of the caller
 * reach all of them alike, and less than one for each process above it where the limit cannot be divided.
 */
export const shareOf = ({ processes }: Pick<Limits, "processes">, limit: number): number => Math.ceil(limit / processes)

/** Requests per key; ten times as many for free requests. The share of this process. */
export const burst = (limits: Limits, metered: boolean): RateLimit.Policy => ({
  name: "burst",
  shape: "smooth",
  limit: shareOf(limits, metered ? limits.burstPerMinute : limits.burstPerMinute * 10),
  windowSeconds: 60
})

/** The subject under which the requests of a caller are counted: metered and free ones apart. */
export const requestsOf = ({ id }: Caller.Caller, metered: boolean): string => `${id} ${metered ? "metered" : "free"}`

/** Keys created per source. The share of this process. */
export const keyCreation = (limits: Limits): ReadonlyArray<RateLimit.Policy> => [
  { name: "keys-per-hour", shape: "strict", limit: shareOf(limits, limits.keysPerSourceHour), windowSeconds: 3_600 },
  { name: "keys-per-day", shape: "strict", limit: shareOf(limits, limits.keysPerSourceDay), windowSeconds: 86_400 }
]

/** Requests per source without a valid key. */
export const authenticationFailures: RateLimit.Policy = {
  name: "authentication-failures",
  shape: "strict",
  limit: 30,
  windowSeconds: 60
}

/** Executions per key with a refund caused by the caller: the address is not a target of the requested kind. */
export const releasedExecutions: RateLimit.Policy = {
  name: "released-executions",
  shape: "strict",
  limit: 30,
  windowSeconds: 3_600
}

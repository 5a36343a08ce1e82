import * as DeliveryAttempt from "@assay/core/events/DeliveryAttempt"
import * as Webhooks from "@assay/core/events/Webhooks"
import * as Executions from "@assay/core/executions/Executions"
import * as Retention from "@assay/core/watches/Retention"
import * as Watches from "@assay/core/watches/Watches"
import { Option } from "effect"
import type { Limit } from "../../api/Limit.js"
import { interval } from "../../api/WatchesGroup.js"
import type { ServerConfig } from "../../ServerConfig.js"
import * as Edge from "../edge/Edge.js"
import * as Policies from "../edge/Policies.js"
import * as Body from "../representation/Body.js"
import * as EventStream from "../representation/EventStream.js"

/**
 * Every limit of the deployment, with its current value.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (config: ServerConfig["Type"]): ReadonlyArray<Limit> => {
  const { limits } = config
  const [perHour, perDay] = Policies.keyCreation(limits)
  const share = limits.processes === 1 ? "counted per process" : `the share of each of ${limits.processes} processes`
  const bySource = (value: number | undefined): number | null => (config.perSource ? (value ?? null) : null)
  return [
    {
      name: "daily_quota",
      value: limits.dailyQuota,
      unit: "units",
      per_seconds: 86_400,
      scope: "key",
      setting: "ASSAY_DAILY_QUOTA",
      description: "Units of a new key per UTC day; they reset at 00:00:00Z and do not carry over."
    },
    {
      name: "units_per_execution",
      value: 1,
      unit: "units",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Units that an analysis costs. Everything else is free."
    },
    {
      name: "burst_metered",
      value: Policies.burst(limits, true).limit,
      unit: "requests",
      per_seconds: 60,
      scope: "key",
      setting: "ASSAY_BURST_PER_MINUTE",
      description: `Requests that start analyses; ${share}.`
    },
    {
      name: "burst_other",
      value: Policies.burst(limits, false).limit,
      unit: "requests",
      per_seconds: 60,
      scope: "key",
      setting: "ASSAY_BURST_PER_MINUTE",
      description: `Free requests, ten times as many; ${share}.`
    },
    {
      name: "running_executions",
      value: limits.concurrencyPerKey,
      unit: "executions",
      per_seconds: null,
      scope: "key",
      setting: "ASSAY_CONCURRENCY_PER_KEY",
      description: "Concurrent analyses per key."
    },
    {
      name: "keys_per_hour",
      value: bySource(perHour?.limit),
      unit: "keys",
      per_seconds: 3_600,
      scope: "source",
      setting: "ASSAY_KEYS_PER_SOURCE_HOUR",
      description: `Keys created per IPv4 address or IPv6 /64; ${share}.`
    },
    {
      name: "keys_per_day",
      value: bySource(perDay?.limit),
      unit: "keys",
      per_seconds: 86_400,
      scope: "source",
      setting: "ASSAY_KEYS_PER_SOURCE_DAY",
      description: `Keys created per IPv4 address or IPv6 /64; ${share}.`
    },
    {
      name: "units_per_source",
      value: bySource(limits.unitsPerSourceDay),
      unit: "units",
      per_seconds: 86_400,
      scope: "source",
      setting: "ASSAY_UNITS_PER_SOURCE_DAY",
      description: "Units per UTC day of all keys created by one source."
    },
    {
      name: "authentication_failures",
      value: bySource(Policies.authenticationFailures.limit),
      unit: "requests",
      per_seconds: Policies.authenticationFailures.windowSeconds,
      scope: "source",
      setting: null,
      description: "Requests without a valid key; a valid key always passes."
    },
    {
      name: "units_per_deployment",
      value: Option.getOrNull(limits.globalDailyUnits),
      unit: "units",
      per_seconds: 86_400,
      scope: "deployment",
      setting: "ASSAY_GLOBAL_DAILY_UNITS",
      description: "Units of all keys per UTC day."
    },
    {
      name: "released_executions",
      value: Policies.releasedExecutions.limit,
      unit: "executions",
      per_seconds: Policies.releasedExecutions.windowSeconds,
      scope: "key",
      setting: null,
      description: "Executions with a refund because the address is not a target of the requested kind."
    },
    {
      name: "waiting_time_token",
      value: Executions.defaults.waitSeconds.token,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum wait of a request for the analysis of a token; the execution continues after it."
    },
    {
      name: "waiting_time_wallet",
      value: Executions.defaults.waitSeconds.wallet,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum wait of a request for the analysis of a wallet."
    },
    {
      name: "waiting_time_contract",
      value: Executions.defaults.waitSeconds.contract,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum wait of a request for the analysis of a contract."
    },
    {
      name: "execution_deadline",
      value: Executions.defaults.deadlineSeconds,
      unit: "seconds",
      per_seconds: null,
      scope: "process",
      setting: null,
      description: "Maximum duration of an execution; a longer one fails and its unit is refunded."
    },
    {
      name: "lease",
      value: Executions.defaults.leaseSeconds,
      unit: "seconds",
      per_seconds: null,
      scope: "process",
      setting: null,
      description:
        "How long a process without a heartbeat counts as alive; its executions are ended at most 30 s later."
    },
    {
      name: "watches",
      value: Watches.defaults.watchesPerKey,
      unit: "watches",
      per_seconds: null,
      scope: "key",
      setting: null,
      description: "Watches per key, paused ones included."
    },
    {
      name: "watch_interval_minimum",
      value: interval.minimum,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Minimum interval_seconds of a watch."
    },
    {
      name: "watch_interval_default",
      value: interval.default,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Default interval_seconds of a watch."
    },
    {
      name: "watch_interval_maximum",
      value: interval.maximum,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum interval_seconds of a watch."
    },
    {
      name: "manual_checks",
      value: 1,
      unit: "checks",
      per_seconds: Watches.defaults.manualSeconds,
      scope: "key",
      setting: null,
      description: "Checks of one watch by request."
    },
    {
      name: "scheduled_executions",
      value: config.scheduling.state === "on" ? config.scheduling.concurrency : 0,
      unit: "executions",
      per_seconds: null,
      scope: "process",
      setting: "ASSAY_SCHEDULED_CONCURRENCY",
      description: "Concurrent checks of watches; none where ASSAY_SCHEDULER is off."
    },
    {
      name: "scheduled_executions_per_key",
      value: config.scheduling.perKey,
      unit: "executions",
      per_seconds: null,
      scope: "key",
      setting: "ASSAY_SCHEDULED_PER_KEY",
      description: "Concurrent checks of watches per key."
    },
    {
      name: "webhooks",
      value: Policies.perKey.webhooks,
      unit: "webhooks",
      per_seconds: null,
      scope: "key",
      setting: null,
      description: "Webhooks per key."
    },
    {
      name: "webhook_messages_by_hand",
      value: Webhooks.byHand.endpoint.limit,
      unit: "messages",
      per_seconds: Webhooks.byHand.endpoint.windowSeconds,
      scope: "webhook",
      setting: null,
      description: "Tests and retries of one webhook; counted per process."
    },
    {
      name: "webhook_messages_by_hand_of_key",
      value: Webhooks.byHand.key.limit,
      unit: "messages",
      per_seconds: Webhooks.byHand.key.windowSeconds,
      scope: "key",
      setting: null,
      description: "Tests and retries of all webhooks of a key; counted per process."
    },
    {
      name: "webhook_messages_by_hand_to_host",
      value: Webhooks.byHand.host.limit,
      unit: "messages",
      per_seconds: Webhooks.byHand.host.windowSeconds,
      scope: "host",
      setting: null,
      description: "Tests and retries of all keys to one host; counted per process."
    },
    {
      name: "new_webhooks_of_key",
      value: Webhooks.beginnings.key.limit,
      unit: "webhooks",
      per_seconds: Webhooks.beginnings.key.windowSeconds,
      scope: "key",
      setting: null,
      description: "Webhooks created, moved to another URL or enabled again before they succeeded; counted per process."
    },
    {
      name: "new_webhooks_to_host",
      value: Webhooks.beginnings.host.limit,
      unit: "webhooks",
      per_seconds: Webhooks.beginnings.host.windowSeconds,
      scope: "host",
      setting: null,
      description: "The same of all keys, per host."
    },
    {
      name: "webhook_attempts_before_success",
      value: DeliveryAttempt.unprovenAttempts,
      unit: "attempts",
      per_seconds: null,
      scope: "webhook",
      setting: null,
      description: "Failed attempts that disable a webhook that has never succeeded."
    },
    {
      name: "event_streams",
      value: Policies.perKey.streams,
      unit: "streams",
      per_seconds: null,
      scope: "key",
      setting: null,
      description: "Open event streams per key; counted per process."
    },
    {
      name: "event_stream_lifetime",
      value: EventStream.lifetimeSeconds,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum duration of an event stream; reconnect with the last id."
    },
    {
      name: "retention_executions",
      value: Retention.defaults.executionDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "Retention of executions; the execution that a watch compares with is kept."
    },
    {
      name: "retention_removed_executions",
      value: Retention.defaults.removedDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description:
        "After its retention an execution is answered with 410 `execution_expired` for this time, and then with 404."
    },
    {
      name: "retention_runs",
      value: Retention.defaults.unchangedRunDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "Retention of checks without a change."
    },
    {
      name: "retention_changes",
      value: Retention.defaults.changedRunDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "Retention of checks with a change."
    },
    {
      name: "retention_events",
      value: Retention.defaults.eventDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "Retention of events and their deliveries."
    },
    {
      name: "body",
      value: Body.maxBytes,
      unit: "bytes",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum size of a request body."
    },
    {
      name: "headers",
      value: Edge.maxHeaderBytes,
      unit: "bytes",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum size of all header fields of a request together."
    },
    {
      name: "url",
      value: Edge.maxTargetBytes,
      unit: "bytes",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "Maximum length of the path and query of a request."
    }
  ]
}

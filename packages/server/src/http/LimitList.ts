import { Executions, Retention, Watches } from "@assay/core"
import { Option } from "effect"
import type { Limit } from "../api/Limit.js"
import { interval } from "../api/WatchesGroup.js"
import type { ServerConfig } from "../ServerConfig.js"
import * as Body from "./Body.js"
import * as Edge from "./Edge.js"
import * as EventStream from "./EventStream.js"
import * as Policies from "./Policies.js"

/**
 * Every limit that is in force, with its present value.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (config: ServerConfig["Type"]): ReadonlyArray<Limit> => {
  const { limits } = config
  const [perHour, perDay] = Policies.keyCreation(limits)
  const bySource = (value: number | undefined): number | null => (config.perSource ? (value ?? null) : null)
  return [
    {
      name: "daily_quota",
      value: limits.dailyQuota,
      unit: "units",
      per_seconds: 86_400,
      scope: "key",
      setting: "ASSAY_DAILY_QUOTA",
      description: "Units of a new key in a UTC day; they return at 00:00:00Z and are not carried over."
    },
    {
      name: "units_per_execution",
      value: 1,
      unit: "units",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "What an analysis costs. Everything else costs nothing."
    },
    {
      name: "burst_metered",
      value: Policies.burst(limits, true).limit,
      unit: "requests",
      per_seconds: 60,
      scope: "key",
      setting: "ASSAY_BURST_PER_MINUTE",
      description: "Requests that start analyses; counted in each process."
    },
    {
      name: "burst_other",
      value: Policies.burst(limits, false).limit,
      unit: "requests",
      per_seconds: 60,
      scope: "key",
      setting: "ASSAY_BURST_PER_MINUTE",
      description: "Requests that cost no unit, ten times as many; counted in each process."
    },
    {
      name: "running_executions",
      value: limits.concurrencyPerKey,
      unit: "executions",
      per_seconds: null,
      scope: "key",
      setting: "ASSAY_CONCURRENCY_PER_KEY",
      description: "Analyses of one key that run at the same time."
    },
    {
      name: "keys_per_hour",
      value: bySource(perHour?.limit),
      unit: "keys",
      per_seconds: 3_600,
      scope: "source",
      setting: "ASSAY_KEYS_PER_SOURCE_HOUR",
      description: "Keys made by one IPv4 address or IPv6 /64."
    },
    {
      name: "keys_per_day",
      value: bySource(perDay?.limit),
      unit: "keys",
      per_seconds: 86_400,
      scope: "source",
      setting: "ASSAY_KEYS_PER_SOURCE_DAY",
      description: "Keys made by one IPv4 address or IPv6 /64."
    },
    {
      name: "units_per_source",
      value: bySource(limits.unitsPerSourceDay),
      unit: "units",
      per_seconds: 86_400,
      scope: "source",
      setting: "ASSAY_UNITS_PER_SOURCE_DAY",
      description: "Units of all keys that one source made, in a UTC day."
    },
    {
      name: "authentication_failures",
      value: bySource(Policies.authenticationFailures.limit),
      unit: "requests",
      per_seconds: Policies.authenticationFailures.windowSeconds,
      scope: "source",
      setting: null,
      description: "Requests without a key that works; a valid key always passes."
    },
    {
      name: "units_per_deployment",
      value: Option.getOrNull(limits.globalDailyUnits),
      unit: "units",
      per_seconds: 86_400,
      scope: "deployment",
      setting: "ASSAY_GLOBAL_DAILY_UNITS",
      description: "Units of everybody in a UTC day."
    },
    {
      name: "released_executions",
      value: Policies.releasedExecutions.limit,
      unit: "executions",
      per_seconds: Policies.releasedExecutions.windowSeconds,
      scope: "key",
      setting: null,
      description: "Executions whose unit was given back because the address is not what was asked for."
    },
    {
      name: "waiting_time_token",
      value: Executions.defaults.waitSeconds.token,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "How long a call waits for the analysis of a token; it bounds the wait, not the execution."
    },
    {
      name: "waiting_time_wallet",
      value: Executions.defaults.waitSeconds.wallet,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The same for a wallet."
    },
    {
      name: "waiting_time_contract",
      value: Executions.defaults.waitSeconds.contract,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The same for a contract."
    },
    {
      name: "execution_deadline",
      value: Executions.defaults.deadlineSeconds,
      unit: "seconds",
      per_seconds: null,
      scope: "process",
      setting: null,
      description: "An execution that takes longer failed, and its unit is given back."
    },
    {
      name: "lease",
      value: Executions.defaults.leaseSeconds,
      unit: "seconds",
      per_seconds: null,
      scope: "process",
      setting: null,
      description: "How long a silent process is believed alive; what it left is finished at most 30 s later."
    },
    {
      name: "watches",
      value: Watches.defaults.watchesPerKey,
      unit: "watches",
      per_seconds: null,
      scope: "key",
      setting: null,
      description: "Watches of one key, paused ones too."
    },
    {
      name: "watch_interval_minimum",
      value: interval.minimum,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The shortest interval_seconds of a watch; a smaller one is refused."
    },
    {
      name: "watch_interval_default",
      value: interval.default,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The interval_seconds of a watch that names none."
    },
    {
      name: "watch_interval_maximum",
      value: interval.maximum,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The longest interval_seconds of a watch; a larger one is refused."
    },
    {
      name: "manual_checks",
      value: 1,
      unit: "checks",
      per_seconds: Watches.defaults.manualSeconds,
      scope: "key",
      setting: null,
      description: "Checks of one watch that are asked for by hand."
    },
    {
      name: "scheduled_executions",
      value: config.scheduling.state === "on" ? config.scheduling.concurrency : 0,
      unit: "executions",
      per_seconds: null,
      scope: "process",
      setting: "ASSAY_SCHEDULED_CONCURRENCY",
      description: "Checks of watches that run at the same time; none where ASSAY_SCHEDULER is off."
    },
    {
      name: "scheduled_executions_per_key",
      value: config.scheduling.perKey,
      unit: "executions",
      per_seconds: null,
      scope: "key",
      setting: "ASSAY_SCHEDULED_PER_KEY",
      description: "Checks of one key that run at the same time."
    },
    {
      name: "webhooks",
      value: Policies.perKey.webhooks,
      unit: "webhooks",
      per_seconds: null,
      scope: "key",
      setting: null,
      description: "Endpoints of one key."
    },
    {
      name: "event_streams",
      value: Policies.perKey.streams,
      unit: "streams",
      per_seconds: null,
      scope: "key",
      setting: null,
      description: "Streams of events of one key that are open at the same time; counted in each process."
    },
    {
      name: "event_stream_lifetime",
      value: EventStream.lifetimeSeconds,
      unit: "seconds",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "After which a stream of events ends, to be opened again with the last id."
    },
    {
      name: "retention_executions",
      value: Retention.defaults.executionDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "How long executions are kept; what a watch is compared with stays."
    },
    {
      name: "retention_removed_executions",
      value: Retention.defaults.removedDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description:
        "For how long after that an execution is answered with 410 `execution_expired`; with 404 from then on."
    },
    {
      name: "retention_runs",
      value: Retention.defaults.unchangedRunDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "How long checks that found no change are listed."
    },
    {
      name: "retention_changes",
      value: Retention.defaults.changedRunDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "How long checks that found a change are listed."
    },
    {
      name: "retention_events",
      value: Retention.defaults.eventDays,
      unit: "days",
      per_seconds: null,
      scope: "deployment",
      setting: null,
      description: "How long events and their deliveries are kept."
    },
    {
      name: "body",
      value: Body.maxBytes,
      unit: "bytes",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The body of a request."
    },
    {
      name: "headers",
      value: Edge.maxHeaderBytes,
      unit: "bytes",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "All header fields of a request together."
    },
    {
      name: "url",
      value: Edge.maxTargetBytes,
      unit: "bytes",
      per_seconds: null,
      scope: "request",
      setting: null,
      description: "The path and query of a request."
    }
  ]
}

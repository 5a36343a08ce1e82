import * as DeliveryAttempt from "@assay/core/events/DeliveryAttempt"
import * as Webhooks from "@assay/core/events/Webhooks"
import * as Executions from "@assay/core/executions/Executions"
import * as Plan from "@assay/core/keys/Plan"
import * as Retention from "@assay/core/watches/Retention"
import * as Watches from "@assay/core/watches/Watches"
import { Option } from "effect"
import type { Limit } from "../../api/Limit.js"
import { interval } from "../../api/WatchesGroup.js"
import type { ServerConfig } from "../../ServerConfig.js"
import { settings } from "../../Settings.js"
import * as Edge from "../edge/Edge.js"
import * as Policies from "../edge/Policies.js"
import * as Body from "../representation/Body.js"
import * as EventStream from "../representation/EventStream.js"

/** Every limit of the deployment, with its current value. */
export const make = (config: ServerConfig["Type"]): ReadonlyArray<Limit> => {
  const { limits } = config
  const [perHour, perDay] = Policies.keyCreation(limits)
  const share = limits.processes === 1 ? "counted per process" : `the share of each of ${limits.processes} processes`
  const bySource = (value: number | undefined): number | null => (config.perSource ? (value ?? null) : null)
  // biome-ignore format: a limit is one line, or a second one with what it says
  return [
    set(settings.limits.dailyQuota, "daily_quota", limits.dailyQuota, "units", "key",
      "Units of a new key per UTC day; they reset at 00:00:00Z and do not carry over.", 86_400),
    ...[...Option.getOrElse(config.keys.plans, () => Plan.none)].map(([name, units]) =>
      set(settings.keys.plans, `daily_quota_plan_${name.replaceAll("-", "_")}`, units, "units", "key",
        `Units of a key with the plan ${name} per UTC day.`, 86_400)),
    fixed("units_per_execution", 1, "units", "request", "Units that an analysis costs. Everything else is free."),
    set(settings.limits.burstPerMinute, "burst_metered", Policies.burst(limits, true).limit, "requests", "key",
      `Requests that start analyses; ${share}.`, 60),
    set(settings.limits.burstPerMinute, "burst_other", Policies.burst(limits, false).limit, "requests", "key",
      `Free requests, ten times as many; ${share}.`, 60),
    set(settings.limits.concurrencyPerKey, "running_executions", limits.concurrencyPerKey, "executions", "key",
      "Concurrent analyses per key."),
    set(settings.limits.keysPerSourceHour, "keys_per_hour", bySource(perHour?.limit), "keys", "source",
      `Keys created per IPv4 address or IPv6 /64; ${share}.`, 3_600),
    set(settings.limits.keysPerSourceDay, "keys_per_day", bySource(perDay?.limit), "keys", "source",
      `Keys created per IPv4 address or IPv6 /64; ${share}.`, 86_400),
    set(settings.limits.unitsPerSourceDay, "units_per_source", bySource(limits.unitsPerSourceDay), "units", "source",
      "Units per UTC day of all keys created by one source, without those that an invitation made or that have a plan.", 86_400),
    fixed("authentication_failures", bySource(Policies.authenticationFailures.limit), "requests", "source",
      "Requests without a valid key; a valid key always passes.", Policies.authenticationFailures.windowSeconds),
    set(settings.limits.globalDailyUnits, "units_per_deployment", Option.getOrNull(limits.globalDailyUnits), "units", "deployment",
      "Units of all keys per UTC day.", 86_400),
    fixed("released_executions", Policies.releasedExecutions.limit, "executions", "key",
      "Executions with a refund because the address is not a target of the requested kind.", Policies.releasedExecutions.windowSeconds),
    fixed("waiting_time_token", Executions.defaults.waitSeconds.token, "seconds", "request",
      "Maximum wait of a request for the analysis of a token; the execution continues after it."),
    fixed("waiting_time_wallet", Executions.defaults.waitSeconds.wallet, "seconds", "request",
      "Maximum wait of a request for the analysis of a wallet."),
    fixed("waiting_time_contract", Executions.defaults.waitSeconds.contract, "seconds", "request",
      "Maximum wait of a request for the analysis of a contract."),
    fixed("execution_deadline", Executions.defaults.deadlineSeconds, "seconds", "process",
      "Maximum duration of an execution; a longer one fails and its unit is refunded."),
    fixed("lease", Executions.defaults.leaseSeconds, "seconds", "process",
      "How long a process without a heartbeat counts as alive; its executions are ended at most 30 s later."),
    fixed("watches", Watches.defaults.watchesPerKey, "watches", "key", "Watches per key, paused ones included."),
    fixed("watch_interval_minimum", interval.minimum, "seconds", "request", "Minimum interval_seconds of a watch."),
    fixed("watch_interval_default", interval.default, "seconds", "request", "Default interval_seconds of a watch."),
    fixed("watch_interval_maximum", interval.maximum, "seconds", "request", "Maximum interval_seconds of a watch."),
    fixed("manual_checks", 1, "checks", "key", "Checks of one watch by request.", Watches.defaults.manualSeconds),
    set(settings.scheduling.concurrency, "scheduled_executions", config.scheduling.state === "on" ? config.scheduling.concurrency : 0, "executions", "process",
      "Concurrent checks of watches; none where ASSAY_SCHEDULER is off."),
    set(settings.scheduling.perKey, "scheduled_executions_per_key", config.scheduling.perKey, "executions", "key",
      "Concurrent checks of watches per key."),
    fixed("webhooks", Policies.perKey.webhooks, "webhooks", "key", "Webhooks per key."),
    fixed("webhook_messages_by_hand", Webhooks.byHand.endpoint.limit, "messages", "webhook",
      "Tests and retries of one webhook; counted per process.", Webhooks.byHand.endpoint.windowSeconds),
    fixed("webhook_messages_by_hand_of_key", Webhooks.byHand.key.limit, "messages", "key",
      "Tests and retries of all webhooks of a key; counted per process.", Webhooks.byHand.key.windowSeconds),
    fixed("webhook_messages_by_hand_to_host", Webhooks.byHand.host.limit, "messages", "host",
      "Tests and retries of all keys to one host; counted per process.", Webhooks.byHand.host.windowSeconds),
    fixed("new_webhooks_of_key", Webhooks.beginnings.key.limit, "webhooks", "key",
      "Webhooks created, moved to another URL or enabled again before they succeeded; counted per process.", Webhooks.beginnings.key.windowSeconds),
    fixed("new_webhooks_to_host", Webhooks.beginnings.host.limit, "webhooks", "host",
      "The same of all keys, per host.", Webhooks.beginnings.host.windowSeconds),
    fixed("webhook_attempts_before_success", DeliveryAttempt.unprovenAttempts, "attempts", "webhook",
      "Failed attempts that disable a webhook that has never succeeded."),
    fixed("event_streams", Policies.perKey.streams, "streams", "key",
      "Open event streams per key; counted per process."),
    fixed("event_stream_lifetime", EventStream.lifetimeSeconds, "seconds", "request",
      "Maximum duration of an event stream; reconnect with the last id."),
    fixed("retention_executions", Retention.defaults.executionDays, "days", "deployment",
      "Retention of executions; the execution that a watch compares with is kept."),
    fixed("retention_removed_executions", Retention.defaults.removedDays, "days", "deployment",
      "After its retention an execution is answered with 410 `execution_expired` for this time, and then with 404."),
    fixed("retention_runs", Retention.defaults.unchangedRunDays, "days", "deployment",
      "Retention of checks without a change."),
    fixed("retention_changes", Retention.defaults.changedRunDays, "days", "deployment",
      "Retention of checks with a change."),
    fixed("retention_events", Retention.defaults.eventDays, "days", "deployment",
      "Retention of events and their deliveries."),
    fixed("retention_ledger", Retention.defaults.ledgerDays, "days", "deployment",
      "Retention of each settled unit; what is still reserved is kept."),
    fixed("retention_ledger_sums", Retention.defaults.ledgerSumDays, "days", "deployment",
      "Retention of the sums of units of each key and day, by kind, which replace single units."),
    fixed("retention_idempotency_keys", Retention.defaults.idempotencyKeyDays, "days", "deployment",
      "How long a repeated `Idempotency-Key` finds the first answer."),
    set(settings.keys.unusedDays, "retention_unused_keys", Option.getOrNull(config.keys.unusedDays), "days", "deployment",
      "Retention of a key that was never used and has no watch, webhook or execution; null: it is kept."),
    fixed("body", Body.maxBytes, "bytes", "request", "Maximum size of a request body."),
    fixed("headers", Edge.maxHeaderBytes, "bytes", "request",
      "Maximum size of all header fields of a request together."),
    fixed("url", Edge.maxTargetBytes, "bytes", "request", "Maximum length of the path and query of a request.")
  ]
}

type Row = readonly [
  name: string,
  value: number | null,
  unit: string,
  scope: Limit["scope"],
  description: string,
  perSeconds?: number
]

const limit = (setting: string | null, [name, value, unit, scope, description, perSeconds]: Row): Limit => ({
  name,
  value,
  unit,
  per_seconds: perSeconds ?? null,
  scope,
  setting,
  description
})

const set = ({ name }: { readonly name: string }, ...row: Row): Limit => limit(name, row)

const fixed = (...row: Row): Limit => limit(null, row)

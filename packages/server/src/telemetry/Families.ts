import { counter, type Family, gauge, histogram } from "./Family.js"

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 180]
const few = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50]
const many = [5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600]

/** What the use-cases and the chains of this process measure. */
export const measures = {
  begun: counter(
    "assay_execution_requests_total",
    ["answer"],
    "Requested executions by what became of them: `started`, `joined` a running one, `replayed` a stored one, `busy` where the key runs too many, `reused` where an idempotency key stands for another request."
  ),
  analyses: counter(
    "assay_analyses_total",
    ["kind", "trigger", "outcome"],
    "Ended analyses. `kind` is `token`, `wallet`, `contract`, or `other` for one of a lost process; `trigger` is `request` or `watch`; `outcome` is `complete`, `partial`, or the code of the failure."
  ),
  analysisSeconds: histogram(
    "assay_analysis_seconds",
    ["kind", "trigger"],
    seconds,
    "How long an analysis took, from its beginning to its stored result."
  ),
  running: gauge("assay_analyses_running", [], "Analyses that run in this process."),
  levels: histogram(
    "assay_analysis_levels",
    ["chain", "kind"],
    few,
    "Round trips of an analysis that had to wait for each other."
  ),
  analysisRequests: histogram(
    "assay_analysis_rpc_requests",
    ["chain", "kind"],
    few,
    "Requests to endpoints for one analysis; `kind` is `other` where only the kind of an address was found out."
  ),
  analysisCalls: histogram("assay_analysis_rpc_calls", ["chain", "kind"], many, "JSON-RPC calls in these requests."),
  rpcRequests: counter(
    "assay_rpc_requests_total",
    ["chain", "endpoint", "outcome"],
    "Requests to an endpoint, which is its place among the URLs of its chain in `ASSAY_RPC_URLS`, from 1. `outcome` is `ok`, `some_failed` or `aborted`, or the reason why no call had an answer, such as `rate_limited` or `source_unavailable`."
  ),
  rpcCalls: counter(
    "assay_rpc_calls_total",
    ["chain", "endpoint", "method", "outcome"],
    "JSON-RPC calls in these requests, by method. `outcome` is `ok`, `aborted`, or the reason why there was no answer."
  ),
  rpcSeconds: histogram(
    "assay_rpc_request_seconds",
    ["chain", "endpoint"],
    seconds,
    "How long an endpoint took to answer a request."
  ),
  rpcWait: histogram(
    "assay_rpc_wait_seconds",
    ["chain", "endpoint"],
    seconds,
    "How long a request waited for its turn, because of the pace that the endpoint takes."
  ),
  units: counter(
    "assay_units_total",
    ["state"],
    "Units by what became of them: `reserved` when an execution began, then `committed` or `released`."
  ),
  refusals: counter(
    "assay_units_refused_total",
    ["bucket"],
    "Units that were refused, by the daily quota that was used up: `key`, `source` or `deployment`."
  ),
  claims: counter(
    "assay_watch_claims_total",
    ["trigger"],
    "Checks of watches that this process began: `schedule`, `catch_up` after a downtime, or `manual`."
  ),
  runs: counter(
    "assay_watch_runs_total",
    ["status"],
    "Ended checks of watches: `succeeded`, `failed`, `skipped` for want of quota, or `abandoned` by a lost process."
  ),
  changes: counter(
    "assay_watch_changes_total",
    ["status"],
    "Successful checks by their comparison: `baseline`, `unchanged`, `changed` or `incomparable`."
  ),
  failing: gauge(
    "assay_watches_failing",
    [],
    "Watches of which this process saw the last check fail; what other processes of the database check is not in it."
  ),
  deliveries: counter(
    "assay_deliveries_total",
    ["outcome", "error"],
    "Attempts to send an event to a webhook. `outcome` is `delivered`, `pending` where it is tried again, `exhausted` or `dropped`; `error` is `none`, `status`, `timeout`, `connection`, `tls`, `dns` or `forbidden_address`."
  ),
  deliverySeconds: histogram("assay_delivery_seconds", [], seconds, "How long an attempt took."),
  deliveriesWaiting: gauge(
    "assay_delivery_waiting_seconds",
    [],
    "How long the delivery that is due longest has been waiting."
  ),
  eventLag: histogram("assay_event_lag_seconds", [], seconds, "How long after it happened an event was in the log."),
  spans: counter(
    "assay_trace_spans_total",
    ["outcome"],
    "Spans of recorded traces: `sent`, or `dropped` where the collector did not take them."
  )
}

/** What other modules measure: requests, schedules, databases, and the process. */
const elsewhere: ReadonlyArray<Family> = [
  {
    name: "assay_http_requests_total",
    type: "counter",
    labels: ["method", "route", "status"],
    meaning:
      "Answered requests. `route` is a template of the API, `none` for an unknown one; `method` is `other` where the API has no such method."
  },
  {
    name: "assay_http_request_seconds",
    type: "histogram",
    labels: ["method", "route"],
    meaning: "How long it took until a request was answered; of a stream, until it began."
  },
  {
    name: "assay_internal_errors_total",
    type: "counter",
    labels: ["part", "name"],
    meaning:
      "Defects of the engine that made evidence unknown, by the part that failed; none is shown before the first."
  },
  {
    name: "assay_watch_lateness_seconds",
    type: "histogram",
    labels: [],
    meaning: "How long after its due time a check began."
  },
  {
    name: "assay_watch_waiting_seconds",
    type: "gauge",
    labels: [],
    meaning: "How long the watch that is due longest has been waiting."
  },
  { name: "assay_storage_bytes", type: "gauge", labels: [], meaning: "Size of the database; not with `memory:`." },
  {
    name: "assay_storage_free_bytes",
    type: "gauge",
    labels: [],
    meaning: "What of a SQLite file is free for new rows."
  },
  { name: "assay_storage_rows", type: "gauge", labels: ["table"], meaning: "Rows of a table; not with `memory:`." },
  {
    name: "assay_postgres_connections",
    type: "gauge",
    labels: ["state"],
    meaning: "Connections of this process to Postgres: `busy` or `idle`."
  },
  {
    name: "assay_postgres_waiting",
    type: "gauge",
    labels: [],
    meaning: "Statements that wait for a connection of this process."
  },
  {
    name: "assay_postgres_lock_waits",
    type: "gauge",
    labels: [],
    meaning: "Statements of all processes that wait for a lock of this Postgres database."
  },
  {
    name: "assay_build_info",
    type: "gauge",
    labels: ["version", "ruleset", "node"],
    meaning: "1, with the versions of the engine, of its rules and of Node.js."
  },
  { name: "process_cpu_seconds_total", type: "counter", labels: [], meaning: "CPU time of the process." },
  { name: "process_resident_memory_bytes", type: "gauge", labels: [], meaning: "Memory of the process." },
  { name: "process_start_time_seconds", type: "gauge", labels: [], meaning: "When the process began, in Unix time." },
  { name: "nodejs_heap_used_bytes", type: "gauge", labels: [], meaning: "JavaScript objects." },
  { name: "nodejs_heap_limit_bytes", type: "gauge", labels: [], meaning: "The size at which the process ends." },
  {
    name: "nodejs_external_memory_bytes",
    type: "gauge",
    labels: [],
    meaning: "Memory that objects hold outside the heap."
  },
  {
    name: "nodejs_eventloop_delay_seconds",
    type: "gauge",
    labels: ["quantile"],
    meaning: "How late timers were since the scrape before, with `quantile` `0.5`, `0.99` and `1`."
  },
  {
    name: "nodejs_eventloop_utilization_ratio",
    type: "gauge",
    labels: [],
    meaning: "The share of the time since the scrape before in which the event loop was busy."
  },
  {
    name: "nodejs_gc_seconds_total",
    type: "counter",
    labels: ["kind"],
    meaning: "Time in garbage collection: `minor`, `major`, `incremental` or `weakcb`."
  },
  { name: "nodejs_gc_runs_total", type: "counter", labels: ["kind"], meaning: "Garbage collections." }
]

/** Every family that `/metrics` may show, by name. */
export const all: ReadonlyArray<Family> = [...Object.values(measures), ...elsewhere].sort((left, right) =>
  left.name < right.name ? -1 : 1
)

/** The table of the guide. */
export const markdown = (): string =>
  [
    ["Metric", "Type", "Labels", "Meaning"],
    ["---", "---", "---", "---"],
    ...all.map(({ labels, meaning, name, type }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(", "),
      meaning
    ])
  ]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("")

/** Shows counters with labels that are known beforehand, with 0, so that their first step is a step. */
export const show = (): void => {
  const { analyses, begun, changes, claims, deliveries, failing, refusals, running, runs, spans, units } = measures
  for (const answer of ["started", "joined", "replayed", "busy", "reused"]) begun.update(0, { answer })
  for (const trigger of ["request", "watch"])
    for (const kind of ["token", "wallet", "contract"])
      for (const outcome of ["complete", "partial", "upstream_unavailable", "deadline_exceeded", "internal_error"])
        analyses.update(0, { kind, trigger, outcome })
  analyses.update(0, { kind: "other", trigger: "request", outcome: "lease_lost" })
  for (const state of ["reserved", "committed", "released"]) units.update(0, { state })
  for (const bucket of ["key", "source", "deployment"]) refusals.update(0, { bucket })
  for (const trigger of ["schedule", "catch_up", "manual"]) claims.update(0, { trigger })
  for (const status of ["succeeded", "failed", "skipped", "abandoned"]) runs.update(0, { status })
  for (const status of ["baseline", "unchanged", "changed", "incomparable"]) changes.update(0, { status })
  deliveries.update(0, { outcome: "delivered", error: "none" })
  for (const outcome of ["pending", "exhausted"]) deliveries.update(0, { outcome, error: "status" })
  for (const outcome of ["sent", "dropped"]) spans.update(0, { outcome })
  failing.update(0, {})
  running.update(0, {})
}

import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import * as Report from "@assay/core/report/Report"
import * as ReportMarkdown from "@assay/core/report/ReportMarkdown"
import * as ReportText from "@assay/core/report/ReportText"
import { Option } from "effect"

const address = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
const owner = "0x4F2083f5fBede34C2714aFfb3105539775f7FE64"
const chain = { id: 1, name: "ethereum" }
const hash = (digit: string) => `0x${digit.repeat(64)}`
const execution = "exe_01JDVX7Z3W8K5T2M9Q4R6B0ACD"
const earlier = "exe_01JDVT3Y1N6H8S5P2F7K9C4WXB"
const watch = "wat_01JDVW5Q2R7M9K4T6B8C3XANEF"
const block = { number: 21_234_567, hash: hash("a"), timestamp: "2026-11-21T09:59:59.000Z" }
const before = { number: 21_234_268, hash: hash("b"), timestamp: "2026-11-21T08:59:59.000Z" }

const mintable = {
  state: "confirmed",
  source_url: `https://etherscan.io/address/${address}`,
  id: "token.mintable",
  version: 3,
  category: "control",
  title: "The supply can be increased",
  detail: `${owner} can call mint(address,uint256).`,
  value: { selectors: ["0x40c10f19"] },
  polarity: "risk",
  severity: "high",
  verified: true,
  reason: null,
  controller: { kind: "timelock", address: owner, delay_seconds: 172_800, threshold: null, signers: null }
}

const observation = {
  method: "eth_getCode",
  params_hash: hash("c"),
  block_hash: block.hash,
  answer_hash: hash("d")
}

const recipe = {
  method: observation.method,
  params_hash: observation.params_hash,
  params: [address, { blockHash: block.hash }]
}

const change = {
  id: "token.mintable",
  subject: "evidence",
  kind: "state_changed",
  path: "/evidence/token.mintable",
  before: { state: "refuted", value: null },
  after: { state: "confirmed", value: mintable.value },
  delta: null,
  severity: "high",
  direction: "worse",
  verified: true,
  title: mintable.title,
  source_url: mintable.source_url
}

const counts = { critical: 0, high: 1, medium: 0, low: 0, info: 0, suppressed: 0 }

const changeReport = {
  format_version: "1.0",
  status: "changed",
  reason: null,
  base: {
    execution_id: earlier,
    completed_at: "2026-11-21T09:00:03.512Z",
    block: before,
    ruleset_version: "2026.11.3"
  },
  head: { execution_id: execution, completed_at: "2026-11-21T10:00:03.701Z", block, ruleset_version: "2026.11.3" },
  max_severity: "high",
  counts,
  risk: { score_before: 91, score_after: 73, score_delta: -18, level_before: "minimal", level_after: "low" },
  changes: [change],
  ruleset_changes: [],
  suppressed: [],
  text: "1 high: The supply can be increased (refuted → confirmed)"
}

const resultView = {
  execution_id: execution,
  target: "token",
  address,
  chain,
  status: "complete",
  error: null,
  created_at: "2026-11-21T10:00:00.120Z",
  completed_at: "2026-11-21T10:00:03.701Z",
  progress: null,
  block,
  engine_version: "1.0.0",
  ruleset_version: "2026.11.3",
  content_hash: `sha256:${"e".repeat(64)}`,
  evidence: [mintable],
  facts: {
    risk: {
      score: 73,
      level: "low",
      level_at_best: "low",
      range: { worst: 73, best: 73 },
      coverage: 1,
      dimensions: { exit: 100, control: 78, code: 100, market: 100, identity: 100, counterparty: 100 },
      signals: [
        {
          id: "token.mintable",
          state: "confirmed",
          dimension: "control",
          points: 27,
          evidence_ids: ["token.mintable"],
          title: mintable.title
        }
      ],
      caps: [{ limit: 90, because: "a power that holders have notice of", evidence_ids: ["token.mintable"] }],
      methodology_version: "4"
    },
    account: null,
    token: {
      standard: "erc20",
      name: "An Example",
      symbol: "EXA",
      decimals: 18,
      total_supply: "1000000000000000000000000"
    },
    proxy: null,
    control: null,
    pools: [],
    trade: null,
    counterfactuals: null,
    allowances: null,
    permit2: null,
    portfolio: null,
    safe: null,
    unread: {}
  },
  summary: null,
  summary_status: "never_configured",
  summary_reason: null,
  sources: [
    {
      name: "ethereum",
      url: "https://etherscan.io",
      kind: "chain",
      status: "ok",
      fetched_at: "2026-11-21T10:00:00.150Z"
    }
  ],
  change_report: changeReport,
  units: 1,
  warnings: []
}

const report = Option.getOrThrow(
  Report.ofResult({ ...resultView, recipes: [] } as unknown as AnalysisResult.AnalysisResult)
)

/** The report of the result among the examples, by the media type that it is written in. */
export const reports: { readonly [mediaType: string]: string | undefined } = {
  "text/markdown": ReportMarkdown.make(report),
  "text/plain": ReportText.plain(report),
  // Without its style, which is longer than all that it says.
  "text/html": `<!doctype html><html lang="en"><head>…</head><body><main>… ${report.headline.text} … <code>token.mintable</code> …</main></body></html>`
}

const watchDocument = {
  id: watch,
  target: "token",
  address,
  label: "my token",
  interval_seconds: 3_600,
  chain,
  state: "active",
  state_reason: null,
  running: false,
  created_at: "2026-11-20T08:00:00.000Z",
  updated_at: "2026-11-21T10:00:03.790Z",
  last_checked_at: "2026-11-21T10:00:03.790Z",
  last_error: null,
  last_error_code: null,
  last_success_at: "2026-11-21T10:00:03.790Z",
  last_changed_at: "2026-11-21T10:00:03.790Z",
  next_due_at: "2026-11-21T11:00:00.000Z",
  consecutive_failures: 0,
  units_per_check: 1,
  units_per_day: 24,
  counts: { checks: 27, changes: 1, failures: 0 },
  skipped_runs: { overlap: 0, downtime: 0, quota: 0 },
  options: { min_severity: "low", ignore: [], thresholds: {}, verify: true, notify_unchanged: false },
  warnings: []
}

const watchRun = {
  id: "run_01JDVX7Z0A2C4E6G8J0M2P4R6T",
  scheduled_for: "2026-11-21T10:00:00.000Z",
  started_at: "2026-11-21T10:00:00.110Z",
  finished_at: "2026-11-21T10:00:03.790Z",
  trigger: "schedule",
  status: "succeeded",
  units: 1,
  execution_id: execution,
  change_status: "changed",
  max_severity: "high",
  error_code: null,
  error: null
}

const webhook = {
  id: "whk_01JDVY2B4D6F8H0K2N4Q6S8V0X",
  url: "https://example.com/hooks/assay",
  label: "my bot",
  event_types: ["watch.changed"],
  watch_ids: null,
  min_severity: "medium",
  state: "enabled",
  disabled_reason: null,
  failing_since: null,
  last_success_at: "2026-11-21T10:00:04.012Z",
  created_at: "2026-11-20T08:05:00.000Z"
}

const event = {
  id: "evt_01JDVX8A1B3D5F7H9K1N3Q5S7V",
  sequence: 12,
  timestamp: "2026-11-21T10:00:03.790Z",
  type: "watch.changed",
  data: {
    watch_id: watch,
    label: "my token",
    target: "token",
    address,
    chain,
    execution_id: execution,
    base_execution_id: earlier,
    max_severity: "high",
    counts: { high: 1 },
    score_before: 91,
    score_after: 73,
    changes: [change],
    changes_url: `/api/v1/executions/${execution}/changes?base=${earlier}`
  }
}

/**
 * An example of each body that is sent or returned, by the name of its schema in the OpenAPI document. A test holds each
 * against that schema.
 */
export const examples: { readonly [schema: string]: unknown } = {
  NewKey: { label: "my bot" },
  NewExecution: { target: "token", address: "0xdAC17F958D2ee523a2206206994597C13D831ec7" },
  KeyEdit: { label: "my other bot" },
  KeyRotation: { overlap_seconds: 86_400 },
  CreatedKey: {
    key: "asy_EXAMPLEexampleEXAMPLEexampleEXAMPL0AAAAAA",
    hint: "asy_EXAM…MPL0",
    label: "my bot",
    daily_quota: 50,
    note: "Store this key now. It is shown once and cannot be recovered."
  },
  LedgerEntry: {
    at: "2026-11-21T10:00:00.000Z",
    kind: "watch",
    units: 1,
    state: "released",
    reason: "upstream_unavailable",
    execution_id: execution,
    watch_id: watch
  },
  ApiKey: {
    id: "key_01JDVW0C2E4G6J8M0P2R4T6W8Y",
    label: "my bot",
    hint: "asy_EXAM…MPL0",
    state: "active",
    daily_quota: 50,
    plan: null,
    created_at: "2026-11-20T07:59:00.000Z",
    expires_at: null,
    last_used_at: "2026-11-21T10:00:00.000Z",
    rotating_until: null,
    counts: { watches: 1, webhooks: 1 }
  },
  ResultView: resultView,
  RiskReport: Report.compact(report),
  McpMessage: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "analyze_token", arguments: { address }, _meta: { progressToken: 1 } }
  },
  McpError: { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "Method not found" } },
  RecipeSet: {
    recipes: [
      { ...recipe, params: [address, { $shared: 0 }] },
      { ...recipe, params_hash: hash("f"), params: [owner, { $shared: 0 }] }
    ],
    shared: [{ blockHash: block.hash }]
  },
  ObservedEvidence: { ...mintable, observation, recipe },
  ExecutionStub: {
    execution_id: execution,
    target: "token",
    address,
    chain,
    status: "complete",
    created_at: resultView.created_at,
    completed_at: resultView.completed_at,
    score: 73,
    level: "low",
    watch_id: watch,
    content_hash: resultView.content_hash
  },
  ChangeReport: changeReport,
  NewWatch: { target: "token", address, label: "my token", interval_seconds: 3_600 },
  WatchPatch: { interval_seconds: 7_200, options: { min_severity: "medium" } },
  Watch: watchDocument,
  WatchDetail: { ...watchDocument, last_result: resultView },
  WatchRun: watchRun,
  WatchRunChanges: { ...watchRun, change_report: changeReport },
  Event: event,
  EventPage: { data: [event], next_after: "12" },
  NewWebhook: { url: webhook.url, event_types: ["watch.changed"], min_severity: "medium", label: "my bot" },
  WebhookPatch: { state: "disabled" },
  Rotation: { overlap_seconds: 86_400 },
  Webhook: webhook,
  CreatedWebhook: { ...webhook, last_success_at: null, secret: "whsec_RVhBTVBMRWV4YW1wbGVFWEFNUExFZXhhbXBsZTA=" },
  Delivery: {
    id: "dlv_01JDVX8B2C4E6G8J0M2P4R6T8W",
    event_id: event.id,
    attempt: 1,
    status: "delivered",
    http_status: 204,
    latency_ms: 87,
    error_class: null,
    at: "2026-11-21T10:00:04.012Z",
    next_attempt_at: null
  },
  Usage: {
    day: "2026-11-21",
    daily_quota: 50,
    used: 12,
    reserved: 1,
    remaining: 37,
    resets_at: "2026-11-22T00:00:00.000Z",
    by_kind: { token: 4, wallet: 1, contract: 0, watch: 7 },
    forecast: { watch_units_per_day: 24, watch_units_left_today: 14, exhausts_at: null, over_quota: false }
  },
  ListedChain: { id: 8453, name: "base", currency: "ETH", explorer: "https://basescan.org", default: false },
  Limit: {
    name: "daily_quota",
    value: 50,
    unit: "units",
    per_seconds: 86_400,
    scope: "key",
    setting: "ASSAY_DAILY_QUOTA",
    description: "Units of a new key per UTC day"
  },
  EvidenceRule: {
    id: "token.mintable",
    code: "T-03",
    version: 3,
    targets: ["token"],
    title: mintable.title,
    claim: "The supply can be increased",
    absent: "No account can increase the supply",
    recommendation:
      "Check who can mint and how much, and wait until the power is capped, renounced or behind a timelock of at least 2 days",
    category: "control",
    polarity: "risk",
    severity: "high",
    power: true,
    value_type: { type: "object" },
    tolerance: null,
    volatile: false
  },
  ProblemDocument: {
    type: "/api/v1/problems/not-found",
    code: "not_found",
    status: 404,
    title: "Not found.",
    when: "The route or id does not exist, or the id belongs to another key.",
    retryable: false
  },
  Health: { status: "ok", checks: { storage: "ok", scheduler: "ok", upstream: "ok" }, cause: null },
  Unready: {
    status: "failed",
    checks: { storage: "failed", scheduler: "ok", upstream: "ok" },
    cause: "The disk is full (SQLITE_FULL)."
  }
}

/** The id of the request of every example. */
const request = "req_01JDVX7Z2V6Y9B1D3F5H7K9N1Q"

/** What a problem has beyond the members of all problems. */
const members: { readonly [code: string]: object } = {
  not_acceptable: { acceptable: ["application/json"] },
  watch_limit_reached: { limit: 50 },
  webhook_limit_reached: { limit: 5 },
  cursor_expired: { oldest_cursor: "12" },
  target_mismatch: { detected: "wallet" },
  rate_limited: { violated_policies: ["burst"] },
  quota_exceeded: { violated_policies: ["daily"] },
  concurrency_exceeded: { violated_policies: ["executions"] },
  upstream_unavailable: { sources_failed: [] },
  deadline_exceeded: { execution_id: execution },
  validation_failed: {
    detail: "interval_seconds must be at least 900.",
    errors: [{ pointer: "#/interval_seconds", code: "below_minimum", detail: "Minimum is 900.", limit: 900 }]
  }
}

/** An example of a problem. */
export const problem = (document: {
  readonly type: string
  readonly code: string
  readonly status: number
  readonly title: string
  readonly when: string
  readonly retryable: boolean
}): unknown => ({
  type: document.type,
  title: document.title,
  status: document.status,
  detail: document.when,
  instance: `urn:request:${request}`,
  code: document.code,
  request_id: request,
  retryable: document.retryable,
  retry_after_seconds: document.retryable ? 5 : null,
  errors: [],
  ...members[document.code]
})

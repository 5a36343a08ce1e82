/** @internal */

import type { Analysis } from "../domain/Analysis.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { Facts } from "../domain/Facts.js"
import type { ExecutionId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { fromMillis } from "../domain/Timestamp.js"

/**
 * No fact at all: what is shown of an execution that has no result.
 *
 * @since 0.1.0
 * @category constructors
 */
export const noFacts: Facts = {
  risk: null,
  account: null,
  token: null,
  proxy: null,
  control: null,
  pools: null,
  trade: null,
  allowances: null,
  safe: null,
  unread: {}
}

/**
 * The document of an execution that has just begun, `startedAt` in epoch milliseconds. No summary is configured, so one
 * that was wished for is `never_configured`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const running = (options: {
  readonly id: ExecutionId
  readonly target: Target
  readonly startedAt: number
  readonly engineVersion: string
  readonly rulesetVersion: string
  readonly wantsSummary: boolean
}): AnalysisResult => ({
  execution_id: options.id,
  target: options.target.kind,
  address: options.target.address,
  chain: options.target.chain,
  status: "running",
  error: null,
  created_at: fromMillis(options.startedAt),
  completed_at: null,
  progress: { step: "analyse", done: 0, total: 1 },
  block: null,
  engine_version: options.engineVersion,
  ruleset_version: options.rulesetVersion,
  content_hash: null,
  evidence: [],
  facts: noFacts,
  summary: null,
  summary_status: options.wantsSummary ? "never_configured" : "skipped",
  summary_reason: options.wantsSummary ? null : "not_requested",
  sources: [],
  change_report: null,
  units: 0,
  warnings: []
})

/**
 * The document of an execution whose analysis succeeded, `completedAt` in epoch milliseconds; it costs one unit.
 *
 * @since 0.1.0
 * @category combinators
 */
export const completed = (
  running: AnalysisResult,
  options: {
    readonly analysis: Analysis
    readonly completedAt: number
  }
): AnalysisResult => ({
  ...running,
  status: options.analysis.status,
  completed_at: fromMillis(options.completedAt),
  progress: null,
  block: options.analysis.block,
  engine_version: options.analysis.engine_version,
  ruleset_version: options.analysis.ruleset_version,
  content_hash: options.analysis.content_hash,
  evidence: options.analysis.evidence,
  facts: options.analysis.facts,
  sources: options.analysis.sources,
  units: 1,
  warnings: options.analysis.warnings
})

/**
 * The document with what changed since an earlier execution.
 *
 * @since 0.1.0
 * @category combinators
 */
export const compared = (result: AnalysisResult, report: ChangeReport): AnalysisResult => ({
  ...result,
  change_report: report
})

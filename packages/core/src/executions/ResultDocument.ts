/** @internal */

import type { Analysis } from "../domain/Analysis.js"
import type { AnalysisResult, Summary } from "../domain/AnalysisResult.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { Facts } from "../domain/Facts.js"
import type { ExecutionId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { fromMillis } from "../domain/Timestamp.js"

/** No fact at all: what is shown of an execution that has no result. */
export const noFacts: Facts = {
  risk: null,
  account: null,
  token: null,
  proxy: null,
  control: null,
  pools: null,
  trade: null,
  counterfactuals: null,
  allowances: null,
  permit2: null,
  portfolio: null,
  safe: null,
  unread: {}
}

/**
 * The document of an execution that has just begun, `startedAt` in epoch milliseconds; `summary` is what there is to say
 * of it meanwhile.
 */
export const running = (options: {
  readonly id: ExecutionId
  readonly target: Target
  readonly startedAt: number
  readonly engineVersion: string
  readonly rulesetVersion: string
  readonly summary: Summary
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
  recipes: [],
  ...options.summary,
  sources: [],
  change_report: null,
  units: 0,
  warnings: []
})

/** The document of an execution with a successful analysis, `completedAt` in epoch milliseconds; it costs one unit. */
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
  recipes: options.analysis.recipes,
  sources: options.analysis.sources,
  units: 1,
  warnings: options.analysis.warnings
})

/** The document with what changed since an earlier execution. */
export const compared = (result: AnalysisResult, report: ChangeReport): AnalysisResult => ({
  ...result,
  change_report: report
})

/** The document with its prose, or with the reason why there is none. Nothing else of it changes, the hash included. */
export const summarised = (
  result: AnalysisResult,
  { summary, summary_reason, summary_status }: Summary
): AnalysisResult => ({
  ...result,
  summary,
  summary_status,
  summary_reason
})

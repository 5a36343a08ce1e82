import { assert } from "@effect/vitest"
import { FastCheck as fc, Option, Schema } from "effect"
import * as Changes from "../../src/changes/Changes.js"
import * as ChangeText from "../../src/changes/ChangeText.js"
import type { Address } from "../../src/domain/Address.js"
import type { AnalysisResult } from "../../src/domain/AnalysisResult.js"
import * as ChangeReport from "../../src/domain/ChangeReport.js"
import type { Evidence, EvidenceState } from "../../src/domain/Evidence.js"
import type { EvidenceRule } from "../../src/domain/EvidenceRule.js"
import type { Facts } from "../../src/domain/Facts.js"
import type { ExecutionId } from "../../src/domain/Id.js"
import * as Reported from "../../src/domain/Reported.js"
import * as Timestamp from "../../src/domain/Timestamp.js"
import { noFacts } from "../../src/executions/ResultDocument.js"
import * as Scoring from "../../src/risk/Scoring.js"
import type { ExecutionMemory } from "../../src/storage/ExecutionStore.js"

export const address = "0x1111111111111111111111111111111111111111" as Address
export const other = "0x2222222222222222222222222222222222222222" as Address

export const item = (id: string, state: EvidenceState, options: Partial<Evidence> = {}): Evidence => ({
  state,
  source_url: `https://explorer.example/address/${address}`,
  id,
  version: 1,
  category: "control",
  title: "The supply can be increased",
  detail: "",
  value: null,
  polarity: "risk",
  severity: "medium",
  verified: state !== "unknown",
  reason: state === "unknown" ? "rpc_error" : null,
  controller: null,
  observation: null,
  ...options
})

/** Values that differ in what a check can say: whether all was seen, lists, numbers and records. */
export const values = fc.record({
  complete: fc.boolean(),
  list: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
  nodes: fc.uniqueArray(
    fc.record({ address: fc.constantFrom("0x1", "0x2"), kind: fc.constantFrom("safe", "unknown", null) }),
    { selector: (node) => node.address }
  )
})

export const snapshot = (
  evidence: ReadonlyArray<Evidence>,
  options: { readonly facts?: Partial<Facts>; readonly block?: number; readonly hash?: string } = {}
): Changes.Snapshot => ({
  address,
  chain: { id: 1, name: "ethereum" },
  block: {
    number: options.block ?? 1,
    hash: `0x${options.hash ?? "aa"}`,
    timestamp: Timestamp.fromMillis(0)
  },
  evidence,
  facts: { ...noFacts, ...options.facts }
})

export const execution = (
  evidence: ReadonlyArray<Evidence>,
  options: Parameters<typeof snapshot>[1] &
    Partial<Pick<AnalysisResult, "ruleset_version" | "content_hash" | "status">> = {}
): AnalysisResult => ({
  ...snapshot(evidence, { ...options, facts: { risk: Scoring.score(evidence), ...options.facts } }),
  execution_id: "exe_01JDZZZZZZZZZZZZZZZZZZZZZZ" as ExecutionId,
  target: "token",
  status: options.status ?? "complete",
  error: null,
  created_at: Timestamp.fromMillis(0),
  completed_at: Timestamp.fromMillis(1),
  progress: null,
  engine_version: "0.1.0",
  ruleset_version: options.ruleset_version ?? "1",
  content_hash: options.content_hash ?? null,
  recipes: [],
  summary: null,
  summary_status: "skipped",
  summary_reason: "not_requested",
  sources: [],
  change_report: null,
  units: 1,
  warnings: []
})

export type Wishes = Pick<Changes.CompareOptions, "rules" | "ignore" | "thresholds">

const isReport = Schema.is(ChangeReport.ChangeReport)
const isReported = Schema.is(Reported.Reported)

export interface Step {
  readonly report: ChangeReport.ChangeReport
  readonly stored: ExecutionMemory & { readonly result: AnalysisResult }
}

export const step = (base: Option.Option<Step["stored"]>, head: AnalysisResult, wishes: Wishes = {}): Step => {
  const { known, report, reported } = Changes.compare({ base, head, score: Scoring.score, ...wishes })
  assert.isTrue(isReport(report), JSON.stringify(report))
  assert.isTrue(isReported(reported), JSON.stringify(reported))
  assert.strictEqual(report.text, ChangeText.plain(report))
  return { report, stored: { result: head, known, reported } }
}

/** Runs one execution a block, each compared with the one before, and gives what came of each. */
export const steps = (executions: ReadonlyArray<AnalysisResult>, wishes: Wishes = {}): ReadonlyArray<Step> => {
  const made: Array<Step> = []
  for (const [block, head] of executions.entries()) {
    const base = Option.fromNullable(made[made.length - 1]?.stored)
    made.push(step(base, { ...head, block: { ...blockOf(head), number: block } }, wishes))
  }
  return made
}

/** The reports of executions that found this and no facts, one a block. */
export const history = (
  executions: ReadonlyArray<ReadonlyArray<Evidence>>,
  wishes: Wishes = {}
): ReadonlyArray<ChangeReport.ChangeReport> =>
  steps(
    executions.map((evidence) => execution(evidence)),
    wishes
  ).map(({ report }) => report)

const blockOf = ({ block }: AnalysisResult): NonNullable<AnalysisResult["block"]> => {
  assert(block !== null)
  return block
}

export const last = <A>(items: ReadonlyArray<A>): A => items[items.length - 1] as A

export const kinds = (report: ChangeReport.ChangeReport) => report.changes.map((change) => [change.id, change.kind])

export const rule = (id: string, options: Partial<EvidenceRule>): EvidenceRule => ({
  id,
  code: "X-01",
  version: 1,
  targets: ["token"],
  title: "",
  claim: "",
  absent: null,
  recommendation: null,
  category: "market",
  polarity: "neutral",
  severity: "info",
  power: false,
  value_type: {},
  tolerance: null,
  volatile: false,
  ...options
})

import { Effect, Option } from "effect"
import * as Changes from "../changes/Changes.js"
import type { Analysis } from "../domain/Analysis.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { ExecutionId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import * as Timestamp from "../domain/Timestamp.js"
import * as Scoring from "../risk/Scoring.js"
import { NotComparable } from "./ExecutionError.js"
import * as ResultDocument from "./ResultDocument.js"

/**
 * An analysis to compare, and the execution that it belongs to where there is one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Side {
  readonly analysis: Analysis
  readonly executionId: Option.Option<ExecutionId>
}

/**
 * What changed between two analyses of one target, as the server reports it of two executions. An analysis without an
 * execution gets an id for the report. Fails with `NotComparable` where they are of different kinds, chains or addresses.
 *
 * @since 0.1.0
 * @category combinators
 */
export const between = (options: {
  readonly base: Side
  readonly head: Side
  readonly rules: ReadonlyArray<EvidenceRule>
}): Effect.Effect<ChangeReport, NotComparable> =>
  Effect.gen(function* () {
    const { base, head, rules } = options
    const [a, b] = [base.analysis.target, head.analysis.target]
    if (a.kind !== b.kind || a.chain.id !== b.chain.id || a.address !== b.address)
      return yield* new NotComparable({
        detail: `one is of the ${a.kind} ${a.address} on chain ${a.chain.id}, the other of the ${b.kind} ${b.address} on chain ${b.chain.id}`
      })
    return Changes.compare({
      base: Option.some({ result: yield* resultOf(base), known: {}, reported: {} }),
      head: yield* resultOf(head),
      score: Scoring.score,
      rules
    }).report
  })

const resultOf = ({ analysis, executionId }: Side): Effect.Effect<AnalysisResult> =>
  Effect.map(Option.match(executionId, { onNone: () => Id.make("exe"), onSome: Effect.succeed }), (id) => {
    const at = Timestamp.toMillis(analysis.block.timestamp)
    const running = ResultDocument.running({
      id,
      target: analysis.target,
      startedAt: at,
      engineVersion: analysis.engine_version,
      rulesetVersion: analysis.ruleset_version,
      summary: { summary: null, summary_status: "never_configured", summary_reason: null }
    })
    return ResultDocument.completed(running, { analysis, completedAt: at })
  })

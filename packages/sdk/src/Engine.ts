import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as EndpointReport from "@assay/core/analysis/EndpointReport"
import * as Sources from "@assay/core/analysis/Sources"
import type * as Core from "@assay/core/domain/Analysis"
import type * as ChangeReport from "@assay/core/domain/ChangeReport"
import type { EvidenceRule } from "@assay/core/domain/EvidenceRule"
import * as AnalysisChanges from "@assay/core/executions/AnalysisChanges"
import * as Report from "@assay/core/report/Report"
import { Effect, Layer, Option } from "effect"
import type * as CustomCheck from "./CustomCheck.js"
import * as Progress from "./Progress.js"
import * as SourceOptions from "./Sources.js"

/** The analyzer with all checks: those of the library, of the sources that are named, and those of the embedder. */
export const layer = (checks: ReturnType<typeof CustomCheck.toChecks>, options: SourceOptions.SourceOptions) => {
  const sources = SourceOptions.parse(options)
  const all = [...Sources.checks(sources), ...checks]
  return Layer.provide(Analyzer.layer(Progress.counting(all)), Sources.layer(sources))
}

/** What changed from one analysis to the other. */
export const between = (base: Core.Analysis, head: Core.Analysis, rules: ReadonlyArray<EvidenceRule>) =>
  AnalysisChanges.between({
    base: { analysis: base, executionId: Option.none() },
    head: { analysis: head, executionId: Option.none() },
    rules
  })

/** The report in at most 2 KB. */
export const report = (analysis: Core.Analysis, changes: ChangeReport.ChangeReport | undefined) =>
  Report.compact(Report.make(analysis, { changes }))

/** What the endpoints of a chain do. */
export const diagnose = (
  chain: Parameters<typeof EndpointReport.examine>[0],
  settings: Parameters<typeof EndpointReport.examine>[1]
) => Effect.map(EndpointReport.examine(chain, settings), (found) => EndpointReport.make(chain, found))

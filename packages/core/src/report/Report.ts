import { Option } from "effect"
import type { Analysis } from "../domain/Analysis.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import * as DecisionPolicy from "../domain/DecisionPolicy.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Advice from "./Advice.js"
import * as Approvals from "./Approvals.js"
import * as Decision from "./Decision.js"
import * as Doubt from "./Doubt.js"
import * as Exit from "./Exit.js"
import * as Findings from "./Findings.js"
import * as Fit from "./Fit.js"
import * as Headline from "./Headline.js"
import * as Holders from "./Holders.js"
import * as Power from "./Power.js"
import * as Reasons from "./Reasons.js"
import * as Reassurances from "./Reassurances.js"
import * as Sale from "./Sale.js"
import * as Sentence from "./Sentence.js"
import * as Ticker from "./Ticker.js"

/**
 * The report of an analysis: pure, the same bytes for the same analysis, and nothing in it that its evidence does not say.
 * {@link compact} is what fits into 3 KB of it. `changes` is the comparison with an earlier execution, and
 * `policy` decides on the level: by `DecisionPolicy.standard` what is critical is blocked. `rules` are those of your own
 * checks (`Checks.rule`): of a claim that is refuted the report says their `absent`, and of a reason their `recommendation`.
 *
 * @example
 * ```ts
 * import { Report, ReportText, type Analysis } from "@assay/core"
 *
 * const show = (analysis: Analysis.Analysis) => ReportText.plain(Report.make(analysis))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { block, evidence, facts, target }: Pick<Analysis, "block" | "evidence" | "facts" | "target">,
  options: {
    readonly changes?: ChangeReport | undefined
    readonly policy?: DecisionPolicy.Chosen | undefined
    readonly rules?: ReadonlyArray<Pick<EvidenceRule, "id" | "absent" | "recommendation">> | undefined
  } = {}
): RiskReport => {
  const findings = Findings.make(evidence, facts, options.rules)
  const { coverage, level, level_at_best, range, score } = facts.risk ?? undecided
  const verdict = { level, level_at_best, score, range, coverage }
  const isToken = target.kind === "token"
  const approvals = target.kind === "wallet" ? Approvals.make(findings, facts) : Option.none()
  const revocations = Option.match(approvals, {
    onNone: () => [],
    onSome: (found) => Approvals.actions(target.address, found)
  })
  const reasons = Reasons.all(findings)
  const unknowns = Doubt.groups(findings)
  const reassurances = Reassurances.all(findings)
  return Fit.bounded({
    target: target.kind,
    address: target.address,
    name: Option.getOrNull(Ticker.of(findings, mostOfName)),
    verdict,
    decision: Decision.make(DecisionPolicy.make(options.policy ?? {}), { verdict, reasons, unknowns, reassurances }),
    headline: Headline.make(target.kind, findings, verdict, approvals),
    actions: [
      ...revocations,
      ...Advice.of(reasons, (check) => revocations.length > 0 && check.startsWith("allowance."), findings)
    ],
    reasons,
    unknowns,
    reassurances,
    control: Power.lines(findings),
    powers: Power.rows(findings),
    at_risk: Option.getOrNull(Option.map(approvals, Approvals.exposure)),
    holding: isToken ? Holders.sentence(findings) : null,
    holders: isToken ? Holders.rows(findings) : [],
    largest_sale: isToken ? Sale.make(findings) : null,
    exit: isToken ? Exit.make(findings) : null,
    changes: options.changes === undefined ? null : changesOf(options.changes),
    not_checked: Findings.unknown(findings),
    as_of: { chain: target.chain, block: block.number, time: block.timestamp },
    evidence_link: "/evidence/{id}",
    omitted: {},
    not_advice: "Evidence at one block, not advice."
  })
}

/**
 * The report of a finished execution, with its changes; none of one that runs or failed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofResult = (
  result: AnalysisResult,
  options: Pick<NonNullable<Parameters<typeof make>[1]>, "policy" | "rules"> = {}
): Option.Option<RiskReport> => {
  const { block, change_report: report, status } = result
  return block === null || status === "running" || status === "failed"
    ? Option.none()
    : Option.some(make({ ...analyzed(result), block }, { ...options, changes: report ?? undefined }))
}

/**
 * What an execution found, as the analysis that it kept.
 *
 * @since 0.1.0
 * @category combinators
 */
export const analyzed = ({
  address,
  chain,
  evidence,
  facts,
  target: kind
}: AnalysisResult): Pick<Analysis, "evidence" | "facts" | "target"> => ({
  target: { kind, address, chain },
  evidence,
  facts
})

/**
 * The report in at most 3,072 bytes of minified JSON (UTF-8): reassurances go first, then what is unknown becomes a number.
 * Confirmed reasons stay, and `omitted` says what does not.
 *
 * @since 0.1.0
 * @category combinators
 */
export const compact = (report: RiskReport): RiskReport => Fit.within(mostBytes, report)

const mostBytes = 3_072

const undecided = {
  level: "unknown",
  level_at_best: "minimal",
  score: null,
  range: { worst: 0, best: 100 },
  coverage: 0
} as const

const mostOfName = 32

const mostOfTitle = 120

// Nothing is said of what could not be compared, and an empty list would say that nothing changed.
const changesOf = ({ changes, status }: ChangeReport): ReadonlyArray<ReportSentence> | null =>
  status === "baseline" || status === "incomparable"
    ? null
    : changes.map(({ id, severity, title }) =>
        Sentence.of(`${severity}: ${Sentence.clip(title, mostOfTitle)}`, [{ id }])
      )

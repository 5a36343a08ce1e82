import { Option } from "effect"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { BlockRef } from "../domain/BlockRef.js"
import type { Change, ChangeReport } from "../domain/ChangeReport.js"
import { checkId, type Evidence } from "../domain/Evidence.js"
import type { Facts } from "../domain/Facts.js"
import type { Reported, ReportedValue } from "../domain/Reported.js"
import type { Risk } from "../domain/Risk.js"
import type { ChainRef } from "../domain/Target.js"
import type { ExecutionMemory, Known } from "../storage/ExecutionStore.js"
import * as Consequences from "./Consequences.js"
import * as EvidenceChanges from "./EvidenceChanges.js"
import * as FactChanges from "./FactChanges.js"
import * as ReportDocument from "./ReportDocument.js"
import * as Reproduction from "./Reproduction.js"
import * as RiskChanges from "./RiskChanges.js"
import * as Sight from "./Sight.js"
import * as Suppression from "./Suppression.js"

/**
 * The parts of an analysis that are compared; an `AnalysisResult` has them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Snapshot {
  readonly address: Address
  readonly chain: ChainRef
  readonly block: BlockRef | null
  readonly evidence: ReadonlyArray<Evidence>
  readonly facts: Facts
}

/**
 * The result of a comparison: the report, and the memory to store with the newer execution. `unseen` are the ids of
 * evidence, and of fact members (`facts.token`), that the newer execution could not read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Comparison extends ExecutionMemory {
  readonly report: ChangeReport
  readonly unseen: ReadonlySet<string>
}

/**
 * The inputs of a comparison of two executions.
 *
 * - `base`: the earlier execution with the memory stored with it; none for the first one.
 * - `head`: the newer execution; without a block and an end, comparing it is a defect.
 * - `rules`: the rules of the head. For a check without a rule, only numbers that move with every trade are tolerated.
 * - `ignore`: ids of evidence, checks, facts or fact members (`facts.token`); their changes are not reported.
 * - `thresholds`: by check id, replace the amount of the rule's tolerance, in its unit; `facts.risk` is in points and
 *   `facts.token.total_supply` a fraction. Without a tolerance in the rule a threshold has no effect.
 *
 * @since 0.1.0
 * @category models
 */
export interface CompareOptions extends Suppression.Wishes {
  readonly base: Option.Option<ExecutionMemory & { readonly result: AnalysisResult }>
  readonly head: AnalysisResult
  readonly score: (evidence: ReadonlyArray<Evidence>) => Risk
}

/**
 * All differences, without history, thresholds or block order. Scores of two methodologies are not compared. `between(a, a)` is empty; `between(b, a)`
 * mirrors `between(a, b)`; the order of evidence does not matter; every change names an id and a source.
 *
 * @since 0.1.0
 * @category combinators
 */
export const between = (a: Snapshot, b: Snapshot): ReadonlyArray<Change> => {
  const link = linkOf(a, b)
  const before = Sight.make(a.evidence)
  const isOneScale = a.facts.risk?.methodology_version === b.facts.risk?.methodology_version
  return ReportDocument.ordered([
    ...EvidenceChanges.between(Sight.carry({}, before), before, Sight.make(b.evidence)),
    ...FactChanges.between({ base: a, head: b, reported: {}, link }),
    ...(isOneScale
      ? RiskChanges.between(RiskChanges.pointOf(a.facts.risk), RiskChanges.pointOf(b.facts.risk), link)
      : [])
  ])
}

/**
 * Compares an execution with an earlier one of the same target.
 *
 * Each item is compared with its last reported version. So an item that could not be read for a while and returns
 * unchanged is not reported, slow drift is reported once it exceeds a threshold, and noise is not. A change for the
 * worse in state or severity is reported even below a threshold. The change of risk is computed (by `score`) with
 * unknown items replaced by their last known version and without unreported changes: a lost source or an ignored change
 * never reports one. Where the rulesets differ, checks on one side only and checks with another version go to
 * `ruleset_changes`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const compare = (options: CompareOptions): Comparison => {
  const head = finished(options.head)
  if (Option.isNone(options.base)) return first(head, { status: "baseline" })
  const { known, reported, result } = options.base.value
  const base = Option.getOrNull(ReportDocument.finishedOption(result))
  if (base === null) return first(head, { status: "incomparable", reason: "base_failed" })
  const sights = { base: Sight.make(base.evidence), head: Sight.make(head.evidence) }
  const last = Sight.carry(known, sights.base)
  const memory = { known: Sight.carry(last, sights.head), unseen: unseenOf(head) }
  const told = EvidenceChanges.toldOf(last, reported)
  if (isRegressed(base.block, head.block)) {
    return {
      ...memory,
      report: ReportDocument.make({ base, head }, { status: "incomparable", reason: "block_regressed" }),
      // Nothing was reported, so all differences remain to be reported.
      reported: {
        ...riskOf(reported),
        ...FactChanges.remember({ base, head, reported, isUntold: () => true }),
        ...EvidenceChanges.remember(told, memory.known, () => true)
      }
    }
  }
  return { ...memory, ...difference({ ...options, base, head, sights, told, reported, next: memory.known }) }
}

/**
 * The comparison of an execution without a usable base: the base is past retention, or it failed. The next execution is
 * compared with this one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const incomparable = (head: AnalysisResult, reason: "base_expired" | "base_failed"): Comparison =>
  first(finished(head), { status: "incomparable", reason })

/**
 * The first comparison after a second reading of the target, compared with the same base. High and critical changes are
 * verified where the second comparison shows them, not reported where it contradicts them (`not_reproduced`), and
 * reported as not verified where it could not read them. The memory is that of the first comparison, so keep the base
 * where a change was not reproduced.
 *
 * @since 0.1.0
 * @category combinators
 */
export const reproduced = (first: Comparison, second: Comparison): Comparison => ({
  ...first,
  report: Reproduction.reproduced(first.report, second.report, second.unseen)
})

/**
 * The comparison where the target could not be read again: its high and critical changes are not verified.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unverified = (comparison: Comparison): Comparison => ({
  ...comparison,
  report: Reproduction.unverified(comparison.report)
})

const finished = (result: AnalysisResult): ReportDocument.Finished =>
  Option.getOrThrowWith(
    ReportDocument.finishedOption(result),
    () => new Error(`${result.execution_id} has no result to compare`)
  )

const first = (head: ReportDocument.Finished, findings: ReportDocument.Findings): Comparison => ({
  report: ReportDocument.make({ head }, findings),
  known: Sight.carry({}, Sight.make(head.evidence)),
  reported: {},
  unseen: unseenOf(head)
})

const unseenOf = ({ evidence, facts }: Pick<Snapshot, "evidence" | "facts">): ReadonlySet<string> =>
  new Set([
    ...evidence.filter((item) => item.state === "unknown").map((item) => item.id),
    ...Object.keys(facts.unread).map((member) => `facts.${member}`)
  ])

const isRegressed = (base: BlockRef, head: BlockRef): boolean =>
  head.number < base.number || (head.number === base.number && head.hash !== base.hash)

/** The version of a check on one side; undefined where the check has no item there. */
const versionIn = (evidence: ReadonlyArray<Evidence>, check: string): number | undefined =>
  evidence.find((item) => checkId(item.id) === check)?.version

const difference = (
  options: Omit<CompareOptions, "base" | "head"> & {
    readonly base: ReportDocument.Finished
    readonly head: ReportDocument.Finished
    readonly sights: { readonly base: Sight.Sight; readonly head: Sight.Sight }
    readonly told: Known
    readonly reported: Reported
    /** The known items after the head. */
    readonly next: Known
  }
): Pick<Comparison, "report" | "reported"> => {
  const { base, head, next, reported, sights, told } = options
  const sides = { base, head }
  const isSameRules = base.ruleset_version === head.ruleset_version
  const isOfRules = (id: string): boolean =>
    !isSameRules && versionIn(base.evidence, checkId(id)) !== versionIn(head.evidence, checkId(id))
  const scored = (evidence: ReadonlyArray<Evidence>) => {
    const { level, score } = options.score(evidence.filter((item) => !isOfRules(item.id)))
    return { score, level }
  }

  if (base.content_hash !== null && base.content_hash === head.content_hash) {
    const { before } = Sight.comparable(sights.base, told, sights.head)
    const risk = scored(before)
    return {
      report: ReportDocument.make(sides, { status: "unchanged", risk: RiskChanges.movement(risk, risk) }),
      reported
    }
  }

  const ofEvidence = EvidenceChanges.between(told, sights.base, sights.head)
  const whyItem = Suppression.ofEvidence(options)
  const items = ofEvidence
    .filter((change) => !isOfRules(change.id))
    .map((change) => ({ change, why: whyItem(change, told[change.id], sights.head.decided.get(change.id)) }))

  const link = linkOf(base, head)
  const facts = FactChanges.between({ base, head, reported, link }).map((change) => ({
    change,
    why: Suppression.ofFact(options)(change)
  }))

  // Scores of two rulesets are not comparable, so the remainder of the older one is dropped.
  const overRisk = isSameRules ? reported : {}
  const untold = new Set(items.flatMap(({ change, why }) => (isLeftOut(why) ? [change.id] : [])))
  const seen = Sight.comparable(sights.base, told, Sight.asTold(sights.head, told, untold))
  const [riskBefore, riskAfter] = [scored(seen.before), scored(seen.after)]
  const riskTold = RiskChanges.toldOf(overRisk, riskBefore)
  const risk = RiskChanges.between(riskTold, riskAfter, link).map((change) => ({
    change,
    why: Suppression.ofRisk(options)(riskTold, riskAfter)
  }))

  const judged = [...items, ...facts, ...risk]
  const { consequences, told: changes } = Consequences.split(
    judged.flatMap(({ change, why }) => (why === null ? [change] : []))
  )
  const rulesetChanges = ofEvidence.filter((change) => isOfRules(change.id))
  const below = new Set(judged.flatMap(({ change, why }) => (why === "below_threshold" ? [change.id] : [])))
  const lost = new Set(ofEvidence.flatMap(({ id, kind }) => (kind === "visibility_lost" ? [id] : [])))
  return {
    report: ReportDocument.make(sides, {
      status: ReportDocument.statusOf([...changes, ...rulesetChanges]),
      risk: RiskChanges.movement(riskBefore, riskAfter),
      changes,
      ruleset_changes: rulesetChanges,
      suppressed: [
        ...judged.flatMap(({ change, why }) => (why === null ? [] : [{ id: change.id, why }])),
        ...consequences.map(({ id }) => ({ id, why: "explained" as const }))
      ]
    }),
    reported: {
      ...(below.has(RiskChanges.id)
        ? { [RiskChanges.id]: { subject: "risk", from: riskTold, to: riskAfter } satisfies ReportedValue }
        : {}),
      ...FactChanges.remember({ base, head, reported, isUntold: (id) => below.has(id) }),
      ...EvidenceChanges.remember(
        told,
        next,
        (id) => below.has(id) || (reported[id] !== undefined && (lost.has(id) || Sight.isHidden(sights.head, id)))
      )
    }
  }
}

const riskOf = (reported: Reported): Reported => {
  const risk = reported[RiskChanges.id]
  return risk === undefined ? {} : { [RiskChanges.id]: risk }
}

// A volatile change counts in the score, although it is not reported by itself.
const isLeftOut = (why: Suppression.Why | null): boolean => why === "below_threshold" || why === "ignored"

/** The reader's link to the target: that of evidence about it, or a neutral CAIP-10 reference. */
const linkOf = (a: Snapshot, b: Snapshot): string => {
  const end = `/address/${b.address}`
  const links = [...b.evidence, ...a.evidence].filter((item) => item.source_url.endsWith(end))
  const [own] = links.map((item) => item.source_url).sort(ReportDocument.byText)
  const block = b.block ?? a.block
  return own ?? `eip155:${b.chain.id}:${b.address}${block === null ? "" : `?block=${block.number}`}`
}

/** @internal */

import type { ReportOmissions, ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Sentence from "./Sentence.js"

/**
 * The report within a number of bytes: first repetitions and reassurances go, then unknown items become a number, then
 * addresses in lines about control, evidence ids after the first of a sentence, the details of reasons, lines about
 * control, and last the reasons that take no point beside one that takes all. Another reason never goes.
 */
export const within = (bytes: number, whole: RiskReport): RiskReport => {
  let report = whole
  for (const step of steps) {
    if (size(report) <= bytes) return report
    report = step(report)
  }
  return report
}

/** Bytes of the minified JSON in UTF-8. */
export const size = (report: RiskReport): number => new TextEncoder().encode(JSON.stringify(report)).length

const most = { reasons: 5, reassurances: 3, unknowns: 3, control: 4, changes: 3 }

type Step = (report: RiskReport) => RiskReport

/** The report with every list cut to the maximum of its schema. */
export const bounded: Step = (report) =>
  [
    reassurances(most.reassurances),
    unknowns(most.unknowns),
    changes(most.changes),
    control(most.control)
  ].reduce<RiskReport>((shorter, step) => step(shorter), {
    ...report,
    reasons: report.reasons.slice(0, most.reasons),
    omitted: omit(report, "reasons", report.reasons.length - most.reasons)
  })

const omit = ({ omitted }: RiskReport, what: keyof ReportOmissions, count: number): ReportOmissions =>
  count > 0 ? { ...omitted, [what]: (omitted[what] ?? 0) + count } : omitted

const reassurances =
  (kept: number): Step =>
  (report) => ({
    ...report,
    reassurances: report.reassurances.slice(0, kept),
    omitted: omit(report, "reassurances", report.reassurances.length - kept)
  })

const unknowns =
  (kept: number): Step =>
  (report) => ({
    ...report,
    unknowns: report.unknowns.slice(0, kept),
    omitted: omit(
      report,
      "unknown_claims",
      report.unknowns.slice(kept).reduce((sum, { claims }) => sum + claims, 0)
    )
  })

const pointless: Step = (report) => {
  const kept = report.reasons.filter(({ points }, place) => points > 0 || place === 0)
  return { ...report, reasons: kept, omitted: omit(report, "reasons", report.reasons.length - kept.length) }
}

const changes =
  (kept: number): Step =>
  (report) => ({
    ...report,
    changes: report.changes === null ? null : report.changes.slice(0, kept),
    omitted: omit(report, "changes", (report.changes?.length ?? 0) - kept)
  })

const control =
  (kept: number): Step =>
  (report) => ({
    ...report,
    control: report.control.slice(0, kept),
    omitted: omit(report, "control", report.control.length - kept)
  })

const evidenceIds =
  (kept: number): Step =>
  (report) => {
    let cut = 0
    const shortened = <S extends ReportSentence>(sentence: S): S => {
      cut += Math.max(0, sentence.evidence_ids.length - kept)
      return { ...sentence, evidence_ids: sentence.evidence_ids.slice(0, kept) }
    }
    const shorter = eachSentence(report, shortened)
    return { ...shorter, omitted: omit(shorter, "evidence_ids", cut) }
  }

/** A sentence about an unknown is never cut: its end says what to do. */
const details =
  (length: number): Step =>
  (report) => {
    const shorter = <S extends ReportSentence>(sentence: S): S => ({
      ...sentence,
      text: Sentence.clip(sentence.text, length)
    })
    return { ...report, reasons: report.reasons.map(shorter), control: report.control.map(shorter) }
  }

const eachSentence = (report: RiskReport, change: <S extends ReportSentence>(sentence: S) => S): RiskReport => {
  const changed = <S extends ReportSentence>(sentence: S | null): S | null =>
    sentence === null ? null : change(sentence)
  return {
    ...report,
    headline: change(report.headline),
    reasons: report.reasons.map(change),
    unknowns: report.unknowns.map(change),
    reassurances: report.reassurances.map(change),
    control: report.control.map(change),
    exit:
      report.exit === null
        ? null
        : {
            sale: changed(report.exit.sale),
            taxes: changed(report.exit.taxes),
            depth: changed(report.exit.depth),
            liquidity: changed(report.exit.liquidity)
          },
    changes: report.changes === null ? null : report.changes.map(change)
  }
}

/** What a reason or the headline says already is not said again by the exit. */
const saidOnce: Step = (report) => {
  const { exit, headline, reasons } = report
  if (exit === null) return report
  const [pool] = exit.liquidity?.evidence_ids ?? []
  const isPoolTold = pool !== undefined && reasons.some(({ evidence_ids }) => evidence_ids[0] === pool)
  const isDoubtTold =
    exit.sale?.evidence_ids[0] === headline.evidence_ids[0] && headline.text.includes("could not check whether")
  return {
    ...report,
    exit: {
      ...exit,
      sale:
        exit.sale !== null && isDoubtTold
          ? { ...exit.sale, text: "We could not check whether it can be sold; treat as unsafe" }
          : exit.sale,
      liquidity: isPoolTold ? null : exit.liquidity
    },
    omitted: omit(report, "exit", Number(isPoolTold))
  }
}

const depth: Step = (report) =>
  report.exit === null || report.exit.depth === null
    ? report
    : { ...report, exit: { ...report.exit, depth: null }, omitted: omit(report, "exit", 1) }

const inBrackets = / \((?:timelock )?0x[0-9a-fA-F]{40}\)$/

/** Who can do what without their addresses, one line a kind of account: "mint, pause transfers: one private key each". */
const addresses: Step = (report) => {
  const shorter = report.control.map((line) => ({ ...line, text: line.text.replace(inBrackets, "") }))
  const whoOf = (text: string): string => text.slice(text.indexOf(": ") + 2)
  const kinds = [...new Set(shorter.map(({ text }) => whoOf(text)))]
  const control = kinds.map((who): ReportSentence => {
    const lines = shorter.filter(({ text }) => whoOf(text) === who)
    const deeds = lines.map(({ text }, place) => {
      const deed = text.slice(0, text.indexOf(": "))
      return place === 0 ? deed : Sentence.lower(deed)
    })
    return {
      text: `${deeds.join(", ")}: ${who}${lines.length > 1 ? " each" : ""}`,
      evidence_ids: [...new Set(lines.flatMap((line) => line.evidence_ids))]
    }
  })
  const cut = report.control.filter(({ text }) => inBrackets.test(text)).length
  return { ...report, control, omitted: omit(report, "addresses", cut) }
}

const steps: ReadonlyArray<Step> = [
  saidOnce,
  reassurances(2),
  reassurances(1),
  reassurances(0),
  evidenceIds(3),
  unknowns(2),
  unknowns(1),
  changes(1),
  evidenceIds(2),
  unknowns(0),
  addresses,
  evidenceIds(1),
  details(140),
  details(100),
  changes(0),
  control(2),
  control(1),
  depth,
  details(70),
  control(0),
  pointless
]

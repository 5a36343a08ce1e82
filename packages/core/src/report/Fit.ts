/** @internal */

import type { ReportOmissions, ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Sentence from "./Sentence.js"

/**
 * The report within a number of bytes, by {@link steps} in their order: what is said elsewhere goes first, then long lists
 * become short, evidence ids after the first of a sentence and addresses go, and last what a reader can do without. What to do
 * first, with its transaction, outlives all else that may go. The decision, the headline and every reason that takes points stay,
 * and `omitted` counts what does not.
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

const most = { reasons: 5, reassurances: 3, unknowns: 3, control: 4, changes: 3, powers: 6, spenders: 8, actions: 12 }

type Step = (report: RiskReport) => RiskReport

/** The report with every list cut to the maximum of its schema. */
export const bounded: Step = (report) =>
  [
    reassurances(most.reassurances),
    unknowns(most.unknowns),
    changes(most.changes),
    control(most.control),
    powers(most.powers),
    spenders(most.spenders),
    actions(most.actions)
  ].reduce<RiskReport>((shorter, step) => step(shorter), {
    ...report,
    reasons: report.reasons.slice(0, most.reasons),
    omitted: omit(report, "reasons", report.reasons.length - most.reasons)
  })

const omit = ({ omitted }: RiskReport, what: keyof ReportOmissions, count: number): ReportOmissions =>
  count > 0 ? { ...omitted, [what]: (omitted[what] ?? 0) + count } : omitted

const list =
  <K extends "reassurances" | "control" | "holders" | "powers" | "actions" | "not_checked">(what: K) =>
  (kept: number): Step =>
  (report) => ({
    ...report,
    [what]: report[what].slice(0, kept),
    omitted: omit(report, what, report[what].length - kept)
  })

const reassurances = list("reassurances")

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

const control = list("control")
const holders = list("holders")
const powers = list("powers")
const actions = list("actions")
const notChecked = list("not_checked")

const spenders =
  (kept: number): Step =>
  (report) =>
    report.at_risk === null
      ? report
      : {
          ...report,
          at_risk: { ...report.at_risk, spenders: report.at_risk.spenders.slice(0, kept) },
          omitted: omit(report, "spenders", report.at_risk.spenders.length - kept)
        }

/** What each spender takes of each token; its sentence still says what that is. */
const takes: Step = (report) =>
  report.at_risk === null
    ? report
    : {
        ...report,
        at_risk: { ...report.at_risk, spenders: report.at_risk.spenders.map((spender) => ({ ...spender, takes: [] })) },
        omitted: omit(
          report,
          "takes",
          report.at_risk.spenders.reduce((sum, spender) => sum + spender.takes.length, 0)
        )
      }

/** Transactions after the first ones; the sentence of an action still says what to do. */
const transactions =
  (kept: number): Step =>
  (report) => ({
    ...report,
    actions: report.actions.map((action, place) => (place < kept ? action : { ...action, transaction: null })),
    omitted: omit(
      report,
      "transactions",
      report.actions.slice(kept).filter(({ transaction }) => transaction !== null).length
    )
  })

const largestSale: Step = (report) =>
  report.largest_sale === null ? report : { ...report, largest_sale: null, omitted: omit(report, "largest_sale", 1) }

const evidenceIds =
  (kept: number): Step =>
  (report) => {
    let cut = 0
    const shortened = <S extends Resting>(sentence: S): S => {
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

type Resting = Pick<ReportSentence, "evidence_ids">

const holding: Step = (report) =>
  report.holding === null ? report : { ...report, holding: null, omitted: omit(report, "holders", 1) }

const because: Step = (report) => ({
  ...report,
  decision: {
    ...report.decision,
    because: report.decision.because.map((why) => ({ ...why, text: Sentence.brief(why.text, 100) }))
  }
})

const eachSentence = (report: RiskReport, change: <S extends Resting>(sentence: S) => S): RiskReport => {
  const changed = <S extends Resting>(sentence: S | null): S | null => (sentence === null ? null : change(sentence))
  return {
    ...report,
    headline: change(report.headline),
    actions: report.actions.map(change),
    reasons: report.reasons.map(change),
    unknowns: report.unknowns.map(change),
    reassurances: report.reassurances.map(change),
    control: report.control.map(change),
    powers: report.powers.map(change),
    at_risk:
      report.at_risk === null ? null : { ...change(report.at_risk), spenders: report.at_risk.spenders.map(change) },
    holding: changed(report.holding),
    largest_sale: changed(report.largest_sale),
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
  holders(5),
  transactions(3),
  reassurances(2),
  takes,
  evidenceIds(3),
  unknowns(2),
  control(2),
  reassurances(1),
  holders(3),
  transactions(1),
  actions(4),
  unknowns(1),
  changes(1),
  spenders(3),
  evidenceIds(2),
  addresses,
  notChecked(8),
  powers(3),
  evidenceIds(1),
  spenders(2),
  details(140),
  control(0),
  holders(0),
  details(100),
  changes(0),
  depth,
  powers(1),
  because,
  notChecked(3),
  holding,
  reassurances(0),
  actions(2),
  spenders(1),
  unknowns(0),
  actions(1),
  details(70),
  largestSale,
  powers(0),
  spenders(0),
  transactions(0),
  actions(0),
  pointless
]

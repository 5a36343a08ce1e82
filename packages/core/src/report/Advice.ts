/** @internal */

import { checkId } from "../domain/Evidence.js"
import type { ReportAction, ReportReason } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/**
 * What to do about each reason, by the recommendation of its claim; not of `apart`, about which something better is said. It
 * goes with the last item of its reason.
 */
export const of = (
  reasons: ReadonlyArray<ReportReason>,
  apart: (check: string) => boolean,
  findings: Pick<Findings.Findings, "said"> = {}
): ReadonlyArray<ReportAction> =>
  reasons.slice(0, mostAdvice).flatMap(({ evidence_ids }) => {
    const [first] = evidence_ids
    const check = first === undefined ? "" : checkId(first)
    const recommendation = Findings.saidOf(findings, check).recommendation
    return recommendation === undefined || recommendation === null || apart(check)
      ? []
      : [
          {
            ...Sentence.of(
              recommendation,
              evidence_ids.map((id) => ({ id }))
            ),
            transaction: null
          }
        ]
  })

// Beyond it, nobody reads on.
const mostAdvice = 3

import * as Delta from "../changes/Delta.js"
import * as Visibility from "../changes/Visibility.js"
import type { Analysis } from "../domain/Analysis.js"
import { checkId } from "../domain/Evidence.js"

/**
 * What a fault did that none may do, each in one line; empty where the law was kept: with less to read, an analysis never
 * scores higher, covers more, turns a decided level or item into another decided one, decides what the whole analysis
 * did not, says something else in the value of a decided item without saying there that it misses something, or falls
 * silent about a claim.
 *
 * `whole` read everything, `disturbed` is of the same target, block and rules with something lost. What is said of the
 * endpoint itself is left out: it is about the fault.
 *
 * @example
 * ```ts
 * import type { Analysis } from "@assay/core/domain/Analysis"
 * import { FaultLaw } from "@assay/core/testing"
 *
 * export const isHonest = (whole: Analysis, disturbed: Analysis) => FaultLaw.violations(whole, disturbed).length === 0
 * ```
 *
 * @since 0.1.0
 * @category testing
 */
export const violations = (
  whole: Pick<Analysis, "evidence" | "facts">,
  disturbed: Pick<Analysis, "evidence" | "facts">
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const [before, after] = [whole.facts.risk, disturbed.facts.risk]
  const [least, most] = [after?.score ?? nothing, before?.score ?? nothing]
  if (least > most) found.push(`the score rose from ${before?.score} to ${after?.score}`)
  if ((after?.coverage ?? 0) > (before?.coverage ?? 0) + 1e-9)
    found.push(`the coverage rose from ${before?.coverage} to ${after?.coverage}`)
  if (after !== null && after.level !== "unknown" && after.level !== before?.level)
    found.push(`the level turned from ${before?.level} to ${after.level}`)
  const items = new Map(whole.evidence.map((item) => [item.id, item]))
  for (const { id, state, value } of disturbed.evidence) {
    if (state === "unknown" || checkId(id) === aboutTheEndpoint) continue
    const item = items.get(id)
    if (item?.state !== state) found.push(`${id} turned from ${item?.state ?? "absent"} to ${state}`)
    else if (!isLess(item.value, value))
      found.push(`${id} says ${JSON.stringify(value)} where it said ${JSON.stringify(item.value)}`)
  }
  const told = new Set(disturbed.evidence.map(({ id }) => checkId(id)))
  for (const id of new Set(whole.evidence.map((item) => checkId(item.id))))
    if (!told.has(id)) found.push(`nothing is said of ${id} any more`)
  return found
}

const aboutTheEndpoint = "endpoint.capable"

// Below every score: where nothing is decided there is none.
const nothing = -1

/** Whether a value is the same, or says of itself that it misses something of it, with whatever else it has. */
const isLess = (whole: unknown, disturbed: unknown): boolean => {
  if (Delta.isSame(whole, disturbed)) return true
  const seen = Visibility.between(whole, disturbed)
  return seen === "lost" || seen === "shifted"
}

/** @internal */

import type { Severity } from "../../domain/Evidence.js"
import { severityRank } from "../../domain/Evidence.js"
import { bands } from "../../domain/Risk.js"
import type { WatchHistoryCheck } from "../../domain/WatchHistory.js"
import * as Sentence from "../Sentence.js"
import * as Mark from "./Mark.js"
import { element, type Markup } from "./Markup.js"

/** A check as it is drawn: when it was, and its place among those with changes, from 1; 0 of one without. */
export interface Point extends Pick<WatchHistoryCheck, "changes" | "risk"> {
  readonly at: number
  readonly number: number
}

/**
 * The score of each check between 0 and 100, by its time. A check that is not decided is a bar from the worst to the best that
 * its score may be, and one without a result a cross below; the line joins decided checks that follow each other alone.
 */
export const make = (points: ReadonlyArray<Point>, label: string): Markup => {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
  const x = ({ at }: Point): string =>
    `${round(last === first ? left + (right - left) / 2 : left + ((at - first) / (last - first)) * (right - left))}%`
  return element(
    "svg",
    { class: "timeline", role: "img", "aria-label": label },
    bands.map(({ level, upTo }, place) => {
      const from = bands[place - 1]?.upTo ?? 0
      return element(
        "g",
        { class: level },
        element("rect", {
          class: "band",
          x: `${left - 1}%`,
          width: `${right - left + 2}%`,
          y: y(upTo),
          height: y(from) - y(upTo) - 1
        }),
        element("text", { x: 0, y: round((y(from) + y(upTo)) / 2 + 4) }, Sentence.upper(level))
      )
    }),
    points.map((point, place) => {
      const next = points[place + 1]
      const [from, to] = [decided(point), next === undefined ? undefined : decided(next)]
      return next === undefined || from === undefined || to === undefined
        ? null
        : element("line", { class: "line", x1: x(point), y1: y(from), x2: x(next), y2: y(to) })
    }),
    points.map((point) => [span(point, x(point)), at(point, x(point))]),
    points.filter(({ number }) => number > 0).map((point) => change(point, x(point)))
  )
}

/** The one score that a check has; none where it is not decided, or has none. */
export const decided = ({ risk }: Pick<Point, "risk">): number | undefined =>
  risk === null || risk.level === "unknown" ? undefined : (risk.score ?? undefined)

/** Changes with the gravest first. */
export const bySeverity = (changes: Point["changes"]): Point["changes"] =>
  [...changes].sort((a, b) => severityRank(b.severity) - severityRank(a.severity))

/** The gravest of changes. */
export const gravest = (changes: Point["changes"]): Severity => bySeverity(changes)[0]?.severity ?? "info"

/** Also of a decided check: its level is sure, and its score only as far as this bar. */
const span = ({ risk }: Point, x: string): Markup | null =>
  risk === null || risk.range.best <= risk.range.worst
    ? null
    : element("line", {
        class: risk.level === "unknown" ? "span open" : "span",
        x1: x,
        x2: x,
        y1: y(risk.range.worst),
        y2: y(risk.range.best)
      })

const at = (point: Point, x: string): Markup | null => {
  const score = decided(point)
  if (score !== undefined) return element("circle", { class: "dot", cx: x, cy: y(score), r: 3 })
  return point.risk !== null
    ? null
    : element(
        "svg",
        { x, y: bottom + 9, class: "moved" },
        element("path", { class: "miss", d: "M-3.5-3.5 3.5 3.5M3.5-3.5-3.5 3.5" })
      )
}

/** Above the check: the shape of the gravest change, with the number of the check in the list. */
const change = ({ changes, number }: Point, x: string): Markup => {
  const severity = gravest(changes)
  return element(
    "svg",
    { x, y: 0, class: `moved ${severity}` },
    element("line", { class: "drop", x1: 0, x2: 0, y1: 20, y2: bottom }),
    Mark.shape(severity, { x: -8, y: 2 }),
    element("text", { class: "number", x: 10, y: 14 }, number)
  )
}

// In percent of the width, beside the names of the levels on the left.
const [left, right] = [20, 95]
// In pixels from above, below the marks of changes.
const [top, bottom] = [28, 208]

const y = (score: number): number => round(bottom - (score / 100) * (bottom - top))

const round = (value: number): number => Math.round(value * 100) / 100

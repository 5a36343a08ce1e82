import * as Count from "../domain/Count.js"
import type { Timestamp } from "../domain/Timestamp.js"
import { toMillis } from "../domain/Timestamp.js"
import type { WatchHistory, WatchHistoryCheck } from "../domain/WatchHistory.js"
import * as Layout from "./Layout.js"
import * as Changed from "./page/Changed.js"
import * as Mark from "./page/Mark.js"
import { type Content, element, type Markup, page } from "./page/Markup.js"
import * as ScoreLine from "./page/ScoreLine.js"
import * as ScoreScale from "./page/ScoreScale.js"
import * as Style from "./page/Style.js"
import * as Sentence from "./Sentence.js"

/**
 * A watch as one HTML page: its newest verdict, its score over time with the changes marked, the changes, and each check in a
 * table. No script, and nothing that is loaded from elsewhere. What is not decided is drawn as the span that the score may
 * have, and a check without a result as a gap.
 *
 * @since 0.1.0
 * @category combinators
 */
export const make = (history: WatchHistory): string => {
  const { checks, watch } = history
  const title = watch.label === "" ? Sentence.upper(watch.target) : watch.label
  const points = pointsOf(checks)
  return page({
    title: `Watch of ${watch.target} ${watch.address}`,
    style: Style.style,
    policy: Style.policy,
    body: element(
      "main",
      {},
      element(
        "header",
        {},
        element(
          "p",
          { class: "eyebrow" },
          element("span", {}, `Watch of a ${watch.target}`),
          element("span", {}, `${watch.chain.name} (${watch.chain.id})`),
          element("span", {}, `every ${Count.duration(watch.interval_seconds)}`),
          element("span", {}, watch.state)
        ),
        element("h1", {}, element("bdi", {}, title)),
        element("p", { class: "address mono" }, watch.address)
      ),
      verdict(history),
      checks.length === 0 ? null : section("Score over time", drawing(history, points)),
      section("What changed", changes(points)),
      checks.length === 0 ? null : section("Checks", table(checks)),
      element("footer", {}, "Evidence at one block each, not advice.")
    )
  })
}

const section = (title: string, ...content: ReadonlyArray<Content>): Markup =>
  element("section", {}, element("h2", {}, title), element("div", {}, content))

/** The verdict of the newest check that has one, and before it that there is no newer one. */
const verdict = ({ checks, watch }: WatchHistory): Markup => {
  const newest = checks.at(-1)
  const last = checks.findLast(({ risk }) => risk !== null)
  const level = last?.risk?.level ?? "unknown"
  return element(
    "div",
    { class: `verdict ${level}` },
    element(
      "p",
      { class: "level" },
      Mark.shape(level),
      element(
        "strong",
        {},
        last?.risk === undefined || last.risk === null
          ? "Unknown: no check has a result"
          : Layout.verdictOf({ verdict: last.risk })
      )
    ),
    newest === undefined || newest === last
      ? null
      : element(
          "p",
          { class: "headline" },
          `The newest check, at ${timeOf(whenOf(newest))}, has no result (${endOf(newest)}). ${last === undefined ? "" : `This is of ${timeOf(whenOf(last))}; treat as unsafe until a check has a result again.`}`
        ),
    last?.risk === undefined || last.risk === null
      ? null
      : [ScoreScale.make(last.risk), element("p", { class: "note" }, `Checked at ${timeOf(whenOf(last))}`)],
    watch.state === "active"
      ? null
      : element("p", { class: "note" }, `The watch is ${watch.state}: nothing is checked.`)
  )
}

interface Numbered extends ScoreLine.Point {
  readonly check: WatchHistoryCheck
}

const pointsOf = (checks: ReadonlyArray<WatchHistoryCheck>): ReadonlyArray<Numbered> => {
  let number = 0
  return checks.map((check) => {
    if (check.changes.length > 0) number += 1
    return {
      check,
      changes: check.changes,
      risk: check.risk,
      at: toMillis(whenOf(check)),
      number: check.changes.length > 0 ? number : 0
    }
  })
}

const drawing = ({ isWhole }: WatchHistory, points: ReadonlyArray<Numbered>): Markup => {
  const [first, last] = [points[0], points.at(-1)]
  return element(
    "figure",
    {},
    element(
      "figcaption",
      {},
      "Each point is a check. A bar is what the score may be where something is unknown: dashed, it leaves the level open. A cross is a check without a result. The numbers are those of the changes below",
      isWhole ? null : ". Earlier checks are not shown"
    ),
    ScoreLine.make(points, said(points)),
    first === undefined || last === undefined
      ? null
      : element(
          "div",
          { class: "ends" },
          element("span", {}, timeOf(whenOf(first.check))),
          first === last ? null : element("span", {}, timeOf(whenOf(last.check)))
        )
  )
}

/** The drawing in words; the table has every check. */
const said = (points: ReadonlyArray<Numbered>): string => {
  const scores = points.flatMap((point) => ScoreLine.decided(point) ?? [])
  const open = points.filter((point) => point.risk !== null && ScoreLine.decided(point) === undefined).length
  const none = points.filter(({ risk }) => risk === null).length
  const changed = points.filter(({ number }) => number > 0).length
  return [
    `Score of ${Count.of(points.length, "check")}`,
    scores.length === 0
      ? "none is decided"
      : `${scores.length} decided, from ${Math.min(...scores)} to ${Math.max(...scores)} of 100 points`,
    ...(open === 0 ? [] : [`${open} not decided`]),
    ...(none === 0 ? [] : [`${none} without a result`]),
    `${changed} with changes`
  ].join("; ")
}

const mostChanges = 50

const changes = (points: ReadonlyArray<Numbered>): Content => {
  const all = [...points]
    .reverse()
    .flatMap((point) => ScoreLine.bySeverity(point.changes).map((change) => ({ change, point })))
  if (all.length === 0)
    return element(
      "p",
      {},
      points.some(({ risk }) => risk !== null) ? "These checks found no change." : "Nothing was compared."
    )
  return [
    element(
      "ul",
      { class: "lines" },
      all.slice(0, mostChanges).map(({ change, point }) => {
        const { note, text } = Changed.lineOf(change)
        return element(
          "li",
          {},
          Mark.badge(change.severity),
          element(
            "div",
            {},
            element("p", {}, text),
            element("p", { class: "note" }, `${point.number}. ${timeOf(whenOf(point.check))}: ${note}`)
          )
        )
      })
    ),
    all.length <= mostChanges
      ? null
      : element("p", { class: "note" }, `${all.length - mostChanges} earlier changes are not shown.`)
  ]
}

/** Each check, the newest first; those that follow each other and are the same are one row. */
const table = (checks: ReadonlyArray<WatchHistoryCheck>): Markup =>
  element(
    "table",
    {},
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ["Time (UTC)", "Checks", "Score", "Level"].map((name) => element("th", { scope: "col" }, name))
      )
    ),
    element(
      "tbody",
      {},
      rowsOf(checks).map(({ first, last, count }) => {
        const { risk } = last
        return element(
          "tr",
          {},
          element("td", {}, spanOf(timeOf(whenOf(first)), timeOf(whenOf(last)))),
          element("td", { class: "number" }, count),
          element("td", { class: "number" }, risk === null ? "none" : scoreOf(risk)),
          element("td", {}, risk === null ? `No result: ${endOf(last)}` : Mark.badge(risk.level))
        )
      })
    )
  )

interface Row {
  readonly first: WatchHistoryCheck
  readonly last: WatchHistoryCheck
  readonly count: number
}

const rowsOf = (checks: ReadonlyArray<WatchHistoryCheck>): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  for (const check of checks) {
    const row = rows.at(-1)
    if (row !== undefined && textOf(row.last) === textOf(check) && check.changes.length === 0)
      rows[rows.length - 1] = { ...row, last: check, count: row.count + 1 }
    else rows.push({ first: check, last: check, count: 1 })
  }
  return rows.reverse()
}

const textOf = (check: WatchHistoryCheck): string =>
  check.risk === null ? endOf(check) : `${check.risk.level} ${scoreOf(check.risk)}`

const scoreOf = ({ level, range, score }: NonNullable<WatchHistoryCheck["risk"]>): string =>
  level === "unknown" || score === null
    ? `${range.worst} to ${range.best}`
    : range.best > range.worst
      ? `${score}, up to ${range.best}`
      : `${score}`

const mostOfError = 200

const endOf = ({ run: { error, error_code, status } }: WatchHistoryCheck): string =>
  status === "succeeded"
    ? "it is not stored any more"
    : Sentence.clip(
        `${status}${error === null ? (error_code === null ? "" : `: ${error_code}`) : `: ${error}`}`,
        mostOfError
      )

const whenOf = ({ run }: WatchHistoryCheck): Timestamp => run.finished_at ?? run.started_at ?? run.scheduled_for

const timeOf = (time: Timestamp): string => time.replace("T", " ").replace(/:\d{2}\.\d+Z$/, "")

/** "2026-11-20 14:00 to 17:00", with the day once where both are on it. No time is broken over two lines. */
const spanOf = (from: string, to: string): ReadonlyArray<Content> => {
  const whole = (time: string) => element("span", { class: "when" }, time)
  return from === to
    ? [whole(to)]
    : [whole(from), " to ", whole(from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to)]
}

/** @internal */

import type { Evidence } from "../../domain/Evidence.js"
import type { ReportSentence } from "../../domain/RiskReport.js"
import * as Layout from "../Layout.js"
import * as Sentence from "../Sentence.js"
import { shape } from "./Mark.js"
import { element, join, type Markup } from "./Markup.js"

/** The evidence of a page: numbers in its sentences, what they stand for at its end, and the items folded beside each. */
export interface Footnotes {
  readonly refs: (sentence: Pick<ReportSentence, "evidence_ids">) => Markup
  readonly items: (sentence: Pick<ReportSentence, "evidence_ids">) => Markup | null
  readonly list: Markup
}

/** `cited` are the ids in the order of the page. */
export const make = (cited: ReadonlyArray<string>, evidence: ReadonlyArray<Evidence>): Footnotes => {
  const ids = [...new Set(cited)]
  const numbers = new Map(ids.map((id, place) => [id, place + 1]))
  const items = new Map(evidence.map((item) => [item.id, item]))
  return {
    refs: (sentence) => {
      const { ids, more } = Layout.idsOf({ text: "", ...sentence })
      return element(
        "sup",
        {},
        ids.map((id, place) => [
          place === 0 ? null : " ",
          element(
            "a",
            { href: `#e-${numbers.get(id)}`, "aria-label": `${numbers.get(id)}, evidence ${id}` },
            numbers.get(id)
          )
        ]),
        more === "" ? null : ` ${more}`
      )
    },
    items: (sentence) => {
      const found = sentence.evidence_ids.slice(0, most).flatMap((id) => items.get(id) ?? [])
      const rest = sentence.evidence_ids.length - found.length
      if (found.length === 0) return null
      return element(
        "details",
        {},
        element("summary", {}, "Evidence"),
        element(
          "ul",
          { class: "items" },
          found.map((item) => itemOf(item, numbers.get(item.id))),
          rest > 0 ? element("li", { class: "quiet" }, `${rest} more in the full result`) : null
        )
      )
    },
    list: element(
      "ol",
      { class: "notes" },
      ids.map((id, place) =>
        element(
          "li",
          { id: `e-${place + 1}` },
          element("span", { class: "n" }, place + 1),
          element("code", {}, id),
          items.has(id) ? ` ${items.get(id)?.state}` : null
        )
      )
    )
  }
}

const most = 8

/** What is cut of a detail is in the full result: a contract chooses how long its name is. */
const mostOfDetail = 600

const itemOf = (item: Evidence, number: number | undefined): Markup =>
  element(
    "li",
    {},
    shape(markOf(item)),
    " ",
    element("span", { class: "state" }, Sentence.upper(item.state)),
    ` · ${item.title}. `,
    element("span", { class: "quiet" }, Sentence.clip(item.detail, mostOfDetail)),
    element(
      "div",
      { class: "quiet" },
      join(
        number === undefined ? null : `${number}. `,
        element("code", {}, item.id),
        ` · ${howOf(item)}`,
        /^https?:\/\/[^\s"'<>]+$/.test(item.source_url)
          ? [" · ", element("a", { href: item.source_url, rel: "noopener noreferrer" }, "source")]
          : null
      )
    )
  )

const howOf = ({ observation, reason, state, verified }: Evidence): string =>
  state === "unknown"
    ? `not decided (${reason ?? "inconclusive"})`
    : `${verified ? "read or simulated" : "inferred from the bytecode"}${observation === null ? "" : ` by ${observation.method}`}`

/** A confirmed risk by its severity, a confirmed protection and a refuted risk as good, the rest as what they are. */
const markOf = ({ polarity, severity, state }: Evidence) => {
  const isGood = state === (polarity === "risk" ? "refuted" : "confirmed")
  return state === "unknown"
    ? "unknown"
    : polarity === "neutral"
      ? "info"
      : isGood
        ? "good"
        : polarity === "risk"
          ? severity
          : "info"
}

/** The first item of a sentence; none where the page has no evidence. */
export const firstOf = (
  { evidence_ids: [first] }: Pick<ReportSentence, "evidence_ids">,
  evidence: ReadonlyArray<Evidence>
): Evidence | undefined => evidence.find(({ id }) => id === first)

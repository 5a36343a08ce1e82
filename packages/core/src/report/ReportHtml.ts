import type { ChangeReport } from "../domain/ChangeReport.js"
import type { Evidence } from "../domain/Evidence.js"
import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as ControlDiagram from "./ControlDiagram.js"
import * as Findings from "./Findings.js"
import * as Layout from "./Layout.js"
import * as Accounts from "./page/Accounts.js"
import * as Changed from "./page/Changed.js"
import * as ControlDrawing from "./page/ControlDrawing.js"
import * as Footnotes from "./page/Footnotes.js"
import * as Mark from "./page/Mark.js"
import * as Market from "./page/Market.js"
import { type Content, element, type Markup, page } from "./page/Markup.js"
import * as ScoreScale from "./page/ScoreScale.js"
import * as Style from "./page/Style.js"
import * as Sentence from "./Sentence.js"

/**
 * A report as one HTML page: no script, and nothing that is loaded from elsewhere. With the analysis behind the report it
 * also shows the span of the score, who controls the target as a diagram, the holders, the taxes and the liquidity, and
 * under each sentence its evidence. With what changed, and the analysis before, it begins with the changes, and shows both
 * scores and both diagrams in one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const make = (
  report: RiskReport,
  options: {
    readonly analysis?: ControlDiagram.Analyzed | undefined
    readonly before?: ControlDiagram.Analyzed | undefined
    readonly changes?: ChangeReport | undefined
  } = {}
): string => {
  const layout = Layout.make(report)
  const { analysis, before, changes } = options
  const told = changes === undefined ? layout : { ...layout, sections: Changed.first(layout.sections, changes) }
  const evidence = analysis?.evidence ?? []
  const now = analysis === undefined ? undefined : ControlDiagram.make(analysis)
  const diagram =
    now === undefined || before === undefined ? now : ControlDiagram.compare(ControlDiagram.make(before), now)
  const drawn = diagram === undefined || ControlDiagram.isEmpty(diagram) ? undefined : diagram
  const findings = Findings.make(evidence, analysis?.facts ?? { risk: null })
  const footnotes = Footnotes.make(
    [
      ...told.headline.evidence_ids,
      ...told.sections.flatMap(({ lines }) => lines.flatMap((line) => line.evidence_ids)),
      ...(drawn === undefined ? [] : [...drawn.nodes, ...drawn.edges].flatMap((part) => part.evidence_ids)),
      ...Market.cited(findings)
    ],
    evidence
  )
  const accounts = Accounts.make(
    [
      told.headline.text,
      ...told.sections.flatMap(({ lines }) => lines.map(Layout.textOf)),
      ...(drawn?.nodes ?? []).flatMap((node) => node.addresses),
      ...Market.accountsOf(findings)
    ],
    Accounts.explorerOf(evidence.map((item) => item.source_url))
  )
  const shown: Shown = { report, changes, evidence, diagram: drawn, findings, footnotes, accounts }
  return page({
    title: told.title,
    style: Style.style,
    policy: Style.policy,
    body: element(
      "main",
      {},
      head(report),
      verdict(shown, told, [before, analysis]),
      sectionsOf(shown, told),
      accounts.list === null ? null : section("Accounts", accounts.list),
      section("Evidence", footnotes.list, told.omitted === "" ? null : element("p", { class: "note" }, told.omitted)),
      element("footer", {}, told.footer)
    )
  })
}

interface Shown extends Market.Shown {
  readonly report: RiskReport
  readonly changes: ChangeReport | undefined
  readonly evidence: ReadonlyArray<Evidence>
  readonly diagram: ControlDiagram.ControlDiagram | undefined
}

const head = ({ address, as_of, name, target }: RiskReport): Markup =>
  element(
    "header",
    {},
    element(
      "p",
      { class: "eyebrow" },
      element("span", {}, Sentence.upper(target)),
      element("span", {}, `${as_of.chain.name} (${as_of.chain.id})`),
      element("span", {}, `block ${as_of.block}`),
      element("time", { datetime: as_of.time }, as_of.time.replace("T", " ").replace(/\.\d+Z$/, " UTC"))
    ),
    element("h1", {}, name === null ? Sentence.upper(target) : element("bdi", {}, name)),
    element("p", { class: "address mono" }, address)
  )

const verdict = (
  { accounts, footnotes, report }: Shown,
  { decision, headline, verdict }: Layout.Layout,
  [before, analysis]: readonly [before: ControlDiagram.Analyzed | undefined, now: ControlDiagram.Analyzed | undefined]
): Markup => {
  const { level } = report.verdict
  const risk = analysis?.facts.risk ?? null
  const earlier = before?.facts.risk ?? null
  return element(
    "div",
    { class: `verdict ${level}` },
    element("p", { class: "level" }, Mark.shape(level), element("strong", {}, verdict)),
    element("p", { class: "note" }, decision),
    risk === null
      ? null
      : [
          earlier === null
            ? ScoreScale.make(risk)
            : element(
                "dl",
                { class: "spans" },
                element("dt", {}, "Before"),
                element("dd", {}, ScoreScale.make(earlier)),
                element("dt", {}, "Now"),
                element("dd", {}, ScoreScale.make(risk))
              ),
          element(
            "p",
            { class: "note" },
            `Decided: ${Math.floor(risk.coverage * 100)} % of the checks, by their weight`
          )
        ],
    element("p", { class: "headline" }, accounts.text(headline.text), footnotes.refs(headline)),
    element("div", { class: "meta" }, footnotes.items(headline))
  )
}

const section = (title: string, ...content: ReadonlyArray<Content>): Markup =>
  element("section", {}, element("h2", {}, title), element("div", {}, content))

const sectionsOf = (shown: Shown, { sections }: Layout.Layout): ReadonlyArray<Markup> => {
  const control = sections.some(({ key }) => key === "control")
  const parts = sections.flatMap(
    (each): ReadonlyArray<Markup> => [
      section(each.title, figuresBefore(shown, each.key), lines(shown, each), figuresAfter(shown, each.key))
    ]
  )
  const holders = Market.holders(shown)
  return [
    ...parts,
    ...(control || shown.diagram === undefined ? [] : [section("Who can do what", drawing(shown, shown.diagram))]),
    ...(holders === null || sections.some(({ key }) => key === "holding") ? [] : [section("Who holds it", holders)])
  ]
}

const figuresBefore = (shown: Shown, key: Layout.Section["key"]): Content =>
  key === "control" && shown.diagram !== undefined ? drawing(shown, shown.diagram) : null

const figuresAfter = (shown: Shown, key: Layout.Section["key"]): Content =>
  key === "exit"
    ? [Market.taxes(shown), Market.curve(shown), Market.liquidity(shown)]
    : key === "holding"
      ? Market.holders(shown)
      : null

const drawing = ({ footnotes }: Shown, diagram: ControlDiagram.ControlDiagram): Markup => {
  const ids = [...new Set([...diagram.nodes, ...diagram.edges].flatMap((part) => part.evidence_ids))]
  return element(
    "figure",
    {},
    element(
      "figcaption",
      {},
      "An arrow points from who can act to what they act on",
      footnotes.refs({ evidence_ids: ids })
    ),
    element("div", { class: "wide" }, ControlDrawing.make(diagram, "Who controls the target")),
    ControlDrawing.list(diagram)
  )
}

const lines = (shown: Shown, { key, lines }: Layout.Section): Markup => {
  const marks = key === "reassurances"
  return element(
    "ul",
    { class: marks ? "lines marks" : marked.has(key) ? "lines" : "lines plain" },
    lines.map((line) =>
      element(
        "li",
        {},
        marks ? Mark.shape("good") : markOf(shown, key, line),
        element(
          "div",
          {},
          element("p", {}, shown.accounts.text(line.text), shown.footnotes.refs(line)),
          element(
            "div",
            { class: "meta" },
            line.command === "" ? null : element("pre", { class: "command" }, line.command),
            line.note === ""
              ? null
              : element("p", { class: "note" }, shown.accounts.text(`${Sentence.upper(line.note)}.`)),
            shown.footnotes.items(line)
          )
        )
      )
    )
  )
}

/** Sections with a level beside each line. */
const marked: ReadonlySet<Layout.Section["key"]> = new Set(["reasons", "unknowns", "changes"])

const markOf = ({ changes, evidence }: Shown, key: Layout.Section["key"], line: ReportSentence): Markup | null => {
  switch (key) {
    case "unknowns":
      return Mark.badge("unknown")
    case "reasons": {
      const item = Footnotes.firstOf(line, evidence)
      return Mark.badge(item === undefined || item.state !== "confirmed" ? "info" : item.severity)
    }
    case "changes":
      return Changed.markOf(changes, line)
    default:
      return null
  }
}

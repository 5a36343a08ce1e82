import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Layout from "./Layout.js"

/**
 * A report as plain text, 80 columns wide.
 *
 * @since 0.1.0
 * @category combinators
 */
export const plain = (report: RiskReport): string => write(report, { level: as(""), title: as(""), id: as("") })

/**
 * The same for a terminal with ANSI colours: the verdict by its level, titles bold, evidence ids dim.
 *
 * @since 0.1.0
 * @category combinators
 */
export const coloured = (report: RiskReport): string =>
  write(report, { level: as(codes[report.verdict.level]), title: as("1"), id: as("2") })

const width = 80

type Style = (text: string) => string

/** A style by the parameters of the control sequence SGR: https://www.ecma-international.org/publications-and-standards/standards/ecma-48/ */
const as =
  (code: string): Style =>
  (text) =>
    code === "" ? text : `\u001b[${code}m${text}\u001b[0m`

const codes = { minimal: "1;32", low: "1;32", medium: "1;33", high: "1;31", critical: "1;31", unknown: "1;33" } as const

const write = (
  report: RiskReport,
  style: { readonly level: Style; readonly title: Style; readonly id: Style }
): string => {
  const { decision, footer, headline, omitted, sections, title, verdict } = Layout.make(report)
  const ids = (sentence: ReportSentence, indent: string): ReadonlyArray<string> => {
    const { ids, more } = Layout.idsOf(sentence)
    return wrap(`[${ids.join(", ")}${more === "" ? "" : ` ${more}`}]`, indent, indent).map(style.id)
  }
  return [
    ...wrap(title, "", "").map(style.title),
    ...wrap(verdict, "", "").map(style.level),
    ...wrap(decision, "", ""),
    "",
    ...wrap(headline.text, "", ""),
    ...ids(headline, ""),
    ...sections.flatMap((section) => [
      "",
      style.title(section.title),
      ...section.lines.flatMap((line) => [
        ...wrap(Layout.textOf(line), "- ", "  "),
        // To be copied: in one line, however wide.
        ...(line.command === "" ? [] : [`  ${line.command}`]),
        ...ids(line, "  ")
      ])
    ]),
    "",
    ...wrap(omitted, "", ""),
    ...wrap(footer, "", ""),
    ""
  ].join("\n")
}

/** Lines of at most {@link width} columns, broken at spaces, and within a longer word after a colon or where it has to be. */
const wrap = (text: string, first: string, indent: string): ReadonlyArray<string> => {
  if (text === "") return []
  const room = width - indent.length
  const lines: Array<string> = []
  let line = ""
  const put = (part: string, gap: string): void => {
    if (line !== "" && line.length + gap.length + part.length > room) {
      lines.push(line)
      line = part
    } else line = line === "" ? part : `${line}${gap}${part}`
  }
  for (const word of text.split(" ")) {
    if (word.length <= room) put(word, " ")
    else for (const [place, part] of pieces(word, room).entries()) put(part, place === 0 ? " " : "")
  }
  lines.push(line)
  return lines.map((each, place) => `${place === 0 ? first : indent}${each}`)
}

const pieces = (word: string, room: number): ReadonlyArray<string> =>
  word.split(/(?<=:)/).flatMap((part) => part.match(new RegExp(`.{1,${room}}`, "gu")) ?? [])

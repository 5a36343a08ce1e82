import type { Analysis } from "../domain/Analysis.js"
import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as ControlMermaid from "./ControlMermaid.js"
import * as Layout from "./Layout.js"

/**
 * A report as Markdown. Text from the chain is escaped: it can neither open a link nor start a heading.
 * With the analysis behind the report, who controls the target is also a diagram in Mermaid.
 *
 * @since 0.1.0
 * @category combinators
 */
export const make = (
  report: RiskReport,
  options: { readonly analysis?: Pick<Analysis, "evidence" | "facts" | "target"> | undefined } = {}
): string => {
  const diagram = options.analysis === undefined ? "" : ControlMermaid.make(options.analysis)
  const { decision, footer, headline, omitted, sections, title, verdict } = Layout.make(report)
  return `${[
    `# ${escape(title)}`,
    `**${escape(verdict)}**`,
    escape(decision),
    `${escape(headline.text)} ${ids(headline)}`,
    ...sections.flatMap((section) => [
      `## ${section.title}`,
      section.lines.map((line) => `- ${escape(Layout.textOf(line))} ${ids(line)}${code(line)}`).join("\n"),
      ...(section.key === "control" && diagram !== "" ? [fenced(diagram)] : [])
    ]),
    ...(diagram === "" || sections.some(({ key }) => key === "control") ? [] : ["## Who can do what", fenced(diagram)]),
    ...(omitted === "" ? [] : [escape(omitted)]),
    `*${escape(footer)}*`
  ].join("\n\n")}\n`
}

/**
 * A text of which nothing is markup, where it does not begin a line: a hyphen or a plus sign is markup only there, and a
 * parenthesis only after a bracket.
 *
 * @since 0.1.0
 * @category combinators
 */
export const escape = (text: string): string => text.replace(/[\\`*_{}[\]<>#!|~&]/g, "\\$&")

const fenced = (diagram: string): string => `\`\`\`mermaid\n${diagram}\n\`\`\``

// Addresses and numbers in quotes: nothing in a command ends the span of code.
const code = ({ command }: Layout.Line): string => (command === "" ? "" : `\n\n  \`${command}\``)

const ids = (sentence: ReportSentence): string => {
  const { ids, more } = Layout.idsOf(sentence)
  return [ids.map((id) => `\`${id.replace(/[`\s]/g, "")}\``).join(", "), more].join(" ").trimEnd()
}

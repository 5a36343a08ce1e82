import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Layout from "./Layout.js"

/**
 * A report as Markdown. Text from the chain is escaped: it can neither open a link nor start a heading.
 *
 * @since 0.1.0
 * @category combinators
 */
export const make = (report: RiskReport): string => {
  const { footer, headline, omitted, sections, title, verdict } = Layout.make(report)
  return `${[
    `# ${escape(title)}`,
    `**${escape(verdict)}**`,
    `${escape(headline.text)} ${ids(headline)}`,
    ...sections.flatMap((section) => [
      `## ${section.title}`,
      section.lines.map((line) => `- ${escape(Layout.textOf(line))} ${ids(line)}`).join("\n")
    ]),
    ...(omitted === "" ? [] : [escape(omitted)]),
    `*${escape(footer)}*`
  ].join("\n\n")}\n`
}

// A hyphen or a plus sign is markup only where a line begins, and a parenthesis only after a bracket.
const escape = (text: string): string => text.replace(/[\\`*_{}[\]<>#!|~&]/g, "\\$&")

const ids = (sentence: ReportSentence): string => {
  const { ids, more } = Layout.idsOf(sentence)
  return [ids.map((id) => `\`${id.replace(/[`\s]/g, "")}\``).join(", "), more].join(" ").trimEnd()
}

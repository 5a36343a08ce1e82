import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Layout from "./Layout.js"

/**
 * A report as one HTML page: no script, nothing that is loaded from elsewhere, and a style for paper.
 *
 * @since 0.1.0
 * @category combinators
 */
export const make = (report: RiskReport): string => {
  const { footer, headline, omitted, sections, title, verdict } = Layout.make(report)
  return `${[
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<h1>${escape(title)}</h1>`,
    `<p class="verdict ${report.verdict.level}">${escape(verdict)}</p>`,
    `<p>${escape(headline.text)} ${ids(headline)}</p>`,
    ...sections.flatMap((section) => [
      `<h2>${escape(section.title)}</h2>`,
      "<ul>",
      ...section.lines.map((line) => `<li>${escape(Layout.textOf(line))} ${ids(line)}</li>`),
      "</ul>"
    ]),
    ...(omitted === "" ? [] : [`<p>${escape(omitted)}</p>`]),
    `<footer>${escape(footer)}</footer>`,
    "</body>",
    "</html>"
  ].join("\n")}\n`
}

const style = [
  "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}",
  "h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:1.5rem 0 .3rem}ul{margin:0;padding-left:1.2rem}",
  "li{margin:.3rem 0;break-inside:avoid}code{font-size:.8em;color:#555;overflow-wrap:anywhere}footer{margin-top:2rem;color:#555}",
  ".verdict{font-weight:bold;padding:.5rem .8rem;border-left:.4rem solid #777;background:#f3f3f3}",
  ".critical,.high{border-color:#b00020}.medium,.unknown{border-color:#b26a00}.low,.minimal{border-color:#1b7a3d}",
  "@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}}"
].join("")

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

const ids = (sentence: ReportSentence): string => {
  const { ids, more } = Layout.idsOf(sentence)
  return [...ids.map((id) => `<code>${escape(id)}</code>`), more].join(" ").trimEnd()
}

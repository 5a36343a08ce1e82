import type * as ChangeReport from "@assay/core/domain/ChangeReport"

/**
 * Text in lines of at most 80 columns, broken at spaces; the first line begins with `first`, the others with `indent`.
 */
export const wrap = (text: string, first = "", indent = ""): string => {
  const lines: Array<string> = []
  let line = first
  let isEmpty = true
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `${indent}${word}`
    } else line = isEmpty ? `${line}${word}` : `${line} ${word}`
    isEmpty = false
  }
  return [...lines, line].map((each) => `${each}\n`).join("")
}

const width = 80

/** Text of the chain on one line, with nothing in it that steers a terminal. */
export const visible = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")

/** A change report: each change with its severity and id, then what else is in it. */
export const ofReport = (report: ChangeReport.ChangeReport): ReadonlyArray<string> => [
  ...(report.status === "changed" ? report.changes.map(ofChange) : [wrap(report.text.split("\n")[0] ?? "")]),
  ...(report.ruleset_changes.length === 0
    ? []
    : [wrap(`${report.ruleset_changes.length} more come from another ruleset, not from the chain.`)]),
  ...(report.suppressed.length === 0 ? [] : [wrap(`${report.suppressed.length} more are noise or only repeat these.`)])
]

const ofChange = ({ direction, id, kind, severity, title }: ChangeReport.Change): string =>
  wrap(
    `${visible(title)} (${kind.replaceAll("_", " ")}${direction === "neutral" ? "" : `, ${direction}`}) [${id}]`,
    `${severity.padEnd(9)} `,
    "  "
  )

import type { ChangeReport } from "@assay/core"

/**
 * A change report as Markdown: a heading, the risk, and a list of what changed with its links. Text of the chain is
 * escaped, so that a token cannot write headings or links of its own into it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const render = (report: ChangeReport.ChangeReport): string => {
  const { base, head, risk } = report
  return [
    `# ${titles[report.status]}`,
    "",
    base === null
      ? `Block ${head.block.number}, ${head.execution_id}`
      : `Block ${base.block.number} → ${head.block.number}, ${base.execution_id} → ${head.execution_id}`,
    ...(report.reason === null ? [] : ["", `Reason: ${escape(report.reason)}`]),
    ...(risk === null
      ? []
      : [
          "",
          `Risk: ${risk.level_before} (${risk.score_before ?? "no score"}) → ${risk.level_after} (${risk.score_after ?? "no score"})`
        ]),
    ...section("Changes", report.changes),
    ...section("Because the rules changed", report.ruleset_changes),
    ""
  ].join("\n")
}

const titles = {
  baseline: "First execution",
  unchanged: "Unchanged",
  changed: "Changed",
  incomparable: "Not comparable"
}

const section = (title: string, changes: ReadonlyArray<ChangeReport.Change>): ReadonlyArray<string> =>
  changes.length === 0
    ? []
    : [
        "",
        `## ${title}`,
        "",
        ...changes.map(
          (change) =>
            `- **${change.severity}**, ${change.direction}: ${escape(change.title)} (\`${change.id}\`, ${change.kind}): ` +
            `${value(change.before)} → ${value(change.after)}${link(change.source_url)}`
        )
      ]

const value = (side: unknown): string => `\`${JSON.stringify(side).replaceAll("`", "'")}\``

const link = (url: string): string =>
  /^https?:\/\/[^\s<>]+$/.test(url) ? ` ([source](<${url}>))` : ` (${escape(url)})`

const escape = (text: string): string => text.replaceAll(/[\\`*_{}[\]()<>#+!|~]/g, "\\$&").replaceAll(/\s+/g, " ")

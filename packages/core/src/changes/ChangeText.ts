import { type Change, type ChangeReport, isOfReading } from "../domain/ChangeReport.js"
import type { Severity } from "../domain/Evidence.js"

/**
 * A change report as plain text, one line per severity, most severe first, with at most ten changes each; about 30,000
 * characters at most. A pure function of the report.
 *
 * @since 0.1.0
 * @category combinators
 */
export const plain = (report: Omit<ChangeReport, "text">): string =>
  report.status === "changed"
    ? [
        ...bySeverity(report.changes).map(
          ([severity, changes]) =>
            `${changes.length} ${severity}: ${[...changes.slice(0, mostTold).map(sentence), ...more(changes)].join("; ")}`
        ),
        ...notes(report)
      ].join("\n")
    : [outcome(report), ...notes(report)].join("\n")

/**
 * A change report as Markdown, with a link for each change. Names and symbols of contracts are escaped: they can
 * neither open a link nor start a heading.
 *
 * @since 0.1.0
 * @category combinators
 */
export const markdown = (report: Omit<ChangeReport, "text">): string =>
  report.status === "changed"
    ? [
        ...bySeverity(report.changes).map(([severity, changes]) =>
          [
            `**${changes.length} ${severity}**`,
            [
              ...changes
                .slice(0, mostTold)
                .map((change) => `- ${escape(sentence(change))} ${link(change.source_url)}`.trimEnd()),
              ...more(changes).map((text) => `- ${text}`)
            ].join("\n")
          ].join("\n\n")
        ),
        ...notes(report)
      ].join("\n\n")
    : [outcome(report), ...notes(report)].join("\n\n")

// The text is a digest; the report has all changes.
const mostTold = 10

const more = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.length > mostTold ? [`and ${changes.length - mostTold} more`] : []

const severities: ReadonlyArray<Severity> = ["critical", "high", "medium", "low", "info"]

const bySeverity = (changes: ReadonlyArray<Change>): ReadonlyArray<readonly [Severity, ReadonlyArray<Change>]> =>
  severities
    .map((severity) => [severity, changes.filter((change) => change.severity === severity)] as const)
    .filter(([, some]) => some.length > 0)

const outcome = (report: Omit<ChangeReport, "text">): string => {
  if (report.status === "baseline") return "First execution: no earlier execution to compare with."
  if (report.status === "unchanged") return "No change."
  switch (report.reason) {
    case "base_expired":
      return "Not comparable: the earlier execution is past its retention."
    case "base_failed":
      return "Not comparable: the earlier execution has no result."
    default:
      return "Not comparable: this execution's block is not after the earlier one's."
  }
}

const notes = (report: Omit<ChangeReport, "text">): ReadonlyArray<string> => [
  ...(report.ruleset_changes.length > 0 ? [`${counted(report.ruleset_changes)} due to another ruleset.`] : []),
  ...(report.suppressed.length > 0 ? [`${counted(report.suppressed)} suppressed.`] : [])
]

const counted = ({ length }: ReadonlyArray<unknown>): string => `${length} ${length === 1 ? "change" : "changes"}`

const sentence = (change: Change): string => {
  const movement = movementOf(change)
  const title = clipped(change.title, 160)
  return movement === "" ? title : `${title} (${movement})`
}

const movementOf = ({ after, before, delta, kind, subject }: Change): string => {
  if (delta !== null && "added" in delta) {
    const members = [...listed("+", delta.added), ...listed("-", delta.removed)]
    if (members.length > 0) return members.join(", ")
  }
  if (isOfReading({ kind })) return ""
  if (subject === "risk") return `${risk(before)} → ${risk(after)}`
  if (subject === "fact") return `${scalar(before) ?? "set"} → ${scalar(after) ?? "set"}`
  const [from, to] = [member(before, "value"), member(after, "value")]
  if (kind === "state_changed" && (isNone(from) || isNone(to) || scalar(from) === null || scalar(to) === null)) {
    return `${scalar(member(before, "state"))} → ${scalar(member(after, "state"))}`
  }
  if (delta !== null && "absolute" in delta && (scalar(from) === null || scalar(to) === null)) {
    return delta.absolute.startsWith("-") ? delta.absolute : `+${delta.absolute}`
  }
  return kind === "added" || kind === "removed" || scalar(from) === null || scalar(to) === null
    ? ""
    : `${scalar(from)} → ${scalar(to)}`
}

const isNone = (value: unknown): boolean => value === null || value === undefined

const member = (document: unknown, name: string): unknown =>
  typeof document === "object" && document !== null ? (document as { readonly [name: string]: unknown })[name] : null

const risk = (document: unknown): string => `${scalar(member(document, "score"))} ${scalar(member(document, "level"))}`

const scalar = (value: unknown): string | null => {
  if (isNone(value)) return "none"
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? quoted(clipped(String(value), 80))
    : null
}

const mostListed = 3

const listed = (sign: "+" | "-", members: ReadonlyArray<unknown>): ReadonlyArray<string> => [
  ...members
    .slice(0, mostListed)
    .map((each) => `${sign}${scalar(each) ?? scalar(member(each, "address") ?? JSON.stringify(each))}`),
  ...(members.length > mostListed ? [`${sign}${members.length - mostListed} more`] : [])
]

// A contract chooses its name and symbol: control and direction characters could rewrite the line around them.
const clipped = (text: string, length: number): string => {
  const visible = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
  return visible.length > length ? `${visible.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : visible
}

// A name must not look like the end of the sentence.
const quoted = (text: string): string =>
  /^[\p{L}\p{M}\p{N} .,:%$+…-]*$/u.test(text) ? text : `"${text.replaceAll('"', "'")}"`

const escape = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|~&-]/g, "\\$&")

const link = (url: string): string =>
  url.length > 300 ? "" : /^https?:\/\/[^\s<>()]+$/.test(url) ? `[source](${url})` : `\`${url.replace(/[`\s]/g, "")}\``

/** @internal */

import { type Change, type ChangeKind, isOfReading } from "../domain/ChangeReport.js"
import { checkId, type Evidence } from "../domain/Evidence.js"
import type { Reported } from "../domain/Reported.js"
import type { Known } from "../storage/ExecutionStore.js"
import * as ChangeGrade from "./ChangeGrade.js"
import * as Delta from "./Delta.js"
import * as Sight from "./Sight.js"
import * as Visibility from "./Visibility.js"

/**
 * The changes from the last reported items (`last`, by id) to the items of the newer execution. `base` are the items of
 * the earlier execution itself, so that an item that becomes unreadable is reported once.
 */
export const between = (last: Known, base: Sight.Sight, head: Sight.Sight): ReadonlyArray<Change> => {
  const subjects = { last: withSubjects(Object.keys(last)), head: withSubjects(head.decided.keys()) }
  const ids = new Set([...Object.keys(last), ...head.decided.keys()])
  return [...ids].flatMap((id): ReadonlyArray<Change> => {
    const before = last[id] ?? null
    const after = head.decided.get(id) ?? null
    const kind = kindOf({ id, before, after, subjects, base, head })
    return kind === null ? [] : [change(kind, before, after)]
  })
}

/** The last known items, each in its last reported version where that differs. */
export const toldOf = (last: Known, reported: Reported): Known => {
  const told: { [id: string]: Evidence } = { ...last }
  for (const [id, value] of Object.entries(reported)) {
    if (value.subject !== "evidence") continue
    if (value.item === null) delete told[id]
    else told[id] = value.item
  }
  return told
}

/**
 * The items to remember because their change was not reported (`isUntold`): their last reported version, where they
 * changed since.
 */
export const remember = (told: Known, next: Known, isUntold: (id: string) => boolean): Reported =>
  Object.fromEntries(
    [...new Set([...Object.keys(told), ...Object.keys(next)])].flatMap((id) => {
      if (!isUntold(id)) return []
      const [was, is] = [told[id], next[id]]
      const isMoved = was?.state !== is?.state || !Delta.isSame(was?.value, is?.value)
      return isMoved ? [[id, { subject: "evidence", item: was ?? null } as const]] : []
    })
  )

/** The first words of the title of a change of this kind. */
export const headline = (kind: ChangeKind): string => {
  switch (kind) {
    case "added":
      return "New"
    case "removed":
      return "Removed"
    case "state_changed":
    case "value_changed":
      return "Changed"
    case "visibility_lost":
      return "No longer readable"
    case "visibility_gained":
      return "Now readable"
  }
}

type Side = Evidence | null

const kindOf = (options: {
  readonly id: string
  readonly before: Side
  readonly after: Side
  readonly subjects: { readonly last: ReadonlySet<string>; readonly head: ReadonlySet<string> }
  readonly base: Sight.Sight
  readonly head: Sight.Sight
}): ChangeKind | null => {
  const { after, base, before, head, id, subjects } = options
  if (before !== null && after !== null) return kindOfMove(before, after, base.decided.get(id) ?? null)
  if (before !== null) {
    if (isPlaceholder(before) && subjects.head.has(id)) return null
    if (Sight.isHidden(head, id)) return base.decided.has(id) ? "visibility_lost" : null
    return isPlaceholder(before) && head.checks.has(id) ? null : "removed"
  }
  if (after === null || (isPlaceholder(after) && subjects.last.has(id))) return null
  if (Sight.isHidden(base, id)) return "visibility_gained"
  return isPlaceholder(after) && base.checks.has(id) ? null : "added"
}

const kindOfMove = (last: Evidence, after: Evidence, base: Side): ChangeKind | null => {
  if (last.state !== after.state) return "state_changed"
  if (Delta.isSame(last.value, after.value)) return null
  switch (Visibility.between(last.value, after.value)) {
    case "lost":
      return base !== null && Delta.isSame(base.value, after.value) ? null : "visibility_lost"
    case "gained":
      return "visibility_gained"
    case "shifted":
      return null
    case null:
      return "value_changed"
  }
}

// "None found" is one refuted item without a subject; it gives way to items with subjects, which report the change.
const isPlaceholder = (item: Evidence): boolean => item.state === "refuted" && item.id === checkId(item.id)

/** The checks that name subjects. */
const withSubjects = (ids: Iterable<string>): ReadonlySet<string> => {
  const checks = new Set<string>()
  for (const id of ids) if (checkId(id) !== id) checks.add(checkId(id))
  return checks
}

const change = (kind: ChangeKind, before: Side, after: Side): Change => {
  const item = (after ?? before) as Evidence
  const unseen = isOfReading({ kind }) ? { state: "unknown", value: null } : null
  const shown = (side: Side) => (side !== null ? { state: side.state, value: side.value } : unseen)
  return {
    id: item.id,
    subject: "evidence",
    kind,
    path: `/evidence/${item.id.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    before: shown(before),
    after: shown(after),
    delta: before !== null && after !== null ? Delta.between(before.value, after.value) : null,
    ...ChangeGrade.ofEvidence(kind, before, after),
    verified: (before?.verified ?? true) && (after?.verified ?? true),
    title: `${kind === "state_changed" ? stateHeadline(after) : headline(kind)}: ${item.title}`,
    source_url: item.source_url
  }
}

const stateHeadline = (after: Side): string => (after?.state === "confirmed" ? "Now" : "No longer")

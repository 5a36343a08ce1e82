import { Option } from "effect"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { BlockRef } from "../domain/BlockRef.js"
import type { Change, ChangeKind, ChangeReport, ChangeSide } from "../domain/ChangeReport.js"
import { checkId, type Evidence, Severity } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { Facts } from "../domain/Facts.js"
import type { Risk } from "../domain/Risk.js"
import type { ChainRef } from "../domain/Target.js"
import type { Timestamp } from "../domain/Timestamp.js"
import type { Known } from "../storage/ExecutionStore.js"
import * as ChangeText from "./ChangeText.js"
import * as Delta from "./Delta.js"

/**
 * What is compared of an analysis; an `AnalysisResult` is one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Snapshot {
  readonly address: Address
  readonly chain: ChainRef
  readonly block: BlockRef | null
  readonly evidence: ReadonlyArray<Evidence>
  readonly facts: Facts
}

/**
 * What a comparison gives: the report, and what is last known of each claim after the newer execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface Comparison {
  readonly report: ChangeReport
  readonly known: Known
}

/**
 * Everything that differs, with no history, thresholds or rule about blocks. `between(a, a)` is empty; `between(b, a)`
 * mirrors `between(a, b)`; the order of evidence does not matter; every change names an id and a source.
 *
 * @since 0.1.0
 * @category combinators
 */
export const between = (a: Snapshot, b: Snapshot): ReadonlyArray<Change> => {
  const link = linkOf(a, b)
  return ordered([
    ...evidenceChanges(carry({}, a.evidence), sightOf(a.evidence), sightOf(b.evidence)),
    ...factChanges(a, b, link),
    ...riskChanges(a.facts.risk, b.facts.risk, link)
  ])
}

/**
 * Compares an execution with an earlier one of the same target.
 *
 * Each item is compared with what was last known of it, so that what was out of sight and comes back the same is silent.
 * The change of risk is computed (by `score`) with unknown items replaced by what was last known: a lost source
 * alone never reports one. Where the rulesets differ, checks that only one side has, or that changed their meaning, go to
 * `ruleset_changes`.
 * `known` is what is last known after this execution, to be kept with it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const compare = (options: {
  readonly base: Option.Option<{ readonly result: AnalysisResult; readonly known: Known }>
  /** The newer execution; it has a block and an end, or comparing it is a bug. */
  readonly head: AnalysisResult
  readonly score: (evidence: ReadonlyArray<Evidence>) => Risk
  /** The rules of the head; a check that is not among them is compared exactly. */
  readonly rules?: ReadonlyArray<EvidenceRule> | undefined
}): Comparison => {
  const head = finished(options.head)
  if (Option.isNone(options.base)) {
    return { report: report({ head, status: "baseline" }), known: carry({}, head.evidence) }
  }
  const { known, result } = options.base.value
  const last = carry(known, result.evidence)
  const next = carry(last, head.evidence)
  const base = Option.getOrNull(finishedOption(result))
  if (base === null) return { report: report({ head, status: "incomparable", reason: "base_failed" }), known: next }
  if (isRegressed(base.block, head.block)) {
    return { report: report({ base, head, status: "incomparable", reason: "block_regressed" }), known: next }
  }
  return {
    report: difference({ base, head, last, score: options.score, rules: options.rules ?? [] }),
    known: next
  }
}

/**
 * The report of an execution whose base cannot be compared with: it is past retention, or it failed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const incomparable = (head: AnalysisResult, reason: "base_expired" | "base_failed"): ChangeReport =>
  report({ head: finished(head), status: "incomparable", reason })

interface Finished extends AnalysisResult {
  readonly block: BlockRef
  readonly completed_at: Timestamp
}

const finishedOption = (result: AnalysisResult): Option.Option<Finished> =>
  result.block === null || result.completed_at === null || result.status === "failed" || result.status === "running"
    ? Option.none()
    : Option.some({ ...result, block: result.block, completed_at: result.completed_at })

const finished = (result: AnalysisResult): Finished =>
  Option.getOrThrowWith(finishedOption(result), () => new Error(`${result.execution_id} has no result to compare`))

/** The version of a check on one side; undefined where it said nothing there. */
const versionIn = (evidence: ReadonlyArray<Evidence>, check: string): number | undefined =>
  evidence.find((item) => checkId(item.id) === check)?.version

type ByItem = ReadonlyMap<string, Evidence>

/** What one execution saw: the decided items by id, and the ids that it could not decide. */
interface Sight {
  readonly decided: ByItem
  readonly unknown: ByItem
  readonly checks: ReadonlySet<string>
}

const sightOf = (evidence: ReadonlyArray<Evidence>): Sight => ({
  decided: new Map(evidence.filter((item) => item.state !== "unknown").map((item) => [item.id, item])),
  unknown: new Map(evidence.filter((item) => item.state === "unknown").map((item) => [item.id, item])),
  checks: new Set(evidence.map((item) => checkId(item.id)))
})

// A check that failed as a whole leaves one item without a subject; all its subjects are then out of sight, not gone.
const isHidden = (sight: Sight, id: string): boolean => sight.unknown.has(id) || sight.unknown.has(checkId(id))

const carry = (known: Known, evidence: ReadonlyArray<Evidence>): Known => {
  const sight = sightOf(evidence)
  return Object.fromEntries([
    ...Object.entries(known).filter(([id]) => isHidden(sight, id)),
    ...[...sight.decided].map(([id, item]) => {
      const last = known[id]
      return [id, last !== undefined && visibilityOf(last, item) === "lost" ? last : withLastController(item, last)]
    })
  ])
}

const visibilityOf = (before: Evidence, after: Evidence): "lost" | "gained" | null =>
  before.state === after.state && !Delta.isSame(before.value, after.value)
    ? Delta.visibility(before.value, after.value)
    : null

// Who holds a power can get out of sight while the power itself is seen.
const withLastController = (item: Evidence, last: Evidence | undefined): Evidence =>
  item.controller?.kind === "unknown" && last !== undefined && last.controller !== null
    ? { ...item, controller: last.controller }
    : item

const isRegressed = (base: BlockRef, head: BlockRef): boolean =>
  head.number < base.number || (head.number === base.number && head.hash !== base.hash)

const difference = (options: {
  readonly base: Finished
  readonly head: Finished
  readonly last: Known
  readonly score: (evidence: ReadonlyArray<Evidence>) => Risk
  readonly rules: ReadonlyArray<EvidenceRule>
}): ChangeReport => {
  const { base, head, last } = options
  const [baseSight, headSight] = [sightOf(base.evidence), sightOf(head.evidence)]
  const isEqual = base.content_hash !== null && base.content_hash === head.content_hash
  const isOfRules = (id: string): boolean =>
    base.ruleset_version !== head.ruleset_version &&
    versionIn(base.evidence, checkId(id)) !== versionIn(head.evidence, checkId(id))
  const link = linkOf(base, head)
  const seen = comparable(base.evidence, last, head.evidence)
  const scored = (evidence: ReadonlyArray<Evidence>) => options.score(evidence.filter((item) => !isOfRules(item.id)))
  const [riskBefore, riskAfter] = [scored(seen.before), scored(seen.after)]
  const risk = riskMovement(riskBefore, riskAfter)
  if (isEqual) return report({ base, head, status: "unchanged", risk })
  const ofEvidence = evidenceChanges(last, baseSight, headSight)
  const found = [
    ...ofEvidence.filter((change) => !isOfRules(change.id)),
    ...factChanges(base, head, link),
    ...riskChanges(riskBefore, riskAfter, link)
  ]
  const judged = found.map((change) => ({
    change,
    why: reasonToSuppress(change, options.rules, last[change.id], headSight.decided.get(change.id))
  }))
  const changes = judged.flatMap(({ change, why }) => (why === null ? [change] : []))
  const rulesetChanges = ofEvidence.filter((change) => isOfRules(change.id))
  return report({
    base,
    head,
    status: changes.length + rulesetChanges.length > 0 ? "changed" : "unchanged",
    risk,
    changes: ordered(changes),
    ruleset_changes: ordered(rulesetChanges),
    suppressed: judged
      .flatMap(({ change, why }) => (why === null ? [] : [{ id: change.id, why }]))
      .sort((a, b) => byText(a.id, b.id))
  })
}

/**
 * Both sides as they would be if nothing were out of sight. What is unknown now is taken as it was before: as last
 * known, or unknown, or not there. What was unknown before counts only where nothing was ever known of its check and
 * the check still applies: a gap that opens in what is known and closes again is no change.
 */
const comparable = (
  base: ReadonlyArray<Evidence>,
  last: Known,
  head: ReadonlyArray<Evidence>
): { readonly before: ReadonlyArray<Evidence>; readonly after: ReadonlyArray<Evidence> } => {
  const [baseSight, headSight] = [sightOf(base), sightOf(head)]
  const known = new Set(Object.keys(last).map(checkId))
  const isOpen = (item: Evidence): boolean => !known.has(checkId(item.id)) && headSight.checks.has(checkId(item.id))
  const open = [...baseSight.unknown.values()].filter(isOpen)
  const openChecks = new Set(open.map((item) => checkId(item.id)))
  return {
    before: [...Object.values(last), ...open],
    after: [
      ...[...headSight.decided.values()].map((item) => withLastController(item, last[item.id])),
      ...Object.values(last).filter((item) => !headSight.decided.has(item.id) && isHidden(headSight, item.id)),
      ...[...headSight.unknown.values()].filter((item) => openChecks.has(checkId(item.id)))
    ]
  }
}

type Side = Evidence | null

const evidenceChanges = (last: Known, base: Sight, head: Sight): ReadonlyArray<Change> => {
  const ids = new Set([...Object.keys(last), ...head.decided.keys()])
  return [...ids].flatMap((id): ReadonlyArray<Change> => {
    const before = last[id] ?? null
    const after = head.decided.get(id) ?? null
    const kind = kindOfItem({ id, before, after, last, base, head })
    return kind === null ? [] : [evidenceChange(kind, before, after)]
  })
}

const kindOfItem = (options: {
  readonly id: string
  readonly before: Side
  readonly after: Side
  readonly last: Known
  readonly base: Sight
  readonly head: Sight
}): ChangeKind | null => {
  const { after, base, before, head, id, last } = options
  if (before !== null && after !== null) return kindOfMove(before, after, base.decided.get(id) ?? null)
  if (before !== null) {
    if (isPlaceholder(before) && hasSubjects(head.decided.keys(), id)) return null
    if (isHidden(head, id)) return base.decided.has(id) ? "visibility_lost" : null
    return isPlaceholder(before) && head.checks.has(id) ? null : "removed"
  }
  if (after === null || (isPlaceholder(after) && hasSubjects(Object.keys(last), id))) return null
  if (isHidden(base, id)) return "visibility_gained"
  return isPlaceholder(after) && base.checks.has(id) ? null : "added"
}

const kindOfMove = (last: Evidence, after: Evidence, base: Side): ChangeKind | null => {
  if (last.state !== after.state) return "state_changed"
  if (Delta.isSame(last.value, after.value)) return null
  switch (Delta.visibility(last.value, after.value)) {
    case "lost":
      return base !== null && Delta.isSame(base.value, after.value) ? null : "visibility_lost"
    case "gained":
      return "visibility_gained"
    case null:
      return "value_changed"
  }
}

// "None found" is one refuted item without a subject; it gives way to items with subjects, which tell the change.
const isPlaceholder = (item: Evidence): boolean => item.state === "refuted" && item.id === checkId(item.id)

const hasSubjects = (ids: Iterable<string>, check: string): boolean =>
  [...ids].some((id) => id !== check && checkId(id) === check)

const evidenceChange = (kind: ChangeKind, before: Side, after: Side): Change => {
  const item = (after ?? before) as Evidence
  const delta = before !== null && after !== null ? Delta.between(before.value, after.value) : null
  const direction = directionOf(kind, before, after, delta)
  const isHiding = kind === "visibility_lost" || kind === "visibility_gained"
  const shown = (side: Side) =>
    side !== null ? { state: side.state, value: side.value } : isHiding ? { state: "unknown", value: null } : null
  return {
    id: item.id,
    subject: "evidence",
    kind,
    path: `/evidence/${item.id.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    before: shown(before),
    after: shown(after),
    delta,
    severity: severityOf(kind, direction, before, after),
    direction,
    verified: (before?.verified ?? true) && (after?.verified ?? true),
    title: `${headline(kind, after)}: ${item.title}`,
    source_url: item.source_url
  }
}

const headline = (kind: ChangeKind, after: Side): string => {
  switch (kind) {
    case "added":
      return "New"
    case "removed":
      return "Gone"
    case "state_changed":
      return after?.state === "confirmed" ? "Now" : "No longer"
    case "value_changed":
      return "Changed"
    case "visibility_lost":
      return "Out of sight"
    case "visibility_gained":
      return "In sight"
  }
}

/** 1 where the item makes a holder less safe, -1 where it makes one safer. */
const harm = (item: Side): -1 | 0 | 1 =>
  item === null || item.state !== "confirmed" || item.polarity === "neutral" ? 0 : item.polarity === "risk" ? 1 : -1

/** Claims about a number that is the worse the lower it is, although they are risks. */
const fallingIsWorse: ReadonlySet<string> = new Set(["liquidity.thin"])

const rank = (severity: Severity): number => Severity.literals.indexOf(severity)

const directionOf = (kind: ChangeKind, before: Side, after: Side, delta: Delta.Delta | null): Change["direction"] => {
  if (kind === "visibility_lost" || kind === "visibility_gained") return "neutral"
  const moved = harm(after) - harm(before)
  if (moved !== 0 || before === null || after === null) return directed(moved)
  const grade = rank(after.severity) - rank(before.severity)
  const trend = Delta.trend(delta) * (fallingIsWorse.has(checkId(after.id)) ? -1 : 1)
  return directed(harm(after) * (grade === 0 ? trend : grade))
}

const directed = (harm: number): Change["direction"] => (harm > 0 ? "worse" : harm < 0 ? "better" : "neutral")

/** Neutral claims whose change says that the target is no longer the thing that was judged. */
const watched: { readonly [checkId: string]: Severity } = {
  "address.kind": "high",
  "control.controllers": "high",
  "control.owner": "high",
  "control.roles": "high",
  "proxy.admin": "high",
  "proxy.kind": "high",
  "safe.setup": "high"
}

/** What a wallet's holder can take back; all else is in someone else's hands. */
const isReversible = (item: Evidence): boolean => item.category === "approvals" || item.category === "account"

const atLeast = (floor: Severity, severity: Severity): Severity => (rank(severity) < rank(floor) ? floor : severity)

const severityOf = (kind: ChangeKind, direction: Change["direction"], before: Side, after: Side): Severity => {
  if (kind === "visibility_lost") return "info"
  // A risk that is seen for the first time is news, although nothing is known to have moved.
  if (kind === "visibility_gained" && before === null)
    return harm(after) > 0 && after !== null ? after.severity : "info"
  if (direction === "better") return "low"
  const item = (after !== null && harm(after) > 0 ? after : (before ?? after)) as Evidence
  if (direction === "worse") {
    if (isReversible(item) || (item.polarity === "risk" && item.severity === "info")) return item.severity
    return atLeast("high", item.severity)
  }
  const confirmed = [before, after].find((side) => side?.state === "confirmed")
  return atLeast(watched[checkId(item.id)] ?? "info", confirmed?.severity ?? "info")
}

/**
 * The facts that are compared, each unless evidence of one of `told` is on either side: that reports the same change,
 * with a claim. Pools, trade and allowances are told by their checks alone; nonces, balances and reserves move anyway.
 */
const factPaths: ReadonlyArray<{
  readonly member: Exclude<keyof Facts, "risk" | "unread">
  readonly leaf: string
  readonly title: string
  readonly severity: Severity
  readonly told: ReadonlyArray<string>
}> = [
  { member: "account", leaf: "kind", title: "kind of account", severity: "high", told: ["address.kind"] },
  {
    member: "account",
    leaf: "code_hash",
    title: "code at the address",
    severity: "critical",
    told: ["contract.code-replaced", "wallet.delegated"]
  },
  { member: "token", leaf: "standard", title: "token standard", severity: "high", told: ["token.standard"] },
  { member: "token", leaf: "name", title: "token name", severity: "medium", told: ["token.metadata-readable"] },
  { member: "token", leaf: "symbol", title: "token symbol", severity: "medium", told: ["token.metadata-readable"] },
  { member: "token", leaf: "decimals", title: "token decimals", severity: "high", told: ["token.metadata-readable"] },
  { member: "token", leaf: "total_supply", title: "total supply", severity: "low", told: ["token.metadata-readable"] },
  { member: "proxy", leaf: "kind", title: "kind of proxy", severity: "high", told: ["proxy.kind"] },
  { member: "proxy", leaf: "implementations", title: "implementation", severity: "high", told: ["proxy.kind"] },
  { member: "proxy", leaf: "admin", title: "proxy admin", severity: "high", told: ["proxy.admin"] },
  { member: "control", leaf: "owner", title: "owner", severity: "high", told: ["control.owner"] },
  { member: "control", leaf: "controller", title: "controller", severity: "high", told: ["control.controllers"] },
  { member: "safe", leaf: "singleton", title: "Safe singleton", severity: "high", told: ["safe.setup"] },
  { member: "safe", leaf: "owners", title: "Safe owners", severity: "high", told: ["safe.setup"] },
  { member: "safe", leaf: "threshold", title: "Safe threshold", severity: "high", told: ["safe.setup"] },
  { member: "safe", leaf: "modules", title: "Safe modules", severity: "high", told: ["safe.modules"] },
  { member: "safe", leaf: "guard", title: "Safe guard", severity: "medium", told: ["safe.guard"] }
]

const factChanges = (a: Snapshot, b: Snapshot, link: string): ReadonlyArray<Change> => {
  const told = new Set([...a.evidence, ...b.evidence].map((item) => checkId(item.id)))
  return factPaths
    .filter((path) => !path.told.some((id) => told.has(id)))
    .flatMap((path): ReadonlyArray<Change> => {
      const [before, after] = [leafOf(a.facts, path), leafOf(b.facts, path)]
      const kind = kindOf(
        { isHidden: a.facts.unread[path.member] !== undefined, value: before },
        {
          isHidden: b.facts.unread[path.member] !== undefined,
          value: after
        }
      )
      if (kind === null) return []
      const isHiding = kind === "visibility_lost" || kind === "visibility_gained"
      return [
        {
          id: `facts.${path.member}.${path.leaf}`,
          subject: "fact",
          kind,
          path: `/facts/${path.member}/${path.leaf}`,
          before,
          after,
          delta: before !== null && after !== null ? Delta.between(before, after) : null,
          severity: isHiding ? "info" : path.severity,
          direction: "neutral",
          verified: true,
          title: `${headline(kind, null)}: ${path.title}`,
          source_url: link
        }
      ]
    })
}

const leafOf = (facts: Facts, path: { readonly member: keyof Facts; readonly leaf: string }): unknown =>
  (facts[path.member] as { readonly [leaf: string]: unknown } | null)?.[path.leaf] ?? null

interface Reading {
  readonly isHidden: boolean
  readonly value: unknown
}

const kindOf = (before: Reading, after: Reading): ChangeKind | null => {
  if (Delta.isSame(before.value, after.value)) return null
  if (before.value === null) return before.isHidden ? "visibility_gained" : "added"
  if (after.value === null) return after.isHidden ? "visibility_lost" : "removed"
  return "value_changed"
}

const riskChanges = (before: Risk | null, after: Risk | null, link: string): ReadonlyArray<Change> => {
  const shown = (risk: Risk | null) => (risk === null ? null : { score: risk.score, level: risk.level })
  const reading = (risk: Risk | null): Reading => ({
    isHidden: true,
    value: risk === null || risk.score === null ? null : shown(risk)
  })
  const kind = kindOf(reading(before), reading(after))
  if (kind === null) return []
  const [from, to] = [before?.score ?? null, after?.score ?? null]
  const direction = from === null || to === null ? "neutral" : directed(from - to)
  return [
    {
      id: riskId,
      subject: "risk",
      kind,
      path: "/facts/risk",
      before: shown(before),
      after: shown(after),
      delta: from === null || to === null ? null : Delta.between(from, to),
      severity:
        direction === "worse" && after !== null ? riskSeverity[after.level] : direction === "better" ? "low" : "info",
      direction,
      verified: true,
      title: `${headline(kind, null)}: risk`,
      source_url: link
    }
  ]
}

const riskId = "facts.risk"

const riskSeverity: { readonly [level in Risk["level"]]: Severity } = {
  critical: "critical",
  high: "high",
  medium: "medium",
  unknown: "medium",
  low: "low",
  minimal: "low"
}

const riskMovement = (before: Risk, after: Risk): NonNullable<ChangeReport["risk"]> => ({
  score_before: before.score,
  score_after: after.score,
  score_delta: before.score === null || after.score === null ? null : after.score - before.score,
  level_before: before.level,
  level_after: after.level
})

/** The one number in a value whose other members are compared exactly. */
const supply = {
  checkId: "token.metadata-readable",
  leaf: "total_supply",
  tolerance: { kind: "relative", amount: 0.1 }
} as const

const isSupplyNoise = (before: unknown, after: unknown): boolean => {
  const [from, to] = [before, after] as ReadonlyArray<{ readonly [leaf: string]: unknown }>
  return (
    Delta.isSame({ ...from, [supply.leaf]: null }, { ...to, [supply.leaf]: null }) &&
    Delta.isWithin(from?.[supply.leaf], to?.[supply.leaf], supply.tolerance)
  )
}

const scoreTolerance = { kind: "absolute", amount: 5 } as const

// Compared with the base alone: slow drift below a threshold is not yet added up over executions.
const reasonToSuppress = (
  change: Change,
  rules: ReadonlyArray<EvidenceRule>,
  before: Evidence | undefined,
  after: Evidence | undefined
): ChangeReport["suppressed"][number]["why"] | null => {
  const rule = change.subject === "evidence" ? rules.find((each) => each.id === checkId(change.id)) : undefined
  // Such a claim is of a moment, or of the endpoint: that it holds no longer is no news, nor is what it measures.
  if (rule?.volatile === true && (change.kind === "value_changed" || change.direction !== "worse")) return "volatile"
  if (change.kind !== "value_changed") return null
  switch (change.subject) {
    case "evidence": {
      if (before === undefined || after === undefined) return null
      if (checkId(change.id) === supply.checkId && isSupplyNoise(before.value, after.value)) return "below_threshold"
      return rule !== undefined &&
        rule.tolerance !== null &&
        before.severity === after.severity &&
        Delta.isWithin(before.value, after.value, rule.tolerance)
        ? "below_threshold"
        : null
    }
    case "fact":
      return change.id === `facts.token.${supply.leaf}` && Delta.isWithin(change.before, change.after, supply.tolerance)
        ? "below_threshold"
        : null
    case "risk":
      return Delta.isWithin(change.before, change.after, scoreTolerance) ? "below_threshold" : null
  }
}

/** The reader's link to the target: that of evidence about it, or a neutral CAIP-10 reference. */
const linkOf = (a: Snapshot, b: Snapshot): string => {
  const links = [...b.evidence, ...a.evidence].map((item) => item.source_url)
  const [own] = links.filter((url) => url.endsWith(`/address/${b.address}`)).sort(byText)
  const block = b.block ?? a.block
  return own ?? `eip155:${b.chain.id}:${b.address}${block === null ? "" : `?block=${block.hash}`}`
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const ordered = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  [...changes].sort((a, b) => rank(b.severity) - rank(a.severity) || byText(a.id, b.id))

const sideOf = ({ block, completed_at, execution_id, ruleset_version }: Finished): ChangeSide => ({
  execution_id,
  completed_at,
  block,
  ruleset_version
})

const report = (
  options: { readonly base?: Finished; readonly head: Finished } & Pick<ChangeReport, "status"> &
    Partial<Pick<ChangeReport, "reason" | "risk" | "changes" | "ruleset_changes" | "suppressed">>
): ChangeReport => {
  const changes = options.changes ?? []
  const suppressed = options.suppressed ?? []
  const count = (severity: Severity) => changes.filter((change) => change.severity === severity).length
  const document: Omit<ChangeReport, "text"> = {
    format_version: "1.0",
    status: options.status,
    reason: options.reason ?? null,
    base: options.base === undefined ? null : sideOf(options.base),
    head: sideOf(options.head),
    max_severity: changes[0]?.severity ?? null,
    counts: {
      critical: count("critical"),
      high: count("high"),
      medium: count("medium"),
      low: count("low"),
      info: count("info"),
      suppressed: suppressed.length
    },
    risk: options.risk ?? null,
    changes,
    ruleset_changes: options.ruleset_changes ?? [],
    suppressed
  }
  return { ...document, text: ChangeText.plain(document) }
}

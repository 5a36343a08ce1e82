/** @internal */

import { Schema } from "effect"
import { type Change, type ChangeKind, isOfReading } from "../domain/ChangeReport.js"
import { Controller } from "../domain/Controller.js"
import { checkId, type Evidence, type Severity } from "../domain/Evidence.js"
import type { Facts } from "../domain/Facts.js"
import type { Reported } from "../domain/Reported.js"
import * as ChangeGrade from "./ChangeGrade.js"
import * as ControllerSight from "./ControllerSight.js"
import * as Delta from "./Delta.js"
import { headline } from "./EvidenceChanges.js"

/** The facts of an execution, and its evidence, which may report the same changes. */
export interface Reading {
  readonly facts: Facts
  readonly evidence: ReadonlyArray<Evidence>
}

/**
 * The changes between the last reported facts and those of the newer execution. A fact that was not read since is
 * compared with its last reported value.
 */
export const between = (options: {
  readonly base: Reading
  readonly head: Reading
  readonly reported: Reported
  readonly link: string
}): ReadonlyArray<Change> => {
  const { base, head, link, reported } = options
  return compared(base, head).flatMap((path): ReadonlyArray<Change> => {
    const before = toldOf(reported, base.facts, path)
    const after = leafOf(head.facts, path)
    const kind = kindOf({ path, base: base.facts, head: head.facts, reported, before, after })
    if (kind === null) return []
    return [
      {
        id: idOf(path),
        subject: "fact",
        kind,
        path: `/facts/${path.member}/${path.leaf}`,
        before,
        after,
        delta: before !== null && after !== null ? Delta.between(before, after) : null,
        ...(isOfReading({ kind })
          ? ({ direction: "neutral", severity: "info" } as const)
          : ChangeGrade.ofFact(path.leaf, before, after, path.severity)),
        verified: true,
        title: `${headline(kind)}: ${path.title}`,
        source_url: link
      }
    ]
  })
}

/**
 * The facts to remember after the newer execution: the last reported value of facts that are not readable now, and of
 * facts with an unreported change.
 */
export const remember = (options: {
  readonly base: Reading
  readonly head: Reading
  readonly reported: Reported
  readonly isUntold: (id: string) => boolean
}): Reported => {
  const { base, head, isUntold, reported } = options
  return Object.fromEntries(
    compared(base, head).flatMap((path) => {
      const id = idOf(path)
      const told = toldOf(reported, base.facts, path)
      const isLost = told !== null && (isHidden(head.facts, path) || isLess(told, leafOf(head.facts, path)))
      return (isLost || isUntold(id)) && !Delta.isSame(told, leafOf(head.facts, path))
        ? [[id, { subject: "fact", value: told } as const]]
        : []
    })
  )
}

interface Path {
  readonly member: Exclude<keyof Facts, "risk" | "unread">
  readonly leaf: string
  readonly title: string
  readonly severity: Severity
  readonly told: ReadonlyArray<string>
}

/**
 * The facts that are compared. A fact is left out where either side has evidence of one of the listed checks, which
 * report the same change with a claim. Pools, trades, powers and permissions are reported by their checks only; nonces,
 * balances and reserves change all the time.
 */
const paths: ReadonlyArray<Path> = [
  { member: "account", leaf: "kind", title: "account kind", severity: "high", told: ["address.kind"] },
  {
    member: "account",
    leaf: "code_hash",
    title: "code hash",
    severity: "critical",
    told: ["contract.code-replaced"]
  },
  {
    member: "account",
    leaf: "delegate",
    title: "EIP-7702 delegate",
    severity: "high",
    told: ["address.kind", "wallet.delegated"]
  },
  { member: "token", leaf: "standard", title: "token standard", severity: "high", told: ["token.standard"] },
  { member: "token", leaf: "name", title: "token name", severity: "medium", told: ["token.metadata-readable"] },
  { member: "token", leaf: "symbol", title: "token symbol", severity: "medium", told: ["token.metadata-readable"] },
  { member: "token", leaf: "decimals", title: "token decimals", severity: "high", told: ["token.metadata-readable"] },
  { member: "token", leaf: "total_supply", title: "total supply", severity: "low", told: ["token.metadata-readable"] },
  { member: "proxy", leaf: "kind", title: "proxy kind", severity: "high", told: ["proxy.kind"] },
  { member: "proxy", leaf: "implementations", title: "implementation", severity: "high", told: ["proxy.kind"] },
  { member: "proxy", leaf: "beacon", title: "beacon", severity: "high", told: ["proxy.kind"] },
  { member: "proxy", leaf: "admin", title: "proxy admin", severity: "high", told: ["proxy.admin"] },
  { member: "proxy", leaf: "upgrade", title: "upgrade path", severity: "high", told: ["proxy.upgradeable"] },
  {
    member: "proxy",
    leaf: "upgrade_authority",
    title: "upgrade authority",
    severity: "high",
    told: ["proxy.admin", "proxy.upgradeable"]
  },
  { member: "control", leaf: "owner", title: "owner", severity: "high", told: ["control.owner"] },
  { member: "control", leaf: "controller", title: "controller", severity: "high", told: ["control.controllers"] },
  { member: "safe", leaf: "singleton", title: "Safe singleton", severity: "high", told: ["safe.setup"] },
  { member: "safe", leaf: "owners", title: "Safe owners", severity: "high", told: ["safe.setup"] },
  { member: "safe", leaf: "threshold", title: "Safe threshold", severity: "high", told: ["safe.setup"] },
  { member: "safe", leaf: "modules", title: "Safe modules", severity: "high", told: ["safe.modules"] },
  { member: "safe", leaf: "guard", title: "Safe guard", severity: "medium", told: ["safe.guard"] },
  { member: "safe", leaf: "module_guard", title: "Safe module guard", severity: "medium", told: ["safe.guard"] },
  { member: "safe", leaf: "fallback_handler", title: "Safe fallback handler", severity: "medium", told: ["safe.guard"] }
]

const idOf = (path: Path): string => `facts.${path.member}.${path.leaf}`

/** The ids of all changes of facts. */
export const ids: ReadonlyArray<string> = paths.map(idOf)

/** The fact member of an id (`facts.token` for `facts.token.name`), or the id of a check. */
export const memberOf = (id: string): string => id.split(".").slice(0, 2).join(".")

const compared = (base: Reading, head: Reading): ReadonlyArray<Path> => {
  const told = new Set([...base.evidence, ...head.evidence].map((item) => checkId(item.id)))
  return paths.filter((path) => !path.told.some((id) => told.has(id)) && !isToldByKind(path, base.facts, head.facts))
}

// For an account that is not a contract, the kind and the delegate are reported by themselves.
const isToldByKind = ({ leaf }: Path, base: Facts, head: Facts): boolean =>
  leaf === "code_hash" &&
  [base, head].some(({ account }) => account !== null && account.kind !== "contract" && account.kind !== "precompile")

const leafOf = (facts: Facts, { leaf, member }: Path): unknown => {
  const value = (facts[member] as { readonly [leaf: string]: unknown } | null)?.[leaf] ?? null
  return isNotTold(facts, member, value) ? null : value
}

const isHidden = (facts: Facts, path: Path): boolean =>
  facts.unread[path.member] !== undefined ||
  isUnanswered(facts, path) ||
  isNotTold(facts, path.member, (facts[path.member] as { readonly [leaf: string]: unknown } | null)?.[path.leaf])

const isUnanswered = ({ safe }: Facts, { leaf, member }: Path): boolean =>
  member === "safe" && leaf === "modules" && safe?.modules === null

// In an incomplete graph, a missing or unknown account is no information.
const isNotTold = ({ control }: Facts, member: Path["member"], value: unknown): boolean =>
  member === "control" &&
  control?.complete === false &&
  (value === null || value === undefined || (value as { readonly kind?: unknown }).kind === "unknown")

/** Whether the later value is the same controller, followed less far. */
const isLess = (whole: unknown, part: unknown): boolean =>
  isController(whole) && isController(part) && ControllerSight.isLess(whole, part)

const isController = Schema.is(Controller)

const toldOf = (reported: Reported, base: Facts, path: Path): unknown => {
  const told = reported[idOf(path)]
  return told?.subject === "fact" ? told.value : leafOf(base, path)
}

const kindOf = (options: {
  readonly path: Path
  readonly base: Facts
  readonly head: Facts
  readonly reported: Reported
  readonly before: unknown
  readonly after: unknown
}): ChangeKind | null => {
  const { after, base, before, head, path, reported } = options
  if (Delta.isSame(before, after)) return null
  const wasHidden = isHidden(base, path)
  if (before === null) return wasHidden && reported[idOf(path)] === undefined ? "visibility_gained" : "added"
  if (isLess(before, after)) return isLess(before, leafOf(base, path)) ? null : "visibility_lost"
  if (isLess(after, before)) return "visibility_gained"
  if (after !== null) return "value_changed"
  if (!isHidden(head, path)) return "removed"
  return wasHidden ? null : "visibility_lost"
}

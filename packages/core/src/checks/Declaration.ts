import { Option, Schema } from "effect"
import { Dimension, Polarity, Severity } from "../domain/Evidence.js"
import { TargetKind } from "../domain/Target.js"
import * as Check from "./Check.js"
import { CheckInvalid } from "./CheckInvalid.js"

/**
 * The first check that cannot run beside the others, and why; none where all can. `builtIn` are the checks of this library by
 * id: `Checks.refusal` knows them. Without them, and without loading the engine, the declarations alone are judged.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusal = (
  checks: ReadonlyArray<Check.Any>,
  builtIn: ReadonlyMap<string, Check.CheckRule> = new Map()
): Option.Option<CheckInvalid> => {
  const seen = new Set<string>()
  for (const check of checks) {
    const problem = problemOf(check, builtIn, seen)
    if (problem !== undefined)
      return Option.some(new CheckInvalid({ check: String(check.id).slice(0, longest), problem }))
    seen.add(check.id)
  }
  return Option.none()
}

/**
 * Whether a check is one of this library, or a copy of one that runs it in another way.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isBuiltIn = (check: Check.CheckRule, builtIn: ReadonlyMap<string, Check.CheckRule>): boolean => {
  const own = builtIn.get(check.id)
  return own !== undefined && own.value === check.value && own.version === check.version && own.claim === check.claim
}

const longest = 64

// The colon ends the id of a check in the id of an item.
const wellFormed = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/

const isText = (text: unknown): boolean => typeof text === "string" && text.trim() !== ""

const isTargets = Schema.is(Schema.NonEmptyArray(TargetKind))

// In JavaScript, or after a cast, a declaration may be anything.
const problemOf = (
  check: Check.Any,
  builtIn: ReadonlyMap<string, Check.CheckRule>,
  seen: ReadonlySet<string>
): CheckInvalid["problem"] | undefined => {
  if (typeof check.id !== "string" || !wellFormed.test(check.id)) return "id_malformed"
  const isOwn = isBuiltIn(check, builtIn)
  if (builtIn.has(check.id) && !isOwn) return "id_taken"
  if (seen.has(check.id)) return "id_repeated"
  if (isOwn) return undefined
  if (!Number.isSafeInteger(check.version) || check.version < 1) return "version"
  if (!isTargets(check.targets)) return "targets"
  if (!isText(check.claim)) return "claim"
  if (check.absent !== undefined && !isText(check.absent)) return "absent"
  if (check.recommendation !== undefined && !isText(check.recommendation)) return "recommendation"
  if (!Schema.is(Polarity)(check.polarity)) return "polarity"
  if (!Schema.is(Severity)(check.severity)) return "severity"
  if (!Schema.is(Dimension)(check.dimension)) return "dimension"
  if (Option.isNone(Option.liftThrowable(Check.rule)(check))) return "value"
  return typeof check.run === "function" ? undefined : "run"
}

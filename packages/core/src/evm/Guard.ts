import * as OxHex from "ox/Hex"
import * as Address from "../domain/Address.js"
import type { Trace } from "./AbstractInterpreter.js"
import { type Expression, Kind, type Pool } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { type Field, loadedField, type Tracer, unique } from "./Origin.js"

/**
 * A condition about the caller. `always` says that it holds wherever the write or call is reached; otherwise it is asked
 * on some way there and may be one of several ways to be let through.
 *
 * - `slot`: the caller is the address in this variable. `entry`: this mapping, asked about the caller, says yes.
 * - `constant`: the caller is an address written into the code. `unknown`: another condition with the caller in it.
 *
 * @since 0.1.0
 * @category models
 */
export type Guard = { readonly always: boolean } & Condition

type Condition =
  | { readonly kind: "slot"; readonly slot: string; readonly field: Field | undefined }
  | { readonly kind: "entry"; readonly slot: string }
  | { readonly kind: "constant"; readonly address: Address.Address }
  | { readonly kind: "unknown" }

/**
 * Tells the guards of a place in a trace, by its block and the facts that hold there.
 *
 * @since 0.1.0
 * @category models
 */
export type Guards = (block: number, facts: ReadonlySet<number>) => ReadonlyArray<Guard>

/**
 * Reads the conditions about the caller out of a trace; `after` gives the blocks that can run after one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  pool: Pool,
  tracer: Tracer,
  trace: Trace,
  after: (block: number) => ReadonlySet<number>
): Guards => {
  const holding = new Map<number, ReadonlyArray<Condition>>()
  const ofFact = (fact: number): ReadonlyArray<Condition> => {
    const known = holding.get(fact)
    if (known !== undefined) return known
    const found = conditionsOf(tracer, pool.get(fact >> 1), (fact & 1) === 0)
    holding.set(fact, found)
    return found
  }
  let asked:
    | ReadonlyArray<{ readonly conditions: ReadonlyArray<Condition>; readonly after: ReadonlySet<number> }>
    | undefined
  const askedOnTheWay = () => {
    const places: Array<{ readonly conditions: ReadonlyArray<Condition>; readonly after: ReadonlySet<number> }> = []
    for (const block of trace.blocks) {
      if (!block.succeeds || places.length >= maxPlaces) continue
      const conditions = block.events.flatMap((event) =>
        event.kind === "branch" ? conditionsOf(tracer, event.condition, true) : []
      )
      if (conditions.length > 0) places.push({ conditions, after: after(block.index) })
    }
    return places
  }
  return (block, facts) => {
    const always = unique([...facts].flatMap(ofFact))
    asked ??= askedOnTheWay()
    const certain = new Set(always.map((condition) => JSON.stringify(condition)))
    const possible = unique(asked.flatMap((place) => (place.after.has(block) ? place.conditions : []))).filter(
      (condition) => !certain.has(JSON.stringify(condition))
    )
    return [
      ...always.map((condition) => ({ ...condition, always: true })),
      ...possible.map((condition) => ({ ...condition, always: false }))
    ]
  }
}

/** Conditions of one function that are looked for on the way to a place. */
const maxPlaces = 64

const conditionsOf = (tracer: Tracer, condition: Expression, holds: boolean): ReadonlyArray<Condition> => {
  const found: Array<Condition> = []
  collect(tracer, condition, holds, found, new Set())
  return unique(found)
}

const collect = (
  tracer: Tracer,
  condition: Expression,
  holds: boolean,
  found: Array<Condition>,
  seen: Set<Expression>
): void => {
  if (seen.has(condition) || seen.size > 64) return
  seen.add(condition)
  if (condition.op === Opcodes.ISZERO) {
    collect(tracer, condition.args[0] as Expression, !holds, found, seen)
    return
  }
  if (condition.op === Kind.merge) {
    // One of several: which one let the caller through is not known.
    for (const inner of condition.alternatives) collect(tracer, inner, holds, found, seen)
    return
  }
  if ((condition.op === Opcodes.OR || condition.op === Opcodes.AND) && loadedField(condition) === undefined) {
    for (const inner of condition.args) collect(tracer, inner, holds, found, seen)
    return
  }
  // Comparing amounts of the caller is not asking who it is.
  if (condition.op === Opcodes.LT || condition.op === Opcodes.SLT) return
  if (condition.op === Opcodes.EQ) {
    const [a, b] = condition.args as [Expression, Expression]
    const other = isCaller(a) ? b : isCaller(b) ? a : undefined
    if (other !== undefined) {
      if (holds) found.push(...identities(tracer, other))
      return
    }
  }
  for (const load of tracer.loads(condition)) {
    for (const { id, keys } of tracer.locate(load.args[0] as Expression) ?? [])
      if (keys.some(isCaller)) found.push({ kind: "entry", slot: id })
  }
}

/** What the caller was found to be the same as. */
const identities = (tracer: Tracer, other: Expression): ReadonlyArray<Condition> => {
  if (other.op === Kind.constant) {
    return other.value >> 160n === 0n
      ? [{ kind: "constant", address: Address.checksum(OxHex.fromNumber(other.value, { size: 20 })) }]
      : []
  }
  const loaded = loadedField(other)
  if (loaded !== undefined) {
    return (tracer.locate(loaded.load.args[0] as Expression) ?? []).map(
      ({ id, keys }): Condition =>
        keys.some(isCaller) ? { kind: "entry", slot: id } : { kind: "slot", slot: id, field: loaded.field }
    )
  }
  // Whoever names itself in an argument is let through, too: that guards nothing.
  return tracer.origins(other).every((origin) => origin.kind === "argument") ? [] : [{ kind: "unknown" }]
}

const isCaller = (what: Expression): boolean => what.op === Opcodes.CALLER || what.op === Opcodes.ORIGIN

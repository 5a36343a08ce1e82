import * as OxHex from "ox/Hex"
import * as Address from "../domain/Address.js"
import type { ControlGraph, Reach } from "./ControlGraph.js"
import { type Expression, Kind, type Pool, unmasked } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { type Field, loadedField, type Tracer, unique } from "./Origin.js"
import * as Selectors from "./Selectors.js"
import * as Slices from "./Slices.js"
import type { Event, Trace } from "./Trace.js"

/**
 * A condition about the caller. `always` says that it holds wherever the write or call is reached; otherwise it is asked
 * on some way there and may be one of several ways to be let through.
 *
 * - `slot`: the caller is the address in this variable. `entry`: this mapping, asked about the caller, says yes.
 * - `constant`: the caller is an address written into the code. `unknown`: another condition with the caller in it, or
 *   what another contract answers about the caller.
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
 * The conditions about the caller in a trace. `at` gives those of a place, by its block and the facts that hold there;
 * `isShut` says whether every way to a block passes one; `passing` are the steps between blocks that one is passed on,
 * as a {@link ControlGraph} leaves them out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Guards {
  readonly at: (block: number, facts: ReadonlySet<number>) => ReadonlyArray<Guard>
  readonly isShut: (block: number, facts: ReadonlySet<number>) => boolean
  readonly passing: ReadonlySet<number>
  /** The conditions that are passed on a way to a block that stays within some blocks. */
  readonly within: (block: number, blocks: Reach) => ReadonlyArray<Guard>
}

/**
 * Reads the conditions about the caller out of a trace, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* make(
  pool: Pool,
  tracer: Tracer,
  trace: Trace,
  graph: ControlGraph,
  known: Conditions = makeConditions()
): Slices.Slices<Guards> {
  const answers = answersAbout(trace)
  // What another contract answers is known to one function alone.
  const { holding } = answers.size === 0 ? known : makeConditions()
  const ofFact = (fact: number): ReadonlyArray<Condition> => {
    const known = holding.get(fact)
    if (known !== undefined) return known
    const found = conditionsOf(tracer, answers, pool.get(fact >> 1), (fact & 1) === 0)
    holding.set(fact, found)
    return found
  }
  const places: Array<{ readonly to: number; readonly conditions: ReadonlyArray<Condition>; after?: Reach }> = []
  const passing = new Set<number>()
  const work = Slices.makeWork()
  for (const block of trace.blocks) {
    if (work.isDue(4)) yield undefined
    if (!block.succeeds) continue
    for (const event of block.events) {
      if (event.kind !== "branch") continue
      for (const [to, holds] of [
        [event.taken, true],
        [event.passed, false]
      ] as const) {
        if (trace.blocks[to]?.succeeds !== true) continue
        const conditions = ofFact(2 * event.condition.id + (holds ? 0 : 1))
        if (conditions.length === 0) continue
        passing.add(block.index * graph.size + to)
        if (places.length < maxPlaces) places.push({ to, conditions })
      }
    }
  }
  let unasked: Reach | undefined
  const always = (facts: ReadonlySet<number>): ReadonlyArray<Condition> => unique([...facts].flatMap(ofFact))
  return {
    passing,
    at: (block, facts) => {
      const held = always(facts)
      const certain = new Set(held.map((condition) => JSON.stringify(condition)))
      const possible = unique(
        places.flatMap((place) => {
          place.after ??= graph.after([place.to])
          return place.after.has(block) ? place.conditions : []
        })
      ).filter((condition) => !certain.has(JSON.stringify(condition)))
      return [
        ...held.map((condition) => ({ ...condition, always: true })),
        ...possible.map((condition) => ({ ...condition, always: false }))
      ]
    },
    isShut: (block, facts) => {
      if (passing.size === 0) return false
      unasked ??= graph.after([0], { steps: passing })
      return !unasked.has(block) || always(facts).length > 0
    },
    within: (block, blocks) =>
      unique(
        places.flatMap((place) => {
          place.after ??= graph.after([place.to])
          return blocks.has(place.to) && place.after.has(block) ? place.conditions : []
        })
      ).map((condition) => ({ ...condition, always: false }))
  }
}

/**
 * Conditions that were read out of formulas, for functions that have formulas in common.
 *
 * @since 0.1.0
 * @category models
 */
export interface Conditions {
  /** By fact, as the trace numbers them. */
  readonly holding: Map<number, ReadonlyArray<Condition>>
}

/**
 * None yet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeConditions = (): Conditions => ({ holding: new Map() })

/** Steps of one function on which a condition is passed and that are looked for on the way to a place. */
const maxPlaces = 64

/**
 * What other contracts answer when they are told who calls: a registry of roles. A call that may write is more likely a
 * payment, so there the function has to be one that is made for the question.
 */
const answersAbout = (trace: Trace): ReadonlySet<Expression> => {
  const found = new Set<Expression>()
  for (const block of trace.blocks)
    for (const event of block.events)
      if (event.kind === "call" && isQuestion(event)) for (const answer of event.answers) found.add(answer)
  return found
}

const isQuestion = ({ input = [], opcode, target }: Extract<Event, { readonly kind: "call" }>): boolean =>
  input.some((word) => isCaller(unmasked(word))) &&
  (opcode === Opcodes.STATICCALL
    ? !(target.op === Kind.constant && target.bits <= 16)
    : opcode === Opcodes.CALL && input[0]?.op === Kind.constant && input[0].value >> 224n === canCall)

const canCall = BigInt(Selectors.functions.canCall)

const conditionsOf = (
  tracer: Tracer,
  answers: ReadonlySet<Expression>,
  condition: Expression,
  holds: boolean
): ReadonlyArray<Condition> => unique(collect(tracer, answers, condition, holds, new Set()))

/** The conditions of which one is passed where a formula holds, or does not; none where it says nothing of the caller. */
const collect = (
  tracer: Tracer,
  answers: ReadonlySet<Expression>,
  condition: Expression,
  holds: boolean,
  seen: Set<Expression>
): ReadonlyArray<Condition> => {
  if (seen.has(condition) || seen.size > 64) return []
  seen.add(condition)
  if (condition.op === Opcodes.ISZERO) return collect(tracer, answers, condition.args[0] as Expression, !holds, seen)
  if (condition.op === Kind.merge) {
    const ways = [...condition.alternatives]
    // A constant that answers so lets everybody through, one that does not lets nobody.
    if (ways.some((way) => way.op === Kind.constant && (way.value !== 0n) === holds)) return []
    return either(
      ways.filter((way) => way.op !== Kind.constant).map((way) => collect(tracer, answers, way, holds, seen))
    )
  }
  if ((condition.op === Opcodes.OR || condition.op === Opcodes.AND) && loadedField(condition) === undefined) {
    const sides = condition.args.map((inner) => collect(tracer, answers, inner, holds, seen))
    return (condition.op === Opcodes.OR) === holds && condition.args.every((arg) => arg.bits === 1)
      ? either(sides)
      : sides.flat()
  }
  // A product is not zero where none of its factors is.
  if (condition.op === Opcodes.MUL)
    return holds ? condition.args.flatMap((inner) => collect(tracer, answers, inner, true, seen)) : []
  // Comparing amounts of the caller is not asking who it is.
  if (condition.op === Opcodes.LT || condition.op === Opcodes.SLT) return []
  if (answers.has(unmasked(condition))) return holds ? [{ kind: "unknown" }] : []
  if (condition.op === Opcodes.EQ || condition.op === Opcodes.SUB || condition.op === Opcodes.XOR) {
    const equal = (condition.op === Opcodes.EQ) === holds
    const [a, b] = condition.args as [Expression, Expression]
    const other = isCaller(a) ? b : isCaller(b) ? a : undefined
    if (other !== undefined) return equal ? identities(tracer, other) : []
    const [asked, value] = a.op === Kind.constant ? [b, a] : [a, b]
    if (value.op === Kind.constant) {
      if (answers.has(unmasked(asked))) return (value.value !== 0n) === equal ? [{ kind: "unknown" }] : []
      if (loadedField(asked) !== undefined) return (value.value !== 0n) === equal ? entries(tracer, asked) : []
    }
  } else if (loadedField(condition) !== undefined) return holds ? entries(tracer, condition) : []
  return entries(tracer, condition)
}

/** One of several ways is taken: where one asks nothing, nothing is asked. */
const either = (ways: ReadonlyArray<ReadonlyArray<Condition>>): ReadonlyArray<Condition> =>
  ways.every((conditions) => conditions.length > 0) ? ways.flat() : []

/** The entries about the caller in a formula. */
const entries = (tracer: Tracer, what: Expression): ReadonlyArray<Condition> =>
  tracer
    .loads(what)
    .flatMap((load) =>
      (tracer.locate(load.args[0] as Expression) ?? []).flatMap(
        ({ id, keys }): ReadonlyArray<Condition> => (keys.some(isCaller) ? [{ kind: "entry", slot: id }] : [])
      )
    )

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

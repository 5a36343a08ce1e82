/** @internal */

import * as OxHex from "ox/Hex"
import * as Address from "../../../domain/Address.js"
import * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import {
  comparedIn,
  isCaller,
  isDisguised,
  isFixed,
  isPlaceOfAccount,
  isUntold
} from "../../expression/CallerFormula.js"
import { type Expression, Kind, type Pool, unmasked } from "../../expression/Expression.js"
import type * as PathFacts from "../../expression/PathFacts.js"
import { type Field, loadedField, type Tracer, unique } from "../../expression/ValueSource.js"
import * as Signer from "../../interpreter/Signer.js"
import type { Event, Trace } from "../../interpreter/Trace.js"
import type { ControlFlowGraph, Reach } from "./ControlFlowGraph.js"

/**
 * A condition about the caller. `always` says that it holds wherever the write or call is reached; otherwise it is
 * checked on some path there and may be one of several ways to pass.
 *
 * - `slot`: the caller is the address in this variable. `entry`: the caller's entry in this mapping is not zero.
 * - `constant`: the caller is an address written into the code. `unknown`: another condition with the caller in it, or
 *   another contract's answer about the caller.
 *
 * Where a call by anyone needs a signature, the signer decides what is done: an address in the code is a `constant`,
 * and one in a variable is the `signer` of an `unknown`. Where the caller is the contract itself, `isSelf` says so. A
 * caller that passes a guard that `forwards` can name the sender, and so passes the other guards as well.
 */
export type Guard = { readonly always: boolean; readonly forwards?: true } & Condition

type Condition =
  | { readonly kind: "slot"; readonly slot: string; readonly field: Field | undefined }
  | { readonly kind: "entry"; readonly slot: string }
  | { readonly kind: "constant"; readonly address: Address.Address }
  | {
      readonly kind: "unknown"
      readonly signer?: { readonly slot: string; readonly field: Field | undefined }
      readonly isSelf?: true
    }

/** Whether any caller can reach it: no guard is on every path, and not every path has one. */
export const isUnasked = ({
  guards,
  shut
}: {
  readonly guards: ReadonlyArray<Guard>
  readonly shut: boolean
}): boolean => !guards.some(({ always }) => always) && !(shut && guards.length > 0)

/** What a condition names, whether or not it always holds. */
export const placeOf = (guard: Guard): string => JSON.stringify({ ...guard, always: true })

/** Alternative conditions: one of them is passed. */
type Ways = ReadonlyArray<Condition>

/**
 * The conditions about the caller in a trace. `at` gives those of a place, by its block and the facts that hold there;
 * `isShut` says whether every way to a block passes one; `passing` are the steps between blocks that one is passed on,
 * as a {@link ControlFlowGraph} leaves them out.
 */
export interface Guards {
  readonly at: (block: number, facts: PathFacts.PathFacts) => ReadonlyArray<Guard>
  readonly isShut: (block: number, facts: PathFacts.PathFacts) => boolean
  readonly passing: ReadonlySet<number>
  /** The conditions that are passed on a way to a block that stays within some blocks, and takes none of some steps. */
  readonly within: (block: number, blocks: Reach, without: ReadonlySet<number>) => ReadonlyArray<Guard>
  /** Those that a formula is where it holds, or where it does not. */
  readonly in: (condition: Expression, holds: boolean) => ReadonlyArray<Guard>
}

/** Reads the conditions about the caller out of a trace, in slices. */
export function* make(
  pool: Pool,
  tracer: Tracer,
  trace: Trace,
  graph: ControlFlowGraph,
  known: Conditions = makeConditions()
): Slices.Slices<Guards> {
  const answers = answersAbout(trace)
  const signers = Signer.of(trace)
  // What another contract answers is known to one function alone.
  const { holding } = answers.size + signers.size === 0 ? known : makeConditions()
  const ofFact = (fact: number): ReadonlyArray<Ways> => {
    const known = holding.get(fact)
    if (known !== undefined) return known
    const found = conditionsOf({ pool, tracer, answers, signers }, pool.get(fact >> 1), (fact & 1) === 0)
    holding.set(fact, found)
    return found
  }
  const places: Array<{
    readonly step: number
    readonly to: number
    readonly conditions: ReadonlyMap<string, Condition>
  }> = []
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
        const conditions = ofFact(2 * event.condition.id + (holds ? 0 : 1)).flat()
        if (conditions.length === 0) continue
        passing.add(block.index * graph.size + to)
        places.push({ step: block.index * graph.size + to, to, conditions: byWords(conditions) })
      }
    }
  }
  let unasked: Reach | undefined
  const reaching = new Map<number, Reach>()
  const always = (facts: PathFacts.PathFacts): ReadonlyArray<Ways> => facts.flatMap(ofFact)
  return {
    passing,
    in: ({ id }, holds) =>
      unique(ofFact(2 * id + (holds ? 0 : 1)).flat()).map((condition) => ({ ...condition, always: false })),
    at: (block, facts) => {
      const ways = always(facts)
      // Of several alternatives one is taken, and none is certain.
      const held = byWords(ways.flatMap((each) => (each.length === 1 ? each : [])))
      const before = places.length === 0 ? undefined : (reaching.get(block) ?? graph.before([block]))
      if (before !== undefined) reaching.set(block, before)
      const passed = places.filter(({ to }) => before?.has(to) === true)
      return [
        ...[...held.values()].map((condition) => ({ ...condition, always: true })),
        ...possible([byWords(ways.flat()), ...passed.map(({ conditions }) => conditions)], held)
      ]
    },
    isShut: (block, facts) => {
      if (passing.size === 0) return false
      unasked ??= graph.after([0], { steps: passing })
      return !unasked.has(block) || always(facts).length > 0
    },
    within: (block, blocks, without) => {
      const before = graph.before([block], { steps: without })
      const passed = places.filter(({ step, to }) => !without.has(step) && blocks.has(to) && before.has(to))
      return possible(
        passed.map(({ conditions }) => conditions),
        new Map()
      )
    }
  }
}

/** Conditions by what they name, each once. */
const byWords = (conditions: ReadonlyArray<Condition>): ReadonlyMap<string, Condition> =>
  new Map(conditions.map((condition) => [JSON.stringify(condition), condition]))

/** The conditions on some paths, without those on all. Above the limit, the rest becomes one unknown condition. */
const possible = (
  all: ReadonlyArray<ReadonlyMap<string, Condition>>,
  held: ReadonlyMap<string, Condition>
): ReadonlyArray<Guard> => {
  const found = new Map<string, Condition>()
  for (const conditions of all)
    for (const [words, condition] of conditions)
      if (!held.has(words) && (found.size < maxTold || found.has(words))) found.set(words, condition)
      else if (!held.has(words)) found.set(JSON.stringify(untold), untold)
  return [...found.values()].map((condition) => ({ ...condition, always: false }))
}

const untold: Condition = { kind: "unknown" }

/** The most conditions that are listed for one place. */
const maxTold = 64

/** Conditions that were read out of formulas, for functions that have formulas in common. */
export interface Conditions {
  /** By fact, as the trace numbers them: of each of these, one is passed. */
  readonly holding: Map<number, ReadonlyArray<Ways>>
}

/** None yet. */
export const makeConditions = (): Conditions => ({ holding: new Map() })

/**
 * Answers of other contracts that get the caller's address, such as a registry of roles. A call that may write is more
 * likely a payment, so there the function has to be a known permission check.
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

/** What conditions are read by. */
interface Asked {
  readonly pool: Pool
  readonly tracer: Tracer
  readonly answers: ReadonlySet<Expression>
  readonly signers: ReadonlySet<Expression>
}

const conditionsOf = (asked: Asked, condition: Expression, holds: boolean): ReadonlyArray<Ways> =>
  collect(asked, condition, holds, new Map()).map(unique)

/**
 * The conditions that are passed where a formula holds, or does not: one alternative of each. None where it says
 * nothing about the caller.
 */
const collect = (asked: Asked, condition: Expression, holds: boolean, known: Known): ReadonlyArray<Ways> => {
  const key = 2 * condition.id + (holds ? 0 : 1)
  const before = known.get(key)
  if (before !== undefined || known.size > maxConditions) return before ?? []
  // A condition that depends on itself adds nothing more.
  known.set(key, [])
  const found = collectNew(asked, condition, holds, (inner, way) => collect(asked, inner, way, known))
  known.set(key, found)
  return found
}

/** Results for parts of a condition, by fact. */
type Known = Map<number, ReadonlyArray<Ways>>

const maxConditions = 64

const collectNew = (
  { answers, pool, signers, tracer }: Asked,
  condition: Expression,
  holds: boolean,
  inner: (condition: Expression, holds: boolean) => ReadonlyArray<Ways>
): ReadonlyArray<Ways> => {
  if (condition.op === Opcodes.ISZERO) return inner(condition.args[0], !holds)
  if (condition.op === Kind.merge) {
    const ways = [...condition.alternatives]
    // A constant that answers so lets everybody through, one that does not lets nobody.
    if (ways.some((way) => way.op === Kind.constant && (way.value !== 0n) === holds)) return []
    return either(ways.filter((way) => way.op !== Kind.constant).map((way) => inner(way, holds)))
  }
  if ((condition.op === Opcodes.OR || condition.op === Opcodes.AND) && loadedField(condition) === undefined) {
    const sides = condition.args.map((side) => inner(side, holds))
    // One of two is enough; so it is for two numbers that share no bit, unless one is a mask.
    const isOne = (condition.op === Opcodes.OR) === holds && condition.args[1]?.op !== Kind.constant
    return isOne ? either(sides) : allOf(sides)
  }
  // A product is not zero where none of its factors is.
  if (condition.op === Opcodes.MUL) return holds ? allOf(condition.args.map((factor) => inner(factor, true))) : []
  // A comparison of the caller's amounts does not identify the caller.
  if (condition.op === Opcodes.LT || condition.op === Opcodes.SLT) return []
  if (answers.has(unmasked(condition))) return holds ? [[{ kind: "unknown" }]] : []
  const compared = comparedIn(pool, condition)
  if (compared !== undefined) {
    const equal = (condition.op === Opcodes.EQ) === holds
    const [a, b] = compared
    const other = isCaller(a) ? b : isCaller(b) ? a : undefined
    if (other !== undefined) return equal ? oneOf(identities(tracer, other)) : []
    const signed = Signer.is(signers, a) ? b : Signer.is(signers, b) ? a : undefined
    if (signed !== undefined) return equal ? oneOf(signatories(tracer, signed)) : []
    if (signers.size > 0 && (isUntold(a) ? isPlaceOfAccount(tracer, b) : isUntold(b) && isPlaceOfAccount(tracer, a)))
      return equal ? [[{ kind: "unknown" }]] : []
    if (isDisguised(a) ? isFixed(tracer, b) : isDisguised(b) && isFixed(tracer, a))
      return equal ? [[{ kind: "unknown" }]] : []
    const [side, value] = a.op === Kind.constant ? [b, a] : [a, b]
    if (value.op === Kind.constant) {
      if (answers.has(unmasked(side))) return (value.value !== 0n) === equal ? [[{ kind: "unknown" }]] : []
      if (loadedField(side) !== undefined) return (value.value !== 0n) === equal ? oneOf(entries(tracer, side)) : []
    }
  } else if (loadedField(condition) !== undefined)
    return holds ? oneOf(entries(tracer, condition, (key) => isCaller(key) || Signer.is(signers, key))) : []
  return oneOf(entries(tracer, condition))
}

/** One of several ways is taken: where one has no condition, there is none. */
const either = (sides: ReadonlyArray<ReadonlyArray<Ways>>): ReadonlyArray<Ways> =>
  sides.every((each) => each.length > 0) ? oneOf([...new Set(sides.flat(2))]) : []

/** All of them are passed: their conditions add up. */
const allOf = (sides: ReadonlyArray<ReadonlyArray<Ways>>): ReadonlyArray<Ways> => [...new Set(sides.flat())]

const oneOf = (ways: Ways): ReadonlyArray<Ways> => (ways.length === 0 ? [] : [ways])

/** The entries about the caller in a formula. */
const entries = (
  tracer: Tracer,
  what: Expression,
  isAsked: (key: Expression) => boolean = isCaller
): ReadonlyArray<Condition> =>
  tracer
    .loads(what)
    .flatMap((load) =>
      (tracer.locate(load.args[0]) ?? []).flatMap(
        ({ id, keys }): ReadonlyArray<Condition> => (keys.some(isAsked) ? [{ kind: "entry", slot: id }] : [])
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
    return (tracer.locate(loaded.load.args[0]) ?? []).map(
      ({ id, keys }): Condition =>
        keys.some(isCaller) ? { kind: "entry", slot: id } : { kind: "slot", slot: id, field: loaded.field }
    )
  }
  // Everybody who has a key sends his transactions himself.
  if (isCaller(other)) return []
  if (other.op === Opcodes.ADDRESS) return [{ kind: "unknown", isSelf: true }]
  // Any caller can pass his own address as an argument, so this guards nothing.
  return tracer.origins(other).every((origin) => origin.kind === "argument") ? [] : [{ kind: "unknown" }]
}

/**
 * The account that the signer was compared with. The zero account is none, and an account in a mapping signs for
 * itself. A variable may hold no account, and then an invalid signature may pass, so it names a signer only after it is
 * read.
 */
const signatories = (tracer: Tracer, other: Expression): ReadonlyArray<Condition> =>
  identities(tracer, other).flatMap((condition): ReadonlyArray<Condition> => {
    if (condition.kind === "constant") return condition.address === Address.zero ? [] : [condition]
    if (condition.kind !== "slot" || condition.slot.includes("[")) return []
    return [{ kind: "unknown", signer: { slot: condition.slot, field: condition.field } }]
  })

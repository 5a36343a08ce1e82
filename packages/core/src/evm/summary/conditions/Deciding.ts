/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Circumstance, ofOpcode } from "../../expression/Circumstance.js"
import { type Expression, fold, innerOf, Kind, maxWord } from "../../expression/Expression.js"
import { isOfContract, type Tracer, unique, type ValueSource } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import type { Trace } from "../../interpreter/Trace.js"
import * as Circumstances from "./Circumstances.js"
import type { ControlFlowGraph } from "./ControlFlowGraph.js"

/**
 * Inputs besides caller and arguments that decide whether a function does its purpose, or what it returns.
 *
 * - `circumstances`: of its {@link Circumstance}s those that do, but for answers of other contracts.
 * - `entries`: mappings of which it reads the entry of an account that the code or a variable names, including the
 *   contract itself: anyone can raise the balance of such an account by a transfer.
 *
 * A comparison of the contract's native balance with an earlier one, as after a swap, does not count, and neither does
 * arithmetic that cannot fail.
 */
export interface Deciding {
  readonly circumstances: ReadonlyArray<Circumstance>
  readonly entries: ReadonlyArray<Entry>
}

/**
 * An entry of a mapping, by its keys; without keys where the code has its place hashed. `against` are the variables that
 * arithmetic holds it against, which may be known not to be less.
 */
export interface Entry {
  readonly slot: string
  readonly keys: ReadonlyArray<ValueSource>
  readonly against?: ReadonlyArray<string>
}

/** A condition without which a function does not do what it is made for. */
export interface DecidingCondition {
  readonly what: Expression
  /** The arithmetic of a compiler requires it. */
  readonly isArithmetic: boolean
}

/**
 * Reads what conditions, the number of rounds of a loop, the places that are written, and the words that a function returns
 * depend on; undefined where that is nothing else.
 */
export const of = (
  tracer: Tracer,
  trace: Trace,
  graph: ControlFlowGraph,
  conditions: ReadonlyArray<DecidingCondition>
): Deciding | undefined => {
  const looks = Circumstances.looksAside(trace)
  const returned = trace.blocks.flatMap(({ events, succeeds }) =>
    events.flatMap((event) =>
      succeeds && event.kind === "return" && event.word !== undefined ? [{ what: event.word, isArithmetic: false }] : []
    )
  )
  const circumstances = new Set<Circumstance>()
  const entries: Array<Entry> = []
  for (const { isArithmetic, what } of [...conditions, ...returned]) {
    const found = influencesIn(tracer, looks, what)
    if (found.size === 0 || isOfAlike(what, isArithmetic ? (part) => found.has(part) : (part) => isOwn(looks, part)))
      continue
    if (isArithmetic && !varies(what, new Set(found.keys()))) continue
    const against = isArithmetic ? loadsBeside(tracer, what, found) : []
    for (const influence of found.values())
      if (typeof influence === "string") circumstances.add(influence)
      else entries.push(...influence.map((entry) => (against.length === 0 ? entry : { ...entry, against })))
  }
  for (const what of new Set([...roundsOf(trace, graph), ...placesIn(tracer, trace)]))
    for (const influence of influencesIn(tracer, looks, what).values())
      if (typeof influence !== "string") entries.push(...influence)
      // A loop that ends before the gas does ends, and what is left of it goes into calls.
      else if (influence !== "gas") circumstances.add(influence)
  return circumstances.size === 0 && entries.length === 0
    ? undefined
    : { circumstances: [...circumstances].sort(), entries: unique(entries) }
}

/** What says which entry is written, or which word in memory is taken, such as one of several receivers. */
const placesIn = ({ locate }: Tracer, { blocks }: Trace): ReadonlyArray<Expression> =>
  blocks.flatMap(({ events, succeeds }) =>
    succeeds
      ? events.flatMap((event) => {
          if (event.kind === "use") return [event.what]
          return event.kind === "store" ? (locate(event.slot) ?? []).flatMap(({ keys }) => keys) : []
        })
      : []
  )

/** The conditions on which a loop has another round: with too many, a function runs out of gas. */
const roundsOf = ({ blocks }: Trace, graph: ControlFlowGraph): ReadonlyArray<Expression> =>
  blocks.flatMap(({ events, index, succeeds }) => {
    const conditions = events.flatMap((event) => (event.kind === "branch" ? [event.condition] : []))
    return succeeds && conditions.length > 0 && graph.repeats(index) ? conditions : []
  })

/** What of a formula is a circumstance, or an entry of an account that the code or a variable names. */
export const influencesIn = (
  { locate, origin }: Pick<Tracer, "locate" | "origin">,
  looks: Circumstances.Looks,
  what: Expression
): ReadonlyMap<Expression, Circumstance | ReadonlyArray<Entry>> => {
  const found = new Map<Expression, Circumstance | ReadonlyArray<Entry>>()
  for (const part of Walk.parts([what], { most: maxParts })) {
    const kind = looks.get(part)?.kind ?? ofOpcode.get(part.op)
    if (kind !== undefined) found.set(part, kind)
    if (part.op !== Opcodes.SLOAD) continue
    const entries = (locate(part.args[0]) ?? []).flatMap(({ id, keys }): ReadonlyArray<Entry> => {
      const named = keys.map(origin)
      return named.every((key) => key.kind === "self" || isOfContract(key)) && (named.length > 0 || isHash(id))
        ? [{ slot: id, keys: named }]
        : []
    })
    if (entries.length > 0) found.set(part, entries)
  }
  return found
}

const maxParts = 4_096

/** Whether the code has a place hashed already, as it does where the account of an entry is a constant. */
const isHash = (slot: string): boolean => /^0x[0-9a-f]{60,}$/.test(slot)

/** Whether it compares parts, or two readings, of the same. */
const isOfAlike = ({ args: [one, other], op }: Expression, isOfSame: (part: Expression) => boolean): boolean =>
  op === Opcodes.LT &&
  one !== undefined &&
  other !== undefined &&
  [one, other].every((side) => [...Walk.parts([side], { into: Walk.held, most: maxParts })].some(isOfSame))

const isOwn = (looks: Circumstances.Looks, part: Expression): boolean => looks.get(part)?.isOwn === true

/** What else is loaded for a condition. */
const loadsBeside = (
  { locate }: Pick<Tracer, "locate">,
  what: Expression,
  influences: ReadonlyMap<Expression, unknown>
): ReadonlyArray<string> =>
  [...Walk.parts([what], { into: Walk.held, most: maxParts })].flatMap((part) =>
    part.op === Opcodes.SLOAD && !influences.has(part) ? (locate(part.args[0]) ?? []).map(({ id }) => id) : []
  )

/** Whether a formula is zero for some values and not for others; true where that is not known. */
const varies = (what: Expression, influences: ReadonlySet<Expression>): boolean => {
  const parts = [...Walk.parts([what], { into: (part) => (isWorkedOut(part) ? innerOf(part) : []), most: maxTried })]
  if (parts.length === maxTried) return true
  const constants = parts.flatMap((part) => (part.op === Kind.constant ? [part.value] : []))
  const numbers = [...usual, ...constants.flatMap((value) => [value, value + 1n, value === 0n ? 0n : value - 1n])]
  const sorted = [...parts].sort((one, other) => one.id - other.id)
  return others.some((rest) => {
    const truths = new Set(
      numbers.slice(0, maxNumbers).map((number) => {
        const values = new Map<Expression, bigint>()
        for (const part of sorted) values.set(part, valueOf(part, values, influences.has(part) ? number : rest))
        return values.get(what) === 0n
      })
    )
    return truths.size > 1
  })
}

const maxTried = 128
const maxNumbers = 24

/** Sample amounts: zero, small ones, and more than any account has. */
const usual: ReadonlyArray<bigint> = [0n, 1n, 2n, 10n ** 9n, 10n ** 18n, 10n ** 27n]

const others: ReadonlyArray<bigint> = [1n, 100n, 10n ** 20n]

const valueOf = (what: Expression, values: ReadonlyMap<Expression, bigint>, leaf: bigint): bigint => {
  if (what.op === Kind.constant) return what.value
  if (!isWorkedOut(what)) return leaf
  if (what.op === Kind.merge) return [...what.alternatives].map((way) => values.get(way) ?? 0n)[0] ?? 0n
  const [a = 0n, b = 0n] = what.args.map((arg) => values.get(arg) ?? 0n)
  if (what.op === Opcodes.ISZERO) return BigInt(a === 0n)
  return what.op === Opcodes.NOT ? maxWord ^ a : (fold(what.op, a, b) ?? 0n)
}

const isWorkedOut = ({ args, op }: Expression): boolean =>
  op === Kind.merge ||
  op === Opcodes.ISZERO ||
  op === Opcodes.NOT ||
  (args.length === 2 && fold(op, 1n, 1n) !== undefined)

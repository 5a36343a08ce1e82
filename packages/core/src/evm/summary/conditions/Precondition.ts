/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import * as Clock from "../../expression/Clock.js"
import {
  addressBits,
  type Expression,
  isUnknown,
  Kind,
  maxWord,
  type Pool,
  unmasked
} from "../../expression/Expression.js"
import {
  type Field,
  loadedField,
  makeFieldReader,
  type Tracer,
  type ValueSource
} from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import type { DecidingCondition } from "./Deciding.js"

/**
 * A requirement of a function: one of these conditions has to hold, or the call reverts or ends without a write. The
 * compiler's checks for overflow and division by zero are left out.
 */
export interface Precondition {
  readonly anyOf: ReadonlyArray<Condition>
  /** How many of the first are the requirement itself; the others are ways around it. */
  readonly asked: number
}

/**
 * A comparison that has to hold, or not to. `below` says that `left` is less than `right`; a yes-or-no value is
 * compared with zero.
 */
export interface Condition {
  readonly test: "equal" | "below"
  readonly holds: boolean
  readonly left: Side
  readonly right: Side
}

/** One side of a comparison: the entries that go into it, each with the part of its word, and where it comes from. */
export interface Side {
  readonly reads: ReadonlyArray<Loaded>
  readonly about: ReadonlyArray<ValueSource>
  /** Those of a sum that are added as they are, rather than multiplied first. */
  readonly added?: ReadonlyArray<Loaded>
  /** The side is the unchanged time. */
  readonly clock?: Clock.Clock
  /** The side is the unchanged value of one entry. */
  readonly isKept?: true
}

/** A part of a word in storage, and the keys of its entry. */
export interface Loaded {
  readonly slot: string
  readonly keys: ReadonlyArray<ValueSource>
  readonly field: Field | undefined
}

/** Gathers the requirements of one function. */
export interface Collector {
  /** Notes that a branch has to go a way. */
  readonly require: (branch: number, condition: Expression, holds: boolean) => void
  /** Notes the ways to a branch. Its condition is a requirement if some way offers nothing to go around it. */
  readonly excuse: (branch: number, ways: Ways) => void
  /**
   * `implied` is left out of the others: arithmetic, conditions that can be passed in too many ways, and unknown ones.
   */
  readonly all: (work: Slices.Work) => Slices.Slices<{
    readonly requirements: ReadonlyArray<Precondition>
    readonly implied: ReadonlyArray<Precondition>
    /** All that is required, and what excuses a call from it where that is only about who the parties are. */
    readonly deciding: ReadonlyArray<DecidingCondition>
  }>
}

/** The conditions on one way to a branch; any of them leads a call around the branch. */
export type Way = ReadonlyArray<{ readonly condition: Expression; readonly holds: boolean }>

/** The ways to a branch; `"untold"` where there are too many to look at. */
export type Ways = ReadonlyArray<Way> | "untold"

/** An empty collector. */
export const makeCollector = (pool: Pool, sideOf: (what: Expression) => Side): Collector => {
  const clauses = new Map<number, ReadonlyArray<Clause>>()
  const excuses = new Map<number, ReadonlyArray<Clause | "untold">>()
  return {
    require: (branch, condition, holds) => {
      clauses.set(branch, [...(clauses.get(branch) ?? []), ...clausesOf(condition, holds, 0)])
    },
    excuse: (branch, ways) => {
      if (ways === "untold") {
        excuses.set(branch, [ways])
        return
      }
      const all = ways.map((way) => way.flatMap(({ condition, holds }) => clausesOf(condition, holds, 0).flat()))
      excuses.set(branch, all.length > maxWays ? [undoubted(all.flat())] : all)
    },
    *all(work) {
      const { divisors } = pool
      const requirements: Array<Precondition> = []
      const implied: Array<Precondition> = []
      const deciding = new Map<Expression, boolean>()
      const decide = (atoms: Clause, isSum: boolean): void => {
        for (const { what } of atoms) deciding.set(what, isSum && (deciding.get(what) ?? true))
      }
      for (const [branch, list] of clauses)
        for (const way of excuses.get(branch) ?? [[]])
          for (const clause of list) {
            const isSum = clause.some((atom) => isArithmetic(atom, divisors))
            // Arithmetic checks do not depend on earlier conditions.
            const around = isSum ? [] : way
            decide(clause, isSum)
            if (around !== "untold" && clause.every(isAboutParty)) decide(around, false)
            const isEndless = around === "untold" || clause.length + around.length > maxAtoms
            const isMixed = isEndless || clause.some((atom) => atom.isMixed)
            const atoms = isEndless ? clause : [...clause, ...around]
            if (isAlwaysMet(atoms) || clause.every(isOfSomething) || clause.some(isOfClock)) continue
            const anyOf = atoms.map((atom) => conditionOf(isEndless ? { ...atom, isMixed: true } : atom, pool, sideOf))
            const asked = clause.length
            if (work.isDue(weightOf(anyOf))) yield undefined
            // What a party's own account is like says nothing by itself: the rest of the requirement decides.
            const telling = clause.every(isOfParty) ? anyOf : anyOf.slice(0, asked)
            const isAsking = !isMixed && telling.some(saysSomething) && anyOf.some(isAboutStorage)
            const isUntold =
              !isAsking &&
              (isMixed || atoms.some((atom, i) => !isOfTransaction(atom) && isUntoldIn(anyOf[i] as Condition)))
            if (!isAsking && !isUntold) continue
            const found = isSum || isUntold ? implied : requirements
            found.push({ anyOf, asked })
          }
      yield undefined
      return {
        requirements: simplified(requirements),
        implied: simplified(implied),
        deciding: [...deciding].map(([what, isArithmetic]) => ({ what, isArithmetic }))
      }
    }
  }
}

/** What it takes to look at conditions, in the unit of {@link Slices.Work}. */
export const weightOf = (anyOf: ReadonlyArray<Condition>): number =>
  anyOf.reduce((sum, { left, right }) => sum + 1 + left.reads.length + right.reads.length, 0)

/** Reads formulas as sides of comparisons, each once. */
export const makeSides = (tracer: Tracer): ((what: Expression) => Side) => {
  const sides = new Map<Expression, Side>()
  return (what) => {
    const known = sides.get(what)
    if (known !== undefined) return known
    const clock = Clock.of(what)
    const made = {
      reads: readsOf(tracer, what),
      about: tracer.origins(what),
      ...(what.op === Opcodes.ADD ? { added: addendsOf(what).flatMap((term) => readOf(tracer, term)) } : {}),
      ...(clock === undefined ? {} : { clock }),
      ...(loadedField(what) === undefined ? {} : { isKept: true as const })
    }
    sides.set(what, made)
    return made
  }
}

/** The most ways to a branch that are kept apart. More are merged, as if each led around the condition. */
const maxWays = 8

/** The most places with the same condition that are compared. */
const maxAlike = 64

/** Conditions of one requirement that are looked at. */
const maxAtoms = 24

/** A formula that has to be true, or false. */
interface Atom {
  readonly what: Expression
  readonly holds: boolean
  /** Some paths to it were merged, and on one of them it holds. */
  readonly isMixed?: true
}

/** One of them has to hold. */
type Clause = ReadonlyArray<Atom>

/** All of them have to hold for a formula to hold, or not to. */
const clausesOf = (what: Expression, holds: boolean, depth: number): ReadonlyArray<Clause> => {
  if (what.op === Opcodes.ISZERO) return clausesOf(what.args[0], !holds, depth)
  if (depth < 4 && (what.op === Opcodes.AND || what.op === Opcodes.OR)) {
    const [a, b] = what.args
    if (a.bits <= 1 && b.bits <= 1 && b.op !== Kind.constant) {
      const sides = [clausesOf(a, holds, depth + 1), clausesOf(b, holds, depth + 1)]
      return (what.op === Opcodes.AND) === holds ? sides.flat() : [sides.flat(2)]
    }
  }
  if (depth < 4 && what.op === Kind.merge && what.alternatives.size <= 8) {
    const ways = [...what.alternatives]
    // A way with a constant that satisfies the condition requires nothing.
    if (ways.some((way) => way.op === Kind.constant && (way.value !== 0n) === holds))
      return [[{ what, holds, isMixed: true }]]
    return [ways.filter((way) => way.op !== Kind.constant).flatMap((way) => clausesOf(way, holds, depth + 1).flat())]
  }
  return [[{ what, holds }]]
}

const conditionOf = ({ holds, isMixed, what }: Atom, pool: Pool, sideOf: (what: Expression) => Side): Condition => {
  if (isMixed) return { test: "equal", holds: !holds, left: untold, right: sideOf(pool.constant(0n)) }
  const sides = ([a, b]: readonly [Expression, Expression]) => ({ left: sideOf(a), right: sideOf(b) })
  switch (what.op) {
    case Opcodes.LT:
    case Opcodes.SLT:
      return { test: "below", holds, ...sides(what.args) }
    case Opcodes.EQ:
      return { test: "equal", holds, ...sides(what.args) }
    case Opcodes.SUB:
    case Opcodes.XOR:
      return { test: "equal", holds: !holds, ...sides(what.args) }
    default:
      return { test: "equal", holds: !holds, left: sideOf(what), right: sideOf(pool.constant(0n)) }
  }
}

/** Whether a condition depends on the call or on storage, and not on another contract alone. */
const saysSomething = ({ left, right }: Condition): boolean =>
  [left, right].some(({ about }) => about.some(({ kind }) => kind !== "unknown" && kind !== "constant"))

const untold: Side = { reads: [], about: [{ kind: "unknown" }] }

/**
 * Whether a condition is up to the sender of the transaction: empty transient storage, as in a reentrancy check, or
 * whether a party is a contract or has enough ether.
 */
const isOfTransaction = (atom: Atom): boolean => (!atom.holds && isUnknown(atom.what, "transient")) || isOfParty(atom)

/** Whether it only compares the code size or the ether of a party with a number. */
const isOfParty = ({ what }: Atom): boolean =>
  isUnknown(what, "party") ||
  (what.args.length === 2 &&
    what.args.some((side) => isUnknown(side, "party")) &&
    what.args.some((side) => side.op === Kind.constant))

/** Whether it is about who calls or is named, or what their accounts are like, and about no answer of another contract. */
const isAboutParty = ({ isMixed, what }: Atom): boolean => {
  let isOfParty = false
  for (const part of Walk.parts([what], { into: Walk.held, most: maxPartsOfParty })) {
    if (isMixed === true || (part.op === Kind.unknown && part.detail.kind !== "party")) return false
    isOfParty ||=
      part.op === Kind.unknown || part.op === Opcodes.CALLER || part.op === Opcodes.ORIGIN || Argument.is(part)
  }
  return isOfParty
}

const maxPartsOfParty = 64

/** Whether an unknown value without a storage read goes into a condition. */
export const isOpaque = ({ left, right }: Condition): boolean =>
  [left, right].some(({ about, reads }) => reads.length === 0 && about.some(({ kind }) => kind === "unknown"))

/** Whether a storage value goes into a condition. */
export const isAboutStorage = ({ left, right }: Condition): boolean => left.reads.length + right.reads.length > 0

/** Whether the content of a condition is unknown: an unknown value goes into it, or a hash of stored values. */
const isUntoldIn = (condition: Condition): boolean =>
  isOpaque(condition) || (isAboutStorage(condition) && !saysSomething(condition))

/** Whether the condition only requires a non-zero amount or account as an argument. */
const isOfSomething = ({ holds, what }: Atom): boolean =>
  holds &&
  (isArgument(what) ||
    // Wider than meant: what an argument has to be above may be a lower limit in a variable, which is then not seen.
    (what.op === Opcodes.LT && what.args[0].op !== Kind.constant && isArgument(what.args[1])))

/** Whether the clock has to be below what it will not reach for decades, as where compilers keep it in 32 bits. */
const isOfClock = ({ holds, what: { args, op } }: Atom): boolean =>
  !holds &&
  op === Opcodes.LT &&
  args[0]?.op === Kind.constant &&
  Clock.isBeyond(args[0].value) &&
  args[1] !== undefined &&
  Clock.of(args[1]) !== undefined

const isArgument = (what: Expression): boolean => Argument.is(what.bits >= addressBits ? unmasked(what) : what)

/** Whether one of them is the opposite of another, as after the two sides of a branch were merged. */
const isAlwaysMet = (atoms: Clause): boolean => {
  const held = new Set(atoms.flatMap(({ holds, what }) => (holds ? [what] : [])))
  return atoms.some(({ holds, what }) => !holds && held.has(what))
}

/** Those without their opposite among them. */
const undoubted = (atoms: Clause): Clause => {
  const [held, refused] = [true, false].map(
    (way) => new Set(atoms.flatMap(({ holds, what }) => (holds === way ? [what] : [])))
  )
  return atoms.filter(({ holds, what }) => !(holds ? refused : held)?.has(what))
}

/**
 * Simplifies: a requirement on both sides of a branch does not depend on the branch, and one that another one implies
 * is dropped.
 */
const simplified = (all: ReadonlyArray<Precondition>): ReadonlyArray<Precondition> => {
  const groups = new Map<string, Array<Precondition & { readonly around: Map<string, Condition> }>>()
  for (const { anyOf, asked } of all) {
    const key = JSON.stringify(anyOf.slice(0, asked))
    const group = groups.get(key) ?? []
    groups.set(key, group)
    const around = new Map(anyOf.slice(asked).map((condition) => [JSON.stringify(condition), condition]))
    // A requirement in so many places is taken as unconditional.
    if (!group.some((other) => isWithin(other.around, around)))
      group.push({ anyOf: anyOf.slice(0, asked), asked, around: group.length < maxAlike ? around : new Map() })
  }
  for (const group of groups.values()) {
    let strikes = group.length > 1
    while (strikes) {
      strikes = false
      for (const one of group)
        for (const [key, condition] of one.around) {
          if (!isOfOne(condition)) continue
          const opposite = JSON.stringify({ ...condition, holds: !condition.holds })
          for (const other of group)
            if (other.around.has(opposite) && isWithin(one.around, other.around, key)) {
              other.around.delete(opposite)
              strikes = true
            }
        }
    }
  }
  return [...groups.values()].flatMap((group) =>
    group
      .filter(
        ({ around }, i) =>
          !group.some(
            (other, j) => i !== j && isWithin(other.around, around) && (other.around.size < around.size || j < i)
          )
      )
      .map(({ anyOf, around, asked }) => ({ anyOf: [...anyOf, ...around.values()], asked }))
  )
}

/** Whether all of one is in the other, but for what is left out. */
const isWithin = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>, but?: string): boolean => {
  for (const key of one.keys()) if (key !== but && !other.has(key)) return false
  return true
}

/** Whether the condition is about one value only: then its opposite has the same form. */
const isOfOne = ({ left, right }: Condition): boolean =>
  [left, right].every(({ about, reads }) => about.length === 1 && about[0]?.kind !== "unknown" && reads.length <= 1)

const readsOf = (tracer: Tracer, what: Expression): ReadonlyArray<Loaded> => {
  const reads = new Map<string, Loaded>()
  const fieldOf = makeFieldReader()
  for (const part of tracer.parts(what)) {
    const loaded = fieldOf(part)
    if (loaded === undefined) continue
    for (const { id, keys } of tracer.locate(loaded.load.args[0]) ?? []) {
      const read = { slot: id, keys: keys.map((key) => tracer.origin(key)), field: loaded.field }
      reads.set(JSON.stringify(read), read)
    }
  }
  return [...reads.values()]
}

const readOf = (tracer: Tracer, what: Expression): ReadonlyArray<Loaded> =>
  loadedField(what) === undefined ? [] : readsOf(tracer, what)

/** What a sum is of. */
const addendsOf = (sum: Expression): ReadonlyArray<Expression> => {
  const terms = new Set([sum])
  for (const term of terms)
    if (term.op === Opcodes.ADD && terms.size <= 8) {
      terms.delete(term)
      for (const arg of term.args) terms.add(arg)
    }
  return [...terms]
}

/** Whether a formula is a compiler's question, or SafeMath's, whether a number wrapped, or what is divided by is zero. */
const isArithmetic = ({ what }: Atom, divisors: ReadonlySet<Expression>): boolean => {
  switch (what.op) {
    case Opcodes.LT: {
      const [a, b] = what.args
      return (
        isRestOfLargest(a) ||
        isRestOfLargest(b) ||
        isPartOf(a, b, 0) ||
        isPartOf(b, a, 0) ||
        what.args.some(
          (side) => side.op === Opcodes.DIV && side.args[0]?.op === Kind.constant && side.args[0].bits > 128
        ) ||
        // The largest number divided by one in the code: no amount comes near it.
        what.args.some((side) => side.op === Kind.constant && side.bits > 200)
      )
    }
    case Opcodes.SUB:
    case Opcodes.XOR:
      return isOfLargest(...what.args)
    case Opcodes.EQ: {
      const [a, b] = what.args
      return (
        isOfLargest(a, b) ||
        what.args.some((side) => side.op === Opcodes.DIV && isPartOf(side.args[1], side.args[0], 0)) ||
        isWithoutHighBits(a, b) ||
        isWithoutHighBits(b, a)
      )
    }
    default:
      return what.op !== Kind.merge && divisors.has(what) && what.bits > 8
  }
}

/** Whether it is what can be added to something before it wraps, be it kept in half a word only. */
const isRestOfLargest = ({ args: [from], op }: Expression): boolean =>
  op === Opcodes.NOT ||
  (op === Opcodes.SUB && from?.op === Kind.constant && from.bits >= 128 && (from.value & (from.value + 1n)) === 0n)

/** Whether one is the largest number there is, which cannot be counted up. */
const isOfLargest = (...sides: ReadonlyArray<Expression>): boolean =>
  sides.some((side) => side.op === Kind.constant && side.value === maxWord)

/** Whether one is the other without its high bits, as what was multiplied and divided by a power of two is. */
const isWithoutHighBits = (what: Expression, other: Expression): boolean =>
  what.op === Opcodes.AND &&
  what.args[0] === other &&
  what.args[1]?.op === Kind.constant &&
  (what.args[1].value & (what.args[1].value + 1n)) === 0n

/** Whether a sum, difference or product is made of a formula. */
const isPartOf = (part: Expression, what: Expression, depth: number): boolean => {
  if (depth > 3) return false
  return calculating.has(what.op) && what.args.some((arg) => arg === part || isPartOf(part, arg, depth + 1))
}

const calculating: ReadonlySet<number> = new Set([
  Opcodes.ADD,
  Opcodes.SUB,
  Opcodes.MUL,
  Opcodes.DIV,
  // Products and quotients of powers of two.
  Opcodes.SHL,
  Opcodes.SHR
])

/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Clock from "../../expression/Clock.js"
import { type Expression, innerOf, isClock, Kind, unmasked, unnegated } from "../../expression/Expression.js"
import { type Field, isLowMask, loadedField, type Tracer } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import { madeOf, type Trace } from "../../interpreter/Trace.js"

/**
 * When what a function does may change by itself, because its code compares a clock with something.
 *
 * - `known`: the moments that could be solved for. Between two of them the outcome of each comparison stays the same, or
 *   changes once.
 * - `free`: how many comparisons are with something that has no single value, such as an amount or an account's entry.
 *   Each has its outcome change at most once between two known moments.
 * - `complete` is false where the clock goes into a formula that is not followed.
 */
export interface Moments {
  readonly known: ReadonlyArray<Moment>
  readonly free: number
  readonly complete: boolean
}

/**
 * A reading of a clock, in seconds or in blocks, and how much of it passes until the same comes again (`every`, decimal).
 */
export interface Moment {
  readonly clock: Clock.Clock
  readonly at: Sum
  readonly every?: string
}

/** A constant and multiples of what storage holds, all decimal. */
export interface Sum {
  readonly constant: string
  readonly terms: ReadonlyArray<{ readonly factor: string; readonly slot: string; readonly field: Field | undefined }>
}

/** The moments in a trace; undefined where it reads no clock. */
export const of = (tracer: Tracer, trace: Trace): Moments | undefined => {
  const conditions = new Set<Expression>()
  const others = new Set<Expression>()
  const places = new Set<Expression>()
  const uses = new Set<Expression>()
  for (const { events, succeeds } of trace.blocks) {
    if (!succeeds) continue
    for (const event of events) {
      if (event.kind === "branch") conditions.add(unnegated(event.condition).asked)
      else if (event.kind === "store") {
        places.add(event.slot)
        others.add(event.value)
      } else if (event.kind === "load") places.add(event.slot)
      else if (event.kind === "use") uses.add(event.what)
      else for (const part of madeOf(event)) others.add(part)
    }
  }
  const all = [...Walk.parts([...conditions, ...others, ...places, ...uses], { into: Walk.held, most: mostParts })]
  if (!all.some(isClock)) return undefined
  const reader = makeReader(tracer)
  for (const condition of conditions) reader.decide(condition)
  // A value is split into its packed fields.
  for (const part of Walk.parts(others, { into: (part) => (packing.has(part.op) ? innerOf(part) : []) }))
    if (!packing.has(part.op)) reader.weigh(part)
  for (const part of all) reader.meet(part)
  for (const place of places) reader.place(place)
  for (const use of uses) reader.use(use)
  return reader.found(all.length < mostParts)
}

const mostParts = 20_000

const packing: ReadonlySet<number> = new Set([Opcodes.OR, Opcodes.AND, Opcodes.SHL, Opcodes.SHR, Opcodes.NOT])

/** Whether a sum is compared with what was added, or a difference with what it was taken from, to see that none wrapped. */
const isCheck = (a: Expression, b: Expression): boolean => isWorkedOut(a, b) || isWorkedOut(b, a)

const isWorkedOut = (result: Expression, from: Expression): boolean =>
  (result.op === Opcodes.ADD && result.args.includes(from)) || (result.op === Opcodes.SUB && result.args[0] === from)

const pairOf = (a: Expression, b: Expression): string => (a.id < b.id ? `${a.id} ${b.id}` : `${b.id} ${a.id}`)

/** Whether a product is divided by one factor and compared with the other, to see that it did not overflow. */
const isOfProduct = (quotient: Expression, factor: Expression): boolean => {
  const [product, divisor] = quotient.args
  return (
    quotient.op === Opcodes.DIV &&
    product?.op === Opcodes.MUL &&
    divisor !== undefined &&
    product.args.includes(divisor) &&
    product.args.includes(factor)
  )
}

/** How a number goes with the time: not at all, up or down with it, or in a way that is not followed. */
type Course = "still" | "up" | "down" | "lost"

interface Form {
  readonly constant: bigint
  readonly terms: ReadonlyArray<{ readonly factor: bigint; readonly slot: string; readonly field: Field | undefined }>
}

const makeReader = (tracer: Tracer) => {
  const known = new Map<string, Moment>()
  const free = new Set<string>()
  let isLost = false
  const courses = new Map<Expression, Course>()

  const course = (what: Expression): Course => {
    const before = courses.get(what)
    if (before !== undefined) return before
    // A cycle adds nothing.
    courses.set(what, "still")
    const found = courseOf(what)
    courses.set(what, found)
    return found
  }

  const courseOf = (what: Expression): Course => {
    if (isClock(what)) return "up"
    if (comparing.has(what.op) || what.op === Opcodes.SLOAD) return "still"
    if (what.op === Kind.merge) return [...what.alternatives].map(course).reduce(together, "still")
    const [a, b] = what.args
    if (a === undefined) return "still"
    const first = course(a)
    if (b === undefined) return first === "still" ? first : what.op === Opcodes.NOT ? turned(first) : "lost"
    const second = course(b)
    if (first === "still" && second === "still" && what.args.every((arg) => course(arg) === "still")) return "still"
    switch (what.op) {
      case Opcodes.ADD:
      case Opcodes.MUL:
        return together(first, second)
      case Opcodes.SUB:
        return together(first, turned(second))
      case Opcodes.DIV:
      case Opcodes.SDIV:
        return together(first, turned(second))
      case Opcodes.MOD:
      case Opcodes.SMOD:
        return b.op === Kind.constant ? first : "lost"
      case Opcodes.AND:
        return b.op === Kind.constant && isLowMask(b.value) ? first : "lost"
      case Opcodes.SHL:
      case Opcodes.SHR:
      case Opcodes.SAR:
      case Opcodes.SIGNEXTEND:
        return first === "still" ? second : "lost"
      case Opcodes.EXP:
        return together(first, second)
      default:
        return "lost"
    }
  }

  const compare = (a: Expression, b: Expression, isEquality: boolean): void => {
    const [first, second] = [course(a), course(b)]
    if ((first === "still" && second === "still") || isOfProduct(a, b) || isOfProduct(b, a)) return
    if (first === "lost" || second === "lost") {
      isLost = true
      return
    }
    // A wrap of a difference is handled where the difference is found.
    if (isCheck(a, b) || isCheck(unmasked(a), unmasked(b))) return
    if (first !== "still" && second !== "still") {
      if (!isOneDistance(a, b)) isLost = true
      return
    }
    const [side, other] = first === "still" ? [b, a] : [a, b]
    const values = valuesOf(tracer, other)
    if (values === undefined) {
      free.add(pairOf(a, b))
      return
    }
    for (const value of values)
      for (const each of isEquality ? [value, plus(value, one)] : [value]) {
        const found = solve(side, each, undefined, new Set())
        if (found === undefined) free.add(pairOf(a, b))
        else for (const moment of found) known.set(JSON.stringify(moment), moment)
      }
  }

  /** Whether two numbers go with one clock at the same pace, so that nothing changes between them. */
  const isOneDistance = (a: Expression, b: Expression): boolean => {
    const [x, y] = [paceOf(a), paceOf(b)]
    return x !== undefined && x === y
  }

  const paceOf = (what: Expression): number | undefined => {
    if (isClock(what)) return what.op
    if (Clock.of(what) !== undefined) return unmasked(what).op
    const [a, b] = what.args
    if (a === undefined || b === undefined) return undefined
    if (what.op === Opcodes.ADD)
      return course(a) === "still" ? paceOf(b) : course(b) === "still" ? paceOf(a) : undefined
    return what.op === Opcodes.SUB && course(b) === "still" ? paceOf(a) : undefined
  }

  const solve = (
    what: Expression,
    value: Form,
    every: bigint | undefined,
    seen: ReadonlySet<Expression>
  ): ReadonlyArray<Moment> | undefined => {
    const clock = Clock.of(what)
    if (clock !== undefined) return [momentOf(clock, value, every)]
    if (seen.has(what) || seen.size > mostDepth) return undefined
    const inside = new Set([...seen, what])
    const within = (part: Expression, to: Form, period = every) => solve(part, to, period, inside)
    if (what.op === Kind.merge)
      return allOf([...what.alternatives].filter((way) => course(way) !== "still").map((way) => within(way, value)))
    const [a, b] = what.args
    if (a === undefined || b === undefined) return undefined
    const [side, other] = course(a) === "still" ? [b, a] : [a, b]
    switch (what.op) {
      case Opcodes.ADD:
        // A subtraction may be written as the addition of the two's complement.
        return eachOf(other, (by) => allOf([within(side, minus(value, by)), within(side, minus(zero, by))]))
      case Opcodes.SUB:
        // Where it passes zero it may begin anew from above.
        return eachOf(other, (by) =>
          allOf([within(side, side === a ? plus(value, by) : minus(by, value)), within(side, by)])
        )
      case Opcodes.DIV:
        if (side === b)
          return a.op === Kind.constant && value.terms.length === 0 && value.constant > 0n && every === undefined
            ? within(b, { constant: a.value / value.constant, terms: [] })
            : undefined
        return side === a && b.op === Kind.constant
          ? within(a, times(value, b.value), every === undefined ? undefined : every * b.value)
          : undefined
      case Opcodes.SHR: {
        if (side !== b || a.op !== Kind.constant || a.value > 255n) return undefined
        const unit = 1n << a.value
        return within(b, times(value, unit), every === undefined ? undefined : every * unit)
      }
      case Opcodes.MUL:
        return other.op === Kind.constant && other.value > 0n && value.terms.length === 0 && every === undefined
          ? within(side, { constant: (value.constant + other.value - 1n) / other.value, terms: [] })
          : undefined
      case Opcodes.MOD:
        return side === a && b.op === Kind.constant && b.value > 0n && every === undefined
          ? allOf([within(a, value, b.value), within(a, zero, b.value)])
          : undefined
      case Opcodes.AND:
        if (b.op !== Kind.constant || !isLowMask(b.value)) return undefined
        if (Clock.isBeyond(b.value)) return within(a, value)
        return every === undefined ? allOf([within(a, value, b.value + 1n), within(a, zero, b.value + 1n)]) : undefined
      default:
        return undefined
    }
  }

  const eachOf = (
    other: Expression,
    found: (by: Form) => ReadonlyArray<Moment> | undefined
  ): ReadonlyArray<Moment> | undefined => {
    const values = valuesOf(tracer, other)
    return values === undefined ? undefined : allOf(values.map(found))
  }

  const note = (moments: ReadonlyArray<Moment> | undefined): void => {
    if (moments === undefined) isLost = true
    else for (const moment of moments) known.set(JSON.stringify(moment), moment)
  }

  return {
    decide: (condition: Expression): void => {
      const [a, b] = condition.args
      if (equating.has(condition.op) && a !== undefined && b !== undefined) compare(a, b, true)
      else if (!comparing.has(condition.op)) compare(condition, nothing, true)
    },
    meet: (what: Expression): void => {
      const [a, b] = what.args
      if (a === undefined) return
      if (what.op === Opcodes.ISZERO) {
        if (!comparing.has(a.op)) compare(a, nothing, true)
        return
      }
      if (b === undefined) return
      // A difference wraps where the subtracted value is larger.
      if (what.op === Opcodes.SUB) compare(a, b, false)
      else if (comparing.has(what.op)) compare(a, b, what.op === Opcodes.EQ)
      // Where a period begins anew, whatever it goes into.
      else if ((what.op === Opcodes.MOD || what.op === Opcodes.SMOD) && b.op === Kind.constant && course(a) !== "still")
        note(solve(a, zero, b.value, new Set()))
    },
    weigh: (what: Expression): void => {
      if (course(what) === "lost") isLost = true
    },
    // A place in memory that moves with the time selects another word each time.
    use: (what: Expression): void => {
      if (course(what) !== "still") isLost = true
    },
    // The time selects the entry.
    place: (slot: Expression): void => {
      for (const part of Walk.parts([slot], { into: Walk.held })) if (isClock(part)) isLost = true
    },
    found: (isWhole: boolean): Moments => ({
      known: [...known.values()],
      free: free.size,
      complete: isWhole && !isLost && trackable(known.size)
    })
  }
}

const trackable = (count: number): boolean => count <= mostMoments

const mostMoments = 64

const mostDepth = 24

const comparing: ReadonlySet<number> = new Set([
  Opcodes.LT,
  Opcodes.GT,
  Opcodes.SLT,
  Opcodes.SGT,
  Opcodes.EQ,
  Opcodes.ISZERO
])

const equating: ReadonlySet<number> = new Set([Opcodes.SUB, Opcodes.XOR])

const together = (a: Course, b: Course): Course => (a === "still" ? b : b === "still" || a === b ? a : "lost")

const turned = (one: Course): Course => (one === "up" ? "down" : one === "down" ? "up" : one)

const zero: Form = { constant: 0n, terms: [] }
const one: Form = { constant: 1n, terms: [] }

// Zero as a formula: of an expression nothing but its op and value is read here.
const nothing = { id: -1, op: Kind.constant, value: 0n, args: [] } as unknown as Expression

const times = ({ constant, terms }: Form, by: bigint): Form => ({
  constant: constant * by,
  terms: terms.map((term) => ({ ...term, factor: term.factor * by }))
})

const plus = (a: Form, b: Form): Form => ({ constant: a.constant + b.constant, terms: [...a.terms, ...b.terms] })

const minus = (a: Form, b: Form): Form => plus(a, times(b, -1n))

const momentOf = (clock: Clock.Clock, { constant, terms }: Form, every: bigint | undefined): Moment => ({
  clock,
  at: {
    constant: constant.toString(),
    terms: terms.map(({ factor, field, slot }) => ({ factor: factor.toString(), slot, field }))
  },
  ...(every === undefined ? {} : { every: every.toString() })
})

const allOf = (parts: ReadonlyArray<ReadonlyArray<Moment> | undefined>): ReadonlyArray<Moment> | undefined =>
  parts.every((part) => part !== undefined) ? parts.flat() : undefined

/** The numbers that a formula can be, by constants and storage; undefined where something else goes into it. */
const valuesOf = (tracer: Tracer, what: Expression, depth = 0): ReadonlyArray<Form> | undefined => {
  if (what.op === Kind.constant) return [{ constant: what.value, terms: [] }]
  if (depth > mostForms) return undefined
  const loaded = loadedField(what)
  if (loaded !== undefined) {
    const locations = tracer.locate(loaded.load.args[0])
    const [location] = locations ?? []
    return location === undefined || locations?.length !== 1
      ? undefined
      : [{ constant: 0n, terms: [{ factor: 1n, slot: location.id, field: loaded.field }] }]
  }
  const ofParts = (parts: ReadonlyArray<Expression>): ReadonlyArray<ReadonlyArray<Form>> | undefined => {
    const found = parts.map((part) => valuesOf(tracer, part, depth + 1))
    return found.every((forms) => forms !== undefined) ? found : undefined
  }
  if (what.op === Kind.merge) {
    const ways = what.alternatives.size > mostForms ? undefined : ofParts([...what.alternatives])
    return bounded(ways?.flat())
  }
  const [a, b] = what.args
  if (a === undefined || b === undefined) return undefined
  switch (what.op) {
    case Opcodes.ADD:
    case Opcodes.SUB: {
      const [first, second] = ofParts([a, b]) ?? []
      const by = what.op === Opcodes.ADD ? plus : minus
      return bounded(first?.flatMap((x) => second?.map((y) => by(x, y)) ?? []))
    }
    // Compilers cut numbers to their type, which nothing that is compared with a clock exceeds.
    case Opcodes.AND:
      return b.op === Kind.constant && isLowMask(b.value) && Clock.isBeyond(b.value)
        ? valuesOf(tracer, a, depth + 1)
        : undefined
    case Opcodes.MUL: {
      const [factor, other] = a.op === Kind.constant ? [a, b] : [b, a]
      return factor.op === Kind.constant
        ? bounded(valuesOf(tracer, other, depth + 1)?.map((form) => times(form, factor.value)))
        : undefined
    }
    default:
      return undefined
  }
}

const mostForms = 8

const bounded = (forms: ReadonlyArray<Form> | undefined): ReadonlyArray<Form> | undefined =>
  forms === undefined || forms.length === 0 || forms.length > mostForms ? undefined : forms

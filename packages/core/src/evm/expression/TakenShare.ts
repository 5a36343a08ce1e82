/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, unmasked } from "./Expression.js"
import type { Tracer } from "./ValueSource.js"

/** The slots of the factors that the taken part of an amount is multiplied with. */
export type TakenShare = ReadonlySet<string>

/**
 * How much of an amount is taken: at most all of it, or one part in another unit, which the factors convert. None where
 * it may be more: another amount is taken too, or the amount twice, or a multiple of it.
 *
 * `named` are the terms of the amount that a call names.
 */
export const of = (
  tracer: Tracer,
  taken: ReadonlyArray<Expression>,
  amount: Expression,
  named: ReadonlyArray<Expression>
): TakenShare | undefined => {
  const rest = new Map<Expression, bigint>()
  let fixed = 0n
  let looks = maxTerms
  const add = (what: Expression, factor: bigint): void => {
    const [a, b] = what.args
    if (what.op === Kind.constant) fixed += factor * BigInt.asIntN(256, what.value)
    else if (--looks <= 0 || a === undefined || b === undefined) rest.set(what, (rest.get(what) ?? 0n) + factor)
    else if (what.op === Opcodes.ADD || what.op === Opcodes.SUB) {
      add(a, factor)
      add(b, what.op === Opcodes.ADD ? factor : -factor)
    } else if (what.op === Opcodes.MUL && a.op === Kind.constant && a.bits <= 32) add(b, factor * a.value)
    else if (what.op === Opcodes.MUL && b.op === Kind.constant && b.bits <= 32) add(a, factor * b.value)
    else if (what.op === Opcodes.SHL && a.op === Kind.constant && a.value <= 32n) add(b, factor << a.value)
    else rest.set(what, (rest.get(what) ?? 0n) + factor)
  }
  for (const value of taken) add(value, 1n)
  add(amount, -1n)
  const more = [...rest].filter(([, factor]) => factor > 0n)
  if (fixed > 0n) return undefined
  const [[term, times] = [], ...others] = more
  if (term === undefined) return none
  if (times !== 1n || others.length > 0) return undefined
  const open = named.filter((one) => (rest.get(one) ?? 0n) < 0n)
  return shareOf(tracer, term, { named: open, known: new Map() }, 0)
}

const none: TakenShare = new Set()

interface Search {
  readonly named: ReadonlyArray<Expression>
  /** What was looked at: what goes into a formula again and again, or into itself, is looked at once. */
  readonly known: Map<Expression, TakenShare | undefined>
}

const shareOf = (tracer: Tracer, what: Expression, search: Search, depth: number): TakenShare | undefined => {
  const { known, named } = search
  if (named.includes(what) || named.includes(unmasked(what)) || (what.op === Kind.constant && what.value === 0n))
    return none
  if (depth > maxDepth || known.has(what)) return known.get(what)
  known.set(what, undefined)
  const share = shareWithin(tracer, what, (part) => shareOf(tracer, part, search, depth + 1))
  known.set(what, share)
  return share
}

const shareWithin = (
  tracer: Tracer,
  what: Expression,
  within: (part: Expression) => TakenShare | undefined
): TakenShare | undefined => {
  if (what.op === Kind.merge) return together([...what.alternatives].map(within))
  const [a, b] = what.args
  if (a === undefined || b === undefined) return undefined
  switch (what.op) {
    case Opcodes.AND:
      return b.op === Kind.constant ? within(a) : undefined
    case Opcodes.SHR:
      return within(b)
    case Opcodes.SUB:
    case Opcodes.MOD:
      return within(a)
    case Opcodes.DIV: {
      const [x, y] = a.op === Opcodes.MUL ? a.args : []
      if (x === undefined || y === undefined) return together([within(a), factorsIn(tracer, b)])
      // A part that the code says in hundredths is less than all.
      if ([x, y].some((side) => side.op === Kind.constant && b.op === Kind.constant && side.value > b.value))
        return undefined
      return together([scaled(tracer, x, y, within), factorsIn(tracer, b)])
    }
    case Opcodes.MUL:
      return [a, b].some(({ op }) => op === Kind.constant) ? undefined : scaled(tracer, a, b, within)
    default:
      return undefined
  }
}

const scaled = (
  tracer: Tracer,
  x: Expression,
  y: Expression,
  within: (part: Expression) => TakenShare | undefined
): TakenShare | undefined => together([within(x), factorsIn(tracer, y)]) ?? together([within(y), factorsIn(tracer, x)])

/** The places that a factor is read from, if nothing else that an account can choose goes into it. */
const factorsIn = (tracer: Tracer, factor: Expression): TakenShare | undefined => {
  const origins = tracer.origins(factor)
  return origins.every(({ kind }) => ownKinds.has(kind)) ? tracer.slots(factor) : undefined
}

/** An index that grows with the time is nobody's to set. */
const ownKinds: ReadonlySet<string> = new Set(["storage", "constant", "time"])

const together = (shares: ReadonlyArray<TakenShare | undefined>): TakenShare | undefined =>
  shares.length === 0 || shares.includes(undefined) ? undefined : new Set(shares.flatMap((share) => [...(share ?? [])]))

/** Nobody adds up as much in one go. */
const maxTerms = 256
const maxDepth = 64

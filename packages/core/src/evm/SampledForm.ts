/** @internal */

import { Hash } from "effect"
import { type Expression, fold, Kind, maxWord } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import type * as StorageLocation from "./StorageLocation.js"

/**
 * Tells formulas apart by what they come to: all that goes into them is some number, the same one wherever the same variable
 * or argument is read, whichever entry and whenever. Those that come to the same with three sets of numbers have the same
 * form, as far as four digits of each tell. One of too many parts has a form of its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeReader = (locator: StorageLocation.Locator): ((formula: Expression) => string) => {
  const forms = new Map<Expression, string>()
  return (formula) => {
    const known = forms.get(formula)
    if (known !== undefined) return known
    const parts = partsOf(formula)
    const form =
      parts === undefined
        ? `?${formula.id}`
        : rounds.map((round) => digitsOf(valueOf(formula, parts, locator, round))).join("/")
    forms.set(formula, form)
    return form
  }
}

/** All that is looked at for a formula, whatever is made of something before that; none of what places are made of. */
const partsOf = (formula: Expression): ReadonlyArray<Expression> | undefined => {
  const seen = new Set([formula])
  for (const what of seen) {
    if (seen.size > maxParts) return undefined
    if (what.op === Kind.merge) for (const way of what.alternatives) seen.add(way)
    else if (isWorkedOut(what)) for (const part of what.args) seen.add(part)
  }
  return [...seen].sort((one, other) => one.id - other.id)
}

const valueOf = (
  formula: Expression,
  parts: ReadonlyArray<Expression>,
  locator: StorageLocation.Locator,
  round: (number: bigint) => bigint
): bigint | undefined => {
  const values = new Map<Expression, bigint>()
  const read = (what: Expression): bigint => values.get(what) ?? 0n
  for (const what of parts) {
    const [a, b] = what.args
    // Which of several it is goes by the path, on which all of them may be one.
    if (what.op === Kind.merge)
      values.set(what, [...what.alternatives].reduce((sum, way) => sum + read(way), 0n) & maxWord)
    else if (what.op === Kind.constant) values.set(what, what.value)
    else if (isWorkedOut(what) && a !== undefined)
      values.set(
        what,
        what.op === Opcodes.ISZERO
          ? BigInt(read(a) === 0n)
          : what.op === Opcodes.NOT
            ? maxWord ^ read(a)
            : (fold(what.op, read(a), read(b ?? a)) ?? 0n)
      )
    else values.set(what, numberOf(nameOf(what, locator), round))
  }
  return values.get(formula)
}

const isWorkedOut = ({ args, op }: Expression): boolean =>
  op === Opcodes.ISZERO || op === Opcodes.NOT || (args.length === 2 && fold(op, 1n, 1n) !== undefined)

const nameOf = ({ args: [at], op, tag }: Expression, locator: StorageLocation.Locator): string => {
  if (op === Opcodes.SLOAD && at !== undefined) return (locator.resolve(at) ?? []).map(({ id }) => id).join()
  if (op === Opcodes.CALLDATALOAD && at?.op === Kind.constant) return `argument ${at.value}`
  return op === Kind.unknown ? "unknown" : `${op} ${tag}`
}

/** Parts of a hundred, parts of a million, and numbers of any size, as supplies are to each other. */
const rounds: ReadonlyArray<(number: bigint) => bigint> = [
  (number) => 3n + (number % 89n),
  (number) => 3n + ((number >> 64n) % 89n),
  (number) => 3n + (number % 999_983n),
  (number) => 3n + ((number >> 64n) % 999_983n),
  ...[0n, 7n, 14n, 21n].map((at) => (number: bigint) => 3n + (number >> (16n + ((number >> at) & 63n))))
]

/** Spreads a number of 32 bits over 128. */
const golden = 0x9e3779b97f4a7c15f39cc0605cedc835n

/** An amount is larger than whatever it is divided into. */
const numberOf = (name: string, round: (number: bigint) => bigint): bigint => {
  const number = BigInt(Hash.string(name) >>> 0)
  return name.startsWith("argument ") ? 10n ** 30n + number : round(BigInt.asUintN(128, number * golden))
}

/** The sign, the size and the first digits: what is rounded elsewhere is the same, and what is little is nothing. */
const digitsOf = (value: bigint | undefined): string => {
  if (value === undefined) return "?"
  const size = value >> 255n === 1n ? maxWord - value : value
  if (size < little) return "0"
  const digits = String(size)
  return `${value >> 255n}${digits.slice(0, 4)}e${digits.length}`
}

/** Beside an amount. */
const little = 10n ** 12n

/** Nobody works out an amount of more. */
const maxParts = 4_096

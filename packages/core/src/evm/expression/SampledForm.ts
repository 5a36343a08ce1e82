/** @internal */

import { Hash } from "effect"
import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, fold, Kind, maxWord } from "./Expression.js"
import type * as StorageLocation from "./StorageLocation.js"

/**
 * Compares formulas by their values on samples: each variable or argument gets one number, whichever entry is read and
 * whenever. Formulas with equal values for eight sets of numbers have the same form, as far as four digits of each
 * show. A formula of too many parts has a form of its own.
 */
export const makeReader = (locator: StorageLocation.Locator): ((formula: Expression) => string) => {
  const forms = new Map<Expression, string>()
  // Shared parts are evaluated once.
  const trials = rounds.map((round) => ({ round, values: new Map<Expression, bigint>() }))
  const formIn = (formula: Expression): string => {
    const parts = partsOf(formula)
    if (parts === undefined) return `?${formula.id}`
    return trials
      .map(({ round, values }) => {
        for (const part of parts) if (!values.has(part)) values.set(part, valueOf(part, values, locator, round))
        return digitsOf(values.get(formula) ?? 0n)
      })
      .join("/")
  }
  return (formula) => {
    const form = forms.get(formula) ?? formIn(formula)
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
  what: Expression,
  values: ReadonlyMap<Expression, bigint>,
  locator: StorageLocation.Locator,
  round: (number: bigint) => bigint
): bigint => {
  const read = (part: Expression | undefined): bigint => (part === undefined ? 0n : (values.get(part) ?? 0n))
  // The path decides which alternative it is, and on one path all of them may be the same.
  if (what.op === Kind.merge) return [...what.alternatives].reduce((sum, way) => sum + read(way), 0n) & maxWord
  if (what.op === Kind.constant) return what.value
  if (!isWorkedOut(what)) return numberOf(nameOf(what, locator), round)
  const [a, b] = what.args
  switch (what.op) {
    case Opcodes.ISZERO:
      return BigInt(read(a) === 0n)
    case Opcodes.NOT:
      return maxWord ^ read(a)
    default:
      return fold(what.op, read(a), read(b)) ?? 0n
  }
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

/** An argument is a large number, so that divisions of it leave enough digits. */
const numberOf = (name: string, round: (number: bigint) => bigint): bigint => {
  const number = BigInt(Hash.string(name) >>> 0)
  return name.startsWith("argument ") ? 10n ** 30n + number : round(BigInt.asUintN(128, number * golden))
}

/**
 * Sign, number of digits and first four digits of a value. Values that differ only by rounding are thus equal, and
 * small values count as zero.
 */
const digitsOf = (value: bigint): string => {
  const size = value >> 255n === 1n ? maxWord - value : value
  if (size < little) return "0"
  const digits = String(size)
  return `${value >> 255n}${digits.slice(0, 4)}e${digits.length}`
}

/** Small compared with an amount. */
const little = 10n ** 12n

/** No real amount has more parts. */
const maxParts = 4_096

/** @internal */

import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Argument from "./Argument.js"
import {
  addressBits,
  type BinaryOpcode,
  type Expression,
  type KeccakHash,
  Kind,
  type Load,
  type Pool
} from "./Expression.js"
import * as PackedHash from "./PackedHash.js"

/**
 * The formulas of one function in calls as the ABI encodes them: calldata of exactly so many words behind the selector,
 * addresses without dirty upper bits, no ether. `of` gives a formula as it is in such a call, simplified, so that two
 * formulas of the same storage slot are the same object however the code hashes it.
 *
 * @see https://docs.soliditylang.org/en/latest/abi-spec.html
 */
export interface WellFormedCall {
  readonly of: (what: Expression) => Expression
  /** The account in an address argument, by its index. */
  readonly account: (index: number) => Expression
}

/**
 * What is known of a call: the number of words of its calldata, which of them are addresses, and what others are, such as the
 * caller.
 */
export interface Signature {
  readonly words: number
  readonly addresses: ReadonlyArray<number>
  readonly given?: ReadonlyArray<readonly [what: Expression, is: Expression]>
}

/** Rewrites the formulas of a pool, each once. `tagOf` gives the tag of a storage load before its slot is rewritten. */
export const make = (
  pool: Pool,
  { addresses, given = [], words }: Signature,
  tagOf: (load: Load) => string
): WellFormedCall => {
  const account = (index: number): Expression => masked(pool, Argument.at(pool, index))
  const fixed = new Map(given)
  const known = new Map<Expression, Expression>([
    [pool.nullary(Opcodes.CALLDATASIZE), pool.constant(BigInt(4 + 32 * words))],
    [pool.nullary(Opcodes.CALLVALUE), pool.constant(0n)],
    ...addresses.map((index) => [Argument.at(pool, index), account(index)] as const),
    ...fixed
  ])
  const rewrite = (what: Expression, depth: number): Expression => {
    const found = known.get(what)
    if (found !== undefined) return found
    // Deeper formulas stay as they are, which proves less and never more.
    const rebuilt = depth > maxDepth ? what : rebuild(pool, what, (part) => rewrite(part, depth + 1), tagOf)
    // The place of an argument may itself be one of them.
    const made = fixed.get(rebuilt) ?? rebuilt
    known.set(what, made)
    return made
  }
  return { of: (what) => rewrite(what, 0), account }
}

const maxDepth = 200

/** A rewritten formula with some of its loads of storage replaced by what they are. */
export const settle = (pool: Pool, what: Expression, valueOf: (load: Load) => Expression | undefined): Expression => {
  const known = new Map<Expression, Expression>()
  const rewrite = (part: Expression, depth: number): Expression => {
    const found = known.get(part)
    if (found !== undefined) return found
    const made =
      (part.op === Opcodes.SLOAD ? valueOf(part) : undefined) ??
      (depth > maxDepth || part.op === Opcodes.SLOAD || part.op === Opcodes.KECCAK256
        ? part
        : rebuild(
            pool,
            part,
            (inner) => rewrite(inner, depth + 1),
            ({ tag }) => tag
          ))
    known.set(part, made)
    return made
  }
  return rewrite(what, 0)
}

/**
 * A rewritten formula in another pool, with some of its parts replaced. None where it depends on storage, on what another
 * contract answers, or on anything else that is not the same in every call.
 */
export const transplant = (
  pool: Pool,
  what: Expression,
  replacements: ReadonlyMap<Expression, Expression>
): Expression | undefined => {
  const replaced = replacements.get(what)
  if (replaced !== undefined) return replaced
  if (what.op === Kind.constant) return pool.constant(what.value)
  if (what.op !== Opcodes.KECCAK256 || what.detail !== "words") return undefined
  const parts: Array<Expression> = []
  for (const part of what.args) {
    const moved = transplant(pool, part, replacements)
    if (moved === undefined) return undefined
    parts.push(moved)
  }
  const [first, ...others] = parts
  return first === undefined ? undefined : pool.hashOfWords(first, ...others)
}

const masked = (pool: Pool, what: Expression): Expression =>
  pool.binary(Opcodes.AND, what, pool.constant((1n << BigInt(addressBits)) - 1n))

const rebuild = (
  pool: Pool,
  what: Expression,
  of: (part: Expression) => Expression,
  tagOf: (load: Load) => string
): Expression => {
  if (what.args.length === 0) return what
  if (what.op === Opcodes.KECCAK256) return hashOf(pool, what, of)
  if (what.op === Opcodes.SLOAD) return pool.node(Opcodes.SLOAD, [of(what.args[0])], tagOf(what))
  const [a, b, c] = what.args.map(of)
  if (a === what.args[0] && b === what.args[1] && c === what.args[2]) return what
  if (a === undefined || c !== undefined) return what
  switch (what.op) {
    case Opcodes.ISZERO:
    case Opcodes.NOT:
      return pool.unary(what.op, a)
    case Opcodes.CALLDATALOAD:
      return pool.node(Opcodes.CALLDATALOAD, [a])
    default:
      return b === undefined || !binary.has(what.op) ? what : pool.binary(what.op as BinaryOpcode, a, b)
  }
}

const binary: ReadonlySet<number> = new Set<BinaryOpcode>([
  Opcodes.ADD,
  Opcodes.AND,
  Opcodes.BYTE,
  Opcodes.DIV,
  Opcodes.EQ,
  Opcodes.EXP,
  Opcodes.GT,
  Opcodes.LT,
  Opcodes.MOD,
  Opcodes.MUL,
  Opcodes.OR,
  Opcodes.SAR,
  Opcodes.SDIV,
  Opcodes.SGT,
  Opcodes.SHL,
  Opcodes.SHR,
  Opcodes.SIGNEXTEND,
  Opcodes.SLT,
  Opcodes.SMOD,
  Opcodes.SUB,
  Opcodes.XOR
])

/**
 * The hash of packed bytes is written as one of words: of the keys and the slot where it is the same bytes as Solidity's, else
 * of the keys and a number that stands for the layout.
 */
const hashOf = (pool: Pool, what: KeccakHash, of: (part: Expression) => Expression): Expression => {
  if (what.detail === "words") {
    const [first, ...others] = what.args.map(of)
    return first === undefined ? what : pool.hashOfWords(first, ...others)
  }
  const packed = PackedHash.read(pool, what)
  if (packed === undefined) return what
  const keys = packed.keys.map((key, i) => {
    const whole = of(key)
    return kindsOf(packed.layout)[i] === "a" && whole.bits > addressBits ? masked(pool, whole) : whole
  })
  const [first, ...others] = keys
  const place = packed.root ?? BigInt(Hash.keccak256(OxHex.fromString(`layout ${packed.layout}`)))
  return first === undefined ? what : pool.hashOfWords(first, ...others, pool.constant(place))
}

/** The kind of each key: an account or a whole word. */
const kindsOf = (layout: string): ReadonlyArray<string> =>
  layout.split(".").filter((name) => name === "a" || name === "k")

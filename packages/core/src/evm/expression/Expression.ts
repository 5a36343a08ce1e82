/** @internal */

import * as Hash from "ox/Hash"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Circumstance from "./Circumstance.js"

/**
 * A 256-bit word as a formula over what an execution cannot know beforehand. Nodes are shared: within one {@link Pool}
 * two equal formulas are the same object.
 *
 * What `args` holds follows from `op`: code that takes a formula apart compares `op` first, or handles operands that are
 * not there. A pool simplifies what it builds, so that a sum may come back as anything else.
 */
export type Expression =
  | Constant
  | Merge
  | Unknown
  | Node<Leaf, readonly []>
  | Load
  | Node<UnaryOpcode, readonly [Expression]>
  | Node<BinaryOpcode, readonly [Expression, Expression]>
  | Node<TernaryOpcode, readonly [Expression, Expression, Expression]>
  | KeccakHash

/** A number. */
export interface Constant extends Node<typeof Kind.constant, readonly []> {
  readonly value: bigint
}

/**
 * One of several values, by the path that was taken. `alternatives` grow while the interpreter runs; `detail` is the number
 * of the block that it is made for.
 */
export interface Merge extends Node<typeof Kind.merge, readonly []> {
  readonly alternatives: Set<Expression>
  readonly detail: number
}

/** Anything, for a {@link Reason}. */
export interface Unknown extends Node<typeof Kind.unknown, readonly []> {
  readonly detail: Reason
}

/**
 * Why nothing is known of a word, and the opcode that it is of:
 *
 * - `untracked`: it was not followed, as a word at an unknown place of memory, or it says nothing, as the gas that is left
 * - `party`: the size of the code or the ether of an account that the call names or that makes it
 * - `answer`: a word that another contract answered
 * - `answerSize`: how many bytes it answered
 * - `transient`: it was read from transient storage, which holds nothing until the transaction notes it
 *
 * @see https://eips.ethereum.org/EIPS/eip-1153
 */
export interface Reason {
  readonly kind: "untracked" | "party" | "answer" | "answerSize" | "transient"
  readonly opcode: number
}

/** What storage holds at a slot. */
export type Load = Node<typeof Opcodes.SLOAD, readonly [slot: Expression]>

/**
 * A hash. `detail` is `words` where it is of all bytes of its operands, else the bytes that it is of, operand by operand.
 */
export interface KeccakHash
  extends Node<typeof Opcodes.KECCAK256, readonly [Expression, ...ReadonlyArray<Expression>]> {
  readonly detail: "words" | ReadonlyArray<Range>
}

/** Bytes `from` to `from + length` (big-endian) of a word. */
export interface Range {
  readonly from: number
  readonly length: number
}

/**
 * One node of an {@link Expression}.
 *
 * `op` is an EVM opcode or one of {@link Kind}. `tag` only distinguishes nodes of one shape (the moment of an SLOAD,
 * the place of an unknown). `bits` bounds the length of the number. Four taints say what goes into it: `caller` is a
 * {@link Presence}; `environment` is true where the next transaction may see another value, as of the gas price or of
 * what another contract answers; `clock` is true where it reads the time or the number of the block; `storage` is true
 * where it reads storage.
 */
export interface Node<Op extends number, Args extends ReadonlyArray<Expression>> {
  readonly id: number
  readonly op: Op
  readonly args: Args
  readonly tag: string
  readonly bits: number
  caller: Presence
  environment: boolean
  clock: boolean
  storage: boolean
}

/** The opcodes and kinds of an {@link Expression} without operands. */
export type Leaf =
  | typeof Kind.selector
  | (typeof Opcodes)[
      | "ADDRESS"
      | "BASEFEE"
      | "BLOBBASEFEE"
      | "CALLDATASIZE"
      | "CALLER"
      | "CALLVALUE"
      | "CHAINID"
      | "COINBASE"
      | "GASLIMIT"
      | "GASPRICE"
      | "NUMBER"
      | "ORIGIN"
      | "PREVRANDAO"
      | "TIMESTAMP"]

/** The opcodes of an {@link Expression} with one operand. */
export type UnaryOpcode = (typeof Opcodes)[
  | "BLOBHASH"
  | "BLOCKHASH"
  | "CALLDATALOAD"
  | "CLZ"
  | "EXTCODESIZE"
  | "ISZERO"
  | "NOT"]

/** The opcodes of an {@link Expression} with two operands, the top of the stack first. */
export type BinaryOpcode = (typeof Opcodes)[
  | "ADD"
  | "AND"
  | "BYTE"
  | "DIV"
  | "EQ"
  | "EXP"
  | "GT"
  | "LT"
  | "MOD"
  | "MUL"
  | "OR"
  | "SAR"
  | "SDIV"
  | "SGT"
  | "SHL"
  | "SHR"
  | "SIGNEXTEND"
  | "SLT"
  | "SMOD"
  | "SUB"
  | "XOR"]

/** The opcodes and kinds of which an {@link Expression} has no `detail`. */
export type Operator = Leaf | Load["op"] | UnaryOpcode | BinaryOpcode | TernaryOpcode

/** The operands of an {@link Expression} with an opcode. */
export type Operands<Op extends Operator> = Op extends Leaf
  ? readonly []
  : Op extends UnaryOpcode | Load["op"]
    ? readonly [Expression]
    : Op extends BinaryOpcode
      ? readonly [Expression, Expression]
      : readonly [Expression, Expression, Expression]

/** The opcodes of an {@link Expression} with three operands, the top of the stack first. */
export type TernaryOpcode = (typeof Opcodes)["ADDMOD" | "MULMOD"]

/**
 * How the caller, or the origin of the transaction, is in an {@link Expression}; a greater number is a stronger use.
 */
export const Presence = {
  none: 0,
  /** The address itself: alone, shifted, packed with other data, or hashed. */
  itself: 1,
  /** The value depends on the caller: the address was compared or calculated with. */
  derived: 2
} as const

/** One of {@link Presence}. */
export type Presence = (typeof Presence)[keyof typeof Presence]

/** What an {@link Expression} can be besides the result of an opcode. */
export const Kind = {
  constant: 0x100,
  /** One of several values, by the path that was taken. */
  merge: 0x101,
  /** Anything. */
  unknown: 0x102,
  /** The first four bytes of the calldata, as a number. */
  selector: 0x103
} as const

/** Whether a formula is unknown for a reason. */
export const isUnknown = (what: Expression, kind: Reason["kind"]): boolean =>
  what.op === Kind.unknown && what.detail.kind === kind

/** Builds and shares the formulas of one analysis, simplified as they are built. */
export interface Pool {
  readonly constant: (value: bigint) => Constant
  readonly unknown: (reason: Reason, tag: string) => Unknown
  readonly merge: (block: number, tag: string) => Merge
  /** Adds a possible value to a merge point. */
  readonly offer: (merge: Merge, value: Expression) => void
  readonly selector: Expression
  readonly nullary: (opcode: Leaf) => Expression
  readonly unary: (opcode: UnaryOpcode, a: Expression) => Expression
  readonly binary: (opcode: BinaryOpcode, a: Expression, b: Expression) => Expression
  /** A node as it is, without simplifying it. */
  readonly node: <Op extends Operator>(opcode: Op, args: Operands<Op>, tag?: string) => Expression
  readonly hash: (pieces: ReadonlyArray<Piece>) => Expression
  /** The hash of all bytes of some words. */
  readonly hashOfWords: (...words: KeccakHash["args"]) => KeccakHash
  readonly get: (id: number) => Expression
  readonly size: () => number
  /** What something is divided by. */
  readonly divisors: ReadonlySet<Expression>
}

/** Some bytes of a word. */
export interface Piece extends Range {
  readonly word: Expression
}

/** 2^256 - 1. */
export const maxWord = (1n << 256n) - 1n

/** How many bits an address has. */
export const addressBits = 160

const signBit = 1n << 255n

/** Whether an expression is a constant. */
export const isConstant = (expression: Expression): expression is Constant => expression.op === Kind.constant

/** Whether an expression is a given number. */
export const isNumber = (what: Expression | undefined, value: bigint): boolean =>
  what?.op === Kind.constant && what.value === value

/** Whether an expression is an account that is there: nobody calls from the zero address. */
export const isSomebody = ({ op }: Expression): boolean =>
  op === Opcodes.CALLER || op === Opcodes.ORIGIN || op === Opcodes.ADDRESS

/** What a mask of constant bits is laid over; any other formula itself. */
export const unmasked = (what: Expression): Expression =>
  what.op === Opcodes.AND && what.args[1]?.op === Kind.constant ? what.args[0] : what

/** The parts of a formula: the alternatives of a merge, or the operands. */
export const innerOf = (what: Expression): Iterable<Expression> =>
  what.op === Kind.merge ? what.alternatives : what.args

/** An empty pool. */
export const makePool = (): Pool => {
  const nodes = new Map<string, Expression>()
  const constants = new Map<bigint, Constant>()
  const none: readonly [] = []
  const all: Array<Expression> = []
  const divisors = new Set<Expression>()

  // Of one shape whatever they are, which makes them fast to read. The types of a Pool keep apart what each has.
  const create = (
    op: Expression["op"],
    args: Expression["args"],
    tag: string,
    bits: number,
    value: bigint | undefined,
    detail: number | Reason | KeccakHash["detail"] | undefined
  ) => {
    const made = {
      id: all.length,
      op,
      args,
      tag,
      bits,
      value,
      detail,
      alternatives: op === Kind.merge ? new Set<Expression>() : undefined,
      caller: callerIn(op, args),
      environment: Circumstance.ofOpcode.has(op) || args.some(({ environment }) => environment),
      clock: isClock({ op }) || args.some(({ clock }) => clock),
      storage: op === Opcodes.SLOAD || args.some(({ storage }) => storage)
    } as Expression
    all.push(made)
    return made
  }

  const constant = (value: bigint): Constant => {
    const known = constants.get(value)
    if (known !== undefined) return known
    const made = create(Kind.constant, none, "", bitLength(value), value, undefined) as Constant
    constants.set(value, made)
    return made
  }

  const node = (
    op: Exclude<Expression["op"], typeof Kind.constant>,
    args: Expression["args"],
    tag = "",
    detail?: number | Reason | KeccakHash["detail"]
  ): Expression => {
    let key = `${op}`
    for (const arg of args) key += `,${arg.id}`
    if (tag !== "") key += `|${tag}`
    const known = nodes.get(key)
    if (known !== undefined) {
      // A merge among them may have grown.
      for (const arg of args) {
        if (arg.caller > known.caller && known.caller < Presence.derived) known.caller = callerIn(op, args)
        hold(known, arg)
      }
      return known
    }
    const made = create(op, args, tag, bitsOf(op, args), undefined, detail)
    nodes.set(key, made)
    if (op >= Opcodes.DIV && op <= Opcodes.SMOD && args[1] !== undefined) divisors.add(args[1])
    return made
  }

  const zero = constant(0n)
  const one = constant(1n)
  const truth = (holds: boolean): Expression => (holds ? one : zero)

  const unary = (op: UnaryOpcode, a: Expression): Expression => {
    if (a.op === Kind.constant) {
      if (op === Opcodes.ISZERO) return truth(a.value === 0n)
      if (op === Opcodes.NOT) return constant(maxWord ^ a.value)
    }
    if (op === Opcodes.ISZERO && isSomebody(a)) return zero
    // Twice negated, a truth value is itself.
    if (op === Opcodes.ISZERO && a.op === Opcodes.ISZERO && a.args[0]?.bits === 1) return a.args[0]
    if (op === Opcodes.NOT && a.op === Opcodes.NOT) return a.args[0] ?? a
    return node(op, [a])
  }

  const binary = (op: BinaryOpcode, a: Expression, b: Expression): Expression => {
    if (a.op === Kind.constant && b.op === Kind.constant) {
      const folded = fold(op, a.value, b.value)
      if (folded !== undefined) return constant(folded)
    }
    switch (op) {
      case Opcodes.ADD: {
        if (a === zero) return b
        if (b === zero) return a
        // Constants gather on the right, so that struct fields are one offset from their base.
        if (a.op === Kind.constant) return binary(op, b, a)
        if (b.op === Kind.constant && a.op === Opcodes.ADD && a.args[1]?.op === Kind.constant) {
          return binary(op, a.args[0], constant((a.args[1].value + b.value) & maxWord))
        }
        // (x - y) + y
        if (a.op === Opcodes.SUB && a.args[1] === b) return a.args[0]
        if (b.op === Opcodes.SUB && b.args[1] === a) return b.args[0]
        if (b.op !== Kind.constant && a.op === Opcodes.ADD && a.args[1]?.op === Kind.constant) {
          return binary(op, binary(op, a.args[0], b), a.args[1])
        }
        if (b.op === Opcodes.ADD && b.args[1]?.op === Kind.constant)
          return binary(op, binary(op, a, b.args[0]), b.args[1])
        return b.op === Kind.constant || a.id <= b.id ? node(op, [a, b]) : node(op, [b, a])
      }
      case Opcodes.SUB:
        if (b === zero) return a
        if (a === b) return zero
        // All that is left beside a number are the bits that it has not.
        if (a.op === Kind.constant && a.value === maxWord) return unary(Opcodes.NOT, b)
        // (x + y) - y
        if (a.op === Opcodes.ADD && a.args[1] === b) return a.args[0]
        if (a.op === Opcodes.ADD && a.args[0] === b) return a.args[1]
        // (x + y + m) - (y + n)
        if (a.op === Opcodes.ADD && a.args[1]?.op === Kind.constant && a.args[0]?.op === Opcodes.ADD) {
          const [from, less] =
            b.op === Opcodes.ADD && b.args[1]?.op === Kind.constant ? [b.args[0], b.args[1].value] : [b, 0n]
          const [x, y] = a.args[0].args
          if ((x === from || y === from) && a.args[1].value >= less)
            return binary(Opcodes.ADD, (x === from ? y : x) as Expression, constant(a.args[1].value - less))
        }
        // x - (x - y)
        if (b.op === Opcodes.SUB && b.args[0] === a) return b.args[1]
        if (b.op === Opcodes.ADD && b.args[0] === a && b.args[1]?.op === Kind.constant)
          return constant(-b.args[1].value & maxWord)
        // (x + m) - (x + n)
        if (
          a.op === Opcodes.ADD &&
          b.op === Opcodes.ADD &&
          a.args[0] === b.args[0] &&
          a.args[1]?.op === Kind.constant &&
          b.args[1]?.op === Kind.constant
        )
          return constant((a.args[1].value - b.args[1].value) & maxWord)
        if (
          b.op === Kind.constant &&
          a.op === Opcodes.ADD &&
          a.args[1]?.op === Kind.constant &&
          a.args[1].value >= b.value
        ) {
          return binary(Opcodes.ADD, a.args[0], constant(a.args[1].value - b.value))
        }
        return node(op, [a, b])
      case Opcodes.MUL:
        if (a === zero || b === zero) return zero
        if (a === one) return b
        if (b === one) return a
        if (a.op === Kind.constant) return binary(op, b, a)
        if (b.op === Kind.constant && (b.value & (b.value - 1n)) === 0n)
          return binary(Opcodes.SHL, constant(BigInt(b.bits - 1)), a)
        return b.op === Kind.constant || a.id <= b.id ? node(op, [a, b]) : node(op, [b, a])
      case Opcodes.DIV:
        if (b === one) return a
        if (a === zero || b === zero) return zero
        if (b.op === Kind.constant && (b.value & (b.value - 1n)) === 0n)
          return binary(Opcodes.SHR, constant(BigInt(b.bits - 1)), a)
        return node(op, [a, b])
      case Opcodes.AND: {
        if (a === zero || b === zero) return zero
        if (a === b) return a
        if (a.op === Kind.constant) return binary(op, b, a)
        if (b.op !== Kind.constant) return a.id <= b.id ? node(op, [a, b]) : node(op, [b, a])
        // A mask that keeps every bit the value can have.
        const low = b.value & ((1n << BigInt(a.bits)) - 1n)
        if (low === (1n << BigInt(a.bits)) - 1n) return a
        // Moved up, a number has no bits below.
        if (
          a.op === Opcodes.SHL &&
          a.args[0]?.op === Kind.constant &&
          (b.value | (2n ** a.args[0].value - 1n)) === maxWord
        )
          return a
        if (a.op === Opcodes.AND && a.args[1]?.op === Kind.constant)
          return binary(op, a.args[0], constant(a.args[1].value & b.value))
        return node(op, [a, constant(low)])
      }
      case Opcodes.OR:
        if (a === zero || a === b) return b
        if (b === zero) return a
        return a.id <= b.id ? node(op, [a, b]) : node(op, [b, a])
      case Opcodes.XOR:
        if (a === b) return zero
        if (a === zero) return b
        if (b === zero) return a
        return a.id <= b.id ? node(op, [a, b]) : node(op, [b, a])
      case Opcodes.EQ:
        if (a === b) return one
        if (a === zero) return unary(Opcodes.ISZERO, b)
        if (b === zero) return unary(Opcodes.ISZERO, a)
        if (a.op === Kind.constant && a.bits > b.bits) return zero
        if (b.op === Kind.constant && b.bits > a.bits) return zero
        if (b === one && a.bits === 1) return a
        if (a === one && b.bits === 1) return b
        return a.id <= b.id ? node(op, [a, b]) : node(op, [b, a])
      case Opcodes.GT:
        return binary(Opcodes.LT, b, a)
      case Opcodes.SGT:
        return binary(Opcodes.SLT, b, a)
      case Opcodes.LT:
        if (a === b || b === zero) return zero
        if (a === zero) return unary(Opcodes.ISZERO, unary(Opcodes.ISZERO, b))
        if (b === one) return unary(Opcodes.ISZERO, a)
        if (b.op === Kind.constant && a.bits < b.bits) return one
        // No clock gets past what it can be at most.
        if (a.op === Kind.constant && isClock(b) && a.value >= (1n << BigInt(b.bits)) - 1n) return zero
        // Zero minus one is larger than zero: an empty array has no last element.
        if (isOneBelow(b, a)) return unary(Opcodes.ISZERO, a)
        if (isOneBelow(a, b)) return unary(Opcodes.ISZERO, unary(Opcodes.ISZERO, b))
        // Old compilers clear what is between the new end of an array and the one it had.
        if (a.op === Opcodes.ADD && isEndOfArray(b)) {
          const distance = distanceFrom(b, a)
          if (distance !== undefined) return truth(distance < 0n)
        }
        return node(op, [a, b])
      case Opcodes.SHL:
        if (a === zero || b === zero) return b
        if (a.op === Kind.constant && a.value >= 256n) return zero
        return node(op, [a, b])
      case Opcodes.SHR:
        if (a === zero || b === zero) return b
        if (a.op === Kind.constant && a.value >= BigInt(b.bits)) return zero
        // Moved up and down again, a number is without its high bits.
        if (a.op === Kind.constant && b.op === Opcodes.SHL && b.args[0] === a)
          return binary(Opcodes.AND, b.args[1], constant(maxWord >> a.value))
        return node(op, [a, b])
      case Opcodes.EXP:
        if (b === zero) return one
        if (b === one) return a
        return node(op, [a, b])
      case Opcodes.SIGNEXTEND:
        if (a.op === Kind.constant && BigInt(b.bits) < 8n * (a.value + 1n)) return b
        return node(op, [a, b])
      default:
        return node(op, [a, b])
    }
  }

  const hashOfWords = (...words: KeccakHash["args"]) => node(Opcodes.KECCAK256, words, "32", "words") as KeccakHash

  const hash = (pieces: ReadonlyArray<Piece>): Expression => {
    const areWords = pieces.every((piece) => piece.length === 32)
    const [first, ...others] = pieces.map((piece) => piece.word)
    // One or two words are how Solidity and Vyper place mappings and arrays: their shape must stay readable.
    const isPlace = areWords && (pieces.length === 1 || pieces.length === 2)
    const text = isPlace || isOfAccount(pieces) ? undefined : bytesOf(pieces)
    if (first === undefined || text !== undefined) return constant(BigInt(Hash.keccak256(`0x${text ?? ""}`)))
    if (areWords) return hashOfWords(first, ...others)
    return node(
      Opcodes.KECCAK256,
      [first, ...others],
      pieces.map((piece) => `${piece.from}+${piece.length}`).join(" "),
      pieces.map(({ from, length }) => ({ from, length }))
    )
  }

  return {
    constant,
    unknown: (reason, tag) => {
      const made = node(Kind.unknown, none, `${reason.kind} ${tag}`, reason) as Unknown
      // A value in transient storage is most often the caller.
      if (reason.kind === "transient") made.caller = Presence.itself
      return made
    },
    merge: (block, tag) => node(Kind.merge, none, `${block}:${tag}`, block) as Merge,
    offer: (merge, value) => {
      merge.alternatives.add(value)
      if (value.caller > merge.caller) merge.caller = value.caller
      hold(merge, value)
    },
    selector: node(Kind.selector, none),
    nullary: (op) => node(op, none),
    unary,
    binary,
    node,
    hash,
    hashOfWords,
    get: (id) => all[id] as Expression,
    size: () => all.length,
    divisors
  }
}

/** Whether a formula is a number less one. */
const isOneBelow = (what: Expression, number: Expression): boolean => {
  const [from, step] = what.args
  return (
    from === number &&
    step?.op === Kind.constant &&
    ((what.op === Opcodes.SUB && step.value === 1n) || (what.op === Opcodes.ADD && step.value === maxWord))
  )
}

/**
 * Whether a formula is the place behind the last element of an array, computed from its length. Hashes are far from
 * 2^256.
 */
const isEndOfArray = (what: Expression): boolean => {
  if (what.op !== Opcodes.ADD) return false
  const hash = what.args.find((arg) => arg.op === Opcodes.KECCAK256 && arg.detail === "words" && arg.args.length === 1)
  const size = what.args.find((arg) => arg !== hash)
  const length = size?.op === Opcodes.SHL && size.args[0]?.op === Kind.constant ? size.args[1] : size
  return hash !== undefined && length?.op === Opcodes.SLOAD && length.args[0] === hash.args[0]
}

/** The bytes in hex where all of them are known. */
const bytesOf = (pieces: ReadonlyArray<Piece>): string | undefined => {
  let text = ""
  for (const { from, length, word } of pieces) {
    if (word.op !== Kind.constant) return undefined
    text += word.value
      .toString(16)
      .padStart(64, "0")
      .slice(2 * from, 2 * (from + length))
  }
  return text
}

/** Whether some bytes are an account beside a word, as the entry of a mapping is packed that is one of an account in the code. */
const isOfAccount = (pieces: ReadonlyArray<Piece>): boolean =>
  pieces.length === 2 && pieces.some(({ length }) => length === 20) && pieces.some(({ length }) => length === 32)

/** How far a sum is above another that is made of two, where that is a small number. */
export const distanceFrom = (place: Expression, what: Expression): bigint | undefined => {
  const missing = [...place.args]
  let distance = 0n
  const pending: Array<Expression> = [what]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const known = missing.indexOf(part)
    if (known >= 0) missing.splice(known, 1)
    else if (part.op === Kind.constant && part.bits <= 32) distance += part.value
    else if (part.op === Opcodes.ADD && pending.length < 4) pending.push(...part.args)
    else if (part.op === Opcodes.SUB && part.args[1].op === Kind.constant && part.args[1].bits <= 32) {
      pending.push(part.args[0])
      distance -= part.args[1].value
    } else return undefined
  }
  return missing.length === 0 ? distance : undefined
}

const bitLength = (value: bigint): number => {
  const digits = value.toString(16)
  return 4 * digits.length - Math.clz32(Number.parseInt(digits[0] ?? "0", 16)) + 28
}

const bitsOf = (op: number, args: ReadonlyArray<Expression>): number => {
  const [a, b] = args
  switch (op) {
    case Opcodes.LT:
    case Opcodes.SLT:
    case Opcodes.EQ:
    case Opcodes.ISZERO:
      return 1
    case Opcodes.CALLER:
    case Opcodes.ORIGIN:
    case Opcodes.ADDRESS:
    case Opcodes.COINBASE:
      return 160
    case Opcodes.BYTE:
      return 8
    case Kind.selector:
    case Opcodes.CALLDATASIZE:
    case Opcodes.CODESIZE:
    case Opcodes.EXTCODESIZE:
      return 32
    case Opcodes.TIMESTAMP:
    case Opcodes.NUMBER:
    case Opcodes.CHAINID:
      return 64
    case Opcodes.AND:
      return Math.min(a?.bits ?? 256, b?.bits ?? 256)
    case Opcodes.OR:
    case Opcodes.XOR:
      return Math.max(a?.bits ?? 256, b?.bits ?? 256)
    case Opcodes.ADD:
      return Math.min(256, Math.max(a?.bits ?? 256, b?.bits ?? 256) + 1)
    case Opcodes.MUL:
      return Math.min(256, (a?.bits ?? 256) + (b?.bits ?? 256))
    case Opcodes.DIV:
      return a?.bits ?? 256
    case Opcodes.MOD:
      return Math.min(a?.bits ?? 256, b?.bits ?? 256)
    case Opcodes.SHR:
      return a?.op === Kind.constant ? Math.max(0, (b?.bits ?? 256) - Number(a.value)) : (b?.bits ?? 256)
    case Opcodes.SHL:
      return a?.op === Kind.constant ? Math.min(256, (b?.bits ?? 256) + Number(a.value)) : 256
    default:
      return 256
  }
}

/** Passes the taints of a part, or of an alternative, on to a formula. */
const hold = (what: Expression, { clock, environment, storage }: Expression): void => {
  if (environment) what.environment = true
  if (clock) what.clock = true
  if (storage) what.storage = true
}

const callerIn = (op: number, args: ReadonlyArray<Expression>): Presence => {
  let most: Presence = Presence.none
  for (const { caller } of args) if (caller > most) most = caller
  switch (op) {
    case Opcodes.CALLER:
    case Opcodes.ORIGIN:
      return Presence.itself
    // A value that is stored under the caller's key is not the caller.
    case Opcodes.SLOAD:
      return most === Presence.itself ? Presence.none : most
    case Opcodes.ADD:
    case Opcodes.AND:
    case Opcodes.BYTE:
    case Opcodes.OR:
    case Opcodes.KECCAK256:
      return most
    case Opcodes.SAR:
    case Opcodes.SHL:
    case Opcodes.SHR:
    case Opcodes.SIGNEXTEND:
      return args[0]?.caller === Presence.none ? most : Presence.derived
    default:
      return most === Presence.none ? Presence.none : Presence.derived
  }
}

const signed = (value: bigint): bigint => (value >= signBit ? value - (maxWord + 1n) : value)

/** A condition without the negations around it, and whether the original holds where the result does. */
export const unnegated = (condition: Expression): { readonly asked: Expression; readonly same: boolean } => {
  let asked = condition
  let same = true
  while (asked.op === Opcodes.ISZERO) {
    asked = asked.args[0]
    same = !same
  }
  return { asked, same }
}

/** What an instruction makes of two numbers, the top of the stack first; none for one that is no arithmetic on two. */
export const fold = (op: number, a: bigint, b: bigint): bigint | undefined => {
  switch (op) {
    case Opcodes.ADD:
      return (a + b) & maxWord
    case Opcodes.SUB:
      return (a - b) & maxWord
    case Opcodes.MUL:
      return (a * b) & maxWord
    case Opcodes.DIV:
      return b === 0n ? 0n : a / b
    case Opcodes.SDIV:
      return b === 0n ? 0n : (signed(a) / signed(b)) & maxWord
    case Opcodes.MOD:
      return b === 0n ? 0n : a % b
    case Opcodes.SMOD:
      return b === 0n ? 0n : (signed(a) % signed(b)) & maxWord
    case Opcodes.EXP:
      return power(a, b)
    case Opcodes.SIGNEXTEND: {
      if (a >= 31n) return b
      const bit = 8n * a + 7n
      const mask = (1n << (bit + 1n)) - 1n
      return (b >> bit) & 1n ? (b | (maxWord ^ mask)) & maxWord : b & mask
    }
    case Opcodes.LT:
      return a < b ? 1n : 0n
    case Opcodes.GT:
      return a > b ? 1n : 0n
    case Opcodes.SLT:
      return signed(a) < signed(b) ? 1n : 0n
    case Opcodes.SGT:
      return signed(a) > signed(b) ? 1n : 0n
    case Opcodes.EQ:
      return a === b ? 1n : 0n
    case Opcodes.AND:
      return a & b
    case Opcodes.OR:
      return a | b
    case Opcodes.XOR:
      return a ^ b
    case Opcodes.BYTE:
      return a >= 32n ? 0n : (b >> (8n * (31n - a))) & 0xffn
    case Opcodes.SHL:
      return a >= 256n ? 0n : (b << a) & maxWord
    case Opcodes.SHR:
      return a >= 256n ? 0n : b >> a
    case Opcodes.SAR:
      return (a >= 256n ? (b >= signBit ? -1n : 0n) : signed(b) >> a) & maxWord
    default:
      return undefined
  }
}

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  let square = base
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) & maxWord
    square = (square * square) & maxWord
  }
  return result
}

/** Whether it is the time or the number of the block. */
export const isClock = ({ op }: Pick<Expression, "op">): boolean => op === Opcodes.TIMESTAMP || op === Opcodes.NUMBER

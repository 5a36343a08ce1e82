/** @internal */

import { Option } from "effect"
import * as OxBytes from "ox/Bytes"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import { immediateSize, inputs, Opcodes, outputs } from "../bytecode/Opcodes.js"
import * as KnownBytes from "./KnownBytes.js"

/** What is known of the chain at the block of a call: codes and storage words, by accounts in lower case. */
export interface KnownState {
  readonly code: (account: Hex) => Option.Option<Hex>
  readonly word: (account: Hex, slot: bigint) => Option.Option<bigint>
}

/** Codes and slots of accounts in lower case. */
export interface StatePlaces {
  readonly codes: ReadonlyArray<Hex>
  readonly slots: ReadonlyArray<{ readonly account: Hex; readonly slot: bigint }>
}

/**
 * Whether the outcome of a call depends on nothing but the state and the block: not on the gas, nor on the code or balance
 * of its sender or of the zero address. `"proven"`: no path does. `"open"`: it may. `"wanting"`: where it goes depends on
 * codes or slots that are not known; those may show it. `read` is what of the state was looked at. `cut`: there was more to
 * follow than is followed of any call.
 */
export interface Verdict {
  readonly state: "proven" | "open" | "wanting"
  readonly read: StatePlaces
  readonly cut: boolean
}

/**
 * Follows a call without a value and with known calldata through every path that it can take, in the code of the
 * account and in all code that it delegates to. An unknown value may be anything; a jump, an account or an instruction
 * that is not understood leaves the answer open.
 *
 * Gas may only be passed to a call, whole or less a small number: where no frame runs out of gas, that changes nothing.
 */
export const decide = (call: { readonly account: Hex; readonly data: Hex }, known: KnownState): Verdict => {
  const codes = new Map<Hex, Option.Option<Hex>>()
  const slots = new Map<
    string,
    { readonly account: Hex; readonly slot: bigint; readonly word: Option.Option<bigint> }
  >()
  const following: Following = {
    steps: 0,
    frames: new Set(),
    code: (account) => {
      const code = codes.get(account) ?? known.code(account)
      codes.set(account, code)
      return code
    },
    word: (account, slot) => {
      const key = `${account} ${slot}`
      const word = slots.get(key)?.word ?? known.word(account, slot)
      slots.set(key, { account, slot, word })
      return word
    }
  }
  const account = call.account.toLowerCase() as Hex
  const calldata = { bytes: Int16Array.from(OxBytes.fromHex(call.data)), rest: 0 } as const
  const ended = follow(following, { code: account, account, calldata })
  const isWanting =
    [...codes.values()].some(Option.isNone) || [...slots.values()].some(({ word }) => Option.isNone(word))
  return {
    state: ended === "understood" ? "proven" : ended === "lost" && isWanting ? "wanting" : "open",
    cut: following.steps > mostSteps,
    read: { codes: [...codes.keys()], slots: [...slots.values()].map(({ account, slot }) => ({ account, slot })) }
  }
}

/** A word of which something is known: a number, any, or the gas that is left or a little less. */
type Word = bigint | "any" | "gas"

interface Following {
  steps: number
  /** Calls that were followed or are being. */
  readonly frames: Set<string>
  readonly code: (account: Hex) => Option.Option<Hex>
  readonly word: (account: Hex, slot: bigint) => Option.Option<bigint>
}

interface Frame {
  /** The account that has the running code. */
  readonly code: Hex
  /** The account that it runs as. */
  readonly account: Hex
  readonly calldata: KnownBytes.KnownBytes
}

/** `"lost"`: which code runs next is not known. */
type Ended = "understood" | "open" | "lost"

interface Place {
  readonly offset: number
  readonly stack: Array<Word>
  readonly memory: KnownBytes.KnownBytes
  /** Whether another contract may have returned data. */
  hasCalled: boolean
}

const follow = (following: Following, frame: Frame): Ended => {
  const key = `${frame.code} ${frame.account} ${frame.calldata.bytes.join()}`
  if (following.frames.has(key)) return "understood"
  following.frames.add(key)
  if (following.frames.size > mostFrames) return "open"
  const found = following.code(frame.code)
  if (Option.isNone(found)) return "lost"
  if (found.value.startsWith("0xef")) return "open"
  const { bytes, jumpdests } = Bytecode.parse(found.value)
  const places = new Map<string, Place>()
  const waiting = new Set<Place>()
  const enter = (place: Place): void => {
    following.steps += (place.stack.length + place.memory.bytes.length) >> 4
    // Return addresses are on the stack: places with different ones are kept apart.
    const returns = place.stack.map((word) => (typeof word === "bigint" && jumpdests.has(Number(word)) ? word : "."))
    const key = `${place.offset} ${returns.join()}`
    const known = places.get(key)
    if (known === undefined) places.set(key, place)
    if (known === undefined || meet(known, place)) waiting.add(known ?? place)
  }
  enter({ offset: 0, stack: [], memory: KnownBytes.empty(), hasCalled: false })
  for (const place of waiting) {
    waiting.delete(place)
    const ended = run(following, frame, { bytes, jumpdests }, copyOf(place), enter)
    if (ended !== "understood") return ended
  }
  return "understood"
}

const copyOf = ({ hasCalled, memory, offset, stack }: Place): Place => ({
  offset,
  stack: stack.slice(),
  memory: KnownBytes.copy(memory),
  hasCalled
})

/** Keeps what two places have in common, and returns whether anything was lost. */
const meet = (kept: Place, other: Place): boolean => {
  let changed = KnownBytes.meet(kept.memory, other.memory)
  kept.stack.forEach((word, index) => {
    const met = word === other.stack[index] ? word : [word, other.stack[index]].includes("gas") ? "gas" : "any"
    if (met === word) return
    kept.stack[index] = met
    changed = true
  })
  if (other.hasCalled && !kept.hasCalled) {
    kept.hasCalled = true
    changed = true
  }
  return changed
}

/** Runs a basic block. */
const run = (
  following: Following,
  frame: Frame,
  { bytes, jumpdests }: Pick<Bytecode.Bytecode, "bytes" | "jumpdests">,
  place: Place,
  enter: (place: Place) => void
): Ended => {
  const { memory, stack } = place
  const push = (word: Word): void => {
    stack.push(word)
  }
  for (let offset = place.offset; ; ) {
    if (++following.steps > mostSteps) return "open"
    const opcode = bytes[offset] ?? Opcodes.STOP
    if (!understood.has(opcode)) return "open"
    if (opcode === Opcodes.JUMPDEST && offset !== place.offset) {
      enter({ ...place, offset })
      return "understood"
    }
    // Such a frame fails.
    if (stack.length < inputs(opcode) || stack.length - inputs(opcode) + outputs(opcode) > 1_024) return "understood"
    const size = immediateSize(opcode)
    const next = offset + 1 + size
    if (opcode === Opcodes.PUSH0 || size > 0) {
      let value = 0n
      for (let at = offset + 1; at < next; at++) value = (value << 8n) | BigInt(bytes[at] ?? 0)
      push(value)
    } else if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) {
      push(stack[stack.length - 1 - (opcode - Opcodes.DUP1)] as Word)
    } else if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
      const [top, other] = [stack.length - 1, stack.length - 2 - (opcode - Opcodes.SWAP1)]
      ;[stack[top], stack[other]] = [stack[other] as Word, stack[top] as Word]
    } else if (opcode === Opcodes.GAS) {
      push("gas")
    } else if (opcode === Opcodes.POP) {
      stack.pop()
    } else {
      const taken = Array.from({ length: inputs(opcode) }, () => stack.pop() as Word)
      if (opcode === Opcodes.CALL || opcode === Opcodes.STATICCALL || opcode === Opcodes.DELEGATECALL) {
        const ended = handOn(following, frame, opcode, taken, memory)
        if (ended !== "understood") return ended
        place.hasCalled = true
        push("any")
      } else if (opcode === Opcodes.SUB && taken[0] === "gas" && isUpTo(taken[1], mostHeldBack)) {
        push("gas")
      } else if (taken.includes("gas")) {
        return "open"
      } else if (ends.has(opcode)) {
        return "understood"
      } else if (opcode === Opcodes.JUMP || opcode === Opcodes.JUMPI) {
        const [target, condition] = taken
        if (opcode === Opcodes.JUMPI && condition === 0n) {
          offset = next
          continue
        }
        if (typeof target !== "bigint") return "open"
        const isBranch = opcode === Opcodes.JUMPI && condition === "any"
        // Elsewhere a jump fails.
        if (jumpdests.has(Number(target))) enter({ ...(isBranch ? copyOf(place) : place), offset: Number(target) })
        if (!isBranch) return "understood"
      } else {
        const result = calculated(opcode, taken) ?? looked(following, frame, { bytes, offset, opcode, taken, place })
        if (result === "open") return "open"
        if (outputs(opcode) === 1) push(result)
      }
    }
    offset = next
  }
}

/** Follows a call into the code that it goes to. */
const handOn = (
  following: Following,
  frame: Frame,
  opcode: number,
  taken: ReadonlyArray<Word>,
  memory: KnownBytes.KnownBytes
): Ended => {
  const [, to] = taken
  const [value, rest] = opcode === Opcodes.CALL ? [taken[2], taken.slice(3)] : [0n, taken.slice(2)]
  if (value !== 0n || rest.includes("gas") || to === "gas" || to === undefined) return "open"
  if (to === "any") return "lost"
  const [input, size, output, room] = rest
  const account = addressOf(to)
  const isPrecompile = isUpTo(BigInt(account), lastPrecompile)
  if (isPrecompile) {
    if (opcode === Opcodes.DELEGATECALL || BigInt(account) < 1n || BigInt(account) > lastKnownPrecompile) return "open"
  } else {
    if (!isUpTo(input, KnownBytes.most) || !isUpTo(size, KnownBytes.most)) return "open"
    const calldata = { bytes: KnownBytes.read(memory, Number(input), Number(size)), rest: 0 } as const
    const ended = follow(following, {
      code: account,
      account: opcode === Opcodes.DELEGATECALL ? frame.account : account,
      calldata
    })
    if (ended !== "understood") return ended
  }
  overwrite(memory, output, room)
  return "understood"
}

/** What instructions give that read the call, the code, memory, storage, the block or another account. */
const looked = (
  following: Following,
  { account, calldata }: Frame,
  {
    bytes,
    offset,
    opcode,
    place: { hasCalled, memory },
    taken: [first, second, third]
  }: {
    readonly bytes: Uint8Array
    readonly offset: number
    readonly opcode: number
    readonly taken: ReadonlyArray<Word>
    readonly place: Place
  }
): Word | "open" => {
  switch (opcode) {
    case Opcodes.ADDRESS:
      return BigInt(account)
    // A call that is followed brings no value along.
    case Opcodes.CALLVALUE:
      return 0n
    case Opcodes.CALLDATASIZE:
      return BigInt(calldata.bytes.length)
    case Opcodes.CALLDATALOAD:
      if (first === "any") return "any"
      return isUpTo(first, calldata.bytes.length) ? wordAt(calldata, Number(first)) : 0n
    case Opcodes.CODESIZE:
      return BigInt(bytes.length)
    case Opcodes.PC:
      return BigInt(offset)
    case Opcodes.RETURNDATASIZE:
      return hasCalled ? "any" : 0n
    case Opcodes.MLOAD:
      return isUpTo(first, KnownBytes.most) ? wordAt(memory, Number(first)) : "any"
    case Opcodes.SLOAD:
      return isNumber(first) ? Option.getOrElse(following.word(account, first), () => "any" as const) : "any"
    case Opcodes.MSTORE:
      if (typeof second !== "bigint" || !isUpTo(first, KnownBytes.most)) overwrite(memory, first, 32n)
      else KnownBytes.write(memory, Number(first), KnownBytes.wordOf(second))
      return "any"
    case Opcodes.MSTORE8:
      overwrite(memory, first, 1n)
      return "any"
    case Opcodes.CALLDATACOPY:
      if (isUpTo(first, KnownBytes.most) && isUpTo(second, calldata.bytes.length) && isUpTo(third, KnownBytes.most))
        KnownBytes.write(memory, Number(first), KnownBytes.read(calldata, Number(second), Number(third)))
      else overwrite(memory, first, third)
      return "any"
    case Opcodes.CODECOPY:
    case Opcodes.RETURNDATACOPY:
    case Opcodes.MCOPY:
      overwrite(memory, first, third)
      return "any"
    // Only the sender and the zero address may have different code.
    case Opcodes.BALANCE:
    case Opcodes.EXTCODESIZE:
    case Opcodes.EXTCODEHASH:
      return isNumber(first) && BigInt(addressOf(first)) > 0n ? "any" : "open"
    // The rest gives the same wherever the same call is made at a block.
    default:
      return "any"
  }
}

/** A word that is calculated from words; none for another instruction. */
const calculated = (opcode: number, taken: ReadonlyArray<Word>): Word | undefined => {
  const operation = operations.get(opcode)
  if (operation === undefined) return arithmetic.has(opcode) ? "any" : undefined
  const [a, b] = taken as [Word, Word | undefined]
  if (typeof a !== "bigint" || (b !== undefined && typeof b !== "bigint")) return "any"
  // A larger exponent is neither a mask nor an offset in a word.
  if (opcode === Opcodes.EXP && !isUpTo(b, 256n)) return "any"
  return BigInt.asUintN(256, operation(a, b ?? 0n))
}

const operations: ReadonlyMap<number, (a: bigint, b: bigint) => bigint> = new Map<
  number,
  (a: bigint, b: bigint) => bigint
>([
  [Opcodes.ADD, (a, b) => a + b],
  [Opcodes.MUL, (a, b) => a * b],
  [Opcodes.SUB, (a, b) => a - b],
  [Opcodes.DIV, (a, b) => (b === 0n ? 0n : a / b)],
  [Opcodes.MOD, (a, b) => (b === 0n ? 0n : a % b)],
  [Opcodes.EXP, (a, b) => a ** b],
  [Opcodes.LT, (a, b) => BigInt(a < b)],
  [Opcodes.GT, (a, b) => BigInt(a > b)],
  [Opcodes.SLT, (a, b) => BigInt(BigInt.asIntN(256, a) < BigInt.asIntN(256, b))],
  [Opcodes.SGT, (a, b) => BigInt(BigInt.asIntN(256, a) > BigInt.asIntN(256, b))],
  [Opcodes.EQ, (a, b) => BigInt(a === b)],
  [Opcodes.ISZERO, (a) => BigInt(a === 0n)],
  [Opcodes.AND, (a, b) => a & b],
  [Opcodes.OR, (a, b) => a | b],
  [Opcodes.XOR, (a, b) => a ^ b],
  [Opcodes.NOT, (a) => ~a],
  [Opcodes.SHL, (a, b) => (a < 256n ? b << a : 0n)],
  [Opcodes.SHR, (a, b) => (a < 256n ? b >> a : 0n)]
])

/** Of these nothing is calculated: jumps and accounts seldom depend on them. */
const arithmetic: ReadonlySet<number> = new Set([
  Opcodes.SDIV,
  Opcodes.SMOD,
  Opcodes.ADDMOD,
  Opcodes.MULMOD,
  Opcodes.SIGNEXTEND,
  Opcodes.BYTE,
  Opcodes.SAR
])

const ends: ReadonlySet<number> = new Set([Opcodes.STOP, Opcodes.RETURN, Opcodes.REVERT, Opcodes.INVALID])

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, step) => first + step)

/** Any other instruction may give any value: a chain may have its own, and so may a later fork. */
const understood: ReadonlySet<number> = new Set([
  ...operations.keys(),
  ...arithmetic,
  ...ends,
  ...range(Opcodes.KECCAK256, Opcodes.KECCAK256),
  ...range(Opcodes.ADDRESS, Opcodes.EXTCODESIZE),
  ...range(Opcodes.RETURNDATASIZE, Opcodes.BASEFEE),
  ...range(Opcodes.POP, Opcodes.SLOAD),
  ...range(Opcodes.JUMP, Opcodes.JUMPDEST),
  ...range(Opcodes.MCOPY, Opcodes.LOG4),
  Opcodes.CALL,
  Opcodes.DELEGATECALL,
  Opcodes.STATICCALL
])

const overwrite = (memory: KnownBytes.KnownBytes, offset: Word | undefined, size: Word | undefined): void => {
  if (size === 0n) return
  if (!isUpTo(offset, KnownBytes.most)) KnownBytes.forgetFrom(memory, isNumber(offset) ? KnownBytes.most : 0)
  else if (isUpTo(size, KnownBytes.most)) KnownBytes.forget(memory, Number(offset), Number(size))
  else KnownBytes.forgetFrom(memory, Number(offset))
}

const wordAt = (bytes: KnownBytes.KnownBytes, offset: number): Word =>
  KnownBytes.numberOf(KnownBytes.read(bytes, offset, 32)) ?? "any"

const addressOf = (word: bigint): Hex => `0x${BigInt.asUintN(160, word).toString(16).padStart(40, "0")}`

const isNumber = (word: Word | undefined): word is bigint => typeof word === "bigint"

const isUpTo = (word: Word | undefined, most: bigint | number): word is bigint => isNumber(word) && word <= most

// Getters of USDC take up to 800, those of a Uniswap position 1,400.
const mostSteps = 5_000
const mostFrames = 16

// What old compilers keep of the gas for after a call.
const mostHeldBack = 10_000n

// Chains have precompiles of their own up to here; the first ones are the same on all.
const lastPrecompile = 0xffffn
const lastKnownPrecompile = 9n

import { Option } from "effect"
import * as OxBytes from "ox/Bytes"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import { codeWord } from "./CodeWord.js"
import * as Metadata from "./Metadata.js"
import { immediateSize, inputs, isDefined, isUnassigned, type Mnemonic, Opcodes, outputs } from "./Opcodes.js"

/**
 * One instruction of a linear sweep: its byte offset, opcode and immediate (0 unless PUSH1 to PUSH32).
 *
 * @since 0.1.0
 * @category models
 */
export interface Instruction {
  readonly offset: number
  readonly opcode: number
  readonly immediate: bigint
}

/**
 * A runtime code taken apart. `instructions` stop before the compiler's metadata; `jumpdests` are the valid jump
 * targets of the whole code, metadata included, because the EVM makes no difference there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bytecode {
  readonly bytes: Uint8Array
  readonly instructions: ReadonlyArray<Instruction>
  readonly jumpdests: ReadonlySet<number>
  readonly metadata: Option.Option<Metadata.Metadata>
}

/**
 * Parses a runtime code, and keeps the latest few for the next callers.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (code: Hex): Bytecode => {
  const known = recent.find((parsed) => parsed.code === code)
  if (known !== undefined) return known.bytecode
  const bytecode = takeApart(code)
  recent.unshift({ code, bytecode })
  recent.length = Math.min(recent.length, maxRecent)
  return bytecode
}

/** The latest first. */
const recent: Array<{ readonly code: Hex; readonly bytecode: Bytecode }> = []

/** Enough for a token, its implementation and the contracts that it calls. */
const maxRecent = 4

const takeApart = (code: Hex): Bytecode => {
  const bytes = toBytes(code)
  const metadata = Metadata.decodeBytes(bytes)
  const end = bytes.length - Option.match(metadata, { onNone: () => 0, onSome: (found) => found.size })
  const instructions: Array<Instruction> = []
  const jumpdests = new Set<number>()
  for (let offset = 0; offset < bytes.length; ) {
    const opcode = bytes[offset] ?? 0
    const size = immediateSize(opcode)
    if (opcode === Opcodes.JUMPDEST) jumpdests.add(offset)
    if (offset < end)
      instructions.push({ offset, opcode, immediate: size === 0 ? 0n : codeWord(bytes, offset + 1, size) })
    offset += 1 + size
  }
  return { bytes, instructions, jumpdests, metadata }
}

/**
 * What EXTCODEHASH answers of an account without code (EIP-1052).
 *
 * @since 0.1.0
 * @category constants
 */
export const hashOfNone = BigInt(Hash.keccak256("0x"))

/**
 * Whether an address holds no code.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isEmpty = (code: Hex): boolean => code.length <= 2

/**
 * The code hash as EXTCODEHASH gives it, in bytes32.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1052
 * @since 0.1.0
 * @category combinators
 */
export const hash = (code: Hex): Hex => Hash.keccak256(code)

/**
 * The delegate of an EIP-7702 designator (`0xef0100 . address`, 23 bytes).
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 * @since 0.1.0
 * @category combinators
 */
export const delegate = (code: Hex): Option.Option<Address.Address> =>
  code.length === 2 + 2 * 23 && code.toLowerCase().startsWith("0xef0100")
    ? Option.some(Address.checksum(`0x${code.slice(8)}`))
    : Option.none()

/**
 * Whether code is that of a contract: neither none nor the delegation of an account with a key.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isContract = (code: Hex): boolean => !isEmpty(code) && Option.isNone(delegate(code))

/**
 * Addresses written into the code: PUSH20 constants, and the 32-byte form in which solc leaves immutable addresses.
 * In order of appearance, without repeats; masks and small numbers are left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const addressConstants = (bytecode: Bytecode): ReadonlyArray<Address.Address> => {
  const found = new Set<Address.Address>()
  for (const { opcode, immediate } of bytecode.instructions) {
    if (opcode !== Opcodes.PUSH20 && opcode !== Opcodes.PUSH32) continue
    if (immediate >= addressMask || immediate < smallestAddress) continue
    found.add(Address.checksum(OxHex.fromNumber(immediate, { size: 20 })))
  }
  return [...found]
}

/**
 * Which opcodes can run. `reached` holds those on a path from offset 0 with jumps that could be followed; `possible`
 * holds those in any block that begins at offset 0 or at a JUMPDEST, and never leaves out one that can run, whatever
 * the code does. `complete` says that every jump could be followed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reach {
  readonly reached: ReadonlySet<number>
  readonly possible: ReadonlySet<number>
  readonly complete: boolean
}

/**
 * Whether an opcode can run: `possible` where it stands in the code and no path to it was found.
 *
 * @since 0.1.0
 * @category models
 */
export type Presence = "present" | "absent" | "possible"

/**
 * Follows control flow in time linear in the code.
 *
 * A jump to a target that is pushed in its own basic block goes there. A jump to a target that was on the stack when
 * the block began (a return) may go to any JUMPDEST that some reached PUSH names. Other jumps are not followed and
 * leave the answer incomplete, and so does an instruction that no fork defines: a chain may know it, or some time will.
 *
 * @since 0.1.0
 * @category combinators
 */
export const reach = (bytecode: Bytecode): Reach => {
  const found = follow(bytecode)
  return isForeignTo(bytecode, found) ? anything : found
}

/**
 * Whether calls of the account run something else than these bytes. They may be the code of another machine: EraVM
 * programs begin with a zero byte, Stylus and others with 0xef, as no EVM code may by EIP-3541. Or they are a stub for
 * a contract that the chain itself implements, and would do nothing.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3541
 * @see https://docs.arbitrum.io/stylus/concepts/how-it-works
 * @since 0.1.0
 * @category combinators
 */
export const isForeign = (bytecode: Bytecode): boolean => isForeignTo(bytecode, follow(bytecode))

const isForeignTo = ({ bytes }: Bytecode, { complete, reached }: Reach): boolean => {
  if (bytes.length === 0 || isDelegation(bytes)) return false
  if (bytes[0] === 0xef || (bytes[0] === Opcodes.STOP && bytes.length > 1)) return true
  return complete && !effects.some((opcode) => reached.has(opcode))
}

const isDelegation = (bytes: Uint8Array): boolean =>
  bytes.length === 23 && bytes[0] === 0xef && bytes[1] === 0x01 && bytes[2] === 0x00

/** What a call of a code can be for: without any of these it changes nothing and says nothing. */
const effects: ReadonlyArray<number> = [
  Opcodes.RETURN,
  Opcodes.SSTORE,
  Opcodes.TSTORE,
  Opcodes.CALL,
  Opcodes.CALLCODE,
  Opcodes.DELEGATECALL,
  Opcodes.STATICCALL,
  Opcodes.CREATE,
  Opcodes.CREATE2,
  Opcodes.SELFDESTRUCT,
  Opcodes.LOG0,
  Opcodes.LOG0 + 1,
  Opcodes.LOG0 + 2,
  Opcodes.LOG0 + 3,
  Opcodes.LOG4
]

/** Of a code that is not what answers, nothing is known. */
const anything: Reach = {
  reached: new Set(),
  possible: new Set(Array.from({ length: 256 }, (_, opcode) => opcode)),
  complete: false
}

const follow = (bytecode: Bytecode): Reach => {
  const { bytes, jumpdests } = bytecode
  const reached = new Set<number>()
  const seen = new Uint8Array(bytes.length)
  const pending: Array<number> = [0]
  const named = new Set<number>()
  const untold: Array<number> = []
  let returns = false
  let complete = true
  const visit = (target: number): void => {
    if (jumpdests.has(target) && seen[target] === 0) pending.push(target)
  }
  while (pending.length > 0) {
    const stack: Array<StackItem> = []
    const take = (): StackItem => stack.pop() ?? "inherited"
    for (let offset = pending.pop() ?? 0; offset < bytes.length && seen[offset] === 0; ) {
      seen[offset] = 1
      const opcode = bytes[offset] ?? 0
      const size = immediateSize(opcode)
      reached.add(opcode)
      if (opcode === Opcodes.JUMP || opcode === Opcodes.JUMPI) {
        const target = take()
        if (typeof target === "number") visit(target)
        else if (target === "computed") complete = false
        else if (!returns) {
          returns = true
          for (const candidate of named) visit(candidate)
        }
        if (opcode === Opcodes.JUMP) break
        take()
      } else if (endsFrame(opcode)) {
        // What no fork has defined yet, one to come may.
        if (isUnassigned(opcode)) {
          complete = false
          untold.push(offset + 1)
        }
        break
      } else if (size > 0 || opcode === Opcodes.PUSH0) {
        // A target can be padded with zeros to any length.
        const isFar = size > 4 && bytes.subarray(offset + 1, offset + size - 3).some((byte) => byte !== 0)
        const value = isFar ? Number.POSITIVE_INFINITY : Number(codeWord(bytes, offset + 1, size))
        stack.push(value)
        if (jumpdests.has(value) && !named.has(value)) {
          named.add(value)
          if (returns) visit(value)
        }
      } else if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) {
        stack.push(stack.at(Opcodes.DUP1 - opcode - 1) ?? "inherited")
      } else if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
        const other = opcode - Opcodes.SWAP1 + 2
        while (stack.length < other) stack.unshift("inherited")
        const top = stack.length - 1
        ;[stack[top], stack[stack.length - other]] = [stack[stack.length - other] as StackItem, stack[top] as StackItem]
      } else {
        for (let taken = inputs(opcode); taken > 0; taken--) take()
        for (let left = outputs(opcode); left > 0; left--) stack.push("computed")
      }
      offset += 1 + size
    }
  }
  const possible = new Set(reached)
  const look = (start: number, goesOn: (opcode: number) => boolean): void => {
    for (let offset = start; offset < bytes.length && seen[offset] === 0; ) {
      seen[offset] = 1
      const opcode = bytes[offset] ?? 0
      possible.add(opcode)
      if (!goesOn(opcode)) break
      offset += 1 + immediateSize(opcode)
    }
  }
  for (const start of untold) look(start, (opcode) => isUnassigned(opcode) || !endsBlock(opcode))
  for (const start of jumpdests) look(start, (opcode) => !endsBlock(opcode))
  return { reached, possible, complete }
}

/**
 * Offsets of the instructions that can run at all: those in a block that begins at offset 0 or at a JUMPDEST.
 *
 * @since 0.1.0
 * @category combinators
 */
export const offsets = ({ bytes, jumpdests }: Bytecode): ReadonlySet<number> => {
  const seen = new Set<number>()
  for (const start of [0, ...jumpdests]) {
    for (let offset = start; offset < bytes.length && !seen.has(offset); ) {
      seen.add(offset)
      const opcode = bytes[offset] ?? 0
      if (endsBlock(opcode)) break
      offset += 1 + immediateSize(opcode)
    }
  }
  return seen
}

/**
 * Whether an opcode can run, by what {@link reach} found.
 *
 * @since 0.1.0
 * @category combinators
 */
export const presence = (reach: Reach, mnemonic: Mnemonic): Presence => {
  const opcode = Opcodes[mnemonic]
  return reach.reached.has(opcode) ? "present" : reach.possible.has(opcode) ? "possible" : "absent"
}

/**
 * Whether code may delegate to other code.
 *
 * @since 0.1.0
 * @category combinators
 */
export const runsOtherCode = (reach: Reach): boolean =>
  presence(reach, "DELEGATECALL") !== "absent" || presence(reach, "CALLCODE") !== "absent"

/** What stands on the stack of a basic block: a pushed number, a result, or what the block began with. */
type StackItem = number | "computed" | "inherited"

const endsFrame = (opcode: number): boolean =>
  opcode === Opcodes.STOP ||
  opcode === Opcodes.RETURN ||
  opcode === Opcodes.REVERT ||
  opcode === Opcodes.SELFDESTRUCT ||
  !isDefined(opcode)

const endsBlock = (opcode: number): boolean => opcode === Opcodes.JUMP || endsFrame(opcode)

const toBytes = (code: Hex): Uint8Array => (code.length % 2 === 0 ? OxBytes.fromHex(code) : new Uint8Array())

const addressMask = (1n << 160n) - 1n

// Precompiles and small constants sit below, no account is ever found there.
const smallestAddress = 1n << 96n

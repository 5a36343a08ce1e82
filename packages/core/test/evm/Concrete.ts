import * as OxBytes from "ox/Bytes"
import * as Hash from "ox/Hash"
import type * as Bytecode from "../../src/evm/bytecode/Bytecode.js"
import { immediateSize, inputs, isDefined, Opcodes } from "../../src/evm/bytecode/Opcodes.js"
import { fold, maxWord } from "../../src/evm/expression/Expression.js"

/** A call of a contract on an EVM of its own: what is not said beforehand, another contract's answer or a variable, `guess` says. */
export interface Setting {
  readonly code: Bytecode.Bytecode
  readonly calldata: Uint8Array
  readonly caller: bigint
  readonly value: bigint
  readonly time: bigint
  readonly self: bigint
  readonly guess: (what: "variable" | "answer" | "success" | "signer" | "other", slot?: bigint) => bigint
}

/** What a call did that ended well. */
export interface Execution {
  readonly stores: ReadonlyArray<Store>
  readonly calls: ReadonlyArray<Called>
  /** The first words that variables held, and all that were put there. */
  readonly held: ReadonlyMap<bigint, ReadonlyArray<bigint>>
  readonly destroyed: boolean
  readonly recovered: boolean
  readonly returned: Uint8Array
  /** What was hashed, by hash. */
  readonly hashed: ReadonlyMap<bigint, Uint8Array>
}

export interface Store {
  readonly offset: number
  readonly slot: bigint
  readonly before: bigint
  readonly after: bigint
}

export interface Called {
  readonly offset: number
  readonly opcode: number
  readonly target: bigint
  readonly value: bigint
  readonly input: Uint8Array
}

export const word = (bytes: Uint8Array, at: number): bigint => {
  let value = 0n
  for (let i = at; i < at + 32; i++) value = (value << 8n) | BigInt(bytes[i] ?? 0)
  return value
}

export const toWord = (value: bigint): Uint8Array => OxBytes.fromNumber(value, { size: 32 })

/** Memory, and how long what is hashed or copied may be. */
const mostMemory = 1 << 16

/** Runs a call; none where it reverts, runs out of memory or of steps. */
export const run = ({ calldata, caller, code, guess, self, time, value }: Setting): Execution | undefined => {
  const { bytes, jumpdests } = code
  const stack: Array<bigint> = []
  const memory = new Uint8Array(mostMemory)
  const storage = new Map<bigint, Array<bigint>>()
  const transient = new Map<bigint, bigint>()
  const others = new Map<string, bigint>()
  const stores: Array<Store> = []
  const calls: Array<Called> = []
  const hashed = new Map<bigint, Uint8Array>()
  let returned: Uint8Array = new Uint8Array()
  let size = 0
  let recovered = false
  const other = (name: string, bits = 256n): bigint => {
    const known = others.get(name) ?? guess("other") & ((1n << bits) - 1n)
    others.set(name, known)
    return known
  }
  const pop = (): bigint => stack.pop() as bigint
  const variable = (slot: bigint): Array<bigint> => {
    const known = storage.get(slot) ?? [guess("variable", slot)]
    storage.set(slot, known)
    return known
  }
  const touch = (at: bigint, length: bigint): boolean => {
    if (length === 0n) return true
    if (at + length > BigInt(mostMemory)) return false
    size = Math.max(size, Math.ceil(Number(at + length) / 32) * 32)
    return true
  }
  const copy = (from: Uint8Array, at: bigint, source: bigint, length: bigint): boolean => {
    if (!touch(at, length)) return false
    const start = source > BigInt(mostMemory) ? mostMemory : Number(source)
    for (let i = 0; i < Number(length); i++) memory[Number(at) + i] = from[start + i] ?? 0
    return true
  }
  const slice = (at: bigint, length: bigint): Uint8Array =>
    length === 0n ? new Uint8Array() : memory.slice(Number(at), Number(at + length))
  const end = (fields: Partial<Execution> = {}): Execution => ({
    stores,
    calls,
    held: storage,
    destroyed: false,
    recovered,
    returned: new Uint8Array(),
    hashed,
    ...fields
  })

  for (let offset = 0, steps = 0; steps < 30_000; steps++) {
    const opcode = bytes[offset] ?? Opcodes.STOP
    if (stack.length < inputs(opcode) || stack.length > 1024 || !isDefined(opcode)) return undefined
    const pushed = immediateSize(opcode)
    if (opcode >= Opcodes.PUSH0 && opcode <= Opcodes.PUSH32) {
      let immediate = 0n
      for (let i = 1; i <= pushed; i++) immediate = (immediate << 8n) | BigInt(bytes[offset + i] ?? 0)
      stack.push(immediate)
      offset += 1 + pushed
      continue
    }
    if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16)
      stack.push(stack[stack.length - 1 - (opcode - Opcodes.DUP1)] as bigint)
    else if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
      const [top, under] = [stack.length - 1, stack.length - 2 - (opcode - Opcodes.SWAP1)]
      ;[stack[top], stack[under]] = [stack[under] as bigint, stack[top] as bigint]
    } else if (opcode >= Opcodes.LOG0 && opcode <= Opcodes.LOG4) {
      if (!touch(pop(), pop())) return undefined
      for (let i = opcode - Opcodes.LOG0; i > 0; i--) pop()
    } else {
      switch (opcode) {
        case Opcodes.STOP:
          return end()
        case Opcodes.RETURN: {
          const [at, length] = [pop(), pop()]
          return touch(at, length) ? end({ returned: slice(at, length) }) : undefined
        }
        case Opcodes.SELFDESTRUCT:
          return end({ destroyed: true })
        case Opcodes.REVERT:
          return undefined
        case Opcodes.JUMPDEST:
          break
        case Opcodes.JUMP:
        case Opcodes.JUMPI: {
          const target = pop()
          if (opcode === Opcodes.JUMPI && pop() === 0n) break
          if (target > 0xffffffn || !jumpdests.has(Number(target))) return undefined
          offset = Number(target)
          continue
        }
        case Opcodes.POP:
          pop()
          break
        case Opcodes.ISZERO:
          stack.push(pop() === 0n ? 1n : 0n)
          break
        case Opcodes.NOT:
          stack.push(maxWord ^ pop())
          break
        case Opcodes.ADDMOD:
        case Opcodes.MULMOD: {
          const [a, b, n] = [pop(), pop(), pop()]
          stack.push(n === 0n ? 0n : (opcode === Opcodes.ADDMOD ? a + b : a * b) % n)
          break
        }
        case Opcodes.CLZ: {
          const a = pop()
          stack.push(a === 0n ? 256n : BigInt(256 - a.toString(2).length))
          break
        }
        case Opcodes.KECCAK256: {
          const [at, length] = [pop(), pop()]
          if (!touch(at, length)) return undefined
          const input = slice(at, length)
          const hash = BigInt(Hash.keccak256(input, { as: "Hex" }))
          hashed.set(hash, input)
          stack.push(hash)
          break
        }
        case Opcodes.ADDRESS:
          stack.push(self)
          break
        case Opcodes.CALLER:
        case Opcodes.ORIGIN:
          stack.push(caller)
          break
        case Opcodes.CALLVALUE:
          stack.push(value)
          break
        case Opcodes.CALLDATALOAD: {
          const at = pop()
          stack.push(at > BigInt(calldata.length) ? 0n : word(calldata, Number(at)))
          break
        }
        case Opcodes.CALLDATASIZE:
          stack.push(BigInt(calldata.length))
          break
        case Opcodes.CALLDATACOPY:
          if (!copy(calldata, pop(), pop(), pop())) return undefined
          break
        case Opcodes.CODESIZE:
          stack.push(BigInt(bytes.length))
          break
        case Opcodes.CODECOPY:
          if (!copy(bytes, pop(), pop(), pop())) return undefined
          break
        case Opcodes.EXTCODECOPY:
          pop()
          if (!copy(new Uint8Array(), pop(), pop(), pop())) return undefined
          break
        case Opcodes.RETURNDATASIZE:
          stack.push(BigInt(returned.length))
          break
        case Opcodes.RETURNDATACOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          if (source + length > BigInt(returned.length) || !copy(returned, at, source, length)) return undefined
          break
        }
        case Opcodes.EXTCODESIZE: {
          const account = pop()
          // A proxy's may be another.
          const told = other(`size ${account}`, 10n)
          stack.push(account !== self ? told : told % 2n === 0n ? 45n : BigInt(bytes.length))
          break
        }
        case Opcodes.BALANCE:
        case Opcodes.EXTCODEHASH:
        case Opcodes.BLOCKHASH:
        case Opcodes.BLOBHASH:
          stack.push(other(`${opcode} ${pop()}`))
          break
        case Opcodes.TIMESTAMP:
        case Opcodes.NUMBER:
          stack.push(time)
          break
        case Opcodes.CHAINID:
          stack.push(1n)
          break
        case Opcodes.COINBASE:
          stack.push(other("proposer", 160n))
          break
        case Opcodes.GASPRICE:
        case Opcodes.PREVRANDAO:
        case Opcodes.GASLIMIT:
        case Opcodes.BASEFEE:
        case Opcodes.BLOBBASEFEE:
        case Opcodes.SELFBALANCE:
          stack.push(other(`${opcode}`))
          break
        case Opcodes.GAS:
          stack.push(10_000_000n - BigInt(steps))
          break
        case Opcodes.MSIZE:
          stack.push(BigInt(size))
          break
        case Opcodes.PC:
          stack.push(BigInt(offset))
          break
        case Opcodes.MLOAD: {
          const at = pop()
          if (!touch(at, 32n)) return undefined
          stack.push(word(memory, Number(at)))
          break
        }
        case Opcodes.MSTORE: {
          const [at, what] = [pop(), pop()]
          if (!touch(at, 32n)) return undefined
          memory.set(toWord(what), Number(at))
          break
        }
        case Opcodes.MSTORE8: {
          const [at, what] = [pop(), pop()]
          if (!touch(at, 1n)) return undefined
          memory[Number(at)] = Number(what & 0xffn)
          break
        }
        case Opcodes.MCOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          if (!touch(at, length) || !touch(source, length)) return undefined
          memory.set(slice(source, length), Number(at))
          break
        }
        case Opcodes.SLOAD:
          stack.push(variable(pop()).at(-1) as bigint)
          break
        case Opcodes.SSTORE: {
          const [slot, after] = [pop(), pop()]
          const words = variable(slot)
          stores.push({ offset, slot, before: words.at(-1) as bigint, after })
          words.push(after)
          break
        }
        case Opcodes.TLOAD:
          stack.push(transient.get(pop()) ?? 0n)
          break
        case Opcodes.TSTORE:
          transient.set(pop(), pop())
          break
        case Opcodes.CREATE:
        case Opcodes.CREATE2:
          for (let i = inputs(opcode); i > 0; i--) pop()
          returned = new Uint8Array()
          stack.push(guess("other") & ((1n << 160n) - 1n))
          break
        case Opcodes.CALL:
        case Opcodes.CALLCODE:
        case Opcodes.DELEGATECALL:
        case Opcodes.STATICCALL: {
          pop()
          const target = pop() & ((1n << 160n) - 1n)
          const sent = opcode === Opcodes.CALL || opcode === Opcodes.CALLCODE ? pop() : 0n
          const [from, length, at, room] = [pop(), pop(), pop(), pop()]
          if (!touch(from, length) || !touch(at, room)) return undefined
          calls.push({ offset, opcode, target, value: sent, input: slice(from, length) })
          if (target === 1n) {
            recovered = true
            const signer = guess("signer")
            returned = signer === 0n ? new Uint8Array() : toWord(signer)
            stack.push(1n)
          } else if (target === 4n) {
            returned = slice(from, length)
            stack.push(1n)
          } else {
            returned = OxBytes.concat(toWord(guess("answer")), toWord(guess("answer")))
            if (guess("other") % 8n === 0n) returned = new Uint8Array()
            stack.push(guess("success"))
          }
          memory.set(returned.slice(0, Number(room)), room === 0n ? 0 : Number(at))
          break
        }
        default: {
          const [a, b] = [pop(), pop()]
          const folded = fold(opcode, a, b)
          if (folded === undefined) return undefined
          stack.push(folded)
        }
      }
    }
    offset++
  }
  return undefined
}

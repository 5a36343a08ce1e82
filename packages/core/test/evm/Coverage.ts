import * as OxBytes from "ox/Bytes"
import * as Hash from "ox/Hash"
import * as Bytecode from "../../src/evm/bytecode/Bytecode.js"
import { Opcodes } from "../../src/evm/bytecode/Opcodes.js"
import { maxWord } from "../../src/evm/expression/Expression.js"
import { partOf } from "../../src/evm/summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../src/evm/summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../src/evm/summary/StorageFlow.js"
import * as Concrete from "./Concrete.js"

/** Numbers that look like chance and are the same each time. */
export const dice = (seed: number): ((sides: number) => number) => {
  let state = seed >>> 0
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

/** Something that a call did and of which the flow says nothing, or something else. */
export interface Miss {
  readonly selector: string
  readonly offset: number
  readonly what: string
}

interface Coverage {
  readonly misses: ReadonlyArray<Miss>
  readonly executions: number
  readonly stores: number
}

const self = 0x5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1f5e1fn

/** Calls every function of a code so often, with any calldata and any storage, and holds what happens against the flow. */
export const measure = (code: `0x${string}`, flow: StorageFlow, times: number, seed = 1): Coverage => {
  const bytecode = Bytecode.parse(code)
  const misses = new Map<string, Miss>()
  const roll = dice(seed)
  let executions = 0
  let stores = 0
  const known = new Map(flow.functions.map((candidate) => [candidate.selector, candidate]))
  const fallback = known.get("fallback")
  const constants = [
    ...new Set(
      bytecode.instructions.flatMap(({ immediate, opcode }) =>
        opcode >= Opcodes.PUSH1 + 1 && opcode <= Opcodes.PUSH32 ? [immediate] : []
      )
    )
  ]
  for (const { selector } of flow.functions)
    for (let time = 0; time < times; time++) {
      const calldata = calldataFor(selector, roll, constants)
      const setting = settingFor(bytecode, calldata, roll, constants)
      const execution = Concrete.run(setting)
      if (execution === undefined) continue
      executions++
      stores += execution.stores.length
      const called = known.get(OxBytes.toHex(OxBytes.padRight(calldata.slice(0, 4), 4)))
      const told = calldata.length === 0 ? fallback : (called ?? fallback)
      for (const miss of told === undefined ? [] : missesOf(told, execution, setting)) {
        const key = `${miss.selector} ${miss.offset} ${miss.what.replace(/0x[0-9a-f]+/g, "")}`
        if (!misses.has(key)) misses.set(key, miss)
      }
    }
  return { misses: [...misses.values()], executions, stores }
}

const accounts = [
  0xca11e4ca11e4ca11e4ca11e4ca11e4ca11e4ca11n,
  0xa11cea11cea11cea11cea11cea11cea11cea11ce1n & ((1n << 160n) - 1n),
  self,
  0xb0bn << 140n
]

const anyWord = (roll: (sides: number) => number, constants: ReadonlyArray<bigint>): bigint => {
  const pick = <A>(all: ReadonlyArray<A>): A => all[roll(all.length)] as A
  switch (roll(12)) {
    case 0:
    case 1:
      return pick(accounts)
    case 2:
    case 3:
      return BigInt(roll(4))
    case 4:
      return BigInt(roll(100_000))
    case 5:
      return BigInt(roll(1_000_000)) * 10n ** 18n
    case 6:
      return 32n * BigInt(roll(8))
    case 7:
      return pick([maxWord, 1n << 255n, maxWord - BigInt(roll(40)), (1n << 160n) | pick(accounts)])
    case 8:
      return constants.length === 0 ? 0n : pick(constants)
    case 9:
      return 1_700_000_000n + BigInt(roll(100_000))
    case 10:
      return Array.from({ length: 8 }, () => BigInt(roll(2 ** 31))).reduce((a, b) => (a << 32n) | b, 0n)
    default:
      return pick(accounts) | (BigInt(roll(4)) << 160n) | (BigInt(roll(4)) << 168n)
  }
}

const calldataFor = (
  selector: string,
  roll: (sides: number) => number,
  constants: ReadonlyArray<bigint>
): Uint8Array => {
  if (selector === "fallback" && roll(2) === 0) return new Uint8Array()
  const name =
    selector === "fallback"
      ? OxBytes.fromNumber(BigInt(roll(2 ** 31)), { size: 4 })
      : OxBytes.fromHex(selector as `0x${string}`)
  const length = roll(11)
  // Addresses and amounts, or lists of them behind their lengths.
  const words = Array.from({ length }, () => anyWord(roll, constants))
  if (roll(3) === 0) {
    const head = 1 + roll(3)
    for (let i = 0; i < Math.min(head, length); i++) if (roll(2) === 0) words[i] = BigInt(32 * (head + 3 * roll(3)))
    for (let i = head; i < words.length; i += 3) words[i] = BigInt(roll(3))
  }
  return OxBytes.concat(name, ...words.map(Concrete.toWord))
}

const settingFor = (
  code: Bytecode.Bytecode,
  calldata: Uint8Array,
  roll: (sides: number) => number,
  constants: ReadonlyArray<bigint>
): Concrete.Setting => {
  const caller = accounts[roll(2)] as bigint
  const addresses = constants.filter((constant) => constant >> 96n !== 0n && constant >> 160n === 0n)
  const rich = roll(2) === 0
  return {
    code,
    calldata,
    caller: roll(6) === 0 && addresses.length > 0 ? (addresses[roll(addresses.length)] as bigint) : caller,
    value: roll(4) === 0 ? 10n ** 17n : 0n,
    time: 1_700_000_000n + BigInt(roll(2 ** 30)),
    self,
    guess: (what) => {
      if (what === "success") return roll(8) === 0 ? 0n : 1n
      if (what === "signer") return roll(4) === 0 ? 0n : (accounts[roll(2)] as bigint)
      if (what === "variable")
        switch (roll(rich ? 4 : 6)) {
          case 0:
            return caller | (roll(3) === 0 ? BigInt(roll(4)) << 160n : 0n)
          case 1:
            return 10n ** 26n
          case 2:
            return BigInt(roll(3))
        }
      const any = anyWord(roll, constants)
      // Nobody ever filled an array so far.
      return what === "variable" && any >> 200n !== 0n ? any & ((1n << 64n) - 1n) : any
    }
  }
}

const missesOf = (
  flow: FunctionFlow,
  execution: Concrete.Execution,
  setting: Concrete.Setting
): ReadonlyArray<Miss> => {
  const misses: Array<Miss> = []
  const miss = (offset: number, what: string) => misses.push({ selector: flow.selector, offset, what })
  for (const store of execution.stores) {
    const here = flow.writes.filter(({ offset }) => offset === store.offset)
    const placed = here.filter((write) => isAt(write, store.slot, execution))
    if (placed.length === 0) {
      miss(store.offset, `slot 0x${store.slot.toString(16)} is none of ${[...new Set(here.map(({ slot }) => slot))]}`)
      continue
    }
    const changing = placed.filter((write) => isSo(write, store))
    const told = changing.reduce((bits, { mask }) => bits | BigInt(mask), 0n)
    if (((store.before ^ store.after) & ~told) !== 0n) {
      const changes = placed.map(({ change, mask }) => `${mask} ${change.kind} ${JSON.stringify(change.amount)}`)
      miss(store.offset, `0x${store.before.toString(16)} to 0x${store.after.toString(16)} is none of ${changes}`)
      continue
    }
    // What puts back the same changes nothing.
    const keyed = (changing.length === 0 ? placed : changing).filter((write) =>
      isKeyed(write, store.slot, execution, setting)
    )
    if (keyed.length === 0)
      miss(store.offset, `keys are none of ${JSON.stringify(changing.map(({ keys, own }) => [keys, own]))}`)
    else if (!keyed.some(({ guards }) => isLetThrough(guards, execution, setting)))
      miss(store.offset, `not always ${JSON.stringify(keyed.map(({ guards }) => guards))}`)
  }
  for (const call of execution.calls) {
    const kind = kinds[call.opcode]
    const sameKind = flow.calls.filter((each) => each.kind === kind)
    const found = sameKind.filter(
      ({ target }) =>
        target.length === 0 ||
        target.some((origin) =>
          origin.kind === "constant"
            ? BigInt(origin.value) === call.target
            : origin.kind === "caller"
              ? call.target === setting.caller
              : origin.kind === "self"
                ? call.target === setting.self
                : true
        )
    )
    if (found.length === 0) miss(call.offset, `${kind} of 0x${call.target.toString(16)}`)
    else if (call.opcode === Opcodes.CALL) {
      const name = call.input.length < 4 ? undefined : OxBytes.toHex(call.input.slice(0, 4))
      if (
        name !== undefined &&
        !found.some(({ order }) => order !== undefined && (order.selector === undefined || order.selector === name))
      )
        miss(call.offset, `call names ${name}, not ${found.map(({ order }) => order?.selector)}`)
      if (call.value > 0n && !found.some(({ order }) => order?.value !== undefined))
        miss(call.offset, "call sends ether")
    }
  }
  return misses
}

const kinds: Readonly<Record<number, string>> = {
  [Opcodes.CALL]: "call",
  [Opcodes.CALLCODE]: "callcode",
  [Opcodes.DELEGATECALL]: "delegatecall",
  [Opcodes.STATICCALL]: "staticcall"
}

const isSo = ({ change, field, keys, mask }: Write, { after, before }: Concrete.Store): boolean => {
  const [was, is] = [partOf(before, field), partOf(after, field)]
  switch (change.kind) {
    case "clear":
      return is === 0n || (after & BigInt(mask)) === 0n
    case "decrease":
      // A supply is above every balance, though the storage here is not one that the contract could have made.
      return is <= was || keys.length === 0
    case "keep":
      return (after & (maxWord ^ before) & BigInt(mask)) === 0n
    case "raise":
      return (before & (maxWord ^ after) & BigInt(mask)) === 0n
    case "set": {
      const values = change.amount.map((origin) => (origin.kind === "constant" ? BigInt(origin.value) : undefined))
      return (
        values.length === 0 ||
        values.some((value) => value === undefined || value === is || value === (after & BigInt(mask)))
      )
    }
    default:
      return true
  }
}

/** Of several conditions that are always checked, one in the report is enough. */
const isLetThrough = (guards: Write["guards"], execution: Concrete.Execution, setting: Concrete.Setting): boolean => {
  const always = guards.filter((guard) => guard.always)
  return always.length === 0 || always.some((guard) => isAsked(guard, execution, setting))
}

const isAsked = (
  guard: Write["guards"][number],
  { held, recovered }: Concrete.Execution,
  { caller }: Concrete.Setting
): boolean => {
  if (guard.kind === "constant") return recovered || BigInt(guard.address) === caller
  if (guard.kind !== "slot" || guard.slot.includes("[") || guard.slot.includes("+")) return true
  return (held.get(BigInt(guard.slot)) ?? []).some((word) => partOf(word, guard.field) === caller)
}

/** Whether what a write says of its keys is true of those that were hashed. */
const isKeyed = (
  write: Write,
  slot: bigint,
  execution: Concrete.Execution,
  { caller, calldata, self }: Concrete.Setting
): boolean => {
  const keys = keysAt(write.slot, slot, execution.hashed)
  if (keys === undefined) return true
  const mask = (1n << 160n) - 1n
  if (write.own && !execution.recovered && keys[0] !== undefined && (keys[0] & mask) !== caller) return false
  return write.keys.every((origin, i) => {
    const key = keys[i]
    if (key === undefined) return true
    if (origin.kind === "caller") return (key & mask) === caller
    if (origin.kind === "self") return (key & mask) === self
    if (origin.kind === "argument" && origin.index !== undefined)
      return (
        (Concrete.word(calldata, 4 + 32 * origin.index) & mask) === (key & mask) ||
        key < 1n << 64n ||
        key >> 160n !== 0n
      )
    return true
  })
}

const keysAt = (
  id: string,
  slot: bigint,
  hashed: ReadonlyMap<bigint, Uint8Array>
): ReadonlyArray<bigint> | undefined => {
  if (!/^0x[0-9a-f]+(\[k\])+$/.test(id)) return undefined
  const keys: Array<bigint> = []
  let at = slot
  for (let left = id.split("[k]").length - 1; left > 0; left--) {
    const input = hashed.get(at)
    if (input === undefined || input.length !== 64) return undefined
    keys.unshift(Concrete.word(input, 0))
    at = Concrete.word(input, 32)
  }
  return at === BigInt(id.split("[")[0] as string) ? keys : undefined
}

/** Whether a slot is one that the id of a write stands for, by what was hashed. */
const isAt = (write: Write, slot: bigint, { hashed }: Concrete.Execution): boolean => {
  if (write.slot.startsWith("#")) {
    const layout = (write.slot.slice(1).split("[")[0] as string).split(".")
    const input = [...hashed].find(([hash]) => slot - hash >= 0n && slot - hash < 1n << 40n)?.[1]
    if (input === undefined) return false
    let at = 0
    for (const part of layout) {
      const size = part === "k" ? 32 : part === "a" ? 20 : part.length / 2
      if (part !== "k" && part !== "a" && OxBytes.toHex(input.slice(at, at + size)) !== `0x${part}`) return false
      at += size
    }
    return at === input.length
  }
  const tokens = write.slot.match(/^0x[0-9a-f]+|\[k\]|\[\]|\[i\]|\+[0-9a-f]+/g) ?? []
  const constants = write.keys.flatMap((origin) => (origin.kind === "constant" ? [BigInt(origin.value)] : []))
  const isNear = (a: bigint, b: bigint): boolean => ((a - b) & maxWord) < 1n << 200n || ((b - a) & maxWord) < 1n << 32n
  const rec = (i: number, at: bigint): boolean => {
    const token = tokens[i] as string
    if (i === 0) return at === BigInt(token)
    if (token.startsWith("+")) return rec(i - 1, (at - BigInt(`0x${token.slice(1)}`)) & maxWord)
    if (token === "[i]") {
      const before = tokens.slice(0, i)
      if (before.every((each) => each !== "[k]" && each !== "[]")) return isNear(at, BigInt(before[0] as string))
      if (rec(i - 1, at)) return true
      const place = written(before.slice(0, before.findLastIndex((each) => each === "[k]" || each === "[]") + 1))
      return [...hashed.keys(), ...place].some(
        (hash) =>
          isNear(at, hash) &&
          rec(
            before.findLastIndex((each) => each === "[k]" || each === "[]"),
            hash
          )
      )
    }
    const input = hashed.get(at)
    if (input === undefined) return written(tokens.slice(0, i + 1)).includes(at)
    if (token === "[]") return input.length === 32 && rec(i - 1, Concrete.word(input, 0))
    return input.length === 64
      ? rec(i - 1, Concrete.word(input, 32)) || rec(i - 1, Concrete.word(input, 0))
      : input.length >= 32 && rec(i - 1, Concrete.word(input, input.length - 32))
  }
  /** Hashes that a compiler wrote down. */
  const written = (before: ReadonlyArray<string>): ReadonlyArray<bigint> => {
    if (before.length !== 2) return []
    const root = BigInt(before[0] as string)
    return before[1] === "[]"
      ? [BigInt(Hash.keccak256(Concrete.toWord(root), { as: "Hex" }))]
      : [0n, ...constants].map((key) =>
          BigInt(Hash.keccak256(OxBytes.concat(Concrete.toWord(key), Concrete.toWord(root)), { as: "Hex" }))
        )
  }
  return rec(tokens.length - 1, slot)
}

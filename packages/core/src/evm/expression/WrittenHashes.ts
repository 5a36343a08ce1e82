/** @internal */

import * as Hash from "ox/Hash"
import * as Slices from "../../runtime/Slices.js"
import type { Bytecode } from "../bytecode/Bytecode.js"
import { codeWord } from "../bytecode/CodeWord.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as PublishedStorage from "../bytecode/PublishedStorage.js"
import { maxWord } from "./Expression.js"

/** Hashes that a compiler may have written down: the data of arrays, and entries of mappings with constant keys. */
export interface WrittenHashes {
  readonly find: (hash: bigint) => Place | undefined
  /** Works all of them out, in slices, so that {@link find} need not. */
  readonly prepare: () => Slices.Slices<void>
}

/** What a hash is the place of: the data of the array at `root`, or what the mapping there holds for `key`. */
export interface Place {
  readonly root: bigint
  readonly key: bigint | undefined
}

/**
 * The hashes that may be constants of a code, computed once per code and on first use.
 *
 * @see https://docs.soliditylang.org/en/latest/internals/layout_in_storage.html
 */
export const ofCode = (bytecode: Bytecode): WrittenHashes => {
  const known = worked.get(bytecode)
  if (known !== undefined) return known
  const hashes = of(
    () => keysIn(bytecode),
    () => rootsIn(bytecode)
  )
  worked.set(bytecode, hashes)
  return hashes
}

const worked = new WeakMap<Bytecode, WrittenHashes>()

const of = (constants: () => ReadonlyArray<bigint>, roots: () => ReadonlyArray<bigint>): WrittenHashes => {
  let own: Places | undefined
  function* prepare(): Slices.Slices<void> {
    shared ??= yield* makeShared()
    own ??= yield* makeOwn(constants(), roots())
  }
  return {
    find: (hash) => {
      if (own === undefined) Slices.complete(prepare())
      return own?.get(hash) ?? shared?.get(hash)
    },
    prepare
  }
}

/** The hashes that any code may have as constants. */
export const ofAnyCode: WrittenHashes = of(
  () => [],
  () => []
)

/** The constants of a code that may be mapping keys: addresses, roles, roots of namespaces. */
const keysIn = ({ bytes, instructions }: Bytecode): ReadonlyArray<bigint> =>
  instructions.flatMap(({ opcode, immediate }, i) => {
    if (opcode >= Opcodes.PUSH20 && opcode <= Opcodes.PUSH32) return [immediate]
    // Compilers write a long number down once, and copy it out of the code wherever it is wanted.
    const [size, offset] = [instructions[i - 3], instructions[i - 2]]
    return opcode === Opcodes.CODECOPY && size?.immediate === 0x20n && offset !== undefined && offset.immediate > 0n
      ? [codeWord(bytes, Number(offset.immediate & 0xffffn), 32)]
      : []
  })

/** The slots that a code puts behind a key before it hashes both: those of mappings that it looks into with any key. */
const rootsIn = ({ instructions }: Bytecode): ReadonlyArray<bigint> =>
  instructions.flatMap(({ immediate, opcode }, i) =>
    (opcode === Opcodes.PUSH1 || opcode === Opcodes.PUSH1 + 1) &&
    instructions[i + 1]?.immediate === 0x20n &&
    instructions[i + 2]?.opcode === Opcodes.MSTORE
      ? [immediate]
      : []
  )

type Places = ReadonlyMap<bigint, Place>

let shared: Places | undefined

/** Contracts that are upgraded leave room between their variables, of which any may be an array. */
function* makeShared(): Slices.Slices<Places> {
  const places = new Map<bigint, Place>()
  for (let root = 0n; root < 1_024n; root++) {
    if (root % rootsPerSlice === 0n) yield undefined
    places.set(hashOf(root), { root, key: undefined })
  }
  for (const key of commonKeys)
    for (let root = 0n; root < lowSlots; root++) places.set(hashOf(key, root), { root, key })
  return places
}

const rootsPerSlice = 64n

function* makeOwn(constants: ReadonlyArray<bigint>, roots: ReadonlyArray<bigint>): Slices.Slices<Places> {
  const places = new Map<bigint, Place>()
  // Masks are no keys. A hash costs 10 µs, so that this is 13 ms at most.
  const tried = [...new Set(constants)].filter((constant) => (constant & (constant + 1n)) !== 0n).slice(0, 32)
  const spaces = [...new Set(constants)].filter(isNamespace).slice(0, 16)
  const far = [...[...new Set(roots)].filter((root) => root >= lowSlots).slice(0, 8), ...spaces.slice(0, 8)]
  for (const key of commonKeys) for (const root of far) places.set(hashOf(key, root), { root, key })
  for (const key of tried) {
    yield undefined
    for (let root = 0n; root < lowSlots; root++) places.set(hashOf(key, root), { root, key })
    for (const root of far) places.set(hashOf(key, root), { root, key })
    for (const root of membersOf(key, 4)) places.set(hashOf(root), { root, key: undefined })
  }
  for (const space of spaces) {
    yield undefined
    for (const root of membersOf(space, 8)) places.set(hashOf(root), { root, key: undefined })
  }
  return places
}

/** Nothing stands for the role that appoints all others; the others for accounts that nobody has, to which tokens are burnt. */
const commonKeys = [0n, 1n, 0xdeadn]

/** How many low slots are combined with constant keys. */
const lowSlots = 28n

const membersOf = (first: bigint, count: number): ReadonlyArray<bigint> =>
  Array.from({ length: count }, (_, member) => (first + BigInt(member)) & maxWord)

/** Whether a number may be a variable of an ERC-7201 namespace, rather than a mask or a selector before zeros. */
const isNamespace = (slot: bigint): boolean =>
  slot >> 192n !== 0n && !isHashLike(slot) && slot >> 192n !== (1n << 64n) - 1n && (slot & ((1n << 64n) - 1n)) >= 0x40n

/**
 * Whether a number may be a hash of an unknown preimage, by design or found by search: it does not begin with eight
 * bytes of zeros or ones, is not near the root of an ERC-7201 namespace, which ends in 00, and is no published slot.
 */
export const isHashLike = (slot: bigint): boolean =>
  slot >> 192n !== 0n && slot >> 192n !== (1n << 64n) - 1n && (slot & 0xffn) >= 0x40n && !PublishedStorage.has(slot)

const hashOf = (...words: ReadonlyArray<bigint>): bigint => {
  const bytes = new Uint8Array(32 * words.length)
  for (const [i, word] of words.entries())
    for (let at = 32 * i + 31, left = word; left > 0n; at--, left >>= 8n) bytes[at] = Number(left & 0xffn)
  return BigInt(Hash.keccak256(bytes, { as: "Hex" }))
}

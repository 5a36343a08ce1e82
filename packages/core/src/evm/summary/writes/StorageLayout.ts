/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import type { Pool } from "../../expression/Expression.js"
import { type Field, loadedField, type Tracer, type ValueSource } from "../../expression/ValueSource.js"
import type { FunctionFlow } from "../conditions/FunctionFlow.js"

/**
 * A variable, or all entries of a mapping or array, with the functions that read and write it. `type` is inferred from
 * masks and keys and is a hint.
 */
export interface StorageSlot {
  readonly slot: string
  readonly fields: ReadonlyArray<Field>
  readonly type: string
  readonly reads: ReadonlyArray<Hex | "fallback">
  readonly writes: ReadonlyArray<Hex | "fallback">
}

/**
 * The layout of a contract's storage: what its functions read and write, with the fields and types that their formulas
 * show, in slices.
 */
export function* of(
  pool: Pool,
  tracer: Tracer,
  functions: ReadonlyArray<FunctionFlow>
): Slices.Slices<ReadonlyArray<StorageSlot>> {
  const slots = new Map<
    string,
    {
      reads: Set<Hex | "fallback">
      writes: Set<Hex | "fallback">
      keys: ReadonlyArray<ValueSource>
      fields: Map<string, Field>
    }
  >()
  const at = (id: string, keys: ReadonlyArray<ValueSource>) => {
    const known = slots.get(id)
    if (known !== undefined) return known
    const made = {
      reads: new Set<Hex | "fallback">(),
      writes: new Set<Hex | "fallback">(),
      keys,
      fields: new Map<string, Field>()
    }
    slots.set(id, made)
    return made
  }
  for (const { selector, reads, writes } of functions) {
    for (const read of reads) at(read.slot, read.keys).reads.add(selector)
    for (const write of writes) at(write.slot, write.keys).writes.add(selector)
  }
  const addresses = new Set<string>()
  const work = Slices.makeWork()
  for (let id = 0; id < pool.size(); id++) {
    const node = pool.get(id)
    const isPlace = node.op === Opcodes.AND || node.op === Opcodes.KECCAK256
    if (work.isDue(isPlace ? 1 : 1 / 64)) yield undefined
    if (!isPlace) continue
    if (node.op === Opcodes.KECCAK256) {
      const location = tracer.locate(node)?.[0]
      if (location !== undefined && (location.keys.at(-1)?.bits ?? 256) <= 160) addresses.add(location.id)
      continue
    }
    const loaded = loadedField(node)
    if (loaded?.field === undefined || !Number.isInteger(loaded.field.size)) continue
    for (const location of tracer.locate(loaded.load.args[0]) ?? []) {
      slots.get(location.id)?.fields.set(`${loaded.field.offset}.${loaded.field.size}`, loaded.field)
    }
  }
  return [...slots]
    .map(([slot, { reads, writes, fields }]): StorageSlot => {
      const parts = [...fields.values()].sort((a, b) => a.offset - b.offset)
      const word = parts.length === 0 ? "uint256" : parts.map((part) => typeOfSize(part.size)).join("+")
      let type = word
      let id = slot
      while (id.endsWith("[k]")) {
        type = `mapping(${addresses.has(id) ? "address" : "uint256"} => ${type})`
        id = id.slice(0, -3)
      }
      return {
        slot,
        fields: parts,
        type: id.includes("[") && type === word ? `${word}[]` : type,
        reads: [...reads].sort(),
        writes: [...writes].sort()
      }
    })
    .sort((a, b) => (a.slot < b.slot ? -1 : 1))
}

const typeOfSize = (size: number): string => (size === 20 ? "address" : size === 1 ? "bool" : `uint${8 * size}`)

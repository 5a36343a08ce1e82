/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind } from "../expression/Expression.js"
import { type BlockRun, type Instruction, type Instructions, place, pop, unknownAt, use } from "./BlockRun.js"
import * as StorageEpochs from "./StorageEpochs.js"

/** Instructions that read and write storage. */
export const instructions = (): Instructions => [
  [Opcodes.SLOAD, sload],
  [Opcodes.SSTORE, sstore],
  [Opcodes.TLOAD, tload],
  [Opcodes.TSTORE, tstore]
]

const sload: Instruction = (block, offset) => {
  const slot = pop(block)
  const result = load(block, slot)
  block.node.events.push({ kind: "load", offset, slot, result, facts: block.state.facts })
  block.stack.push(result)
}

const load = ({ exploration: { name, options, pool }, node, state }: BlockRun, slot: Expression): Expression => {
  const region = StorageEpochs.regionOf(slot)
  const held = slot.op === Kind.constant ? options.storage?.get(slot.value) : undefined
  if (held !== undefined && StorageEpochs.isUnwritten(state, region)) return pool.constant(held)
  return pool.node(
    Opcodes.SLOAD,
    [slot],
    region === undefined
      ? `?${node.index}:${name}:${StorageEpochs.epochsKey(state)}`
      : (state.epochs.get(region) ?? state.epoch)
  )
}

const sstore: Instruction = (block, offset) => {
  const slot = pop(block)
  const value = pop(block)
  const { node, state } = block
  node.events.push({ kind: "store", offset, slot, value, facts: state.facts, current: load(block, slot) })
  StorageEpochs.touch(state, StorageEpochs.regionOf(slot), place(block, offset))
}

const tload: Instruction = (block, offset) => {
  use(block, offset, pop(block))
  block.stack.push(unknownAt(block, offset, "transient", 0))
}

const tstore: Instruction = (block, offset) => {
  use(block, offset, pop(block), pop(block))
}

/** @internal */

import type { Block, Trace } from "../../interpreter/Trace.js"

/** The blocks that a walk reached. */
export interface Reach {
  readonly has: (block: number) => boolean
}

/** Blocks, and steps from one block to another (`from * size + to`), that a walk leaves out. */
export interface Without {
  readonly blocks?: ReadonlySet<number> | undefined
  readonly steps?: ReadonlySet<number> | undefined
}

/** What can run before and after a block of a trace, on paths that succeed. */
export interface ControlFlowGraph {
  readonly size: number
  /** The blocks with which a call ends well. */
  readonly ends: ReadonlyArray<number>
  readonly before: (blocks: ReadonlyArray<number>, without?: Without) => Reach
  readonly after: (blocks: ReadonlyArray<number>, without?: Without) => Reach
  /** Whether a block can run again once it has. */
  readonly repeats: (block: number, without?: Without) => boolean
}

/** The graph of a trace. */
export const make = ({ blocks }: Trace): ControlFlowGraph => {
  const size = blocks.length
  const successors: Array<ReadonlyArray<number>> = []
  const predecessors: Array<Array<number>> = blocks.map(() => [])
  for (const block of blocks) {
    const next = block.succeeds ? block.successors.filter((index) => blocks[index]?.succeeds) : []
    successors.push(next)
    for (const index of next) predecessors[index]?.push(block.index)
  }
  const walk = (
    starts: ReadonlyArray<number>,
    next: ReadonlyArray<ReadonlyArray<number>>,
    without: Without,
    step: (from: number, to: number) => number
  ): Reach => {
    const met = new Uint8Array(size)
    const pending: Array<number> = []
    const visit = (index: number): void => {
      if (met[index] === 1 || without.blocks?.has(index) === true) return
      met[index] = 1
      pending.push(index)
    }
    for (const index of starts) if (blocks[index]?.succeeds) visit(index)
    for (let index = pending.pop(); index !== undefined; index = pending.pop())
      for (const other of next[index] ?? [])
        if (without.steps === undefined || !without.steps.has(step(index, other))) visit(other)
    return { has: (index) => met[index] === 1 }
  }
  return {
    size,
    ends: blocks.flatMap((block) => (isEnd(block) ? [block.index] : [])),
    before: (starts, without = {}) => walk(starts, predecessors, without, (from, to) => to * size + from),
    after: (starts, without = {}) => walk(starts, successors, without, (from, to) => from * size + to),
    repeats: (block, without = {}) =>
      walk(successors[block] ?? [], successors, without, (from, to) => from * size + to).has(block)
  }
}

const isEnd = (block: Block): boolean =>
  block.end === "success" || (block.end === "open" && block.successors.length === 0)

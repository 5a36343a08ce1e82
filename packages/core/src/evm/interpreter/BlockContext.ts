/** @internal */

import type * as Slices from "../../runtime/Slices.js"
import type { Pool } from "../expression/Expression.js"
import * as AbstractState from "./AbstractState.js"
import type * as HeapPointer from "./HeapPointer.js"
import type { Block, Event } from "./Trace.js"

/** A basic block in a context, while it is explored. */
export interface BlockContext {
  readonly index: number
  readonly offset: number
  /** How many blocks in a row were run once for each predecessor. */
  readonly split: number
  /** What holds when the block begins: the states of `arrivals`, merged. */
  state: AbstractState.AbstractState
  /** The latest state of every way into the block, by the block it comes from and the side of its branch. */
  readonly arrivals: Map<number, AbstractState.AbstractState>
  visits: number
  /** Where the latest run went, by the side of the branch. */
  readonly entered: [BlockContext | undefined, BlockContext | undefined]
  events: Array<Event>
  end: Block["end"]
  queued: boolean
}

/** A newly found block, with its first path. */
export const make = (
  index: number,
  offset: number,
  split: number,
  arrival: number,
  state: AbstractState.AbstractState
): BlockContext => ({
  index,
  offset,
  split,
  state,
  arrivals: new Map([[arrival, state]]),
  visits: 0,
  entered: [undefined, undefined],
  events: [],
  end: "open",
  queued: false
})

/** Whether a block has run so often that it may not change back. */
export const isHeld = (node: BlockContext): boolean => node.visits > maxVisits

const maxVisits = 6

/**
 * The merged states of all paths into a block. Only the present states of the paths count: the first round of a loop,
 * run with its counter at zero, leaves no trace in later blocks. A block that keeps changing is also merged with its
 * own previous state, so that it converges.
 */
export const merge = (
  pool: Pool,
  node: BlockContext,
  run: string,
  trusted: HeapPointer.Trusted | undefined
): AbstractState.AbstractState =>
  AbstractState.merge(
    pool,
    [...node.arrivals.values()],
    isHeld(node) ? node.state : undefined,
    node.index,
    run,
    trusted
  )

/**
 * What was explored, with the blocks marked from which some path ends well, in slices. An end that was never reached counts
 * as one, for it may be.
 */
export function* finish(nodes: ReadonlyArray<BlockContext>): Slices.Slices<ReadonlyArray<Block>> {
  const predecessors: Array<Array<number>> = nodes.map(() => [])
  for (const node of nodes) for (const next of successorsOf(node)) predecessors[next]?.push(node.index)
  yield undefined
  const succeeds = new Uint8Array(nodes.length)
  const pending: Array<number> = []
  const mark = (index: number): void => {
    if (succeeds[index] === 1) return
    succeeds[index] = 1
    pending.push(index)
  }
  for (const node of nodes)
    if (node.end === "success" || (node.end === "open" && successorsOf(node).length === 0)) mark(node.index)
  for (let index = pending.pop(); index !== undefined; index = pending.pop())
    for (const previous of predecessors[index] ?? []) mark(previous)
  yield undefined
  const blocks: Array<Block> = []
  for (const node of nodes) {
    if (node.index % nodesPerSlice === nodesPerSlice - 1) yield undefined
    blocks.push({
      index: node.index,
      offset: node.offset,
      successors: successorsOf(node),
      events: node.events,
      end: node.end,
      succeeds: succeeds[node.index] === 1
    })
  }
  return blocks
}

const successorsOf = ({ entered: [passed, taken] }: BlockContext): ReadonlyArray<number> => {
  if (passed === undefined) return taken === undefined ? none : [taken.index]
  return taken === undefined || taken === passed ? [passed.index] : [taken.index, passed.index]
}

const none: ReadonlyArray<number> = []

const nodesPerSlice = 512

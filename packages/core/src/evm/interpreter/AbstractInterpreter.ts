/** @internal */

import * as Slices from "../../runtime/Slices.js"
import type { Bytecode } from "../bytecode/Bytecode.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Shuffle from "../bytecode/Shuffle.js"
import { type Expression, isNumber, Kind, type Pool } from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import * as AbstractState from "./AbstractState.js"
import * as BlockContext from "./BlockContext.js"
import * as BlockExecution from "./BlockExecution.js"
import type * as BlockRun from "./BlockRun.js"
import * as HeapPointer from "./HeapPointer.js"
import type { Options, Trace } from "./Trace.js"
import * as WorkQueue from "./WorkQueue.js"

export type { Block, Event, Options, Trace } from "./Trace.js"

/** Runs one entry, as a {@link Trace} says. */
export const run = (bytecode: Bytecode, pool: Pool, options: Options): Trace =>
  Slices.complete(runInSlices(bytecode, pool, options))

/** {@link run}, in slices. */
export function* runInSlices(bytecode: Bytecode, pool: Pool, options: Options): Slices.Slices<Trace> {
  // Pointers that were taken to be in the heap. Their possible values can grow while loops are run, so they are checked
  // again.
  const trusted: HeapPointer.Trusted = new Map()
  const trace = yield* explore(bytecode, pool, options, trusted)
  if (HeapPointer.areStill(trusted)) return trace
  return yield* explore(
    bytecode,
    pool,
    { ...options, maxSteps: Math.max(0, options.maxSteps - trace.steps) },
    undefined
  )
}

function* explore(
  bytecode: Bytecode,
  pool: Pool,
  options: Options,
  trusted: HeapPointer.Trusted | undefined
): Slices.Slices<Trace> {
  const { bytes, jumpdests } = bytecode
  const nodes: Array<BlockContext.BlockContext> = []
  const byKey = new Map<string, BlockContext.BlockContext>()
  const queue = WorkQueue.make<BlockContext.BlockContext>()
  const shuffleAt = Shuffle.finderFor(bytes)
  const progress: BlockRun.Progress = { steps: 0, complete: true, discovered: new Set() }
  const { nonzero = [] } = options
  const assumed = nonzero.map(({ id }) => `+${id}`).join("")
  const run = `${options.selector ?? "-"}${trusted === undefined ? "." : ""}${assumed}`

  // For separate paths: each block without its path, its predecessor, and how often a block was met on the path to
  // another.
  const shapes: Array<string> = []
  const previous: Array<number> = []
  const timesBefore = (last: number, shape: string): number => {
    let times = 0
    for (let index = last; index >= 0; index = previous[index] as number) if (shapes[index] === shape) times++
    return times
  }

  const isDestination = (value: Expression): boolean =>
    value.op === Kind.constant && value.bits <= 24 && value.bits > 0 && jumpdests.has(Number(value.value))

  const enter = (
    offset: number,
    state: AbstractState.AbstractState,
    from: BlockContext.BlockContext | undefined,
    side: 0 | 1
  ): BlockContext.BlockContext | undefined => {
    let key = `${offset}:${state.stack.length}`
    for (let i = 0; i < state.stack.length; i++) {
      const value = state.stack[i] as Expression
      if (isDestination(value) || isEmptyText(value)) key += `,${i}=${value.id}`
    }
    // An answer that an internal function gives is kept apart from the opposite one: merged, `return true` and `return
    // false` would be a value that says nothing about why it was given.
    const top = state.stack.at(-1)
    const shuffle = shuffleAt(offset)
    if (top !== undefined && isTruth(top) && shuffle !== undefined) key += `!${top.bits}`
    const answer = shuffle?.answer === undefined ? undefined : state.stack.at(-1 - shuffle.answer)
    if (answer !== undefined && answer !== top && isTruth(answer)) key += `?${answer.bits}`
    const shape = key
    // A block that only finishes a condition (`a || b`) is run once for each predecessor: merged there, the condition
    // would say nothing on either side.
    let split = 0
    if (options.paths === true && from !== undefined) {
      if (options.rounds !== undefined && timesBefore(from.index, shape) >= options.rounds) return undefined
      key += `/${from.index}.${side}`
    } else if (from !== undefined && from.split < maxSplit && shuffle?.end === Opcodes.JUMPI && !shuffle.compares) {
      split = from.split + 1
      key += `^${from.index}`
    }
    const arrival = from === undefined ? -1 : 2 * from.index + side
    progress.steps += 1 + (state.stack.length >> 3) + (state.memory.length >> 3) + (state.facts.length >> 4)
    const known = byKey.get(key)
    if (known === undefined) {
      if (nodes.length >= maxBlocks) {
        progress.complete = false
        return undefined
      }
      const node = BlockContext.make(nodes.length, offset, split, arrival, state)
      nodes.push(node)
      shapes.push(shape)
      previous.push(from?.index ?? -1)
      byKey.set(key, node)
      queue.push(node)
      if (from !== undefined) from.entered[side] = node
      return node
    }
    if (from !== undefined) from.entered[side] = known
    const revived = known.arrivals.size === 0
    known.arrivals.set(arrival, state)
    // Each merge reads all facts of every incoming path.
    progress.steps += (known.arrivals.size * state.facts.length) >> 11
    const merged = BlockContext.merge(pool, known, run, trusted)
    if (revived || !AbstractState.isSame(known.state, merged)) queue.push(known)
    known.state = merged
    return known
  }

  // A way that is not taken any more: what arrived by it was a first guess, and what followed from it goes, too.
  const leave = (first: BlockContext.BlockContext, way: number): void => {
    const pending: Array<readonly [target: BlockContext.BlockContext, arrival: number]> = [[first, way]]
    for (const [target, arrival] of pending) {
      if (!target.arrivals.delete(arrival)) continue
      if (target.arrivals.size === 0) {
        for (const [side, next] of target.entered.entries())
          if (next !== undefined) pending.push([next, 2 * target.index + side])
        target.entered.fill(undefined)
        target.events = []
        target.end = "failure"
        continue
      }
      if (arrival >> 1 > target.index) reopened.add(target)
      else weigh(target)
    }
  }
  const weigh = (target: BlockContext.BlockContext): void => {
    if (target.arrivals.size === 0) return
    const merged = BlockContext.merge(pool, target, run, trusted)
    if (!AbstractState.isSame(target.state, merged)) queue.push(target)
    target.state = merged
  }

  // A loop can replace one back edge by another. The removal of an edge is therefore handled when nothing else is left
  // to run. Otherwise a loop with a constant counter in its first round would return to that round again and again.
  const reopened = new Set<BlockContext.BlockContext>()
  const next = (): BlockContext.BlockContext | undefined => {
    const waiting = queue.pop()
    if (waiting !== undefined || reopened.size === 0) return waiting
    for (const target of reopened) weigh(target)
    reopened.clear()
    return queue.pop()
  }

  const execute = BlockExecution.make(bytecode, pool, options, run, trusted, progress, enter)
  const entry = AbstractState.atEntry(pool, options.selector)
  for (const what of nonzero) entry.facts = PathFacts.assume(pool, entry.facts, what, true)
  enter(0, entry, undefined, 0)
  let sliced = progress.steps
  for (let node = next(); node !== undefined; node = next()) {
    // Going on from block to block counts, too, so that the bound may be hit between two of them.
    if (progress.steps > options.maxSteps) {
      progress.complete = false
      break
    }
    if (progress.steps - sliced > BlockExecution.stepsPerSlice) {
      sliced = progress.steps
      yield undefined
    }
    if (node.arrivals.size === 0) continue
    const before = BlockContext.isHeld(node) ? [] : node.entered.slice()
    execute(node)
    for (const [side, target] of before.entries())
      if (target !== undefined && node.entered[side] !== target) leave(target, 2 * node.index + side)
  }
  const { complete, discovered, steps } = progress
  return { blocks: yield* BlockContext.finish(nodes), discovered, complete, steps }
}

const isEmptyText = (what: Expression): boolean => isNumber(what, 0x60n)

const isTruth = ({ bits, op }: Expression): boolean => op === Kind.constant && bits <= 1

/** The longest chain of blocks that are run once for each predecessor. */
const maxSplit = 3

/** Blocks in contexts in one entry. */
const maxBlocks = 6_000

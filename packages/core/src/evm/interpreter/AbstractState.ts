/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, type Piece, type Pool } from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import type * as HeapPointer from "./HeapPointer.js"
import * as Memory from "./Memory.js"
import * as StorageEpochs from "./StorageEpochs.js"

/**
 * What is known at a place in the code, on every path there: formulas on the stack and in memory, which conditions hold,
 * and when storage was written.
 */
export interface AbstractState extends Memory.Memory, StorageEpochs.StorageEpochs {
  readonly stack: Array<Expression>
  facts: PathFacts.PathFacts
  /** The first word of the latest return data: zero where there was none, undefined where it is not known. */
  answered: Expression | undefined
}

/** Where a call begins, with a selector or (none) with any calldata. */
export const atEntry = (pool: Pool, selector: bigint | undefined): AbstractState => ({
  stack: [],
  memory: [],
  blank: Number.POSITIVE_INFINITY,
  heap: undefined,
  notes: Memory.noNotes,
  facts: PathFacts.atEntry(pool, selector),
  answered: pool.constant(0n),
  epochs: StorageEpochs.atEntry.epochs,
  epoch: StorageEpochs.atEntry.epoch
})

/** A copy that can be changed on its own. */
export const copy = (state: AbstractState): AbstractState => ({
  stack: state.stack.slice(),
  memory: state.memory,
  blank: state.blank,
  heap: state.heap,
  notes: state.notes,
  facts: state.facts,
  answered: state.answered,
  epochs: state.epochs,
  epoch: state.epoch
})

/** Puts a word in the place of another one wherever that is on the stack or in memory, for it is known to be that. */
export const replace = (state: AbstractState, word: Expression, by: Expression): void => {
  for (const [i, one] of state.stack.entries()) if (one === word) state.stack[i] = by
  state.memory = replaced(state.memory, word, by)
  if (state.heap !== undefined) state.heap = { ...state.heap, segments: replaced(state.heap.segments, word, by) }
  state.notes = new Map([...state.notes].map(([at, one]) => [at, one === word ? by : one]))
}

const replaced = (
  segments: ReadonlyArray<Memory.Segment>,
  word: Expression,
  by: Expression
): ReadonlyArray<Memory.Segment> =>
  segments.map((segment) =>
    segment.piece.word === word ? { at: segment.at, piece: { ...segment.piece, word: by } } : segment
  )

/**
 * The merged states of all paths to a place: a value that differs becomes one formula of this place, and facts of only
 * some paths are dropped. Where the state has to converge, the previous result counts as one more path.
 */
export const merge = (
  pool: Pool,
  arrivals: ReadonlyArray<AbstractState>,
  held: AbstractState | undefined,
  block: number,
  run: string,
  trusted: HeapPointer.Trusted | undefined
): AbstractState => {
  const states = held === undefined ? arrivals : [held, ...arrivals]
  const [first] = states as readonly [AbstractState]
  if (states.length === 1) return first
  // Equal values on every path stay equal behind the merge point.
  const met = new Map<string, Expression>()
  const pointers = new Map<Expression, ReadonlyArray<Expression>>()
  // Facts about merged values, from the facts about each value on its path.
  const known: Array<number> = []
  const meet = (values: ReadonlyArray<Expression>, place: string): Expression => {
    const [some] = values as [Expression]
    if (values.every((value) => value === some)) return some
    const answer = answerOf(pool, values, states)
    if (answer !== undefined) {
      const told = new Set(values.map((value, i) => PathFacts.decide(value, (states[i] as AbstractState).facts)))
      const [only] = told
      if (told.size === 1 && only !== undefined) known.push(2 * answer.id + (only ? 0 : 1))
      return answer
    }
    const key = values.map((value) => value.id).join()
    const same = met.get(key)
    if (same !== undefined) return same
    const merged = pool.merge(block, `${place}:${run}`)
    met.set(key, merged)
    const others = new Set(values)
    others.delete(merged)
    if (others.size === 1 && !(held !== undefined && some === merged)) {
      const [only] = [...others] as [Expression]
      met.set(key, only)
      return only
    }
    if (held === undefined) merged.alternatives.clear()
    for (const value of others) pool.offer(merged, value)
    if (values.every(Memory.isPlace)) pointers.set(merged, values)
    known.push(
      ...PathFacts.ofSmaller(pool, merged, values, states),
      ...PathFacts.ofCounted(pool, merged, values, states)
    )
    return merged
  }
  const meetSegments = (
    all: ReadonlyArray<ReadonlyArray<Memory.Segment>>,
    name: string
  ): ReadonlyArray<Memory.Segment> => {
    const [some] = all as readonly [ReadonlyArray<Memory.Segment>]
    if (all.every((other) => Memory.areSame(other, some))) return some
    const kept: Array<Memory.Segment> = []
    for (const segment of some) {
      const { at, piece } = segment
      const pieces = all.map((segments) => segments.find((candidate) => candidate.at === at)?.piece)
      if (!pieces.every((other) => other?.length === piece.length)) continue
      if (pieces.every((other) => other?.word === piece.word && other.from === piece.from)) kept.push(segment)
      else if (piece.length === 32)
        kept.push({
          at,
          piece: {
            word: meet(
              pieces.map((other) => (other as Piece).word),
              `${name}${at}`
            ),
            from: 0,
            length: 32
          }
        })
    }
    return kept
  }
  const memory = meetSegments(
    states.map((state) => state.memory),
    "m"
  )
  const heaps = states.flatMap(({ heap }) => (heap !== undefined && heap.base === first.heap?.base ? [heap] : []))
  const meetHeaps = (all: ReadonlyArray<Memory.Heap>): Memory.Heap | undefined => {
    const [some] = all as readonly [Memory.Heap]
    if (all.every((other) => Memory.isSameHeap(other, some))) return some
    const segments = meetSegments(
      all.map((heap) => heap.segments),
      "h"
    )
    return segments.length === 0
      ? undefined
      : { base: some.base, segments, isBehind: all.every((heap) => heap.isBehind) }
  }
  const stack = first.stack.map((_, i) =>
    meet(
      states.map((state) => state.stack[i] as Expression),
      `${i}`
    )
  )
  const common = PathFacts.common(states.map((state) => state.facts))
  for (const [pointer, ways] of pointers) known.push(...Memory.factsOfMet(pool, pointer, ways, states, trusted))
  const facts = PathFacts.and(common, known)
  // Spread into the result, they would give it another shape than a copy has, and every read of a state would be slower.
  const { epoch, epochs } = StorageEpochs.merge(states, `${block}`)
  return {
    stack,
    memory,
    blank: blankOf(states, memory),
    heap: heaps.length < states.length ? undefined : meetHeaps(heaps),
    notes: Memory.commonNotes(states.map((state) => state.notes)),
    facts,
    answered: states.every(({ answered }) => answered === first.answered) ? first.answered : undefined,
    epochs,
    epoch
  }
}

/** The offset below which memory has no untracked write. */
const blankOf = (states: ReadonlyArray<AbstractState>, kept: ReadonlyArray<Memory.Segment>): number => {
  const places = new Set(kept.map(({ at }) => at))
  let blank = Number.POSITIVE_INFINITY
  for (const state of states) {
    const lost = state.memory.length === kept.length ? undefined : state.memory.find(({ at }) => !places.has(at))
    blank = Math.min(blank, state.blank, lost?.at ?? Number.POSITIVE_INFINITY)
  }
  return blank
}

/**
 * Two merged truth values of which one selects the other: the first where it is false and else the second is both (`a
 * && b`); the first where it is true and else the second is either (`a || b`).
 */
const answerOf = (
  pool: Pool,
  values: ReadonlyArray<Expression>,
  states: ReadonlyArray<AbstractState>
): Expression | undefined => {
  const [one, other, ...more] = new Set(values)
  if (one === undefined || other === undefined || more.length > 0) return undefined
  for (const [first, second] of [
    [one, other],
    [other, one]
  ] as const) {
    if (second.bits !== 1 || first.op === Kind.constant || second.op === Kind.constant) continue
    const isDecidedBy = (answer: boolean): boolean =>
      values.every(
        (value, i) =>
          PathFacts.decide(first, (states[i] as AbstractState).facts) === (value === first ? answer : !answer)
      )
    const truth = first.bits === 1 ? first : pool.unary(Opcodes.ISZERO, pool.unary(Opcodes.ISZERO, first))
    if (isDecidedBy(false)) return pool.binary(Opcodes.AND, truth, second)
    if (first.bits === 1 && isDecidedBy(true)) return pool.binary(Opcodes.OR, first, second)
  }
  return undefined
}

/** Whether two states know the same. */
export const isSame = (a: AbstractState, b: AbstractState): boolean => {
  if (a === b) return true
  if (a.stack.length !== b.stack.length) return false
  if (
    a.facts.length !== b.facts.length ||
    a.memory.length !== b.memory.length ||
    a.blank !== b.blank ||
    a.answered !== b.answered ||
    a.epoch !== b.epoch
  )
    return false
  for (let i = 0; i < a.stack.length; i++) if (a.stack[i] !== b.stack[i]) return false
  if (!Memory.areSame(a.memory, b.memory) || !Memory.isSameHeap(a.heap, b.heap)) return false
  if (!Memory.areSameNotes(a.notes, b.notes)) return false
  if (!PathFacts.areSame(a.facts, b.facts)) return false
  if (a.epochs.size !== b.epochs.size) return false
  for (const [region, epoch] of a.epochs) if (b.epochs.get(region) !== epoch) return false
  return true
}

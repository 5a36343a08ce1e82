/** @internal */

import type { Bytecode } from "../bytecode/Bytecode.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import {
  type Expression,
  Kind,
  type Piece,
  type Pool,
  Presence,
  type Reason,
  type Unknown
} from "../expression/Expression.js"
import * as AbstractState from "./AbstractState.js"
import type { BlockContext } from "./BlockContext.js"
import type * as HeapPointer from "./HeapPointer.js"
import { nearMemory, type Options } from "./Trace.js"

/**
 * How far the exploration of an entry has come. `discovered` are selectors that the code dispatches on and that were
 * not known before.
 */
export interface Progress {
  steps: number
  /** Every jump was followed and no bound was hit. */
  complete: boolean
  readonly discovered: Set<bigint>
}

/** Goes on with a state at an offset, from a side of a block; none where there are too many blocks. */
export type Enter = (
  offset: number,
  state: AbstractState.AbstractState,
  from: BlockContext,
  side: 0 | 1
) => BlockContext | undefined

/** What all blocks of an exploration are run with. */
export interface Exploration {
  readonly bytecode: Bytecode
  readonly pool: Pool
  readonly options: Options
  /** Separates the values of one exploration from those of another. */
  readonly name: string
  readonly trusted: HeapPointer.Trusted | undefined
  readonly progress: Progress
  readonly enter: Enter
  readonly zero: Expression
  /** The first word of calldata, and the selector that it begins with. */
  readonly firstWord: Expression
  readonly selector: Expression
}

/** A block while it runs. */
export interface BlockRun {
  readonly exploration: Exploration
  readonly node: BlockContext
  readonly state: AbstractState.AbstractState
  readonly stack: Array<Expression>
  /**
   * The answer of `ecrecover`, which is a word or empty. Until the code checks its length, the output area holds
   * `either`: the answer or what was there before.
   */
  recovered:
    | { readonly answer: Expression; readonly at: Expression | undefined; readonly either: Expression | undefined }
    | undefined
  sizes: ReadonlySet<Expression>
  /** What was read where the size of that answer says, and is the answer, or a whole hash. */
  bySize: ReadonlySet<Expression>
  /** What words of memory were made of that lie across several values. */
  made: ReadonlyMap<Expression, ReadonlyArray<Piece>>
}

/** Runs an instruction: its operands are on the stack, and so is its result then. */
export type Instruction = (block: BlockRun, offset: number, opcode: number) => void

/** Instructions by their opcodes. */
export type Instructions = ReadonlyArray<readonly [opcode: number, run: Instruction]>

/** A block that begins to run. */
export const make = (exploration: Exploration, node: BlockContext): BlockRun => {
  const state = AbstractState.copy(node.state)
  return {
    exploration,
    node,
    state,
    stack: state.stack,
    recovered: undefined,
    sizes: nothing,
    bySize: nothing,
    made: nothingMade
  }
}

const nothing: ReadonlySet<Expression> = new Set()

const nothingMade: ReadonlyMap<Expression, ReadonlyArray<Piece>> = new Map()

/** Takes the top of the stack. */
export const pop = ({ stack }: BlockRun): Expression => stack.pop() as Expression

/** The name of a value that is created at an offset. */
export const place = ({ exploration, node }: BlockRun, offset: number): string =>
  `${node.index}:${offset}:${exploration.name}`

/** An unknown word that is created at an offset. */
export const fresh = (block: BlockRun, offset: number): Unknown => unknownAt(block, offset, "untracked", 0)

/** Number `i` of the unknown words that the instruction at an offset makes. */
export const unknownAt = (block: BlockRun, offset: number, kind: Reason["kind"], i: number): Unknown => {
  const { bytecode, pool } = block.exploration
  return pool.unknown({ kind, opcode: bytecode.bytes[offset] ?? Opcodes.STOP }, `${place(block, offset)}:${i}`)
}

/** Notes that words are used otherwise than in a formula. */
export const use = ({ node }: BlockRun, offset: number, ...words: ReadonlyArray<Expression>): void => {
  for (const what of words)
    if (what.environment || what.clock || what.storage || what.caller === Presence.derived)
      node.events.push({ kind: "use", offset, what })
}

/** Notes that bytes of memory are touched, unless they are near its start. `length` is in bytes. */
export const touchMemory = (
  { exploration, node }: BlockRun,
  offset: number,
  at: Expression,
  length: Expression | number
): void => {
  if (exploration.options.paths !== true) return
  const size = typeof length === "number" ? BigInt(length) : length.op === Kind.constant ? length.value : undefined
  const isNear = size !== undefined && at.op === Kind.constant && at.value + size <= nearMemory
  if (!isNear) node.events.push({ kind: "expand", offset })
}

/** One of two words; nothing is known where one is not. */
export const eitherOf = (
  block: BlockRun,
  a: Expression | undefined,
  b: Expression | undefined,
  offset: number
): Expression | undefined => {
  if (a === undefined || b === undefined) return undefined
  const { pool } = block.exploration
  const either = pool.merge(block.node.index, `${place(block, offset)}?`)
  either.alternatives.clear()
  pool.offer(either, a)
  pool.offer(either, b)
  return either
}

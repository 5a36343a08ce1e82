/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord, type Pool } from "../expression/Expression.js"
import { isAtLeast, isSum, isSumWithin } from "../expression/Ordering.js"
import type * as PathFacts from "../expression/PathFacts.js"
import type * as StorageLocation from "../expression/StorageLocation.js"
import { loadedField } from "../expression/ValueSource.js"
import type * as CodeModel from "../interpreter/CodeModel.js"
import type * as PathTree from "../interpreter/PathTree.js"
import type { Block } from "../interpreter/Trace.js"
import type { Variable } from "../summary/StorageFlow.js"
import * as KeptNumber from "./KeptNumber.js"

/**
 * What a function, such as a transfer, does to the sum of all balances, over all of its paths.
 *
 * - `conserves`: on no path do balances gain more than others lose. `creates`: on some path they do.
 * - `unknown`: there are too many paths, or arithmetic that may wrap, or more than one set of books.
 */
export type Conservation = "conserves" | "creates" | "unknown"

/**
 * Adds up, path by path, what a transfer adds to balances and takes off them, in slices. A token that credits itself a
 * fee out of the amount conserves. One that credits the amount twice, or does not debit the sender, creates. `books`
 * are the token's balances, as TokenBooks finds them.
 */
export function* ofTreesInSlices(
  trees: ReadonlyArray<PathTree.PathTree>,
  books: ReadonlyArray<Variable>
): Slices.Slices<Conservation> {
  const [balances] = books
  if (balances === undefined || books.length > 1) return "unknown"
  const found: Array<Conservation> = []
  for (const tree of trees) found.push(yield* ofTree(tree, balances))
  return found.includes("creates") ? "creates" : found.includes("unknown") ? "unknown" : "conserves"
}

/** What any function does to the sum of all balances, in slices. */
export function* ofFunctionInSlices(
  model: CodeModel.CodeModel,
  selector: Hex,
  books: ReadonlyArray<Variable>
): Slices.Slices<Conservation> {
  return books.length === 1 ? yield* ofTreesInSlices([yield* model.paths(selector)], books) : "unknown"
}

function* ofTree(tree: PathTree.PathTree, balances: Variable): Slices.Slices<Conservation> {
  let result: Conservation = tree.trace.complete ? "conserves" : "unknown"
  for (const { gains, losses, sound } of yield* sumsOf(tree, balances)) {
    if (sound && gains.length > 0 && losses.length === 0 && gains.every((gain) => loadedField(gain) === undefined))
      return "creates"
    if (!sound || gains.length > 0) result = "unknown"
  }
  return result
}

/**
 * The credits and debits of one path to the entries of a variable, after equal ones cancel out. `end` is its last
 * block; it is not `sound` where the sums are not known.
 */
export interface PathSum {
  readonly end: number
  readonly gains: ReadonlyArray<Expression>
  readonly losses: ReadonlyArray<Expression>
  readonly sound: boolean
}

/**
 * The sums of all paths that do not revert, in slices. `isEnough` says that what the variable
 * holds is no less than an amount, where no comparison with it does.
 */
export function* sumsOf(
  { locator, parents, pool, trace }: PathTree.PathTree,
  variable: Variable,
  isEnough: (amount: Expression, facts: PathFacts.PathFacts) => boolean = () => false
): Slices.Slices<ReadonlyArray<PathSum>> {
  const changes: Array<BlockChange> = []
  const work = Slices.makeWork()
  // Blocks come after their predecessors.
  for (const block of trace.blocks) {
    if (work.isDue(1)) yield undefined
    changes.push(
      changeOf(pool, locator, block, variable, isEnough, changes[parents.get(block.index) ?? -1]?.onlyRaised ?? true)
    )
  }
  const found: Array<PathSum> = []
  for (const block of trace.blocks) {
    if (work.isDue(2)) yield undefined
    if (block.end === "failure" || block.successors.length > 0) continue
    // All of a path is looked at where it ends.
    if (work.isDue(10)) yield undefined
    const total = new Map<Expression, bigint>()
    let sound = block.end === "success"
    for (let index: number | undefined = block.index; index !== undefined; index = parents.get(index)) {
      const sum = changes[index]?.sum
      if (sum === undefined) sound = false
      else for (const [term, factor] of sum) total.set(term, (total.get(term) ?? 0n) + factor)
    }
    found.push({
      end: block.index,
      gains: [...total].flatMap(([term, factor]) =>
        (term.op === Kind.constant ? factor * term.value : factor) > 0n ? [term] : []
      ),
      losses: [...total].flatMap(([term, factor]) => (factor < 0n ? [term] : [])),
      sound
    })
  }
  return found
}

interface BlockChange {
  /** What a block adds to the sum of balances, as a sum of terms; undefined where it is not known. */
  readonly sum: ReadonlyMap<Expression, bigint> | undefined
  /** Whether no balance is below what it was when the call began, after this block and those before it. */
  readonly onlyRaised: boolean
}

const changeOf = (
  pool: Pool,
  locator: StorageLocation.Locator,
  block: Block,
  { mask, slot }: Variable,
  isEnough: Where["isEnough"],
  raisedBefore: boolean
): BlockChange => {
  const sum = new Map<Expression, bigint>()
  let onlyRaised = raisedBefore
  const add = (term: Expression, factor: bigint): void => {
    sum.set(term, (sum.get(term) ?? 0n) + factor)
  }
  const untold = { sum: undefined, onlyRaised: false }
  for (const event of block.events) {
    if (event.kind === "call") {
      if (event.opcode !== Opcodes.STATICCALL && event.opcode !== Opcodes.CALL) return untold
      if (event.opcode === Opcodes.CALL) onlyRaised = false
    }
    if (event.kind !== "store") continue
    const locations = locator.resolve(event.slot)
    if (locations === undefined || !locations.every((location) => locator.isBounded(location, event.facts)))
      return untold
    if (!locations.some((location) => location.id === slot)) continue
    const number = KeptNumber.of(pool, event, BigInt(mask))
    if (number === undefined) continue
    const { facts } = event
    const { after, before } = number
    expand(pool, after, 1n, { facts, onlyRaised, current: before, isEnough, looks: maxTerms }, add)
    add(before, -1n)
    if (!isRaise(pool, number, KeptNumber.most(BigInt(mask)), facts)) onlyRaised = false
  }
  return { sum, onlyRaised }
}

const isRaise = (
  pool: Pool,
  { after, before }: KeptNumber.KeptNumber,
  most: bigint,
  facts: PathFacts.PathFacts
): boolean => after.op === Opcodes.ADD && after.args.includes(before) && isSumWithin(pool, ...after.args, most, facts)

interface Where {
  readonly facts: PathFacts.PathFacts
  readonly onlyRaised: boolean
  readonly current: Expression
  readonly isEnough: (amount: Expression, facts: PathFacts.PathFacts) => boolean
  looks: number
}

/** Splits a sum into terms as far as it is known not to wrap; the rest is one term. */
const expand = (
  pool: Pool,
  what: Expression,
  factor: bigint,
  where: Where,
  add: (term: Expression, factor: bigint) => void
): void => {
  const difference = differenceIn(pool, what)
  // A repeated term counts as often as it occurs.
  if (where.looks-- <= 0) add(what, factor)
  else if (difference !== undefined) {
    const [a, b] = difference
    if (
      isAtLeast(pool, a, b, where.facts) ||
      (a === where.current && where.isEnough(b, where.facts)) ||
      (where.onlyRaised && wasAtLeast(pool, a, b, where.facts))
    ) {
      expand(pool, a, factor, where, add)
      expand(pool, b, -factor, where, add)
    } else add(what, factor)
  } else if (what.op === Opcodes.ADD && (factor > 0n || isSum(pool, ...what.args, where.facts)))
    for (const arg of what.args) expand(pool, arg, factor, where, add)
  else add(what, factor)
}

/** What is taken off what; compilers write what a number is taken off as the sum with one below zero. */
const differenceIn = (pool: Pool, { args, op }: Expression): readonly [Expression, Expression] | undefined => {
  if (op === Opcodes.SUB) return args
  if (op !== Opcodes.ADD) return undefined
  const [a, b] = args
  const [whole, step] = a.op === Kind.constant ? [b, a] : [a, b]
  return step.op === Kind.constant && step.bits === 256 ? [whole, pool.constant(-step.value & maxWord)] : undefined
}

/** Whether an earlier check found the entry to be at least the amount: it still is where no entry was lowered since. */
const wasAtLeast = (pool: Pool, entry: Expression, amount: Expression, facts: PathFacts.PathFacts): boolean => {
  if (entry.op !== Opcodes.SLOAD) return false
  for (const fact of facts) {
    const condition = pool.get(fact >> 1)
    if (condition.op !== Opcodes.LT) continue
    const [smaller, larger] = (fact & 1) === 0 ? condition.args : [condition.args[1], condition.args[0]]
    if (smaller === amount && larger?.op === Opcodes.SLOAD && larger.args[0] === entry.args[0]) return true
  }
  return false
}

/** The most terms of a sum that are tracked. */
const maxTerms = 1_000

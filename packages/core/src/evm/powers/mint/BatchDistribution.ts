/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool } from "../../expression/Expression.js"
import { isAtLeast } from "../../expression/Ordering.js"
import * as PathFacts from "../../expression/PathFacts.js"
import type * as StorageLocation from "../../expression/StorageLocation.js"
import * as CodeModel from "../../interpreter/CodeModel.js"
import type { StoreEvent, Trace } from "../../interpreter/Trace.js"
import * as ControlFlowGraph from "../../summary/conditions/ControlFlowGraph.js"

/**
 * Whether a function gives every account of a list the same, after it took as much for all of them off one account at once:
 * it multiplied without wrapping, and its loop gives no more often than it counts up to what it multiplied with. `balances` is
 * the variable of both; in slices.
 */
export function* isCovered(model: CodeModel.CodeModel, selector: Hex, balances: string): Slices.Slices<boolean> {
  const run = yield* model.run(selector, CodeModel.bounds.batch)
  const { locator, pool } = run
  const giving = handoutIn(run.trace, locator, balances)?.giving
  const each = giving === undefined ? undefined : addedBy(giving.event)
  if (giving === undefined || each === undefined) return false
  for (const times of boundsIn(pool, giving.event.facts).slice(0, maxBounds)) {
    // With a zero factor nothing is credited; multiplication helpers return early for it.
    const trace = yield* model.assuming(run, [times, each], CodeModel.bounds.batch)
    const handout = handoutIn(trace, locator, balances)
    if (handout !== undefined && isBacked(pool, trace, handout, each, times)) return true
  }
  return false
}

interface Store {
  readonly block: number
  readonly event: StoreEvent
}

interface BatchDistribution {
  readonly taking: Store
  readonly giving: Store
}

/** The two writes to balances, where a function has one debit and one credit. */
const handoutIn = (trace: Trace, locator: StorageLocation.Locator, balances: string): BatchDistribution | undefined => {
  if (!trace.complete) return undefined
  const stores: Array<Store> = []
  for (const { events, index, succeeds } of trace.blocks) {
    if (!succeeds) continue
    for (const event of events) {
      if (event.kind === "call" && event.opcode !== Opcodes.CALL && event.opcode !== Opcodes.STATICCALL)
        return undefined
      if (event.kind !== "store") continue
      const places = locator.resolve(event.slot)
      if (places === undefined || !places.every((place) => locator.isBounded(place, event.facts))) return undefined
      if (!places.some(({ id }) => id === balances)) continue
      if (places.length > 1) return undefined
      stores.push({ block: index, event })
    }
  }
  const taking = stores.find(({ event }) => event.value.op === Opcodes.SUB)
  const giving = stores.find(({ event }) => event.value.op === Opcodes.ADD)
  return taking === undefined || giving === undefined || stores.length > 2 ? undefined : { taking, giving }
}

/** What is added to an entry, where it is the same whenever it is. */
const addedBy = ({ current, value }: StoreEvent): Expression | undefined => {
  const [a, b] = value.args
  const added = a === current ? b : b === current ? a : undefined
  return added !== undefined && isFixed(added) ? added : undefined
}

/** Whether a formula is the same all through a call. */
const isFixed = (what: Expression): boolean => {
  const met = new Set([what])
  for (const part of met) {
    if (met.size > 16 || !isFixedItself(part)) return false
    for (const inner of part.args) met.add(inner)
  }
  return true
}

const isFixedItself = ({ op }: Expression): boolean =>
  op === Kind.constant ||
  op === Opcodes.CALLDATALOAD ||
  op === Opcodes.CALLVALUE ||
  op === Opcodes.ADD ||
  op === Opcodes.MUL ||
  op === Opcodes.AND ||
  op === Opcodes.SHL ||
  op === Opcodes.SHR

/** What something that is counted from nothing, one by one, is known to be less than. */
const boundsIn = (pool: Pool, facts: PathFacts.PathFacts): ReadonlyArray<Expression> =>
  facts.flatMap((fact) => {
    const { args, op } = pool.get(fact >> 1)
    const [counter, bound] = args
    return (fact & 1) === 0 && op === Opcodes.LT && counter !== undefined && bound !== undefined
      ? isCounter(pool, counter) && isFixed(bound)
        ? [bound]
        : []
      : []
  })

const isCounter = (pool: Pool, counter: Expression): boolean =>
  counter.op === Kind.merge &&
  counter.alternatives.size === 2 &&
  [pool.constant(0n), pool.binary(Opcodes.ADD, counter, pool.constant(1n))].every((way) =>
    counter.alternatives.has(way)
  )

const isBacked = (
  pool: Pool,
  trace: Trace,
  { giving, taking }: BatchDistribution,
  each: Expression,
  times: Expression
): boolean => {
  const { current, facts, value } = taking.event
  const [before, total] = value.args
  if (before !== current || total === undefined || addedBy(giving.event) !== each) return false
  if (total !== pool.binary(Opcodes.MUL, times, each) || total.op !== Opcodes.MUL) return false
  if (!isAtLeast(pool, before, total, facts) || !isInWord(pool, times, each, total, facts)) return false
  const graph = ControlFlowGraph.make(trace)
  // Whatever is given was taken before.
  return (
    taking.block !== giving.block &&
    !graph.after([0], { blocks: new Set([taking.block]) }).has(giving.block) &&
    isCounted(pool, graph, trace, giving, times)
  )
}

/** Whether the path checked that a product does not wrap, by dividing it again; neither factor is zero. */
const isInWord = (pool: Pool, x: Expression, y: Expression, product: Expression, facts: PathFacts.PathFacts): boolean =>
  [[x, y] as const, [y, x] as const].some(([by, other]) => {
    const again = pool.binary(Opcodes.EQ, pool.binary(Opcodes.DIV, product, by), other)
    const asked = [again, pool.binary(Opcodes.OR, pool.unary(Opcodes.ISZERO, by), again)]
    return asked.some((condition) => PathFacts.decide(condition, facts) === true)
  })

/**
 * Whether a block runs at most that many times: in a single loop with a counter from zero that stays below the number.
 */
const isCounted = (
  pool: Pool,
  graph: ControlFlowGraph.ControlFlowGraph,
  { blocks }: Trace,
  { block, event: { facts } }: Store,
  times: Expression
): boolean =>
  facts.some((fact) => {
    const { args, op } = pool.get(fact >> 1)
    const [counter, bound] = args
    if ((fact & 1) === 1 || op !== Opcodes.LT || bound !== times) return false
    if (counter?.op !== Kind.merge || !isCounter(pool, counter)) return false
    // One path enters the loop and one returns, so the counter never restarts.
    const head = counter.detail
    const ways = blocks.filter(({ succeeds, successors }) => succeeds && successors.includes(head))
    const round = graph.after([head])
    return (
      ways.length === 2 &&
      ways.filter(({ index }) => round.has(index)).length === 1 &&
      !graph.repeats(block, { blocks: new Set([head]) })
    )
  })

/** Numbers that a loop may count up to. */
const maxBounds = 2

/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool, unmasked } from "../../expression/Expression.js"
import { isAtLeast } from "../../expression/Ordering.js"
import * as PathFacts from "../../expression/PathFacts.js"
import { isLowMask } from "../../expression/ValueSource.js"
import type * as ControlFlowGraph from "../conditions/ControlFlowGraph.js"
import type { Change } from "../conditions/FunctionFlow.js"
import type { FieldWrite } from "../signatures/FieldWrite.js"
import type { NumberChange } from "./NumberChange.js"

/**
 * Makes a test of whether every path through an increase takes the same amounts off other entries of the same mapping,
 * and as often. The increase is given by its number among the stores of a function. An amount that is taken off once,
 * on another path or before a loop, does not balance one that is added in each round.
 */
export const makeReader = (
  pool: Pool,
  graph: ControlFlowGraph.ControlFlowGraph,
  stores: ReadonlyArray<FieldWrite>,
  changes: ReadonlyArray<ReadonlyArray<NumberChange>>
): ((increase: number, amounts: ReadonlyArray<Expression>) => boolean) => {
  const blocksTaking = (store: FieldWrite, amounts: ReadonlyArray<Expression>): ReadonlySet<number> =>
    new Set(
      stores.flatMap((other, j) => {
        if (!isSameNumber(other, store) || other.event === store.event) return []
        const own = changes[j] ?? []
        // A store that takes off an amount on some ways only, or another one, does not for certain.
        const taken = own.length === 1 ? amountsOf(other, own, "decrease") : []
        return taken.length > 0 && amounts.every((amount) => isCovered(pool, amount, taken, store.event.facts))
          ? [other.block]
          : []
      })
    )
  const isAlways = (block: number, blocks: ReadonlySet<number>): boolean =>
    blocks.has(block) || !(graph.after([0], { blocks }).has(block) && graph.before(graph.ends, { blocks }).has(block))
  return (increase, amounts) => {
    const store = stores[increase]
    if (store === undefined) return false
    const { block, event, location } = store
    // Code with more stores is only checked path by path.
    if (stores.filter((other) => other.location.id === location.id).length > maxStores) return false
    const taking = blocksTaking(store, amounts)
    if (!isAlways(block, taking) || (!taking.has(block) && graph.repeats(block, { blocks: taking }))) return false
    const [before, after] = [graph.before([block]), graph.after([block])]
    const others = stores.filter(
      (other, j) =>
        isSameNumber(other, store) &&
        other.event !== event &&
        (before.has(other.block) || after.has(other.block)) &&
        (changes[j] ?? []).some(
          (change) =>
            change.kind === "increase" && [...blocksTaking(other, change.amounts)].some((one) => taking.has(one))
        )
    )
    if (others.length === 0) return true
    // What is taken off for several is enough where it is taken off for each, and none is added twice.
    const always = [...taking].filter((one) => isAlways(block, new Set([one])))
    return (
      always.length > others.length && ![block, ...others.map((other) => other.block)].some((one) => graph.repeats(one))
    )
  }
}

/** Whether two stores are to the same number of entries of one mapping: what a word keeps besides a balance is none. */
export const isSameNumber = (one: FieldWrite, other: FieldWrite): boolean =>
  one.location.id === other.location.id && (one.mask & other.mask) !== 0n

/** Stores to one mapping that are compared with each other. */
const maxStores = 32

/** What a store adds to an entry, or takes off it; an entry that is cleared has lost all it held. */
export const amountsOf = (
  store: FieldWrite,
  changes: ReadonlyArray<NumberChange>,
  kind: Change["kind"]
): ReadonlyArray<Expression> =>
  changes.flatMap((change) =>
    change.kind === "clear" && kind === "decrease" ? [store.event.current] : change.kind === kind ? change.amounts : []
  )

/** Whether an amount is at most one of those taken off elsewhere: one of them itself, or one minus something. */
export const isCovered = (
  pool: Pool,
  amount: Expression,
  taken: ReadonlyArray<Expression>,
  facts: PathFacts.PathFacts
): boolean => isCoveredWithin(pool, amount, taken, facts, 0)

/** Whether a number is known to fit in a number of low bits. */
const isWithin = (pool: Pool, what: Expression, most: Expression | undefined, facts: PathFacts.PathFacts): boolean =>
  most?.op === Kind.constant &&
  isLowMask(most.value) &&
  (PathFacts.decide(pool.binary(Opcodes.LT, what, pool.constant(most.value + 1n)), facts) === true ||
    PathFacts.decide(pool.binary(Opcodes.LT, most, what), facts) === false)

const isCoveredWithin = (
  pool: Pool,
  amount: Expression,
  taken: ReadonlyArray<Expression>,
  facts: PathFacts.PathFacts,
  depth: number
): boolean => {
  if (depth > 8) return false
  if (taken.includes(amount)) return true
  if (amount.op === Opcodes.SUB && amount.args[0] !== undefined) {
    return (
      isCoveredWithin(pool, amount.args[0], taken, facts, depth + 1) &&
      isAtLeast(pool, amount.args[0], amount.args[1], facts)
    )
  }
  // Some of the bits are at most all of them.
  if (amount.op === Opcodes.AND && amount.args.some((part) => taken.includes(part))) return true
  // Nor are they less, where the number is known to have no others.
  if (taken.some((one) => unmasked(one) === amount && isWithin(pool, amount, one.args[1], facts))) return true
  return (
    amount.op === Kind.merge &&
    [...amount.alternatives].every((alternative) => isCoveredWithin(pool, alternative, taken, facts, depth + 1))
  )
}

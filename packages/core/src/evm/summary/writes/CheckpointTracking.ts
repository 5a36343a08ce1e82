/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool, unmasked } from "../../expression/Expression.js"
import * as PathFacts from "../../expression/PathFacts.js"
import { loadedField, type Tracer } from "../../expression/ValueSource.js"
import type * as ControlFlowGraph from "../conditions/ControlFlowGraph.js"
import type { FieldWrite } from "../signatures/FieldWrite.js"
import * as LastCheckpoint from "./LastCheckpoint.js"
import type { NumberChange } from "./NumberChange.js"

/**
 * Finds the mappings that a store (by its number in the function) tracks: on every path through it, the account's entry
 * there changes by the same amount as the last checkpoint. Where checkpoints belong to another account, as votes of a
 * delegate do, the account is the one that delegates.
 */
export const makeReader = (
  pool: Pool,
  tracer: Tracer,
  graph: ControlFlowGraph.ControlFlowGraph,
  stores: ReadonlyArray<FieldWrite>,
  changes: ReadonlyArray<ReadonlyArray<NumberChange>>
): ((store: number) => ReadonlyArray<string>) => {
  const entrySteps = stores.map((store, i) => entryStep(store, changes[i] ?? []))
  const steps = stores.map((store) => stepOf(store, (what) => LastCheckpoint.is(pool, tracer, store, what)))
  const accounts = stores.map((store) => accountOf(tracer, store))
  // A single debit is not tracked by a double one.
  const isAlone = (index: number, { block, event, location }: FieldWrite): boolean => {
    const [before, after] = [graph.before([block]), graph.after([block])]
    return (
      !graph.repeats(block) &&
      stores.every(
        (other, i) =>
          other.event === event ||
          other.location.id !== location.id ||
          accounts[i] !== accounts[index] ||
          steps[i]?.isUp !== false ||
          !(before.has(other.block) || after.has(other.block))
      )
    )
  }
  // What is taken off an entry and given back leaves it as it was.
  const isGivenBack = ({ event }: FieldWrite): boolean =>
    stores.some(
      (other, i) =>
        other.event !== event &&
        other.event.slot === event.slot &&
        (changes[i] ?? []).some(({ kind }) => kind !== "decrease" && kind !== "clear" && kind !== "keep")
    )
  return (index) => {
    const [store, step] = [stores[index], steps[index]]
    if (store === undefined || step === undefined || !(step.isUp || isAlone(index, store))) return []
    const { block, event } = store
    const followed = stores.filter((other, i) => {
      const known = entrySteps[i]
      return (
        known !== undefined &&
        other.event !== event &&
        known.isUp === step.isUp &&
        known.account === accounts[index] &&
        !(!known.isUp && isGivenBack(other)) &&
        isAll(pool, step.amount, known.amount, event.facts)
      )
    })
    return [...new Set(followed.map(({ location }) => location.id))].filter((id) => {
      const blocks = new Set(followed.flatMap((other) => (other.location.id === id ? [other.block] : [])))
      return (
        blocks.has(block) ||
        !(graph.after([0], { blocks }).has(block) && graph.before(graph.ends, { blocks }).has(block))
      )
    })
  }
}

interface Step {
  readonly isUp: boolean
  readonly amount: Expression
}

/** What a store does to the entry of an account, in a mapping of numbers. */
const entryStep = (
  { event, field, location }: FieldWrite,
  changes: ReadonlyArray<NumberChange>
): (Step & { readonly account: Expression }) | undefined => {
  const [key, ...others] = location.keys
  const [change, ...more] = changes
  // A word that is cleared goes down by all that it held.
  const isCleared = change?.kind === "clear" && field === undefined
  const [amount, ...rest] = isCleared ? [event.current] : (change?.amounts ?? [])
  if (change === undefined || key === undefined || amount === undefined) return undefined
  if (others.length + more.length + rest.length + location.indices.length > 0) return undefined
  return change.kind === "increase" || change.kind === "decrease" || isCleared
    ? { isUp: change.kind === "increase", amount, account: unmasked(key) }
    : undefined
}

/**
 * The direction of a new number in a list relative to an earlier one, there or elsewhere; none where it is not the same
 * on every path.
 */
export const directionOf = (tracer: Tracer, store: FieldWrite): "up" | "down" | undefined => {
  const step =
    store.location.indices.length === 0 ? undefined : stepOf(store, (what) => LastCheckpoint.isAny(tracer, store, what))
  return step === undefined ? undefined : step.isUp ? "up" : "down"
}

/** The difference between the stored value and the old one, on each path. */
const stepOf = ({ value }: FieldWrite, isKept: (what: Expression) => boolean): Step | undefined => {
  const ways = new Set([value])
  const steps: Array<Step | undefined> = []
  for (const way of ways) {
    if (ways.size > maxWays) return undefined
    if (way.op === Kind.merge) for (const inner of way.alternatives) ways.add(inner)
    else steps.push(stepIn(way, isKept))
  }
  const [first] = steps
  return first !== undefined && steps.every((step) => step?.isUp === first.isUp && step.amount === first.amount)
    ? first
    : undefined
}

const stepIn = (what: Expression, isKept: (what: Expression) => boolean): Step | undefined => {
  const { args, op } = unmasked(what)
  const [a, b] = args
  if (a === undefined || b === undefined) return undefined
  switch (op) {
    case Opcodes.ADD:
      return isKept(a) ? { isUp: true, amount: b } : isKept(b) ? { isUp: true, amount: a } : undefined
    case Opcodes.SUB:
      return isKept(a) ? { isUp: false, amount: b } : undefined
    default:
      return undefined
  }
}

/** The account that owns an entry, or that chose the owner. */
const accountOf = (tracer: Tracer, { location: { keys } }: FieldWrite): Expression | undefined =>
  keys[0] === undefined ? undefined : (chooserOf(tracer, keys[0]) ?? unmasked(keys[0]))

const chooserOf = (tracer: Tracer, key: Expression): Expression | undefined => {
  const loaded = loadedField(key)
  const [place, ...others] = loaded === undefined ? [] : (tracer.locate(loaded.load.args[0]) ?? [])
  const [chooser, ...more] = place?.keys ?? []
  return chooser === undefined || more.length + others.length > 0 ? undefined : unmasked(chooser)
}

/** Whether a store is to the entry of whom the zero address has in a mapping. */
export const isOfNobody = (tracer: Tracer, { location: { keys } }: FieldWrite): boolean => {
  const chooser = keys[0] === undefined ? undefined : chooserOf(tracer, keys[0])
  return chooser?.op === Kind.constant && chooser.value === 0n
}

/** Whether a truncated amount is the whole amount, because the path checked that it fits. */
const isAll = (pool: Pool, kept: Expression, amount: Expression, facts: PathFacts.PathFacts): boolean =>
  kept === amount ||
  (unmasked(kept) === amount &&
    kept.args[1] !== undefined &&
    PathFacts.has(facts, 2 * pool.node(Opcodes.LT, [kept.args[1], amount]).id + 1))

const maxWays = 12

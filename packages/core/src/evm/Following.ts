/** @internal */

import type * as ControlGraph from "./ControlGraph.js"
import { distanceFrom, type Expression, Kind, type Pool, unmasked } from "./Expression.js"
import type { NumberChange } from "./NumberChange.js"
import { Opcodes } from "./Opcodes.js"
import { loadedField, type Tracer } from "./Origin.js"
import type { StoredPart } from "./StoredPart.js"

/**
 * Tells, by its number among the stores of a function, which mappings a store follows: on every path through it the same
 * account's entry there goes up or down by as much as the number that was kept last goes in what is stored. Where an entry is
 * kept for another account, as votes are for a delegate, the account is the one that is asked for it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeReader = (
  pool: Pool,
  tracer: Tracer,
  graph: ControlGraph.ControlGraph,
  stores: ReadonlyArray<StoredPart>,
  changes: ReadonlyArray<ReadonlyArray<NumberChange>>
): ((store: number) => ReadonlyArray<string>) => {
  const steps = stores.map((store, i) => entryStep(store, changes[i] ?? []))
  return (index) => {
    const store = stores[index]
    const step = store === undefined ? undefined : stepOf(pool, tracer, store)
    if (store === undefined || step === undefined) return []
    const account = accountOf(tracer, store)
    const { block, event } = store
    const ids = new Set(
      stores.flatMap((other, i) => {
        const known = steps[i]
        return known !== undefined &&
          other.event !== event &&
          known.isUp === step.isUp &&
          known.account === account &&
          isAll(pool, step.amount, known.amount, event.facts)
          ? [other]
          : []
      })
    )
    const blocksOf = (id: string): ReadonlySet<number> =>
      new Set([...ids].flatMap((other) => (other.location.id === id ? [other.block] : [])))
    return [...new Set([...ids].map(({ location }) => location.id))].filter((id) => {
      const blocks = blocksOf(id)
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
  { location }: StoredPart,
  changes: ReadonlyArray<NumberChange>
): (Step & { readonly account: Expression }) | undefined => {
  const [key, ...others] = location.keys
  const [change, ...more] = changes
  const [amount, ...rest] = change?.amounts ?? []
  if (change === undefined || key === undefined || amount === undefined) return undefined
  if (others.length + more.length + rest.length + location.indices.length > 0) return undefined
  return change.kind === "increase" || change.kind === "decrease"
    ? { isUp: change.kind === "increase", amount, account: unmasked(key) }
    : undefined
}

/** How far what is stored is from what was kept last, on each way that it comes from. */
const stepOf = (pool: Pool, tracer: Tracer, store: StoredPart): Step | undefined => {
  const steps: Array<Step | undefined> = []
  const pending = [store.value]
  for (const what of pending) {
    if (pending.length > maxWays) return undefined
    if (what.op === Kind.merge) pending.push(...what.alternatives)
    else steps.push(stepIn(pool, tracer, store, what))
  }
  const [first] = steps
  return first !== undefined && steps.every((step) => step?.isUp === first.isUp && step.amount === first.amount)
    ? first
    : undefined
}

const stepIn = (pool: Pool, tracer: Tracer, store: StoredPart, what: Expression): Step | undefined => {
  const [a, b] = unmasked(what).args
  if (a === undefined || b === undefined) return undefined
  switch (unmasked(what).op) {
    case Opcodes.ADD:
      return isLast(pool, tracer, store, a)
        ? { isUp: true, amount: b }
        : isLast(pool, tracer, store, b)
          ? { isUp: true, amount: a }
          : undefined
    case Opcodes.SUB:
      return isLast(pool, tracer, store, a) ? { isUp: false, amount: b } : undefined
    default:
      return undefined
  }
}

/** Whether a formula is what the variable was, or what was kept last in a list of them, or nothing where there is none yet. */
const isLast = (pool: Pool, tracer: Tracer, { event, location, mask }: StoredPart, what: Expression): boolean => {
  const ways = new Set([what])
  let isKept = false
  for (const way of ways) {
    if (ways.size > maxWays) return false
    const loaded = loadedField(way)
    if (way.op === Kind.merge) for (const inner of way.alternatives) ways.add(inner)
    else if (way.op === Opcodes.AND && loaded === undefined) ways.add(unmasked(way))
    else if (loaded !== undefined && loaded.mask === mask) {
      const place = loaded.load.args[0] as Expression
      const [found, ...others] = tracer.locate(place) ?? []
      if (found === undefined || others.length > 0 || found.id !== location.id) return false
      // A list has a place for each, a mapping of mappings a number.
      const isOne = found.keys.every((key, i) => key === location.keys[i])
      const isNext =
        found.keys.length > 1 &&
        found.keys.slice(0, -1).every((key, i) => key === location.keys[i]) &&
        isStepOn(pool, location.keys.at(-1), found.keys.at(-1), 1n)
      if (!isNext && !(isOne && isStepOn(pool, event.slot, place, found.indices.length > 0 ? maxSize : 0n)))
        return false
      isKept = true
    } else if (way.op !== Kind.constant || way.value !== 0n) return false
  }
  return isKept
}

/** Whether a place or a number is no more than a few behind another, both within the same bits. */
const isStepOn = (pool: Pool, to: Expression | undefined, from: Expression | undefined, most: bigint): boolean => {
  if (to === undefined || from === undefined) return false
  const within = unmasked(from) !== from && unmasked(to) !== to && from.args[1] === to.args[1]
  const earlier = within ? unmasked(from) : from
  const step = pool.binary(Opcodes.SUB, to, earlier)
  if (step.op === Kind.constant) return step.value <= most
  const back = to.op === Opcodes.ADD ? distanceFrom(to, earlier) : undefined
  return back !== undefined && back <= 0n && -back <= most
}

/** Words that one of a list takes up. */
const maxSize = 2n

/** The account that an entry is kept for, or that chose whom it is kept for. */
const accountOf = (tracer: Tracer, { location: { keys } }: StoredPart): Expression | undefined =>
  keys[0] === undefined ? undefined : (chooserOf(tracer, keys[0]) ?? unmasked(keys[0]))

const chooserOf = (tracer: Tracer, key: Expression): Expression | undefined => {
  const loaded = loadedField(key)
  const [place, ...others] = loaded === undefined ? [] : (tracer.locate(loaded.load.args[0] as Expression) ?? [])
  const [chooser, ...more] = place?.keys ?? []
  return chooser === undefined || more.length + others.length > 0 ? undefined : unmasked(chooser)
}

/**
 * Whether a store is to the entry of whom the zero address has in a mapping.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOfNobody = (tracer: Tracer, { location: { keys } }: StoredPart): boolean => {
  const chooser = keys[0] === undefined ? undefined : chooserOf(tracer, keys[0])
  return chooser?.op === Kind.constant && chooser.value === 0n
}

/** Whether what is kept short of an amount is all of it, for it was asked to be no more. */
const isAll = (pool: Pool, kept: Expression, amount: Expression, facts: ReadonlySet<number>): boolean =>
  kept === amount ||
  (unmasked(kept) === amount &&
    kept.args[1] !== undefined &&
    facts.has(2 * pool.node(Opcodes.LT, [kept.args[1], amount]).id + 1))

const maxWays = 12

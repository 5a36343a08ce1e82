/** @internal */

import * as OxHex from "ox/Hex"
import type { Consent } from "./Consent.js"
import type * as ControlGraph from "./ControlGraph.js"
import { type Expression, Kind, type Pool } from "./Expression.js"
import type { Change, Write } from "./FunctionFlow.js"
import type * as Guard from "./Guard.js"
import * as NumberChange from "./NumberChange.js"
import { Opcodes } from "./Opcodes.js"
import { isAtLeast } from "./Ordering.js"
import { type Tracer, unique } from "./Origin.js"
import type * as Slices from "./Slices.js"
import type { StoredPart } from "./StoredPart.js"
import { variablesIn } from "./Variable.js"

/**
 * The writes of a function, each with what it does to the number that was there, what other writes to the same mapping do
 * in return, and who is let through to it; in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* of(
  pool: Pool,
  tracer: Tracer,
  graph: ControlGraph.ControlGraph,
  guards: Guard.Guards,
  consentAt: (block: number, keys: ReadonlyArray<Expression>) => Consent,
  stores: ReadonlyArray<StoredPart>
): Slices.Slices<ReadonlyArray<Write>> {
  const lasts = lastingIn(graph)
  const changes = stores.map((store) => NumberChange.of(pool, tracer, store))
  const writes = new Map<string, Write>()
  for (const [i, store] of stores.entries()) {
    if (i % 4 === 3) yield undefined
    const { location, event, field } = store
    const keys = location.keys.map((key) => tracer.origin(key))
    const guarded = guards.at(store.block, event.facts)
    const shut = guards.isShut(store.block, event.facts)
    const asked = consentAt(store.block, location.keys)
    // What other writes of the function to the same mapping do in return.
    const others = (kind: Change["kind"]): ReadonlyArray<Expression> =>
      stores.flatMap((other, j) =>
        other.location.id === location.id && other.event !== event
          ? (changes[j] ?? []).flatMap((change) =>
              // An entry that is cleared has lost all it held.
              change.kind === "clear" && kind === "decrease"
                ? [other.event.current]
                : change.kind === kind
                  ? change.amounts
                  : []
            )
          : []
      )
    for (const change of changes[i] ?? []) {
      const matched =
        change.amounts.length > 0 &&
        location.keys.length > 0 &&
        ((change.kind === "increase" &&
          change.amounts.every((amount) => isCovered(pool, amount, others("decrease"), event.facts, 0))) ||
          (change.kind === "decrease" &&
            others("increase").length > 0 &&
            others("increase").every((amount) => isCovered(pool, amount, change.amounts, event.facts, 0))))
      const write: Write = {
        slot: location.id,
        keys,
        field,
        mask: OxHex.fromNumber(store.mask, { size: 32 }),
        change: {
          kind: change.kind,
          amount: unique(change.amounts.flatMap((amount) => tracer.origins(amount))),
          sources: unique(change.amounts.flatMap((amount) => variablesIn(tracer, amount))),
          matched
        },
        guards: guarded,
        shut,
        ...asked,
        lasts: lasts(store, stores),
        offset: event.offset
      }
      writes.set(JSON.stringify(write), write)
    }
  }
  return [...writes.values()]
}

/** Tells the writes after which a call may end without having written the same variable again. */
const lastingIn =
  (graph: ControlGraph.ControlGraph) =>
  (store: StoredPart, stores: ReadonlyArray<StoredPart>): boolean => {
    if (store.location.keys.length > 0 || store.location.indices.length > 0) return true
    const others = stores.filter(
      (other) =>
        other.event !== store.event &&
        other.location.id === store.location.id &&
        (other.mask & store.mask) === store.mask &&
        (other.block !== store.block || other.event.offset > store.event.offset)
    )
    if (others.length === 0) return true
    const blocks = new Set(others.map((other) => other.block))
    return !blocks.has(store.block) && graph.before(graph.ends, { blocks }).has(store.block)
  }

/** Whether an amount is no more than one of those taken off elsewhere: one of them itself, or less something. */
const isCovered = (
  pool: Pool,
  amount: Expression,
  taken: ReadonlyArray<Expression>,
  facts: ReadonlySet<number>,
  depth: number
): boolean => {
  if (depth > 8) return false
  if (taken.includes(amount)) return true
  if (amount.op === Opcodes.SUB && amount.args[0] !== undefined) {
    return (
      isCovered(pool, amount.args[0], taken, facts, depth + 1) &&
      isAtLeast(pool, amount.args[0], amount.args[1] as Expression, facts)
    )
  }
  // A part of the bits is not more than all of them.
  if (amount.op === Opcodes.AND && amount.args.some((part) => taken.includes(part))) return true
  return (
    amount.op === Kind.merge &&
    [...amount.alternatives].every((alternative) => isCovered(pool, alternative, taken, facts, depth + 1))
  )
}

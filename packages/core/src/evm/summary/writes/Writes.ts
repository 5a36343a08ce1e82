/** @internal */

import * as OxHex from "ox/Hex"
import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Clock from "../../expression/Clock.js"
import { type Expression, Kind, type Pool } from "../../expression/Expression.js"
import { loadedField, originsOfNumber, type Tracer, unique, type ValueSource } from "../../expression/ValueSource.js"
import { variablesIn } from "../../expression/Variable.js"
import type * as ControlFlowGraph from "../conditions/ControlFlowGraph.js"
import type { Change, Write } from "../conditions/FunctionFlow.js"
import type * as Guard from "../conditions/Guard.js"
import type { FieldWrite } from "../signatures/FieldWrite.js"
import type { SpendAuthorization } from "../signatures/SpendAuthorization.js"
import * as Balance from "./Balance.js"
import * as CheckpointTracking from "./CheckpointTracking.js"
import * as NumberChange from "./NumberChange.js"

/**
 * The writes of a function, each with its change of the old number, the matching changes by other writes to the same
 * mapping, and the conditions on the caller; in slices.
 */
export function* of(
  pool: Pool,
  tracer: Tracer,
  graph: ControlFlowGraph.ControlFlowGraph,
  guards: Guard.Guards,
  consentAt: (block: number, keys: ReadonlyArray<Expression>, named: ReadonlyArray<Expression>) => SpendAuthorization,
  stores: ReadonlyArray<FieldWrite>
): Slices.Slices<ReadonlyArray<Write>> {
  const lasts = lastingIn(graph)
  const found = stores.map((store) => NumberChange.of(pool, tracer, store))
  const changes = found.map((own, i) =>
    own.map((change) => (change.isByEarlier && isTakenBefore(graph, i, stores, found) ? mayWrap(change) : change))
  )
  const isBalanced = Balance.makeReader(pool, graph, stores, changes)
  const followedBy = CheckpointTracking.makeReader(pool, tracer, graph, stores, changes)
  const writes = new Map<string, Write>()
  for (const [i, store] of stores.entries()) {
    if (i % 4 === 3) yield undefined
    const { location, event, field } = store
    const keys = location.keys.map((key) => originOf(tracer, key))
    const guarded = guards.at(store.block, event.facts)
    const shut = guards.isShut(store.block, event.facts)
    const clock = Clock.of(store.value)
    const follows = followedBy(i)
    const step = CheckpointTracking.directionOf(tracer, store)
    const isOfNobody = CheckpointTracking.isOfNobody(tracer, store)
    const receivers = stores.flatMap((other, j) =>
      Balance.isSameNumber(other, store) && changes[j]?.some(({ kind }) => kind === "increase") === true
        ? other.location.keys
        : []
    )
    const asked = consentAt(store.block, location.keys, [
      ...receivers,
      ...(changes[i] ?? []).flatMap(({ amounts }) => amounts)
    ])
    // What other writes of the function to the same mapping do in return.
    const others = (kind: Change["kind"]): ReadonlyArray<Expression> =>
      stores.flatMap((other, j) =>
        Balance.isSameNumber(other, store) && other.event !== event
          ? Balance.amountsOf(other, changes[j] ?? [], kind)
          : []
      )
    for (const change of changes[i] ?? []) {
      const matched =
        change.amounts.length > 0 &&
        location.keys.length > 0 &&
        ((change.kind === "increase" &&
          change.amounts.every((amount) => Balance.isCovered(pool, amount, others("decrease"), event.facts))) ||
          (change.kind === "decrease" &&
            others("increase").length > 0 &&
            others("increase").every((amount) => Balance.isCovered(pool, amount, change.amounts, event.facts))))
      const write: Write = {
        slot: location.id,
        keys,
        field,
        mask: OxHex.fromNumber(store.mask, { size: 32 }),
        change: {
          kind: change.kind,
          amount: unique(change.amounts.flatMap((amount) => originsOfNumber(tracer, amount))),
          sources: unique(change.amounts.flatMap((amount) => variablesIn(tracer, amount))),
          matched,
          balanced: matched && change.kind === "increase" && isBalanced(i, change.amounts),
          ...(change.kind === "set" && change.amounts.every(isVariable) ? { copied: true as const } : {}),
          ...(step === undefined ? {} : { step }),
          ...(clock === undefined ? {} : { clock }),
          ...(follows.length === 0 ? {} : { follows }),
          ...(change.wraps === undefined || matched ? {} : { wraps: change.wraps })
        },
        guards: guarded,
        shut,
        ...asked,
        lasts: lasts(store, stores),
        ...(isOfNobody ? { ofNobody: true as const } : {}),
        refills: change.kind !== "increase" && isRefilled(graph, store, stores, changes),
        offset: event.offset
      }
      writes.set(JSON.stringify(write), write)
    }
  }
  return [...writes.values()]
}

const isVariable = (what: Expression): boolean => loadedField(what) !== undefined

/**
 * Where a key comes from; an account that is worked out from the caller, or may be another one, is not the caller, nor is who
 * sent the transaction: any contract that he calls may be the caller.
 */
const originOf = (tracer: Tracer, key: Expression): ValueSource => {
  const origin = tracer.origin(key)
  return origin.kind === "caller" && !isCaller(key, 0) ? { kind: "unknown" } : origin
}

const isCaller = (what: Expression, depth: number): boolean =>
  what.op === Opcodes.CALLER ||
  (depth > 0 && what.op === Kind.constant && what.value === 0n) ||
  (what.op === Kind.merge && depth < 4 && [...what.alternatives].every((way) => isCaller(way, depth + 1)))

/** Finds the writes after which a call may end without another write to the same variable. */
const lastingIn =
  (graph: ControlFlowGraph.ControlFlowGraph) =>
  (store: FieldWrite, stores: ReadonlyArray<FieldWrite>): boolean => {
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

const mayWrap = ({ amounts }: NumberChange.NumberChange): NumberChange.NumberChange => ({ kind: "unknown", amounts })

/** Whether something may have been taken off the entry of a store before it. */
const isTakenBefore = (
  graph: ControlFlowGraph.ControlFlowGraph,
  index: number,
  stores: ReadonlyArray<FieldWrite>,
  changes: ReadonlyArray<ReadonlyArray<NumberChange.NumberChange>>
): boolean => {
  const own = stores[index]
  return (
    own === undefined ||
    graph.repeats(own.block) ||
    stores.some(
      ({ block, event }, i) =>
        event !== own.event &&
        event.slot === own.event.slot &&
        (block === own.block ? event.offset < own.event.offset : graph.after([block]).has(own.block)) &&
        (changes[i] ?? []).some(({ kind }) => kind !== "increase" && kind !== "keep")
    )
  )
}

/** Whether some path through a store adds to the same entry, before it or after it. */
const isRefilled = (
  graph: ControlFlowGraph.ControlFlowGraph,
  { block, event, mask }: FieldWrite,
  stores: ReadonlyArray<FieldWrite>,
  changes: ReadonlyArray<ReadonlyArray<NumberChange.NumberChange>>
): boolean => {
  const adding = stores.filter(
    (other, j) =>
      other.event.slot === event.slot &&
      (other.mask & mask) !== 0n &&
      other.event !== event &&
      (changes[j] ?? []).some(({ kind }) => kind !== "decrease" && kind !== "clear" && kind !== "keep")
  )
  return (
    adding.length > 0 &&
    [graph.before([block]), graph.after([block])].some((reach) => adding.some((other) => reach.has(other.block)))
  )
}

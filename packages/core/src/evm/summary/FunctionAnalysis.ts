/** @internal */

import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import type { Attribution, Gap } from "../bytecode/Completeness.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import { type Expression, Kind, type Pool, unmasked } from "../expression/Expression.js"
import * as InverseDependence from "../expression/InverseDependence.js"
import type * as StorageLocation from "../expression/StorageLocation.js"
import { loadedField, type Tracer, unique } from "../expression/ValueSource.js"
import { type Variable, variablesIn } from "../expression/Variable.js"
import { onlyWord, type Trace } from "../interpreter/Trace.js"
import * as CallerDependence from "./conditions/CallerDependence.js"
import * as Calls from "./conditions/Calls.js"
import * as Circumstances from "./conditions/Circumstances.js"
import * as ControlFlowGraph from "./conditions/ControlFlowGraph.js"
import * as Deciding from "./conditions/Deciding.js"
import type { Aim, Call, FunctionFlow, Read } from "./conditions/FunctionFlow.js"
import * as Guard from "./conditions/Guard.js"
import * as Moments from "./conditions/Moments.js"
import * as PathConditions from "./conditions/PathConditions.js"
import * as Precondition from "./conditions/Precondition.js"
import * as TransferOccurred from "./conditions/TransferOccurred.js"
import { type FieldWrite, partsOf } from "./signatures/FieldWrite.js"
import * as SpendAuthorization from "./signatures/SpendAuthorization.js"
import * as IndexRangeAlias from "./writes/IndexRangeAlias.js"
import * as Writes from "./writes/Writes.js"

/** What was found of one function, and what is missing for it to be complete. */
export interface FunctionAnalysis extends Attribution {
  readonly flow: FunctionFlow
  readonly gaps: ReadonlyArray<Gap>
  readonly spans: IndexRangeAlias.Spans
}

/** What is read out of formulas that several functions have in common. */
export interface Shared {
  readonly tracer: Tracer
  readonly readsAt: (slot: Expression) => ReadonlyArray<KeyedRead> | undefined
  readonly gateOf: PathConditions.GateReader
  readonly sideOf: (what: Expression) => Precondition.Side
  readonly conditions: Guard.Conditions
  readonly checkers: ReadonlyArray<Address>
}

interface KeyedRead {
  /** Its JSON. */
  readonly key: string
  readonly read: Read
}

/** Nothing read yet. */
export const makeShared = (tracer: Tracer, checkers: ReadonlyArray<Address>): Shared => {
  const reads = new Map<Expression, ReadonlyArray<KeyedRead> | undefined>()
  return {
    tracer,
    readsAt: (slot) => {
      if (reads.has(slot)) return reads.get(slot)
      const found = tracer.locate(slot)?.map(({ id, keys }): KeyedRead => {
        const read = { slot: id, keys: keys.map((key) => tracer.origin(key)) }
        return { key: JSON.stringify(read), read }
      })
      reads.set(slot, found)
      return found
    },
    gateOf: PathConditions.makeReader(tracer),
    sideOf: Precondition.makeSides(tracer),
    conditions: Guard.makeConditions(),
    checkers
  }
}

/** Reads what a function does out of its trace, in slices. */
export function* of(
  pool: Pool,
  locator: StorageLocation.Locator,
  { checkers, conditions, gateOf, readsAt, sideOf, tracer }: Shared,
  selector: Hex | "fallback",
  trace: Trace
): Slices.Slices<FunctionAnalysis> {
  const reads = new Map<string, Read>()
  const calls = new Map<string, Call>()
  const stores: Array<FieldWrite> = []
  const spans = IndexRangeAlias.makeSpans()
  const returns = new Map<string, Variable>()
  const lessening = new Set<string>()
  let returnsWord = false
  const forwarders: Array<Guard.Guard> = []
  const spends: Array<Precondition.Loaded> = []
  const aims: Array<Aim> = []
  const ran = new Set<number>()
  const lost = new Set<number>()
  const gaps = new Set<Gap>(trace.complete ? [] : ["control_flow"])
  const graph = ControlFlowGraph.make(trace)
  const guards = yield* Guard.make(pool, tracer, trace, graph, conditions)
  const requirements = Precondition.makeCollector(pool, sideOf)
  const gates = PathConditions.make(
    trace.blocks,
    graph,
    gateOf,
    requirements,
    TransferOccurred.makeReader(tracer, trace, graph)
  )
  const callOf = Calls.makeReader(tracer, trace, graph, guards)
  const work = Slices.makeWork()
  for (const block of trace.blocks) {
    for (const event of block.events) {
      if (work.isDue(event.kind === "load" ? 1 : 4)) yield undefined
      if (event.kind === "load" || event.kind === "store") ran.add(event.offset)
      if (!block.succeeds) continue
      switch (event.kind) {
        case "load": {
          const found = readsAt(event.slot)
          if (found === undefined) lost.add(event.offset)
          for (const { key, read } of found ?? []) reads.set(key, read)
          if (event.slot.storage && !isEntry(event.slot)) spends.push(...sideOf(event.slot).reads)
          for (const location of tracer.locate(event.slot) ?? [])
            if (location.indices.length > 0)
              IndexRangeAlias.note(spans.read, location.id, locator.spanOf(location, event.facts))
          break
        }
        case "store": {
          const locations = tracer.locate(event.slot)
          if (locations === undefined || !locations.every((location) => locator.isBounded(location, event.facts))) {
            lost.add(event.offset)
            gaps.add("write_location")
          }
          for (const location of locations ?? []) {
            for (const key of location.keys)
              if (isWorkedOut(key)) aims.push(...sideOf(key).reads.map((by): Aim => ({ slot: location.id, by })))
            for (const part of partsOf(pool, event)) stores.push({ block: block.index, location, event, ...part })
            if (location.indices.length > 0)
              IndexRangeAlias.note(spans.written, location.id, locator.spanOf(location, event.facts))
          }
          break
        }
        case "call": {
          const call = callOf(block.index, event)
          calls.set(JSON.stringify(call), call)
          break
        }
        case "use":
          if (event.what.storage) spends.push(...sideOf(event.what).reads)
          break
        case "told": {
          const trusted = guards.in(event.condition, event.holds)
          forwarders.push(...(trusted.length === 0 ? [{ kind: "unknown", always: false } as const] : trusted))
          break
        }
        case "branch":
          gates.meet(block, event)
          break
        case "return": {
          const word = onlyWord(event)
          if (word === undefined) break
          returnsWord = true
          for (const variable of variablesIn(tracer, word)) returns.set(JSON.stringify(variable), variable)
          for (const slot of InverseDependence.of(tracer, word)) lessening.add(slot)
          break
        }
      }
    }
  }
  yield* gates.lookAround(work)
  yield undefined
  const callerComparisons = CallerDependence.comparisons(pool, tracer, trace, guards)
  const { deciding: deciders, ...required } = yield* requirements.all(work)
  const deciding = ofHolders.has(selector) ? Deciding.of(tracer, trace, graph, deciders) : undefined
  const consentAt = yield* SpendAuthorization.makeReader(pool, tracer, trace, graph, guards, checkers, work)
  yield undefined
  const moments = ofHolders.has(selector) ? Moments.of(tracer, trace) : undefined
  return {
    flow: {
      selector,
      reads: [...reads.values()],
      writes: yield* Writes.of(pool, tracer, graph, guards, consentAt, stores),
      gates: gates.all(),
      ...required,
      calls: [...calls.values()],
      ...(spends.length === 0 ? {} : { spends: unique(spends) }),
      ...(aims.length === 0 ? {} : { aims: unique(aims) }),
      ...(forwarders.length === 0 ? {} : { forwarders: unique(forwarders) }),
      callerChecks: CallerDependence.of(pool, tracer, trace, guards),
      ...(callerComparisons.length === 0 ? {} : { callerComparisons }),
      circumstances: Circumstances.of(trace),
      ...(moments === undefined ? {} : { moments }),
      ...(deciding === undefined ? {} : { deciding }),
      returns: returnsWord ? [...returns.values()] : undefined,
      ...(lessening.size === 0 ? {} : { lessening: [...lessening] }),
      complete: gaps.size === 0
    },
    gaps: [...gaps],
    spans,
    ran,
    lost
  }
}

/** What a holder needs to sell: of these it is read when and by what the outcome changes. */
const ofHolders: ReadonlySet<string> = new Set([
  Selectors.functions.transfer,
  Selectors.functions.transferFrom,
  Selectors.functions.approve,
  Selectors.functions.balanceOf
])

/** Whether a slot is computed from a hash, as slots of mapping entries and array elements are. */
const isEntry = (place: Expression): boolean => {
  const parts = new Set([place])
  for (const { args, op } of parts)
    if (op === Opcodes.KECCAK256 || op === Kind.merge) return true
    else if (op === Opcodes.ADD && parts.size < maxParts) for (const arg of args) parts.add(arg)
  return false
}

/** Whether a key is computed from storage, rather than being the value of a variable. */
const isWorkedOut = (key: Expression): boolean => {
  const ways = new Set([unmasked(key)])
  for (const way of ways)
    if (way.op === Kind.merge) for (const other of way.alternatives) ways.add(unmasked(other))
    else if (way.storage && loadedField(way) === undefined) return true
  return false
}

/** Nobody adds as much to where something begins. */
const maxParts = 64

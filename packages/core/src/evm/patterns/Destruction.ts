/** @internal */

import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import * as PathFacts from "../expression/PathFacts.js"
import * as StorageLocation from "../expression/StorageLocation.js"
import { makeTracer } from "../expression/ValueSource.js"
import * as WrittenHashes from "../expression/WrittenHashes.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import * as CallerDependence from "../summary/conditions/CallerDependence.js"
import * as ControlFlowGraph from "../summary/conditions/ControlFlowGraph.js"
import * as Guard from "../summary/conditions/Guard.js"

/**
 * A function that can end in SELFDESTRUCT, and the conditions on the caller on some path there, or other comparisons
 * with the caller.
 */
export interface Destruction {
  readonly selector: Hex | "fallback"
  readonly guards: ReadonlyArray<Guard.Guard>
}

/** Who can reach SELFDESTRUCT, function by function, for the few codes that have it. */
export function* of(
  model: CodeModel.CodeModel,
  selectors: ReadonlyArray<Hex | "fallback">
): Slices.Slices<ReadonlyArray<Destruction>> {
  const known = new Set(selectors.flatMap((selector) => (selector === "fallback" ? [] : [BigInt(selector)])))
  const found: Array<Destruction> = []
  let left: number = CodeModel.bounds.destruction.maxSteps
  for (const selector of selectors) {
    const { pool, run } = model.begin()
    const trace = yield* run({
      selector: selector === "fallback" ? undefined : BigInt(selector),
      known,
      maxSteps: left
    })
    left = Math.max(0, left - trace.steps)
    const ends = trace.blocks.filter(
      (block) => block.succeeds && block.events.some((event) => event.kind === "destroy")
    )
    if (ends.length === 0) continue
    const tracer = makeTracer(StorageLocation.makeLocator(pool, WrittenHashes.ofAnyCode), maxParts)
    const guards = yield* Guard.make(pool, tracer, trace, ControlFlowGraph.make(trace), Guard.makeConditions())
    found.push({
      selector,
      guards: [
        ...ends.flatMap((block) => guards.at(block.index, PathFacts.none)),
        ...CallerDependence.comparisons(pool, tracer, trace, guards)
      ]
    })
  }
  return found
}

const maxParts = 500_000

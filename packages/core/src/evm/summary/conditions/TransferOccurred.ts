/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import type { Expression } from "../../expression/Expression.js"
import type { Tracer } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import type { Trace } from "../../interpreter/Trace.js"
import type * as ControlFlowGraph from "./ControlFlowGraph.js"

/**
 * Makes a test of whether, on all paths to a block, an amount that the call names was moved from one entry of a mapping
 * to another. What a transfer does after that is a side effect.
 */
export const makeReader = (
  tracer: Tracer,
  { blocks }: Trace,
  graph: ControlFlowGraph.ControlFlowGraph
): ((block: number) => boolean) => {
  let found: ReadonlyArray<readonly [ControlFlowGraph.Reach, ControlFlowGraph.Reach]> | undefined
  const read = (): ReadonlyArray<readonly [ControlFlowGraph.Reach, ControlFlowGraph.Reach]> => {
    const taking = new Map<string, Map<Expression, Set<number>>>()
    const adding = new Map<string, Map<Expression, Set<number>>>()
    for (const block of blocks)
      for (const event of block.events) {
        if (event.kind !== "store" || !block.succeeds) continue
        const { op } = event.value
        if ((op !== Opcodes.SUB && op !== Opcodes.ADD) || !isOfCall(event.value)) continue
        const [location, ...others] = tracer.locate(event.slot) ?? []
        if (location === undefined || others.length > 0 || !/^[^[]+\[k\]$/.test(location.id)) continue
        const books = op === Opcodes.SUB ? taking : adding
        const entries = books.get(location.id) ?? new Map<Expression, Set<number>>()
        books.set(location.id, entries)
        const known = entries.get(event.slot)
        if (known === undefined) entries.set(event.slot, new Set([block.index]))
        else known.add(block.index)
      }
    return [...taking].flatMap(([id, senders]) =>
      [...senders].flatMap(([sender, out]) =>
        [...(adding.get(id) ?? [])].flatMap(([receiver, into]) =>
          receiver === sender ? [] : [[graph.after([0], { blocks: out }), graph.after([0], { blocks: into })] as const]
        )
      )
    )
  }
  return (block) => {
    found ??= read()
    return found.some(([unsent, unreceived]) => !unsent.has(block) && !unreceived.has(block))
  }
}

/** Whether something that the call names goes into a formula without being looked up. */
const isOfCall = (formula: Expression): boolean => {
  for (const part of Walk.parts([formula], { into: Walk.held, most: maxParts })) if (Argument.is(part)) return true
  return false
}

const maxParts = 64

/** @internal */

import { Effect } from "effect"
import type { Hex } from "../domain/Hex.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import * as Bytecode from "./Bytecode.js"
import * as ControlGraph from "./ControlGraph.js"
import { type Expression, makePool } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { makeTracer, type Tracer } from "./Origin.js"
import * as Slices from "./Slices.js"
import * as StorageLocation from "./StorageLocation.js"

/**
 * Whether functions call nobody before they have asked a mapping for the plan of what they do, on any path: its entry is not
 * named by an argument alone. What the answer is taken for is not looked at. False where not every path was followed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const everyCallIsPlanned = (code: Hex, selectors: ReadonlyArray<Hex>, mapping: string): Effect.Effect<boolean> =>
  Effect.map(
    Effect.forEach(selectors, (selector) => Slices.run(() => isPlanned(code, selector, mapping))),
    (each) => each.every((planned) => planned)
  )

function* isPlanned(code: Hex, selector: Hex, mapping: string): Slices.Slices<boolean> {
  const bytecode = Bytecode.parse(code)
  const pool = makePool()
  const trace = yield* AbstractInterpreter.runInSlices(bytecode, pool, {
    selector: BigInt(selector),
    known: new Set(),
    maxSteps
  })
  const tracer = makeTracer(StorageLocation.ofCode(pool, bytecode), maxParts)
  const calling = trace.blocks.flatMap(({ events, index }) =>
    events.some((event) => event.kind === "call" && event.opcode !== Opcodes.STATICCALL) ? [index] : []
  )
  const asking = trace.blocks.flatMap(({ events, index }) =>
    !calling.includes(index) &&
    events.some((event) => event.kind === "branch" && asks(tracer, event.condition, mapping))
      ? [index]
      : []
  )
  const around = ControlGraph.make(trace).before(calling, { blocks: new Set(asking) })
  const [first] = trace.blocks
  return trace.complete && !tracer.exhausted() && first !== undefined && !around.has(first.index)
}

const asks = (tracer: Tracer, condition: Expression, mapping: string): boolean =>
  tracer.loads(condition).some((load) =>
    (tracer.locate(load.args[0] as Expression) ?? []).some(({ id, keys }) => {
      const [key] = keys
      return id === mapping && key !== undefined && tracer.origin(key).kind !== "argument"
    })
  )

/** Instructions run for one function: what a timelock has takes a few thousand. */
const maxSteps = 60_000

const maxParts = 200_000

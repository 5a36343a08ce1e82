/** @internal */

import { Effect } from "effect"
import type { Hex } from "../domain/Hex.js"
import type { Expression, Pool } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { makeTracer } from "./Origin.js"
import * as PathFacts from "./PathFacts.js"
import * as PathTree from "./PathTree.js"
import * as Slices from "./Slices.js"
import type { TimelockPattern } from "./TimelockPattern.js"

/**
 * Whether functions call nobody before a plan of what they do was found and its time has come, on any path that runs each
 * loop once at the most. How the plan is named is not looked at, but that no argument does it alone. False where not every
 * such path was followed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const everyCallIsPlanned = (
  code: Hex,
  selectors: ReadonlyArray<Hex>,
  pattern: Pick<TimelockPattern, "kind" | "plans">
): Effect.Effect<boolean> =>
  Effect.map(
    Effect.forEach(selectors, (selector) => Slices.run(() => isPlanned(code, selector, pattern))),
    (each) => each.every((planned) => planned)
  )

function* isPlanned(
  code: Hex,
  selector: Hex,
  { kind, plans }: Pick<TimelockPattern, "kind" | "plans">
): Slices.Slices<boolean> {
  const { locator, pool, trace } = yield* PathTree.ofInSlices(code, selector, { maxSteps, rounds: 2 })
  const tracer = makeTracer(locator, maxParts)
  const events = trace.blocks.flatMap((block) => (block.succeeds ? block.events : []))
  const entries = events.flatMap((event) =>
    event.kind === "load" &&
    (tracer.locate(event.slot) ?? []).some(
      ({ id, keys: [key] }) => id === plans && key !== undefined && tracer.origin(key).kind === "unknown"
    )
      ? [event.result]
      : []
  )
  // Compound's timelock is told when, and keeps only that it was.
  const date = pool.unary(Opcodes.CALLDATALOAD, pool.constant(4n + 32n * 4n))
  const isDue = (facts: PathFacts.PathFacts): boolean =>
    entries.some((entry) => isKept(pool, entry, facts) && hasCome(pool, kind === "compound" ? date : entry, facts))
  const planned = events.every(
    (event) => event.kind !== "call" || event.opcode === Opcodes.STATICCALL || isDue(event.facts)
  )
  return trace.complete && planned && !tracer.exhausted()
}

/** Whether an entry is known to hold something: a time above the one for what was done, or a bit. */
const isKept = (pool: Pool, entry: Expression, facts: PathFacts.PathFacts): boolean =>
  PathFacts.decide(entry, facts) === true ||
  PathFacts.decide(pool.binary(Opcodes.EQ, pool.constant(0n), entry), facts) === false ||
  PathFacts.decide(pool.binary(Opcodes.LT, pool.constant(1n), entry), facts) === true ||
  PathFacts.decide(pool.binary(Opcodes.AND, entry, pool.constant(0xffn)), facts) === true

const hasCome = (pool: Pool, time: Expression, facts: PathFacts.PathFacts): boolean =>
  PathFacts.decide(pool.binary(Opcodes.LT, pool.nullary(Opcodes.TIMESTAMP), time), facts) === false

/** Instructions run for one function: what a timelock has takes 30,000. */
const maxSteps = 120_000

const maxParts = 200_000

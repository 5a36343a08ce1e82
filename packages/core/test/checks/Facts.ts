import { Effect, Layer, Option } from "effect"
import * as FactSet from "../../src/analysis/FactSet.js"
import type { ChainState } from "../../src/chain/state/ChainState.js"
import * as Check from "../../src/checks/Check.js"
import type { Evidence } from "../../src/domain/Evidence.js"
import type { Target } from "../../src/domain/Target.js"
import type * as CodeReadings from "../../src/facts/code/CodeReadings.js"
import * as Earlier from "../../src/facts/code/Earlier.js"
import * as SharedReadings from "../facts/SharedReadings.js"

/** Every fact over one view of a chain, as an analysis builds them. */
export const layer = Layer.scopedContext(
  Effect.flatMap(Effect.context<ChainState | CodeReadings.CodeReadings>(), FactSet.build)
).pipe(Layer.provideMerge(Layer.mergeAll(Earlier.layer(Option.none()), SharedReadings.layer)))

/** What a fact layer gives, and the chain under it. */
export type All = Layer.Layer.Success<typeof layer> | ChainState

/** Runs checks together, as an analysis does. */
export const evaluate = <const C extends ReadonlyArray<Check.Any>>(
  checks: C,
  target: Target
): Effect.Effect<ReadonlyArray<Evidence>, never, Check.Requirements<C[number]> | ChainState> =>
  Effect.map(
    Effect.forEach(
      checks.filter((check) => check.targets.includes(target.kind)),
      (check) => Check.evaluate(check, target) as Effect.Effect<ReadonlyArray<Evidence>, never, never>,
      { concurrency: "unbounded" }
    ),
    (lists) => lists.flat()
  )

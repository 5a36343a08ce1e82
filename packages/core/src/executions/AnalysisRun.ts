/** @internal */

import { Clock, Effect, Option } from "effect"
import { Analyzer } from "../analysis/Analyzer.js"
import type { Chain } from "../chain/Chains.js"
import * as Changes from "../changes/Changes.js"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ExecutionId } from "../domain/Id.js"
import type { TargetKind } from "../domain/Target.js"
import { toMillis } from "../domain/Timestamp.js"
import * as Scoring from "../risk/Scoring.js"
import { ExecutionStore, type StoredExecution } from "../storage/ExecutionStore.js"
import { patiently } from "../storage/Patience.js"
import * as CheckRun from "./CheckRun.js"
import { targetOf } from "./Lookup.js"
import * as MeteredRun from "./MeteredRun.js"
import * as ResultDocument from "./ResultDocument.js"

/**
 * An analysis that a caller requests. `compareTo` is the execution to compare with; the previous one where none is
 * named. A request that is repeated with the same `idempotencyKey` within 24 hours is answered as the first one was,
 * for free.
 *
 * - `maxAgeSeconds`: a stored result this young, of the same request, is the answer, for free; 0 where it is not given.
 * - `waitSeconds`: how long the caller waits, no longer than any caller does. With 0 it waits until the execution has its
 *   unit, and so can be named.
 * - `onMismatch`: run where the target is not of the kind, which gives the unit back, also when the caller is gone.
 */
export interface RunRequest {
  readonly caller: Caller
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly summary: MeteredRun.SummaryWish
  readonly compareTo: Option.Option<ExecutionId>
  readonly idempotencyKey?: Option.Option<string> | undefined
  readonly maxAgeSeconds?: number | undefined
  readonly waitSeconds?: number | undefined
  readonly onMismatch?: Effect.Effect<void> | undefined
}

/** Whether a stored result answers a request that takes one of this age (in seconds). */
export const answers = (
  { compareTo, maxAgeSeconds = 0, summary }: RunRequest,
  { change_report, completed_at, summary_reason }: AnalysisResult,
  now: number
): boolean =>
  completed_at !== null &&
  now - toMillis(completed_at) <= maxAgeSeconds * 1000 &&
  !(summary === "wanted" && summary_reason === "not_requested") &&
  Option.match(compareTo, { onNone: () => true, onSome: (id) => change_report?.base?.execution_id === id })

/** What makes two requests of one key the same: one answer satisfies both. */
export const joinKey = ({ address, chain, compareTo, kind, summary }: RunRequest): string =>
  [kind, chain.id, address, summary, Option.getOrElse(compareTo, () => "previous")].join(" ")

/**
 * Makes what a requested analysis is made of: one reading compared with the base that is named, or with the previous
 * execution where none is.
 */
export const make = Effect.gen(function* () {
  const analyzer = yield* Analyzer
  const store = yield* ExecutionStore

  const compare = (base: Option.Option<StoredExecution>, head: AnalysisResult): Effect.Effect<Changes.Comparison> =>
    Effect.map(analyzer.ruleset, ({ rules }) => Changes.compare({ base, head, score: Scoring.score, rules }))

  const withPrevious = (caller: Caller, result: AnalysisResult) =>
    patiently(store.previous(caller.id, targetOf({ ...result, kind: result.target }), result.execution_id)).pipe(
      Effect.flatMap((base) => compare(base, result)),
      // An earlier result that can no longer be read must not fail every later analysis of its target.
      Effect.catchIf(
        (error) => error.reason === "corrupt",
        (error) =>
          Effect.as(
            Effect.logError("The previous execution cannot be read", error),
            Changes.incomparable(result, "base_failed")
          )
      )
    )

  return Effect.fnUntraced(function* (
    request: RunRequest,
    named: Option.Option<StoredExecution>,
    running: AnalysisResult,
    waitUntil: number
  ) {
    const { address, chain, kind } = request
    const earlier = Option.isSome(named)
      ? named
      : yield* Effect.orElseSucceed(
          store.previous(request.caller.id, targetOf(request), running.execution_id),
          // What cannot be read now is read again, and patiently, to compare with.
          Option.none<StoredExecution>
        )
    const analysis = yield* analyzer.analyze({ kind, address, chain, earlier: CheckRun.earlierOf(earlier), waitUntil })
    const completedAt = yield* Clock.currentTimeMillis
    const result = ResultDocument.completed(running, { analysis, completedAt })
    const comparison = yield* Option.isSome(named) ? compare(named, result) : withPrevious(request.caller, result)
    return MeteredRun.produced(result, comparison)
  })
})

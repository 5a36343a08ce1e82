/** @internal */

import { Clock, Effect, Option } from "effect"
import { type AnalyzeRequest, Analyzer } from "../analysis/Analyzer.js"
import type { Chain } from "../chain/Chains.js"
import type { Priority } from "../chain/rpc/Pace.js"
import * as Changes from "../changes/Changes.js"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ExecutionId, WatchId } from "../domain/Id.js"
import type { TargetKind } from "../domain/Target.js"
import type { WatchOptions } from "../domain/Watch.js"
import * as Scoring from "../risk/Scoring.js"
import { ExecutionStore, type StoredExecution } from "../storage/ExecutionStore.js"
import { patiently } from "../storage/Patience.js"
import * as MeteredRun from "./MeteredRun.js"
import * as ResultDocument from "./ResultDocument.js"
import * as SecondReading from "./SecondReading.js"

/**
 * A check of a watch, by an id and a token that were made with its run, so that who has the token can end it. `base` is
 * the execution that it is compared with; none before the first success.
 */
export interface CheckRequest {
  readonly id: ExecutionId
  readonly token: string
  readonly caller: Caller
  readonly watchId: WatchId
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly base: Option.Option<ExecutionId>
  readonly options: WatchOptions
  /** Interactive where its owner requested it; scheduled by default. */
  readonly priority?: Priority | undefined
}

/**
 * Makes what a check is made of: one reading compared with the watch's own base, and a second reading where the first
 * one would alarm. `rereadSeconds` is how long the second one may wait for the chain to move.
 */
export const make = (options: { readonly rereadSeconds: number }) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer
    const store = yield* ExecutionStore

    const findBase = (request: CheckRequest) =>
      Option.match(request.base, {
        onNone: () => Effect.succeed<Base>({ _tag: "None" }),
        onSome: (id) =>
          patiently(store.find(request.caller.id, id)).pipe(
            Effect.map(
              (found): Base =>
                Option.isSome(found) ? { _tag: "Found", base: found.value } : { _tag: "Lost", reason: "base_expired" }
            ),
            // A base that can no longer be read must not fail every later check of its watch.
            Effect.catchIf(
              (error) => error.reason === "corrupt",
              (error) =>
                Effect.as(Effect.logError("The base of a watch cannot be read", error), {
                  _tag: "Lost",
                  reason: "base_failed"
                } satisfies Base)
            )
          )
      })

    const compare = (watched: WatchOptions, base: Base, head: AnalysisResult): Effect.Effect<Changes.Comparison> =>
      base._tag === "Lost"
        ? Effect.succeed(Changes.incomparable(head, base.reason))
        : Effect.map(analyzer.ruleset, ({ rules }) =>
            Changes.compare({
              base: base._tag === "Found" ? Option.some(base.base) : Option.none(),
              head,
              score: Scoring.score,
              rules,
              ignore: watched.ignore,
              thresholds: watched.thresholds
            })
          )

    return Effect.fnUntraced(function* (
      request: CheckRequest,
      running: AnalysisResult,
      waitUntil: number
    ): Effect.fn.Return<MeteredRun.Produced, MeteredRun.ProduceError> {
      const { address, chain, kind, priority = "scheduled" } = request
      const base = yield* findBase(request)
      const found = base._tag === "Found" ? Option.some(base.base) : Option.none()
      const toAnalyze = {
        kind,
        address,
        chain,
        earlier: earlierOf(found),
        priority,
        waitUntil,
        recurring: true
      } satisfies AnalyzeRequest
      const analysis = yield* analyzer.analyze(toAnalyze)
      const completedAt = yield* Clock.currentTimeMillis
      const result = ResultDocument.completed(running, { analysis, completedAt })
      const first = yield* compare(request.options, base, result)
      const comparison =
        request.options.verify && SecondReading.isNeeded(first.report)
          ? yield* SecondReading.confirm({
              first,
              again: analyzer
                .analyze({ ...toAnalyze, apartFrom: { analysis, waitSeconds: options.rereadSeconds } })
                .pipe(
                  Effect.flatMap((second) =>
                    compare(request.options, base, ResultDocument.completed(running, { analysis: second, completedAt }))
                  )
                )
            })
          : first
      return MeteredRun.produced(result, comparison)
    })
  })

/** What an analysis gets of an earlier one, where that one had a result. */
export const earlierOf = (execution: Option.Option<StoredExecution>): NonNullable<AnalyzeRequest["earlier"]> =>
  Option.flatMap(execution, ({ result: { block, facts } }) =>
    block === null ? Option.none() : Option.some({ block, facts })
  )

type Base =
  | { readonly _tag: "None" }
  | { readonly _tag: "Found"; readonly base: StoredExecution }
  | { readonly _tag: "Lost"; readonly reason: "base_expired" | "base_failed" }

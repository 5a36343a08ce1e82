import type { AnalyzeRequest, Analyzer } from "@assay/core/analysis/Analyzer"
import type { Chain } from "@assay/core/chain/Chains"
import type { Caller } from "@assay/core/domain/Caller"
import { type ChangeReport, isOfReading } from "@assay/core/domain/ChangeReport"
import * as Id from "@assay/core/domain/Id"
import * as Executions from "@assay/core/executions/Executions"
import * as Quota from "@assay/core/quota/Quota"
import * as Storage from "@assay/core/storage/Storage"
import { Context, Effect, Either, Layer, Option } from "effect"

/** Looks at targets of one chain, each execution compared with the one before it of the same target. */
export class Lookout extends Context.Tag("@assay/core/Lookout")<
  Lookout,
  { readonly look: (target: Seen) => Effect.Effect<ChangeReport, Executions.RunError> }
>() {}

export interface Seen extends Pick<AnalyzeRequest, "kind" | "address"> {}

/** Over an engine that is given; what it remembers is in memory. */
export const layer = (chain: Chain): Layer.Layer<Lookout, never, Analyzer> =>
  Layer.effect(
    Lookout,
    Effect.gen(function* () {
      const executions = yield* Executions.Executions
      const caller: Caller = { id: yield* Id.make("key"), dailyQuota: 1_000_000, source: Option.none() }
      const request = { caller, chain, summary: "not_requested", compareTo: Option.none() } as const
      return {
        look: ({ address, kind }) =>
          Effect.flatMap(executions.run({ ...request, address, kind }), ({ change_report }) =>
            Effect.orDie(Effect.fromNullable(change_report))
          )
      }
    })
  ).pipe(Layer.provide(Executions.layer()), Layer.provide(Quota.layer()), Layer.provide(Storage.layerMemory))

/**
 * The reports about a target on which nothing happens, from `looks` looks after the first one. `hidden` is how many
 * only reported that something could or could not be read; the texts are those of all other reports.
 */
export interface Quiet {
  readonly looks: number
  readonly unchanged: number
  readonly hidden: number
  readonly failed: number
  readonly told: ReadonlyArray<string>
}

/** Looks at a target again and again; `meanwhile` is done before each look but the first. */
export const quiet = <R>(
  target: Seen,
  options: { readonly looks: number; readonly meanwhile: Effect.Effect<void, never, R> }
): Effect.Effect<Quiet, Executions.RunError, Lookout | R> =>
  Effect.gen(function* () {
    const { look } = yield* Lookout
    yield* look(target)
    const outcomes = yield* Effect.replicateEffect(
      Effect.zipRight(options.meanwhile, Effect.either(look(target))),
      options.looks
    )
    const reports = outcomes.filter(Either.isRight).map(({ right }) => right)
    const changed = reports.filter(({ status }) => status !== "unchanged")
    const told = changed.filter(({ changes }) => changes.length === 0 || !changes.every(isOfReading))
    return {
      looks: options.looks,
      unchanged: reports.length - changed.length,
      hidden: changed.length - told.length,
      failed: outcomes.length - reports.length,
      told: told.map(({ text }) => text)
    }
  })

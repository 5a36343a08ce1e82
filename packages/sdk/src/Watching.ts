import type * as Analyzer from "@assay/core/analysis/Analyzer"
import type * as Chains from "@assay/core/chain/Chains"
import type * as Storage from "@assay/core/storage/Storage"
import type { LocalWatchOptions } from "@assay/core/watches/LocalWatch"
import { Context, Duration, Effect, Either, Fiber, Layer, Schedule, Stream } from "effect"
import * as AssayErrors from "./AssayError.js"
import type { AnalysisResult, ChangeReport } from "./Documents.js"
import * as Part from "./Part.js"

/**
 * What a check of a watch found. `baseline` is the first check, which later ones are compared with; after `failed` the next
 * check is made all the same.
 */
export type WatchEvent =
  | {
      readonly status: ChangeReport["status"]
      readonly result: AnalysisResult
      readonly changes: ChangeReport
    }
  | { readonly status: "failed"; readonly error: AssayErrors.AssayError }

/** Watches. The storage is opened with the first of them. */
export class Watching extends Context.Tag("@assay/sdk/Watching")<
  Watching,
  {
    /** A check now, and then one every so many seconds after the end of the one before. */
    readonly events: (options: LocalWatchOptions) => Stream.Stream<WatchEvent, unknown>
  }
>() {}

/** Watches over a storage. */
export const layer = <E, R = never>(
  storage: Layer.Layer<Storage.Storage, E, R>
): Layer.Layer<Watching, never, Analyzer.Analyzer | Chains.Chains | R> =>
  Layer.scoped(
    Watching,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const services = yield* Effect.context<Analyzer.Analyzer | Chains.Chains | R>()
      const opening = Effect.gen(function* () {
        const LocalWatch = yield* Part.load("watches", () => import("@assay/core/watches/LocalWatch"))
        const own = Layer.provideMerge(LocalWatch.layer, Layer.merge(storage, Layer.succeedContext(services)))
        const context = yield* Effect.provide(Layer.buildWithScope(own, scope), services)
        return (options: LocalWatchOptions) => Effect.provide(LocalWatch.open(options), context)
      })
      // It goes on when the first loop that needs it ends, and what fails is tried again by the next one.
      const [begun, forget] = yield* Effect.cachedInvalidateWithTTL(
        Effect.forkIn(Effect.interruptible(opening), scope),
        Duration.infinity
      )
      const opened = Effect.tapError(Effect.flatMap(begun, Fiber.join), () => forget)
      return {
        events: (options) =>
          Stream.unwrap(
            Effect.map(
              Effect.flatMap(opened, (open) => open(options)),
              ({ check }) =>
                Stream.repeatEffectWithSchedule(
                  Effect.map(Effect.either(check), eventOf),
                  Schedule.spaced(`${options.seconds} seconds`)
                )
            )
          )
      }
    })
  )

const eventOf = Either.match({
  onLeft: (failure: unknown): WatchEvent => ({ status: "failed", error: AssayErrors.of(failure) }),
  onRight: (result: AnalysisResult): WatchEvent =>
    result.change_report === null
      ? { status: "failed", error: AssayErrors.of(new Error(`${result.execution_id} was not compared`)) }
      : { status: result.change_report.status, result, changes: result.change_report }
})

import { Context, Duration, Effect, type Either, Layer } from "effect"
import type { ChainAccess } from "../chain/ChainAccess.js"
import type * as Check from "../checks/Check.js"
import type { Analysis } from "../domain/Analysis.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { Verification } from "../domain/Verification.js"
import * as Part from "../runtime/Part.js"
import type { TargetMismatch, UpstreamUnavailable } from "./AnalysisError.js"
import type { AnalyzeManyRequest, AnalyzeRequest, VerifyRequest } from "./AnalyzeRequest.js"
import type { BuiltIn } from "./FactSet.js"
import * as Version from "./Version.js"

export { EvmoleUnavailable } from "../evm/bytecode/Evmole.js"
export { PartUnavailable } from "../runtime/Part.js"
export { TargetMismatch, UpstreamUnavailable } from "./AnalysisError.js"
export type { AnalyzeManyRequest, AnalyzeRequest, VerifyRequest } from "./AnalyzeRequest.js"
export type { BuiltIn } from "./FactSet.js"

/**
 * Analyses one target at one block.
 *
 * @since 0.1.0
 * @category services
 */
export class Analyzer extends Context.Tag("@assay/core/Analyzer")<
  Analyzer,
  {
    /**
     * Reads, judges and scores. Fails with `TargetMismatch` where a token or contract has no code, and with
     * `UpstreamUnavailable` where nothing could be read or the chain went on replacing the pinned block: it begins anew up to
     * three times, with one budget and time for all. Whatever else goes wrong is evidence that stays unknown.
     */
    readonly analyze: (request: AnalyzeRequest) => Effect.Effect<Analysis, TargetMismatch | UpstreamUnavailable>
    /**
     * Analyses several targets of one chain at one block, in the order given: what they have in common is read once,
     * and concurrent reads are sent together. Fails only where no block could be pinned; a target that fails, fails
     * alone.
     */
    readonly analyzeMany: (
      request: AnalyzeManyRequest
    ) => Effect.Effect<
      ReadonlyArray<Either.Either<Analysis, TargetMismatch | UpstreamUnavailable>>,
      UpstreamUnavailable
    >
    /** Makes the observations of an analysis again, at its block. Fails where no endpoint has that block. */
    readonly verify: (request: VerifyRequest) => Effect.Effect<Verification, UpstreamUnavailable>
    /** The checks that run. */
    readonly ruleset: Effect.Effect<Ruleset>
    readonly engineVersion: string
  }
>() {}

/**
 * The rules of the checks that run, and the version that changes with any of them. `optional` are the ids of checks that
 * run only where their source is configured, whether they run here or not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ruleset {
  readonly rules: ReadonlyArray<EvidenceRule>
  readonly optional: ReadonlyArray<string>
  readonly version: string
}

/**
 * An analyser that runs these checks. What they read beyond the built-in facts is required of the embedder, so a source
 * that is not provided does not compile. Building it dies with `Checks.CheckInvalid` where one of them cannot run beside the
 * others; `Checks.refusal` says so beforehand. It dies with `EvmoleUnavailable` where a bundle left the WebAssembly of evmole
 * out, and with `PartUnavailable` where a file of the library cannot be loaded.
 *
 * @example
 * ```ts
 * import { Analyzer, Checks } from "@assay/core"
 *
 * const everything = Analyzer.layer(Checks.all)
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <const C extends ReadonlyArray<Check.Any>>(
  checks: C,
  options: {
    /** The most JSON-RPC calls that one analysis may send; 600 by default. */
    readonly maxCalls?: number | undefined
  } = {}
): Layer.Layer<Analyzer, never, ChainAccess | Exclude<Check.Requirements<C[number]>, BuiltIn>> =>
  Layer.scoped(
    Analyzer,
    Effect.flatMap(
      // The engine is most of the code of this package: what only knows the service does not load it.
      Part.load("the analyzer", () => import("./Engine.js")),
      ({ make }) => make(checks, options.maxCalls ?? 600)
    )
  )

/**
 * An analyser that is loaded and built with its first use, so that a process starts without the engine. What cannot be
 * loaded is a defect of that use; the next use tries again.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOnDemand = <R>(
  load: Effect.Effect<Layer.Layer<Analyzer, never, R>>
): Layer.Layer<Analyzer, never, R> =>
  Layer.scoped(
    Analyzer,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const context = yield* Effect.context<R>()
      const [cached, forget] = yield* Effect.cachedInvalidateWithTTL(
        Effect.flatMap(load, (layer) => Layer.buildWithScope(layer, scope)).pipe(
          Effect.map(Context.get(Analyzer)),
          Effect.provide(context),
          // Others may wait for it as well.
          Effect.uninterruptible
        ),
        Duration.infinity
      )
      const loaded = Effect.onError(cached, () => forget)
      return Analyzer.of({
        analyze: (request) => Effect.flatMap(loaded, ({ analyze }) => analyze(request)),
        analyzeMany: (request) => Effect.flatMap(loaded, ({ analyzeMany }) => analyzeMany(request)),
        verify: (request) => Effect.flatMap(loaded, ({ verify }) => verify(request)),
        ruleset: Effect.flatMap(loaded, ({ ruleset }) => ruleset),
        engineVersion: Version.engine
      })
    })
  )

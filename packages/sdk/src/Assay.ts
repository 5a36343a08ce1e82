import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import type * as Transport from "@assay/core/chain/rpc/Transport"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { Array as Arr, Clock, Duration, Effect, Either, Layer, Option, type Runtime, Stream } from "effect"
import * as AssayErrors from "./AssayError.js"
import { AssayError } from "./AssayError.js"
import * as Calls from "./Calls.js"
import * as ChainOptions from "./ChainOptions.js"
import * as CustomCheck from "./CustomCheck.js"
import type {
  Analysis,
  ChangeReport,
  DecisionPolicy,
  EndpointReport,
  EvidenceRule,
  RiskReport,
  Verification
} from "./Documents.js"
import * as Given from "./Given.js"
import * as Logging from "./Logging.js"
import * as Part from "./Part.js"
import * as Progress from "./Progress.js"
import type { SourceOptions } from "./Sources.js"
import * as Storage from "./Storage.js"
import * as Targets from "./Targets.js"
import * as Watching from "./Watching.js"

/**
 * - `chains`: what is read, by name or id: `{ ethereum: "https://…" }`.
 * - `checks`: checks of your own, beside those of the library.
 * - `sources`: services outside the chain; none by default.
 * - `storage`: where watches are kept; in memory by default.
 * - `deadline`: milliseconds for one call, 60,000 by default. What an analysis has not decided by then is *unknown*.
 * - `fetch`: how HTTP requests are sent; by default the global `fetch`.
 * - `logger`: where warnings go; nowhere by default.
 */
export interface AssayOptions {
  readonly chains: ChainOptions.ChainsOption
  readonly checks?: ReadonlyArray<CustomCheck.CustomCheck> | undefined
  readonly sources?: SourceOptions | undefined
  readonly storage?: Storage.AssayStorage | undefined
  readonly deadline?: number | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly logger?: Logging.Logger | undefined
}

/**
 * `signal` ends a call, which is then rejected with the code `aborted`. `deadline` replaces that of the options for this
 * call. `onProgress` is called with each check that is decided.
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly deadline?: number | undefined
  readonly onProgress?: ((progress: Progress.Progress) => void) | undefined
}

/** What became of one of several targets. */
export type Settled<A> =
  | { readonly status: "fulfilled"; readonly value: A }
  | { readonly status: "rejected"; readonly reason: AssayError }

/** How many seconds lie between two checks, and what ends the loop. */
export interface WatchOptions {
  readonly everySeconds: number
  readonly signal?: AbortSignal | undefined
}

/** Analyses addresses. A promise is rejected with an {@link AssayError}, and with nothing else. */
export interface Assay extends AsyncDisposable {
  /** Everything that was found, with the evidence and how each item was observed. */
  readonly analyze: (target: string | Targets.TargetInput, options?: CallOptions) => Promise<Analysis>
  /** Several targets, in the order given. Those of one chain and block are read together; one that fails, fails alone. */
  readonly analyzeMany: (
    targets: ReadonlyArray<string | Targets.TargetInput>,
    options?: CallOptions
  ) => Promise<ReadonlyArray<Settled<Analysis>>>
  /**
   * What was found of a target or by an analysis, in a few sentences of at most 3 KB. With `previous` it says what changed
   * since; `policy` says from which level on its `decision` is to block, and to have it reviewed.
   */
  readonly report: (
    target: string | Targets.TargetInput | Analysis,
    options?: CallOptions & {
      readonly previous?: Analysis | undefined
      readonly policy?: Partial<DecisionPolicy> | undefined
    }
  ) => Promise<RiskReport>
  /** What changed from one analysis of a target to another. */
  readonly compare: (before: Analysis, after: Analysis) => Promise<ChangeReport>
  /** Makes the observations of an analysis again, at its block. */
  readonly verify: (analysis: Analysis, options?: CallOptions) => Promise<Verification>
  /** What the endpoints of a chain do, and which checks their limits cost. */
  readonly diagnose: (chain?: string | number, options?: CallOptions) => Promise<EndpointReport>
  /**
   * Checks a target now and every so often, and says each time what changed. With a storage that lasts, it goes on where an
   * earlier process was. A check that fails is an event; the loop ends with the signal.
   */
  readonly watch: (target: string | Targets.TargetInput, options: WatchOptions) => AsyncIterable<Watching.WatchEvent>
  /** The checks that run. */
  readonly rules: () => Promise<ReadonlyArray<EvidenceRule>>
  /** Ends what runs and closes the storage. Later calls are rejected with the code `closed`. */
  readonly close: () => Promise<void>
}

/**
 * Makes an {@link Assay}. Nothing is read before the first call. Throws an {@link AssayError} where an option is wrong.
 *
 * @example
 * ```ts
 * import { createAssay } from "@assay/sdk"
 *
 * const assay = createAssay({ chains: { ethereum: "https://rpc.example" } })
 * const report = await assay.report("0xdAC17F958D2ee523a2206206994597C13D831ec7")
 * console.log(report.verdict.level, report.verdict.score, report.headline.text)
 * for (const reason of report.reasons) console.log(reason.text, reason.evidence_ids)
 * await assay.close()
 * ```
 */
export const createAssay = (options: AssayOptions): Assay => {
  const readable = ChainOptions.parse(options.chains)
  const checks = CustomCheck.toChecks(options.checks ?? [])
  return over(Calls.make(layerOf({ ...options, checks }, readable)), readable, options)
}

/** What an assay calls. */
export type Services = Analyzer.Analyzer | ChainAccess.ChainAccess | Transport.Transport | Watching.Watching

/** An assay over calls. */
export const over = (
  { close, run }: Calls.Calls<Services>,
  readable: ChainOptions.Readable,
  options: Pick<AssayOptions, "deadline">
): Assay => {
  const { chains } = readable

  const timeOf = ({ deadline = options.deadline ?? defaultDeadline }: CallOptions) => deadline
  const deadlineOf = (call: CallOptions) => Effect.map(Clock.currentTimeMillis, (now) => now + timeOf(call))
  // For what has no deadline of its own.
  const within = <A, E, R>(call: CallOptions, effect: Effect.Effect<A, E, R>) =>
    Effect.timeoutFail(effect, {
      duration: Duration.millis(timeOf(call)),
      onTimeout: () =>
        new AssayError(`There was no answer in ${timeOf(call)} ms; try again, or give it longer.`, {
          code: "deadline_exceeded",
          retryable: true
        })
    })

  const analysisOf = (target: string | Targets.TargetInput, call: CallOptions) =>
    Effect.gen(function* () {
      const deadline = yield* deadlineOf(call)
      const found = yield* within(call, Targets.find(chains, target))
      const analyzer = yield* Analyzer.Analyzer
      return yield* Progress.reporting(call.onProgress, analyzer.analyze({ ...found, deadline }))
    })

  return {
    analyze: (target, call = {}) => run(analysisOf(target, call), call.signal),
    analyzeMany: (targets, call = {}) =>
      run(
        Effect.gen(function* () {
          const deadline = yield* deadlineOf(call)
          const found = yield* Effect.forEach(
            targets,
            (target) => Effect.either(within(call, Targets.find(chains, target))),
            {
              concurrency: 10
            }
          )
          return yield* Progress.reporting(call.onProgress, analyzeAll(found, deadline))
        }),
        call.signal
      ),
    report: (target, call = {}) =>
      run(
        Effect.gen(function* () {
          const analysis = yield* isAnalysis(target) ? Given.analysis(target) : analysisOf(target, call)
          const changes = call.previous === undefined ? undefined : yield* changesBetween(call.previous, analysis)
          const Report = yield* Part.load("the report", () => import("@assay/core/report/Report"))
          const { rules } = yield* Effect.flatMap(Analyzer.Analyzer, ({ ruleset }) => ruleset)
          return Report.compact(Report.make(analysis, { changes, policy: call.policy, rules }))
        }),
        call.signal
      ),
    compare: (before, after) => run(changesBetween(before, after)),
    verify: (analysis, call = {}) =>
      run(
        Effect.gen(function* () {
          const deadline = yield* deadlineOf(call)
          const given = yield* Given.analysis(analysis)
          const chain = yield* Targets.chainOf(chains, given.target.chain.id)
          const analyzer = yield* Analyzer.Analyzer
          return yield* analyzer.verify({ analysis: given, chain, deadline })
        }),
        call.signal
      ),
    diagnose: (reference, call = {}) =>
      run(
        Effect.gen(function* () {
          const chain = yield* Targets.chainOf(chains, reference)
          const EndpointReport = yield* Part.load(
            "the report on endpoints",
            () => import("@assay/core/analysis/EndpointReport")
          )
          return EndpointReport.make(chain, yield* within(call, EndpointReport.examine(chain, readable.settings)))
        }),
        call.signal
      ),
    watch: (target, { everySeconds, signal }) =>
      iterable(
        () => run(Effect.runtime<Services>()),
        Stream.unwrap(
          Effect.gen(function* () {
            if (!(everySeconds >= 1))
              return yield* Effect.fail(
                AssayError.make("invalid_option", "everySeconds is a number of seconds, at least 1.")
              )
            const found = yield* Targets.find(chains, target)
            const { events } = yield* Watching.Watching
            return events({ ...found, label: "sdk watch", seconds: everySeconds })
          })
        ),
        signal
      ),
    rules: () => run(Effect.flatMap(Analyzer.Analyzer, ({ ruleset }) => Effect.map(ruleset, ({ rules }) => rules))),
    close,
    [Symbol.asyncDispose]: close
  }
}

const defaultDeadline = 60_000

const layerOf = (
  {
    checks,
    fetch,
    logger,
    sources = {},
    storage = Storage.memory()
  }: Omit<AssayOptions, "checks"> & {
    readonly checks: ReturnType<typeof CustomCheck.toChecks>
  },
  readable: ChainOptions.Readable
) =>
  Watching.layer(Storage.layerOf(storage)).pipe(
    Layer.provideMerge(analyzer(checks, sources)),
    Layer.provideMerge(
      Layer.merge(ChainAccess.layerTransport({ endpoints: readable.settings }), Chains.layer(readable.chains))
    ),
    Layer.provideMerge(readable.transport),
    Layer.provideMerge(httpClient(fetch)),
    Layer.provide(Logging.layer(logger)),
    Layer.provide(Layer.setTracerEnabled(false))
  )

/** The analyzer with all checks: most of the code of this package, which a page or a process starts without. */
export const analyzer = (checks: ReturnType<typeof CustomCheck.toChecks>, sources: SourceOptions) =>
  Analyzer.layerOnDemand(
    Effect.map(
      Part.load("the analyzer", () => import("./Engine.js")),
      ({ layer }) => layer(checks, sources)
    )
  )

/** How HTTP requests are sent. */
export const httpClient = (fetch: AssayOptions["fetch"]): Layer.Layer<HttpClient.HttpClient> =>
  fetch === undefined
    ? FetchHttpClient.layer
    : Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))

const isAnalysis = (target: string | Targets.TargetInput | Analysis): target is Analysis =>
  typeof target === "object" && "evidence" in target

const changesBetween = (before: Analysis, after: Analysis) =>
  Effect.gen(function* () {
    const { between } = yield* Part.load("the comparison", () => import("@assay/core/executions/AnalysisChanges"))
    const { rules } = yield* Effect.flatMap(Analyzer.Analyzer, ({ ruleset }) => ruleset)
    return yield* between({
      base: { analysis: yield* Given.analysis(before), executionId: Option.none() },
      head: { analysis: yield* Given.analysis(after), executionId: Option.none() },
      rules
    })
  })

const analyzeAll = (
  targets: ReadonlyArray<Either.Either<Targets.Target, AssayError>>,
  deadline: number
): Effect.Effect<ReadonlyArray<Settled<Analysis>>, never, Analyzer.Analyzer> =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer.Analyzer
    const settled = new Map<Targets.Target, Settled<Analysis>>()
    const groups = Arr.groupBy(Arr.getRights(targets), ({ block, chain }) => `${chain.id} ${Option.getOrNull(block)}`)
    yield* Effect.forEach(
      Object.values(groups),
      (group) => {
        const { block, chain } = group[0]
        return Effect.map(
          Effect.either(analyzer.analyzeMany({ targets: group, chain, block, deadline })),
          (outcome) => {
            for (const [place, target] of group.entries()) {
              const one = Either.flatMap(outcome, (all) => all[place] ?? Either.left(new Error("a target was lost")))
              settled.set(target, Either.match(one, { onLeft: rejected, onRight: fulfilled }))
            }
          }
        )
      },
      { concurrency: "unbounded", discard: true }
    )
    return targets.map((target) =>
      Either.match(target, {
        onLeft: rejected,
        onRight: (found) => settled.get(found) ?? rejected(new Error("a target was lost"))
      })
    )
  })

const fulfilled = (value: Analysis): Settled<Analysis> => ({ status: "fulfilled", value })

const rejected = (error: unknown): Settled<Analysis> => ({ status: "rejected", reason: AssayErrors.of(error) })

// Each loop over it opens the stream anew; leaving the loop interrupts what runs.
const iterable = <A>(
  services: () => Promise<Runtime.Runtime<Services>>,
  stream: Stream.Stream<A, unknown, Services>,
  signal: AbortSignal | undefined
): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const safe = stream.pipe(
      Stream.catchAllCause((cause) => Stream.fail(AssayErrors.ofCause(cause))),
      Stream.interruptWhen(signal === undefined ? Effect.never : aborted(signal))
    )
    const started = services().then((built) => Stream.toAsyncIterableRuntime(safe, built)[Symbol.asyncIterator]())
    return {
      next: () => started.then((iterator) => iterator.next()),
      return: () =>
        started.then((iterator) => iterator.return?.() ?? Promise.resolve({ done: true as const, value: undefined }))
    }
  }
})

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (signal.aborted) return resume(Effect.void)
    const end = () => resume(Effect.void)
    signal.addEventListener("abort", end, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", end))
  })

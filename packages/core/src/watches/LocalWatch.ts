import { Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import type { Analyzer } from "../analysis/Analyzer.js"
import type { Chain, Chains } from "../chain/Chains.js"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { TargetKind } from "../domain/Target.js"
import type { Watch } from "../domain/Watch.js"
import * as EventBell from "../events/EventBell.js"
import * as Relay from "../events/Relay.js"
import * as Executions from "../executions/Executions.js"
import * as Reaper from "../executions/Reaper.js"
import * as Entropy from "../keys/Entropy.js"
import * as Keys from "../keys/Keys.js"
import * as Quota from "../quota/Quota.js"
import * as KeyStore from "../storage/KeyStore.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Bell from "./Bell.js"
import * as RunReaper from "./RunReaper.js"
import * as Watches from "./Watches.js"

/**
 * A watch that this process checks, when it likes: no scheduler does. With a storage that lasts, a later process goes on
 * where this one was.
 *
 * @since 0.1.0
 * @category models
 */
export interface LocalWatch {
  /**
   * Checks the target, and gives the stored result with what changed since the check before. A grave change is read a
   * second time, at another endpoint or a later block, before it is reported as verified.
   */
  readonly check: Effect.Effect<AnalysisResult, CheckFailed | StorageError>
}

/**
 * What is watched. `label` names the key that the watch belongs to: all local watches of one label have one. `seconds` is
 * the time between checks, for readers of the watch; it is kept as 900 at least and 2,592,000 at most.
 *
 * @since 0.1.0
 * @category models
 */
export interface LocalWatchOptions {
  readonly label: string
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly seconds: number
}

/**
 * Finds the local watch of a target in the storage, or makes it. Fails with `WatchLimitReached` at 50 of one label.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = (
  options: LocalWatchOptions
): Effect.Effect<
  LocalWatch,
  Watches.WatchLimitReached | StorageError,
  Watches.Watches | Executions.Executions | Keys.Keys | KeyStore.KeyStore
> =>
  Effect.gen(function* () {
    const watches = yield* Watches.Watches
    const executions = yield* Executions.Executions
    const caller = yield* callerOf(options.label)
    const watch = yield* watchOf(caller, options)
    return { check: checkOnce(watches, executions, caller, watch.id) }
  })

// Nobody else pays for what this process does.
const unlimited = 1_000_000_000

/**
 * What local watches need besides a storage, an analyzer and its chains, in one process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<
  Watches.Watches | Executions.Executions | Keys.Keys,
  never,
  Analyzer | Chains | Storage
> = Layer.mergeAll(Watches.layer({ manualSeconds: 0 }), RunReaper.layer(), Reaper.layer()).pipe(
  Layer.provideMerge(Executions.layer()),
  Layer.provide(Layer.mergeAll(Relay.layer(), Bell.layer)),
  Layer.provideMerge(Keys.layer({ dailyQuota: unlimited })),
  Layer.provide(Layer.mergeAll(Quota.layer(), Entropy.layer, EventBell.layer))
)

const callerOf = (label: string): Effect.Effect<Caller, StorageError, Keys.Keys | KeyStore.KeyStore> =>
  Effect.gen(function* () {
    const own = yield* KeyStore.all.pipe(
      Stream.filter((key) => key.label === label && key.state === "active" && Option.isNone(key.expiresAt)),
      Stream.map(({ dailyQuota, id, source }): Caller => ({ id, dailyQuota, source })),
      Stream.runHead
    )
    if (Option.isSome(own)) return own.value
    const keys = yield* Keys.Keys
    const { key } = yield* keys.create({ label, expiresInSeconds: Option.none(), source: Option.none() })
    return yield* Effect.orDie(keys.authenticate(Redacted.make(key)))
  })

// It is paused: this process makes its checks, and no server on the same storage.
const watchOf = (
  caller: Caller,
  { address, chain, kind, label, seconds }: LocalWatchOptions
): Effect.Effect<Watch, Watches.WatchLimitReached | StorageError, Watches.Watches> =>
  Effect.gen(function* () {
    const watches = yield* Watches.Watches
    const filter = {
      state: Option.none(),
      kind: Option.some(kind),
      address: Option.some(address),
      failing: Option.none()
    }
    const { data } = yield* Effect.catchTag(
      watches.list(caller, filter, { limit: 100, cursor: Option.none() }),
      "BadCursor",
      Effect.die
    )
    const known = data.find((watch) => watch.chain.id === chain.id)
    if (known !== undefined) return known
    const created = yield* watches
      .create(caller, {
        kind,
        address,
        chain,
        label,
        intervalSeconds: Math.min(2_592_000, Math.max(900, seconds)),
        options: {},
        paused: true
      })
      .pipe(Effect.catchTags({ OptionsRefused: Effect.die, IdempotencyKeyReused: Effect.die }))
    return created.value
  })

const checkOnce = (
  watches: Watches.Watches["Type"],
  executions: Executions.Executions["Type"],
  caller: Caller,
  id: Watch["id"]
): LocalWatch["check"] =>
  Effect.gen(function* () {
    const begun = yield* watches.runNow(caller, id)
    const ended = yield* watches.runs(caller, id, { limit: 20, cursor: Option.none() }).pipe(
      Effect.map(({ data }) => data.find((run) => run.id === begun.id)),
      Effect.tap((run) => (run?.status === "running" ? Effect.sleep("200 millis") : Effect.void)),
      Effect.repeat({ while: (run) => run?.status === "running" })
    )
    if (ended?.status !== "succeeded" || ended.execution_id === null)
      return yield* new CheckFailed({
        code: ended?.error_code ?? ended?.status ?? "it is gone",
        detail: ended?.error ?? "see the endpoint"
      })
    return yield* executions.get(caller, ended.execution_id)
  }).pipe(
    Effect.catchTags({
      RunTooSoon: () => new CheckFailed({ code: "too_soon", detail: "a check of this watch was made this moment" }),
      WatchNotFound: Effect.die,
      BadCursor: Effect.die,
      ExecutionNotFound: Effect.die,
      ExecutionExpired: Effect.die
    })
  )

/**
 * A check gave no result; `code` is that of the run. The next one is not affected.
 *
 * @since 0.1.0
 * @category errors
 */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {
  code: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `a check failed (${this.code}): ${this.detail}; the next one is made all the same`
  }
}

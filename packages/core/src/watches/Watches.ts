import { Clock, Context, Duration, Effect, FiberSet, Layer, Option, Schema } from "effect"
import { Analyzer } from "../analysis/Analyzer.js"
import type { Chain } from "../chain/Chains.js"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import * as Cursor from "../domain/Cursor.js"
import * as Id from "../domain/Id.js"
import { RunId, WatchId } from "../domain/Id.js"
import { type Page, partOf } from "../domain/Page.js"
import type { TargetKind } from "../domain/Target.js"
import { toMillis } from "../domain/Timestamp.js"
import type { LedgerEntry, Usage } from "../domain/Usage.js"
import { defaultOptions, type Watch, type WatchOptions, type WatchRun } from "../domain/Watch.js"
import type { WatchHistory } from "../domain/WatchHistory.js"
import { Relay } from "../events/Relay.js"
import * as UnitLedger from "../executions/UnitLedger.js"
import { Quota } from "../quota/Quota.js"
import { EventStore } from "../storage/EventStore.js"
import { ExecutionStore } from "../storage/ExecutionStore.js"
import * as IdempotencyKey from "../storage/IdempotencyKey.js"
import { patiently } from "../storage/Patience.js"
import { Processes } from "../storage/Processes.js"
import type { QuotaStore } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { type StoredWatch, type WatchFilter, WatchStore } from "../storage/WatchStore.js"
import { Bell } from "./Bell.js"
import * as Forecast from "./Forecast.js"
import * as Grid from "./Grid.js"
import * as RunDocument from "./RunDocument.js"
import * as RunReaper from "./RunReaper.js"
import * as Scheduler from "./Scheduler.js"
import * as Transition from "./Transition.js"
import * as WatchCheck from "./WatchCheck.js"
import * as WatchDocument from "./WatchDocument.js"
import * as WatchEdit from "./WatchEdit.js"
import * as WatchResults from "./WatchResults.js"

export { OptionsRefused, type WatchChange } from "./WatchEdit.js"
export type { WatchRunChanges } from "./WatchResults.js"

/**
 * A watch to make; `options` that are not named are the defaults.
 *
 * @since 0.1.0
 * @category models
 */
export interface NewWatch {
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly label: string
  readonly intervalSeconds: number
  readonly options: Partial<WatchOptions>
  readonly paused: boolean
  /** A name of the caller's own: for a day the same request with it makes no second watch. */
  readonly idempotencyKey?: Option.Option<string> | undefined
}

/**
 * A document and its version, which rises with every change that a reader can see.
 *
 * @since 0.1.0
 * @category models
 */
export interface Versioned<A> {
  readonly value: A
  readonly revision: number
}

/**
 * What holds until a time in epoch milliseconds if nothing is committed meanwhile.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lasting<A> {
  readonly value: A
  readonly until: number
}

/**
 * A watch with the stored text of the result of its last successful check, none before the first.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchText {
  readonly watch: Watch
  readonly lastResult: Option.Option<string>
}

/**
 * A watch with the result of its last successful check, null before the first.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchDetail extends Watch {
  readonly last_result: AnalysisResult | null
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ListRequest {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

/**
 * Watches of a key: targets that are checked again on a grid of times.
 *
 * @since 0.1.0
 * @category services
 */
export class Watches extends Context.Tag("@assay/core/Watches")<
  Watches,
  {
    /**
     * Makes a watch, kept durably when this returns; its first check is within a minute. A request that is repeated with
     * its idempotency key answers with the watch that the first one made, as it is now.
     */
    readonly create: (
      caller: Caller,
      request: NewWatch
    ) => Effect.Effect<
      Versioned<Watch>,
      IdempotencyKey.IdempotencyKeyReused | WatchLimitReached | WatchEdit.OptionsRefused | StorageError
    >
    readonly get: (caller: Caller, id: WatchId) => Effect.Effect<Versioned<WatchDetail>, WatchNotFound | StorageError>
    /** The same with the result as the text that is stored, for those who send it on as it is. */
    readonly document: (
      caller: Caller,
      id: WatchId
    ) => Effect.Effect<Versioned<WatchText>, WatchNotFound | StorageError>
    readonly list: (
      caller: Caller,
      filter: WatchFilter,
      page: ListRequest
    ) => Effect.Effect<Page<Watch>, Cursor.BadCursor | StorageError>
    /** Changes a watch, only where `revision` is the present one if it is given; a new interval begins a new grid. */
    readonly change: (
      caller: Caller,
      id: WatchId,
      change: WatchEdit.WatchChange,
      revision: Option.Option<number>
    ) => Effect.Effect<Versioned<Watch>, WatchNotFound | RevisionMismatch | WatchEdit.OptionsRefused | StorageError>
    readonly pause: (caller: Caller, id: WatchId) => Effect.Effect<Versioned<Watch>, WatchNotFound | StorageError>
    readonly resume: (caller: Caller, id: WatchId) => Effect.Effect<Versioned<Watch>, WatchNotFound | StorageError>
    /** Removes a watch; when this returns nothing more starts for it, and what ran for it is settled. */
    readonly remove: (caller: Caller, id: WatchId) => Effect.Effect<void, WatchNotFound | StorageError>
    /** Checks at once, beside the grid, for one unit; a check that runs already is joined. */
    readonly runNow: (caller: Caller, id: WatchId) => Effect.Effect<WatchRun, WatchNotFound | RunTooSoon | StorageError>
    readonly runs: (
      caller: Caller,
      id: WatchId,
      page: ListRequest
    ) => Effect.Effect<Page<WatchRun>, WatchNotFound | Cursor.BadCursor | StorageError>
    /** The runs that found changes, with their reports. */
    readonly changes: (
      caller: Caller,
      id: WatchId,
      page: ListRequest
    ) => Effect.Effect<Page<WatchResults.WatchRunChanges>, WatchNotFound | Cursor.BadCursor | StorageError>
    /** The newest checks of a watch, at most 100 and the oldest of them first, with their scores and changes. */
    readonly history: (caller: Caller, id: WatchId) => Effect.Effect<WatchHistory, WatchNotFound | StorageError>
    /**
     * The units of a key on a UTC day (`YYYY-MM-DD`), those of its watches and all others, newest first; at the end the sums of
     * those that are no longer kept one by one.
     */
    readonly ledger: (
      caller: Caller,
      day: string,
      page: ListRequest
    ) => Effect.Effect<Page<LedgerEntry>, Cursor.BadCursor | StorageError>
    /** A key's units of today, with what its watches are going to need. */
    readonly usage: (caller: Caller) => Effect.Effect<Usage, StorageError>
    /** The same, with how long it holds. */
    readonly lastingUsage: (caller: Caller) => Effect.Effect<Lasting<Usage>, StorageError>
  }
>() {}

/**
 * - `watchesPerKey`: 50. `manualSeconds`: how far apart checks by hand of one watch are at least, 60.
 * - `leaseSeconds`, `heartbeatSeconds`: as in `Scheduler`, for checks by hand; they run in the process that got the
 *   request.
 * - `graceSeconds`: how long these may go on when the layer is closed, 10.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Partial<WatchCheck.Options> {
  readonly watchesPerKey?: number | undefined
  readonly manualSeconds?: number | undefined
  readonly graceSeconds?: number | undefined
}

/**
 * What holds where an option is not given.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults = { ...WatchCheck.defaults, watchesPerKey: 50, manualSeconds: 60, graceSeconds: 10 } as const

/**
 * Watches over stores. Whether they are checked is the business of `Scheduler`, here or in another process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Watches, never, Scheduler.Requirements | Analyzer | EventStore | Quota> =>
  Layer.scoped(Watches, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer
    const store = yield* WatchStore
    const processes = yield* Processes
    const executions = yield* ExecutionStore
    const events = yield* EventStore
    const results = WatchResults.make(executions)
    const quota = yield* Quota
    const relay = yield* Relay
    const bell = yield* Bell
    const stores = yield* Effect.context<ExecutionStore | QuotaStore>()
    const watchesPerKey = options.watchesPerKey ?? defaults.watchesPerKey
    const manualMillis = (options.manualSeconds ?? defaults.manualSeconds) * 1000
    const leaseSeconds = options.leaseSeconds ?? defaults.leaseSeconds
    const check = yield* WatchCheck.make({
      leaseSeconds,
      heartbeatSeconds: options.heartbeatSeconds ?? defaults.heartbeatSeconds,
      plans: options.plans ?? defaults.plans
    })

    const byHand = yield* FiberSet.make<void>()
    yield* Effect.addFinalizer(() =>
      FiberSet.awaitEmpty(byHand).pipe(
        Effect.interruptible,
        Effect.timeoutOption(Duration.seconds(options.graceSeconds ?? defaults.graceSeconds))
      )
    )

    const found = <A>(id: WatchId, answer: Option.Option<A>): Effect.Effect<A, WatchNotFound> =>
      Option.isSome(answer) ? Effect.succeed(answer.value) : new WatchNotFound({ id })

    const ofKey = (
      caller: Caller,
      filter: WatchFilter = anything
    ): Effect.Effect<ReadonlyArray<StoredWatch>, StorageError> => {
      const from = (before: Option.Option<WatchId>): Effect.Effect<ReadonlyArray<StoredWatch>, StorageError> =>
        Effect.flatMap(store.list(caller.id, filter, { limit: 100, before }), ({ data, next_cursor }) =>
          next_cursor === null
            ? Effect.succeed(data)
            : Effect.map(from(Option.fromNullable(data.at(-1)?.id)), (rest) => [...data, ...rest])
        )
      return from(Option.none())
    }

    const surroundings = (caller: Caller): Effect.Effect<WatchDocument.Surroundings, StorageError> =>
      Effect.all({
        watches: ofKey(caller),
        dailyQuota: Effect.succeed(caller.dailyQuota),
        hasWebhook: Effect.map(events.webhooks(caller.id), (all) =>
          all.some(({ webhook }) => webhook.state === "enabled")
        )
      })

    const versioned = (caller: Caller, watch: StoredWatch): Effect.Effect<Versioned<Watch>, StorageError> =>
      Effect.map(surroundings(caller), (around) => ({
        value: WatchDocument.make(watch, around),
        revision: watch.revision
      }))

    /** Writes what a happening makes of a watch, if that is anything else. */
    const happen = Effect.fnUntraced(function* (caller: Caller, id: WatchId, happening: Transition.WatchHappening) {
      const now = yield* Clock.currentTimeMillis
      const answer = yield* store.change(caller.id, id, (watch) => {
        const { memory } = Transition.apply(watch.memory, happening, now)
        return memory === watch.memory
          ? Option.none()
          : Option.some({ ...WatchEdit.contentOf(watch), memory, updatedAt: now })
      })
      const watch = yield* found(id, answer)
      yield* bell.ring
      return yield* versioned(caller, watch)
    })

    const pageOf = <Id extends string>(schema: Schema.Schema<Id>, { cursor, limit }: ListRequest) =>
      Effect.map(Effect.transposeMapOption(cursor, Cursor.decode(schema)), (before) => ({ limit, before }))

    const runsOf = (caller: Caller, id: WatchId, filter: { readonly changed: boolean }, page: ListRequest) =>
      Effect.gen(function* () {
        const answer = yield* store.runs(caller.id, id, filter, yield* pageOf(RunId, page))
        return turned(yield* found(id, answer))
      })

    const lastingUsage = Effect.fnUntraced(function* (caller: Caller) {
      const now = yield* Clock.currentTimeMillis
      const usage = yield* quota.usage(caller)
      const watches = yield* ofKey(caller)
      return {
        value: { ...usage, forecast: Forecast.make(watches, usage, now) },
        until: Math.min(Forecast.holdsUntil(watches, now), toMillis(usage.resets_at))
      } satisfies Lasting<Usage>
    })

    return Watches.of({
      create: Effect.fn("Watches.create")(function* (caller: Caller, request: NewWatch) {
        const { address, chain, idempotencyKey = Option.none(), intervalSeconds, kind, ...rest } = request
        const once = IdempotencyKey.make<WatchId>(executions, {
          keyId: caller.id,
          kind: "watch",
          name: idempotencyKey,
          asked: { address, chain: chain.id, intervalSeconds, kind, ...rest }
        })
        const kept = (id: WatchId) => Effect.map(store.find(caller.id, id), Option.getOrUndefined)
        const earlier = yield* once.made
        const made = Option.isSome(earlier) ? yield* kept(earlier.value) : undefined
        if (made !== undefined) return yield* versioned(caller, made)
        const now = yield* Clock.currentTimeMillis
        const refusal = WatchEdit.refusal(request.options, { ...(yield* analyzer.ruleset), kind, kept: defaultOptions })
        if (Option.isSome(refusal)) return yield* refusal.value
        const id = yield* once.claim(yield* Id.make("wat"))
        const watch: StoredWatch = {
          id,
          keyId: caller.id,
          target: { kind, address, chain: { id: chain.id, name: chain.name } },
          label: request.label,
          options: { ...defaultOptions, ...request.options },
          createdAt: now,
          updatedAt: now,
          memory: Transition.created(
            Grid.make(id, { anchor: now, intervalSeconds }),
            request.paused ? "Paused" : "Active"
          ),
          revision: 1,
          live: Option.none()
        }
        // Repeated with the same id, so that a lost answer makes no second watch.
        if (!(yield* patiently(store.create(watch, watchesPerKey))))
          return yield* new WatchLimitReached({ limit: watchesPerKey })
        yield* bell.ring
        // Another request of the same name may have made it first.
        return yield* versioned(caller, Option.isNone(idempotencyKey) ? watch : ((yield* kept(id)) ?? watch))
      }),
      get: Effect.fn("Watches.get")(function* (caller: Caller, id: WatchId) {
        const watch = yield* found(id, yield* store.find(caller.id, id))
        const { revision, value } = yield* versioned(caller, watch)
        return { revision, value: { ...value, last_result: yield* results.last(watch) } }
      }),
      document: Effect.fn("Watches.document")(function* (caller: Caller, id: WatchId) {
        const watch = yield* found(id, yield* store.find(caller.id, id))
        const { revision, value } = yield* versioned(caller, watch)
        return { revision, value: { watch: value, lastResult: yield* results.lastText(watch) } }
      }),
      list: Effect.fn("Watches.list")(function* (caller: Caller, filter: WatchFilter, page: ListRequest) {
        // Of all of them, because items of a page may be removed before the next page is requested.
        const { before: from, limit } = yield* pageOf(WatchId, page)
        const { data, next_cursor } = partOf(yield* ofKey(caller, filter), ({ id }) => id, { limit, from })
        const around = yield* surroundings(caller)
        return turned({ data: data.map((watch) => WatchDocument.make(watch, around)), next_cursor })
      }),
      change: Effect.fn("Watches.change")(function* (
        caller: Caller,
        id: WatchId,
        change: WatchEdit.WatchChange,
        revision: Option.Option<number>
      ) {
        const now = yield* Clock.currentTimeMillis
        const checks = yield* analyzer.ruleset
        // What the store decided on last is what it wrote, or refused to.
        let refusal: Option.Option<RevisionMismatch | WatchEdit.OptionsRefused> = Option.none()
        const answer = yield* store.change(caller.id, id, (watch) => {
          refusal = Option.exists(revision, (known) => known !== watch.revision)
            ? Option.some(new RevisionMismatch({ id }))
            : WatchEdit.refusal(change.options ?? {}, { ...checks, kind: watch.target.kind, kept: watch.options })
          return Option.isSome(refusal) ? Option.none() : WatchEdit.changed(watch, change, now)
        })
        const watch = yield* found(id, answer)
        if (Option.isSome(refusal)) return yield* refusal.value
        yield* bell.ring
        return yield* versioned(caller, watch)
      }),
      pause: Effect.fn("Watches.pause")((caller: Caller, id: WatchId) => happen(caller, id, { _tag: "Pause" })),
      resume: Effect.fn("Watches.resume")((caller: Caller, id: WatchId) => happen(caller, id, { _tag: "Resume" })),
      remove: Effect.fn("Watches.remove")(function* (caller: Caller, id: WatchId) {
        const { live } = yield* found(id, yield* store.remove(caller.id, id))
        if (Option.isSome(live)) yield* patiently(Effect.provide(RunReaper.end(live.value, removed), stores))
        yield* patiently(relay.drain)
      }, Effect.uninterruptible),
      runNow: Effect.fn("Watches.runNow")(function* (caller: Caller, id: WatchId) {
        const now = yield* Clock.currentTimeMillis
        const slot = yield* Scheduler.makeSlot(processes.self)
        const answer = yield* store.claimNow(caller.id, id, {
          now,
          until: now + leaseSeconds * 1000,
          slot,
          notAfter: now - manualMillis,
          begin: RunDocument.manual(now)
        })
        const claimed = yield* found(id, answer)
        switch (claimed._tag) {
          case "Started":
            yield* FiberSet.run(byHand, Effect.ensuring(check(claimed.claim), bell.ring))
            return claimed.claim.run
          case "Joined":
            return claimed.run
          case "TooSoon":
            return yield* new RunTooSoon({
              retry_after_seconds: Math.max(1, Math.ceil((claimed.at + manualMillis - now) / 1000))
            })
        }
      }, Effect.uninterruptible),
      runs: Effect.fn("Watches.runs")((caller: Caller, id: WatchId, page: ListRequest) =>
        runsOf(caller, id, { changed: false }, page)
      ),
      changes: Effect.fn("Watches.changes")(function* (caller: Caller, id: WatchId, page: ListRequest) {
        const { data, next_cursor } = yield* runsOf(caller, id, { changed: true }, page)
        const withReports = yield* Effect.forEach(data, (run) => results.withReport(caller.id, run))
        return { data: withReports, next_cursor }
      }),
      history: Effect.fn("Watches.history")(function* (caller: Caller, id: WatchId) {
        const watch = yield* found(id, yield* store.find(caller.id, id))
        const answer = yield* store.runs(
          caller.id,
          id,
          { changed: false },
          { limit: mostChecks, before: Option.none() }
        )
        const { data, next_cursor } = yield* found(id, answer)
        const ended = data.filter(({ status }) => status !== "running").reverse()
        return {
          watch: (yield* versioned(caller, watch)).value,
          checks: yield* Effect.forEach(ended, (run) => results.check(caller.id, run)),
          isWhole: next_cursor === null
        }
      }),
      ledger: Effect.fn("Watches.ledger")((caller: Caller, day: string, page: ListRequest) =>
        Effect.provide(UnitLedger.page(caller, { ...page, day }), stores)
      ),
      usage: Effect.fn("Watches.usage")((caller: Caller) => Effect.map(lastingUsage(caller), ({ value }) => value)),
      lastingUsage: Effect.fn("Watches.lastingUsage")(lastingUsage)
    })
  })

// Four days of a watch that checks every hour; each is a document to read.
const mostChecks = 100

const anything: WatchFilter = {
  state: Option.none(),
  kind: Option.none(),
  address: Option.none(),
  failing: Option.none()
}

const removed: ExecutionFailure = { code: "watch_removed", detail: "The watch was removed while it was checked." }

const turned = <A>({ data, next_cursor }: Page<A>): Page<A> => ({
  data,
  next_cursor: next_cursor === null ? null : Cursor.encode(next_cursor)
})

/**
 * @since 0.1.0
 * @category errors
 */
export class WatchNotFound extends Schema.TaggedError<WatchNotFound>()("WatchNotFound", { id: WatchId }) {}

/**
 * The key has as many watches as it may.
 *
 * @since 0.1.0
 * @category errors
 */
export class WatchLimitReached extends Schema.TaggedError<WatchLimitReached>()("WatchLimitReached", {
  limit: Schema.NonNegativeInt
}) {}

/**
 * The watch has changed since the version that the caller knows.
 *
 * @since 0.1.0
 * @category errors
 */
export class RevisionMismatch extends Schema.TaggedError<RevisionMismatch>()("RevisionMismatch", { id: WatchId }) {}

/**
 * A check by hand was requested less than a minute ago.
 *
 * @since 0.1.0
 * @category errors
 */
export class RunTooSoon extends Schema.TaggedError<RunTooSoon>()("RunTooSoon", {
  retry_after_seconds: Schema.NonNegativeInt
}) {}

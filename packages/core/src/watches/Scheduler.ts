import { Clock, Context, Duration, Effect, FiberSet, Layer, Metric, MetricBoundaries, Option, Ref } from "effect"
import type { Chains } from "../chain/Chains.js"
import * as Id from "../domain/Id.js"
import { toMillis } from "../domain/Timestamp.js"
import type { Relay } from "../events/Relay.js"
import type { Executions } from "../executions/Executions.js"
import type { ExecutionStore } from "../storage/ExecutionStore.js"
import type { KeyStore } from "../storage/KeyStore.js"
import * as LeaseToken from "../storage/LeaseToken.js"
import * as Outage from "../storage/Outage.js"
import { untilCertain } from "../storage/Patience.js"
import { Processes } from "../storage/Processes.js"
import type { QuotaStore } from "../storage/QuotaStore.js"
import { type Claim, isBegun, type Slot, WatchStore } from "../storage/WatchStore.js"
import { Bell } from "./Bell.js"
import { clockSetBack } from "./Happenings.js"
import * as RunDocument from "./RunDocument.js"
import * as WatchCheck from "./WatchCheck.js"

/**
 * Checks watches when they are due. Any number of processes may do so over the same stores.
 *
 * @since 0.1.0
 * @category services
 */
export class Scheduler extends Context.Tag("@assay/core/Scheduler")<
  Scheduler,
  {
    /** When it last looked for due watches and the store answered, in epoch milliseconds; none before the first time. */
    readonly lastTick: Effect.Effect<Option.Option<number>>
    /** How many checks run in this process. */
    readonly running: Effect.Effect<number>
  }
>() {}

/**
 * How checks are bounded; times in seconds.
 *
 * - `concurrency`, `perKey`: how many checks run at once, 32 in this process and 2 of a key.
 * - `leaseSeconds`, `heartbeatSeconds`: how long a silent worker is believed alive, 120, and how often it speaks, 30.
 * - `pollSeconds`: how often it looks although it knows of nothing that is due, 15: other processes make watches too.
 * - `graceSeconds`: how long running checks may go on when the layer is closed, 10.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Partial<WatchCheck.Options> {
  readonly concurrency?: number | undefined
  readonly perKey?: number | undefined
  readonly pollSeconds?: number | undefined
  readonly graceSeconds?: number | undefined
}

/**
 * What holds where an option is not given.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults = {
  ...WatchCheck.defaults,
  concurrency: 32,
  perKey: 2,
  pollSeconds: 15,
  graceSeconds: 10
} as const

/**
 * The services that a check needs besides the watch store.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements =
  | Bell
  | Chains
  | Executions
  | ExecutionStore
  | KeyStore
  | Processes
  | QuotaStore
  | Relay
  | WatchStore

/**
 * Looks when the next watch is due, when one is made or resumed in this process, when a check has ended, and every
 * `pollSeconds`. Closing the layer claims nothing more, lets running checks finish for a while, and then gives the rest
 * back to be claimed again at once.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Scheduler, never, Requirements> =>
  Layer.scoped(
    Scheduler,
    Effect.gen(function* () {
      const store = yield* WatchStore
      const stores = yield* Effect.context<KeyStore | QuotaStore | WatchStore>()
      const bell = yield* Bell
      const processes = yield* Processes
      const concurrency = options.concurrency ?? defaults.concurrency
      const perKey = options.perKey ?? defaults.perKey
      const poll = (options.pollSeconds ?? defaults.pollSeconds) * 1000
      const leaseSeconds = options.leaseSeconds ?? defaults.leaseSeconds
      const check = yield* WatchCheck.make({
        leaseSeconds,
        heartbeatSeconds: options.heartbeatSeconds ?? defaults.heartbeatSeconds,
        plans: options.plans ?? defaults.plans
      })
      const lastTick = yield* Ref.make(Option.none<number>())

      const running = yield* FiberSet.make<void>()
      yield* Effect.addFinalizer(() =>
        FiberSet.awaitEmpty(running).pipe(
          Effect.interruptible,
          Effect.timeoutOption(Duration.seconds(options.graceSeconds ?? defaults.graceSeconds))
        )
      )

      /** Whether a watch was taken or put off, so that there may be more. */
      const claim = Effect.gen(function* () {
        const free = concurrency - (yield* FiberSet.size(running))
        if (free <= 0) return false
        const slots = yield* Effect.replicateEffect(makeSlot(processes.self), free)
        const now = yield* Clock.currentTimeMillis
        let hasPostponed = false
        const claims = yield* untilCertain(
          store.claimDue({
            now,
            until: now + leaseSeconds * 1000,
            slots,
            perKey,
            begin: (watch, slot) => {
              const begun = RunDocument.scheduled(now)(watch, slot)
              hasPostponed = hasPostponed || !isBegun(begun)
              return begun
            }
          })
        )
        yield* Effect.forEach(
          claims,
          (each) =>
            Effect.zipRight(noteLateness(each, now), FiberSet.run(running, Effect.ensuring(check(each), bell.ring))),
          { discard: true }
        )
        return claims.length > 0 || hasPostponed
      }).pipe(
        // A claimed check is run or released.
        Effect.uninterruptible,
        Effect.withSpan("Scheduler.claim")
      )

      const lastSeen = yield* Ref.make(Number.NEGATIVE_INFINITY)

      /** How long nothing is to be done, in milliseconds. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const back = (yield* Ref.get(lastSeen)) - now
        if (back > setBack) {
          yield* Effect.logWarning(
            `The clock was set back by ${Math.round(back / 1000)} s. Watches that it put off are due again, and units count today.`
          )
          yield* Effect.provide(clockSetBack, stores)
        }
        yield* Ref.set(lastSeen, now)
        const next = yield* store.nextDueAt
        yield* Metric.set(waiting, Option.match(next, { onNone: () => 0, onSome: (at) => secondsSince(at, now) }))
        const at = Option.getOrElse(next, () => Number.POSITIVE_INFINITY)
        if (at > now) return Math.min(at - now, poll)
        if ((yield* FiberSet.size(running)) >= concurrency) return poll
        // One that is due and was not claimed waits for a slot of its key, and hides when the others are due.
        return (yield* claim) ? 0 : Math.min(poll, behindAnother)
      })

      yield* look.pipe(
        Effect.zipLeft(Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.set(lastTick, Option.some(now)))),
        Outage.surviving("Due watches could not be claimed", Math.min(poll, afterFailure)),
        Effect.flatMap((millis) =>
          millis === 0 ? Effect.void : Effect.raceFirst(bell.heard, Effect.sleep(Duration.millis(millis)))
        ),
        Effect.forever,
        Effect.forkScoped
      )

      return { lastTick: Ref.get(lastTick), running: FiberSet.size(running) }
    })
  )

/**
 * Ids and a token for one run of a process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeSlot = (process: Option.Option<string>): Effect.Effect<Slot> =>
  Effect.all({ runId: Id.make("run"), executionId: Id.make("exe"), token: LeaseToken.make(process) })

const afterFailure = 5_000
// In milliseconds; the corrections of every day are smaller.
const setBack = 60_000
const behindAnother = 1_000

const secondsSince = (at: number, now: number): number => Math.max(0, (now - at) / 1000)

const lateness = Metric.histogram(
  "assay_watch_lateness_seconds",
  MetricBoundaries.fromIterable([1, 5, 15, 60, 300, 900, 3_600, 86_400]),
  "How long after its due time a check began."
)

const waiting = Metric.gauge("assay_watch_waiting_seconds", {
  description: "How long the watch that is due longest has been waiting."
})

const noteLateness = ({ run }: Claim, now: number): Effect.Effect<void> =>
  Metric.update(lateness, secondsSince(toMillis(run.scheduled_for), now))

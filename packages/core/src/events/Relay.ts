import { Clock, Context, Duration, Effect, Layer, Queue } from "effect"
import { EventStore } from "../storage/EventStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import { EventBell } from "./EventBell.js"

/**
 * Brings the events that checks wrote with their runs into the log. Several relays over the same stores do no harm: an
 * event that is in the log already changes nothing there.
 *
 * @since 0.1.0
 * @category services
 */
export class Relay extends Context.Tag("@assay/core/Relay")<
  Relay,
  {
    /** Says that a run finished in this process, so that its events need not wait for the next look. */
    readonly notify: Effect.Effect<void>
    /**
     * Relays all that waits, and answers when it is done. What another process has read and appends later is in the log
     * by then: after a watch was removed and this has answered, nothing is added about it.
     */
    readonly drain: Effect.Effect<void, StorageError>
  }
>() {}

/**
 * `intervalSeconds` (1) is how often is looked for what other processes left behind.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly intervalSeconds?: number | undefined
}

/**
 * Relays at the start, whenever it is notified, and every interval. A store that is away is asked again.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Relay, never, WatchStore | EventStore | EventBell> =>
  Layer.scoped(
    Relay,
    Effect.gen(function* () {
      const watches = yield* WatchStore
      const log = yield* EventStore
      const bell = yield* EventBell
      const one = yield* Effect.makeSemaphore(1)
      const told = yield* Queue.sliding<void>(1)
      const interval = Duration.seconds(options.intervalSeconds ?? 1)

      const relayBatch = Effect.gen(function* () {
        const events = yield* watches.outbox(batch)
        if (events.length === 0) return 0
        const appended = yield* log.append(events, yield* Clock.currentTimeMillis)
        yield* watches.relayed(events.map(({ id }) => id))
        const isNew = new Set(appended.map(({ id }) => id))
        yield* bell.ring(events.filter(({ id }) => isNew.has(id)).map(({ keyId }) => keyId))
        return events.length
      })

      const drain = one
        .withPermits(1)(Effect.repeat(relayBatch, { while: (relayed) => relayed === batch }))
        .pipe(Effect.asVoid, Effect.withSpan("Relay.drain"))

      yield* drain.pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("Events could not be relayed yet", cause)),
        Effect.zipRight(Effect.raceFirst(Queue.take(told), Effect.sleep(interval))),
        Effect.forever,
        Effect.forkScoped
      )

      return { notify: Effect.asVoid(Queue.offer(told, undefined)), drain }
    })
  )

const batch = 100

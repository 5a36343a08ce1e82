import { Clock, Context, Duration, Effect, Layer, Queue } from "effect"
import { EventStore } from "../storage/EventStore.js"
import * as Outage from "../storage/Outage.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import { EventBell } from "./EventBell.js"

/**
 * Moves the events that checks wrote with their runs into the log. Several relays may run over the same stores:
 * appending an event that is in the log changes nothing.
 *
 * @since 0.1.0
 * @category services
 */
export class Relay extends Context.Tag("@assay/core/Relay")<
  Relay,
  {
    /** Signals that a run finished in this process, so that its events do not wait for the next interval. */
    readonly notify: Effect.Effect<void>
    /**
     * Relays everything that waits, and returns when it is done, also what another process has read and is still
     * appending. So once a watch was removed and this has returned, no event about it is added.
     */
    readonly drain: Effect.Effect<void, StorageError>
  }
>() {}

/**
 * `intervalSeconds` (1) is how often it looks for events that other processes left.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly intervalSeconds?: number | undefined
}

/**
 * Relays at the start, on each signal, and every interval. It retries if a store does not answer.
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
        Outage.surviving("Events could not be relayed yet", undefined),
        Effect.zipRight(Effect.raceFirst(Queue.take(told), Effect.sleep(interval))),
        Effect.forever,
        Effect.forkScoped
      )

      return { notify: Effect.asVoid(Queue.offer(told, undefined)), drain }
    })
  )

const batch = 100

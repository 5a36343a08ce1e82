import type { Events, StorageError } from "@assay/core"
import { Duration, Effect, Schedule, Stream } from "effect"

/**
 * How often a stream says that it is still there, so that nothing between closes it for being silent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const heartbeatSeconds = 15

/**
 * How long a stream lives. Its key is looked at when it begins, so that a key that was revoked hears no longer than this.
 *
 * @since 0.1.0
 * @category constructors
 */
export const lifetimeSeconds = 3_600

/**
 * Events as the bytes of a stream of server-sent events. It ends when its time is over, when the process is `closing`,
 * or when the log cannot be read: what is missed then comes after the last id.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @since 0.1.0
 * @category combinators
 */
export const encode = (
  told: Stream.Stream<Events.Told, StorageError.StorageError>,
  closing: Effect.Effect<void>
): Stream.Stream<Uint8Array> =>
  told.pipe(
    Stream.map(({ cursor, event }) => `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    Stream.catchAll((error) => Stream.execute(Effect.logError("The log of events could not be read", error))),
    // The first comment leaves at once, and the header fields with it.
    Stream.merge(Stream.repeatEffectWithSchedule(Effect.succeed(":\n\n"), Schedule.spaced(heartbeat)), {
      haltStrategy: "left"
    }),
    Stream.interruptWhen(closing),
    Stream.interruptAfter(Duration.seconds(lifetimeSeconds)),
    Stream.encodeText
  )

const heartbeat = Duration.seconds(heartbeatSeconds)

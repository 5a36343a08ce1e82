import type { Events, StorageError } from "@assay/core"
import { Duration, Effect, Schedule, Stream } from "effect"

/**
 * The interval of keep-alive comments, so that no proxy closes an idle stream.
 *
 * @since 0.1.0
 * @category constructors
 */
export const heartbeatSeconds = 15

/**
 * The maximum duration of a stream. The key is checked at the start, so a revoked key gets events no longer than this.
 *
 * @since 0.1.0
 * @category constructors
 */
export const lifetimeSeconds = 3_600

/**
 * Events as a stream of server-sent events. It ends after its maximum duration, when the process is `closing`, or when
 * the log cannot be read; a client resumes after the last id.
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
    // The first comment is sent at once, together with the header fields.
    Stream.merge(Stream.repeatEffectWithSchedule(Effect.succeed(":\n\n"), Schedule.spaced(heartbeat)), {
      haltStrategy: "left"
    }),
    Stream.interruptWhen(closing),
    Stream.interruptAfter(Duration.seconds(lifetimeSeconds)),
    Stream.encodeText
  )

const heartbeat = Duration.seconds(heartbeatSeconds)

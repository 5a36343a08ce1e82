import type * as Events from "@assay/core/events/Events"
import * as Outage from "@assay/core/storage/Outage"
import type * as StorageError from "@assay/core/storage/StorageError"
import { Cause, Duration, Effect, Schedule, Stream } from "effect"

/** The interval of keep-alive comments, so that no proxy closes an idle stream. */
export const heartbeatSeconds = 15

/** The maximum duration of a stream. */
export const lifetimeSeconds = 3_600

/**
 * Events as a stream of server-sent events. It ends after its maximum duration, when the process is `closing`, or when
 * the log cannot be read; a client resumes after the last id. `isAccepted` checks the caller before each event and with
 * each comment, so that a revoked key gets no further event, and its stream ends within 15 seconds.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const encode = (
  told: Stream.Stream<Events.Told, StorageError.StorageError>,
  { closing, isAccepted }: Until
): Stream.Stream<Uint8Array> =>
  told.pipe(
    whileAccepted(isAccepted),
    Stream.map(({ cursor, event }) => `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    // The first comment is sent at once, together with the header fields.
    Stream.merge(Stream.repeat(Stream.succeed(":\n\n"), Schedule.spaced(heartbeat)).pipe(whileAccepted(isAccepted)), {
      haltStrategy: "either"
    }),
    Stream.catchAll((error) => Stream.execute(Outage.note("The log of events could not be read", Cause.fail(error)))),
    Stream.interruptWhen(closing),
    Stream.interruptAfter(Duration.seconds(lifetimeSeconds)),
    Stream.encodeText
  )

/** When a stream ends early. */
export interface Until {
  readonly closing: Effect.Effect<void>
  readonly isAccepted: Effect.Effect<boolean, StorageError.StorageError>
}

const whileAccepted =
  (isAccepted: Until["isAccepted"]) =>
  <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E | StorageError.StorageError> =>
    stream.pipe(
      // Checked once for each batch of events that are ready: a client that resumes reads thousands.
      Stream.chunks,
      Stream.mapEffect((chunk) => Effect.map(isAccepted, (accepted) => ({ accepted, chunk }))),
      Stream.takeWhile(({ accepted }) => accepted),
      Stream.flatMap(({ chunk }) => Stream.fromChunk(chunk))
    )

const heartbeat = Duration.seconds(heartbeatSeconds)

/** @internal */

import { Duration, Effect, Schedule } from "effect"
import { StorageError } from "./StorageError.js"

/** Retries a store call four times within a second if the store does not answer or its answer was lost. */
export const patiently = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(self, { ...withinASecond, while: isAway })

/** Retries a store for as long as it does not answer, up to a limit. */
export const patientlyFor =
  (duration: Duration.DurationInput) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(self, {
      schedule: Schedule.exponential(Duration.millis(100)).pipe(
        Schedule.union(Schedule.spaced(Duration.seconds(5))),
        Schedule.upTo(duration)
      ),
      while: isAway
    })

/** Retries a store call with a lost answer, as `patiently` does; a store that is away gets no retry. */
export const untilCertain = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(self, { ...withinASecond, while: isLost })

const withinASecond = { schedule: Schedule.exponential(Duration.millis(100)), times: 3 }

const isLost = (error: unknown): boolean => error instanceof StorageError && error.reason === "uncertain"
const isAway = (error: unknown): boolean => error instanceof StorageError && error.reason !== "corrupt"

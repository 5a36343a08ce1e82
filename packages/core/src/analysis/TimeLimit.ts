/** @internal */

import { Clock, Duration, Effect, Option } from "effect"
import { ChainError } from "../chain/ChainError.js"

/**
 * The time that an analysis has, in epoch milliseconds. Checks and reads are given up at `cut`, so that what is left of the
 * time suffices to confirm the block and add up; nothing is waited for after `end`.
 */
export interface TimeLimit {
  readonly cut: number
  readonly end: number
}

/** The limit by a deadline, of an analysis that begins now; none without one. */
export const make = (deadline: number | undefined): Effect.Effect<TimeLimit | undefined> =>
  deadline === undefined
    ? Effect.succeed(undefined)
    : Effect.map(Clock.currentTimeMillis, (now) => ({
        cut: deadline - Math.max(0, Math.min(longestEnd, (deadline - now) / 10)),
        end: deadline
      }))

/** Milliseconds for the last read of the block, which is one request. */
const longestEnd = 2_000

/**
 * What an effect gives, or `late` where that takes longer than until a moment. It is interrupted then and not waited for:
 * code of others may not end when it is interrupted. Without a moment it takes as long as it does.
 */
export const until =
  <B, E2, R2>(moment: number | undefined, late: Effect.Effect<B, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E | E2, R | R2> =>
    moment === undefined
      ? effect
      : Effect.flatMap(Clock.currentTimeMillis, (now) =>
          moment <= now
            ? late
            : Effect.flatMap(
                Effect.timeoutOption(Effect.disconnect(effect), Duration.millis(moment - now)),
                Option.match({
                  onNone: () => late,
                  onSome: (value): Effect.Effect<A | B, E2, R2> => Effect.succeed(value)
                })
              )
        )

/** A read that had no answer when the time of the analysis was over. */
export const over = new ChainError({
  reason: "budget_exhausted",
  method: "analysis",
  retryable: true,
  detail: "the time of the analysis was over"
})

/** Whether a read had no answer for {@link over}; an error that passes a span is another object. */
export const isOver = ({ method, reason }: ChainError): boolean => method === over.method && reason === over.reason

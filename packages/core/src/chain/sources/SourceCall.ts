/** @internal */

import { Cause, Effect } from "effect"
import { ChainError } from "../ChainError.js"

/** What a source answers. One that throws or rejects, as a source of others may, gives no answer: it is no bug of the check. */
export const make = <A, R>(call: () => Effect.Effect<A, ChainError, R>): Effect.Effect<A, ChainError, R> =>
  Effect.catchAllDefect(Effect.suspend(call), (thrown) =>
    Effect.zipRight(
      Effect.logWarning("A source failed unexpectedly", Cause.die(thrown)),
      new ChainError({
        reason: "source_unavailable",
        method: "source",
        retryable: true,
        detail: "it failed unexpectedly"
      })
    )
  )

/** @internal */

import { Effect, type Scope } from "effect"
import * as Shared from "./Shared.js"

/**
 * Runs an effectful function at most once a key for as long as the scope lives, however many fibers call it at once.
 * Interrupting one of them leaves the answer to the others.
 */
export const make = <K, A, E>(
  keyOf: (key: K) => string,
  run: (key: K) => Effect.Effect<A, E>
): Effect.Effect<(key: K) => Effect.Effect<A, E>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    // What a caller gets: the wait for an answer, and the answer itself once it is there.
    const seen = new Map<string, Effect.Effect<A, E>>()
    return (key: K) => {
      const id = keyOf(key)
      return Shared.get(
        scope,
        () => seen.get(id),
        (answer) => {
          seen.set(id, answer)
          return { effect: run(key), ended: (exit) => Effect.sync(() => seen.set(id, exit)) }
        }
      )
    }
  })

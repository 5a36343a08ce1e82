/** @internal */

import { Deferred, Effect, type Exit, FiberId, type Scope } from "effect"

/**
 * Runs an effectful function at most once a key for as long as the scope lives, however many fibers ask at once. Each
 * run belongs to the scope and not to the first asker, so that interrupting one asker leaves the answer to the others.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <K, A, E>(
  keyOf: (key: K) => string,
  run: (key: K) => Effect.Effect<A, E>
): Effect.Effect<(key: K) => Effect.Effect<A, E>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    // What an asker gets: the wait for an answer, and the answer itself once it is there.
    const seen = new Map<string, Effect.Effect<A, E>>()
    return (key: K) =>
      Effect.suspend(() => {
        const id = keyOf(key)
        const known = seen.get(id)
        if (known !== undefined) return known
        const deferred = Deferred.unsafeMake<A, E>(FiberId.none)
        const answer = Deferred.await(deferred)
        seen.set(id, answer)
        const settle = (exit: Exit.Exit<A, E>) =>
          Effect.sync(() => {
            seen.set(id, exit)
            Deferred.unsafeDone(deferred, exit)
          })
        return Effect.zipRight(Effect.forkIn(Effect.onExit(run(key), settle), scope), answer)
      })
  })

/** @internal */

import { Deferred, Effect, FiberId, type Scope } from "effect"

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
    const seen = new Map<string, Deferred.Deferred<A, E>>()
    return (key: K) =>
      Effect.suspend(() => {
        const id = keyOf(key)
        const known = seen.get(id)
        if (known !== undefined) return Deferred.await(known)
        const deferred = Deferred.unsafeMake<A, E>(FiberId.none)
        seen.set(id, deferred)
        return Effect.zipRight(Effect.forkIn(Effect.intoDeferred(run(key), deferred), scope), Deferred.await(deferred))
      })
  })

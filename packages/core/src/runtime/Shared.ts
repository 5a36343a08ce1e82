/** @internal */

import { Deferred, Effect, type Exit, FiberId, type Scope } from "effect"

/** An effect to be run once for all who wait for its outcome. */
export interface Run<A, E> {
  readonly effect: Effect.Effect<A, E>
  /** Runs before anyone gets the outcome, also where closing the scope interrupted the effect. */
  readonly ended?: (exit: Exit.Exit<A, E>) => Effect.Effect<void>
}

/**
 * Returns the kept answer, or starts a run and waits for its outcome. `begin` stores the given answer, which waits for
 * that outcome, where `kept` finds it.
 *
 * The run belongs to the scope and not to the caller, so the interruption of one caller does not affect the others.
 * Every stored run has started, whenever its caller is interrupted.
 */
export const get = <A, E>(
  scope: Scope.Scope,
  kept: () => Effect.Effect<A, E> | undefined,
  begin: (answer: Effect.Effect<A, E>) => Run<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(
    () =>
      kept() ??
      Effect.uninterruptibleMask((restore) => {
        // Another fiber may have begun in between.
        const known = kept()
        if (known !== undefined) return restore(known)
        const deferred = Deferred.unsafeMake<A, E>(FiberId.none)
        const answer = Deferred.await(deferred)
        const { effect, ended } = begin(answer)
        const settle = (exit: Exit.Exit<A, E>): Effect.Effect<void> =>
          Effect.map(ended?.(exit) ?? Effect.void, () => Deferred.unsafeDone(deferred, exit))
        return Effect.zipRight(
          Effect.forkIn(Effect.onExit(Effect.interruptible(effect), settle), scope),
          restore(answer)
        )
      })
  )

import { Duration, Effect } from "effect"

/**
 * What is made for the first request that needs it, and is the same for every later one, also where the first one is given up
 * while it is made. `Effect.cached` would keep the interruption: as the result, or in the fiber references that it restores.
 */
export const make = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, never, R> =>
  Effect.map(Effect.cachedWithTTL(self, Duration.infinity), Effect.uninterruptible)

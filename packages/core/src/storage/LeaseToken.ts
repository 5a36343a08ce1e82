/** @internal */

import { Effect, Random } from "effect"

/**
 * A token for a lease: unique among those that may ever hold the same thing; not a secret.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<string> = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32), 4),
  (words) => words.map((word) => word.toString(16).padStart(8, "0")).join("")
)

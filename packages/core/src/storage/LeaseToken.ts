import { Effect, Option, Random } from "effect"

/**
 * A token for a lease: unique among those that may ever hold the same thing; not a secret. It begins with the name of
 * the process that holds it, where that has one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (process: Option.Option<string>): Effect.Effect<string> =>
  Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32), 4), (words) =>
    [...Option.toArray(process), words.map((word) => word.toString(16).padStart(8, "0")).join("")].join(separator)
  )

/**
 * The name of the process that made a token; none where it had none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const processOf = (token: string): Option.Option<string> => {
  const end = token.lastIndexOf(separator)
  return end < 0 ? Option.none() : Option.some(token.slice(0, end))
}

const separator = "."

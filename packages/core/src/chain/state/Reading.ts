import type { Observation } from "../../domain/Evidence.js"

/**
 * An answer with its observation. Parameters and answer are hashed only when the observation is used: most readings
 * never become evidence.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reading<out A> {
  readonly value: A
  readonly observation: () => Observation
}

/**
 * Another value that the same observation shows.
 *
 * @since 0.1.0
 * @category combinators
 */
export const map = <A, B>(reading: Reading<A>, f: (value: A) => B): Reading<B> => ({
  value: f(reading.value),
  observation: reading.observation
})

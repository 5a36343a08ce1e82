/** @internal */

import { Clock, Effect, Exit, type Scope } from "effect"
import * as Shared from "./Shared.js"

/**
 * A value that is computed on demand, once for all concurrent callers, and kept for a while. It is computed in the
 * scope in which it was made, so an interrupted caller does not stop it for the others.
 */
export interface Expiring<A, E> {
  readonly get: Effect.Effect<A, E>
  /** As `get`, but a failure from before a moment (milliseconds) is tried again, kept or not. */
  readonly insist: (since: number) => Effect.Effect<A, E>
  /** As `get`, but a value from before a time (milliseconds) is computed again, even if it is still kept. */
  readonly since: (moment: number) => Effect.Effect<A, E>
  /** Stores a value from another source. */
  readonly put: (value: A) => Effect.Effect<void>
}

interface Slot<A, E> {
  readonly answer: Effect.Effect<A, E>
  /** When it was settled, and until when it is kept; unset while it is being found out. */
  settled: { readonly at: number; readonly until: number; readonly failed: boolean } | undefined
}

/** Makes one from the effect that computes the value, and the time in milliseconds that each outcome is kept. */
export const make = <A, E>(
  find: Effect.Effect<A, E>,
  keep: (exit: Exit.Exit<A, E>) => number
): Effect.Effect<Expiring<A, E>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let slot: Slot<A, E> | undefined
    const settle = (into: Slot<A, E>, exit: Exit.Exit<A, E>) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        into.settled = { at, until: at + keep(exit), failed: Exit.isFailure(exit) }
      })
    const ask = (usable: (settled: NonNullable<Slot<A, E>["settled"]>, now: number) => boolean) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Shared.get(
          scope,
          () => (slot?.settled === undefined || usable(slot.settled, now) ? slot?.answer : undefined),
          (answer) => {
            const fresh: Slot<A, E> = { answer, settled: undefined }
            slot = fresh
            return { effect: find, ended: (exit) => settle(fresh, exit) }
          }
        )
      )
    return {
      get: ask((settled, now) => now < settled.until),
      insist: (since) => ask((settled, now) => now < settled.until && !(settled.failed && settled.at < since)),
      since: (moment) => ask((settled, now) => now < settled.until && settled.at >= moment),
      put: (value) =>
        Effect.suspend(() => {
          const fresh: Slot<A, E> = { answer: Effect.succeed(value), settled: undefined }
          slot = fresh
          return settle(fresh, Exit.succeed(value))
        })
    }
  })

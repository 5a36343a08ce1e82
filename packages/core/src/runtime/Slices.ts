/** @internal */

import { type Clock, Effect } from "effect"
import * as EventLoop from "./EventLoop.js"

/**
 * A computation in slices: it can be put aside wherever it yields, so that a long one leaves room for others. A slice is
 * a few milliseconds at most, by counted work and never by the clock, so that the same input always gives the same result.
 */
export type Slices<A> = Generator<undefined, A, undefined>

/** Computes all of it at once. */
export const complete = <A>(slices: Slices<A>): A => {
  for (;;) {
    const next = slices.next()
    if (next.done === true) return next.value
  }
}

/**
 * Computes something once for any number of callers. They advance the same slices in turn, so that an interrupted
 * caller holds up nobody. After a failure, the next caller tries again.
 */
export const once = <A>(start: () => Slices<A>): (() => Slices<A>) => {
  let running: Slices<A> | undefined
  let done: IteratorReturnResult<A> | undefined
  return function* () {
    while (done === undefined) {
      running ??= start()
      const next = nextOrThrow(running, () => {
        running = undefined
      })
      if (next.done === true) done = next
      else yield undefined
    }
    running = undefined
    return done.value
  }
}

const nextOrThrow = <A>(slices: Slices<A>, failed: () => void): IteratorResult<undefined, A> => {
  try {
    return slices.next()
  } catch (error) {
    failed()
    throw error
  }
}

/** Computes something {@link once} of each object, and keeps it for as long as the object is there. */
export const oncePer = <K extends object, A>(start: (of: K) => Slices<A>): ((of: K) => Slices<A>) => {
  const known = new WeakMap<K, () => Slices<A>>()
  return (of) => {
    const kept = known.get(of) ?? once(() => start(of))
    known.set(of, kept)
    return kept()
  }
}

/**
 * Computes slices for about 2 ms per turn of the event loop, which handles other work in between. The result does not
 * depend on the timing. `inTurn` is awaited before each turn, for readings that take turns.
 */
export const run = <A>(
  start: () => Slices<A>,
  inTurn: <B>(effect: Effect.Effect<B>) => Effect.Effect<B> = (effect) => effect
): Effect.Effect<A> =>
  Effect.clockWith((clock) => {
    const slices = start()
    const turn: Effect.Effect<A> = Effect.flatMap(inTurn(Effect.map(macrotask, () => nextOf(slices, clock))), (next) =>
      next.done === true ? Effect.succeed(next.value) : turn
    )
    return turn
  })

// Most slices are far shorter than a turn, and a turn costs as much as a short one.
const nextOf = <A>(slices: Slices<A>, clock: Clock.Clock): IteratorResult<undefined, A> => {
  const end = clock.unsafeCurrentTimeNanos() + nanosPerTurn
  for (let count = 1; ; count++) {
    const next = slices.next()
    if (next.done === true || count >= slicesPerTurn || clock.unsafeCurrentTimeNanos() >= end) return next
  }
}

const nanosPerTurn = 2_000_000n

/** For a clock that stands still, as in tests. */
const slicesPerTurn = 64

const macrotask = Effect.async<void>((resume) => {
  const cancel = EventLoop.later(() => resume(Effect.void))
  return Effect.sync(cancel)
})

/** Counts work until there is enough for a slice. */
export interface Work {
  /** Adds to the count, and says whether it is time to yield. */
  readonly isDue: (weight: number) => boolean
}

/** A count at zero. */
export const makeWork = (): Work => {
  let done = 0
  return {
    isDue: (weight) => {
      done += weight
      if (done < workPerSlice) return false
      done = 0
      return true
    }
  }
}

/** About 2 ms, a unit being what it takes to read an SLOAD back. */
const workPerSlice = 100

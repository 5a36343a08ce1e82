/** @internal */

import { Deferred, Effect, Exit, FiberId, FiberSet, Option, type Scope } from "effect"
import * as Turns from "./Turns.js"

/** A read that waits for its answer. `settle` gives it, once. */
export interface Waiting<Q, A, E> {
  readonly request: Q
  readonly settle: (exit: Exit.Exit<A, E>) => void
}

/**
 * Reads of concurrent fibers. All that are requested before the next macrotask are sent together, each of them once.
 */
export interface ReadQueue<Q, A, E> {
  /** Sends the read, or joins an earlier equal one. */
  readonly ask: (request: Q) => Effect.Effect<A, E>
  /** Sends the read even where an equal one was sent before, and does not share its answer with later callers. */
  readonly askAfresh: (request: Q) => Effect.Effect<A, E>
  /** How many of the flushes so far waited for one another. */
  readonly levels: () => number
}

/**
 * Makes a queue. `flush` sends what has gathered and settles each read as its answer arrives; a read that it left
 * open is settled as interrupted when it ends. It runs in the scope of this effect, so that an asker which goes away
 * takes nothing from the others, and closing the scope aborts it.
 *
 * `refuse` may settle a read with a failure instead of sending it. A flush has the level of the highest one of which any
 * answer had arrived when it left, plus one: nothing in it can depend on an answer that had not arrived. Retries stay
 * within their flush.
 */
export const make = <Q, A, E>(options: {
  readonly keyOf: (request: Q) => string
  readonly refuse: (request: Q) => Option.Option<E>
  readonly flush: (waiting: ReadonlyArray<Waiting<Q, A, E>>) => Effect.Effect<void>
}): Effect.Effect<ReadQueue<Q, A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    // What an asker gets: the wait for an answer, and the answer itself once it is there.
    const seen = new Map<string, Effect.Effect<A, E>>()
    const open = new Set<Deferred.Deferred<A, E>>()
    let queue: Array<Waiting<Q, A, E>> = []
    const afterwards = yield* Turns.afterwards
    let cancel: (() => void) | undefined
    let closed = false
    let answered = 0
    let reached = 0

    // Registered first, so it runs after the flushes of this scope were aborted.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        closed = true
        cancel?.()
        for (const deferred of open) Deferred.unsafeDone(deferred, Exit.interrupt(FiberId.none))
        open.clear()
      })
    )

    const fork = yield* FiberSet.makeRuntime<never>()

    const run = Effect.suspend(() => {
      const waiting = queue.filter(({ request, settle }) => {
        const refusal = options.refuse(request)
        if (Option.isSome(refusal)) settle(Exit.fail(refusal.value))
        return Option.isNone(refusal)
      })
      queue = []
      cancel = undefined
      if (waiting.length === 0) return Effect.void
      const level = answered + 1
      reached = Math.max(reached, level)
      const levelled = waiting.map(({ request, settle }) => ({
        request,
        settle: (exit: Exit.Exit<A, E>) => {
          answered = Math.max(answered, level)
          settle(exit)
        }
      }))
      return Effect.onExit(options.flush(levelled), (exit) =>
        Effect.sync(() => {
          const left = Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Exit.interrupt(FiberId.none)
          for (const { settle } of waiting) settle(left)
        })
      )
    })

    // All of it at once, so that no interruption can leave a read behind that nobody sends.
    const enqueue = (request: Q, onSettled: (exit: Exit.Exit<A, E>) => void): Effect.Effect<A, E> => {
      if (closed) return Effect.interrupt
      const deferred = Deferred.unsafeMake<A, E>(FiberId.none)
      open.add(deferred)
      queue.push({
        request,
        settle: (exit) => {
          if (!open.delete(deferred)) return
          onSettled(exit)
          Deferred.unsafeDone(deferred, exit)
        }
      })
      // By then every runnable fiber has requested what it needs. Not a yield: schedulers are per fiber.
      cancel ??= afterwards(() => fork(Effect.interruptible(run)))
      return Deferred.await(deferred)
    }

    return {
      ask: (request) =>
        Effect.suspend(() => {
          if (closed) return Effect.interrupt
          const key = options.keyOf(request)
          const known = seen.get(key)
          if (known !== undefined) return known
          const answer = enqueue(request, (exit) => seen.set(key, exit))
          seen.set(key, answer)
          return answer
        }),
      askAfresh: (request) => Effect.suspend(() => enqueue(request, () => {})),
      levels: () => reached
    }
  })

/** @internal */

import { Cause, Effect, Exit, Fiber, FiberId, Runtime, RuntimeFlags } from "effect"

/**
 * Runs an effect for each item, all concurrently, and returns the results in the order of the items. Where one fails,
 * the others are interrupted; the failure is reported once all have ended. Each runs up to its first wait before the
 * next one begins, and its forked fibers end with it.
 *
 * It does what `Effect.forEach` does with unbounded concurrency, with a sixth of the operations, except that changes of
 * fiber references are dropped. An analysis gathers readings a few hundred times, mostly one or two that are already
 * cached.
 */
export const forEach = <A, B, E, R>(
  each: Iterable<A>,
  run: (item: A, index: number) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.suspend(() => {
    const items = [...each]
    if (items.length === 0) return Effect.succeed([])
    // A single item needs no fiber.
    if (items.length === 1) return Effect.map(run(items[0] as A, 0), (value) => [value])
    return Effect.flatMap(Effect.runtime<R>(), (runtime) => gather(items, run, runtime))
  })

/** {@link forEach} of the members of a tuple or of a struct. */
export const all: {
  <const Each extends ReadonlyArray<Any>>(
    effects: Each
  ): Effect.Effect<
    { -readonly [Place in keyof Each]: Effect.Effect.Success<Each[Place]> },
    Effect.Effect.Error<Each[number]>,
    Effect.Effect.Context<Each[number]>
  >
  <const Each extends { readonly [name: string]: Any }>(
    effects: Each
  ): Effect.Effect<
    { -readonly [Name in keyof Each]: Effect.Effect.Success<Each[Name]> },
    Effect.Effect.Error<Each[keyof Each]>,
    Effect.Effect.Context<Each[keyof Each]>
  >
} = (effects: ReadonlyArray<Any> | { readonly [name: string]: Any }): Effect.Effect<never, never, never> => {
  const gathered = Array.isArray(effects)
    ? forEach(effects, (effect) => effect)
    : Effect.map(
        forEach(Object.values(effects), (effect) => effect),
        (values) => Object.fromEntries(Object.keys(effects).map((name, place) => [name, values[place]]))
      )
  return gathered as Effect.Effect<never>
}

// biome-ignore lint/suspicious/noExplicitAny: the constraint of a generic must admit every effect.
type Any = Effect.Effect<any, any, any>

const gather = <A, B, E, R>(
  items: ReadonlyArray<A>,
  run: (item: A, index: number) => Effect.Effect<B, E, R>,
  runtime: Runtime.Runtime<R>
): Effect.Effect<Array<B>, E> =>
  Effect.async((resume) => {
    // An item may be interrupted where the caller may be; its exit is always reported.
    const fork = Runtime.runFork(Runtime.disableRuntimeFlag(runtime, RuntimeFlags.Interruption))
    const isInterruptible = RuntimeFlags.interruption(runtime.runtimeFlags)
    const values = new Array<B>(items.length)
    const failures: Array<readonly [index: number, cause: Cause.Cause<E>]> = []
    const running = new Set<Fiber.RuntimeFiber<Exit.Exit<B, E>>>()
    // One for the loop itself: some end before the next begins.
    let open = 1
    const close = () => {
      open -= 1
      if (open === 0) resume(failures.length === 0 ? Exit.succeed(values) : verdict(failures))
    }
    for (const [index, item] of items.entries()) {
      if (failures.length > 0) break
      open += 1
      // As an exit, so that no failure counts as unhandled.
      const ran = Effect.suspend(() => run(item, index))
      const fiber = fork(Effect.exit(isInterruptible ? Effect.interruptible(ran) : ran))
      running.add(fiber)
      fiber.addObserver((exited) => {
        running.delete(fiber)
        const exit = Exit.flatten(exited)
        if (Exit.isSuccess(exit)) values[index] = exit.value
        else {
          failures.push([index, exit.cause])
          if (failures.length === 1) for (const other of running) interruptSoon(other)
        }
        close()
      })
    }
    close()
    return Effect.suspend(() => Fiber.interruptAll([...running]))
  })

/**
 * Not at once, so that failures of the same moment are collected too: the reported failure must not depend on their
 * order.
 */
const interruptSoon = (fiber: Fiber.RuntimeFiber<unknown>): void =>
  fiber.currentScheduler.scheduleTask(() => fiber.unsafeInterruptAsFork(FiberId.none), 0, fiber)

/** All failures in the order of the items, as `Effect.forEach` reports them. */
const verdict = <E>(failures: Array<readonly [index: number, cause: Cause.Cause<E>]>): Exit.Exit<never, E> =>
  Exit.failCause(
    failures
      .sort(([a], [b]) => a - b)
      .map(([, cause]) => cause)
      .reduce((first, second) => Cause.parallel(first, second))
  )

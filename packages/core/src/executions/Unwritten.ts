/** @internal */

import { Duration, Effect, FiberMap, type Scope } from "effect"
import type { ExecutionId } from "../domain/Id.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * The ends of executions of this process that a store was away for. Each is tried again every second until it is
 * written, so that none is shown as running although nobody runs it.
 */
export interface Unwritten {
  /** Keeps the end of an execution to write it later. It must be safe to write twice. */
  readonly keep: (id: ExecutionId, write: Effect.Effect<void, StorageError>) => Effect.Effect<void>
  /** Writes the end of this execution now, where one is kept; answers whether one was. */
  readonly write: (id: ExecutionId) => Effect.Effect<boolean, StorageError>
}

export const make: Effect.Effect<Unwritten, never, Scope.Scope> = Effect.gen(function* () {
  const kept = new Map<ExecutionId, Effect.Effect<void, StorageError>>()
  const writers = yield* FiberMap.make<ExecutionId>()

  const write = (id: ExecutionId) =>
    Effect.suspend(() => {
      const end = kept.get(id)
      if (end === undefined) return Effect.succeed(false)
      const forget = Effect.sync(() => {
        if (kept.get(id) === end) kept.delete(id)
      })
      return Effect.as(Effect.uninterruptible(Effect.zipRight(end, forget)), true)
    })

  return {
    keep: (id, end) =>
      Effect.gen(function* () {
        const earlier = kept.get(id)
        kept.set(id, earlier === undefined ? end : Effect.zipRight(earlier, end))
        yield* FiberMap.run(
          writers,
          id,
          Effect.delay(write(id), Duration.seconds(1)).pipe(
            Effect.catchAllCause(() => Effect.void),
            Effect.repeat({ while: () => kept.has(id) }),
            // It is forked where nothing can be interrupted.
            Effect.interruptible
          )
        )
      }),
    write
  }
})

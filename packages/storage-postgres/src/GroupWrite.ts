/** @internal */

import { Deferred, Effect, Exit } from "effect"

/**
 * Writes what is given at the same time together: what comes while others are written waits, and then all that waits is
 * next, at most `most`. `write` answers for each item, and where it fails it fails for all of them. An item whose caller is
 * interrupted before its turn is not written.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Item, A, E>(
  write: (items: ReadonlyArray<Item>) => Effect.Effect<(item: Item) => A, E>,
  { most = 64 }: { readonly most?: number } = {}
): ((item: Item) => Effect.Effect<A, E>) => {
  const waiting = new Map<Item, Deferred.Deferred<A, E>>()
  let isWriting = false

  const lead = Effect.gen(function* () {
    while (waiting.size > 0) {
      yield* nextTurn
      const members = [...waiting].slice(0, most)
      for (const [item] of members) waiting.delete(item)
      const answers = yield* Effect.exit(write(members.map(([item]) => item)))
      for (const [item, answer] of members)
        Deferred.unsafeDone(
          answer,
          Exit.map(answers, (of) => of(item))
        )
    }
    isWriting = false
  })

  return (item) =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<A, E>()
      waiting.set(item, answer)
      if (!isWriting) {
        isWriting = true
        // It ends when nothing waits, and goes on for the others when the one that began it is interrupted.
        yield* Effect.forkDaemon(lead)
      }
      return yield* Effect.onInterrupt(Deferred.await(answer), () => Effect.sync(() => waiting.delete(item)))
    })
}

/** Whoever is heard in this turn of the event loop may join. */
const nextTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** @internal */

import * as Group from "@assay/storage-sql/Group"
import { Deferred, Effect, Exit, Runtime } from "effect"

/**
 * Writes what is given at the same time together: what comes while others are written waits, and then all that waits is
 * next, at most `most`. `write` answers for each item, and where it fails it fails for all of them. An item is not written if
 * its caller is interrupted before its turn.
 */
export const make = <Item, A, E>(
  write: (items: ReadonlyArray<Item>) => Effect.Effect<(item: Item) => A, E>,
  { most = 64 }: { readonly most?: number } = {}
): ((item: Item) => Effect.Effect<A, E>) => {
  interface Waiting {
    readonly item: Item
    readonly answer: Deferred.Deferred<A, E>
  }
  const group = Group.make<Waiting>(most, (members) =>
    Effect.map(Effect.exit(write(members.map(({ item }) => item))), (answers) => {
      for (const { answer, item } of members)
        Deferred.unsafeDone(
          answer,
          Exit.map(answers, (of) => of(item))
        )
    })
  )
  return (item) =>
    Effect.gen(function* () {
      const member = { item, answer: yield* Deferred.make<A, E>() }
      const runtime = yield* Effect.runtime()
      // It ends when nothing waits, and goes on for the others when the one that began it is interrupted.
      group.join(member, Runtime.runFork(runtime))
      return yield* Effect.onInterrupt(Deferred.await(member.answer), () => Effect.sync(() => group.leave(member)))
    })
}

/** @internal */

import { Effect } from "effect"
import * as Id from "../domain/Id.js"
import { WatchStore } from "../storage/WatchStore.js"
import { type Guarantees, never, noon, same } from "./Guarantee.js"
import { alone, eventOf, finish, minute, started, watchAt } from "./WatchSteps.js"

/** What `WatchStore` promises of the events that runs write. */
export const cases: Guarantees<WatchStore> = {
  "events wait in the order in which they were written until they are relayed, each once": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const events = yield* Effect.replicateEffect(eventOf(watch), 5)
    const [first, second, third] = [events.slice(0, 2), events.slice(2, 4), events.slice(3)]
    for (const [index, told] of [first, second, third].entries())
      yield* finish(yield* started(watch, noon + index * minute), noon, told)
    const outbox = (limit: number) => Effect.map(store.outbox(limit), (all) => all.map(({ id }) => id))
    const order = events.map(({ id }) => id)
    yield* same("as written", yield* store.outbox(9), events)
    yield* same("part", yield* outbox(3), order.slice(0, 3))
    yield* store.relayed(order.slice(1, 3))
    yield* store.relayed(order.slice(1, 3))
    yield* store.relayed([])
    yield* same("the rest", yield* outbox(9), [order[0], order[3], order[4]])
  }),
  "what happened to a watch before it was removed is still told, and nothing after": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const [told, late] = [yield* eventOf(watch), yield* eventOf(watch)]
    yield* finish(yield* started(watch, noon), noon, [told])
    const live = yield* started(watch, noon + minute)
    yield* store.remove(key, watch.id)
    yield* same("its run ends no more", yield* finish(live, noon + minute, [late]), false)
    yield* same("left", yield* store.outbox(9), [told])
  })
}

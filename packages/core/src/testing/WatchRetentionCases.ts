/** @internal */

import { Effect, Option } from "effect"
import type { RunId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { WatchStore } from "../storage/WatchStore.js"
import { type Guarantees, never, noon, same } from "./Guarantee.js"
import { alone, eventOf, finish, firstOf, minute, started, watchAt } from "./WatchSteps.js"

/** What `WatchStore` promises of runs that are past their time. */
export const cases: Guarantees<WatchStore> = {
  "retention removes ended runs by their age and kind, in parts, and never one that lives": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const watch = yield* watchAt(key, never)
    const left = Effect.map(store.runs(key, watch.id, { changed: false }, firstOf(99)), (page) =>
      Option.match(page, { onNone: () => [], onSome: ({ data }) => data.map(({ id }) => id) })
    )
    const made: Array<RunId> = []
    for (let round = 0; round < 6; round++) {
      const at = noon + round * minute
      const begun = yield* started(watch, at)
      yield* finish(begun, at, round % 2 === 0 ? [] : [yield* eventOf(watch)])
      made.unshift(begun.run.id)
    }
    const live = yield* started(watch, noon + 6 * minute)
    made.unshift(live.run.id)
    const prune = (unchangedBefore: number, changedBefore: number, limit: number) =>
      store.prune({ unchangedBefore, changedBefore, limit })
    yield* same("nothing is old enough", yield* prune(noon, noon + minute, 99), 0)
    yield* same("all are left", yield* left, made)
    yield* same("unchanged ones", yield* prune(noon + 2 * minute + 1, noon, 99), 2)
    yield* same(
      "are gone",
      yield* left,
      [0, 1, 2, 3, 5].map((index) => made[index])
    )
    yield* same("in parts", yield* prune(never, never, 3), 3)
    yield* same("in parts", yield* prune(never, never, 3), 1)
    yield* same("no more", yield* prune(never, never, 3), 0)
    yield* same("the live one is left", yield* left, [live.run.id])
    yield* same("and can be finished", yield* finish(live, noon), true)
    yield* same("the watch is left", Option.isSome(yield* store.find(key, watch.id)), true)
  })
}

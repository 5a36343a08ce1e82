/** @internal */

import { Effect } from "effect"
import type { WatchId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { WatchStore } from "../storage/WatchStore.js"
import { type Guarantees, never, noon, same } from "./Guarantee.js"
import { alone, claim, finish, ids, watchAt } from "./WatchSteps.js"

/** What `WatchStore` promises of the leases of runs. */
export const cases: Guarantees<WatchStore> = {
  "the lease of a run ends at the time that the store is told, unless its token has prolonged it": Effect.gen(
    function* () {
      yield* alone
      const store = yield* WatchStore
      const key = yield* Id.make("key")
      yield* watchAt(key, noon)
      const [claimed] = yield* claim(noon, { until: noon + 50 })
      if (claimed === undefined) return
      const { run, token } = claimed
      yield* same("before", yield* store.expired(noon + 49, 9), [])
      yield* same("at its end", yield* store.expired(noon + 50, 9), [claimed])
      yield* same("another token", yield* store.renew(run.id, { token: "another", until: never }), false)
      yield* same("its token", yield* store.renew(run.id, { token, until: noon + 90 }), true)
      yield* same("prolonged", yield* store.expired(noon + 89, 9), [])
      yield* same("again", yield* store.expired(noon + 90, 9), [claimed])
      yield* same("not claimed twice", yield* claim(never), [])
      yield* finish(claimed, noon + 91)
      yield* same("ended", yield* store.expired(never, 9), [])
      yield* same("not prolonged", yield* store.renew(run.id, { token, until: never }), false)
      yield* same("an unknown run", yield* store.renew(yield* Id.make("run"), { token, until: never }), false)
    }
  ),
  "running runs are found by their tokens, whatever their leases, until they end": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    for (const key of [yield* Id.make("key"), yield* Id.make("key")]) yield* watchAt(key, noon)
    const [one, two] = yield* claim(noon, { slots: 2, until: noon + 50 })
    if (one === undefined || two === undefined) return yield* same("claimed", [one, two].length, 0)
    const tokens = [one.token, two.token].sort()
    yield* same("tokens", [...(yield* store.tokens)].sort(), tokens)
    yield* same("one of them", yield* store.claims([one.token, "another"]), [one])
    yield* same("both", (yield* store.claims(tokens)).length, 2)
    yield* same("none", yield* store.claims([]), [])
    yield* finish(one, noon + 1)
    yield* same("ended", yield* store.claims(tokens), [two])
    yield* same("its token is no longer told", yield* store.tokens, [two.token])
  }),
  "ended leases come oldest first and in parts": Effect.gen(function* () {
    yield* alone
    const store = yield* WatchStore
    const key = yield* Id.make("key")
    const order: Array<WatchId> = []
    for (const until of [noon + 3, noon + 1, noon + 2, noon + 9]) {
      const watch = yield* watchAt(key, noon)
      yield* claim(noon, { until })
      if (until < noon + 9) order[until - noon - 1] = watch.id
    }
    yield* same("part", ids(yield* store.expired(noon + 5, 2)), order.slice(0, 2))
    yield* same("all", ids(yield* store.expired(noon + 5, 9)), order)
  })
}

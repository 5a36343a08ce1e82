/** @internal */

import { Effect, Option } from "effect"
import * as Id from "../domain/Id.js"
import { EventStore } from "../storage/EventStore.js"
import {
  alone,
  appended,
  claim,
  delivered,
  deliveriesTo,
  endpointAt,
  everything,
  finish,
  sequences
} from "./EventSteps.js"
import { type Guarantees, never, noon, same } from "./Guarantee.js"

/** What `EventStore` promises of events that are past their time. */
export const cases: Guarantees<EventStore> = {
  "what retention removed is said to be, with the place that misses nothing, and numbers go on": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      for (let round = 0; round < 5; round++) yield* appended(key, 1, noon + round)
      yield* same("nothing is old enough", yield* store.prune(noon, 99), 0)
      yield* same("in parts", yield* store.prune(noon + 3, 2), 2)
      yield* same("expired", yield* store.read(key, everything), { _tag: "Expired", oldest: 2 })
      yield* same("just so", yield* store.read(key, { ...everything, after: 1 }), { _tag: "Expired", oldest: 2 })
      yield* same("the rest", sequences(yield* store.read(key, { ...everything, after: 2 })), [3, 4, 5])
      yield* same("in parts", yield* store.prune(noon + 3, 2), 1)
      yield* same("all", yield* store.prune(never, 99), 2)
      yield* same("none is left", yield* store.read(key, everything), { _tag: "Expired", oldest: 5 })
      yield* same("the newest that there was", [...(yield* store.newest([key]))], [[key, 5]])
      yield* same("nothing yet", yield* store.read(key, { ...everything, after: 5 }), {
        _tag: "Events",
        events: [],
        next: 5
      })
      yield* same(
        "goes on",
        (yield* appended(key, 1)).map(({ sequence }) => sequence),
        [6]
      )
      yield* same("is read", sequences(yield* store.read(key, { ...everything, after: 5 })), [6])
    }
  ),
  "the first of a log are the first to be removed, also where a clock went back": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const [key, other] = [yield* Id.make("key"), yield* Id.make("key")]
    yield* appended(key, 1, noon + 100)
    yield* appended(key, 1, noon)
    yield* appended(other, 1, noon + 50)
    yield* same("only the other's", yield* store.prune(noon + 100, 99), 1)
    yield* same("kept", sequences(yield* store.read(key, everything)), [1, 2])
    yield* same("the first", yield* store.prune(noon + 101, 1), 1)
    yield* same("the second is left", sequences(yield* store.read(key, { ...everything, after: 1 })), [2])
  }),
  "events that are removed take their deliveries with them, whatever became of these": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    yield* appended(key, 2)
    const [held] = yield* claim(noon, { tokens: 1 })
    const [kept] = yield* appended(key, 1, noon + 1)
    yield* same("two", yield* store.prune(noon + 1, 99), 2)
    yield* same(
      "one is left",
      (yield* deliveriesTo(endpoint)).map(({ event_id }) => event_id),
      [kept?.id]
    )
    if (held !== undefined) {
      yield* same("who held one", yield* finish(held, delivered), false)
      yield* same("not again", yield* store.redeliver(key, endpoint.webhook.id, held.delivery.id, noon), Option.none())
    }
    yield* same(
      "the other is sent",
      (yield* claim(never)).map(({ event }) => event.id),
      [kept?.id]
    )
  })
}

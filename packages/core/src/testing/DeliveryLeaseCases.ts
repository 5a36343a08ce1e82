/** @internal */

import { Effect, Option } from "effect"
import * as Id from "../domain/Id.js"
import { type DeliveryClaim, EventStore } from "../storage/EventStore.js"
import {
  alone,
  appended,
  claim,
  delivered,
  deliveriesTo,
  endpointAt,
  failedUntil,
  finish,
  minute
} from "./EventSteps.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"

/** What `EventStore` promises of who holds a delivery. */
export const cases: Guarantees<EventStore> = {
  "asked again with the tokens of a claim whose answer was lost, it answers what they hold and claims nothing more":
    Effect.gen(function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      yield* endpointAt(key)
      yield* appended(key, 5)
      const tokens = (yield* Effect.replicateEffect(Id.make("req"), 3)).map((id) => `token ${id}`)
      const request = { now: noon, until: noon + minute, tokens, perEndpoint: 1000 }
      const byToken = (claims: ReadonlyArray<DeliveryClaim>) => claims.toSorted((a, b) => (a.token < b.token ? -1 : 1))
      const first = byToken(yield* store.claimDeliveries(request))
      yield* same("claimed", first.length, 3)
      yield* same("again", byToken(yield* store.claimDeliveries({ ...request, now: noon + 1 })), first)
      yield* same("others are free", (yield* claim(noon)).length, 2)
    }),
  "a lease ends at the time that the store is told, and its holder then changes nothing": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    yield* appended(key, 1)
    const [late] = yield* claim(noon, { until: noon + 50 })
    yield* same("before", yield* claim(noon + 49), [])
    const [next] = yield* claim(noon + 50)
    if (late === undefined || next === undefined) return yield* same("claimed twice", [late, next], undefined)
    yield* same("the same", late.delivery, next.delivery)
    yield* same("late", yield* finish(late, failedUntil(noon)), false)
    yield* same(
      "an unknown one",
      yield* finish({ ...next, delivery: { ...next.delivery, id: Id.derive("dlv", "x") } }, delivered),
      false
    )
    yield* same(
      "changes nothing",
      [yield* deliveriesTo(endpoint), yield* store.webhooks(key)],
      [[next.delivery], [endpoint]]
    )
    yield* same("its holder", yield* finish(next, delivered), true)
    yield* same("once", yield* finish(next, delivered), false)
    const wanted = delivered({ delivery: next.delivery, endpoint })
    yield* same(
      "written",
      [yield* deliveriesTo(endpoint), yield* store.webhooks(key)],
      [[wanted.delivery], [wanted.endpoint]]
    )
    yield* same("delivered", yield* claim(never), [])
  }),
  "deliveries are found by the tokens that hold them, and freed by these before their leases end": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      yield* endpointAt(one)
      yield* endpointAt(two)
      yield* same("nothing is held", yield* store.heldDeliveries, [])
      yield* appended(one, 2)
      yield* appended(two, 1)
      const claims = yield* claim(noon, { until: noon + minute })
      const [gone, ended, kept] = claims
      if (gone === undefined || ended === undefined || kept === undefined || claims.length > 3)
        return yield* same("claimed", claims.length, 3)
      const held = Effect.map(store.heldDeliveries, (tokens) => tokens.toSorted())
      yield* same("held", yield* held, [gone.token, ended.token, kept.token].toSorted())
      yield* same("ended", yield* finish(ended, delivered), true)
      yield* same("free again", yield* held, [gone.token, kept.token].toSorted())
      const tokens = [gone.token, ended.token, "another"]
      yield* same("freed", yield* store.freeDeliveries(tokens, noon + 5), 1)
      yield* same("once", yield* store.freeDeliveries(tokens, noon + 6), 0)
      yield* same("none", yield* store.freeDeliveries([], noon + 6), 0)
      yield* same("still held", yield* held, [kept.token])
      yield* same("due", yield* store.nextDeliveryAt, Option.some(noon + 5))
      yield* same("not before", yield* claim(noon + 4), [])
      const again = yield* claim(noon + 5)
      yield* same(
        "the same",
        again.map(({ delivery, event }) => [delivery, event]),
        [[gone.delivery, gone.event]]
      )
      yield* same("its old holder changes nothing", yield* finish(gone, delivered), false)
      yield* same("the other holder does", yield* finish(kept, delivered), true)
    }
  ),
  "of twenty that claim at once none is given what another got, and an end sees the endpoint as it is": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      yield* Effect.replicateEffect(endpointAt(key), 3)
      yield* appended(key, 10)
      const claims = (yield* Effect.replicateEffect(claim(noon, { tokens: 2 }), 20, concurrently)).flat()
      yield* same("all", new Set(claims.map(({ delivery }) => delivery.id)).size, 30)
      yield* same("once", claims.length, 30)
      const ended = yield* Effect.forEach(claims, (made) => finish(made, failedUntil(noon + minute)), concurrently)
      yield* same("ended", ended.every(Boolean), true)
      const failures = (yield* store.webhooks(key)).map((endpoint) => endpoint.failures)
      yield* same("counted", failures, [10, 10, 10])
    }
  )
}

/** @internal */

import { Effect, Option } from "effect"
import * as Id from "../domain/Id.js"
import { EventStore, type StoredWebhook } from "../storage/EventStore.js"
import {
  alone,
  appended,
  claim,
  delivered,
  deliveriesTo,
  disabled,
  enabled,
  endpointAt,
  endpointOf,
  everything,
  finish,
  firstOf,
  sequences,
  statuses,
  upTo
} from "./EventSteps.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"

/** What `EventStore` promises of endpoints: how they are kept, changed, disabled and removed. */
export const cases: Guarantees<EventStore> = {
  "endpoints are kept as they were made, newest first, at most as many as allowed, and the same id again changes nothing":
    Effect.gen(function* () {
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const made = yield* Effect.replicateEffect(endpointOf(key, { watch_ids: [], min_severity: "high" }), 20)
      const kept = yield* Effect.forEach(made, (endpoint) => store.addWebhook(endpoint, 5), concurrently)
      yield* same("kept", kept.filter(Boolean).length, 5)
      // Of those that are added at once any may be the newest, from then on the same.
      const byId = (endpoints: ReadonlyArray<StoredWebhook>) =>
        endpoints.toSorted((a, b) => (a.webhook.id < b.webhook.id ? -1 : 1))
      const listed = yield* store.webhooks(key)
      yield* same("as made", byId(listed), byId(made.filter((_, index) => kept[index])))
      const [first, ...rest] = listed
      if (first === undefined) return
      yield* same("again", yield* store.addWebhook({ ...first, failures: 9 }, 5), true)
      yield* same("unchanged", yield* store.webhooks(key), listed)
      yield* same("removed", yield* store.removeWebhook(key, first.webhook.id), true)
      yield* same("again", yield* store.removeWebhook(key, first.webhook.id), false)
      const last = yield* endpointOf(key)
      yield* same("room for one", yield* store.addWebhook(last, 5), true)
      yield* same("newest first", yield* store.webhooks(key), [last, ...rest])
      yield* same("and no more", yield* store.addWebhook(yield* endpointOf(key), 5), false)
    }),
  "changes of an endpoint at once are decided one after the other": Effect.gen(function* () {
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    const { id } = endpoint.webhook
    const more = (found: StoredWebhook): StoredWebhook => ({
      ...found,
      failures: found.failures + 1,
      warned: true,
      secrets: found.secrets.slice(0, 1)
    })
    yield* Effect.replicateEffect(store.changeWebhook(key, id, more), 20, concurrently)
    const wanted = { ...endpoint, failures: 20, warned: true, secrets: endpoint.secrets.slice(0, 1) }
    yield* same("changed", yield* store.webhooks(key), [wanted])
    yield* same("absent", yield* store.changeWebhook(key, yield* Id.make("whk"), more), Option.none())
  }),
  "what another key has is not read, listed, changed, removed, sent again or a place in a list": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const [mine, theirs] = [yield* endpointAt(one), yield* endpointAt(two)]
      yield* appended(two, 1)
      const [delivery] = yield* deliveriesTo(theirs)
      if (delivery === undefined) return yield* same("delivery", undefined, "pending")
      yield* same("read", sequences(yield* store.read(one, everything)), [])
      yield* same("listed", yield* store.webhooks(one), [mine])
      yield* same("changed", yield* store.changeWebhook(one, theirs.webhook.id, disabled), Option.none())
      yield* same("removed", yield* store.removeWebhook(one, theirs.webhook.id), false)
      yield* same("deliveries", yield* store.deliveries(one, theirs.webhook.id, firstOf(9)), Option.none())
      yield* same("not mine", yield* store.redeliver(one, theirs.webhook.id, delivery.id, noon), Option.none())
      yield* same("not there", yield* store.redeliver(one, mine.webhook.id, delivery.id, noon), Option.none())
      const place = yield* store.deliveries(one, mine.webhook.id, firstOf(9, Option.some(delivery.id)))
      yield* same("place", place, Option.some({ data: [], next_cursor: null }))
      yield* same("mine is told nothing", yield* deliveriesTo(mine), [])
      yield* same("unchanged", yield* store.webhooks(two), [theirs])
    }
  ),
  "an endpoint that an attempt disables drops what is on its way there, held or not, and the log keeps it": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const [gone, other] = [yield* endpointAt(key), yield* endpointAt(key)]
      yield* appended(key, 3)
      const claims = yield* claim(noon, { tokens: 4 })
      const [first, held] = claims.filter(({ endpoint }) => endpoint.webhook.id === gone.webhook.id)
      if (first === undefined || held === undefined) return yield* same("claimed", claims.length, "four of two")
      yield* finish(first, (current) => ({
        delivery: { ...delivered(current).delivery, status: "exhausted", http_status: 410 },
        endpoint: disabled(current.endpoint),
        events: []
      }))
      yield* same("dropped", (yield* statuses(gone)).toSorted(), ["dropped", "dropped", "exhausted"])
      for (const { next_attempt_at } of yield* deliveriesTo(gone)) yield* same("no attempt", next_attempt_at, null)
      yield* same("who held one", yield* finish(held, delivered), false)
      yield* same("the other goes on", (yield* statuses(other)).length, 3)
      yield* appended(key, 1)
      yield* same("is told nothing", (yield* statuses(gone)).length, 3)
      yield* same("the log keeps all", sequences(yield* store.read(key, everything)), upTo(4))
      const left = yield* claim(never)
      yield* same(
        "never sent",
        left.filter(({ endpoint }) => endpoint.webhook.id === gone.webhook.id),
        []
      )
    }
  ),
  "an endpoint that is disabled drops what is on its way there, and enabled again is told of what comes then":
    Effect.gen(function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const endpoint = yield* endpointAt(key)
      const { id } = endpoint.webhook
      yield* appended(key, 2)
      const [held] = yield* claim(noon, { tokens: 1 })
      yield* same("disabled", yield* store.changeWebhook(key, id, disabled), Option.some(disabled(endpoint)))
      yield* same("dropped", yield* statuses(endpoint), ["dropped", "dropped"])
      if (held !== undefined) yield* same("who held one", yield* finish(held, delivered), false)
      yield* store.changeWebhook(key, id, enabled)
      yield* same("stays dropped", yield* claim(never), [])
      const [event] = yield* appended(key, 1)
      yield* same(
        "what comes then",
        (yield* claim(noon)).map((made) => made.event),
        [event]
      )
    }),
  "an endpoint that is removed is sent nothing, and nothing of it is left": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    const { id } = endpoint.webhook
    yield* appended(key, 2)
    const [held] = yield* claim(noon, { tokens: 1 })
    yield* same("removed", yield* store.removeWebhook(key, id), true)
    if (held !== undefined) yield* same("who held one", yield* finish(held, delivered), false)
    yield* same("not sent", yield* claim(never), [])
    yield* same("no list", yield* store.deliveries(key, id, firstOf(9)), Option.none())
    yield* same("not waited for", yield* store.nextDeliveryAt, Option.none())
  })
}

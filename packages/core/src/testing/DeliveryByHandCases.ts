/** @internal */

import { Effect, Option } from "effect"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import type { Delivery } from "../domain/Webhook.js"
import { type Attempted, EventStore, type Sending } from "../storage/EventStore.js"
import {
  alone,
  append,
  appended,
  claim,
  delivered,
  deliveriesTo,
  disabled,
  endpointAt,
  failedUntil,
  finish,
  newEvent,
  statuses
} from "./EventSteps.js"
import { type Guarantees, never, noon, same } from "./Guarantee.js"

/** What `EventStore` promises of deliveries by hand. */
export const cases: Guarantees<EventStore> = {
  "a delivery can be sent again whatever became of it; one that is being sent stays so": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    const { id } = endpoint.webhook
    yield* appended(key, 1)
    const [first] = yield* claim(noon, { until: noon + 50 })
    if (first === undefined) return
    const again = (now: number) => store.redeliver(key, id, first.delivery.id, now)
    const wanted = (delivery: Delivery, now: number) =>
      Option.some({ ...delivery, status: "pending", next_attempt_at: fromMillis(now) })
    yield* same("while it is sent", yield* again(noon + 10), wanted(first.delivery, noon + 10))
    yield* same("stays so", yield* claim(noon + 49), [])
    yield* same("its holder", yield* finish(first, delivered), true)
    const [done] = yield* deliveriesTo(endpoint)
    if (done === undefined) return
    yield* same("delivered", yield* again(noon + 60), wanted(done, noon + 60))
    yield* same("before", yield* claim(noon + 59), [])
    const [second] = yield* claim(noon + 60)
    yield* same("due", second?.delivery.id, done.id)
    yield* same("absent", yield* store.redeliver(key, id, Id.derive("dlv", "x"), noon), Option.none())
  }),
  "what is asked for by hand is sent to a disabled endpoint too, and nothing else is": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    const { id } = endpoint.webhook
    yield* appended(key, 2)
    yield* store.changeWebhook(key, id, disabled)
    yield* appended(key, 1)
    yield* same("nothing", yield* store.nextDeliveryAt, Option.none())
    const [, dropped] = yield* deliveriesTo(endpoint)
    if (dropped === undefined) return yield* same("dropped", dropped, "two")
    yield* store.redeliver(key, id, dropped.id, noon + 5)
    yield* same("waited for", yield* store.nextDeliveryAt, Option.some(noon + 5))
    yield* same("before", yield* claim(noon + 4), [])
    const [held] = yield* claim(noon + 5)
    yield* same("sent", [held?.delivery.id, held?.endpoint], [dropped.id, disabled(endpoint)])
    yield* store.changeWebhook(key, id, (found) => ({ ...found, webhook: { ...found.webhook, label: "still off" } }))
    if (held !== undefined) yield* same("stays held", yield* finish(held, delivered), true)
    const ping = yield* newEvent(key, { only: id, body: { type: "test.ping", data: { webhook_id: id } } })
    yield* append([ping])
    yield* same(
      "a ping too",
      (yield* claim(never)).map(({ event }) => event.id),
      [ping.id]
    )
    yield* same("the other stays", (yield* statuses(endpoint)).toSorted(), ["delivered", "dropped", "pending"])
  }),
  "what had come to an end, or is meant for one endpoint, is asked for by hand; what is on its way is not": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const endpoint = yield* endpointAt(key)
      const { id } = endpoint.webhook
      const asked = Effect.fnUntraced(function* (decide: (current: Sending) => Attempted) {
        const seen: Array<boolean> = []
        for (const made of yield* claim(never))
          yield* finish(made, (current) => {
            seen.push(current.asked)
            return decide(current)
          })
        return seen
      })
      const again = Effect.flatMap(deliveriesTo(endpoint), (all) =>
        Effect.forEach(all, (delivery) => store.redeliver(key, id, delivery.id, noon))
      )
      yield* appended(key, 1)
      yield* same("by itself", yield* asked(failedUntil(noon)), [false])
      yield* again
      yield* same("on its way", yield* asked(delivered), [false])
      yield* again
      yield* same("once more", yield* asked(failedUntil(noon)), [true])
      yield* again
      yield* same("asked twice", yield* asked(delivered), [true])
      yield* append([yield* newEvent(key, { only: id, body: { type: "test.ping", data: { webhook_id: id } } })])
      yield* same("a ping", yield* asked(delivered), [true])
    }
  )
}

/** @internal */

import { Effect, Option } from "effect"
import type { DeliveryId, KeyId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import { type Attempted, EventStore, type Sending, type StoredWebhook } from "../storage/EventStore.js"
import {
  alone,
  append,
  appended,
  changed,
  claim,
  delivered,
  deliveriesTo,
  disabling,
  endpointAt,
  everything,
  failedUntil,
  finish,
  firstOf,
  minute,
  newEvent,
  sequences,
  statuses,
  upTo
} from "./EventSteps.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"

/** What `EventStore` promises of what is on its way to endpoints. */
export const cases: Guarantees<EventStore> = {
  "an event goes to the endpoints that want it when it is appended, and to no others": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const [one, two] = [yield* Id.make("wat"), yield* Id.make("wat")]
    const all = yield* endpointAt(key)
    const quota = yield* endpointAt(key, { event_types: ["quota.threshold"] })
    const ofOne = yield* endpointAt(key, { watch_ids: [one] })
    const severe = yield* endpointAt(key, { min_severity: "high" })
    const off = yield* endpointAt(key, { state: "disabled", disabled_reason: "by_owner" })
    const low = yield* newEvent(key, { body: yield* changed(one, "low") })
    const high = yield* newEvent(key, { body: yield* changed(two, "high") })
    const plain = yield* newEvent(key)
    const only = yield* newEvent(key, {
      only: quota.webhook.id,
      body: { type: "test.ping", data: { webhook_id: quota.webhook.id } }
    })
    const onlyOff = yield* newEvent(key, {
      only: off.webhook.id,
      body: { type: "test.ping", data: { webhook_id: off.webhook.id } }
    })
    yield* append([low, high, plain, only, onlyOff])
    const late = yield* endpointAt(key)
    const toldOf = (endpoint: StoredWebhook) =>
      Effect.map(deliveriesTo(endpoint), (found) => found.map(({ event_id }) => event_id))
    yield* same("all", yield* toldOf(all), [plain.id, high.id, low.id])
    yield* same("quota", yield* toldOf(quota), [only.id, plain.id])
    yield* same("of one", yield* toldOf(ofOne), [plain.id, low.id])
    yield* same("severe", yield* toldOf(severe), [plain.id, high.id])
    yield* same("off is told what is meant for it", yield* toldOf(off), [onlyOff.id])
    yield* same("late", yield* toldOf(late), [])
    yield* same("all are in the log", sequences(yield* store.read(key, everything)), upTo(5))
    yield* same("as they begin", (yield* deliveriesTo(severe))[1], {
      id: Id.derive("dlv", high.id, severe.webhook.id),
      event_id: high.id,
      attempt: 0,
      status: "pending",
      http_status: null,
      latency_ms: null,
      error_class: null,
      at: null,
      next_attempt_at: fromMillis(noon)
    })
  }),
  "a delivery is claimed when it is due and not before, with its event and endpoint, by one": Effect.gen(function* () {
    yield* alone
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    const [event] = yield* appended(key, 1)
    yield* same("before", yield* claim(noon - 1), [])
    const claims = (yield* Effect.replicateEffect(claim(noon), 10, concurrently)).flat()
    const [delivery] = yield* deliveriesTo(endpoint)
    yield* same(
      "claimed",
      claims.map(({ token: _, ...rest }) => rest),
      [{ delivery, event, endpoint }]
    )
    yield* same("held", yield* claim(noon + minute - 1), [])
    yield* same("pending all the time", yield* statuses(endpoint), ["pending"])
  }),
  "a failed attempt waits until its next one": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const endpoint = yield* endpointAt(key)
    yield* appended(key, 1)
    const [first] = yield* claim(noon)
    if (first === undefined) return
    yield* finish(first, failedUntil(noon + 5000))
    const wanted = failedUntil(noon + 5000)({ delivery: first.delivery, endpoint })
    yield* same(
      "written",
      [yield* deliveriesTo(endpoint), yield* store.webhooks(key)],
      [[wanted.delivery], [wanted.endpoint]]
    )
    yield* same("before", yield* claim(noon + 4999), [])
    const [second] = yield* claim(noon + 5000)
    yield* same("at its time", second?.delivery, wanted.delivery)
    if (second !== undefined)
      yield* finish(second, ({ delivery, endpoint }) => ({
        delivery: { ...delivery, status: "exhausted", next_attempt_at: null },
        endpoint,
        events: []
      }))
    yield* same("exhausted", yield* claim(never), [])
  }),
  "the news of an attempt is written with it, once, and told to the others as they are then": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const failing = yield* endpointAt(key, { event_types: ["quota.threshold", "webhook.disabled"] })
    const other = yield* endpointAt(key, { event_types: ["webhook.disabled"] })
    const off = yield* endpointAt(key, { event_types: ["webhook.disabled"], state: "disabled" })
    yield* appended(key, 1)
    const [made] = yield* claim(noon)
    if (made === undefined) return yield* same("claimed", made, "one")
    const { id } = failing.webhook
    const news = yield* newEvent(key, {
      body: { type: "webhook.disabled", data: { webhook_id: id, url: failing.webhook.url, reason: "gone" } }
    })
    const tells = (current: Sending): Attempted => ({ ...disabling(current), events: [news] })
    const late = { ...made, token: "nobody's" }
    yield* same("who does not hold it tells nothing", yield* finish(late, tells), false)
    yield* same("log", sequences(yield* store.read(key, everything)), [1])
    const told = yield* store.finishDelivery(made.delivery.id, made.token, tells)
    const event = { id: news.id, sequence: 2, timestamp: news.timestamp, ...news.body }
    yield* same("told", told, Option.some([event]))
    yield* same("in the log", yield* store.read(key, { ...everything, after: 1 }), {
      _tag: "Events",
      events: [event],
      next: 2
    })
    yield* same("again", yield* store.finishDelivery(made.delivery.id, made.token, tells), Option.none())
    yield* same("not to the one itself", yield* statuses(failing), ["dropped"])
    yield* same("nor to one that is off", yield* statuses(off), [])
    yield* same("to the other", [yield* statuses(other), yield* store.nextDeliveryAt], [["pending"], Option.some(noon)])
    yield* same(
      "which is sent it",
      (yield* claim(noon)).map((sent) => [sent.endpoint.webhook.id, sent.event]),
      [[other.webhook.id, event]]
    )
  }),
  "what waits longest is sent first, no endpoint holds more than it may, and a slow one keeps nobody waiting":
    Effect.gen(function* () {
      yield* alone
      const [slow, quick] = [yield* Id.make("key"), yield* Id.make("key")]
      const slowly = yield* endpointAt(slow)
      yield* endpointAt(quick)
      yield* appended(slow, 40, noon - 1000)
      const order = (yield* appended(quick, 3, noon)).map(({ id }) => id)
      const claims = yield* claim(noon, { perEndpoint: 2, until: noon + 50 })
      const eventsOf = (key: KeyId) =>
        claims.flatMap(({ endpoint, event }) => (endpoint.keyId === key ? [event.id] : []))
      yield* same(
        "of each at most two",
        claims.map(({ endpoint }) => endpoint.keyId),
        [slow, slow, quick, quick]
      )
      yield* same("the first ones", eventsOf(quick), order.slice(0, 2))
      yield* same("no more", yield* claim(noon, { perEndpoint: 2 }), [])
      for (const made of claims) if (made.endpoint.keyId === quick) yield* finish(made, delivered)
      yield* same(
        "the rest",
        (yield* claim(noon, { perEndpoint: 2 })).map(({ event }) => event.id),
        order.slice(2)
      )
      const again = yield* claim(noon + 50, { perEndpoint: 2 })
      yield* same(
        "held ones end",
        again.map(({ endpoint }) => endpoint.keyId),
        [slow, slow]
      )
      yield* same("none is lost", (yield* statuses(slowly)).length, 40)
    }),
  "the next delivery is the first that is due, a held one at the end of its lease": Effect.gen(function* () {
    yield* alone
    const store = yield* EventStore
    const key = yield* Id.make("key")
    yield* same("nothing", yield* store.nextDeliveryAt, Option.none())
    yield* endpointAt(key)
    yield* appended(key, 1, noon - 5)
    yield* same("in the past", yield* store.nextDeliveryAt, Option.some(noon - 5))
    const [first] = yield* claim(noon, { until: noon + 50 })
    yield* same("held", yield* store.nextDeliveryAt, Option.some(noon + 50))
    yield* appended(key, 1, noon + 40)
    yield* same("another", yield* store.nextDeliveryAt, Option.some(noon + 40))
    if (first !== undefined) yield* finish(first, failedUntil(noon + 30))
    yield* same("its next attempt", yield* store.nextDeliveryAt, Option.some(noon + 30))
  }),
  "deliveries are listed newest first, in pages that neither repeat nor skip while the list grows": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const { keyId, webhook } = yield* endpointAt(key)
      const none = Option.some({ data: [], next_cursor: null })
      yield* same("none yet", yield* store.deliveries(keyId, webhook.id, firstOf(3)), none)
      const order = (yield* appended(key, 7)).map(({ id }) => Id.derive("dlv", id, webhook.id)).reverse()
      const seen: Array<DeliveryId> = []
      let before = Option.none<DeliveryId>()
      do {
        const page = yield* store.deliveries(keyId, webhook.id, firstOf(3, before))
        const { data, next_cursor } = Option.getOrElse(page, () => ({ data: [], next_cursor: null }))
        yield* same("at most three", data.length <= 3, true)
        seen.push(...data.map(({ id }) => id))
        before = Option.fromNullable(next_cursor as DeliveryId | null)
        yield* appended(key, 1)
      } while (Option.isSome(before))
      yield* same("all", seen, order)
      const absent = Option.some(Id.derive("dlv", "x"))
      yield* same("an unknown place", yield* store.deliveries(keyId, webhook.id, firstOf(3, absent)), none)
    }
  )
}

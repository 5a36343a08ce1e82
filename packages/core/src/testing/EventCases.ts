/** @internal */

import { Effect, Option } from "effect"
import type { EventBody, NewEvent } from "../domain/Event.js"
import type { DeliveryId, KeyId, WatchId, WebhookId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import type { Delivery, Webhook } from "../domain/Webhook.js"
import {
  type Attempted,
  type DeliveryClaim,
  type EventPage,
  type EventQuery,
  EventStore,
  type Sending,
  type StoredWebhook
} from "../storage/EventStore.js"
import type { PageAfter } from "../storage/WatchStore.js"
import * as Documents from "./Documents.js"
import { concurrently, type Guarantees, never, noon, same } from "./Guarantee.js"

const minute = 60_000

/** An event of a key that is not in the log yet. */
export const newEvent = Effect.fnUntraced(function* (
  keyId: KeyId,
  options: { readonly body?: EventBody; readonly only?: WebhookId } = {}
) {
  const made: NewEvent = {
    id: yield* Id.make("evt"),
    keyId,
    timestamp: fromMillis(noon),
    body: options.body ?? {
      type: "quota.threshold",
      data: { day: "2026-11-21", daily_quota: 50, used: 40 }
    },
    only: options.only ?? null
  }
  return made
})

const changed = Effect.fnUntraced(function* (watchId: WatchId, severity: "low" | "high") {
  const { address, chain, kind } = Documents.token(0xa55a)
  const body: EventBody = {
    type: "watch.changed",
    data: {
      watch_id: watchId,
      label: "my token “äöü” 𝔘",
      target: kind,
      address,
      chain,
      execution_id: yield* Id.make("exe"),
      base_execution_id: null,
      max_severity: severity,
      counts: { [severity]: 1 },
      score_before: 71,
      score_after: null,
      changes: [],
      changes_url: "/api/v1/executions/exe/changes"
    }
  }
  return body
})

/** An endpoint that wants every event of the kinds that these cases append. */
export const endpointOf = Effect.fnUntraced(function* (keyId: KeyId, changes: Partial<Webhook> = {}) {
  const endpoint: StoredWebhook = {
    keyId,
    webhook: {
      id: yield* Id.make("whk"),
      url: "https://example.com/hook?a=“b”",
      label: null,
      event_types: ["quota.threshold", "watch.changed"],
      watch_ids: null,
      min_severity: null,
      state: "enabled",
      disabled_reason: null,
      failing_since: null,
      last_success_at: null,
      created_at: fromMillis(noon),
      ...changes
    },
    secrets: [
      { secret: "whsec_new", until: Option.none() },
      { secret: "whsec_old", until: Option.some(noon + minute) }
    ],
    failures: 0,
    warned: false
  }
  return endpoint
})

/** Keeps an endpoint. */
export const endpointAt = Effect.fnUntraced(function* (keyId: KeyId, changes: Partial<Webhook> = {}) {
  const store = yield* EventStore
  const endpoint = yield* endpointOf(keyId, changes)
  yield* same("added", yield* store.addWebhook(endpoint, 1000), true)
  return endpoint
})

const append = (events: ReadonlyArray<NewEvent>, now: number = noon) =>
  Effect.flatMap(EventStore, (store) => store.append(events, now))

const appended = Effect.fnUntraced(function* (keyId: KeyId, count: number, now: number = noon) {
  const events = yield* Effect.replicateEffect(newEvent(keyId), count)
  return yield* append(events, now)
})

const everything: EventQuery = { after: 0, types: [], watchId: Option.none(), limit: 100 }
const firstOf = <Id>(limit: number, before: Option.Option<Id> = Option.none()): PageAfter<Id> => ({ limit, before })

const sequences = (page: EventPage): ReadonlyArray<number> =>
  page._tag === "Events" ? page.events.map(({ sequence }) => sequence) : []

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

/** Claims deliveries that are due at a moment. */
export const claim = Effect.fnUntraced(function* (
  now: number,
  options: { readonly tokens?: number; readonly perEndpoint?: number; readonly until?: number } = {}
) {
  const store = yield* EventStore
  const ids = yield* Effect.replicateEffect(Id.make("req"), options.tokens ?? 10)
  return yield* store.claimDeliveries({
    now,
    until: options.until ?? now + minute,
    tokens: ids.map((id) => `token ${id}`),
    perEndpoint: options.perEndpoint ?? 1000
  })
})

const delivered = ({ delivery, endpoint }: Omit<Sending, "asked">): Attempted => ({
  delivery: {
    ...delivery,
    attempt: delivery.attempt + 1,
    status: "delivered",
    http_status: 204,
    latency_ms: 12,
    at: fromMillis(noon),
    next_attempt_at: null
  },
  endpoint: { ...endpoint, failures: 0, webhook: { ...endpoint.webhook, last_success_at: fromMillis(noon) } },
  events: []
})

const failedUntil =
  (next: number) =>
  ({ delivery, endpoint }: Omit<Sending, "asked">): Attempted => ({
    delivery: {
      ...delivery,
      attempt: delivery.attempt + 1,
      error_class: "timeout",
      at: fromMillis(noon),
      next_attempt_at: fromMillis(next)
    },
    endpoint: { ...endpoint, failures: endpoint.failures + 1, warned: true },
    events: []
  })

const disabled = (endpoint: StoredWebhook): StoredWebhook => ({
  ...endpoint,
  webhook: { ...endpoint.webhook, state: "disabled", disabled_reason: "gone" }
})

const enabled = (endpoint: StoredWebhook): StoredWebhook => ({
  ...endpoint,
  webhook: { ...endpoint.webhook, state: "enabled", disabled_reason: null }
})

const disabling = (current: Sending): Attempted => ({
  ...failedUntil(noon)(current),
  endpoint: disabled(current.endpoint)
})

/** Whether it was written. */
const finish = (made: DeliveryClaim, decide: (current: Sending) => Attempted) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.map(store.finishDelivery(made.delivery.id, made.token, decide), Option.isSome)
  )

const deliveriesTo = Effect.fnUntraced(function* ({ keyId, webhook }: StoredWebhook) {
  const store = yield* EventStore
  const page = yield* store.deliveries(keyId, webhook.id, firstOf(100))
  return Option.match(page, { onNone: (): ReadonlyArray<Delivery> => [], onSome: ({ data }) => data })
})

const statuses = (endpoint: StoredWebhook) =>
  Effect.map(deliveriesTo(endpoint), (all) => all.map(({ status }) => status))

/** Removes whatever others left, so that what is on its way or old is a case's own. */
export const alone = Effect.gen(function* () {
  const store = yield* EventStore
  let left: ReadonlyArray<DeliveryClaim>
  do {
    left = yield* claim(never, { tokens: 100 })
    yield* Effect.forEach(left, ({ endpoint }) => store.removeWebhook(endpoint.keyId, endpoint.webhook.id))
  } while (left.length > 0)
  while ((yield* store.prune(never, 1000)) > 0);
})

/** What `EventStore` promises. */
export const cases: Guarantees = {
  "events of a key are numbered from 1 without a gap, in the order in which they are appended, each key apart":
    Effect.gen(function* () {
      const store = yield* EventStore
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const body = yield* changed(yield* Id.make("wat"), "high")
      const events = [
        yield* newEvent(one, { body }),
        yield* newEvent(two),
        yield* newEvent(one),
        yield* newEvent(two, { body })
      ]
      const wanted = events.map((event, index) => ({
        id: event.id,
        sequence: index < 2 ? 1 : 2,
        timestamp: event.timestamp,
        ...event.body
      }))
      yield* same("appended", yield* append(events), wanted)
      yield* same("one", yield* store.read(one, everything), {
        _tag: "Events",
        events: [wanted[0], wanted[2]],
        next: 2
      })
      yield* same("two", sequences(yield* store.read(two, everything)), [1, 2])
      yield* same(
        "further",
        (yield* appended(one, 1)).map(({ sequence }) => sequence),
        [3]
      )
      yield* same("a key without events", yield* store.read(yield* Id.make("key"), everything), {
        _tag: "Events",
        events: [],
        next: 0
      })
    }),
  "an event that is appended again changes nothing and is not told again, also at once and in one call": Effect.gen(
    function* () {
      yield* alone
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const endpoint = yield* endpointAt(key)
      const [first, second] = [yield* newEvent(key), yield* newEvent(key)]
      const answers = yield* Effect.replicateEffect(append([first, second, first]), 10, concurrently)
      yield* same("new once", answers.flat().length, 2)
      const other = { ...first, body: yield* changed(yield* Id.make("wat"), "low") }
      yield* same("again", yield* append([other]), [])
      yield* same("log", sequences(yield* store.read(key, everything)), [1, 2])
      yield* same("deliveries", yield* statuses(endpoint), ["pending", "pending"])
      yield* same("nothing", yield* append([]), [])
    }
  ),
  "fifty appended at once have fifty numbers without a gap": Effect.gen(function* () {
    const store = yield* EventStore
    const keys = yield* Effect.replicateEffect(Id.make("key"), 2)
    yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => keys[index % 2]).flatMap((key) => key ?? []),
      (key) => appended(key, 1),
      concurrently
    )
    for (const key of keys) yield* same("sequences", sequences(yield* store.read(key, everything)), upTo(25))
  }),
  "a log is read in parts, without a repetition or a gap, and at its end the place stays": Effect.gen(function* () {
    const store = yield* EventStore
    const key = yield* Id.make("key")
    yield* appended(key, 7)
    const seen: Array<number> = []
    let after = 0
    for (let page = 0; page < 4; page++) {
      const part = yield* store.read(key, { ...everything, after, limit: 3 })
      seen.push(...sequences(part))
      after = part._tag === "Events" ? part.next : after
      if (page < 2) yield* appended(key, 1)
    }
    yield* same("all", seen, upTo(9))
    yield* same("at the end", yield* store.read(key, { ...everything, after: 9 }), {
      _tag: "Events",
      events: [],
      next: 9
    })
    yield* same("beyond it", yield* store.read(key, { ...everything, after: 99 }), {
      _tag: "Events",
      events: [],
      next: 99
    })
  }),
  "a reader of few types or of one watch is given these, and its place passes the others": Effect.gen(function* () {
    const store = yield* EventStore
    const key = yield* Id.make("key")
    const [one, two] = [yield* Id.make("wat"), yield* Id.make("wat")]
    yield* append([
      yield* newEvent(key),
      yield* newEvent(key, { body: yield* changed(one, "low") }),
      yield* newEvent(key, { body: yield* changed(two, "low") }),
      yield* newEvent(key, { body: yield* changed(one, "high") }),
      yield* newEvent(key)
    ])
    const read = (query: Partial<EventQuery>) =>
      Effect.map(store.read(key, { ...everything, ...query }), (page) => [
        sequences(page),
        page._tag === "Events" ? page.next : page
      ])
    yield* same("a type", yield* read({ types: ["watch.changed"] }), [[2, 3, 4], 5])
    yield* same("two types", yield* read({ types: ["watch.changed", "quota.threshold"] }), [upTo(5), 5])
    yield* same("a type that is not there", yield* read({ types: ["test.ping"] }), [[], 5])
    yield* same("a watch", yield* read({ watchId: Option.some(one) }), [[2, 4], 5])
    yield* same("both", yield* read({ watchId: Option.some(two), types: ["quota.threshold"] }), [[], 5])
    yield* same("a full page ends with its last", yield* read({ watchId: Option.some(one), limit: 1 }), [[2], 2])
    yield* same("and goes on", yield* read({ watchId: Option.some(one), limit: 1, after: 2 }), [[4], 4])
    yield* same("to the end", yield* read({ watchId: Option.some(one), limit: 1, after: 4 }), [[], 5])
  }),
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
  "endpoints are kept as they were made, newest first, at most as many as allowed, and the same id again changes nothing":
    Effect.gen(function* () {
      const store = yield* EventStore
      const key = yield* Id.make("key")
      const made = yield* Effect.replicateEffect(endpointOf(key, { watch_ids: [], min_severity: "high" }), 20)
      const kept = yield* Effect.forEach(made, (endpoint) => store.addWebhook(endpoint, 5), concurrently)
      yield* same("kept", kept.filter(Boolean).length, 5)
      const wanted = made.filter((_, index) => kept[index]).reverse()
      yield* same("as made", yield* store.webhooks(key), wanted)
      const [first] = wanted
      if (first === undefined) return
      yield* same("again", yield* store.addWebhook({ ...first, failures: 9 }, 5), true)
      yield* same("unchanged", yield* store.webhooks(key), wanted)
      yield* same("removed", yield* store.removeWebhook(key, first.webhook.id), true)
      yield* same("again", yield* store.removeWebhook(key, first.webhook.id), false)
      yield* same("room for one", yield* store.addWebhook(yield* endpointOf(key), 5), true)
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
  ),
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
  ),
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
  ),
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

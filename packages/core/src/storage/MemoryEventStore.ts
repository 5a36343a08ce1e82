/** @internal */

import { Effect, Option } from "effect"
import type { Event, EventType, NewEvent } from "../domain/Event.js"
import type { DeliveryId, EventId, KeyId, WatchId, WebhookId } from "../domain/Id.js"
import { fromMillis, toMillis } from "../domain/Timestamp.js"
import { type Delivery, pending as makePending, wants } from "../domain/Webhook.js"
import * as DueQueue from "./DueQueue.js"
import type { Attempted, DeliveryClaim, EventPage, EventQuery, Sending, StoredWebhook } from "./EventRecords.js"
import * as NewestFirst from "./NewestFirst.js"
import type { PageAfter } from "./WatchStore.js"

/** The state of `EventStore.layerMemory`. */
export const make = () => {
  /** The stored part of a key's log, by sequence: those above `removed` up to `last`. */
  interface Log {
    readonly events: Map<number, Event>
    removed: number
    last: number
    /** When the last one was appended. A clock that moves back does not make it older than those before it. */
    at: number
  }
  interface Row {
    readonly endpoint: StoredWebhook
    readonly deliveries: Set<DeliveryId>
    readonly held: Set<DeliveryId>
  }
  interface Queued {
    readonly webhookId: WebhookId
    readonly event: Event
    readonly delivery: Delivery
    readonly asked: boolean
    readonly token: Option.Option<string>
    /** When it is due, or when its lease ends. */
    readonly at: number
    readonly order: number
  }
  const logs = new Map<KeyId, Log>()
  const deliveriesOf = new Map<EventId, ReadonlyArray<DeliveryId>>()
  const age = DueQueue.make<KeyId, EventId>()
  const endpoints = new Map<WebhookId, Row>()
  const ofKey = new Map<KeyId, Set<WebhookId>>()
  const sendings = new Map<DeliveryId, Queued>()
  const pending = DueQueue.make<WebhookId, DeliveryId>()
  let order = 0

  const owned = (keyId: KeyId, id: WebhookId): Row | undefined => {
    const row = endpoints.get(id)
    return row?.endpoint.keyId === keyId ? row : undefined
  }
  const place = (sending: Queued): Delivery => {
    const { at, delivery, order, token, webhookId } = sending
    sendings.set(delivery.id, sending)
    const row = endpoints.get(webhookId)
    if (Option.isSome(token)) row?.held.add(delivery.id)
    else row?.held.delete(delivery.id)
    if (delivery.status === "pending") pending.put({ group: webhookId, item: delivery.id, at, order })
    else pending.remove(delivery.id)
    return delivery
  }
  const forget = (id: DeliveryId): void => {
    const sending = sendings.get(id)
    if (sending === undefined) return
    const row = endpoints.get(sending.webhookId)
    row?.deliveries.delete(id)
    row?.held.delete(id)
    pending.remove(id)
    sendings.delete(id)
  }
  const write = (id: WebhookId, row: Row, endpoint: StoredWebhook): StoredWebhook => {
    endpoints.set(id, { ...row, endpoint })
    if (endpoint.webhook.state === "disabled" && row.endpoint.webhook.state === "enabled")
      for (const deliveryId of row.deliveries) {
        const sending = sendings.get(deliveryId)
        if (sending?.delivery.status === "pending") place(dropped(sending))
      }
    return endpoint
  }
  const dropped = (sending: Queued): Queued => ({
    ...sending,
    delivery: { ...sending.delivery, status: "dropped", next_attempt_at: null },
    token: Option.none()
  })
  const append = ({ body, id, keyId, only, timestamp }: NewEvent, now: number): Option.Option<Event> => {
    if (deliveriesOf.has(id)) return Option.none()
    const log = logs.get(keyId) ?? { events: new Map(), removed: 0, last: 0, at: now }
    logs.set(keyId, log)
    const event: Event = { id, sequence: ++log.last, timestamp, ...body }
    log.events.set(event.sequence, event)
    log.at = Math.max(log.at, now)
    age.put({ group: keyId, item: id, at: log.at, order: order++ })
    const told: Array<DeliveryId> = []
    for (const webhookId of ofKey.get(keyId) ?? []) {
      const row = endpoints.get(webhookId)
      if (row === undefined || !wants(row.endpoint.webhook, { body, only })) continue
      const delivery = makePending(id, webhookId, now)
      row.deliveries.add(delivery.id)
      place({ webhookId, event, delivery, asked: only !== null, token: Option.none(), at: now, order: order++ })
      told.push(delivery.id)
    }
    deliveriesOf.set(id, told)
    return Option.some(event)
  }
  const held = (): ReadonlyArray<Queued> =>
    Array.from(endpoints.values()).flatMap((row) => Array.from(row.held).flatMap((id) => sendings.get(id) ?? []))
  const next = (now: number, perEndpoint: number): DeliveryId | undefined => {
    for (const { at, group, item } of pending.heads()) {
      if (at > now) break
      const claimed = Array.from(endpoints.get(group)?.held ?? []).filter((id) => (sendings.get(id)?.at ?? now) > now)
      if (claimed.length < perEndpoint) return item
    }
    return undefined
  }

  return {
    append: Effect.fn("EventStore.append")((events: ReadonlyArray<NewEvent>, now: number) =>
      Effect.sync(() => events.flatMap((event) => Option.toArray(append(event, now))))
    ),
    newest: Effect.fn("EventStore.newest")((keyIds: ReadonlyArray<KeyId>) =>
      Effect.sync(
        () =>
          new Map(
            keyIds.flatMap((keyId) => {
              const log = logs.get(keyId)
              return log === undefined ? [] : [[keyId, log.last] as const]
            })
          )
      )
    ),
    read: Effect.fn("EventStore.read")((keyId: KeyId, { after, limit, types, watchId }: EventQuery) =>
      Effect.sync((): EventPage => {
        const log = logs.get(keyId)
        if (log === undefined) return { _tag: "Events", events: [], next: after }
        if (after < log.removed) return { _tag: "Expired", oldest: log.removed }
        const events: Array<Event> = []
        for (let sequence = after + 1; sequence <= log.last; sequence++) {
          const event = log.events.get(sequence)
          if (event === undefined || !isOf(event, types, watchId)) continue
          events.push(event)
          if (events.length >= limit) return { _tag: "Events", events, next: sequence }
        }
        return { _tag: "Events", events, next: Math.max(after, log.last) }
      })
    ),
    addWebhook: Effect.fn("EventStore.addWebhook")((endpoint: StoredWebhook, limit: number) =>
      Effect.sync(() => {
        const { id } = endpoint.webhook
        if (endpoints.has(id)) return true
        const ids = ofKey.get(endpoint.keyId) ?? new Set()
        if (ids.size >= limit) return false
        ofKey.set(endpoint.keyId, ids.add(id))
        endpoints.set(id, { endpoint, deliveries: new Set(), held: new Set() })
        return true
      })
    ),
    webhooks: Effect.fn("EventStore.webhooks")((keyId: KeyId) =>
      Effect.sync(() =>
        Array.from(ofKey.get(keyId) ?? [])
          .reverse()
          .flatMap((id) => endpoints.get(id)?.endpoint ?? [])
      )
    ),
    changeWebhook: Effect.fn("EventStore.changeWebhook")(
      (keyId: KeyId, id: WebhookId, decide: (endpoint: StoredWebhook) => StoredWebhook) =>
        Effect.sync(() => {
          const row = owned(keyId, id)
          return row === undefined ? Option.none() : Option.some(write(id, row, decide(row.endpoint)))
        })
    ),
    removeWebhook: Effect.fn("EventStore.removeWebhook")((keyId: KeyId, id: WebhookId) =>
      Effect.sync(() => {
        const row = owned(keyId, id)
        if (row === undefined) return false
        for (const delivery of Array.from(row.deliveries)) forget(delivery)
        ofKey.get(keyId)?.delete(id)
        endpoints.delete(id)
        return true
      })
    ),
    deliveries: Effect.fn("EventStore.deliveries")((keyId: KeyId, id: WebhookId, page: PageAfter<DeliveryId>) =>
      Effect.sync(() => {
        const row = owned(keyId, id)
        if (row === undefined) return Option.none()
        return Option.some(NewestFirst.page(row.deliveries, page, (delivery) => sendings.get(delivery)?.delivery))
      })
    ),
    redeliver: Effect.fn("EventStore.redeliver")((keyId: KeyId, webhookId: WebhookId, id: DeliveryId, now: number) =>
      Effect.sync(() => {
        const sending = sendings.get(id)
        if (owned(keyId, webhookId) === undefined || sending?.webhookId !== webhookId) return Option.none()
        const asked = sending.asked || sending.delivery.status !== "pending"
        const delivery: Delivery = { ...sending.delivery, status: "pending", next_attempt_at: fromMillis(now) }
        return Option.some(place({ ...sending, delivery, asked, at: Option.isSome(sending.token) ? sending.at : now }))
      })
    ),
    claimDeliveries: Effect.fn("EventStore.claimDeliveries")(
      (request: {
        readonly now: number
        readonly until: number
        readonly tokens: ReadonlyArray<string>
        readonly perEndpoint: number
      }) =>
        Effect.sync(() => {
          const asked = new Set(request.tokens)
          const claims: Array<DeliveryClaim> = held().flatMap(({ delivery, event, token, webhookId }) => {
            const endpoint = endpoints.get(webhookId)?.endpoint
            return endpoint === undefined || Option.isNone(token) || !asked.has(token.value)
              ? []
              : [{ delivery, event, endpoint, token: token.value }]
          })
          if (claims.length > 0) return claims
          for (const token of request.tokens) {
            const id = next(request.now, request.perEndpoint)
            const sending = id === undefined ? undefined : sendings.get(id)
            const endpoint = sending === undefined ? undefined : endpoints.get(sending.webhookId)?.endpoint
            if (sending === undefined || endpoint === undefined) break
            const delivery = place({ ...sending, token: Option.some(token), at: request.until })
            claims.push({ delivery, event: sending.event, endpoint, token })
          }
          return claims
        })
    ),
    finishDelivery: Effect.fn("EventStore.finishDelivery")(
      (id: DeliveryId, token: string, decide: (current: Sending) => Attempted) =>
        Effect.sync(() => {
          const sending = sendings.get(id)
          const row = sending === undefined ? undefined : endpoints.get(sending.webhookId)
          if (sending === undefined || row === undefined || !Option.contains(sending.token, token)) return Option.none()
          const { asked } = sending
          const { delivery, endpoint, events } = decide({ delivery: sending.delivery, endpoint: row.endpoint, asked })
          const at = delivery.next_attempt_at === null ? sending.at : toMillis(delivery.next_attempt_at)
          place({ ...sending, delivery, token: Option.none(), at })
          write(sending.webhookId, row, endpoint)
          return Option.some(events.flatMap((event) => Option.toArray(append(event, toMillis(event.timestamp)))))
        })
    ),
    heldDeliveries: Effect.sync(() => held().flatMap(({ token }) => Option.toArray(token))).pipe(
      Effect.withSpan("EventStore.heldDeliveries")
    ),
    freeDeliveries: Effect.fn("EventStore.freeDeliveries")((tokens: ReadonlyArray<string>, now: number) =>
      Effect.sync(() => {
        const ended = new Set(tokens)
        const freed = held().filter(({ token }) => Option.exists(token, (holder) => ended.has(holder)))
        for (const sending of freed) place({ ...sending, token: Option.none(), at: now })
        return freed.length
      })
    ),
    nextDeliveryAt: Effect.sync(() => {
      const [head] = pending.heads()
      return Option.fromNullable(head?.at)
    }).pipe(Effect.withSpan("EventStore.nextDeliveryAt")),
    prune: Effect.fn("EventStore.prune")((before: number, limit: number) =>
      Effect.sync(() => {
        let removed = 0
        for (let [oldest] = age.heads(); oldest !== undefined; [oldest] = age.heads()) {
          const log = logs.get(oldest.group)
          if (oldest.at >= before || removed >= limit || log === undefined) break
          for (const delivery of deliveriesOf.get(oldest.item) ?? []) forget(delivery)
          deliveriesOf.delete(oldest.item)
          log.events.delete(++log.removed)
          age.remove(oldest.item)
          removed++
        }
        return removed
      })
    )
  }
}

const isOf = (event: Event, types: ReadonlyArray<EventType>, watchId: Option.Option<WatchId>): boolean =>
  (types.length === 0 || types.includes(event.type)) &&
  (Option.isNone(watchId) || ("watch_id" in event.data && event.data.watch_id === watchId.value))

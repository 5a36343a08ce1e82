/** @internal */

import { type Context, Effect, Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { DeliveryId, EventId, KeyId, WatchId, WebhookId } from "../domain/Id.js"
import { derive } from "../domain/Id.js"
import { toMillis } from "../domain/Timestamp.js"
import { type Delivery, type Webhook, wants } from "../domain/Webhook.js"
import type { Attempted, EventStore } from "../storage/EventStore.js"
import { seen, type Witness } from "./SimulationWitness.js"

/**
 * Keeps its own books of the log and of what is on its way to endpoints, and holds every answer of the store against them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Post {
  readonly events: (store: Context.Tag.Service<EventStore>) => Context.Tag.Service<EventStore>
  /** An endpoint answered 2xx to an event. */
  readonly accepted: (url: string, event: string) => void
  /** Whether nothing is on its way any more. */
  readonly isQuiet: () => boolean
  readonly counts: () => ReadonlyArray<readonly [string, number]>
  /** To be asked when everything is quiet: `told` is what checks wrote. */
  readonly settled: (told: ReadonlyArray<NewEvent>) => void
}

interface Sending {
  readonly keyId: KeyId
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly status: Delivery["status"]
  readonly held: Option.Option<{ readonly token: string; readonly until: number }>
  readonly due: number
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  witness: Witness,
  world: { readonly isRemoved: (id: WatchId) => boolean; readonly isTold: (id: EventId) => boolean }
): Post => {
  const { check, time, trace } = witness
  const log = new Set<EventId>()
  const sequences = new Map<KeyId, number>()
  const sendings = new Map<DeliveryId, Sending>()
  const open = new Set<DeliveryId>()
  const accepted = new Set<string>()
  const disabled = new Set<WebhookId>()

  const put = (id: DeliveryId, sending: Sending) => {
    sendings.set(id, sending)
    if (sending.status === "pending") open.add(id)
    else open.delete(id)
  }
  const judge = ({ id, state }: Webhook) => {
    if (state === "enabled") disabled.delete(id)
    else if (!disabled.has(id)) {
      disabled.add(id)
      drop(id)
    }
  }
  // What is asked for again at an endpoint that is switched off waits until it is switched on.
  const isOnItsWay = (id: DeliveryId): boolean => {
    const sending = sendings.get(id)
    return sending !== undefined && !disabled.has(sending.webhookId)
  }
  const drop = (webhookId: WebhookId) => {
    for (const id of Array.from(open)) {
      const sending = sendings.get(id)
      if (sending?.webhookId === webhookId) put(id, { ...sending, status: "dropped", held: Option.none() })
    }
  }

  return {
    events: (store) => ({
      ...store,
      append: (events, now) =>
        Effect.flatMap(Effect.forEach(new Set(events.map(({ keyId }) => keyId)), store.webhooks), (endpoints) =>
          seen(store.append(events, now), (appended) => {
            const added = new Map(appended.map((event) => [event.id, event]))
            for (const event of events) {
              const { body, id, keyId } = event
              const isNew = !log.has(id)
              const stored = added.get(id)
              check("I6", isNew === (stored !== undefined), () => `${id} is new: ${isNew}, appended: ${!isNew}`)
              if (stored === undefined || !isNew) continue
              log.add(id)
              const next = (sequences.get(keyId) ?? 0) + 1
              check("I6", stored.sequence === next, () => `${id} has sequence ${stored.sequence}, not ${next}`)
              sequences.set(keyId, next)
              if ("watch_id" in body.data) {
                const { watch_id } = body.data
                check("I9", !world.isRemoved(watch_id), () => `${body.type} of ${watch_id}, which was removed`)
                check("I6", world.isTold(id), () => `${body.type} ${id}, which no run wrote`)
              }
              trace.note(witness.actor(), `${body.type} ${id} is event ${next} of ${keyId}`)
              for (const endpoint of endpoints.flat()) {
                const webhookId = endpoint.webhook.id
                if (endpoint.keyId !== keyId || !wants(endpoint.webhook, event)) continue
                put(derive("dlv", id, webhookId), {
                  keyId,
                  webhookId,
                  eventId: id,
                  status: "pending",
                  held: Option.none(),
                  due: now
                })
              }
            }
          })
        ),
      claimDeliveries: (request) =>
        seen(store.claimDeliveries(request), (claims) => {
          for (const { delivery, token } of claims) {
            const sending = sendings.get(delivery.id)
            const isHeld = Option.exists(sending?.held ?? Option.none(), ({ until }) => until > request.now)
            check("I3", !isHeld, () => `${delivery.id} is sent while somebody else sends it`)
            check("I6", sending?.status === "pending", () => `${delivery.id} is sent, it is ${sending?.status}`)
            if (sending !== undefined)
              put(delivery.id, { ...sending, held: Option.some({ token, until: request.until }) })
          }
        }),
      finishDelivery: (id, token, decide) => {
        let decided: Option.Option<Attempted> = Option.none()
        return seen(
          store.finishDelivery(id, token, (current) => {
            const next = decide(current)
            decided = Option.some(next)
            return next
          }),
          (finished) => {
            const sending = sendings.get(id)
            const isHolder = Option.exists(sending?.held ?? Option.none(), (held) => held.token === token)
            check("I3", finished === isHolder, () => `finishing ${id} answered ${finished}, holder: ${isHolder}`)
            if (!finished || sending === undefined || Option.isNone(decided)) return
            const { delivery, endpoint } = decided.value
            const { url } = endpoint.webhook
            check(
              "I6",
              delivery.status !== "delivered" || accepted.has(`${url} ${sending.eventId}`),
              () => `${id} is delivered, ${url} never accepted ${sending.eventId}`
            )
            const due = delivery.next_attempt_at === null ? 0 : toMillis(delivery.next_attempt_at)
            put(id, { ...sending, status: delivery.status, held: Option.none(), due })
            judge(endpoint.webhook)
            trace.note(witness.actor(), `${id} attempt ${delivery.attempt}: ${delivery.status}`)
          }
        )
      },
      changeWebhook: (keyId, id, decide) =>
        seen(store.changeWebhook(keyId, id, decide), (endpoint) => {
          if (Option.isSome(endpoint)) judge(endpoint.value.webhook)
        }),
      redeliver: (keyId, webhookId, id, now) =>
        seen(store.redeliver(keyId, webhookId, id, now), (delivery) => {
          const sending = sendings.get(id)
          if (Option.isSome(delivery) && sending !== undefined) put(id, { ...sending, status: "pending", due: now })
        }),
      removeWebhook: (keyId, id) =>
        seen(store.removeWebhook(keyId, id), (removed) => {
          if (removed) drop(id)
        })
    }),
    accepted: (url, event) => {
      accepted.add(`${url} ${event}`)
    },
    isQuiet: () => !Array.from(open).some(isOnItsWay),
    counts: () => [
      ["events", log.size],
      ["deliveries", sendings.size],
      ["accepted", accepted.size]
    ],
    settled: (told) => {
      for (const { body, id } of told) check("I6", log.has(id), () => `${body.type} ${id} never came to the log`)
      for (const id of open) {
        const sending = sendings.get(id)
        check(
          "I6",
          !isOnItsWay(id) || (sending !== undefined && sending.due > time.wall()),
          () => `${id} of ${sending?.eventId} to ${sending?.webhookId} was due and not sent`
        )
      }
    }
  }
}

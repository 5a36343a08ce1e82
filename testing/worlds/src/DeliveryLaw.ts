/** @internal */

import * as CanonicalJson from "@assay/core/domain/CanonicalJson"
import type { Event, NewEvent } from "@assay/core/domain/Event"
import type { DeliveryId, EventId, KeyId, WatchId, WebhookId } from "@assay/core/domain/Id"
import { derive } from "@assay/core/domain/Id"
import { toMillis } from "@assay/core/domain/Timestamp"
import { type Delivery, type Webhook, wants } from "@assay/core/domain/Webhook"
import type { Attempted, EventStore, Sending, StoredWebhook } from "@assay/core/storage/EventStore"
import { type Context, Effect, Option } from "effect"
import { seen, type Witness } from "./Witness.js"

/**
 * Keeps its own books of the log and of what is on its way to endpoints, and holds every answer of the store against them.
 */
export interface DeliveryLaw {
  readonly events: (store: Context.Tag.Service<EventStore>) => Context.Tag.Service<EventStore>
  /** An event is sent to an address. */
  readonly sent: (url: string, event: string) => void
  /** An endpoint answered 2xx to an event. */
  readonly accepted: (url: string, event: string) => void
  /** Whether nothing is on its way any more. */
  readonly isQuiet: () => boolean
  readonly counts: () => ReadonlyArray<readonly [string, number]>
  /** To be called when everything is quiet, with the events that checks wrote. */
  readonly settled: (told: ReadonlyArray<NewEvent>) => void
}

interface Message {
  readonly keyId: KeyId
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly status: Delivery["status"]
  /** Whether it was requested by hand. */
  readonly asked: boolean
  readonly held: Option.Option<{
    readonly token: string
    readonly until: number
    readonly url: string
    readonly holder: string
  }>
  readonly due: number
}

export const make = (
  witness: Witness,
  world: { readonly isRemoved: (id: WatchId) => boolean; readonly isTold: (id: EventId) => boolean }
): DeliveryLaw => {
  const { check, time, trace } = witness
  const log = new Set<EventId>()
  const sequences = new Map<KeyId, number>()
  const messages = new Map<DeliveryId, Message>()
  const open = new Set<DeliveryId>()
  const accepted = new Set<string>()
  /** Where each endpoint is called by now, and what was ever to go where. */
  const urls = new Map<WebhookId, string>()
  const addressed = new Set<string>()
  let moved = 0
  const disabled = new Set<WebhookId>()
  const failing = new Set<WebhookId>()

  const put = (id: DeliveryId, message: Message) => {
    messages.set(id, message)
    if (message.status === "pending") open.add(id)
    else open.delete(id)
  }
  const judge = ({ failing_since, id, state }: Webhook) => {
    if (failing_since === null) failing.delete(id)
    if (state === "enabled") disabled.delete(id)
    else if (!disabled.has(id)) {
      disabled.add(id)
      drop(id)
    }
  }
  const drop = (webhookId: WebhookId) => {
    for (const id of Array.from(open)) {
      const message = messages.get(id)
      if (message?.webhookId === webhookId) put(id, { ...message, status: "dropped", held: Option.none() })
    }
  }

  /** Events came to the log, and are on their way to those of the endpoints that want them. */
  const tell = (
    events: ReadonlyArray<NewEvent>,
    appended: ReadonlyArray<Event>,
    endpoints: ReadonlyArray<StoredWebhook>,
    due: (event: NewEvent) => number
  ) => {
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
      for (const endpoint of endpoints) {
        const webhookId = endpoint.webhook.id
        if (endpoint.keyId !== keyId || !wants(endpoint.webhook, event)) continue
        put(derive("dlv", id, webhookId), {
          keyId,
          webhookId,
          eventId: id,
          status: "pending",
          asked: event.only !== null,
          held: Option.none(),
          due: due(event)
        })
      }
    }
  }

  /** What an attempt reports of its endpoint: that it fails, once in a row of failures, and that it was disabled. */
  const judgeNews = (before: Sending, { delivery, endpoint, events }: Attempted) => {
    const { id, state } = endpoint.webhook
    const count = (type: NewEvent["body"]["type"]) => events.filter(({ body }) => body.type === type).length
    const expect = (type: NewEvent["body"]["type"], isNews: boolean) =>
      check("I6", count(type) === (isNews ? 1 : 0), () => `${type} of ${id}: news ${isNews}, told ${count(type)} times`)
    expect("webhook.failing", endpoint.warned && !failing.has(id))
    expect("webhook.disabled", state === "disabled" && !disabled.has(id))
    if (endpoint.warned) failing.add(id)
    const isCounted = endpoint.failures > before.endpoint.failures
    check("I6", !before.asked || !isCounted, () => `${delivery.id} was asked for, and counts as a failure of ${id}`)
    check("I6", !before.asked || delivery.status !== "pending", () => `${delivery.id} was asked for once`)
  }

  /** Another address begins anew. */
  const judgeMove = ({ failures, warned, webhook }: StoredWebhook) => {
    const { failing_since, id, url } = webhook
    if (urls.get(id) === url) return
    check(
      "I6",
      failing_since === null && failures === 0 && !warned,
      () => `${id} moved to ${url} and fails there since ${failing_since}`
    )
    trace.note(witness.actor(), `${id} is at ${url}`)
    urls.set(id, url)
    moved++
  }

  /** What an address answers that is not the endpoint's any more says nothing of the endpoint. */
  const judgeAnswer = (url: string, { endpoint: before }: Sending, { delivery, endpoint, events }: Attempted) => {
    const { id } = before.webhook
    const present = urls.get(id)
    check("I6", before.webhook.url === present, () => `${id} is at ${present}, and seen at ${before.webhook.url}`)
    const isSame = CanonicalJson.hash(endpoint) === CanonicalJson.hash(before)
    check(
      "I6",
      url === present || (isSame && events.length === 0),
      () => `what ${url} answered to ${delivery.id} says something of ${id}, which is at ${present}`
    )
  }

  return {
    events: (store) => ({
      ...store,
      addWebhook: (endpoint, limit) =>
        seen(store.addWebhook(endpoint, limit), (added) => {
          const { id, url } = endpoint.webhook
          if (added && !urls.has(id)) urls.set(id, url)
        }),
      append: (events, now) =>
        Effect.flatMap(Effect.forEach(new Set(events.map(({ keyId }) => keyId)), store.webhooks), (endpoints) =>
          seen(store.append(events, now), (appended) => {
            for (const { body } of events)
              check(
                "I6",
                body.type !== "webhook.failing" && body.type !== "webhook.disabled",
                () => `${body.type} is told apart from the attempt that it is about`
              )
            tell(events, appended, endpoints.flat(), () => now)
          })
        ),
      claimDeliveries: (request) =>
        seen(store.claimDeliveries(request), (claims) => {
          for (const { delivery, endpoint, token } of claims) {
            const { id, url } = endpoint.webhook
            const present = urls.get(id)
            check("I6", url === present, () => `${delivery.id} is to go to ${url}, ${id} is at ${present}`)
            const message = messages.get(delivery.id)
            // Answered again.
            if (Option.exists(message?.held ?? Option.none(), (lease) => lease.token === token)) continue
            const isHeld = Option.exists(message?.held ?? Option.none(), ({ until }) => until > request.now)
            check("I3", !isHeld, () => `${delivery.id} is sent while somebody else sends it`)
            check("I6", message?.status === "pending", () => `${delivery.id} is sent, it is ${message?.status}`)
            if (message === undefined) continue
            put(delivery.id, {
              ...message,
              held: Option.some({ token, until: request.until, url, holder: witness.actor() })
            })
            addressed.add(`${url} ${message.eventId}`)
          }
        }),
      freeDeliveries: (tokens, now) =>
        seen(store.freeDeliveries(tokens, now), (freed) => {
          const ended = new Set(tokens)
          const left = Array.from(open).flatMap((id) => {
            const message = messages.get(id)
            const held = Option.filter(message?.held ?? Option.none(), ({ token }) => ended.has(token))
            return message === undefined || Option.isNone(held) ? [] : [{ id, message, held: held.value }]
          })
          check("I3", freed === left.length, () => `${freed} messages were freed, of ${left.length}`)
          for (const { held, id, message } of left) {
            check("I3", witness.isGone(held.holder), () => `${id} is taken from ${held.holder}, which lives`)
            put(id, { ...message, held: Option.none(), due: now })
            trace.note(witness.actor(), `${id} freed, ${held.holder} is gone`)
          }
        }),
      finishDelivery: (id, token, decide) =>
        Effect.suspend(() => {
          const message = messages.get(id)
          const held = Option.filter(message?.held ?? Option.none(), (lease) => lease.token === token)
          let decided: Option.Option<readonly [Sending, Attempted]> = Option.none()
          const finish = store.finishDelivery(id, token, (current) => {
            const next = decide(current)
            decided = Option.some([current, next])
            return next
          })
          const look = (finished: Option.Option<ReadonlyArray<Event>>, endpoints: ReadonlyArray<StoredWebhook>) => {
            const isHolder = Option.isSome(held)
            check("I3", Option.isSome(finished) === isHolder, () => `${token} finished ${id}, holder: ${isHolder}`)
            if (Option.isNone(finished) || Option.isNone(held) || Option.isNone(decided) || message === undefined)
              return
            const [current, next] = decided.value
            const { delivery, endpoint, events } = next
            const { url } = held.value
            check(
              "I6",
              delivery.status !== "delivered" || accepted.has(`${url} ${message.eventId}`),
              () => `${id} is delivered, ${url} never accepted ${message.eventId}`
            )
            check("I6", current.asked === message.asked, () => `${id} was asked for by hand: ${message.asked}`)
            judgeAnswer(url, current, next)
            judgeNews(current, next)
            const due = delivery.next_attempt_at === null ? 0 : toMillis(delivery.next_attempt_at)
            put(id, { ...message, status: delivery.status, held: Option.none(), due })
            judge(endpoint.webhook)
            trace.note(witness.actor(), `${id} attempt ${delivery.attempt}: ${delivery.status}`)
            tell(events, finished.value, endpoints, ({ timestamp }) => toMillis(timestamp))
          }
          return Effect.flatMap(
            message === undefined ? Effect.succeed([]) : store.webhooks(message.keyId),
            (endpoints) => seen(finish, (finished) => look(finished, endpoints))
          )
        }),
      changeWebhook: (keyId, id, decide) =>
        seen(store.changeWebhook(keyId, id, decide), (endpoint) => {
          if (Option.isNone(endpoint)) return
          judgeMove(endpoint.value)
          judge(endpoint.value.webhook)
        }),
      redeliver: (keyId, webhookId, id, now) =>
        seen(store.redeliver(keyId, webhookId, id, now), (delivery) => {
          const message = messages.get(id)
          if (Option.isNone(delivery) || message === undefined) return
          const asked = message.asked || message.status !== "pending"
          put(id, { ...message, status: "pending", asked, due: now })
        }),
      removeWebhook: (keyId, id) =>
        seen(store.removeWebhook(keyId, id), (removed) => {
          if (removed) drop(id)
        })
    }),
    sent: (url, event) =>
      check("I6", addressed.has(`${url} ${event}`), () => `${event} is sent to ${url}, where it was never to go`),
    accepted: (url, event) => {
      accepted.add(`${url} ${event}`)
    },
    isQuiet: () => open.size === 0,
    counts: () => [
      ["events", log.size],
      ["deliveries", messages.size],
      ["accepted", accepted.size],
      ["moved", moved]
    ],
    settled: (told) => {
      for (const { body, id } of told) check("I6", log.has(id), () => `${body.type} ${id} never came to the log`)
      for (const id of open) {
        const message = messages.get(id)
        check(
          "I6",
          message !== undefined && message.due > time.wall(),
          () => `${id} of ${message?.eventId} to ${message?.webhookId} was due and not sent`
        )
      }
    }
  }
}

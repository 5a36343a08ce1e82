/** @internal */

import type { Option } from "effect"
import type { Event, EventType, NewEvent } from "../domain/Event.js"
import type { KeyId, WatchId } from "../domain/Id.js"
import type { Delivery, Webhook } from "../domain/Webhook.js"

/**
 * A secret that signs deliveries, sealed (`Secrets`); `until` is when it ends, in epoch milliseconds, none for the newest.
 */
export interface SigningSecret {
  readonly secret: string
  readonly until: Option.Option<number>
}

/**
 * An endpoint as stored. `failures` counts failed attempts since the last success. `warned`: its owner was notified
 * that it fails.
 */
export interface StoredWebhook {
  readonly keyId: KeyId
  readonly webhook: Webhook
  readonly secrets: ReadonlyArray<SigningSecret>
  readonly failures: number
  readonly warned: boolean
}

/** An event that the holder of `token` may send to an endpoint now. */
export interface DeliveryClaim {
  readonly delivery: Delivery
  readonly event: Event
  readonly endpoint: StoredWebhook
  readonly token: string
}

/** A delivery and its endpoint at a point in time. One that was requested by hand is sent once. */
export interface Sending {
  readonly delivery: Delivery
  readonly endpoint: StoredWebhook
  readonly asked: boolean
}

/**
 * What an attempt writes in one step: the delivery, its endpoint, and the events about them. Their ids are given, so
 * that a store that decides again uses the same ones.
 */
export interface Attempted {
  readonly delivery: Delivery
  readonly endpoint: StoredWebhook
  readonly events: ReadonlyArray<NewEvent>
}

/** Which events to read: those with a sequence above `after`, at most `limit`. Empty `types` means all. */
export interface EventQuery {
  readonly after: number
  readonly types: ReadonlyArray<EventType>
  readonly watchId: Option.Option<WatchId>
  readonly limit: number
}

/**
 * A part of the log, oldest first. `next` is the sequence to continue after. It also covers events that did not match,
 * so that a reader of few types does not read the others again.
 *
 * - `Expired`: events after `after` were removed by retention. Reading from `oldest` returns all that are left.
 */
export type EventPage =
  | { readonly _tag: "Events"; readonly events: ReadonlyArray<Event>; readonly next: number }
  | { readonly _tag: "Expired"; readonly oldest: number }

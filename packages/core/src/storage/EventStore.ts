import { Context, type Effect, Layer, type Option } from "effect"
import type { Event, NewEvent } from "../domain/Event.js"
import type { DeliveryId, KeyId, WebhookId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Delivery } from "../domain/Webhook.js"
import type { Attempted, DeliveryClaim, EventPage, EventQuery, Sending, StoredWebhook } from "./EventRecords.js"
import * as MemoryEventStore from "./MemoryEventStore.js"
import type { StorageError } from "./StorageError.js"
import type { PageAfter } from "./WatchStore.js"

export type {
  Attempted,
  DeliveryClaim,
  EventPage,
  EventQuery,
  Sending,
  SigningSecret,
  StoredWebhook
} from "./EventRecords.js"

/**
 * The event log, the webhook endpoints, and the deliveries to them. Every method is atomic and receives the time. What
 * belongs to another key is not found.
 *
 * Functions that are passed to methods are pure: a store may call them again, with a newer state.
 *
 * @since 0.1.0
 * @category services
 */
export class EventStore extends Context.Tag("@assay/core/EventStore")<
  EventStore,
  {
    /**
     * Appends what is not in the log yet, each event under the next sequence of its key, with a pending delivery, due
     * at `now`, for every endpoint of the key that subscribes to it at this time (`Webhook.wants`). An id that exists
     * changes nothing. The delivery is `Webhook.pending`; that of an event for a single endpoint counts as requested by
     * hand. Sequences start at 1. Returns the new events.
     */
    readonly append: (events: ReadonlyArray<NewEvent>, now: number) => Effect.Effect<ReadonlyArray<Event>, StorageError>
    readonly read: (keyId: KeyId, query: EventQuery) => Effect.Effect<EventPage, StorageError>
    /** The sequence of the last event of each of these keys, also where it was removed; a key without one is left out. */
    readonly newest: (keyIds: ReadonlyArray<KeyId>) => Effect.Effect<ReadonlyMap<KeyId, number>, StorageError>
    /**
     * Stores a new endpoint; false if its key has `limit` already. The same id again changes nothing and returns true.
     */
    readonly addWebhook: (endpoint: StoredWebhook, limit: number) => Effect.Effect<boolean, StorageError>
    /** All endpoints of a key, newest first. */
    readonly webhooks: (keyId: KeyId) => Effect.Effect<ReadonlyArray<StoredWebhook>, StorageError>
    /**
     * Changes an endpoint by `decide`; returns the new state, none if it does not exist. If that disables it, its
     * pending deliveries are dropped, and their leases end.
     */
    readonly changeWebhook: (
      keyId: KeyId,
      id: WebhookId,
      decide: (endpoint: StoredWebhook) => StoredWebhook
    ) => Effect.Effect<Option.Option<StoredWebhook>, StorageError>
    /** Removes an endpoint with its deliveries; false if it does not exist. */
    readonly removeWebhook: (keyId: KeyId, id: WebhookId) => Effect.Effect<boolean, StorageError>
    /** Newest first. */
    readonly deliveries: (
      keyId: KeyId,
      id: WebhookId,
      page: PageAfter<DeliveryId>
    ) => Effect.Effect<Option.Option<Page<Delivery>>, StorageError>
    /**
     * Makes a delivery pending and due at `now`, whatever its state and that of its endpoint; none if it does not
     * exist. A finished delivery counts as requested by hand from now on. A pending one is only due earlier, and keeps
     * its lease.
     */
    readonly redeliver: (
      keyId: KeyId,
      webhookId: WebhookId,
      id: DeliveryId,
      now: number
    ) => Effect.Effect<Option.Option<Delivery>, StorageError>
    /**
     * Claims pending deliveries that are due (`next_attempt_at <= now`) and have no lease (an expired lease is none),
     * the one that waits longest first, while fewer than `perEndpoint` of its endpoint are claimed. The cost does not
     * depend on how many wait. Tokens are new, or those of a call with a lost answer: then it answers what they hold,
     * and claims nothing more.
     */
    readonly claimDeliveries: (request: {
      readonly now: number
      readonly until: number
      readonly tokens: ReadonlyArray<string>
      readonly perEndpoint: number
    }) => Effect.Effect<ReadonlyArray<DeliveryClaim>, StorageError>
    /**
     * Writes the outcome of an attempt: what `decide` makes of the current delivery and endpoint, and the events about
     * that, each at its timestamp. If that disables the endpoint, its pending deliveries are dropped, this one too.
     * Returns the new events; none if the token does not hold the delivery any more. So once more by the same token it
     * changes nothing: its outcome and events are written.
     */
    readonly finishDelivery: (
      id: DeliveryId,
      token: string,
      decide: (current: Sending) => Attempted
    ) => Effect.Effect<Option.Option<ReadonlyArray<Event>>, StorageError>
    /** The tokens that hold deliveries now, whether or not their leases have ended. */
    readonly heldDeliveries: Effect.Effect<ReadonlyArray<string>, StorageError>
    /** Ends the leases of these tokens: their deliveries are due at `now`. Returns how many. */
    readonly freeDeliveries: (tokens: ReadonlyArray<string>, now: number) => Effect.Effect<number, StorageError>
    /** When the next pending delivery is due; a claimed one at the end of its lease. */
    readonly nextDeliveryAt: Effect.Effect<Option.Option<number>, StorageError>
    /**
     * Removes at most `limit` events that were appended before `before`, the oldest of each key first, with their
     * deliveries. Returns how many.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * Stores events in the memory of this process, for the lifetime of the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<EventStore> = Layer.sync(EventStore, MemoryEventStore.make)

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
 * The log of events, the endpoints that are told of them, and what is on its way there. Every method is atomic and told
 * the time. What another key owns is not found.
 *
 * The functions that methods are given are pure: a store may ask them again, with a newer state.
 *
 * @since 0.1.0
 * @category services
 */
export class EventStore extends Context.Tag("@assay/core/EventStore")<
  EventStore,
  {
    /**
     * Appends what is not in the log yet, each under the next sequence of its key, and a pending delivery, due at `now`,
     * for every endpoint of the key that wants it at this moment (`Webhook.wants`). An id that is there changes nothing.
     * The delivery is `Webhook.pending`; that of an event which is meant for one endpoint is asked for by hand. Sequences
     * begin with 1. Answers the new events.
     */
    readonly append: (events: ReadonlyArray<NewEvent>, now: number) => Effect.Effect<ReadonlyArray<Event>, StorageError>
    readonly read: (keyId: KeyId, query: EventQuery) => Effect.Effect<EventPage, StorageError>
    /** Keeps a new endpoint, unless its key has `limit` already: then false. The same id again changes nothing: true. */
    readonly addWebhook: (endpoint: StoredWebhook, limit: number) => Effect.Effect<boolean, StorageError>
    /** All endpoints of a key, newest first. */
    readonly webhooks: (keyId: KeyId) => Effect.Effect<ReadonlyArray<StoredWebhook>, StorageError>
    /**
     * Changes an endpoint by `decide`; answers it as it is afterwards, none where it does not exist. Where that disables
     * it, its pending deliveries are dropped, and who held one holds it no longer.
     */
    readonly changeWebhook: (
      keyId: KeyId,
      id: WebhookId,
      decide: (endpoint: StoredWebhook) => StoredWebhook
    ) => Effect.Effect<Option.Option<StoredWebhook>, StorageError>
    /** Removes an endpoint and what is on its way there; false where it does not exist. */
    readonly removeWebhook: (keyId: KeyId, id: WebhookId) => Effect.Effect<boolean, StorageError>
    /** Newest first. */
    readonly deliveries: (
      keyId: KeyId,
      id: WebhookId,
      page: PageAfter<DeliveryId>
    ) => Effect.Effect<Option.Option<Page<Delivery>>, StorageError>
    /**
     * Makes a delivery pending and due at `now`, whatever became of it and of its endpoint; none where it does not exist.
     * One that had come to an end is asked for by hand from here on; one on its way only comes earlier, and stays held
     * where somebody holds it.
     */
    readonly redeliver: (
      keyId: KeyId,
      webhookId: WebhookId,
      id: DeliveryId,
      now: number
    ) => Effect.Effect<Option.Option<Delivery>, StorageError>
    /**
     * Takes pending deliveries that are due (`next_attempt_at <= now`) and that nobody holds (a lease that ended holds
     * nothing), the one that waits longest first, while fewer than `perEndpoint` of its endpoint are held. Costs the same
     * however many wait.
     */
    readonly claimDeliveries: (request: {
      readonly now: number
      readonly until: number
      readonly tokens: ReadonlyArray<string>
      readonly perEndpoint: number
    }) => Effect.Effect<ReadonlyArray<DeliveryClaim>, StorageError>
    /**
     * Writes what became of an attempt, by what `decide` makes of delivery and endpoint as they are now, and appends the
     * events of that, each at its timestamp. Where it disables the endpoint, its pending deliveries are dropped, this one
     * too. Answers the new events; none where the token holds it no longer.
     */
    readonly finishDelivery: (
      id: DeliveryId,
      token: string,
      decide: (current: Sending) => Attempted
    ) => Effect.Effect<Option.Option<ReadonlyArray<Event>>, StorageError>
    /** When the next pending delivery is due, held ones by the end of their lease. */
    readonly nextDeliveryAt: Effect.Effect<Option.Option<number>, StorageError>
    /**
     * Removes at most `limit` events that were appended before `before`, the oldest of each key first, with their
     * deliveries. Answers how many.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * Keeps events in this process, for as long as the layer lives.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<EventStore> = Layer.sync(EventStore, MemoryEventStore.make)

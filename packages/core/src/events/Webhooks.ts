import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Caller } from "../domain/Caller.js"
import * as Cursor from "../domain/Cursor.js"
import type { Event, EventType, NewEvent } from "../domain/Event.js"
import type { Severity } from "../domain/Evidence.js"
import * as Id from "../domain/Id.js"
import { DeliveryId, type WatchId, WebhookId } from "../domain/Id.js"
import { type Page, partOf } from "../domain/Page.js"
import { fromMillis } from "../domain/Timestamp.js"
import type { CreatedWebhook, Delivery, Webhook } from "../domain/Webhook.js"
import { Entropy } from "../keys/Entropy.js"
import { Secrets } from "../keys/Secrets.js"
import * as RateLimit from "../quota/RateLimit.js"
import { EventStore, type SigningSecret, type StoredWebhook } from "../storage/EventStore.js"
import { ExecutionStore } from "../storage/ExecutionStore.js"
import * as IdempotencyKey from "../storage/IdempotencyKey.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import { Destinations, type WebhookUrlForbidden } from "./Destination.js"
import { EventBell } from "./EventBell.js"
import * as Signature from "./Signature.js"

/**
 * An endpoint to make. `url` is any text; what may not be called is refused. Without `eventTypes` it receives
 * `watch.changed`.
 *
 * @since 0.1.0
 * @category models
 */
export interface NewWebhook {
  readonly url: string
  readonly label: string | null
  readonly eventTypes: ReadonlyArray<EventType>
  readonly watchIds: ReadonlyArray<WatchId> | null
  readonly minSeverity: Severity | null
  /** A name of the caller's own: for a day the same request with it makes no second endpoint. */
  readonly idempotencyKey?: Option.Option<string> | undefined
}

/**
 * The changes of an endpoint; members that are left out stay.
 *
 * @since 0.1.0
 * @category models
 */
export interface WebhookChange extends Partial<NewWebhook> {
  readonly state?: "enabled" | "disabled" | undefined
}

/**
 * A part of a list; `cursor` is the `next_cursor` of the page before.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListRequest {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

/**
 * Endpoints that receive events.
 *
 * @since 0.1.0
 * @category services
 */
export class Webhooks extends Context.Tag("@assay/core/Webhooks")<
  Webhooks,
  {
    /**
     * Makes an endpoint; its signing secret is in the answer, and shown again only by `rotate`. A watch that is removed
     * later stays in its list, and does no harm there. A request that is repeated with its idempotency key answers with
     * the endpoint that the first one made, as it is now, and with the secret that signs for it: who lost the first answer
     * has no other way to it.
     */
    readonly create: (
      caller: Caller,
      request: NewWebhook
    ) => Effect.Effect<
      CreatedWebhook,
      | IdempotencyKey.IdempotencyKeyReused
      | RateLimit.RateLimited
      | StorageError
      | WebhookLimitReached
      | WebhookUrlForbidden
      | WebhookWatchesUnknown
    >
    /** Newest first. */
    readonly list: (caller: Caller, page: ListRequest) => Effect.Effect<Page<Webhook>, Cursor.BadCursor | StorageError>
    readonly get: (caller: Caller, id: WebhookId) => Effect.Effect<Webhook, WebhookNotFound | StorageError>
    /**
     * Changes the given members; watches that are already in its list need not exist any more.
     *
     * - `url`: pending deliveries go there with their next attempt, and answers of the old URL no longer count. The
     *   count of failures restarts; another host has to succeed once before it counts as proven.
     * - `eventTypes`, `watchIds`, `minSeverity`: apply to new events; pending deliveries still come.
     * - Disabled: pending deliveries are dropped. Enabled: the count of failures restarts; dropped deliveries do not
     *   come by themselves, but can be sent on request (`redeliver`), and events of the meantime are in the log.
     */
    readonly change: (
      caller: Caller,
      id: WebhookId,
      change: WebhookChange
    ) => Effect.Effect<
      Webhook,
      WebhookNotFound | WebhookUrlForbidden | WebhookWatchesUnknown | RateLimit.RateLimited | StorageError
    >
    readonly remove: (caller: Caller, id: WebhookId) => Effect.Effect<void, WebhookNotFound | StorageError>
    /** Makes a new secret; the old one signs too, for `overlapSeconds`. */
    readonly rotate: (
      caller: Caller,
      id: WebhookId,
      overlapSeconds: number
    ) => Effect.Effect<CreatedWebhook, WebhookNotFound | StorageError>
    /**
     * Sends a `test.ping` to this endpoint alone, as `redeliver` does: once, also where it is disabled, and within the
     * limits of messages by hand (`byHand`). It stands in the log.
     */
    readonly ping: (
      caller: Caller,
      id: WebhookId
    ) => Effect.Effect<Event, WebhookNotFound | RateLimit.RateLimited | StorageError>
    readonly deliveries: (
      caller: Caller,
      id: WebhookId,
      page: ListRequest
    ) => Effect.Effect<Page<Delivery>, WebhookNotFound | Cursor.BadCursor | StorageError>
    /**
     * Sends again, at once and once, also to an endpoint that is disabled; a failure does not count for the endpoint,
     * except 410. A pending delivery is sent now instead of later, and keeps its further attempts.
     */
    readonly redeliver: (
      caller: Caller,
      id: WebhookId,
      delivery: DeliveryId
    ) => Effect.Effect<Delivery, WebhookNotFound | DeliveryNotFound | RateLimit.RateLimited | StorageError>
  }
>() {}

/**
 * `perKey` (5) is how many endpoints a key may have.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly perKey?: number | undefined
}

/**
 * How many messages are sent by hand (`ping`, `redeliver`): to one endpoint, of one key, and to one host by all keys.
 * They cost no unit, so without these limits anyone could have anyone else's server called as often as requests may be
 * made here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const byHand = {
  endpoint: { name: "webhook-messages-endpoint", shape: "strict", limit: 5, windowSeconds: 60 },
  key: { name: "webhook-messages-key", shape: "strict", limit: 30, windowSeconds: 3_600 },
  host: { name: "webhook-messages-host", shape: "strict", limit: 60, windowSeconds: 3_600 }
} as const satisfies Record<string, RateLimit.Policy>

/**
 * How often an endpoint may begin anew without having succeeded: when it is made, gets another URL, or is switched on
 * again. Of one key, and at one host by all keys.
 *
 * @since 0.1.0
 * @category constructors
 */
export const beginnings = {
  key: { name: "new-webhooks-key", shape: "strict", limit: 20, windowSeconds: 3_600 },
  host: { name: "new-webhooks-host", shape: "strict", limit: 60, windowSeconds: 3_600 }
} as const satisfies Record<string, RateLimit.Policy>

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Webhooks,
  never,
  EventStore | ExecutionStore | WatchStore | Destinations | Entropy | Secrets | EventBell | RateLimit.RateLimit
> =>
  Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* EventStore
      const executions = yield* ExecutionStore
      const watches = yield* WatchStore
      const destinations = yield* Destinations
      const entropy = yield* Entropy
      const sealing = yield* Secrets
      const bell = yield* EventBell
      const rateLimit = yield* RateLimit.RateLimit
      const perKey = options.perKey ?? 5
      const makeSecret = Effect.provideService(Signature.makeSecret, Entropy, entropy)

      const find = Effect.fnUntraced(function* (caller: Caller, id: WebhookId) {
        const found = (yield* store.webhooks(caller.id)).find(({ webhook }) => webhook.id === id)
        return found ?? (yield* new WebhookNotFound({ id }))
      })

      /** An endpoint with the secret that signs for it; undefined where there is none. */
      const shown = Effect.fnUntraced(function* (caller: Caller, id: WebhookId) {
        const found = (yield* store.webhooks(caller.id)).find(({ webhook }) => webhook.id === id)
        const [signing] = found?.secrets ?? []
        return found === undefined || signing === undefined
          ? undefined
          : { ...found.webhook, secret: yield* Effect.orDie(sealing.open(signing.secret, id)) }
      })

      /** Counts against all of these policies or none. */
      const take = Effect.fnUntraced(function* (counted: ReadonlyArray<readonly [subject: string, RateLimit.Policy]>) {
        yield* Effect.forEach(counted, ([subject, policy]) => rateLimit.peek(subject, [policy]), { discard: true })
        yield* Effect.forEach(counted, ([subject, policy]) => rateLimit.take(subject, [policy]), { discard: true })
      })

      const countByHand = (caller: Caller, { id, url }: Webhook) =>
        take([
          [id, byHand.endpoint],
          [caller.id, byHand.key],
          [hostOf(url), byHand.host]
        ])

      const countBeginning = (caller: Caller, url: string) =>
        take([
          [caller.id, beginnings.key],
          [hostOf(url), beginnings.host]
        ])

      /** Fails where there are watches in a list that its key does not have; those that are `known` may be gone. */
      const checkWatches = Effect.fnUntraced(function* (
        caller: Caller,
        wanted: ReadonlyArray<WatchId> | null | undefined,
        known: ReadonlyArray<WatchId>
      ) {
        const found = new Set(known)
        for (const id of new Set(wanted ?? []))
          if (!found.has(id) && Option.isSome(yield* watches.find(caller.id, id))) found.add(id)
        const indexes = (wanted ?? []).flatMap((id, index) => (found.has(id) ? [] : [index]))
        if (indexes.length > 0) return yield* new WebhookWatchesUnknown({ indexes })
      })

      const write = Effect.fnUntraced(function* (
        caller: Caller,
        id: WebhookId,
        decide: (endpoint: StoredWebhook) => StoredWebhook
      ) {
        const written = yield* store.changeWebhook(caller.id, id, decide)
        return yield* Option.match(written, {
          onNone: () => new WebhookNotFound({ id }),
          onSome: ({ webhook }) => Effect.succeed(webhook)
        })
      })

      return {
        create: Effect.fn("Webhooks.create")(function* (caller: Caller, request: NewWebhook) {
          const { idempotencyKey = Option.none(), ...asked } = request
          const once = IdempotencyKey.make<WebhookId>(executions, {
            keyId: caller.id,
            kind: "webhook",
            name: idempotencyKey,
            asked
          })
          const earlier = yield* once.made
          const made = Option.isSome(earlier) ? yield* shown(caller, earlier.value) : undefined
          if (made !== undefined) return made
          yield* checkWatches(caller, request.watchIds, [])
          const { url } = yield* destinations.check(request.url)
          if ((yield* store.webhooks(caller.id)).length < perKey) yield* countBeginning(caller, url)
          const secret = yield* makeSecret
          const now = yield* Clock.currentTimeMillis
          const id = yield* once.claim(yield* Id.make("whk"))
          const webhook: Webhook = {
            id,
            url,
            label: request.label,
            event_types: typesOf(request.eventTypes),
            watch_ids: request.watchIds,
            min_severity: request.minSeverity,
            state: "enabled",
            disabled_reason: null,
            failing_since: null,
            last_success_at: null,
            created_at: fromMillis(now)
          }
          const secrets = [{ secret: yield* sealing.seal(secret, id), until: Option.none() }]
          if (!(yield* store.addWebhook({ keyId: caller.id, webhook, secrets, failures: 0, warned: false }, perKey)))
            return yield* new WebhookLimitReached({ limit: perKey })
          // Another request of the same name may have made it first, with a secret of its own.
          return Option.isNone(idempotencyKey)
            ? { ...webhook, secret }
            : ((yield* shown(caller, id)) ?? { ...webhook, secret })
        }),
        list: Effect.fn("Webhooks.list")(function* (caller: Caller, { cursor, limit }: ListRequest) {
          const from = yield* Effect.transposeMapOption(cursor, Cursor.decode(WebhookId))
          const { data, next_cursor } = partOf(yield* store.webhooks(caller.id), ({ webhook }) => webhook.id, {
            limit,
            from
          })
          return {
            data: data.map(({ webhook }) => webhook),
            next_cursor: next_cursor === null ? null : Cursor.encode(next_cursor)
          }
        }),
        get: Effect.fn("Webhooks.get")((caller: Caller, id: WebhookId) =>
          Effect.map(find(caller, id), ({ webhook }) => webhook)
        ),
        change: Effect.fn("Webhooks.change")(function* (caller: Caller, id: WebhookId, change: WebhookChange) {
          // Ownership is checked first: others learn nothing of what a URL resolves to.
          const { webhook } = yield* find(caller, id)
          yield* checkWatches(caller, change.watchIds, webhook.watch_ids ?? [])
          const { url: wanted, ...rest } = change
          const checked =
            wanted === undefined || wanted === webhook.url ? {} : { url: (yield* destinations.check(wanted)).url }
          if (beginsUnproven(webhook, { ...rest, ...checked }))
            yield* countBeginning(caller, checked.url ?? webhook.url)
          return yield* write(caller, id, (endpoint) => changed(endpoint, { ...rest, ...checked }))
        }),
        remove: Effect.fn("Webhooks.remove")(function* (caller: Caller, id: WebhookId) {
          if (!(yield* store.removeWebhook(caller.id, id))) return yield* new WebhookNotFound({ id })
        }),
        rotate: Effect.fn("Webhooks.rotate")(function* (caller: Caller, id: WebhookId, overlapSeconds: number) {
          const secret = yield* makeSecret
          const sealed = yield* sealing.seal(secret, id)
          const now = yield* Clock.currentTimeMillis
          const webhook = yield* write(caller, id, (endpoint) => ({
            ...endpoint,
            secrets: rotated(endpoint.secrets, { secret: sealed, now, until: now + overlapSeconds * 1000 })
          }))
          return { ...webhook, secret }
        }),
        ping: Effect.fn("Webhooks.ping")(function* (caller: Caller, id: WebhookId) {
          yield* countByHand(caller, (yield* find(caller, id)).webhook)
          const now = yield* Clock.currentTimeMillis
          const event: NewEvent = {
            id: yield* Id.make("evt"),
            keyId: caller.id,
            timestamp: fromMillis(now),
            body: { type: "test.ping", data: { webhook_id: id } },
            only: id
          }
          const [appended] = yield* store.append([event], now)
          if (appended === undefined) return yield* Effect.dieMessage("A new event was in the log already.")
          yield* bell.ring([caller.id])
          return appended
        }),
        deliveries: Effect.fn("Webhooks.deliveries")(function* (caller: Caller, id: WebhookId, { cursor, limit }) {
          const before = yield* Effect.transposeMapOption(cursor, Cursor.decode(DeliveryId))
          const found = yield* store.deliveries(caller.id, id, { limit, before })
          if (Option.isNone(found)) return yield* new WebhookNotFound({ id })
          const { data, next_cursor } = found.value
          return { data, next_cursor: next_cursor === null ? null : Cursor.encode(next_cursor) }
        }),
        redeliver: Effect.fn("Webhooks.redeliver")(function* (caller: Caller, id: WebhookId, delivery: DeliveryId) {
          yield* countByHand(caller, (yield* find(caller, id)).webhook)
          const found = yield* store.redeliver(caller.id, id, delivery, yield* Clock.currentTimeMillis)
          if (Option.isNone(found)) return yield* new DeliveryNotFound({ id: delivery })
          yield* bell.ring([caller.id])
          return found.value
        })
      }
    })
  )

export { WebhookUrlForbidden } from "./Destination.js"

const typesOf = (types: ReadonlyArray<EventType>): ReadonlyArray<EventType> =>
  types.length === 0 ? ["watch.changed"] : Array.from(new Set(types))

const hostOf = (url: string): string => new URL(url).hostname

/** Whether a change gives new attempts to an endpoint that has not succeeded at its host. */
const beginsUnproven = (webhook: Webhook, { state, url }: Pick<WebhookChange, "state" | "url">): boolean => {
  const isNewHost = url !== undefined && hostOf(url) !== hostOf(webhook.url)
  const isFresh = (url !== undefined && url !== webhook.url) || (state === "enabled" && webhook.state === "disabled")
  return isNewHost || (isFresh && webhook.last_success_at === null)
}

const changed = (endpoint: StoredWebhook, change: WebhookChange): StoredWebhook => {
  const { webhook } = endpoint
  const state = change.state ?? webhook.state
  const webhookAfter: Webhook = {
    ...webhook,
    url: change.url ?? webhook.url,
    label: change.label === undefined ? webhook.label : change.label,
    event_types: change.eventTypes === undefined ? webhook.event_types : typesOf(change.eventTypes),
    watch_ids: change.watchIds === undefined ? webhook.watch_ids : change.watchIds,
    min_severity: change.minSeverity === undefined ? webhook.min_severity : change.minSeverity,
    state,
    disabled_reason: state === "enabled" ? null : (webhook.disabled_reason ?? "by_owner"),
    last_success_at: hostOf(change.url ?? webhook.url) === hostOf(webhook.url) ? webhook.last_success_at : null
  }
  const isFresh = webhookAfter.url !== webhook.url || (state === "enabled" && webhook.state === "disabled")
  return isFresh
    ? { ...endpoint, webhook: { ...webhookAfter, failing_since: null }, failures: 0, warned: false }
    : { ...endpoint, webhook: webhookAfter }
}

/** The newest first; expired secrets are dropped. */
const rotated = (
  secrets: ReadonlyArray<SigningSecret>,
  next: { readonly secret: string; readonly now: number; readonly until: number }
): ReadonlyArray<SigningSecret> =>
  [
    { secret: next.secret, until: Option.none() },
    ...secrets.map(({ secret, until }) => ({
      secret,
      until: Option.some(
        Math.min(
          Option.getOrElse(until, () => next.until),
          next.until
        )
      )
    }))
  ]
    .filter(({ until }) => Option.getOrElse(until, () => Number.POSITIVE_INFINITY) > next.now)
    .slice(0, maxSecrets)

// Each secret makes every message longer.
const maxSecrets = 10

/**
 * @since 0.1.0
 * @category errors
 */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", { id: WebhookId }) {}

/**
 * @since 0.1.0
 * @category errors
 */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", { id: DeliveryId }) {}

/**
 * The key has no such watches: those at these places of the list, from 0.
 *
 * @since 0.1.0
 * @category errors
 */
export class WebhookWatchesUnknown extends Schema.TaggedError<WebhookWatchesUnknown>()("WebhookWatchesUnknown", {
  indexes: Schema.Array(Schema.NonNegativeInt)
}) {}

/**
 * The key has as many endpoints as it may.
 *
 * @since 0.1.0
 * @category errors
 */
export class WebhookLimitReached extends Schema.TaggedError<WebhookLimitReached>()("WebhookLimitReached", {
  limit: Schema.NonNegativeInt
}) {}

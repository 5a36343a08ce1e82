import { Clock, Effect, Layer, Option } from "effect"
import type { NewEvent } from "../../src/domain/Event.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import * as Destination from "../../src/events/Destination.js"
import * as EventBell from "../../src/events/EventBell.js"
import { HostUnresolved, Resolver } from "../../src/events/Resolver.js"
import * as Webhooks from "../../src/events/Webhooks.js"
import { type WebhookAnswer, WebhookTransport, type WebhookUnanswered } from "../../src/events/WebhookTransport.js"
import * as Entropy from "../../src/keys/Entropy.js"
import * as Secrets from "../../src/keys/Secrets.js"
import * as RateLimit from "../../src/quota/RateLimit.js"
import * as EventStore from "../../src/storage/EventStore.js"
import { caller, mine } from "./News.js"

/** A message as it was sent; `at` in epoch milliseconds. */
export interface Sent {
  readonly at: number
  readonly url: string
  readonly addresses: ReadonlyArray<string>
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** The world outside, as a test wants it. */
export interface Outside {
  readonly sent: Array<Sent>
  /** What an endpoint does with a message; the latest says. */
  answer: (sent: Sent) => Effect.Effect<WebhookAnswer, WebhookUnanswered>
  addresses: (host: string) => ReadonlyArray<string>
}

export const status = (code: number, retryAfter?: string): Effect.Effect<WebhookAnswer> =>
  Effect.succeed({ status: code, retryAfter: Option.fromNullable(retryAfter) })

export const outside = (): Outside => ({ sent: [], answer: () => status(200), addresses: () => ["93.184.216.34"] })

export const transport = (outside: Outside): Layer.Layer<WebhookTransport> =>
  Layer.succeed(WebhookTransport, {
    post: ({ addresses, url }, { body, headers }) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const sent = { at, url, addresses, headers, body }
        outside.sent.push(sent)
        return outside.answer(sent)
      })
  })

export const resolver = (outside: Outside): Layer.Layer<Resolver> =>
  Layer.succeed(Resolver, {
    resolve: (host) =>
      Effect.suspend(() => {
        const found = outside.addresses(host)
        return found.length === 0 ? new HostUnresolved() : Effect.succeed(found)
      })
  })

/** All that endpoints need but the worker, over the store of the test. */
export const office = (outside: Outside, options: Destination.Options = {}) =>
  Layer.mergeAll(Webhooks.layer(), transport(outside)).pipe(
    Layer.provideMerge(Layer.provide(Destination.layer(options), resolver(outside))),
    Layer.provideMerge(
      Layer.mergeAll(
        EventBell.layer,
        RateLimit.layer(),
        Layer.provideMerge(Secrets.layerEphemeral, Entropy.layerSeeded(7))
      )
    )
  )

export const endpoint = (changes: Partial<Webhooks.NewWebhook> = {}, key = mine) =>
  Effect.flatMap(Webhooks.Webhooks, (webhooks) =>
    webhooks.create(caller(key), {
      url: "https://example.com/hook?token=very-secret",
      label: null,
      eventTypes: ["watch.recovered"],
      watchIds: null,
      minSeverity: null,
      ...changes
    })
  )

/** An endpoint that succeeded once: its first attempts decide no more whether it is one. */
export const provenEndpoint = (changes: Partial<Webhooks.NewWebhook> = {}, key = mine) =>
  Effect.gen(function* () {
    const made = yield* endpoint(changes, key)
    const store = yield* EventStore.EventStore
    yield* store.changeWebhook(key, made.id, (found) => ({
      ...found,
      webhook: { ...found.webhook, last_success_at: fromMillis(0) }
    }))
    return made
  })

/** Appends and rings, as the relay does. */
export const tell = (...events: ReadonlyArray<NewEvent>) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const bell = yield* EventBell.EventBell
    const appended = yield* store.append(events, yield* Clock.currentTimeMillis)
    yield* bell.ring(events.map(({ keyId }) => keyId))
    return appended
  })

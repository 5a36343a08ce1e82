import { Context, Effect, Layer, Option } from "effect"
import { EventStore } from "./EventStore.js"
import { ExecutionStore } from "./ExecutionStore.js"
import { KeyStore } from "./KeyStore.js"
import { Processes } from "./Processes.js"
import { QuotaStore } from "./QuotaStore.js"
import type { Storage } from "./Storage.js"
import { StorageError } from "./StorageError.js"
import { WatchStore } from "./WatchStore.js"

/**
 * What is done around each call of a store, which is named as `KeyStore.find`.
 *
 * @since 0.1.0
 * @category models
 */
export type Around = <A>(operation: string, effect: Effect.Effect<A, StorageError>) => Effect.Effect<A, StorageError>

/**
 * The stores beneath, with the same done around each call of any of them.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (call: Around): Layer.Layer<Storage, never, Storage> => Layer.effectContext(stores(call))

/**
 * The stores beneath, of which every call fails with the reason while there is one: nothing is read or written.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRefusing = (refusal: Effect.Effect<Option.Option<string>>): Layer.Layer<Storage, never, Storage> =>
  layer(refusing(refusal))

/**
 * Fails a call with the reason while there is one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusing =
  (refusal: Effect.Effect<Option.Option<string>>): Around =>
  (operation, effect) =>
    Effect.flatMap(
      refusal,
      Option.match({
        onNone: () => effect,
        onSome: (detail) => new StorageError({ reason: "unavailable", operation, detail })
      })
    )

/**
 * As `layer`, as the services.
 *
 * @since 0.1.0
 * @category combinators
 */
export const stores = (call: Around): Effect.Effect<Context.Context<Storage>, never, Storage> =>
  Effect.gen(function* () {
    const keys = yield* KeyStore
    const quota = yield* QuotaStore
    const executions = yield* ExecutionStore
    const watches = yield* WatchStore
    const events = yield* EventStore
    const processes = yield* Processes
    return Context.empty().pipe(
      Context.add(Processes, processes),
      Context.add(KeyStore, {
        insert: (record) => call("KeyStore.insert", keys.insert(record)),
        findByHash: (hash) => call("KeyStore.findByHash", keys.findByHash(hash)),
        find: (id) => call("KeyStore.find", keys.find(id)),
        list: (page) => call("KeyStore.list", keys.list(page)),
        change: (id, change) => call("KeyStore.change", keys.change(id, change)),
        rotate: (id, rotation) => call("KeyStore.rotate", keys.rotate(id, rotation)),
        invite: (record) => call("KeyStore.invite", keys.invite(record)),
        invitations: (page) => call("KeyStore.invitations", keys.invitations(page)),
        endInvitation: (id, now) => call("KeyStore.endInvitation", keys.endInvitation(id, now)),
        redeem: (redemption) => call("KeyStore.redeem", keys.redeem(redemption)),
        touch: (id, usedAt) => call("KeyStore.touch", keys.touch(id, usedAt)),
        unused: (query) => call("KeyStore.unused", keys.unused(query)),
        removeUnused: (ids) => call("KeyStore.removeUnused", keys.removeUnused(ids))
      }),
      Context.add(QuotaStore, {
        reserve: (request) => call("QuotaStore.reserve", quota.reserve(request)),
        settle: (id, state, now) => call("QuotaStore.settle", quota.settle(id, state, now)),
        count: (keyId, day) => call("QuotaStore.count", quota.count(keyId, day)),
        ledger: (query) => call("QuotaStore.ledger", quota.ledger(query)),
        redate: (keyId, now) => call("QuotaStore.redate", quota.redate(keyId, now)),
        unsettled: (before, limit) => call("QuotaStore.unsettled", quota.unsettled(before, limit)),
        prune: (bounds) => call("QuotaStore.prune", quota.prune(bounds))
      }),
      Context.add(ExecutionStore, {
        begin: (request) => call("ExecutionStore.begin", executions.begin(request)),
        renew: (id, lease) => call("ExecutionStore.renew", executions.renew(id, lease)),
        complete: (token, result, memory) =>
          call("ExecutionStore.complete", executions.complete(token, result, memory)),
        fail: (id, token, failure, now) => call("ExecutionStore.fail", executions.fail(id, token, failure, now)),
        discard: (id, token) => call("ExecutionStore.discard", executions.discard(id, token)),
        find: (keyId, id) => call("ExecutionStore.find", executions.find(keyId, id)),
        document: (keyId, id) => call("ExecutionStore.document", executions.document(keyId, id)),
        contentHash: (keyId, id) => call("ExecutionStore.contentHash", executions.contentHash(keyId, id)),
        previous: (keyId, target, before) =>
          call("ExecutionStore.previous", executions.previous(keyId, target, before)),
        list: (keyId, filter, page) => call("ExecutionStore.list", executions.list(keyId, filter, page)),
        expireLeases: (now, limit) => call("ExecutionStore.expireLeases", executions.expireLeases(now, limit)),
        running: call("ExecutionStore.running", executions.running),
        lease: (id) => call("ExecutionStore.lease", executions.lease(id)),
        status: (id) => call("ExecutionStore.status", executions.status(id)),
        endedBefore: (before, limit) => call("ExecutionStore.endedBefore", executions.endedBefore(before, limit)),
        remove: (ids, now) => call("ExecutionStore.remove", executions.remove(ids, now)),
        ends: (keyId, ids) => call("ExecutionStore.ends", executions.ends(keyId, ids)),
        isRemoved: (keyId, id) => call("ExecutionStore.isRemoved", executions.isRemoved(keyId, id)),
        bind: (binding) => call("ExecutionStore.bind", executions.bind(binding)),
        bound: (lookup) => call("ExecutionStore.bound", executions.bound(lookup)),
        forgetIdempotencyKeys: (before, limit) =>
          call("ExecutionStore.forgetIdempotencyKeys", executions.forgetIdempotencyKeys(before, limit)),
        forget: (before, limit) => call("ExecutionStore.forget", executions.forget(before, limit))
      }),
      Context.add(WatchStore, {
        create: (watch, limit) => call("WatchStore.create", watches.create(watch, limit)),
        find: (keyId, id) => call("WatchStore.find", watches.find(keyId, id)),
        list: (keyId, filter, page) => call("WatchStore.list", watches.list(keyId, filter, page)),
        count: (keyId) => call("WatchStore.count", watches.count(keyId)),
        change: (keyId, id, decide) => call("WatchStore.change", watches.change(keyId, id, decide)),
        remove: (keyId, id) => call("WatchStore.remove", watches.remove(keyId, id)),
        claimDue: (request) => call("WatchStore.claimDue", watches.claimDue(request)),
        claimNow: (keyId, id, request) => call("WatchStore.claimNow", watches.claimNow(keyId, id, request)),
        renew: (runId, lease) => call("WatchStore.renew", watches.renew(runId, lease)),
        finishRun: (runId, token, decide) => call("WatchStore.finishRun", watches.finishRun(runId, token, decide)),
        expired: (now, limit) => call("WatchStore.expired", watches.expired(now, limit)),
        tokens: call("WatchStore.tokens", watches.tokens),
        claims: (tokens) => call("WatchStore.claims", watches.claims(tokens)),
        runs: (keyId, id, filter, page) => call("WatchStore.runs", watches.runs(keyId, id, filter, page)),
        nextDueAt: call("WatchStore.nextDueAt", watches.nextDueAt),
        outbox: (limit) => call("WatchStore.outbox", watches.outbox(limit)),
        relayed: (ids) => call("WatchStore.relayed", watches.relayed(ids)),
        prune: (options) => call("WatchStore.prune", watches.prune(options))
      }),
      Context.add(EventStore, {
        append: (all, now) => call("EventStore.append", events.append(all, now)),
        read: (keyId, query) => call("EventStore.read", events.read(keyId, query)),
        newest: (keyIds) => call("EventStore.newest", events.newest(keyIds)),
        addWebhook: (endpoint, limit) => call("EventStore.addWebhook", events.addWebhook(endpoint, limit)),
        webhooks: (keyId) => call("EventStore.webhooks", events.webhooks(keyId)),
        changeWebhook: (keyId, id, decide) => call("EventStore.changeWebhook", events.changeWebhook(keyId, id, decide)),
        removeWebhook: (keyId, id) => call("EventStore.removeWebhook", events.removeWebhook(keyId, id)),
        deliveries: (keyId, id, page) => call("EventStore.deliveries", events.deliveries(keyId, id, page)),
        redeliver: (keyId, webhookId, id, now) =>
          call("EventStore.redeliver", events.redeliver(keyId, webhookId, id, now)),
        claimDeliveries: (request) => call("EventStore.claimDeliveries", events.claimDeliveries(request)),
        finishDelivery: (id, token, decide) =>
          call("EventStore.finishDelivery", events.finishDelivery(id, token, decide)),
        heldDeliveries: call("EventStore.heldDeliveries", events.heldDeliveries),
        freeDeliveries: (tokens, now) => call("EventStore.freeDeliveries", events.freeDeliveries(tokens, now)),
        nextDeliveryAt: call("EventStore.nextDeliveryAt", events.nextDeliveryAt),
        prune: (before, limit) => call("EventStore.prune", events.prune(before, limit))
      })
    )
  })

import { Context, Effect, Layer, Option } from "effect"
import * as EventStore from "../../src/storage/EventStore.js"
import * as ExecutionStore from "../../src/storage/ExecutionStore.js"
import * as KeyStore from "../../src/storage/KeyStore.js"
import * as QuotaStore from "../../src/storage/QuotaStore.js"
import * as WatchStore from "../../src/storage/WatchStore.js"
import * as StorageSuite from "../../src/testing/StorageSuite.js"

/** A store with one deliberate bug, and the cases of which one has to find it. */
export interface Mutant {
  readonly name: string
  readonly cases: ReadonlyArray<StorageSuite.Case<never>>
}

const mutantsOf = <I, S extends object>(
  name: string,
  tag: Context.Tag<I, S>,
  layer: Layer.Layer<I>,
  casesOf: (layer: Layer.Layer<I>) => ReadonlyArray<StorageSuite.Case<never>>,
  bugs: { readonly [bug: string]: (store: S) => Partial<S> }
): ReadonlyArray<Mutant> =>
  Object.entries(bugs).map(([bug, mutate]) => ({
    name: `${name} ${bug}`,
    cases: casesOf(
      Layer.map(layer, (context) => {
        const store = Context.get(context, tag)
        return Context.make(tag, { ...store, ...mutate(store) })
      })
    )
  }))

const nothing = () => Effect.void
const all = 1_000
const later = Date.UTC(2300, 0, 1)

const keys = mutantsOf("KeyStore", KeyStore.KeyStore, KeyStore.layerMemory, StorageSuite.keyStore, {
  "cuts labels": ({ insert }) => ({ insert: (record) => insert({ ...record, label: record.label.slice(0, 3) }) }),
  "forgets the source": ({ insert }) => ({ insert: (record) => insert({ ...record, source: Option.none() }) }),
  "finds no disabled key": ({ findByHash }) => ({
    findByHash: (hash) =>
      Effect.map(
        findByHash(hash),
        Option.filter(({ state }) => state === "active")
      )
  }),
  "ignores the size of a page": ({ list }) => ({ list: (page) => list({ ...page, limit: all }) }),
  "ignores the place of a page": ({ list }) => ({ list: (page) => list({ ...page, before: Option.none() }) }),
  "ends with the first page": ({ list }) => ({
    list: (page) => Effect.map(list(page), (found) => ({ ...found, next_cursor: null }))
  }),
  "names another place for the next page": ({ list }) => ({
    list: (page) =>
      Effect.map(list(page), (found) => ({
        ...found,
        next_cursor: found.next_cursor === null ? null : (found.data[0]?.id ?? null)
      }))
  }),
  "answers a change with the key of before": ({ change, find }) => ({
    change: (id, step) => Effect.zipLeft(find(id), change(id, step))
  }),
  "loses a change of the end": ({ change }) => ({
    change: (id, { expiresAt: _, ...step }) => change(id, step)
  }),
  "loses a new label": ({ change }) => ({ change: (id, { label: _, ...step }) => change(id, step) }),
  "ends the former secret at once": ({ rotate }) => ({
    rotate: (id, rotation) => rotate(id, { ...rotation, endsAt: rotation.now })
  }),
  "answers a rotation with the key of before": ({ find, rotate }) => ({
    rotate: (id, rotation) => Effect.zipLeft(find(id), rotate(id, rotation))
  }),
  "rotates with any secret": ({ find, rotate }) => ({
    rotate: (id, rotation) =>
      Effect.flatMap(find(id), (found) =>
        rotate(id, {
          ...rotation,
          presented: Option.match(found, { onNone: () => rotation.presented, onSome: ({ hash }) => hash })
        })
      )
  }),
  "loses the plan": ({ change }) => ({ change: (id, { plan: _, ...step }) => change(id, step) }),
  "makes a key for whoever has no invitation": ({ insert, redeem }) => ({
    redeem: (redemption) =>
      Effect.flatMap(redeem(redemption), (answer) =>
        answer._tag === "Redeemed"
          ? Effect.succeed(answer)
          : Effect.as(insert(redemption.key), { _tag: "Redeemed", record: redemption.key } as const)
      )
  }),
  "makes the key and takes no use": ({ insert }) => ({
    redeem: ({ key }) => Effect.as(insert(key), { _tag: "Redeemed", record: key } as const)
  }),
  "forgets by which request a key was made": ({ redeem }) => ({
    redeem: (redemption) => redeem({ ...redemption, request: Option.none() })
  }),
  "redeems beyond the end": ({ redeem }) => ({ redeem: (redemption) => redeem({ ...redemption, now: 0 }) }),
  "never ends an invitation": () => ({ endInvitation: () => Effect.succeedNone }),
  "ignores the size of a page of invitations": ({ invitations }) => ({
    invitations: (page) => invitations({ ...page, limit: all })
  }),
  "never stores when a key was used": () => ({ touch: nothing }),
  "names young keys as unused": ({ unused }) => ({ unused: (query) => unused({ ...query, before: later }) }),
  "begins the list of unused keys anew": ({ unused }) => ({
    unused: (query) => unused({ ...query, after: Option.none() })
  }),
  "acknowledges that unused keys are removed and keeps them": () => ({
    removeUnused: (ids) => Effect.succeed(Math.min(2, ids.length))
  })
})

const units = mutantsOf("QuotaStore", QuotaStore.QuotaStore, QuotaStore.layerMemory, StorageSuite.quotaStore, {
  "grants one unit too many": ({ reserve }) => ({
    reserve: (request) =>
      reserve({ ...request, buckets: request.buckets.map((bucket) => ({ ...bucket, limit: bucket.limit + 1 })) })
  }),
  "looks at the first bucket alone": ({ reserve }) => ({
    reserve: (request) => reserve({ ...request, buckets: request.buckets.slice(0, 1) })
  }),
  "begins each page of the ledger anew": ({ ledger }) => ({
    ledger: (query) => ledger({ ...query, before: Option.none() })
  }),
  "leaves the sums out of the ledger": ({ ledger }) => ({
    ledger: (query) =>
      Effect.map(ledger(query), (lines) => lines.filter(({ reservation }) => Option.isSome(reservation)))
  }),
  "commits what is released": ({ settle }) => ({ settle: (id, _, now) => settle(id, "committed", now) }),
  "settles a unit again": ({ settle }) => ({ settle: (id, state, now) => Effect.as(settle(id, state, now), true) }),
  "leaves units on a day to come": () => ({ redate: () => Effect.succeed(0) }),
  "names units of this moment as left over": ({ unsettled }) => ({ unsettled: (_, limit) => unsettled(later, limit) }),
  "ignores how many are wanted": ({ unsettled }) => ({ unsettled: (before) => unsettled(before, all) }),
  "keeps every unit forever": () => ({ prune: () => Effect.succeed(0) }),
  "keeps every sum forever": ({ prune }) => ({ prune: (bounds) => prune({ ...bounds, sumsBefore: "" }) }),
  "keeps no sums": ({ prune }) => ({ prune: (bounds) => prune({ ...bounds, sumsBefore: bounds.settledBefore }) }),
  "removes units of today too": ({ prune }) => ({ prune: (bounds) => prune({ ...bounds, settledBefore: "9999" }) })
})

const executions = mutantsOf(
  "ExecutionStore",
  ExecutionStore.ExecutionStore,
  ExecutionStore.layerMemory,
  StorageSuite.executionStore,
  {
    "says that every lease is held": ({ renew }) => ({ renew: (id, lease) => Effect.as(renew(id, lease), true) }),
    "acknowledges a result and stores none": () => ({ complete: () => Effect.succeed(true) }),
    "acknowledges a failure and stores none": () => ({ fail: () => Effect.succeed(true) }),
    "keeps what was refused its unit": () => ({ discard: nothing }),
    "ignores filters": ({ list }) => ({
      list: (key, _, page) =>
        list(
          key,
          {
            kind: Option.none(),
            address: Option.none(),
            chainId: Option.none(),
            watchId: Option.none(),
            since: Option.none()
          },
          page
        )
    }),
    "ignores the size of a page": ({ list }) => ({
      list: (key, filter, page) => list(key, filter, { ...page, limit: all })
    }),
    "compares with the newest whatever came before": ({ previous }) => ({
      previous: (key, target) => previous(key, target)
    }),
    "ends no lease": () => ({ expireLeases: () => Effect.succeed([]) }),
    "ends leases that still hold": ({ expireLeases }) => ({ expireLeases: (_, limit) => expireLeases(later, limit) }),
    "removes nothing": () => ({ remove: nothing }),
    "says of no execution how it ended": () => ({ ends: () => Effect.succeed([]) }),
    "says of every key's executions how they ended": ({ ends }) => ({
      ends: (keyId, ids) =>
        Effect.map(ends(keyId, ids), (found) => [
          ...found,
          ...ids
            .filter((id) => found.every((end) => end.id !== id))
            .map((id) => ({ id, watchId: Option.none(), failure: Option.none() }))
        ])
    }),
    "forgets at once that something was removed": () => ({ isRemoved: () => Effect.succeed(false) }),
    "loses an idempotency key": () => ({ bound: () => Effect.succeed(Option.none()) }),
    "names what ended a moment ago as old": ({ endedBefore }) => ({
      endedBefore: (_, limit) => endedBefore(later, limit)
    })
  }
)

const watches = mutantsOf("WatchStore", WatchStore.WatchStore, WatchStore.layerMemory, StorageSuite.watchStore, {
  "ignores how many watches a key may have": ({ create }) => ({ create: (watch) => create(watch, all) }),
  "ignores the size of a page": ({ list }) => ({
    list: (key, filter, page) => list(key, filter, { ...page, limit: all })
  }),
  "ignores the size of a page of runs": ({ runs }) => ({
    runs: (key, id, filter, page) => runs(key, id, filter, { ...page, limit: all })
  }),
  "lists runs without a change among those with one": ({ runs }) => ({
    runs: (key, id, _, page) => runs(key, id, { changed: false }, page)
  }),
  "claims what is not due": ({ claimDue }) => ({ claimDue: (request) => claimDue({ ...request, now: later }) }),
  "claims by hand as often as wanted": ({ claimNow }) => ({
    claimNow: (key, id, request) => claimNow(key, id, { ...request, notAfter: later })
  }),
  "acknowledges the end of a run and writes none": () => ({ finishRun: () => Effect.succeed(true) }),
  "names runs with a lease that still holds as expired": ({ expired }) => ({
    expired: (_, limit) => expired(later, limit)
  }),
  "gives events in another order": ({ outbox }) => ({
    outbox: (limit) => Effect.map(outbox(limit), (events) => [...events].reverse())
  }),
  "relays events for ever": () => ({ relayed: nothing }),
  "prunes nothing": () => ({ prune: () => Effect.succeed(0) }),
  "never wakes the scheduler": () => ({ nextDueAt: Effect.succeed(Option.none()) }),
  "forgets which runs are held": () => ({ tokens: Effect.succeed([]) })
})

const events = mutantsOf("EventStore", EventStore.EventStore, EventStore.layerMemory, StorageSuite.eventStore, {
  "ignores how many endpoints a key may have": ({ addWebhook }) => ({
    addWebhook: (endpoint) => addWebhook(endpoint, all)
  }),
  "removes no endpoint": () => ({ removeWebhook: () => Effect.succeed(true) }),
  "claims more of an endpoint than allowed": ({ claimDeliveries }) => ({
    claimDeliveries: (request) => claimDeliveries({ ...request, perEndpoint: all })
  }),
  "claims deliveries that are not due": ({ claimDeliveries }) => ({
    claimDeliveries: (request) => claimDeliveries({ ...request, now: later })
  }),
  "acknowledges an attempt and writes none": () => ({ finishDelivery: () => Effect.succeed(Option.some([])) }),
  "frees no delivery": () => ({ freeDeliveries: () => Effect.succeed(0) }),
  "knows of no newest event": () => ({ newest: () => Effect.succeed(new Map()) }),
  "has one newest event for all keys": ({ newest }) => ({
    newest: (keys) =>
      Effect.map(newest(keys), (found) => new Map([...found.keys()].map((key) => [key, Math.max(...found.values())])))
  }),
  "never wakes the delivery": () => ({ nextDeliveryAt: Effect.succeed(Option.none()) }),
  "ignores the size of a page of deliveries": ({ deliveries }) => ({
    deliveries: (key, id, page) => deliveries(key, id, { ...page, limit: all })
  }),
  "prunes nothing": () => ({ prune: () => Effect.succeed(0) })
})

/** Every deliberate bug that the suite of the stores has to find. */
export const mutants: ReadonlyArray<Mutant> = [...keys, ...units, ...executions, ...watches, ...events]

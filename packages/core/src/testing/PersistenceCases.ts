/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import * as Id from "../domain/Id.js"
import { EventStore } from "../storage/EventStore.js"
import { ExecutionStore } from "../storage/ExecutionStore.js"
import { KeyStore } from "../storage/KeyStore.js"
import { Processes } from "../storage/Processes.js"
import { QuotaStore } from "../storage/QuotaStore.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import * as EventSteps from "./EventSteps.js"
import { finish, memory, start, stored } from "./ExecutionCases.js"
import { concurrently, noon, same, type Violation } from "./Guarantee.js"
import { keyRecord } from "./KeyCases.js"
import { nothing, reserve, today } from "./QuotaCases.js"
import * as WatchSteps from "./WatchSteps.js"

const named = (keyId: Id.KeyId) => ({ keyId, name: "watch\na", fingerprint: "asked", after: 0 })

type Twice = <E>(layer: Layer.Layer<Storage, E>) => Effect.Effect<void, Violation | StorageError | E>

/** What persistent back ends promise. */
export const cases: { readonly [title: string]: Twice } = {
  "what was acknowledged is there when the store is opened again": (layer) =>
    Effect.gen(function* () {
      const record = yield* keyRecord()
      const written = yield* Effect.provide(
        Effect.gen(function* () {
          yield* (yield* KeyStore).insert(record)
          const unit = yield* reserve(record.id, 2)
          yield* (yield* QuotaStore).settle(unit.id, "committed", noon)
          yield* reserve(record.id, 2)
          const done = yield* start(record.id)
          yield* WatchSteps.alone
          const watch = yield* WatchSteps.watchAt(record.id, noon)
          const [claimed] = yield* WatchSteps.claim(noon)
          const endpoint = yield* EventSteps.endpointAt(record.id)
          const events = yield* (yield* EventStore).append([yield* EventSteps.newEvent(record.id)], noon)
          const watched = { watch, claimed, endpoint, events }
          yield* (yield* ExecutionStore).bind({ ...named(record.id), id: watch.id, now: noon })
          return { running: yield* start(record.id), done, result: yield* finish(done), watched }
        }),
        layer
      )
      yield* Effect.provide(
        Effect.gen(function* () {
          const executions = yield* ExecutionStore
          yield* same("key", yield* (yield* KeyStore).findByHash(record.hash), Option.some(record))
          yield* same("units", yield* (yield* QuotaStore).count(record.id, today), {
            used: 1,
            reserved: 1,
            byKind: { ...nothing.byKind, token: 1 }
          })
          yield* same(
            "idempotency key",
            yield* executions.bound(named(record.id)),
            Option.some({ id: written.watched.watch.id, fingerprint: "asked" })
          )
          yield* same("no unit is left", (yield* reserve(record.id, 2)).answer._tag, "Refused")
          yield* same(
            "result",
            yield* executions.find(record.id, written.done.id),
            stored(record.id, written.result, memory)
          )
          const { id, lease, running } = written.running
          yield* same("running", yield* executions.find(record.id, id), stored(record.id, running))
          yield* same("lease", yield* executions.renew(id, lease), true)
          const { claimed, endpoint, events, watch } = written.watched
          const found = yield* (yield* WatchStore).find(record.id, watch.id)
          yield* same("watch", found, Option.fromNullable(claimed?.watch))
          if (claimed !== undefined) yield* same("its run", yield* WatchSteps.finish(claimed, noon), true)
          const store = yield* EventStore
          yield* same("endpoint", yield* store.webhooks(record.id), [endpoint])
          const query = { after: 0, types: [], watchId: Option.none(), limit: 9 }
          yield* same("log", yield* store.read(record.id, query), { _tag: "Events", events, next: 1 })
          const [delivery] = yield* EventSteps.claim(noon)
          yield* same("on its way", [delivery?.event, delivery?.endpoint], [events[0], endpoint])
        }),
        layer
      )
    }),
  "two that have the store open have names of their own, if any, and neither is proven gone": (layer) =>
    Effect.scoped(
      Effect.gen(function* () {
        const [here, there] = [
          Context.get(yield* Layer.build(layer), Processes),
          Context.get(yield* Layer.build(layer), Processes)
        ]
        const names = [here, there].flatMap(({ self }) => Option.toArray(self))
        yield* same("names", new Set(names).size, names.length)
        for (const { gone } of [here, there, here])
          yield* same("gone", Array.from(yield* gone([...names, "a stranger"])), [])
      })
    ),
  "two that have the store open decide each thing once between them": (layer) =>
    Effect.scoped(
      Effect.gen(function* () {
        const here = yield* Layer.build(layer)
        const there = yield* Layer.build(layer)
        const either = [here, there]
        const key = yield* Id.make("key")
        const units = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, index) => either[index % 2] ?? here),
          (side) => Effect.provide(reserve(key, 50), side),
          concurrently
        )
        const granted = units.filter(({ answer }) => answer._tag === "Reserved")
        yield* same("granted", granted.length, 50)
        for (const { id } of granted.slice(0, 10)) {
          const decided = yield* Effect.forEach(
            [...either, ...either],
            (side) =>
              Effect.provide(
                Effect.flatMap(QuotaStore, (store) => store.settle(id, side === here ? "committed" : "released", noon)),
                side
              ),
            concurrently
          )
          yield* same("decided", decided.filter(Boolean).length, 1)
        }
        const begun = yield* Effect.forEach(
          [...either, ...either],
          (side) => Effect.provide(start(key, { joinKey: "same" }), side),
          concurrently
        )
        yield* same("started", begun.filter(({ answer }) => answer._tag === "Started").length, 1)
        yield* same("joined", begun.filter(({ answer }) => answer._tag === "Joined").length, 3)
        const idempotency = Option.some({ name: "a", fingerprint: "asked", now: noon, after: 0 })
        const repeated = yield* Effect.forEach(
          [...either, ...either],
          (side) => Effect.provide(start(key, { idempotency }), side),
          concurrently
        )
        yield* same("started once", repeated.filter(({ answer }) => answer._tag === "Started").length, 1)
        yield* same("repeated", repeated.filter(({ answer }) => answer._tag === "Joined").length, 3)
        const bound = yield* Effect.forEach(
          [...either, ...either],
          (side, index) =>
            Effect.provide(
              Effect.flatMap(ExecutionStore, (store) => store.bind({ ...named(key), id: `wat_${index}`, now: noon })),
              side
            ),
          concurrently
        )
        yield* same("bound once", new Set(bound.map(({ id }) => id)).size, 1)
        const record = yield* keyRecord()
        yield* Effect.provide(
          Effect.flatMap(KeyStore, (keys) => keys.insert(record)),
          here
        )
        yield* same(
          "seen there",
          yield* Effect.provide(
            Effect.flatMap(KeyStore, (keys) => keys.findByHash(record.hash)),
            there
          ),
          Option.some(record)
        )
      })
    ),
  "two that have the store open never claim the same watch or delivery, and each ends what the other began": (layer) =>
    Effect.scoped(
      Effect.gen(function* () {
        const here = yield* Layer.build(layer)
        const there = yield* Layer.build(layer)
        const sides = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? here : there))
        const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
        const onSides = <A, E>(effect: Effect.Effect<A, E, Storage>) =>
          Effect.forEach(sides, (side) => Effect.provide(effect, side), concurrently)
        yield* Effect.provide(
          Effect.gen(function* () {
            yield* WatchSteps.alone
            yield* EventSteps.alone
            for (const key of [one, two]) yield* Effect.replicateEffect(WatchSteps.watchAt(key, noon), 12)
            yield* EventSteps.endpointAt(one)
          }),
          here
        )
        const limited = (yield* onSides(WatchSteps.claim(noon, { slots: 1, perKey: 3 }))).flat()
        yield* same("of each key three", limited.map(({ watch }) => watch.keyId).toSorted(), [
          ...[one, one, one, two, two, two].toSorted()
        ])
        const claims = [...limited, ...(yield* onSides(WatchSteps.claim(noon, { slots: 2 }))).flat()]
        yield* same("all", new Set(claims.map(({ watch }) => watch.id)).size, 24)
        yield* same("once", claims.length, 24)
        for (const [index, made] of claims.slice(0, 10).entries()) {
          const ends = [here, there].map((side) =>
            Effect.provide(
              Effect.flatMap(EventSteps.newEvent(one), (event) => WatchSteps.finish(made, noon + index, [event])),
              side
            )
          )
          yield* same("both hear that it ended", yield* Effect.all(ends, concurrently), [true, true])
        }
        const told = yield* Effect.provide(
          Effect.flatMap(WatchStore, (store) => store.outbox(99)),
          there
        )
        yield* same("told once each", told.length, 10)
        yield* onSides(Effect.flatMap(EventStore, (store) => store.append(told, noon)))
        yield* onSides(
          Effect.flatMap(EventSteps.newEvent(one), (event) =>
            Effect.flatMap(EventStore, (store) => store.append([event], noon))
          )
        )
        const read = Effect.flatMap(EventStore, (store) =>
          store.read(one, { after: 0, types: [], watchId: Option.none(), limit: 99 })
        )
        const page = yield* Effect.provide(read, here)
        yield* same(
          "in one log",
          page._tag === "Events" ? page.events.map(({ sequence }) => sequence) : page,
          Array.from({ length: 22 }, (_, index) => index + 1)
        )
        const deliveries = (yield* onSides(EventSteps.claim(noon, { tokens: 3 }))).flat()
        yield* same("each delivery", new Set(deliveries.map(({ delivery }) => delivery.id)).size, 22)
        yield* same("once", deliveries.length, 22)
      })
    )
}

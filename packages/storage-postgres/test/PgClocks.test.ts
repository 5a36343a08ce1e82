import {
  EventStore,
  ExecutionStore,
  Grid,
  Id,
  Reaper,
  Timestamp,
  Transition,
  Watch,
  WatchStore,
  type Webhook
} from "@assay/core"
import type * as Storage from "@assay/core/storage/Storage"
import { Documents } from "@assay/core/testing"
import { afterAll, assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const noon = Date.UTC(2026, 10, 21, 12)
/** Two clocks that are just not too far from the one of the database, on both sides of it. */
const skew = 29_000

/** A process with its own connections, whose clock is this much ahead of the one of the others. */
const processAhead = (millis: number) =>
  Effect.map(
    Layer.build(Layer.fresh(PgStorage.layer({ url: Redacted.make(database?.url ?? ""), connections: 2 }))),
    (stores) => ({
      /** Runs something as it does at a moment. */
      at: <A, E>(moment: number, effect: Effect.Effect<A, E, Storage.Storage>) =>
        Effect.withClock(Effect.provide(effect, stores), standing(moment + millis)),
      stores
    })
  )

const standing = (millis: number): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  sleep: (duration) => Clock.make().sleep(duration),
  unsafeCurrentTimeMillis: () => millis,
  unsafeCurrentTimeNanos: () => BigInt(millis) * 1_000_000n,
  currentTimeMillis: Effect.succeed(millis),
  currentTimeNanos: Effect.succeed(BigInt(millis) * 1_000_000n)
})

const lease = (token: string, seconds: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ token, until: now + seconds * 1000 }))

TestPostgres.describeOn(database)("two processes whose clocks are 29 s apart", () => {
  it.scopedLive(
    "leave each other the executions and runs that are renewed every 30 s, and take one over 120 s after the last renewal, by the clock of who takes it",
    () =>
      Effect.gen(function* () {
        const [behind, ahead] = [yield* processAhead(0), yield* processAhead(skew)]
        for (const [holder, taker, difference] of [
          [behind, ahead, skew],
          [ahead, behind, -skew]
        ] as const) {
          const [id, keyId] = [yield* Id.make("exe"), yield* Id.make("key")]
          const begin = Effect.gen(function* () {
            const store = yield* ExecutionStore.ExecutionStore
            const running = Documents.running(id, Documents.token(7), noon)
            yield* store.begin({ id, keyId, joinKey: id, slots: 1, lease: yield* lease(id, 120), running })
          })
          yield* holder.at(noon, begin)
          const run = yield* holder.at(noon, beginRun(keyId))
          const renew = Effect.gen(function* () {
            const held = yield* lease(id, 120)
            const [executions, watches] = [yield* ExecutionStore.ExecutionStore, yield* WatchStore.WatchStore]
            assert.isTrue(yield* executions.renew(id, held))
            assert.isTrue(yield* watches.renew(run.run.id, { token: run.token, until: held.until }))
          })
          const isRunning = Effect.gen(function* () {
            yield* Reaper.sweep()
            const [executions, watches] = [yield* ExecutionStore.ExecutionStore, yield* WatchStore.WatchStore]
            const expired = yield* watches.expired(yield* Clock.currentTimeMillis, 100)
            return [
              Option.contains(yield* executions.status(id), "running" as const),
              !expired.some((claim) => claim.run.id === run.run.id)
            ]
          })
          const last = noon + 10 * 30_000
          for (let moment = noon; moment <= last; moment += 15_000) {
            // The other one looks just before the renewal.
            assert.deepStrictEqual(yield* taker.at(moment, isRunning), [true, true])
            if ((moment - noon) % 30_000 === 0) yield* holder.at(moment, renew)
          }
          const end = last + 120_000 - difference
          assert.deepStrictEqual(yield* taker.at(end - 1, isRunning), [true, true])
          assert.deepStrictEqual(yield* taker.at(end, isRunning), [false, false])
        }
      })
  )

  it.scopedLive("send a message once, as long as an attempt takes less than 31 s", () =>
    Effect.gen(function* () {
      const [behind, ahead] = [yield* processAhead(0), yield* processAhead(skew)]
      const keyId = yield* Id.make("key")
      const claim = Effect.gen(function* () {
        const store = yield* EventStore.EventStore
        const now = yield* Clock.currentTimeMillis
        return yield* store.claimDeliveries({
          now,
          until: now + 60_000,
          tokens: [yield* Id.make("req")],
          perEndpoint: 1
        })
      })
      yield* behind.at(noon, message(keyId))
      assert.lengthOf(yield* behind.at(noon, claim), 1)
      for (let after = 0; after < 31_000; after += 1_000) assert.lengthOf(yield* ahead.at(noon + after, claim), 0)
      assert.lengthOf(yield* ahead.at(noon + 31_000, claim), 1)
    })
  )
})

const beginRun = Effect.fnUntraced(function* (keyId: Id.KeyId) {
  const store = yield* WatchStore.WatchStore
  const id = yield* Id.make("wat")
  const now = yield* Clock.currentTimeMillis
  const memory = Transition.created(Grid.make(id, { anchor: now, intervalSeconds: 900 }), "Active")
  yield* store.create(
    {
      id,
      keyId,
      target: Documents.token(7),
      label: "",
      options: Watch.defaultOptions,
      createdAt: now,
      updatedAt: now,
      memory: { ...memory, nextDueAt: Option.some(now) },
      revision: 1,
      live: Option.none()
    },
    1000
  )
  const token = yield* Id.make("req")
  const [claim] = yield* store.claimDue({
    now,
    until: now + 120_000,
    slots: [{ runId: yield* Id.make("run"), executionId: yield* Id.make("exe"), token }],
    perKey: 9,
    begin: (watch, slot) => ({
      memory: Transition.apply(watch.memory, { _tag: "Claimed" }, now).memory,
      run: {
        id: slot.runId,
        scheduled_for: Timestamp.fromMillis(now),
        started_at: Timestamp.fromMillis(now),
        finished_at: null,
        trigger: "schedule",
        status: "running",
        units: 0,
        execution_id: slot.executionId,
        change_status: null,
        max_severity: null,
        error_code: null,
        error: null
      }
    })
  })
  return claim ?? (yield* Effect.dieMessage("nothing was due"))
})

const message = Effect.fnUntraced(function* (keyId: Id.KeyId) {
  const store = yield* EventStore.EventStore
  const now = yield* Clock.currentTimeMillis
  const webhook: Webhook.Webhook = {
    id: yield* Id.make("whk"),
    url: "https://example.com/hook",
    label: null,
    event_types: ["quota.threshold"],
    watch_ids: null,
    min_severity: null,
    state: "enabled",
    disabled_reason: null,
    failing_since: null,
    last_success_at: null,
    created_at: Timestamp.fromMillis(now)
  }
  yield* store.addWebhook({ keyId, webhook, secrets: [], failures: 0, warned: false }, 9)
  const body = { type: "quota.threshold", data: { day: "2026-11-21", daily_quota: 50, used: 40 } } as const
  yield* store.append(
    [{ id: yield* Id.make("evt"), keyId, timestamp: Timestamp.fromMillis(now), body, only: null }],
    now
  )
})

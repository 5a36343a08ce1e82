import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Event,
  EventStore,
  Grid,
  Id,
  Storage,
  type StorageError,
  Timestamp,
  Transition,
  Watch,
  WatchStore
} from "@assay/core"
import { Documents } from "@assay/core/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Random, Schema } from "effect"
import * as Draw from "../../../test/Draw.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-agreement-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const noon = Date.UTC(2026, 10, 21, 12)
const ulid = (number: number) => String(number).padStart(26, "0")
const id = {
  key: (number: number) => Schema.decodeUnknownSync(Id.KeyId)(`key_${ulid(number)}`),
  watch: (number: number) => Schema.decodeUnknownSync(Id.WatchId)(`wat_${ulid(number)}`),
  run: (number: number) => Schema.decodeUnknownSync(Id.RunId)(`run_${ulid(number)}`),
  execution: (number: number) => Schema.decodeUnknownSync(Id.ExecutionId)(`exe_${ulid(number)}`),
  event: (number: number) => Schema.decodeUnknownSync(Id.EventId)(`evt_${ulid(number)}`),
  webhook: (number: number) => Schema.decodeUnknownSync(Id.WebhookId)(`whk_${ulid(number)}`)
}
const keys = [id.key(1), id.key(2), id.key(3)] as const

const below = (limit: number) => Random.nextIntBetween(0, limit)
const pick = <A>(items: ReadonlyArray<A>, orElse: A) =>
  Effect.map(below(items.length || 1), (at) => items[at] ?? orElse)

/** Asks both, in memory and in SQLite, and holds that they answer the same. */
const asker = Effect.gen(function* () {
  const memory = yield* Layer.build(Storage.layerMemory)
  const sqlite = yield* Layer.build(SqliteStorage.layer({ filename: ":memory:" }))
  return <A>(what: string, question: Effect.Effect<A, StorageError.StorageError, Storage.Storage>) =>
    Effect.gen(function* () {
      const wanted = yield* Effect.provide(question, memory)
      const found = yield* Effect.provide(question, sqlite)
      assert.strictEqual(JSON.stringify(found), JSON.stringify(wanted), what)
      return wanted
    })
})

const newEvent = (number: number, keyId: Id.KeyId): Event.NewEvent => ({
  id: id.event(number),
  keyId,
  timestamp: Timestamp.fromMillis(noon),
  body:
    number % 3 === 0
      ? { type: "quota.threshold", data: { day: "2026-11-21", daily_quota: 50, used: 40 } }
      : { type: "key.rotated", data: { hint: "asy_", old_ends_at: Timestamp.fromMillis(noon) } },
  only: null
})

const seeds = [1, 2, 3, 4, 5, 6]
const drawn = new Set(Draw.portion(seeds, 6))

describe("SQLite and memory", () => {
  for (const seed of seeds)
    it.scoped.runIf(drawn.has(seed))(`agree on 250 wishes about watches in a row, seed ${seed}`, () =>
      Effect.gen(function* () {
        const ask = yield* asker
        const watches: Array<Id.WatchId> = []
        const claims: Array<WatchStore.Claim> = []
        let number = 0
        // No two are ever due together, so that there is one right order.
        const due = () => noon + ((++number * 7919) % 100_003)
        const slot = () => {
          number++
          return { runId: id.run(number), executionId: id.execution(number), token: `token ${number}` }
        }
        const begin =
          (now: number) =>
          (watch: WatchStore.StoredWatch, { executionId, runId }: WatchStore.Slot) => ({
            memory: { ...watch.memory, n: watch.memory.n + 1 },
            run: {
              id: runId,
              scheduled_for: Timestamp.fromMillis(now),
              started_at: null,
              finished_at: null,
              trigger: "schedule" as const,
              status: "running" as const,
              units: 0,
              execution_id: executionId,
              change_status: null,
              max_severity: null,
              error_code: null,
              error: null
            }
          })
        const everything = {
          state: Option.none(),
          kind: Option.none(),
          address: Option.none(),
          failing: Option.none()
        }
        const store = WatchStore.WatchStore
        for (let wish = 0; wish < 250; wish++) {
          const keyId = yield* pick(keys, keys[0])
          const watchId = yield* pick(watches, id.watch(0))
          const claim = Option.fromNullable(claims[yield* below(claims.length + 1)])
          const now = noon + (yield* below(100_003))
          switch (yield* below(12)) {
            case 0:
            case 1: {
              const made = id.watch(++number)
              const grid = Grid.make(made, { anchor: noon, intervalSeconds: 900 })
              const watch: WatchStore.StoredWatch = {
                id: made,
                keyId,
                target: Documents.token(number % 5),
                label: `${number}`,
                options: Watch.defaultOptions,
                createdAt: now,
                updatedAt: now,
                memory: { ...Transition.created(grid, "Active"), nextDueAt: Option.some(due()) },
                revision: 1,
                live: Option.none()
              }
              if (
                yield* ask(
                  "create",
                  Effect.flatMap(store, (_) => _.create(watch, 8))
                )
              )
                watches.push(made)
              break
            }
            case 2: {
              const next = due()
              const isPaused = (yield* below(2)) === 0
              yield* ask(
                "change",
                Effect.flatMap(store, (_) =>
                  _.change(keyId, watchId, (watch) =>
                    Option.some({
                      ...watch,
                      label: `${next}`,
                      memory: {
                        ...watch.memory,
                        status: { _tag: isPaused ? ("Paused" as const) : ("Active" as const) },
                        nextDueAt: isPaused ? Option.none() : Option.some(next)
                      }
                    })
                  )
                )
              )
              break
            }
            case 3:
              if ((yield* below(3)) === 0)
                yield* ask(
                  "remove",
                  Effect.flatMap(store, (_) => _.remove(keyId, watchId))
                )
              break
            case 4:
            case 5:
            case 6: {
              const slots = [slot(), slot()]
              const perKey = 1 + (yield* below(3))
              const until = now + (yield* below(1000))
              claims.push(
                ...(yield* ask(
                  "claimDue",
                  Effect.flatMap(store, (_) => _.claimDue({ now, until, slots, perKey, begin: begin(now) }))
                ))
              )
              break
            }
            case 7: {
              const request = { now, until: now, slot: slot(), notAfter: now - 60_000, begin: begin(now) }
              const answer = yield* ask(
                "claimNow",
                Effect.flatMap(store, (_) => _.claimNow(keyId, watchId, request))
              )
              if (Option.isSome(answer) && answer.value._tag === "Started") claims.push(answer.value.claim)
              break
            }
            case 8:
            case 9: {
              const next = due()
              if (Option.isNone(claim)) break
              const { run, token, watch } = claim.value
              yield* ask(
                "finishRun",
                Effect.flatMap(store, (_) =>
                  _.finishRun(run.id, (next & 7) === 0 ? "another" : token, (found) => ({
                    run: {
                      ...run,
                      status: "succeeded",
                      finished_at: Timestamp.fromMillis(now),
                      change_status: (next & 1) === 0 ? "changed" : "unchanged"
                    },
                    memory: {
                      ...found.memory,
                      nextDueAt: Option.map(found.memory.nextDueAt, () => next)
                    },
                    events: [newEvent(next, watch.keyId)]
                  }))
                )
              )
              break
            }
            case 10: {
              if (Option.isSome(claim))
                yield* ask(
                  "renew",
                  Effect.flatMap(store, (_) => _.renew(claim.value.run.id, { token: claim.value.token, until: now }))
                )
              const relayed = yield* ask(
                "outbox",
                Effect.flatMap(store, (_) => _.outbox(5))
              )
              yield* ask(
                "relayed",
                Effect.flatMap(store, (_) => _.relayed(relayed.slice(1).map((event) => event.id)))
              )
              break
            }
            default:
              yield* ask(
                "prune",
                Effect.flatMap(store, (_) => _.prune({ unchangedBefore: now, changedBefore: now - 50_000, limit: 3 }))
              )
          }
          yield* ask(
            "nextDueAt",
            Effect.flatMap(store, (_) => _.nextDueAt)
          )
          yield* ask(
            "count",
            Effect.flatMap(store, (_) => _.count(keyId))
          )
          yield* ask(
            "find",
            Effect.flatMap(store, (_) => _.find(keyId, watchId))
          )
          const page = { limit: 3, before: Option.some(watchId) }
          yield* ask(
            "list",
            Effect.flatMap(store, (_) => _.list(keyId, everything, page))
          )
          const runs = { limit: 3, before: Option.map(claim, ({ run }) => run.id) }
          yield* ask(
            "runs",
            Effect.flatMap(store, (_) => _.runs(keyId, watchId, { changed: wish % 2 === 0 }, runs))
          )
          const expired = yield* ask(
            "expired",
            Effect.flatMap(store, (_) =>
              Effect.map(_.expired(now, 99), (all) => all.map(({ run }) => run.id).toSorted())
            )
          )
          assert.isAtMost(expired.length, claims.length)
        }
        assert.isAbove(claims.length, 10)
      }).pipe(Effect.withRandom(Random.make(seed)))
    )

  for (const seed of seeds)
    it.scoped.runIf(drawn.has(seed))(`agree on 250 wishes about events in a row, seed ${seed}`, () =>
      Effect.gen(function* () {
        const ask = yield* asker
        const webhooks: Array<Id.WebhookId> = []
        const deliveries: Array<Id.DeliveryId> = []
        const held = new Map<Id.DeliveryId, string>()
        let number = 0
        let clock = noon
        const store = EventStore.EventStore
        for (let wish = 0; wish < 250; wish++) {
          clock += 1 + (yield* below(100))
          const now = clock
          const keyId = yield* pick(keys, keys[0])
          const webhookId = yield* pick(webhooks, id.webhook(0))
          const deliveryId = yield* pick(deliveries, Id.derive("dlv", "none"))
          switch (yield* below(11)) {
            case 0: {
              const made = id.webhook(++number)
              const endpoint: EventStore.StoredWebhook = {
                keyId,
                webhook: {
                  id: made,
                  url: "https://example.com",
                  label: null,
                  event_types: number % 2 === 0 ? ["quota.threshold"] : ["quota.threshold", "key.rotated"],
                  watch_ids: null,
                  min_severity: null,
                  state: "enabled",
                  disabled_reason: null,
                  failing_since: null,
                  last_success_at: null,
                  created_at: Timestamp.fromMillis(now)
                },
                secrets: [],
                failures: 0,
                warned: false
              }
              if (
                yield* ask(
                  "addWebhook",
                  Effect.flatMap(store, (_) => _.addWebhook(endpoint, 4))
                )
              )
                webhooks.push(made)
              break
            }
            case 1:
            case 2: {
              const only = (yield* below(4)) === 0 ? webhookId : null
              const events = [{ ...newEvent(++number, keyId), only }, newEvent(yield* below(number + 1), keyId)]
              yield* ask(
                "append",
                Effect.flatMap(store, (_) => _.append(events, now))
              )
              break
            }
            case 3: {
              const state = (yield* below(2)) === 0 ? ("disabled" as const) : ("enabled" as const)
              yield* ask(
                "changeWebhook",
                Effect.flatMap(store, (_) =>
                  _.changeWebhook(keyId, webhookId, (found) => ({ ...found, webhook: { ...found.webhook, state } }))
                )
              )
              break
            }
            case 4:
              if ((yield* below(6)) === 0)
                yield* ask(
                  "removeWebhook",
                  Effect.flatMap(store, (_) => _.removeWebhook(keyId, webhookId))
                )
              break
            case 5:
              yield* ask(
                "redeliver",
                Effect.flatMap(store, (_) => _.redeliver(keyId, webhookId, deliveryId, now))
              )
              break
            case 6:
            case 7: {
              const perEndpoint = 1 + (yield* below(2))
              const until = now + (yield* below(400)) + 1
              // Enough for all that is due, with the same token for each: in which order is for other tests.
              const claimed = yield* ask(
                "claimDeliveries",
                Effect.flatMap(store, (_) =>
                  Effect.map(
                    _.claimDeliveries({
                      now,
                      until,
                      perEndpoint,
                      tokens: Array.from({ length: 20 }, () => `at ${now}`)
                    }),
                    (all) => all.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
                  )
                )
              )
              for (const { delivery, token } of claimed) {
                held.set(delivery.id, token)
                deliveries.push(delivery.id)
              }
              break
            }
            case 8:
            case 9: {
              const [made, token] = yield* pick([...held], [deliveryId, "none"] as const)
              const status = (yield* below(2)) === 0 ? ("pending" as const) : ("exhausted" as const)
              const isGone = (yield* below(10)) === 0
              const told = (yield* below(3)) === 0 ? [newEvent(++number, keyId)] : []
              const next = status === "pending" ? Timestamp.fromMillis(now + (yield* below(500))) : null
              yield* ask(
                "finishDelivery",
                Effect.flatMap(store, (_) =>
                  _.finishDelivery(made, token, ({ asked, delivery, endpoint }) => ({
                    delivery: {
                      ...delivery,
                      attempt: delivery.attempt + (asked ? 100 : 1),
                      status,
                      next_attempt_at: next
                    },
                    endpoint: {
                      ...endpoint,
                      failures: endpoint.failures + 1,
                      webhook: { ...endpoint.webhook, state: isGone ? "disabled" : endpoint.webhook.state }
                    },
                    events: told
                  }))
                )
              )
              held.delete(made)
              break
            }
            default:
              yield* ask(
                "prune",
                Effect.flatMap(store, (_) => _.prune(now - 5000, 3))
              )
          }
          yield* ask(
            "nextDeliveryAt",
            Effect.flatMap(store, (_) => _.nextDeliveryAt)
          )
          yield* ask(
            "newest",
            Effect.map(
              Effect.flatMap(store, (_) => _.newest([keyId])),
              (newest) => [...newest]
            )
          )
          yield* ask(
            "webhooks",
            Effect.flatMap(store, (_) => _.webhooks(keyId))
          )
          const page = { limit: 50, before: Option.none() }
          yield* ask(
            "deliveries",
            Effect.flatMap(store, (_) => _.deliveries(keyId, webhookId, page))
          )
          const query = {
            after: yield* below(20),
            types: wish % 3 === 0 ? (["key.rotated"] as const) : [],
            watchId: Option.none(),
            limit: 4
          }
          yield* ask(
            "read",
            Effect.flatMap(store, (_) => _.read(keyId, query))
          )
        }
        assert.isAbove(deliveries.length, 20)
      }).pipe(Effect.withRandom(Random.make(seed)))
    )
})

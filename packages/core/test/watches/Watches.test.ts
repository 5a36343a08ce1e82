import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema, TestClock } from "effect"
import type { WebhookId } from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import { Usage } from "../../src/domain/Usage.js"
import { Watch } from "../../src/domain/Watch.js"
import { EventStore } from "../../src/storage/EventStore.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import * as Documents from "../../src/testing/Documents.js"
import * as Grid from "../../src/watches/Grid.js"
import * as Watches from "../../src/watches/Watches.js"
import * as World from "./World.js"

const minute = 60_000
const hour = 60 * minute

const anything = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }

/** Without a scheduler: nothing is checked but by hand. */
const service = () => Layer.provideMerge(World.services(World.makeSky()), World.storage)

const codes = (watch: Watch) => watch.warnings.map(({ code }) => code)

const addWebhook = (keyId: World.Owner) =>
  Effect.flatMap(EventStore, (store) =>
    store.addWebhook(
      {
        keyId,
        webhook: {
          id: "whk_01JD0000000000000000000000" as WebhookId,
          url: "https://example.org",
          label: null,
          event_types: ["watch.changed"],
          watch_ids: null,
          min_severity: null,
          state: "enabled",
          disabled_reason: null,
          failing_since: null,
          last_success_at: null,
          created_at: fromMillis(0)
        },
        secrets: [],
        failures: 0,
        warned: false
      },
      5
    )
  )

describe("a watch that is made", () => {
  it.scoped("is shown as requested, with what it will cost and what its owner should know", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller({ dailyQuota: 50 })
      const watches = yield* Watches.Watches
      const { revision, value } = yield* watches.create(caller, World.newWatch({ intervalSeconds: 900 }))
      assert.isTrue(Schema.is(Watch)(value))
      assert.deepStrictEqual(
        [value.state, value.running, value.interval_seconds, value.units_per_check, value.units_per_day],
        ["active", false, 900, 1, 96]
      )
      assert.deepStrictEqual(codes(value), ["over_quota", "no_webhook"])
      assert.strictEqual(value.warnings[0]?.detail, "Watches of this key need 96 units a day; the quota is 50.")
      assert.isBelow(Date.parse(value.next_due_at ?? ""), minute)
      assert.deepStrictEqual(yield* watches.get(caller, value.id), {
        revision,
        value: { ...value, last_result: null }
      })
    }).pipe(Effect.provide(service()))
  )

  it.scoped("for a target that is watched already is allowed, and both report", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      yield* addWebhook(caller.id)
      const watches = yield* Watches.Watches
      const first = yield* World.create(caller, { intervalSeconds: 86_400 })
      assert.deepStrictEqual(codes(yield* World.get(caller, first)), [])
      const second = yield* World.create(caller, { intervalSeconds: 86_400 })
      yield* World.create(caller, { intervalSeconds: 86_400, kind: "contract" })
      for (const id of [first, second])
        assert.deepStrictEqual(codes(yield* World.get(caller, id)), ["duplicate_target"])
      yield* watches.remove(caller, second)
      assert.deepStrictEqual(codes(yield* World.get(caller, first)), [])
    }).pipe(Effect.provide(service()))
  )

  it.scoped("is the fiftieth of its key at most, and belongs to no other", () =>
    Effect.gen(function* () {
      const [caller, stranger] = [yield* World.makeCaller(), yield* World.makeCaller()]
      const watches = yield* Watches.Watches
      const ids = yield* Effect.replicateEffect(World.create(caller), 50)
      const error = yield* Effect.flip(watches.create(caller, World.newWatch()))
      assert.strictEqual(error._tag === "WatchLimitReached" && error.limit, 50)
      yield* World.create(stranger)
      const [id] = ids
      if (id === undefined) return assert.fail()
      for (const refused of [
        watches.get(stranger, id),
        watches.pause(stranger, id),
        watches.resume(stranger, id),
        watches.change(stranger, id, { label: "theirs" }, Option.none()),
        watches.remove(stranger, id),
        watches.runNow(stranger, id),
        watches.runs(stranger, id, { limit: 9, cursor: Option.none() }),
        watches.changes(stranger, id, { limit: 9, cursor: Option.none() })
      ])
        assert.strictEqual(
          (yield* Effect.flip(refused as Effect.Effect<unknown, { _tag: string }>))._tag,
          "WatchNotFound"
        )
      yield* watches.remove(caller, id)
      yield* World.create(caller)
    }).pipe(Effect.provide(service()))
  )

  it.scoped("is listed newest first, in pages, by the filter", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const watches = yield* Watches.Watches
      const ids = yield* Effect.forEach([1, 2, 3], (number) =>
        World.create(caller, { address: Documents.address(number) })
      )
      yield* watches.pause(caller, ids[1] ?? assert.fail())
      const first = yield* watches.list(caller, anything, { limit: 2, cursor: Option.none() })
      const second = yield* watches.list(caller, anything, {
        limit: 2,
        cursor: Option.fromNullable(first.next_cursor)
      })
      assert.deepStrictEqual(
        [...first.data, ...second.data].map(({ id }) => id),
        [...ids].reverse()
      )
      assert.isNull(second.next_cursor)
      const paused = yield* watches.list(
        caller,
        { ...anything, state: Option.some("paused") },
        { limit: 9, cursor: Option.none() }
      )
      assert.deepStrictEqual(
        paused.data.map(({ id }) => id),
        [ids[1]]
      )
      const refused = yield* Effect.flip(watches.list(caller, anything, { limit: 2, cursor: Option.some("aGVsbG8") }))
      assert.strictEqual(refused._tag, "BadCursor")
    }).pipe(Effect.provide(service()))
  )
})

describe("a watch with options that would do nothing", () => {
  it.scoped("is not made, and not changed, and the error says where and why", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const watches = yield* Watches.Watches
      const asked = { ignore: ["facts.risk", "token.mintible"], thresholds: { "trade.taxed": 100 } }
      const detail = "What has a threshold on a token: facts.risk, facts.token.total_supply."
      const refused = [
        { path: ["ignore", 1], detail: "No check and no fact has this id." },
        { path: ["thresholds", "trade.taxed"], detail }
      ]
      const unmade = yield* Effect.flip(watches.create(caller, World.newWatch({ options: asked })))
      assert.deepStrictEqual(unmade._tag === "OptionsRefused" && unmade.refused, refused)
      const { data } = yield* watches.list(caller, anything, { limit: 9, cursor: Option.none() })
      assert.deepStrictEqual(data, [])

      const options = { thresholds: { "facts.risk": 10 } }
      const made = yield* watches.create(caller, World.newWatch({ options }))
      assert.deepStrictEqual(made.value.options.thresholds, options.thresholds)
      const { id } = made.value
      const unchanged = yield* Effect.flip(watches.change(caller, id, { label: "x", options: asked }, Option.none()))
      assert.deepStrictEqual(unchanged._tag === "OptionsRefused" && unchanged.refused, refused)
      assert.deepStrictEqual(yield* watches.change(caller, id, {}, Option.none()), made)
      yield* watches.remove(caller, id)
      const gone = yield* Effect.flip(watches.change(caller, id, { options: asked }, Option.none()))
      assert.strictEqual(gone._tag, "WatchNotFound")
    }).pipe(Effect.provide(service()))
  )
})

describe("a watch that is changed", () => {
  it.scoped("keeps its grid unless its interval changes, and then begins a new one", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const watches = yield* Watches.Watches
      const { revision, value: made } = yield* watches.create(caller, World.newWatch())
      yield* TestClock.adjust("10 minutes")
      const named = yield* watches.change(
        caller,
        made.id,
        { label: "other", options: { verify: false } },
        Option.some(revision)
      )
      assert.deepStrictEqual(
        [named.value.label, named.value.options, named.value.next_due_at, named.value.updated_at],
        ["other", { ...made.options, verify: false }, made.next_due_at, fromMillis(10 * minute)]
      )
      const slower = yield* watches.change(caller, made.id, { intervalSeconds: 7_200 }, Option.some(named.revision))
      const { phase } = Grid.make(made.id, { anchor: 0, intervalSeconds: 7_200 })
      assert.strictEqual(slower.value.next_due_at, fromMillis(10 * minute + 2 * hour + phase))
      const stale = yield* Effect.flip(watches.change(caller, made.id, { label: "late" }, Option.some(revision)))
      assert.strictEqual(stale._tag, "RevisionMismatch")
      assert.strictEqual((yield* World.get(caller, made.id)).label, "other")
    }).pipe(Effect.provide(service()))
  )

  it.scoped("to what it is already is not touched, nor is one that is paused or resumed twice", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const watches = yield* Watches.Watches
      const made = yield* watches.create(caller, World.newWatch())
      const { id } = made.value
      yield* TestClock.adjust("1 minute")
      const same = [
        yield* watches.change(caller, id, { label: "mine", intervalSeconds: 3_600, options: {} }, Option.none()),
        yield* watches.resume(caller, id)
      ]
      for (const { revision, value } of same)
        assert.deepStrictEqual([revision, value.updated_at], [made.revision, made.value.updated_at])
      const paused = yield* watches.pause(caller, id)
      assert.deepStrictEqual([paused.value.state, paused.value.next_due_at], ["paused", null])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* watches.pause(caller, id), paused)
    }).pipe(Effect.provide(service()))
  )
})

describe("a key's usage", () => {
  it.scoped("reports what its active watches need, what is left of it today, and when that is too much", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("20 hours")
      const caller = yield* World.makeCaller({ dailyQuota: 30 })
      const watches = yield* Watches.Watches
      const first = yield* World.create(caller)
      yield* World.create(caller, { paused: true })
      const one = yield* watches.usage(caller)
      assert.isTrue(Schema.is(Usage)(one))
      assert.deepStrictEqual(one.forecast, {
        watch_units_per_day: 24,
        // Within a minute, then hourly from 21:00 and a phase.
        watch_units_left_today: 4,
        exhausts_at: null,
        over_quota: false
      })
      yield* World.create(caller)
      const two = yield* watches.usage({ ...caller, dailyQuota: 3 })
      const { phase } = Grid.make(first, { anchor: 0, intervalSeconds: 3_600 })
      assert.strictEqual(two.forecast.watch_units_left_today, 8)
      assert.strictEqual(two.forecast.watch_units_per_day, 48)
      assert.isTrue(two.forecast.over_quota)
      const exhausted = Date.parse(two.forecast.exhausts_at ?? "")
      assert.isAtLeast(exhausted, 21 * hour)
      assert.isBelow(phase, 5 * minute)
      assert.isBelow(exhausted, 21 * hour + 5 * minute + hour)
      const none = yield* watches.usage({ ...caller, dailyQuota: 0 })
      assert.isBelow(Date.parse(none.forecast.exhausts_at ?? ""), 20 * hour + minute)
    }).pipe(Effect.provide(service()))
  )
})

describe("the history of a watch", () => {
  it.scoped(
    "has its newest checks, the oldest first, with scores and changes, and no score where there is no result",
    () => {
      const sky = World.makeSky()
      return Effect.gen(function* () {
        const caller = yield* World.makeCaller()
        const watches = yield* Watches.Watches
        const id = yield* World.create(caller, { options: { verify: false } })
        assert.deepStrictEqual((yield* watches.history(caller, id)).checks, [])
        const moods = [
          ["refuted", "fine"],
          ["refuted", "down"],
          ["confirmed", "fine"]
        ] as const
        for (const [mintable, mood] of moods) {
          Object.assign(sky, { mintable, mood })
          yield* World.untilDue(caller, id, 10_000)
        }
        const { checks, isWhole, watch } = yield* watches.history(caller, id)
        assert.strictEqual(watch.id, id)
        assert.isTrue(isWhole)
        assert.deepStrictEqual(
          checks.map(({ changes, risk, run }) => [run.status, risk === null, changes.map((change) => change.id)]),
          [
            ["succeeded", false, []],
            ["failed", true, []],
            ["succeeded", false, ["facts.risk", "token.mintable"]]
          ]
        )
        const executions = yield* ExecutionStore
        const [first] = checks
        yield* executions.remove(
          first?.run.execution_id === null || first === undefined ? [] : [first.run.execution_id],
          0
        )
        assert.isNull((yield* watches.history(caller, id)).checks[0]?.risk)
        const stranger = yield* World.makeCaller()
        assert.strictEqual((yield* Effect.flip(watches.history(stranger, id)))._tag, "WatchNotFound")
      }).pipe(Effect.provide(World.inMemory(sky)))
    }
  )
})

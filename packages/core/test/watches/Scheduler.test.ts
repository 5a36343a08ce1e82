import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Option, TestClock } from "effect"
import type { Caller } from "../../src/domain/Caller.js"
import { dayOf } from "../../src/domain/Timestamp.js"
import { Quota } from "../../src/quota/Quota.js"
import { QuotaStore } from "../../src/storage/QuotaStore.js"
import * as Documents from "../../src/testing/Documents.js"
import * as StorageFault from "../../src/testing/StorageFault.js"
import * as Grid from "../../src/watches/Grid.js"
import * as Scheduler from "../../src/watches/Scheduler.js"
import * as Watches from "../../src/watches/Watches.js"
import * as World from "./World.js"

const second = 1_000
const hour = 3_600_000
const day = 24 * hour

/** The clock of a test, off by what `shift` says; what sleeps is woken as ever, as the timers of a system are. */
const shifted = (clock: Clock.Clock, shift: { millis: number }): Clock.Clock => {
  const now = () => clock.unsafeCurrentTimeMillis() + shift.millis
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: () => BigInt(now()) * 1_000_000n,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: (duration) => clock.sleep(duration)
  }
}

describe("a watch under a scheduler", () => {
  it.scoped("is checked within its interval again after a clock that was a day ahead is right again", () =>
    Effect.gen(function* () {
      const sky = World.makeSky()
      const shift = { millis: 0 }
      const clock = shifted(yield* Effect.clock, shift)
      const late = Documents.address(8)
      const built = Layer.build(World.inMemory(sky, { scheduler: { pollSeconds: 600 } }))
      const world = yield* Effect.withClock(built, clock)
      const create = (caller: Caller, address: typeof late) =>
        World.create(caller, { address }).pipe(Effect.withClock(clock), Effect.provide(world))
      const caller = yield* Effect.provide(World.makeCaller(), world)
      yield* create(caller, Documents.address(7))
      yield* TestClock.adjust("90 minutes")
      shift.millis = day
      yield* TestClock.adjust("15 minutes")
      // Made while the clock was ahead, so that all its times are.
      yield* create(caller, late)
      yield* TestClock.adjust("15 minutes")
      const before = sky.began.length
      shift.millis = 0
      yield* TestClock.adjust("75 minutes")
      const checks = sky.began.slice(before).map(({ address }) => address)
      assert.sameMembers([...new Set(checks)], [Documents.address(7), late])
      // Each unit stands on the day that it was, though some were counted on the next one.
      const quota = Context.get(world, QuotaStore)
      const counted = (at: number) => Effect.map(quota.count(caller.id, dayOf(at)), ({ used }) => used)
      const now = yield* Clock.currentTimeMillis
      assert.deepStrictEqual([yield* counted(now), yield* counted(now + day)], [sky.began.length, 0])
      // And then on the grid as ever.
      yield* TestClock.adjust("2 hours")
      assert.lengthOf(sky.began.slice(before + checks.length), 4)
    })
  )

  it.scoped("is checked within a minute of its creation, and then on its grid, with one unit each", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      const made = yield* World.get(caller, id)
      assert.strictEqual(made.last_result, null)
      yield* TestClock.adjust("61 seconds")
      const first = yield* World.get(caller, id)
      assert.deepStrictEqual(
        [first.state, first.running, first.counts.checks, first.last_error, first.consecutive_failures],
        ["active", false, 1, null, 0]
      )
      assert.strictEqual(first.last_result?.change_report?.status, "baseline")
      assert.deepStrictEqual(
        [first.last_result?.summary, first.last_result?.summary_status, first.last_result?.summary_reason],
        [null, "skipped", "scheduled_check"]
      )
      yield* TestClock.adjust("190 minutes")
      const later = yield* World.runs(caller, id)
      assert.deepStrictEqual(
        later.map(({ change_status, status, trigger, units }) => `${status} ${trigger} ${change_status} ${units}`),
        [
          ...Array.from({ length: later.length - 1 }, () => "succeeded schedule unchanged 1"),
          "succeeded schedule baseline 1"
        ]
      )
      assert.strictEqual(later.length, 4)
      for (const run of later) assert.isAtLeast(Date.parse(run.started_at ?? ""), Date.parse(run.scheduled_for))
      const usage = yield* (yield* Watches.Watches).usage(caller)
      assert.deepStrictEqual([usage.used, usage.reserved, usage.by_kind.watch], [4, 0, 4])
      assert.deepStrictEqual(yield* World.events(caller), [])
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("reports what changed once, with the change read twice", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      yield* World.untilDue(caller, id, 10 * second)
      sky.mintable = "confirmed"
      yield* World.untilDue(caller, id, 10 * second)
      const watch = yield* World.get(caller, id)
      const [run, base] = yield* World.runs(caller, id)
      assert.deepStrictEqual([run?.change_status, run?.max_severity, run?.units], ["changed", "high", 1])
      assert.strictEqual(watch.counts.changes, 1)
      assert.strictEqual(watch.last_changed_at, run?.finished_at)
      const [event, ...more] = yield* World.events(caller)
      assert.deepStrictEqual(more, [])
      if (event?.type !== "watch.changed") return assert.fail(event?.type)
      assert.deepStrictEqual(
        [event.data.watch_id, event.data.execution_id, event.data.base_execution_id, event.data.max_severity],
        [id, run?.execution_id, base?.execution_id, "high"]
      )
      assert.isTrue(event.data.changes.every(({ verified }) => verified))
      assert.strictEqual(sky.began.length, 3, "one reading, then two")
      const changes = yield* (yield* Watches.Watches).changes(caller, id, { limit: 10, cursor: Option.none() })
      assert.deepStrictEqual(
        changes.data.map(({ change_report, id }) => [id, change_report?.status]),
        [[run?.id, "changed"]]
      )
      yield* World.untilDue(caller, id, 10 * second)
      assert.strictEqual((yield* World.runs(caller, id))[0]?.change_status, "unchanged")
      assert.strictEqual((yield* World.events(caller)).length, 1)
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("reports nothing of an alarm that a second reading does not see, and keeps its base", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      yield* World.untilDue(caller, id, 10 * second)
      const [base] = yield* World.runs(caller, id)
      sky.mintable = "confirmed"
      sky.again = "otherwise"
      yield* World.untilDue(caller, id, 10 * second)
      const watch = yield* World.get(caller, id)
      assert.deepStrictEqual(yield* World.events(caller), [])
      assert.isTrue(watch.last_result?.change_report?.suppressed.some(({ why }) => why === "not_reproduced"))
      assert.strictEqual(watch.counts.changes, 0)
      sky.mintable = "refuted"
      yield* World.untilDue(caller, id, 10 * second)
      const after = yield* World.get(caller, id)
      assert.deepStrictEqual(
        [after.last_result?.change_report?.status, after.last_result?.change_report?.base?.execution_id],
        ["unchanged", base?.execution_id]
      )
      assert.strictEqual((yield* (yield* Watches.Watches).usage(caller)).used, 3, "a second reading costs nothing")
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("says that an alarm is unverified where no second reading is to be had", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      yield* World.untilDue(caller, id, 10 * second)
      sky.mintable = "confirmed"
      sky.again = "none"
      yield* World.untilDue(caller, id, 10 * second)
      const [event] = yield* World.events(caller)
      if (event?.type !== "watch.changed") return assert.fail(event?.type)
      assert.isTrue(event.data.changes.filter(({ severity }) => severity === "high").every(({ verified }) => !verified))
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("reads once where its owner does not want alarms verified, and reports no change below its grade", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller, {
        options: { verify: false, min_severity: "critical", notify_unchanged: true }
      })
      yield* World.untilDue(caller, id, 10 * second)
      sky.mintable = "confirmed"
      yield* World.untilDue(caller, id, 10 * second)
      assert.strictEqual(sky.began.length, 2)
      assert.deepStrictEqual(yield* World.types(caller), ["watch.checked", "watch.checked"])
      assert.strictEqual((yield* World.get(caller, id)).counts.changes, 1)
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("reports the third failure in a row, waits longer, and reports that it recovered", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      sky.mood = "down"
      for (let failures = 1; failures <= 3; failures++) {
        yield* World.untilDue(caller, id, 10 * second)
        const watch = yield* World.get(caller, id)
        assert.deepStrictEqual(
          [watch.consecutive_failures, watch.last_error_code, watch.counts.failures],
          [failures, "upstream_unavailable", failures]
        )
        assert.deepStrictEqual(yield* World.types(caller), failures === 3 ? ["watch.failing"] : [])
      }
      const failing = yield* World.get(caller, id)
      const wait = Date.parse(failing.next_due_at ?? "") - Date.parse(failing.last_checked_at ?? "")
      assert.isAtLeast(wait, 2 * hour)
      assert.isBelow(wait, 3 * hour)
      assert.strictEqual((yield* (yield* Watches.Watches).usage(caller)).used, 0)
      sky.mood = "fine"
      yield* World.untilDue(caller, id, 10 * second)
      const well = yield* World.get(caller, id)
      assert.deepStrictEqual([well.consecutive_failures, well.last_error, well.last_error_code], [0, null, null])
      assert.deepStrictEqual(yield* World.types(caller), ["watch.failing", "watch.recovered"])
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  for (const [mood, code] of [
    ["mismatch", "target_mismatch"],
    ["broken", "internal_error"]
  ] as const)
    it.scoped(`with a check that ends in ${code} has failed, and paid nothing`, () => {
      const sky = World.makeSky()
      sky.mood = mood
      return Effect.gen(function* () {
        const caller = yield* World.makeCaller()
        const id = yield* World.create(caller)
        yield* World.untilDue(caller, id, 10 * second)
        const [run] = yield* World.runs(caller, id)
        assert.deepStrictEqual([run?.status, run?.error_code, run?.units], ["failed", code, 0])
        assert.strictEqual((yield* (yield* Watches.Watches).usage(caller)).remaining, 50)
      }).pipe(Effect.provide(World.inMemory(sky)))
    })

  it.scoped("is suspended by ten failures that took a day, reported once, and resumed by its owner", () => {
    const sky = World.makeSky()
    sky.mood = "down"
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      for (let failures = 1; failures <= 10; failures++) yield* World.untilDue(caller, id, 10 * second)
      const suspended = yield* World.get(caller, id)
      assert.deepStrictEqual(
        [suspended.state, suspended.state_reason, suspended.next_due_at, suspended.consecutive_failures],
        ["suspended", "consecutive_failures", null, 10]
      )
      assert.deepStrictEqual(yield* World.types(caller), ["watch.failing", "watch.suspended"])
      yield* TestClock.adjust("5 days")
      assert.strictEqual((yield* World.runs(caller, id)).length, 10)
      sky.mood = "fine"
      yield* (yield* Watches.Watches).resume(caller, id)
      yield* TestClock.adjust("70 seconds")
      const resumed = yield* World.get(caller, id)
      assert.deepStrictEqual([resumed.state, resumed.counts.checks, resumed.skipped_runs.downtime], ["active", 11, 0])
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("without a unit is skipped, reported once a day of its key, and checked again when the day is over", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      yield* TestClock.adjust("20 hours")
      const caller = yield* World.makeCaller({ dailyQuota: 1 })
      const ids = [yield* World.create(caller), yield* World.create(caller)]
      yield* TestClock.adjust("70 seconds")
      const watches = yield* Effect.forEach(ids, (id) => World.get(caller, id))
      const [skipped] = watches.filter(({ last_error_code }) => last_error_code === "quota_exhausted")
      if (skipped === undefined || watches.every(({ last_error }) => last_error !== null)) return assert.fail()
      assert.deepStrictEqual(
        [skipped.state, skipped.consecutive_failures, skipped.skipped_runs.quota, skipped.counts.failures],
        ["active", 0, 1, 0]
      )
      const midnight = day
      const { phase } = Grid.make(skipped.id, { anchor: 0, intervalSeconds: 3_600 })
      assert.strictEqual(Date.parse(skipped.next_due_at ?? ""), midnight + phase)
      const [run] = yield* World.runs(caller, skipped.id)
      assert.deepStrictEqual(
        [run?.status, run?.error_code, run?.units, run?.execution_id],
        ["skipped", "quota_exhausted", 0, null]
      )
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* World.types(caller), ["quota.threshold", "quota.exhausted"])
      yield* TestClock.setTime(midnight + phase + 10 * second)
      yield* TestClock.adjust("10 seconds")
      const after = yield* World.get(caller, skipped.id)
      assert.strictEqual(after.skipped_runs.downtime, 0)
      assert.deepStrictEqual([(yield* World.runs(caller, skipped.id))[0]?.trigger], ["schedule"])
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("with a check that outlasts its interval counts missed times, and never runs twice at once", () => {
    const sky = World.makeSky()
    sky.takes = "40 minutes"
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller, { intervalSeconds: 900 })
      // Due after 15 and 30 minutes, then again after 60 and 75: those are slept through.
      yield* TestClock.adjust("88 minutes")
      for (const [index, { at }] of sky.began.entries())
        assert.isTrue(index === 0 || at - (sky.began[index - 1]?.at ?? 0) >= 40 * 60 * second)
      const watch = yield* World.get(caller, id)
      assert.deepStrictEqual(watch.skipped_runs, { overlap: 4, downtime: 0, quota: 0 })
      assert.strictEqual(sky.began.length, 2)
    }).pipe(Effect.provide(World.inMemory(sky, { executions: { deadlineSeconds: 10_000 } })))
  })

  it.scoped("does not begin for a key that may not work, is suspended, and says why", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      for (const [options, reason] of [
        [{ state: "revoked" }, "key_revoked"],
        [{ state: "disabled" }, "key_disabled"],
        [{ expiresAt: 1 }, "key_expired"]
      ] as const) {
        const caller = yield* World.makeCaller(options)
        const id = yield* World.create(caller)
        yield* World.untilDue(caller, id, second)
        const watch = yield* World.get(caller, id)
        assert.deepStrictEqual([watch.state, watch.state_reason, watch.next_due_at], ["suspended", reason, null])
        assert.strictEqual((yield* World.runs(caller, id))[0]?.status, "skipped")
        assert.deepStrictEqual(yield* World.types(caller), ["watch.suspended"])
      }
      assert.deepStrictEqual(sky.began, [])
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("that is paused while it is checked is recorded, and stays paused", () => {
    const sky = World.makeSky()
    sky.takes = "30 seconds"
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      yield* World.untilDue(caller, id, second)
      assert.isTrue((yield* World.get(caller, id)).running)
      yield* (yield* Watches.Watches).pause(caller, id)
      yield* TestClock.adjust("1 minute")
      const paused = yield* World.get(caller, id)
      assert.deepStrictEqual(
        [paused.state, paused.running, paused.next_due_at, paused.counts.checks, paused.last_result?.status],
        ["paused", false, null, 1, "complete"]
      )
      yield* TestClock.adjust("5 hours")
      assert.strictEqual((yield* World.runs(caller, id)).length, 1)
      yield* (yield* Watches.Watches).resume(caller, id)
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* World.get(caller, id)).counts.checks, 2)
    }).pipe(Effect.provide(World.inMemory(sky)))
  })
})

describe("a scheduler", () => {
  it.scoped("runs at most so many checks at once, at most two of a key, and the key that runs least first", () => {
    const sky = World.makeSky()
    sky.takes = "70 seconds"
    return Effect.gen(function* () {
      const [busy, other] = [yield* World.makeCaller(), yield* World.makeCaller()]
      const ids = yield* Effect.replicateEffect(World.create(busy), 5)
      const beside = yield* World.create(other)
      yield* TestClock.adjust("61 seconds")
      const scheduler = yield* Scheduler.Scheduler
      assert.isAtMost(yield* scheduler.running, 3)
      const running = yield* Effect.forEach(ids, (id) => World.get(busy, id))
      assert.strictEqual(running.filter((watch) => watch.running).length, 2)
      const theirs = yield* World.get(other, beside)
      assert.isTrue(theirs.running || theirs.counts.checks === 1, "it does not wait behind another key")
      yield* TestClock.adjust("5 minutes")
      const done = yield* Effect.forEach(ids, (id) => World.get(busy, id))
      assert.deepStrictEqual(
        done.map(({ counts }) => counts.checks),
        [1, 1, 1, 1, 1]
      )
    }).pipe(Effect.provide(World.inMemory(sky, { executions: { deadlineSeconds: 10_000 } })))
  })

  it.scoped("of one slot gives every key its turn", () => {
    const sky = World.makeSky()
    sky.takes = "30 seconds"
    return Effect.gen(function* () {
      const callers = yield* Effect.replicateEffect(World.makeCaller(), 3)
      const ids = yield* Effect.forEach(callers, (caller) =>
        Effect.map(World.create(caller), (id) => [caller, id] as const)
      )
      yield* TestClock.adjust("4 minutes")
      for (const [caller, id] of ids) assert.strictEqual((yield* World.get(caller, id)).counts.checks, 1)
    }).pipe(Effect.provide(World.inMemory(sky, { scheduler: { concurrency: 1 } })))
  })

  it.scoped.each([
    { what: "said nothing", call: 1 },
    { what: "gave nothing out", call: 2 }
  ])("says when it looked last, and goes on after a store that $what", ({ call }) => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const scheduler = yield* Scheduler.Scheduler
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      const faults = yield* StorageFault.StorageFault
      const due = Date.parse((yield* World.get(caller, id)).next_due_at ?? "")
      yield* TestClock.adjust(due - 1)
      const before = yield* scheduler.lastTick
      yield* faults.arm(Option.some({ call, kind: "fails", moment: "before" }))
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(sky.began, [])
      assert.deepStrictEqual(yield* scheduler.lastTick, before, "a look that failed is none")
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual((yield* World.get(caller, id)).counts.checks, 1)
      assert.isAtLeast(Option.getOrThrow(yield* scheduler.lastTick), due + 5 * second)
    }).pipe(
      Effect.provide(World.process(sky).pipe(Layer.provideMerge(StorageFault.layer), Layer.provide(World.storage)))
    )
  })
})

describe("a claim with a lost answer", () => {
  const sky = World.makeSky()
  it.scoped("is repeated at once, and what it took is checked", () =>
    Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      const faults = yield* StorageFault.StorageFault
      const due = Date.parse((yield* World.get(caller, id)).next_due_at ?? "")
      yield* TestClock.adjust(due - 1)
      yield* faults.arm(Option.some({ call: 2, kind: "fails", moment: "after" }))
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(sky.began, 1)
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual((yield* World.get(caller, id)).counts.checks, 1)
    }).pipe(
      Effect.provide(World.process(sky).pipe(Layer.provideMerge(StorageFault.layer), Layer.provide(World.storage)))
    )
  )
})

describe("a check by hand", () => {
  it.scoped("begins at once beside the grid, joins the one that runs, and comes once a minute", () => {
    const sky = World.makeSky()
    sky.takes = "30 seconds"
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const watches = yield* Watches.Watches
      const id = yield* World.create(caller, { paused: true })
      const run = yield* watches.runNow(caller, id)
      assert.deepStrictEqual([run.trigger, run.status], ["manual", "running"])
      assert.strictEqual((yield* watches.runNow(caller, id)).id, run.id)
      yield* TestClock.adjust("31 seconds")
      const watch = yield* World.get(caller, id)
      assert.deepStrictEqual(
        [watch.state, watch.running, watch.next_due_at, watch.counts.checks, watch.skipped_runs.overlap],
        ["paused", false, null, 1, 0]
      )
      const early = yield* Effect.flip(watches.runNow(caller, id))
      assert.strictEqual(early._tag === "RunTooSoon" && early.retry_after_seconds, 29)
      yield* TestClock.adjust("29 seconds")
      assert.notStrictEqual((yield* watches.runNow(caller, id)).id, run.id)
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* (yield* Quota).usage(caller)).by_kind.watch, 2)
    }).pipe(Effect.provide(World.inMemory(sky)))
  })

  it.scoped("moves no grid, also where it finds no unit", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller({ dailyQuota: 1 })
      const watches = yield* Watches.Watches
      const id = yield* World.create(caller)
      yield* World.untilDue(caller, id, 10 * second)
      const before = yield* World.get(caller, id)
      yield* watches.runNow(caller, id)
      yield* TestClock.adjust("10 seconds")
      const after = yield* World.get(caller, id)
      assert.strictEqual(after.next_due_at, before.next_due_at)
      assert.deepStrictEqual(
        [after.last_error_code, after.skipped_runs.quota, after.consecutive_failures],
        ["quota_exhausted", 1, 0]
      )
    }).pipe(Effect.provide(World.inMemory(sky)))
  })
})

describe("after a stop", () => {
  it.scoped("a watch is made up for once, and the other times are counted", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const caller = yield* World.makeCaller()
      const id = yield* World.create(caller)
      yield* TestClock.adjust(10 * day + hour / 2)
      assert.deepStrictEqual(sky.began, [])
      yield* Layer.build(Scheduler.layer({ graceSeconds: 0 }))
      yield* TestClock.adjust("11 minutes")
      const watch = yield* World.get(caller, id)
      const [run, ...more] = yield* World.runs(caller, id)
      assert.deepStrictEqual([run?.trigger, run?.status, more.length], ["catch_up", "succeeded", 0])
      assert.deepStrictEqual([watch.skipped_runs.downtime, watch.counts.checks], [240, 1])
    }).pipe(Effect.provide(Layer.provideMerge(World.services(sky), World.storage)))
  })

  it.scoped("many watches are made up for in the course of ten minutes, and not all at once", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const callers = yield* Effect.replicateEffect(World.makeCaller(), 60)
      yield* Effect.forEach(callers, (caller) => World.create(caller))
      yield* TestClock.adjust(3 * day)
      yield* Layer.build(Scheduler.layer({ graceSeconds: 0 }))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(sky.began.length, 60)
      const minutes = new Set(sky.began.map(({ at }) => Math.floor((at - 3 * day) / (60 * second))))
      assert.isAtLeast(minutes.size, 8)
    }).pipe(Effect.provide(Layer.provideMerge(World.services(sky), World.storage)))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import type { ExecutionId, WatchId } from "../../src/domain/Id.js"
import { nextDay } from "../../src/domain/Timestamp.js"
import type { WatchMemory } from "../../src/domain/WatchMemory.js"
import * as Grid from "../../src/watches/Grid.js"
import * as Transition from "../../src/watches/Transition.js"

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 0, 1, 6)
const grid = Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, { anchor: start, intervalSeconds: 3_600 })
const execution = "exe_01JDZZZZZZZZZZZZZZZZZZZZZZ" as ExecutionId
const later = "exe_01JDZZZZZZZZZZZZZZZZZZZZZY" as ExecutionId

const active = Transition.created(grid, "Active")
const due = (n: number) => Grid.due(grid, n)

const success: Transition.WatchHappening = {
  _tag: "Succeeded",
  startedAt: start,
  execution,
  changed: Option.none(),
  keepsBase: false
}
const failure: Transition.WatchHappening = {
  _tag: "Failed",
  startedAt: start,
  error: { code: "upstream_unavailable", detail: "Nothing could be read." }
}

const abandoned = (startedAt: number, trigger: "manual" | "schedule" = "schedule"): Transition.WatchHappening => ({
  _tag: "Abandoned",
  startedAt,
  trigger,
  grid
})

/** Runs happenings, each at its moment, and gives the last memory and all notices. */
const after = (memory: WatchMemory, ...steps: ReadonlyArray<readonly [Transition.WatchHappening, number]>) => {
  let state = memory
  const notices: Array<Transition.Notice> = []
  for (const [happening, now] of steps) {
    const step = Transition.apply(state, happening, now)
    state = step.memory
    notices.push(...step.notices)
  }
  return { memory: state, notices }
}

const claim: Transition.WatchHappening = { _tag: "Claimed" }

/** Fails `count` checks, each when it is due. */
const failing = (count: number, from = active) => {
  let state = { memory: from, notices: [] as ReadonlyArray<Transition.Notice> }
  for (let index = 0; index < count; index++) {
    const at = Option.getOrThrow(state.memory.nextDueAt)
    const next = after(state.memory, [claim, at], [failure, at + 1_000])
    state = { memory: next.memory, notices: [...state.notices, ...next.notices] }
  }
  return state
}

describe("a watch that is made", () => {
  it("is due within a minute where it is active, and not at all where it is paused", () => {
    assert.isBelow(Option.getOrThrow(active.nextDueAt) - start, 60_000)
    assert.deepStrictEqual(Transition.created(grid, "Paused").nextDueAt, Option.none())
  })
})

describe("an active watch", () => {
  it("that is claimed in time is due at the next grid time and has missed nothing", () => {
    const { memory } = after(active, [claim, due(0)], [success, due(0) + 5_000], [claim, due(1)])
    assert.deepStrictEqual(memory.nextDueAt, Option.some(due(2)))
    assert.deepStrictEqual(memory.skipped, { overlap: 0, downtime: 0, quota: 0 })
  })

  it("that is claimed after downtime is checked once, and counts the other grid times as missed", () => {
    const { memory } = after(active, [claim, due(0)], [success, due(0) + 1], [claim, due(5) + 10])
    assert.strictEqual(memory.skipped.downtime, 4)
    assert.deepStrictEqual(memory.nextDueAt, Option.some(due(6)))
  })

  it("with a check longer than its interval counts the grid times that passed meanwhile", () => {
    const { memory } = after(active, [claim, due(0)], [success, due(2) + 10])
    assert.strictEqual(memory.skipped.overlap, 2)
    assert.strictEqual(memory.skipped.downtime, 0)
    assert.deepStrictEqual(memory.nextDueAt, Option.some(due(3)))
  })

  it("that succeeds clears the error and takes the result as its base", () => {
    const failed = after(active, [claim, due(0)], [failure, due(0) + 1]).memory
    assert.deepStrictEqual(
      Option.map(failed.lastError, ({ code }) => code),
      Option.some("upstream_unavailable")
    )
    assert.deepStrictEqual(failed.lastCheckedAt, Option.some(due(0) + 1))
    const { memory, notices } = after(failed, [claim, due(1)], [success, due(1) + 1])
    assert.deepStrictEqual(memory.lastError, Option.none())
    assert.deepStrictEqual(memory.base, Option.some(execution))
    assert.strictEqual(memory.failures, 0)
    assert.deepStrictEqual(memory.counts, { checks: 2, changes: 0, failures: 1 })
    assert.deepStrictEqual(notices, [])
  })

  it("keeps its base if a change was not reproduced", () => {
    const known = after(active, [claim, due(0)], [success, due(0) + 1]).memory
    const { memory } = after(known, [claim, due(1)], [{ ...success, execution: later, keepsBase: true }, due(1) + 1])
    assert.deepStrictEqual(memory.base, Option.some(execution))
  })

  it("reports the third failure in a row and is delayed from then on, to grid times, by a day at most", () => {
    const { memory, notices } = failing(3)
    assert.deepStrictEqual(notices, ["watch.failing"])
    const finished = Option.getOrThrow(memory.lastCheckedAt)
    const next = Option.getOrThrow(memory.nextDueAt)
    assert.isAtLeast(next, finished + 2 * hour)
    assert.isBelow(next, finished + 3 * hour)
    assert.strictEqual((next - start - grid.phase) % hour, 0)
    const tired = failing(9).memory
    const wait = Option.getOrThrow(tired.nextDueAt) - Option.getOrThrow(tired.lastCheckedAt)
    assert.isAtLeast(wait, day)
    assert.isBelow(wait, day + hour)
    assert.strictEqual(tired.skipped.downtime, 0)
  })

  it("reports recovery only after it had reported failure", () => {
    const { memory } = failing(3)
    const at = Option.getOrThrow(memory.nextDueAt)
    assert.deepStrictEqual(after(memory, [claim, at], [success, at + 1]).notices, ["watch.recovered"])
    const twice = failing(2).memory
    const then = Option.getOrThrow(twice.nextDueAt)
    assert.deepStrictEqual(after(twice, [claim, then], [success, then + 1]).notices, [])
  })

  it("is suspended by the tenth failure in a row, at least a day after the first", () => {
    const { memory, notices } = failing(10)
    assert.deepStrictEqual(memory.status, { _tag: "Suspended", reason: "consecutive_failures" })
    assert.deepStrictEqual(memory.nextDueAt, Option.none())
    assert.deepStrictEqual(notices, ["watch.failing", "watch.suspended"])
    let quick = active
    for (let index = 0; index < 12; index++) quick = after(quick, [failure, start + index * 60_000]).memory
    assert.strictEqual(quick.status._tag, "Active")
  })

  it("without a unit is checked again after the UTC day, and counts no failure", () => {
    const { memory, notices } = after(
      active,
      [claim, due(0)],
      [{ _tag: "OutOfQuota", trigger: "schedule", resetsAt: nextDay(due(0)) }, due(0)]
    )
    assert.deepStrictEqual(notices, ["quota.exhausted"])
    assert.deepStrictEqual(memory.nextDueAt, Option.some(nextDay(due(0)) + grid.phase))
    assert.strictEqual(memory.failures, 0)
    assert.deepStrictEqual(memory.skipped, { overlap: 0, downtime: 0, quota: 1 })
    assert.deepStrictEqual(
      Option.map(memory.lastError, ({ code }) => code),
      Option.some("quota_exhausted")
    )
    const at = Option.getOrThrow(memory.nextDueAt)
    assert.strictEqual(after(memory, [claim, at]).memory.skipped.downtime, 0)
  })

  it("with an abandoned run counts as checked, without a failure", () => {
    const { memory } = after(active, [claim, due(0)], [abandoned(due(0)), due(0) + 150_000])
    assert.strictEqual(memory.failures, 0)
    assert.deepStrictEqual(
      Option.map(memory.lastError, ({ code }) => code),
      Option.some("lease_lost")
    )
    assert.deepStrictEqual(memory.lastCheckedAt, Option.some(due(0) + 150_000))
  })

  it("with an abandoned run is due again at once, without a missed time, and goes on with its next time", () => {
    const at = due(0) + 150_000
    const { memory } = after(active, [claim, due(0)], [abandoned(due(0)), at])
    assert.deepStrictEqual(memory.nextDueAt, Option.some(at))
    const again = after(memory, [claim, at], [success, at + 1_000]).memory
    assert.deepStrictEqual(again.nextDueAt, Option.some(due(1)))
    assert.deepStrictEqual(again.skipped, { overlap: 0, downtime: 0, quota: 0 })
  })

  it("is made again four times for runs that were abandoned in a row, then at its next time, and again after a check that ended", () => {
    let { memory } = after(active, [claim, due(0)])
    const lose = (at: number) => {
      memory = after(memory, [abandoned(at), at + 1_000]).memory
      return Option.getOrThrow(memory.nextDueAt)
    }
    for (let times = 0; times < 4; times++) {
      const at = lose(due(0) + times * 10_000)
      assert.strictEqual(at, due(0) + times * 10_000 + 1_000)
      memory = after(memory, [claim, at]).memory
    }
    assert.strictEqual(lose(due(0) + 40_000), due(1))
    memory = after(memory, [claim, due(1)]).memory
    assert.strictEqual(lose(due(1)), due(2))
    memory = after(memory, [claim, due(2)], [failure, due(2) + 1_000], [claim, due(3)]).memory
    assert.strictEqual(lose(due(3)), due(3) + 1_000)
  })

  it("with an abandoned manual run, or a grid that was changed meanwhile, keeps its next time", () => {
    const manual = after(active, [claim, due(0)], [abandoned(due(0), "manual"), due(0) + 150_000]).memory
    assert.deepStrictEqual(manual.nextDueAt, Option.some(due(1)))
    const moved = { ...grid, anchor: grid.anchor + 60_000 }
    const { memory } = after(
      active,
      [claim, due(0)],
      [{ _tag: "Rescheduled", grid: moved }, due(0) + 1_000],
      [abandoned(due(0)), due(0) + 150_000]
    )
    assert.deepStrictEqual(memory.nextDueAt, Option.some(Grid.due(moved, 1)))
    const paused = after(
      active,
      [claim, due(0)],
      [{ _tag: "Pause" }, due(0) + 1],
      [abandoned(due(0)), due(0) + 150_000]
    )
    assert.deepStrictEqual(paused.memory.nextDueAt, Option.none())
  })

  it.each(["key_revoked", "key_expired", "key_disabled"] as const)(
    "is suspended by %s; enabling the key resumes it only after key_disabled",
    (reason) => {
      const { memory, notices } = after(active, [{ _tag: "KeyUnusable", reason }, due(0)])
      assert.deepStrictEqual(memory.status, { _tag: "Suspended", reason })
      assert.deepStrictEqual(notices, ["watch.suspended"])
      const enabled = after(memory, [{ _tag: "KeyEnabled" }, due(1)]).memory
      assert.strictEqual(enabled.status._tag, reason === "key_disabled" ? "Active" : "Suspended")
    }
  )
})

describe("a check", () => {
  it("that is released is due at once, as if it had never been claimed, unless the grid has changed", () => {
    const { memory } = after(active, [claim, due(0)], [success, due(0) + 1], [claim, due(5) + 10])
    const released = after(memory, [{ _tag: "Released", grid }, due(5) + 20]).memory
    assert.deepStrictEqual(released.nextDueAt, Option.some(due(5) + 20))
    const again = after(released, [claim, due(5) + 30]).memory
    assert.deepStrictEqual([again.nextDueAt, again.skipped.downtime], [memory.nextDueAt, memory.skipped.downtime])
    const other = Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, { anchor: start, intervalSeconds: 900 })
    const moved = after(memory, [{ _tag: "Released", grid: other }, due(5) + 20]).memory
    assert.deepStrictEqual([moved.n, moved.nextDueAt], [memory.n, memory.nextDueAt])
    const paused = after(memory, [{ _tag: "Pause" }, due(5) + 11]).memory
    assert.deepStrictEqual(after(paused, [{ _tag: "Released", grid }, due(5) + 20]).memory.nextDueAt, Option.none())
  })

  it("by hand leaves due what was due before it began, and counts no missed times of a paused watch", () => {
    const { memory } = after(active, [claim, due(0)], [success, due(0) + 1])
    const late = after(memory, [{ ...success, startedAt: due(3) }, due(3) + 5]).memory
    assert.deepStrictEqual([late.nextDueAt, late.skipped.overlap], [Option.some(due(1)), 0])
    const paused = after(memory, [{ _tag: "Pause" }, due(1) - 5]).memory
    const checked = after(paused, [{ ...success, startedAt: due(9) }, due(9) + 5]).memory
    assert.deepStrictEqual([checked.skipped, checked.nextDueAt], [memory.skipped, Option.none()])
  })

  it("by hand that has no unit moves no grid", () => {
    const { memory } = after(
      active,
      [claim, due(0)],
      [{ _tag: "OutOfQuota", trigger: "manual", resetsAt: nextDay(due(0) + 5) }, due(0) + 5]
    )
    assert.deepStrictEqual([memory.nextDueAt, memory.skipped.quota], [Option.some(due(1)), 1])
  })

  it("that had no unit is caught up, also if its interval is longer than a day", () => {
    const slow = Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, { anchor: start, intervalSeconds: 30 * 86_400 })
    const at = Grid.due(slow, 3)
    const { memory } = after(
      { ...Transition.created(slow, "Active"), n: 2, nextDueAt: Option.some(at) },
      [claim, at],
      [{ _tag: "OutOfQuota", trigger: "schedule", resetsAt: nextDay(at) }, at]
    )
    const again = after(memory, [claim, Option.getOrThrow(memory.nextDueAt)]).memory
    assert.deepStrictEqual([again.nextDueAt, again.skipped.downtime], [Option.some(Grid.due(slow, 4)), 0])
  })

  it("that had no unit waits for the day after the exhausted one, also if midnight has passed", () => {
    const midnight = nextDay(due(0))
    const refused = { _tag: "OutOfQuota", trigger: "schedule", resetsAt: midnight } as const
    const { memory } = after(active, [claim, due(0)], [refused, midnight + 5])
    assert.deepStrictEqual(memory.nextDueAt, Option.some(midnight + grid.phase))
  })

  it("that waits for quota runs within a minute once it is raised, and the grid continues", () => {
    const waiting = after(
      active,
      [claim, due(0)],
      [{ _tag: "OutOfQuota", trigger: "schedule", resetsAt: nextDay(due(0)) }, due(0)]
    ).memory
    const { memory } = after(waiting, [{ _tag: "QuotaRaised" }, due(2) + 5])
    assert.isBelow(Option.getOrThrow(memory.nextDueAt) - due(2) - 5, 60_000)
    const claimed = after(memory, [claim, Option.getOrThrow(memory.nextDueAt)]).memory
    assert.deepStrictEqual([claimed.nextDueAt, claimed.skipped.downtime], [Option.some(due(3)), 0])
    assert.strictEqual(after(active, [{ _tag: "QuotaRaised" }, due(0)]).memory, active)
  })
})

describe("pausing and resuming", () => {
  it("are idempotent: the second time changes nothing", () => {
    const paused = after(active, [{ _tag: "Pause" }, due(0)]).memory
    assert.strictEqual(after(paused, [{ _tag: "Pause" }, due(1)]).memory, paused)
    assert.strictEqual(after(active, [{ _tag: "Resume" }, due(0)]).memory, active)
  })

  it("of a running check: it may finish and is recorded, and the watch stays paused", () => {
    const { memory } = after(active, [claim, due(0)], [{ _tag: "Pause" }, due(0) + 1], [success, due(0) + 2])
    assert.strictEqual(memory.status._tag, "Paused")
    assert.deepStrictEqual(memory.nextDueAt, Option.none())
    assert.deepStrictEqual(memory.base, Option.some(execution))
  })

  it("continues at the next grid time, or within a minute if overdue, and resets the failures", () => {
    const { memory } = failing(2)
    const fresh = after(memory, [{ _tag: "Pause" }, due(1) + 2_000], [{ _tag: "Resume" }, due(1) + 3_000]).memory
    assert.deepStrictEqual(fresh.nextDueAt, Option.some(due(2)))
    assert.strictEqual(fresh.failures, 0)
    const long = after(memory, [{ _tag: "Pause" }, due(2)], [{ _tag: "Resume" }, due(9) + 5]).memory
    assert.isBelow(Option.getOrThrow(long.nextDueAt) - due(9) - 5, 60_000)
    assert.strictEqual(after(long, [claim, Option.getOrThrow(long.nextDueAt)]).memory.skipped.downtime, 0)
  })

  it("right after a new interval adds no check outside the new grid", () => {
    const checked = after(active, [claim, due(0)], [success, due(0) + 1_000]).memory
    const moved = Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, {
      anchor: due(0) + 5_000,
      intervalSeconds: 7_200
    })
    const now = moved.anchor + 1
    const patched = after(checked, [{ _tag: "Rescheduled", grid: moved }, moved.anchor]).memory
    const resumed = after(patched, [{ _tag: "Pause" }, now], [{ _tag: "Resume" }, now]).memory
    assert.deepStrictEqual([patched.nextDueAt, resumed.nextDueAt], Array(2).fill(Option.some(Grid.due(moved, 1))))
  })

  it("makes up for what a new grid put off with its first time, which has come, and not with one to come", () => {
    const checked = after(active, [claim, due(0)], [success, due(0) + 1_000]).memory
    const moved = Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, {
      anchor: due(0) + 3_000_000,
      intervalSeconds: 7_200
    })
    const patched = after(checked, [{ _tag: "Rescheduled", grid: moved }, moved.anchor]).memory
    const overdue = due(0) + 7_300_000
    const resumed = after(patched, [{ _tag: "Pause" }, overdue], [{ _tag: "Resume" }, overdue]).memory
    const soon = Option.getOrThrow(resumed.nextDueAt)
    assert.isBelow(soon - overdue, 60_000)
    const claimed = after(resumed, [claim, soon]).memory
    assert.deepStrictEqual([claimed.n, claimed.nextDueAt], [0, Option.some(Grid.due(moved, 1))])
  })

  it("forgets what was passed over for want of quota, also where a check by hand found some since", () => {
    const waiting = after(
      active,
      [claim, due(0)],
      [{ _tag: "OutOfQuota", trigger: "schedule", resetsAt: nextDay(due(0)) }, due(0)],
      [success, due(1) + 5]
    ).memory
    const resumed = after(waiting, [{ _tag: "Pause" }, due(1) + 10], [{ _tag: "Resume" }, due(1) + 20]).memory
    assert.deepStrictEqual(resumed.nextDueAt, Option.some(due(2)))
  })

  it("of an overdue watch makes no check beside the one of its grid, where that is due within a minute", () => {
    const paused = after(active, [{ _tag: "Pause" }, due(0)]).memory
    const resumed = after(paused, [{ _tag: "Resume" }, due(9) - 60_000]).memory
    assert.deepStrictEqual(resumed.nextDueAt, Option.some(due(9)))
    assert.deepStrictEqual(after(resumed, [claim, due(9)]).memory.nextDueAt, Option.some(due(10)))
    const sooner = after(paused, [{ _tag: "Resume" }, due(9) - 60_001]).memory
    assert.isBelow(Option.getOrThrow(sooner.nextDueAt), due(9))
  })
})

describe("resuming, where grid times were passed over in advance", () => {
  const resumedAt = (memory: WatchMemory, at: number) =>
    after(memory, [{ _tag: "Pause" }, at - 1_000], [{ _tag: "Resume" }, at]).memory

  it("owes nothing to what failures had put off: it is due at once, then at the next grid time", () => {
    const { memory } = failing(8)
    const at = due(Grid.next(grid, Option.getOrThrow(memory.lastCheckedAt)) + 3) + 5
    const resumed = resumedAt(memory, at)
    const soon = Option.getOrThrow(resumed.nextDueAt)
    assert.isBelow(soon - at, 60_000)
    const checked = after(resumed, [claim, soon]).memory
    assert.isAtMost(Grid.due(grid, checked.n), soon)
    assert.deepStrictEqual(checked.nextDueAt, Option.some(due(Grid.next(grid, soon))))
  })

  it("checks a paused watch with a new interval for a time of the new grid that has come", () => {
    const moved = Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, {
      anchor: start + hour,
      intervalSeconds: 86_400
    })
    const paused = after(
      active,
      [{ _tag: "Pause" }, start],
      [{ _tag: "Rescheduled", grid: moved }, start + hour]
    ).memory
    const resumed = resumedAt(paused, start + 3 * hour)
    const soon = Option.getOrThrow(resumed.nextDueAt)
    assert.isAtMost(Grid.due(moved, after(resumed, [claim, soon]).memory.n), soon)
  })
})

describe("a clock that was set back", () => {
  const wait: Transition.WatchHappening = { _tag: "ClockSetBack" }
  const outcomes = fc.array(
    fc.constantFrom<"success" | "failure" | "lost" | "quota">("success", "failure", "lost", "quota"),
    { maxLength: 30 }
  )
  const intervals = fc.constantFrom(300, 3_600, 86_400)

  /** Checks of a watch, each begun `late` after it was due. */
  const checked = (of: WatchMemory, history: ReadonlyArray<"success" | "failure" | "lost" | "quota">, late: number) => {
    let memory = of
    let now = start
    for (const outcome of history) {
      if (Option.isNone(memory.nextDueAt)) break
      now = Math.max(now, memory.nextDueAt.value) + late
      const ends = {
        success: { ...success, startedAt: now },
        failure: { ...failure, startedAt: now },
        lost: { _tag: "Abandoned", startedAt: now, trigger: "schedule", grid: memory.grid },
        quota: { _tag: "OutOfQuota", trigger: "schedule", resetsAt: nextDay(now) }
      } as const
      memory = after(memory, [claim, now], [ends[outcome], now + 1_000]).memory
      now += 1_000
    }
    return { memory, now }
  }
  const watch = (intervalSeconds: number) =>
    Transition.created(
      Grid.make("wat_01JDZZZZZZZZZZZZZZZZZZZZZZ" as WatchId, { anchor: start, intervalSeconds }),
      "Active"
    )

  it("by less than half an hour, or half an interval, changes nothing about a watch", () => {
    fc.assert(
      fc.property(intervals, outcomes, fc.nat(2 * hour), (seconds, history, late) => {
        const { memory, now } = checked(watch(seconds), history, late)
        const back = Math.min(seconds * 500, hour / 2)
        // By what is left of the day a watch without a unit waits: not over midnight.
        const earlier = nextDay(now - back) === nextDay(now) ? now - back : now
        assert.strictEqual(after(memory, [wait, earlier]).memory, memory)
      })
    )
  })

  it("by days makes each watch due within its wait and an hour, also one that is resumed later", () => {
    fc.assert(
      fc.property(
        intervals,
        outcomes,
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        (seconds, history, days, isPaused) => {
          const { memory, now } = checked(watch(seconds), history, 0)
          const back = now - days * day
          const resumed = after(memory, [{ _tag: "Pause" }, now], [wait, back], [{ _tag: "Resume" }, back]).memory
          const found = isPaused ? resumed : after(memory, [wait, back]).memory
          const due = Option.getOrElse(found.nextDueAt, () => back)
          const delay = found.failures < 3 ? seconds * 1000 : day + seconds * 1000
          const reset = found.lastError._tag === "Some" && found.lastError.value.code === "quota_exhausted" ? day : 0
          assert.isAtMost(due, back + Math.max(delay, reset) + found.grid.phase + Math.min(seconds * 1000, hour))
        }
      ),
      { examples: [[86_400, ["failure", "failure", "failure", "lost"], 2, true]] }
    )
  })

  it("leaves a watch that waits for the units of a day that has not come to its next grid time", () => {
    const tomorrow = due(24) + 1
    const refused: Transition.WatchHappening = { _tag: "OutOfQuota", trigger: "schedule", resetsAt: nextDay(tomorrow) }
    const { memory: before } = after(active, [claim, tomorrow], [refused, tomorrow])
    const { memory } = after(before, [wait, due(0) + 1])
    assert.deepStrictEqual([memory.nextDueAt, memory.n], [Option.some(due(1)), before.n])
    assert.strictEqual(Grid.due(memory.grid, memory.n + 1), due(1))
  })
})

describe("any history", () => {
  const happenings = fc.oneof(
    fc.constant(claim),
    fc.constant(success),
    fc.constant(failure),
    fc.constantFrom<Transition.WatchHappening>(
      abandoned(start, "manual"),
      { _tag: "OutOfQuota", trigger: "manual", resetsAt: nextDay(start) },
      { _tag: "Pause" },
      { _tag: "Resume" },
      { _tag: "KeyEnabled" },
      { _tag: "KeyUnusable", reason: "key_disabled" }
    )
  )
  const steps = fc.array(fc.tuple(happenings, fc.integer({ min: -2 * hour, max: 30 * hour })), { maxLength: 60 })

  it("is due only while active, never at a grid time that was claimed before, also where the clock jumps back", () => {
    fc.assert(
      fc.property(steps, (history) => {
        let memory = active
        let now = start
        let highest = -1
        for (const [happening, passed] of history) {
          now = Math.max(0, now + passed)
          const isDue = Option.exists(memory.nextDueAt, (at) => at <= now)
          if (happening._tag === "Claimed" && !isDue) continue
          const before = memory
          memory = Transition.apply(memory, happening, now).memory
          assert.strictEqual(Option.isSome(memory.nextDueAt), memory.status._tag === "Active")
          assert.isAtLeast(memory.n, Math.min(before.n, highest))
          if (happening._tag === "Claimed") {
            assert.isAbove(memory.n, highest)
            highest = memory.n
          }
          assert.isAtLeast(memory.counts.checks, before.counts.checks)
          assert.isAtLeast(memory.skipped.downtime, before.skipped.downtime)
          assert.isAtLeast(memory.skipped.overlap, before.skipped.overlap)
        }
      })
    )
  })
})

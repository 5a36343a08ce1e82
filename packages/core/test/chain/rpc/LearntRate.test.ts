import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as LearntRate from "../../../src/chain/rpc/LearntRate.js"

/** Takes as soon as it may, and reports when how many units left. */
const taking = (rate: LearntRate.LearntRate, wanted: ReadonlyArray<readonly [pause: number, units: number]>) => {
  const taken: Array<{ readonly at: number; readonly units: number }> = []
  let now = 1_000_000
  for (const [pause, units] of wanted) {
    now += pause
    for (let wait = rate.wait(units, now); wait > 0; wait = rate.wait(units, now)) now += wait
    rate.take(units, now)
    taken.push({ at: now, units })
  }
  return taken
}

const busiestSecond = (taken: ReturnType<typeof taking>) =>
  Math.max(
    ...taken.map(({ at }) =>
      taken.filter((other) => other.at >= at && other.at < at + 1_000).reduce((sum, { units }) => sum + units, 0)
    )
  )

describe("LearntRate", () => {
  it("lets no more than the stated rate leave in any second", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 60 }).chain((stated) =>
          FastCheck.tuple(
            FastCheck.constant(stated),
            FastCheck.array(
              FastCheck.tuple(FastCheck.integer({ min: 0, max: 700 }), FastCheck.integer({ min: 1, max: stated })),
              { minLength: 1, maxLength: 60 }
            )
          )
        ),
        ([stated, wanted]) => busiestSecond(taking(LearntRate.make(stated), wanted)) <= stated
      )
    )
  })

  it("holds back nothing before anything was refused", () => {
    const rate = LearntRate.make()
    for (let sent = 0; sent < 1_000; sent++) {
      assert.strictEqual(rate.wait(100, 0), 0)
      rate.take(100, 0)
    }
  })

  it("gives back what was taken and not sent", () => {
    const rate = LearntRate.make(3)
    rate.take(3, 0)
    assert.isAbove(rate.wait(1, 0), 0)
    rate.untake(3, 0)
    assert.strictEqual(rate.wait(1, 0), 0)
  })

  /** Uses all that the rate allows at an endpoint that takes `limit` units a second, for some seconds. */
  const against = (rate: LearntRate.LearntRate, limit: number, seconds: number, begin = 0) => {
    let [held, passed, refused, last] = [limit, 0, 0, begin]
    for (let now = begin; now < begin + seconds * 1_000; now += 10) {
      held = Math.min(limit, held + ((now - last) * limit) / 1_000)
      last = now
      for (let burst = 0; burst < 200 && rate.wait(1, now) === 0; burst++) {
        rate.take(1, now)
        if (held >= 1) {
          held -= 1
          passed++
          rate.passed(1, now, now)
        } else {
          refused++
          rate.refused(1, now)
          break
        }
      }
    }
    return { passed, refused }
  }

  it.each([
    [1, 0.6],
    [3, 0.8],
    [10, 0.85],
    [25, 0.85],
    [300, 0.85]
  ])("finds a limit of %i a second, uses most of it and is seldom refused", (limit, share) => {
    const rate = LearntRate.make()
    against(rate, limit, 10)
    const { passed, refused } = against(rate, limit, 60, 10_000)
    assert.isAtLeast(passed, share * limit * 60)
    assert.isAtMost(refused, 0.1 * limit * 60 + 60)
  })

  it.each([
    [300, 25],
    [25, 300],
    [10, 2]
  ])("follows a limit of %i a second that becomes %i", (before, after) => {
    const rate = LearntRate.make()
    against(rate, before, 20)
    against(rate, after, 40, 20_000)
    const { passed } = against(rate, after, 20, 60_000)
    assert.isAtLeast(passed, 0.8 * after * 20)
  })

  it("never tries more than what was stated, however much passes", () => {
    const rate = LearntRate.make(10)
    const { passed } = against(rate, 1_000, 60)
    assert.isAtMost(passed, 10 * 61)
    assert.isAtLeast(passed, 10 * 55)
  })

  it("does not raise a rate that nobody needs", () => {
    const rate = LearntRate.make()
    against(rate, 10, 5)
    const before = rate.rate()
    for (let now = 5_000; now < 60_000; now += 1_000) {
      if (rate.wait(1, now) > 0) continue
      rate.take(1, now)
      rate.passed(1, now, now)
    }
    assert.isAtMost(rate.rate(), before * 1.1)
  })
})

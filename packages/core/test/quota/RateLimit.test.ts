import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, TestClock } from "effect"
import * as RateLimit from "../../src/quota/RateLimit.js"
import * as SlidingWindow from "../../src/quota/SlidingWindow.js"
import * as TokenBucket from "../../src/quota/TokenBucket.js"

const burst: RateLimit.Policy = { name: "burst", shape: "smooth", limit: 60, windowSeconds: 60 }
const hourly: RateLimit.Policy = { name: "hourly", shape: "strict", limit: 5, windowSeconds: 3600 }
const daily: RateLimit.Policy = { name: "daily", shape: "strict", limit: 7, windowSeconds: 86_400 }

const take = (subject: string, ...policies: ReadonlyArray<RateLimit.Policy>) =>
  Effect.flatMap(RateLimit.RateLimit, (limits) => limits.take(subject, policies))
const peek = (subject: string, ...policies: ReadonlyArray<RateLimit.Policy>) =>
  Effect.flatMap(RateLimit.RateLimit, (limits) => limits.peek(subject, policies))

describe("RateLimit", () => {
  it.effect("allows a burst, then the steady rate, and reports what is left", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* take("a", burst), [
        { policy: "burst", limit: 60, window_seconds: 60, remaining: 59, reset_seconds: 1 }
      ])
      yield* Effect.replicateEffect(take("a", burst), 59)
      const refused = yield* Effect.flip(take("a", burst))
      assert.deepStrictEqual(refused.violated, [
        { policy: "burst", limit: 60, window_seconds: 60, remaining: 0, reset_seconds: 60 }
      ])
      assert.strictEqual(refused.retry_after_seconds, 1)
      yield* TestClock.adjust("1 second")
      yield* take("a", burst)
      yield* Effect.flip(take("a", burst))
      yield* TestClock.adjust("1 hour")
      yield* Effect.replicateEffect(take("a", burst), 60)
      yield* Effect.flip(take("a", burst))
    }).pipe(Effect.provide(RateLimit.layer()))
  )

  it.effect("a refusal names every exhausted policy, counts under none, and waits for the last", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(take("a", hourly, daily), 5)
      const refused = yield* Effect.flip(take("a", hourly, daily))
      assert.deepStrictEqual(
        refused.violated.map((standing) => standing.policy),
        ["hourly"]
      )
      assert.strictEqual(refused.retry_after_seconds, 3600)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(
        (yield* take("a", hourly, daily)).map((standing) => standing.remaining),
        [4, 1],
        "the refused one took nothing of the day"
      )
      yield* take("a", hourly, daily)
      const both = yield* Effect.flip(take("a", hourly, daily))
      assert.deepStrictEqual(
        both.violated.map((standing) => standing.policy),
        ["daily"]
      )
      assert.strictEqual(both.retry_after_seconds, 86_400 - 3600)
    }).pipe(Effect.provide(RateLimit.layer()))
  )

  it.effect("counts subjects and policies separately", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(take("a", hourly), 5)
      yield* Effect.flip(take("a", hourly))
      assert.strictEqual((yield* take("b", hourly))[0]?.remaining, 4)
      assert.strictEqual((yield* take("a", daily))[0]?.remaining, 6)
    }).pipe(Effect.provide(RateLimit.layer()))
  )

  it.effect("peeking counts nothing", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(peek("a", hourly), 9)
      assert.strictEqual((yield* peek("a", hourly))[0]?.remaining, 5)
      yield* Effect.replicateEffect(take("a", hourly), 5)
      assert.strictEqual((yield* Effect.flip(peek("a", hourly)))._tag, "RateLimited")
    }).pipe(Effect.provide(RateLimit.layer()))
  )

  it.effect("keeps at most `maxEntries` subjects: the least recently used are dropped first", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(take("a", hourly), 5)
      yield* Effect.replicateEffect(take("b", hourly), 5)
      yield* Effect.forEach(["c", "d"], (subject) => take(subject, hourly))
      yield* Effect.flip(peek("b", hourly))
      assert.strictEqual((yield* peek("a", hourly))[0]?.remaining, 5)
    }).pipe(Effect.provide(RateLimit.layer({ maxEntries: 3 })))
  )

  it("no interval of a strict window has more events than its limit", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.nat({ max: 40 }), { minLength: 1, maxLength: 200 }),
        FastCheck.integer({ min: 1, max: 6 }),
        (gaps, limit) => {
          const rate = { limit, windowMillis: 100 }
          const granted: Array<number> = []
          let window: SlidingWindow.SlidingWindow = []
          let now = 0
          for (const gap of gaps) {
            now += gap
            window = SlidingWindow.slide(window, rate, now)
            if (SlidingWindow.remaining(window, rate) > 0) {
              window = SlidingWindow.take(window, now)
              granted.push(now)
            } else {
              const wait = SlidingWindow.millisUntilOldestLeaves(window, rate, now)
              assert.isAbove(SlidingWindow.remaining(SlidingWindow.slide(window, rate, now + wait), rate), 0)
              assert.strictEqual(SlidingWindow.remaining(SlidingWindow.slide(window, rate, now + wait - 1), rate), 0)
            }
          }
          for (const start of granted)
            assert.isAtMost(granted.filter((at) => at >= start && at < start + 100).length, limit)
        }
      )
    ))

  it("a bucket never grants more than it held and was refilled with, and reports when the next token is there", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.nat({ max: 400 }), { minLength: 1, maxLength: 200 }),
        FastCheck.integer({ min: 1, max: 60 }),
        (gaps, limit) => {
          const rate = { limit, windowMillis: 6000 }
          let bucket = TokenBucket.full(rate, 0)
          let now = 0
          let granted = 0
          for (const gap of gaps) {
            now += gap
            bucket = TokenBucket.refill(bucket, rate, now)
            if (TokenBucket.remaining(bucket) > 0) {
              bucket = TokenBucket.take(bucket)
              granted++
            } else {
              const wait = TokenBucket.millisUntil(bucket, rate, 1)
              // A millisecond for what rounding leaves.
              assert.strictEqual(TokenBucket.remaining(TokenBucket.refill(bucket, rate, now + wait + 1)), 1)
              assert.isAbove(wait, 0)
            }
            assert.isAtMost(granted, limit + (now * limit) / 6000 + 1e-6)
          }
        }
      )
    ))

  it("a clock that moves back grants nothing extra and blocks no subject for longer than the window", () => {
    const rate = { limit: 2, windowMillis: 1000 }
    const empty = TokenBucket.take(TokenBucket.take(TokenBucket.full(rate, 10_000)))
    assert.strictEqual(TokenBucket.remaining(TokenBucket.refill(empty, rate, 5000)), 0)
    const window = SlidingWindow.slide([10_000, 10_000], rate, 5000)
    assert.strictEqual(SlidingWindow.remaining(window, rate), 0)
    assert.strictEqual(SlidingWindow.remaining(SlidingWindow.slide(window, rate, 6000), rate), 2)
  })
})

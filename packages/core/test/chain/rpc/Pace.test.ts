import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, FastCheck, Fiber, Option, TestClock, TestContext } from "effect"
import * as Pace from "../../../src/chain/rpc/Pace.js"

const turn = (options: Partial<Pace.Turn> = {}): Pace.Turn => ({
  priority: "interactive",
  since: 0,
  until: Number.POSITIVE_INFINITY,
  ...options
})

const answered = (calls: number): Pace.Outcome => ({
  passed: calls,
  limited: 0,
  retryAfter: Option.none(),
  load: "heavy"
})

const refused = (calls: number, retryAfter: Option.Option<Duration.Duration> = Option.none()): Pace.Outcome => ({
  passed: 0,
  limited: calls,
  retryAfter,
  load: "heavy"
})

/** Sends calls in as many requests as the pace wants, each answered at once, and reports what left when. */
const sendAll = (pace: Pace.Pace, whose: Pace.Turn, calls: number) =>
  Effect.gen(function* () {
    const left: Array<{ readonly at: number; readonly calls: number }> = []
    for (let open = calls; open > 0; ) {
      const found = yield* pace.admit(whose, open)
      if (Option.isNone(found)) break
      left.push({ at: yield* Clock.currentTimeMillis, calls: found.value.calls })
      open -= found.value.calls
      yield* found.value.end(answered(found.value.calls))
    }
    return left
  })

/** Moves the time on, in small steps so that who is woken goes on in its own time. */
const elapse = (duration: Duration.DurationInput, step = 50) =>
  Effect.repeatN(TestClock.adjust(Duration.millis(step)), Math.ceil(Duration.toMillis(duration) / step) - 1)

const busiestSecond = <A extends { readonly at: number }>(left: ReadonlyArray<A>, count: (each: A) => number) =>
  Math.max(
    0,
    ...left.map(({ at }) =>
      left.filter((other) => other.at >= at && other.at < at + 1_000).reduce((sum, each) => sum + count(each), 0)
    )
  )

// Each test has a clock of its own, and a step of a clock waits for timers: tests at once wait for the same ones.
describe("Pace", { concurrent: true }, () => {
  it.scoped("holds nobody back at an endpoint that limits nothing", () =>
    Effect.gen(function* () {
      const pace = yield* Pace.make()
      assert.deepStrictEqual(yield* sendAll(pace, turn(), 500), [{ at: 0, calls: 500 }])
      assert.strictEqual(yield* pace.backlog, 0)
    })
  )

  const neverMore = (numRuns: number) =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.record({
            callsPerSecond: FastCheck.integer({ min: 1, max: 40 }),
            requestsPerSecond: FastCheck.integer({ min: 1, max: 20 })
          }),
          FastCheck.array(
            FastCheck.tuple(FastCheck.integer({ min: 0, max: 400 }), FastCheck.integer({ min: 1, max: 12 })),
            { minLength: 1, maxLength: 8 }
          ),
          (stated, work) =>
            Effect.gen(function* () {
              const pace = yield* Pace.make(stated)
              const sending = yield* Effect.forEach(work, ([pause, calls]) =>
                Effect.zipLeft(Effect.fork(sendAll(pace, turn(), calls)), elapse(Duration.millis(pause)))
              )
              const moving = yield* Effect.fork(Effect.forever(elapse("100 millis")))
              const left = (yield* Effect.forEach(sending, Fiber.join)).flat()
              yield* Fiber.interrupt(moving)
              const sent = left.reduce((sum, { calls }) => sum + calls, 0)
              assert.strictEqual(
                sent,
                work.reduce((sum, [, calls]) => sum + calls, 0)
              )
              assert.isAtMost(
                busiestSecond(left, ({ calls }) => calls),
                stated.callsPerSecond
              )
              assert.isAtMost(
                busiestSecond(left, () => 1),
                stated.requestsPerSecond
              )
            }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
        ),
        { numRuns }
      )
    )

  // A run waits for timers, and waits for them beside others.
  it.effect("never lets more calls or requests leave in any second than are stated", () =>
    Effect.all([neverMore(5), neverMore(5), neverMore(5)], { concurrency: "unbounded" })
  )

  /** Who leaves in which order, where all come while the endpoint has nothing left. */
  const orderOf = (turns: ReadonlyArray<Pace.Turn>) =>
    Effect.gen(function* () {
      const pace = yield* Pace.make({ requestsPerSecond: 1 })
      yield* sendAll(pace, turn(), 1)
      const order: Array<number> = []
      const waiting = yield* Effect.forEach(turns, (whose, place) =>
        Effect.fork(Effect.tap(sendAll(pace, whose, 1), () => order.push(place)))
      )
      yield* elapse("1 second")
      yield* elapse(Duration.seconds(2 * turns.length))
      yield* Effect.forEach(waiting, Fiber.join)
      return order
    })

  it.scoped("lets who began first go first, and interactive analyses before scheduled ones", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* orderOf([turn({ since: 30 }), turn({ since: 10 }), turn({ since: 20 })]), [1, 2, 0])
      const scheduled = turn({ priority: "scheduled", since: 0 })
      assert.deepStrictEqual(yield* orderOf([scheduled, turn({ since: 50_000 })]), [1, 0])
      assert.deepStrictEqual(yield* orderOf([scheduled, turn({ since: 70_000 })]), [0, 1])
    })
  )

  it.scoped("lets nobody starve: a scheduled analysis goes although interactive ones never cease to come", () =>
    Effect.gen(function* () {
      const pace = yield* Pace.make({ requestsPerSecond: 1 })
      yield* sendAll(pace, turn(), 1)
      const scheduled = yield* Effect.fork(sendAll(pace, turn({ priority: "scheduled" }), 1))
      // Twice what there is room for.
      const flood = Effect.gen(function* () {
        const since = yield* Clock.currentTimeMillis
        yield* Effect.forkScoped(sendAll(pace, turn({ since }), 1))
        yield* elapse("500 millis", 500)
      })
      yield* Effect.repeatN(flood, 280)
      const [left] = yield* Fiber.join(scheduled)
      assert.isAtMost(left?.at ?? Number.POSITIVE_INFINITY, 130_000)
    })
  )

  it.scoped("frees the place of who is interrupted, waiting or let go", () =>
    Effect.gen(function* () {
      const pace = yield* Pace.make({ callsPerSecond: 4, requestsPerSecond: 4 })
      const taken = yield* Effect.fork(sendAll(pace, turn(), 4))
      yield* elapse("50 millis")
      const gone = yield* Effect.forEach([1, 2, 3], () => Effect.fork(sendAll(pace, turn(), 40)))
      const last = yield* Effect.fork(sendAll(pace, turn({ since: 1 }), 1))
      yield* elapse("50 millis")
      yield* Effect.forEach(gone, Fiber.interrupt)
      yield* elapse("3 seconds")
      yield* Fiber.join(taken)
      assert.strictEqual((yield* Fiber.join(last)).length, 1)
      assert.strictEqual(yield* pace.backlog, 0)
    })
  )

  it.scoped("gives up a place in the queue when its time is over, and no other", () =>
    Effect.gen(function* () {
      const pace = yield* Pace.make({ requestsPerSecond: 1 })
      yield* sendAll(pace, turn(), 1)
      const hasty = yield* Effect.fork(pace.admit(turn({ until: 500 }), 1))
      const patient = yield* Effect.fork(pace.admit(turn({ since: 1 }), 1))
      yield* elapse("3 seconds")
      assert.deepStrictEqual(yield* Fiber.join(hasty), Option.none())
      assert.isTrue(Option.isSome(yield* Fiber.join(patient)))
    })
  )

  it.scoped("sends nothing for as long as the endpoint demands", () =>
    Effect.gen(function* () {
      const pace = yield* Pace.make()
      const first = yield* pace.admit(turn(), 1)
      yield* elapse("50 millis")
      if (Option.isSome(first)) yield* first.value.end(refused(1, Option.some(Duration.seconds(5))))
      const next = yield* Effect.fork(sendAll(pace, turn(), 1))
      yield* elapse("10 seconds")
      const [left] = yield* Fiber.join(next)
      assert.isAtLeast(left?.at ?? 0, 5_000)
    })
  )

  it.scoped("gives up at once where the endpoint demands a longer wait than there is time", () =>
    Effect.gen(function* () {
      const pace = yield* Pace.make()
      const first = yield* pace.admit(turn(), 1)
      yield* elapse("50 millis")
      if (Option.isSome(first)) yield* first.value.end(refused(1, Option.some(Duration.hours(9))))
      assert.deepStrictEqual(yield* pace.admit(turn({ until: 180_000 }), 1), Option.none())
      // A request goes out before that time: an endpoint may demand any wait.
      const patient = yield* Effect.fork(sendAll(pace, turn(), 1))
      yield* elapse("11 minutes", 1_000)
      assert.strictEqual((yield* Fiber.join(patient)).length, 1)
    })
  )

  /** An endpoint in the test clock's time that takes so many calls and requests a second, and refuses what is more. */
  const limiting = (limits: { readonly calls: number; readonly requests: number }) => {
    const held = { ...limits }
    let last = 0
    return (calls: number, now: number) => {
      for (const unit of ["calls", "requests"] as const) {
        held[unit] = Math.min(limits[unit], held[unit] + ((now - last) * limits[unit]) / 1_000)
      }
      last = now
      if (held.calls < calls || held.requests < 1) return false
      held.calls -= calls
      held.requests -= 1
      return true
    }
  }

  /** Brings calls through such an endpoint, a batch and many single ones, and reports what it took. */
  const bring = (limits: { readonly calls: number; readonly requests: number }, batched: number, single: number) =>
    Effect.gen(function* () {
      const pace = yield* Pace.make()
      const endpoint = limiting(limits)
      let requests = 0
      const send = (calls: number): Effect.Effect<void> =>
        Effect.gen(function* () {
          if (calls === 0) return
          const found = yield* pace.admit(turn(), calls)
          if (Option.isNone(found)) return
          const { calls: now, end } = found.value
          const request = Effect.gen(function* () {
            requests++
            yield* Effect.sleep("50 millis")
            const isTaken = endpoint(now, yield* Clock.currentTimeMillis)
            yield* end(isTaken ? answered(now) : refused(now))
            if (!isTaken) yield* send(now)
          })
          yield* Effect.all([request, send(calls - now)], { concurrency: 2 })
        })
      const all = Effect.all([send(batched), ...Array.from({ length: single }, () => send(1))], {
        concurrency: "unbounded"
      })
      yield* Effect.raceFirst(all, Effect.forever(TestClock.adjust("10 millis")))
      return { seconds: (yield* Clock.currentTimeMillis) / 1_000, requests }
    })

  interface Limits {
    readonly calls: number
    readonly requests: number
  }

  it.scoped.each<readonly [limits: Limits, batched: number, single: number, seconds: number]>([
    [{ calls: 25, requests: 1_000 }, 150, 30, (180 / 25) * 1.3],
    [{ calls: 300, requests: 1_000 }, 1_500, 30, (1_530 / 300) * 1.3],
    [{ calls: 100_000, requests: 10 }, 150, 40, (41 / 10) * 1.3],
    [{ calls: 1_000, requests: 2 }, 100, 10, (11 / 2) * 1.3],
    [{ calls: 25, requests: 5 }, 100, 10, (110 / 25) * 1.5]
  ])("finds out what an endpoint limits, and uses it: %o", ([limits, batched, single, seconds]) =>
    Effect.gen(function* () {
      const found = yield* bring(limits, batched, single)
      assert.isAtMost(found.seconds, seconds)
    })
  )
})

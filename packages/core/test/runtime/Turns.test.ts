import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Turns from "../../src/runtime/Turns.js"
import * as TickingClock from "../TickingClock.js"

const makeTicking = Effect.withClock(Turns.make, TickingClock.make(1_000_000n))

/** The number of the present turn of the event loop, counted while an effect runs. */
const countingTurns = <A, E, R>(use: (turn: () => number) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const counter = { turn: 0, immediate: setImmediate(() => {}) }
      const count = () => {
        counter.turn++
        counter.immediate = setImmediate(count)
      }
      count()
      return counter
    }),
    (counter) => use(() => counter.turn),
    (counter) => Effect.sync(() => clearImmediate(counter.immediate))
  )

const yields = (times: number, each: () => void) =>
  Effect.repeatN(Effect.zipRight(Effect.yieldNow(), Effect.sync(each)), times - 1)

describe("Turns", () => {
  it.effect("lets the event loop come round while an analysis can continue", () =>
    countingTurns((turn) =>
      Effect.gen(function* () {
        const turns = yield* makeTicking
        const seen = new Set<number>()
        yield* turns.run(yields(40, () => seen.add(turn())))
        assert.isAtLeast(seen.size, 40 / 5)
      })
    )
  )

  it.effect("runs all that is ready in one turn where the clock stands still", () =>
    countingTurns((turn) =>
      Effect.gen(function* () {
        const turns = yield* Turns.make
        const seen = new Set<number>()
        yield* turns.run(yields(40, () => seen.add(turn())))
        assert.strictEqual(seen.size, 1)
      })
    )
  )

  it.effect("runs a batch of each analysis after the other, forked fibers with it", () =>
    Effect.gen(function* () {
      const turns = yield* makeTicking
      const ran: Array<string> = []
      const analysis = (name: string) =>
        turns.run(Effect.flatMap(Effect.fork(yields(20, () => ran.push(name))), Fiber.join))
      yield* Effect.all([analysis("a"), analysis("b")], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        ran.slice(10, 30).filter((name) => name === "a"),
        Array.from({ length: 10 }, () => "a")
      )
    })
  )

  it.effect("does something afterwards when its analysis waits, however much another one has to do", () =>
    Effect.gen(function* () {
      const turns = yield* makeTicking
      let done = 0
      let isTold = false
      const other = yield* Effect.fork(turns.run(Effect.repeat(Effect.yieldNow(), { until: () => isTold })))
      const at = yield* turns.run(
        Effect.gen(function* () {
          const afterwards = yield* Turns.afterwards
          yield* Effect.fork(yields(100, () => done++))
          return yield* Effect.async<number>((resume) => {
            afterwards(() => {
              isTold = true
              resume(Effect.succeed(done))
            })
          })
        })
      )
      assert.strictEqual(at, 100)
      yield* Fiber.join(other)
    })
  )

  it.effect("does nothing afterwards that was cancelled, before its turn or while the analysis continues", () =>
    Effect.gen(function* () {
      const turns = yield* makeTicking
      const acted: Array<string> = []
      yield* turns.run(
        Effect.gen(function* () {
          const afterwards = yield* Turns.afterwards
          afterwards(() => acted.push("before its turn"))()
          const cancel = afterwards(() => acted.push("while it continues"))
          yield* yields(1_000, () => {})
          cancel()
          yield* Effect.async<void>((resume) => void afterwards(() => resume(Effect.void)))
        })
      )
      assert.deepStrictEqual(acted, [])
    })
  )
})

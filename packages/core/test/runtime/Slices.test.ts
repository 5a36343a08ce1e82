import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Slices from "../../src/runtime/Slices.js"
import * as TickingClock from "../TickingClock.js"

/** Slices that say in which turn of the event loop each of them ran. */
const noted = (count: number, turn: () => number) =>
  function* (): Slices.Slices<ReadonlyArray<number>> {
    const turns: Array<number> = []
    for (let i = 0; i < count; i++) {
      turns.push(turn())
      yield undefined
    }
    return turns
  }

/** How many of so many slices ran in each turn of the event loop. */
const perTurn = (count: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    let turn = 0
    const slices = noted(count, () => turn)
    const next = Effect.sync(() => turn++)
    const turns = yield* Slices.run(slices, (effect) => Effect.zipRight(next, effect))
    return Array.from({ length: turn }, (_, i) => turns.filter((one) => one === i + 1).length)
  })

describe("Slices", () => {
  it.effect("short ones share a turn of the event loop, up to a number where the clock stands still", () =>
    Effect.gen(function* () {
      const turns = yield* perTurn(200)
      assert.deepStrictEqual(turns, [64, 64, 64, 8])
    })
  )

  it.effect("one that takes as long as a turn has it for itself", () =>
    Effect.gen(function* () {
      const turns = yield* Effect.withClock(perTurn(5), TickingClock.make(2_000_000n))
      assert.deepStrictEqual(turns, [1, 1, 1, 1, 1, 0])
    })
  )

  it.effect("come to the same in whatever turns, and all at once", () =>
    Effect.gen(function* () {
      const count = function* (): Slices.Slices<number> {
        let sum = 0
        for (let i = 0; i < 100; i++) {
          sum += i
          yield undefined
        }
        return sum
      }
      const atOnce = Slices.complete(count())
      assert.strictEqual(atOnce, 4950)
      assert.strictEqual(yield* Slices.run(count), atOnce)
      assert.strictEqual(yield* Effect.withClock(Slices.run(count), TickingClock.make(700_000n)), atOnce)
    })
  )

  it.effect("begin anew each time they are run", () =>
    Effect.gen(function* () {
      let starts = 0
      const reading = Slices.run(function* () {
        starts++
        yield undefined
        return starts
      })
      assert.strictEqual(yield* reading, 1)
      assert.strictEqual(yield* reading, 2)
    })
  )

  it("are computed once for many callers, however they take turns, and though one is interrupted", () => {
    let steps = 0
    const kept = Slices.once(function* () {
      for (let i = 0; i < 3; i++) {
        steps++
        yield undefined
      }
      return { steps }
    })
    const [first, second, third] = [kept(), kept(), kept()]
    first.next()
    second.next()
    first.return({ steps: 0 })
    const answer = Slices.complete(second)
    assert.deepStrictEqual(answer, { steps: 3 })
    assert.strictEqual(Slices.complete(third), answer)
    assert.strictEqual(Slices.complete(kept()), answer)
  })

  it("that fail are tried again by the next caller", () => {
    let tries = 0
    const kept = Slices.once(function* () {
      yield undefined
      if (++tries === 1) throw new Error("once")
      return tries
    })
    assert.throws(() => Slices.complete(kept()), "once")
    assert.strictEqual(Slices.complete(kept()), 2)
    assert.strictEqual(Slices.complete(kept()), 2)
  })

  it("are computed once of each object", () => {
    let tries = 0
    const kept = Slices.oncePer(function* (of: { readonly name: string }) {
      return `${of.name} ${++tries}`
    })
    const [one, other] = [{ name: "one" }, { name: "other" }]
    assert.strictEqual(Slices.complete(kept(one)), "one 1")
    assert.strictEqual(Slices.complete(kept(other)), "other 2")
    assert.strictEqual(Slices.complete(kept(one)), "one 1")
  })
})

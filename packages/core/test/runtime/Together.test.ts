import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Ref } from "effect"
import * as Together from "../../src/runtime/Together.js"

const Name = Context.GenericTag<"Name", string>("Name")

describe("Together", () => {
  it.effect("gives answers in the order of the items, whichever comes first", () =>
    Effect.gen(function* () {
      const gates = yield* Effect.all([Deferred.make<number>(), Deferred.make<number>(), Deferred.make<number>()])
      const asked = yield* Effect.fork(
        Together.forEach(gates, (gate, index) => Effect.map(Deferred.await(gate), (value) => [index, value]))
      )
      for (const [index, gate] of [...gates.entries()].reverse()) {
        yield* Effect.yieldNow()
        yield* Deferred.succeed(gate, index * 10)
      }
      assert.deepStrictEqual(yield* Fiber.join(asked), [
        [0, 0],
        [1, 10],
        [2, 20]
      ])
    })
  )

  it.effect("starts every item before any of them has ended", () =>
    Effect.gen(function* () {
      const started = yield* Ref.make(0)
      const all = yield* Deferred.make<void>()
      const run = Effect.zipRight(
        Effect.flatMap(
          Ref.updateAndGet(started, (count) => count + 1),
          (count) => (count === 5 ? Deferred.succeed(all, undefined) : Effect.void)
        ),
        Deferred.await(all)
      )
      yield* Together.forEach([1, 2, 3, 4, 5], () => run)
      assert.strictEqual(yield* Ref.get(started), 5)
    })
  )

  it.effect("takes none, one, tuples and structs, and keeps their requirements", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Together.forEach([], () => Effect.fail("never")), [])
      assert.deepStrictEqual(yield* Together.forEach(["a"], (item, index) => Effect.succeed(`${item}${index}`)), ["a0"])
      const pair: [string, number] = yield* Together.all([Name, Effect.succeed(2)])
      assert.deepStrictEqual(pair, ["it", 2])
      const struct: { name: string; one: number } = yield* Together.all({ name: Name, one: Effect.succeed(1) })
      assert.deepStrictEqual(struct, { name: "it", one: 1 })
    }).pipe(Effect.provideService(Name, "it"))
  )

  it.effect("interrupts the others where one fails, and fails when they have ended", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const slow = Effect.onInterrupt(Effect.never, () =>
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.sync(() => told.push("ended"))
        )
      )
      const exit = yield* Effect.exit(
        Together.all([slow, Effect.zipRight(Effect.yieldNow(), Effect.fail("no")), slow, Effect.succeed(1)])
      )
      assert.deepStrictEqual(told, ["ended", "ended"])
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.deepStrictEqual([...Cause.failures(exit.cause)], ["no"])
    })
  )

  it.effect("fails as Effect.forEach does: with what failed first, of several at once with the first item's", () =>
    Effect.gen(function* () {
      const late = Effect.zipRight(Effect.yieldNow(), Effect.zipRight(Effect.yieldNow(), Effect.fail("late")))
      const soon = (name: string) => Effect.zipRight(Effect.yieldNow(), Effect.fail(name))
      for (const effects of [
        [late, soon("a"), soon("b")],
        [soon("b"), soon("a")]
      ]) {
        const told = yield* Effect.flip(Effect.all(effects, { concurrency: "unbounded" }))
        assert.strictEqual(yield* Effect.flip(Together.all(effects)), told)
      }
    })
  )

  it.effect("begins nothing after an item that has failed at once", () =>
    Effect.gen(function* () {
      const begun: Array<number> = []
      const exit = yield* Effect.exit(
        Together.forEach([1, 2, 3], (item) =>
          Effect.flatMap(
            Effect.sync(() => begun.push(item)),
            () => (item === 2 ? Effect.fail("no") : Effect.void)
          )
        )
      )
      assert.deepStrictEqual(exit, Exit.fail("no"))
      assert.deepStrictEqual(begun, [1, 2])
    })
  )

  it.effect("ends all of them where the asker is interrupted, before it goes on", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const told: Array<string> = []
      const slow = (name: string) =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => told.push(name))
          )
        )
      const asker = yield* Effect.fork(
        Together.all([slow("a"), Effect.zipRight(Deferred.succeed(begun, undefined), slow("b"))])
      )
      yield* Deferred.await(begun)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(asker)))
      assert.deepStrictEqual(told.sort(), ["a", "b"])
    })
  )

  it.effect("turns what an item throws into a defect, and leaves none running", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const exit = yield* Effect.exit(
        Together.forEach([1, 2], (item) => {
          if (item === 2) throw new Error("bug")
          return Effect.onInterrupt(Effect.never, () => Effect.sync(() => told.push("ended")))
        })
      )
      assert.isTrue(Exit.isFailure(exit) && [...Cause.defects(exit.cause)].length === 1)
      assert.deepStrictEqual(told, ["ended"])
    })
  )

  it.effect("works inside of itself, where nothing has to be waited for", () =>
    Effect.gen(function* () {
      const depth = (left: number): Effect.Effect<number> =>
        left === 0
          ? Effect.succeed(1)
          : Effect.map(Together.all([depth(left - 1), depth(left - 1)]), ([first, second]) => first + second)
      assert.strictEqual(yield* depth(10), 1_024)
    })
  )
})

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as GroupWrite from "../src/GroupWrite.js"

const concurrently = { concurrency: "unbounded" } as const
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

it.live("what is given at once is written at once, what comes meanwhile next, and no more than allowed", () =>
  Effect.gen(function* () {
    const written: Array<ReadonlyArray<number>> = []
    const [begun, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const write = GroupWrite.make(
      (items: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          written.push(items)
          if (written.length === 1) yield* Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(free))
          return (item: number) => item * 10
        }),
      { most: 5 }
    )
    const first = yield* Effect.fork(Effect.forEach(numbers(0, 3), write, concurrently))
    yield* Deferred.await(begun)
    const others = yield* Effect.fork(Effect.forEach(numbers(3, 10), write, concurrently))
    yield* Effect.sleep("20 millis")
    yield* Deferred.succeed(free, undefined)
    assert.deepStrictEqual(yield* Fiber.join(first), [0, 10, 20])
    assert.deepStrictEqual(yield* Fiber.join(others), [30, 40, 50, 60, 70, 80, 90])
    assert.deepStrictEqual(written, [numbers(0, 3), numbers(3, 8), numbers(8, 10)])
  })
)

it.live("a write that fails or dies fails for all of its items, and the next ones are written", () =>
  Effect.gen(function* () {
    let writes = 0
    const write = GroupWrite.make(
      () => {
        writes++
        if (writes === 1) return Effect.fail("no")
        return writes === 2 ? Effect.die("broken") : Effect.succeed(() => writes)
      },
      { most: 9 }
    )
    const both = Effect.forEach([{}, {}], (item) => Effect.exit(write(item)), concurrently)
    assert.deepStrictEqual(yield* both, [Exit.fail("no"), Exit.fail("no")])
    assert.deepStrictEqual(yield* both, [Exit.die("broken"), Exit.die("broken")])
    assert.deepStrictEqual(yield* both, [Exit.succeed(3), Exit.succeed(3)])
  })
)

it.live("an item whose caller is gone before its turn is not written", () =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const [begun, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const write = GroupWrite.make(
      (items: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          written.push(...items)
          if (items.includes("first")) yield* Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(free))
          return () => true
        }),
      { most: 9 }
    )
    const first = yield* Effect.fork(write("first"))
    yield* Deferred.await(begun)
    const gone = yield* Effect.fork(write("gone"))
    const last = yield* Effect.fork(write("last"))
    yield* Effect.sleep("20 millis")
    yield* Fiber.interrupt(gone)
    yield* Deferred.succeed(free, undefined)
    yield* Effect.all([Fiber.join(first), Fiber.join(last)])
    assert.deepStrictEqual(written, ["first", "last"])
  })
)

it.live("the others go on when the one that was first is gone", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const write = GroupWrite.make(
      (items: ReadonlyArray<string>) =>
        Effect.zipRight(
          Deferred.succeed(begun, undefined),
          Effect.as(Effect.sleep("20 millis"), (item: string) => items.indexOf(item))
        ),
      { most: 9 }
    )
    const first = yield* Effect.fork(write("first"))
    const second = yield* Effect.fork(write("second"))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(first)
    assert.strictEqual(yield* Fiber.join(second), 1)
  })
)

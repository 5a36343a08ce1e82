import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, FiberId, Option, Scope } from "effect"
import * as Shared from "../../src/runtime/Shared.js"

const makeKept = <A, E>(scope: Scope.Scope, effect: Effect.Effect<A, E>) => {
  let kept: Effect.Effect<A, E> | undefined
  let runs = 0
  const get = Shared.get(
    scope,
    () => kept,
    (answer) => {
      kept = answer
      runs++
      return { effect }
    }
  )
  return { get, runs: () => runs, isKept: () => kept !== undefined }
}

describe("Shared", () => {
  it.scoped("runs once for all who wait, and interrupting one of them leaves the outcome to the others", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<number>()
      const { get, runs } = makeKept(yield* Effect.scope, Deferred.await(gate))
      const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.fork(get))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting[0] as Fiber.RuntimeFiber<number>)
      yield* Deferred.succeed(gate, 7)
      assert.deepStrictEqual(yield* Effect.forEach(waiting.slice(1), Fiber.join), [7, 7])
      assert.strictEqual(runs(), 1)
    })
  )

  it.scoped("has begun what is kept, after however many operations the caller is interrupted", () =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      for (let operations = 1; operations <= 12; operations++) {
        const { get, isKept } = makeKept(scope, Effect.succeed("done"))
        const tasks: Array<() => void> = []
        let left = operations
        const caller = Effect.runFork(get, {
          scheduler: {
            shouldYield: () => (--left === 0 ? 1 : false),
            scheduleTask: (task) => void tasks.push(task)
          }
        })
        while (left > 0 && tasks.length > 0) tasks.shift()?.()
        caller.unsafeInterruptAsFork(FiberId.none)
        while (tasks.length > 0) tasks.shift()?.()
        if (!isKept()) continue
        const other = yield* Effect.fork(get)
        for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow()
        assert.deepStrictEqual(yield* Fiber.poll(other), Option.some(Exit.succeed("done")), `${operations} operations`)
      }
    })
  )

  it.effect("gives all who wait the interruption where its scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { get } = makeKept(scope, Effect.never)
      const waiting = yield* Effect.fork(get)
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isInterrupted(yield* Fiber.await(waiting)))
    })
  )
})

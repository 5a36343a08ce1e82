import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Scope } from "effect"
import * as ReadQueue from "../../src/runtime/ReadQueue.js"
import * as Turns from "../../src/runtime/Turns.js"
import * as TickingClock from "../TickingClock.js"

/** A queue that records its flushes and answers with the doubled request. */
const doubling = (options: { readonly before?: (requests: ReadonlyArray<number>) => Effect.Effect<void> } = {}) =>
  Effect.gen(function* () {
    const flushes: Array<ReadonlyArray<number>> = []
    const queue = yield* ReadQueue.make<number, number, string>({
      keyOf: String,
      refuse: (request) => (request < 0 ? Option.some("negative") : Option.none()),
      flush: (waiting) =>
        Effect.gen(function* () {
          const requests = waiting.map(({ request }) => request)
          flushes.push(requests)
          yield* options.before?.(requests) ?? Effect.void
          for (const { request, settle } of waiting) {
            settle(request === 13 ? Exit.fail("unlucky") : Exit.succeed(request * 2))
          }
        })
    })
    return { flushes, queue }
  })

describe("ReadQueue", () => {
  it.scoped("gathers forked fibers, also under timeouts and spans, and lets no slow one hold the others", () =>
    Effect.gen(function* () {
      const { flushes, queue } = yield* doubling()
      const never = yield* Effect.fork(Effect.never)
      const reads = [1, 2, 3].map((request) =>
        Effect.fork(
          queue.ask(request).pipe(
            Effect.flatMap((answer) => queue.ask(answer * 100)),
            Effect.timeout("1 minute"),
            Effect.withSpan("check")
          )
        )
      )
      const answers = yield* Effect.flatMap(Effect.all(reads), Fiber.joinAll)
      assert.deepStrictEqual([...answers], [400, 800, 1_200])
      assert.deepStrictEqual(flushes, [
        [1, 2, 3],
        [200, 400, 600]
      ])
      assert.strictEqual(queue.levels(), 2)
      yield* Fiber.interrupt(never)
    })
  )

  it.effect("gathers fibers of an analysis that take several turns of the event loop to send reads", () =>
    Effect.gen(function* () {
      const turns = yield* Effect.withClock(Turns.make, TickingClock.make(1_000_000n))
      const flushes = yield* turns.run(
        Effect.gen(function* () {
          const { flushes, queue } = yield* doubling()
          const asking = [1, 500, 1_000].map((yields) =>
            Effect.zipRight(Effect.repeatN(Effect.yieldNow(), yields), queue.ask(yields))
          )
          yield* Effect.all(asking, { concurrency: "unbounded" })
          return flushes
        }).pipe(Effect.scoped)
      )
      assert.deepStrictEqual(flushes, [[1, 500, 1_000]])
    })
  )

  it.scoped("fails a read for all its callers, and for nobody else", () =>
    Effect.gen(function* () {
      const { queue } = yield* doubling()
      const exits = yield* Effect.all(
        [13, 13, 4].map((request) => Effect.exit(queue.ask(request))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits, [Exit.fail("unlucky"), Exit.fail("unlucky"), Exit.succeed(8)])
    })
  )

  it.scoped("refuses without sending, and without counting a level", () =>
    Effect.gen(function* () {
      const { flushes, queue } = yield* doubling()
      assert.strictEqual(yield* Effect.flip(queue.ask(-1)), "negative")
      assert.deepStrictEqual(flushes, [])
      assert.strictEqual(queue.levels(), 0)
    })
  )

  it.scoped("counts no level for what left while an earlier flush was still unanswered", () =>
    Effect.gen(function* () {
      const left = yield* Deferred.make<void>()
      const slow = yield* Deferred.make<void>()
      const { queue } = yield* doubling({
        before: (requests) =>
          requests.includes(1) ? Effect.zipRight(Deferred.succeed(left, undefined), Deferred.await(slow)) : Effect.void
      })
      const held = yield* Effect.fork(queue.ask(1))
      yield* Deferred.await(left)
      yield* queue.ask(2)
      assert.strictEqual(queue.levels(), 1)
      yield* queue.ask(3)
      assert.strictEqual(queue.levels(), 2)
      yield* Deferred.succeed(slow, undefined)
      yield* Fiber.join(held)
    })
  )

  it.scoped("sends a read again on demand, and keeps what was read before", () =>
    Effect.gen(function* () {
      const { flushes, queue } = yield* doubling()
      yield* queue.ask(5)
      yield* queue.askAfresh(5)
      yield* queue.ask(5)
      assert.deepStrictEqual(flushes, [[5], [5]])
    })
  )

  it.effect("frees waiting callers when its scope closes, and later ones", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const left = yield* Deferred.make<void>()
      const before = () => Effect.zipRight(Deferred.succeed(left, undefined), Effect.never)
      const { queue } = yield* Scope.extend(doubling({ before }), scope)
      const waiting = yield* Effect.fork(queue.ask(1))
      yield* Deferred.await(left)
      const unsent = yield* Effect.fork(queue.ask(2))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      for (const exit of [yield* Fiber.await(waiting), yield* Fiber.await(unsent), yield* Effect.exit(queue.ask(3))]) {
        assert.isTrue(Exit.isInterrupted(exit))
      }
    })
  )

  it.scoped("turns a defect of the sending into a defect of each read, not into silence", () =>
    Effect.gen(function* () {
      const { queue } = yield* doubling({ before: () => Effect.dieMessage("bug") })
      const exit = yield* Effect.exit(queue.ask(1))
      assert.isTrue(Exit.isFailure(exit) && !Exit.isInterrupted(exit))
    })
  )
})

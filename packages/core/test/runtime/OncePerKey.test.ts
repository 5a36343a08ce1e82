import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Ref } from "effect"
import * as OncePerKey from "../../src/runtime/OncePerKey.js"

describe("OncePerKey", () => {
  it.scoped("runs once a key, for askers at the same time and later, and keeps failures", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make<ReadonlyArray<string>>([])
      const ask = yield* OncePerKey.make(
        (key: string) => key,
        (key) =>
          Effect.zipRight(
            Ref.update(runs, (seen) => [...seen, key]),
            key === "bad" ? Effect.fail("no") : Effect.succeed(key.length)
          )
      )
      const answers = yield* Effect.all([ask("one"), ask("three"), ask("one"), Effect.flip(ask("bad"))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, [3, 5, 3, "no"])
      assert.strictEqual(yield* ask("three"), 5)
      assert.strictEqual(yield* Effect.flip(ask("bad")), "no")
      assert.deepStrictEqual([...(yield* Ref.get(runs))].sort(), ["bad", "one", "three"])
    })
  )

  it.scoped("gives the answer to others when the first asker goes away", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const ask = yield* OncePerKey.make(
        (key: string) => key,
        (key) => Effect.zipRight(Deferred.succeed(started, undefined), Effect.as(Deferred.await(gate), key))
      )
      const first = yield* Effect.fork(ask("a"))
      yield* Deferred.await(started)
      const second = yield* Effect.fork(ask("a"))
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(second), "a")
    })
  )
})

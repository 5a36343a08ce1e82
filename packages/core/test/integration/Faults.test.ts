import { Address, Analyzer } from "@assay/core"
import { FaultLaw, RpcFault } from "@assay/core/testing"
import { Effect, Either } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as World from "./World.js"

describe("a fault of one call", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.startOnTape()
  })
  afterAll(() => world.sandbox.stop())

  it.each(["safeOwned", "approver", "diamond"] as const)(
    "never raises the score of %s, nor turns what was decided into its opposite",
    async (name) => {
      const { address, kind } = world.sandbox.targets[name]
      const analyze = Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        Effect.either(analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain }))
      )
      const program = Effect.gen(function* () {
        const faults = yield* RpcFault.RpcFault
        const whole = Either.getOrThrow(yield* analyze)
        const methods = new Map((yield* faults.seen).map((call) => [call.key, call.method]))
        let tried = 0
        let noticed = 0
        for (const fault of RpcFault.typical) {
          for (const [key, method] of methods) {
            if (!RpcFault.befalls(fault, method)) continue
            yield* faults.replace([{ when: (call) => call.key === key, kind: fault }])
            const outcome = yield* analyze
            tried++
            const about = `${fault} of ${key.slice(0, 160)}`
            if (Either.isLeft(outcome)) {
              assert.strictEqual(outcome.left._tag, "UpstreamUnavailable", about)
              noticed++
              continue
            }
            assert.deepStrictEqual(FaultLaw.violations(whole, outcome.right), [], about)
            if (outcome.right.content_hash !== whole.content_hash) noticed++
          }
        }
        return { calls: methods.size, tried, noticed }
      })
      const { calls, noticed, tried } = await world.run(program)
      assert.isAbove(calls, 10)
      assert.isAtLeast(tried, calls * (RpcFault.typical.length - 1))
      // A fault that nobody notices was of a call that nobody needed.
      assert.isAbove(noticed, tried / 2)
    },
    900_000
  )
})

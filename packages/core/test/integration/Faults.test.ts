import { Address, Analyzer } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Effect, Either } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as World from "./World.js"

const kinds = ["timeout", "http_429", "method_missing", "garbage"] as const satisfies ReadonlyArray<RpcFault.Kind>

describe("a fault of one call", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
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
        const keys = [...new Set((yield* faults.seen).map((call) => call.key))]
        let tried = 0
        let noticed = 0
        for (const fault of kinds) {
          for (const key of keys) {
            yield* faults.replace([{ when: (call) => call.key === key, kind: fault }])
            const outcome = yield* analyze
            tried++
            const about = `${fault} of ${key.slice(0, 160)}`
            if (Either.isLeft(outcome)) {
              assert.strictEqual(outcome.left._tag, "UpstreamUnavailable", about)
              noticed++
              continue
            }
            const before = whole.facts.risk
            const after = outcome.right.facts.risk
            assert.isAtMost(after?.score ?? -1, before?.score ?? -1, about)
            if (before?.level !== after?.level) assert.strictEqual(after?.level, "unknown", about)
            for (const item of outcome.right.evidence) {
              if (item.state === "unknown" || item.id === "endpoint.capable") continue
              const undisturbed = whole.evidence.find((candidate) => candidate.id === item.id)
              assert.strictEqual(item.state, undisturbed?.state, `${about}: ${item.id}`)
            }
            if (outcome.right.content_hash !== whole.content_hash) noticed++
          }
        }
        return { calls: keys.length, tried, noticed }
      })
      const { calls, noticed, tried } = await world.run(program)
      assert.isAbove(calls, 10)
      assert.strictEqual(tried, calls * kinds.length)
      // A fault that nobody notices was of a call that nobody needed.
      assert.isAbove(noticed, tried / 2)
    },
    240_000
  )
})

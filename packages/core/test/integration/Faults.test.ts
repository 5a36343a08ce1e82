import { Address, Analyzer } from "@assay/core"
import { FaultSweep, RpcFault } from "@assay/core/testing"
import type { Targets } from "@assay/sandbox"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as World from "./World.js"

describe("a fault of one call", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  // One in `npm test`, two more in `npm run test:all`, of which one before a change lands, every target in
  // `npm run faults`.
  it.each<Targets.Name>(Tier.all ? ["approver", ...Tier.drawn(["safeOwned", "diamond"] as const)] : ["approver"])(
    "never raises the score of %s, nor turns what was decided into its opposite",
    async (name) => {
      const { address, kind } = world.sandbox.targets[name]
      const analysis = Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind, address: Address.checksum(address), chain: world.chain })
      )
      const { breaches, calls, cases, noticed, refused } = await world.runOver(World.tape)(FaultSweep.of(analysis))
      assert.deepStrictEqual(breaches, [])
      assert.isAbove(calls, 10)
      assert.isAtLeast(cases, calls * (RpcFault.typical.length - 1))
      // A fault that nobody notices was of a call that nobody needed.
      assert.isAbove(noticed + refused, cases / 2)
    },
    900_000
  )
})

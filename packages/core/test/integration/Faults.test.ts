import { Address, Analyzer } from "@assay/core"
import { FaultSweep, RpcFault } from "@assay/core/testing"
import type { Targets } from "@assay/sandbox"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as World from "./World.js"

describe.runIf(Tier.landing)("a fault of one call", () => {
  let world: World.World
  beforeAll(async () => {
    world = await World.start()
  })

  // Two before a change lands, of which one is drawn, three in `npm run test:all`, every target in `npm run faults`.
  const targets: ReadonlyArray<readonly [Targets.Name, boolean]> = [
    ["approver", true],
    ...(["safeOwned", "diamond"] as const).map(
      (name, index, { length }) => [name, Draw.isDrawn(index, length)] as const
    )
  ]
  for (const [name, runs] of targets)
    it.runIf(runs)(
      Tier.title(runs, `never raises the score of ${name}, nor turns what was decided into its opposite`),
      async () => {
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

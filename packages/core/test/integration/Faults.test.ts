import { Address, Analyzer } from "@assay/core"
import { FaultSweep, RpcFault } from "@assay/core/testing"
import type { Targets } from "@assay/sandbox"
import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Draw from "../../../../test/Draw.js"
import * as Tier from "../../../../test/Tier.js"
import * as World from "./World.js"

// Before a change lands each call fails in a third of the ways, and each way befalls a third of the calls, or of the
// requests: another one with the next draw. One call alone can be answered by another chain, so that this is always taken.
const parts = Tier.all ? 1 : 3
const takes = (kind: RpcFault.Kind, place: number): boolean =>
  kind === "wrong_chain" || Draw.isCrossing(RpcFault.typical.indexOf(kind), place, parts)

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
        const { breaches, calls, cases, noticed, refused } = await world.runOver(World.tape)(
          FaultSweep.of(analysis, RpcFault.typical, takes)
        )
        assert.deepStrictEqual(breaches, [])
        assert.isAbove(calls, 10)
        const befalling = RpcFault.typical.length - 1
        // How many calls are in a third of the requests is another thing.
        const certain = Tier.all ? befalling : befalling - RpcFault.typical.filter(RpcFault.isOfRequest).length
        assert.isAtLeast(cases, Math.floor(calls / parts) * certain)
        // A fault that nobody notices was of a call that nobody needed.
        assert.isAbove(noticed + refused, cases / 2)
      },
      900_000
    )
})

import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime } from "effect"
import { Abis } from "viem/tempo"
import { assert, describe, it } from "vitest"
import * as Draw from "../../../../../test/Draw.js"
import * as Tier from "../../../../../test/Tier.js"
import * as Analyzer from "../../../src/analysis/Analyzer.js"
import * as Transport from "../../../src/chain/rpc/Transport.js"
import * as FaultSweep from "../../../src/testing/FaultSweep.js"
import * as RpcFault from "../../../src/testing/RpcFault.js"
import * as RpcTape from "../../../src/testing/RpcTape.js"
import * as TempoChain from "./TempoChain.js"

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "a fault of one call about a TIP-20 token"), () => {
  it("never raises the score, nor turns what was decided into its opposite", async () => {
    const chain = await TempoChain.start("tempo")
    const wire = Layer.provide(RpcTape.layer, Layer.provide(Transport.layerHttpClient(), NodeHttpClient.layerUndici))
    const engine = ManagedRuntime.make(Layer.provide(FaultSweep.layer(TempoChain.checksOfPowers), wire))
    try {
      const [owner = "0x", other = "0x"] = chain.accounts
      const token = await chain.create(owner, "AUSD")
      await chain.send(owner, token, Abis.tip20, "grantRole", [TempoChain.role("ISSUER_ROLE"), owner])
      await chain.send(owner, token, Abis.tip20, "mint", [other, 1_000n])
      const analysis = Effect.flatMap(Analyzer.Analyzer, (analyzer) =>
        analyzer.analyze({ kind: "token", address: token, chain: chain.chain })
      )
      // Before a change lands each call fails in half of the ways, and each way befalls half of the calls, in turn.
      const { breaches, calls, cases, noticed, refused } = await engine.runPromise(
        FaultSweep.of(analysis, RpcFault.typical, (kind, place) =>
          Draw.isCrossing(RpcFault.typical.indexOf(kind), place, 2)
        )
      )
      assert.deepStrictEqual(breaches, [])
      assert.isAbove(calls, 10)
      assert.isAbove(noticed + refused, cases / 2)
    } finally {
      await engine.dispose()
      await chain.stop()
    }
  }, 600_000)
})

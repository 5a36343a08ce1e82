import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime } from "effect"
import { toFunctionSelector } from "viem"
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

/** Whether the call of a fault is one to the token, of a function of TIP-20's interface. */
const isOfInterface = (token: string) => (line: string) =>
  line.includes(`"to":"${token}"`) && selectors.some((selector) => line.includes(`"data":"${selector}`))

const selectors = Abis.tip20.flatMap((item) => (item.type === "function" ? [toFunctionSelector(item)] : []))

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
      const { breaches, calls, noticed, refused, unnoticed } = await engine.runPromise(
        FaultSweep.of(analysis, RpcFault.typical, (kind, place) =>
          Draw.isCrossing(RpcFault.typical.indexOf(kind), place, 2)
        )
      )
      assert.deepStrictEqual(breaches, [])
      assert.isAbove(calls, 10)
      assert.isAbove(noticed + refused, calls)
      // Half of the calls are made to every address before it is known to be native, and are needless here.
      assert.deepStrictEqual(unnoticed.filter(isOfInterface(token)), [])
    } finally {
      await engine.dispose()
      await chain.stop()
    }
  }, 600_000)
})

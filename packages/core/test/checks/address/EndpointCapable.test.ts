import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import type { Capabilities } from "../../../src/chain/rpc/Capabilities.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import { endpointCapable } from "../../../src/checks/address/EndpointCapable.js"
import * as Check from "../../../src/checks/Check.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import { evidence, said, target } from "../Scripted.js"

const everything = {
  block_by_hash: true,
  code_override: true,
  block_override: true,
  simulate_v1: true,
  archive: true
}

describe("endpoint.capable", () => {
  it.effect("is confirmed where every probe gave what was expected, whatever the target is", () =>
    Effect.gen(function* () {
      for (const kind of ["token", "wallet", "contract"] as const) {
        const [item] = yield* said(endpointCapable, kind, {})
        assert.deepInclude(item, { says: "confirmed", value: everything })
      }
    })
  )

  it.effect.each<readonly [keyof typeof everything, keyof Capabilities]>([
    ["block_by_hash", "blockByHash"],
    ["code_override", "codeOverride"],
    ["block_override", "blockOverride"],
    ["simulate_v1", "simulateV1"],
    ["archive", "archive"]
  ])("is refuted without %s, and names it", ([name, capability]) =>
    Effect.gen(function* () {
      const [item] = yield* evidence(endpointCapable, "token", { capabilities: { [capability]: false } })
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { ...everything, [name]: false })
      assert.strictEqual(item?.detail, `1 of 5 probes failed: ${name}`)
    })
  )

  it.effect("is the same of an endpoint that takes no batches, which loses nothing", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(endpointCapable, "token", { capabilities: { batch: false } })
      assert.deepInclude(item, { state: "confirmed", value: everything })
    })
  )

  it.effect("is unknown where the probes were not answered", () =>
    Effect.gen(function* () {
      const error = new ChainError({
        reason: "source_unavailable",
        method: "eth_getBlockByNumber",
        retryable: true,
        detail: "no endpoint"
      })
      const items = yield* Check.evaluate(endpointCapable, {
        kind: "wallet",
        address: target,
        chain: { id: 1, name: "scripted" }
      }).pipe(Effect.provideService(ChainState, { ...ScriptedChain.make({}), capabilities: Effect.fail(error) }))
      assert.deepStrictEqual(
        items.map(({ reason, state, value }) => [state, reason, value]),
        [["unknown", "source_unavailable", null]]
      )
    })
  )

  it("is volatile, so that another endpoint gives the same content hash", () => {
    assert.isTrue(endpointCapable.volatile)
  })
})

import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Check from "../Check.js"

/** Whether the chain's endpoints support every feature that the deepest analysis uses. */
export const endpointCapable = Check.make({
  id: "endpoint.capable",
  code: "A-03",
  version: 2,
  targets: ["token", "wallet", "contract"],
  claim: "The endpoint supports every feature that the analysis uses",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  // It is about the endpoint and not the target, so it must not make two analyses of one state differ.
  volatile: true,
  // Whether it takes batches is not among them: without, the same reads take more requests, and lose nothing.
  value: Schema.Struct({
    block_by_hash: Schema.Boolean,
    code_override: Schema.Boolean,
    block_override: Schema.Boolean,
    simulate_v1: Schema.Boolean,
    archive: Schema.Boolean
  }),
  run: () =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const capabilities = yield* state.capabilities
      const value = {
        block_by_hash: capabilities.blockByHash,
        code_override: capabilities.codeOverride,
        block_override: capabilities.blockOverride,
        simulate_v1: capabilities.simulateV1,
        archive: capabilities.archive
      }
      const missing = Object.entries(value).flatMap(([name, present]) => (present ? [] : [name]))
      return [
        missing.length === 0
          ? Check.confirmed({
              value,
              detail: `${Object.keys(value).length} of ${Object.keys(value).length} probes gave the expected result`
            })
          : Check.refuted({
              value,
              detail: `${missing.length} of ${Object.keys(value).length} probes failed: ${missing.join(", ")}`
            })
      ]
    })
})

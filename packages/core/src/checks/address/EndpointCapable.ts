import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as Check from "../Check.js"

/**
 * Whether the chain's endpoints can do everything that the deepest analysis asks for.
 *
 * @since 0.1.0
 * @category models
 */
export const endpointCapable = Check.make({
  id: "endpoint.capable",
  code: "A-03",
  version: 1,
  targets: ["token", "wallet", "contract"],
  claim: "The endpoint can do everything that this analysis asks of it",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  // It tells about the endpoint and not about the target, so it must not make two analyses of one state differ.
  volatile: true,
  value: Schema.Struct({
    batch: Schema.Boolean,
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
        batch: capabilities.batch,
        block_by_hash: capabilities.blockByHash,
        code_override: capabilities.codeOverride,
        block_override: capabilities.blockOverride,
        simulate_v1: capabilities.simulateV1,
        archive: capabilities.archive
      }
      const missing = Object.entries(value).flatMap(([name, present]) => (present ? [] : [name]))
      return [
        missing.length === 0
          ? Check.confirmed({ value, detail: "every probe gave the expected result" })
          : Check.refuted({ value, detail: `probes without the expected result: ${missing.join(", ")}` })
      ]
    })
})

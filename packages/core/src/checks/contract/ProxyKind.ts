import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as ProxyStructure from "../../domain/facts/ProxyStructure.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the contract delegates calls to an implementation, and to which.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1967
 */
export const proxyKind = Check.make({
  id: "proxy.kind",
  code: "P-01",
  version: 1,
  targets: ["token", "contract"],
  claim: "The contract is a proxy",
  polarity: "neutral",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({
    kind: ProxyStructure.ProxyKind,
    implementations: Schema.Array(Address),
    beacon: Schema.NullOr(Address),
    conflicts: Schema.Array(Schema.String)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const proxy = yield* Proxy
      const { observation, value } = yield* proxy.of(target.address)
      const { beacon, conflicts, implementations, kind } = value
      const options = { value: { kind, implementations, beacon, conflicts }, observation: observation() }
      switch (kind) {
        case "unrecognised":
          return [
            Phrases.unknown("inconclusive", "the contract delegates calls, but matches no known proxy pattern", {
              observation: observation()
            })
          ]
        case "none":
          return [Check.refuted({ ...options, detail: "no call is delegated to other code" })]
        default:
          return [
            Check.confirmed({
              ...options,
              detail:
                implementations.length === 0
                  ? `${kind} without an implementation`
                  : `${kind} with implementation ${Phrases.few(implementations)}`
            })
          ]
      }
    })
})

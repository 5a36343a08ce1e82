import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import { Address } from "../../domain/Address.js"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Code, isDead } from "../../facts/code/Code.js"
import * as Implementation from "../../facts/native/Implementation.js"
import * as Check from "../Check.js"

/**
 * The kind of account at the address, and whether it is one that nobody has the key of (`keyless`): a precompile or a
 * known burn address, where what is sent is lost.
 */
export const addressKind = Check.make({
  id: "address.kind",
  code: "A-01",
  version: 2,
  targets: ["token", "wallet", "contract"],
  claim: "The kind of account at this address is known",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: Schema.Struct({ kind: AccountKind, delegate: Schema.NullOr(Address), keyless: Schema.Boolean }),
  run: (target) =>
    Effect.gen(function* () {
      const code = yield* Code
      const { observation, value } = yield* code.of(target.address)
      const by = yield* Implementation.of(yield* ChainState, target.address)
      const size = by === "chain" ? "implemented by the chain itself" : `${value.code_size} bytes of code`
      const keyless = value.kind !== "contract" && isDead(target.address)
      return [
        Check.confirmed({
          value: { kind: value.kind, delegate: value.delegate, keyless },
          detail: `${value.kind}, ${size}${keyless ? "; nobody has its key" : ""}`,
          observation: observation()
        })
      ]
    })
})

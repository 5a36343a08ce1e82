import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Code } from "../../facts/code/Code.js"
import * as Check from "../Check.js"

/**
 * The kind of account at the address.
 *
 * @since 0.1.0
 * @category models
 */
export const addressKind = Check.make({
  id: "address.kind",
  code: "A-01",
  version: 1,
  targets: ["token", "wallet", "contract"],
  claim: "The kind of account at this address is known",
  polarity: "neutral",
  severity: "info",
  dimension: "identity",
  value: Schema.Struct({ kind: AccountKind, delegate: Schema.NullOr(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const code = yield* Code
      const { observation, value } = yield* code.of(target.address)
      return [
        Check.confirmed({
          value: { kind: value.kind, delegate: value.delegate },
          detail: `${value.kind}, ${value.code_size} bytes of code`,
          observation: observation()
        })
      ]
    })
})

import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import { Address } from "../../domain/Address.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether a proxy delegates calls to an address without code. Such a call succeeds and does nothing, so a transfer
 * seems to work; and an account that can deploy code there decides what the contract does.
 *
 * @since 0.1.0
 * @category models
 */
export const implementationMissing = Check.make({
  id: "proxy.implementation-missing",
  code: "P-10",
  version: 1,
  targets: ["token", "contract"],
  claim: "The proxy delegates to an address without code",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  value: Schema.Struct({ implementations: Schema.Array(Address), missing: Schema.Array(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const { observation, value } = yield* (yield* Proxy).of(target.address)
      const { implementations, kind } = value
      // An unrecognised delegation is unknown in proxy.kind.
      if (kind === "none" || kind === "unrecognised") return Check.notApplicable
      const codes = yield* Together.forEach(implementations, (address) =>
        Effect.map(state.code(address), (code) => ({ address, code }))
      )
      const missing = codes.flatMap(({ address, code }) => (Bytecode.isEmpty(code.value) ? [address] : []))
      const first = codes.find(({ code }) => Bytecode.isEmpty(code.value)) ?? codes[0]
      if (first === undefined)
        return kind === "delegatecall_slot"
          ? [
              Check.confirmed({
                value: { implementations: [], missing: [] },
                detail: "the implementation variable is not set",
                observation: observation()
              })
            ]
          : [
              Phrases.unknown("inconclusive", "the implementation address was not found", {
                observation: observation()
              })
            ]
      const seen = { value: { implementations, missing }, observation: first.code.observation(), at: first.address }
      return missing.length > 0
        ? [
            Check.confirmed({
              ...seen,
              detail: `no code at ${Phrases.few(missing)}; ${missing.length} of ${Phrases.count(implementations.length, "implementation")}`
            })
          ]
        : [Check.refuted({ ...seen, detail: `code at ${Phrases.few(implementations)}` })]
    })
})

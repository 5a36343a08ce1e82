import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether a proxy delegates calls to an address without code. Such a call succeeds and does nothing, so a transfer
 * seems to work; and an account that can deploy code there decides what the contract does.
 */
export const implementationMissing = Check.make({
  id: "proxy.implementation-missing",
  code: "P-10",
  version: 2,
  targets: ["token", "contract"],
  claim: "The proxy delegates to an address without code",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  value: Schema.Struct({ implementations: Schema.Array(Address.Address), missing: Schema.Array(Address.Address) }),
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
      // A call that runs no code returns no data: what returns some is a contract of the chain itself, which has no code.
      if (missing.length === codes.length && (yield* returnsData(state, target.address)))
        return [
          Phrases.unknown("inconclusive", `no code at ${Phrases.few(missing)}, but calls of it return data`, {
            observation: first.code.observation()
          })
        ]
      return missing.length > 0
        ? [
            Check.confirmed({
              ...seen,
              detail: `no code at ${Phrases.few(missing)}; ${missing.length} of ${Count.of(implementations.length, "implementation")}`
            })
          ]
        : [Check.refuted({ ...seen, detail: `code at ${Phrases.few(implementations)}` })]
    })
})

const returnsData = (state: ChainState["Type"], proxy: Address.Address) =>
  Effect.map(
    Together.forEach(getters, (selector) => state.call({ to: proxy, data: selector })),
    (answers) => answers.some(({ value }) => value._tag === "Returned" && value.data !== "0x")
  )

const { functions } = Selectors

const getters = [functions.name, functions.symbol, functions.decimals, functions.totalSupply, functions.owner]

import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Bytecode from "../../evm/Bytecode.js"
import { Functions } from "../../facts/Functions.js"
import * as Check from "../Check.js"

/**
 * Whether the contract's code can reach SELFDESTRUCT. Since EIP-6780 it moves the balance and leaves the code where it
 * is not used in the transaction that created the contract, which makes it medium.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6780
 * @since 0.1.0
 * @category models
 */
export const selfdestructReachable = Check.make({
  id: "contract.selfdestruct-reachable",
  code: "C-04",
  version: 1,
  targets: ["token", "contract"],
  claim: "The code can reach SELFDESTRUCT",
  polarity: "risk",
  severity: "medium",
  dimension: "code",
  value: Schema.Struct({ code: Schema.Array(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Functions).of(target.address)
      const seen = { observation: observation(), verified: false }
      const having = (presence: Bytecode.Presence) =>
        value.logics
          .filter(({ reach }) => Bytecode.presence(reach, "SELFDESTRUCT") === presence)
          .map(({ address }) => address)
      const present = having("present")
      if (present.length > 0)
        return [Check.confirmed({ ...seen, value: { code: present }, detail: `in ${present.join(", ")}` })]
      if (!value.resolved)
        return [
          Check.unknown("inconclusive", "not all code that answers for it was found", { observation: seen.observation })
        ]
      if (having("possible").length > 0)
        return [
          Check.unknown("inconclusive", "the opcode is there, and no path to it was found", {
            observation: seen.observation
          })
        ]
      // Foreign code that runs on this account can destroy it as well.
      if (value.logics.some(({ flow }) => flow.delegations.length > 0))
        return [
          Check.unknown("inconclusive", "it runs code of other contracts by DELEGATECALL", {
            observation: seen.observation
          })
        ]
      return [Check.refuted({ ...seen, value: { code: [] }, detail: "the opcode is in no block of the code" })]
    })
})

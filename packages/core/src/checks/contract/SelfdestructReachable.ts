import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/ChainState.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import { Functions } from "../../facts/code/Functions.js"
import * as Getter from "../../facts/Getter.js"
import * as Check from "../Check.js"

/**
 * Whether the contract's code can reach SELFDESTRUCT. Since EIP-6780 (Cancun) it moves the balance and leaves the code
 * where it is not used in the transaction that created the contract, which makes it medium; before, the contract is gone,
 * which makes it high. That the chain runs Cancun is shown by an instruction that came with it.
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
  severity: "high",
  dimension: "code",
  value: Schema.Struct({ code: Schema.Array(Address.Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const { observation, value } = yield* (yield* Functions).of(target.address)
      const seen = { observation: observation(), verified: false }
      const foreign = value.logics.flatMap(({ flow }) => DelegatecallTarget.of(flow))
      // Code of others that runs on this account can end it as well; a library's can be read.
      const libraries = yield* Together.forEach(
        [
          ...new Set(
            foreign.flatMap(({ target: origin }) =>
              origin.kind === "constant" ? [Address.fromWord(Getter.word(origin.value))] : []
            )
          )
        ],
        (address) =>
          Effect.map(state.code(address), (code) => ({
            address,
            isThere: Bytecode.isContract(code.value),
            reach: Bytecode.reach(Bytecode.parse(code.value))
          }))
      )
      const running = [...value.logics, ...libraries]
      const having = (presence: Bytecode.Presence) =>
        running
          .filter(({ reach }) => Bytecode.presence(reach, "SELFDESTRUCT") === presence)
          .map(({ address }) => address)
      const present = [...new Set(having("present"))]
      if (present.length > 0) {
        const spares = yield* runsCancun(state)
        return [
          Check.confirmed({
            ...seen,
            value: { code: present },
            severity: spares ? "medium" : "high",
            detail: `in ${present.join(", ")}; on this chain it ${spares ? "moves the balance and leaves the code" : "ends the contract"}`
          })
        ]
      }
      if (!value.resolved) return [Check.unknown("inconclusive", "not all code that answers for it was found", seen)]
      if (having("possible").length > 0)
        return [Check.unknown("inconclusive", "the opcode is there, and no path to it was found", seen)]
      const isOpen =
        foreign.some(({ target: origin }) => origin.kind !== "constant") ||
        value.logics.some(
          ({ flow, reach }) => flow.completeness.gaps.includes("control_flow") && Bytecode.runsOtherCode(reach)
        ) ||
        // Where there is no code yet, there may be some later.
        libraries.some(({ isThere, reach }) => !isThere || Bytecode.runsOtherCode(reach))
      return isOpen
        ? [Check.unknown("inconclusive", "it runs code of other contracts by DELEGATECALL", seen)]
        : [Check.refuted({ ...seen, value: { code: [] }, detail: "the opcode is in no block of the code" })]
    })
})

/**
 * Runs TLOAD (https://eips.ethereum.org/EIPS/eip-1153), which chains take up together with EIP-6780, as a constructor: it
 * answers with a word of zeros where it is known.
 */
const runsCancun = (state: ChainState["Type"]) =>
  Effect.map(
    state.call({ data: "0x60005c60005260206000f3" }),
    ({ value }) => value._tag === "Returned" && value.data === Getter.word(0n)
  )

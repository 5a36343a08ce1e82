import { Effect, Schema } from "effect"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import { CodeReadings } from "../../facts/code/CodeReadings.js"
import { Functions } from "../../facts/code/Functions.js"
import { Control } from "../../facts/control/Control.js"
import * as GuardHolders from "../../facts/control/GuardHolders.js"
import * as Getter from "../../facts/Getter.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the contract's code can reach SELFDESTRUCT. Since EIP-6780 (Cancun) the instruction sends the balance and
 * keeps the code, unless it runs in the transaction that created the contract: medium. Before Cancun it deletes the
 * contract: high. What is unknown weighs no more than what is confirmed. The check detects Cancun by an instruction of the
 * same upgrade (TLOAD).
 *
 * @see https://eips.ethereum.org/EIPS/eip-6780
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
      const control = yield* Control
      const flows = yield* CodeReadings
      const { observation, value } = yield* (yield* Functions).of(target.address)
      const seen = { observation: observation(), verified: false }
      const sources = { state, control, flows, address: target.address, logics: value.logics }
      const delegating = yield* Together.forEach(value.logics, (logic) =>
        logic.flow.delegations.length === 0
          ? Effect.succeed([])
          : Effect.map(GuardHolders.delegatesForNobody(sources, logic), (isOver) =>
              isOver ? [] : DelegatecallTarget.of(logic.flow)
            )
      )
      const foreign = delegating.flat()
      // A delegatecall target can self-destruct this account too; the code of a linked library can be read.
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
      const isClosed = present.length === 0 && value.resolved && having("possible").length === 0
      const isOpen =
        foreign.some(({ target: origin }) => origin.kind !== "constant") ||
        value.logics.some(
          ({ flow, reach }) => flow.completeness.gaps.includes("control_flow") && Bytecode.runsOtherCode(reach)
        ) ||
        // Code can be deployed later where there is none now.
        libraries.some(({ isThere, reach }) => !isThere || Bytecode.runsOtherCode(reach))
      if (isClosed && !isOpen)
        return [
          Check.refuted({ ...seen, value: { code: [] }, detail: "no reachable block of the code has the opcode" })
        ]
      const spares = yield* runsCancun(state)
      const severity = spares ? "medium" : "high"
      if (present.length > 0) {
        return [
          Check.confirmed({
            ...seen,
            value: { code: present },
            severity,
            detail: `in the code at ${Phrases.few(present)}; on this chain it ${spares ? "sends the balance and keeps the code" : "deletes the contract"}`
          })
        ]
      }
      const open = { ...seen, severity } as const
      if (!value.resolved)
        return [Phrases.unknown("inconclusive", "not all of the implementation code was found", open)]
      return having("possible").length > 0
        ? [Phrases.unknown("inconclusive", "the opcode is in the code and no path to it was found", open)]
        : [Phrases.unknown("inconclusive", "the code that it runs by DELEGATECALL may reach SELFDESTRUCT", open)]
    })
})

/**
 * Runs TLOAD (https://eips.ethereum.org/EIPS/eip-1153), which chains enable together with EIP-6780, as a constructor:
 * it returns a word of zeros where the chain has it.
 */
const runsCancun = (state: ChainState["Type"]) =>
  Effect.map(
    state.call({ data: "0x60005c60005260206000f3" }),
    ({ value }) => value._tag === "Returned" && value.data === Getter.word(0n)
  )

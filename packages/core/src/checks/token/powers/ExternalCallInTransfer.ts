import { Effect, Option, Schema } from "effect"
import { ChainState } from "../../../chain/state/ChainState.js"
import * as Address from "../../../domain/Address.js"
import type { Hex } from "../../../domain/Hex.js"
import * as Bytecode from "../../../evm/bytecode/Bytecode.js"
import type { Mnemonic } from "../../../evm/bytecode/Opcodes.js"
import * as Selectors from "../../../evm/bytecode/Selectors.js"
import type { ValueSource } from "../../../evm/expression/ValueSource.js"
import type { FunctionFlow, StorageFlow } from "../../../evm/summary/StorageFlow.js"
import { Functions, type LogicContract } from "../../../facts/code/Functions.js"
import * as PresentFlow from "../../../facts/code/PresentFlow.js"
import * as Getter from "../../../facts/Getter.js"
import { Token } from "../../../facts/market/Token.js"
import * as Power from "../../../facts/powers/Power.js"
import { Powers } from "../../../facts/powers/Powers.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as ShortList from "../../ShortList.js"
import * as Fungible from "../Fungible.js"

/**
 * Whether a transfer calls another contract, which may revert, take a part of the amount, or be upgraded. Precompiles
 * do not count. Where an account can replace that contract, the severity is that of what a new one could do: critical
 * if it can take more than is sent, high if it can stop transfers, otherwise medium.
 */
export const externalCallInTransfer = Check.make({
  id: "token.external-call-in-transfer",
  code: "C-08",
  version: 3,
  targets: ["token"],
  claim: "Transfers call another contract",
  polarity: "risk",
  severity: "critical",
  dimension: "code",
  value: Schema.Struct({
    calls: Schema.Array(
      Schema.Struct({
        function: Schema.Literal("transfer", "transferFrom"),
        from: Schema.Literal("constant", "storage", "caller", "argument", "other"),
        address: Schema.NullOr(Address.Address)
      })
    )
  }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const [isFungible, { value: profile }, { observation, value: code }] = yield* Together.all([
        Fungible.is(target.address),
        (yield* Token).of(target.address),
        (yield* Functions).of(target.address)
      ])
      if (!isFungible) return Check.notApplicable
      const seen = { observation: observation(), verified: false }
      const found = code.logics.flatMap(({ flow }) =>
        transfers.flatMap(([name, selector]) =>
          flow.functions
            .filter((candidate) => candidate.selector === selector)
            .flatMap(({ calls }) => calls.flatMap(foreignTargets))
            .map((origin) => ({ function: name, origin }))
        )
      )
      if (found.length > 0) {
        const [calls, { value: powers }] = yield* Together.all([
          Together.forEach(found, ({ function: name, origin }) =>
            Effect.map(addressOf(state, target.address, origin), (address) => ({
              function: name,
              from: sourceOf(origin),
              address
            }))
          ),
          (yield* Powers).of(target.address)
        ])
        const slots = new Set(found.flatMap(({ origin }) => (origin.kind === "storage" ? [origin.slot] : [])))
        const distinct = [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()].sort((a, b) =>
          JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
        )
        return [
          Check.confirmed({
            ...seen,
            value: { calls: distinct },
            severity: canReplace(powers.seize, slots)
              ? "critical"
              : canReplace(powers.pause, slots)
                ? "high"
                : "medium",
            detail: ShortList.format(
              distinct.map((call) => `${call.function} calls ${call.address ?? words[call.from]}`)
            )
          })
        ]
      }
      const answers = code.logics.some(({ flow }) => transfers.some(([, selector]) => functionOf(flow, selector)))
      if (profile.standard === "none" && code.resolved && !answers) return Check.notApplicable
      const isSettled =
        code.resolved && transfers.every(([, selector]) => code.logics.some((logic) => follows(logic, selector)))
      return isSettled
        ? [
            Check.refuted({
              ...seen,
              value: { calls: [] },
              detail: "no code path of transfer or transferFrom calls another contract"
            })
          ]
        : [Check.unknown("inconclusive", "not all code paths of transfer and transferFrom could be analysed", seen)]
    })
})

const transfers = [
  ["transfer", Selectors.functions.transfer],
  ["transferFrom", Selectors.functions.transferFrom]
] as const satisfies ReadonlyArray<readonly [name: string, selector: Hex]>

/** Whether an account can use a power by setting another contract in one of these variables. */
const canReplace = ({ levers }: Power.HeldPower, slots: ReadonlySet<string>): boolean =>
  levers.some(
    (lever) => lever.certain && lever.variable !== undefined && slots.has(lever.variable.slot) && !Power.isOver(lever)
  )

const foreignTargets = ({ target }: { readonly target: ReadonlyArray<ValueSource> }): ReadonlyArray<ValueSource> =>
  (target.length === 0 ? [{ kind: "unknown" } as const] : target).filter(
    (origin) => origin.kind !== "self" && !(origin.kind === "constant" && BigInt(origin.value) < firstAccount)
  )

const functionOf = ({ functions }: StorageFlow, selector: Hex): FunctionFlow | undefined =>
  functions.find((candidate) => candidate.selector === selector)

/** Whether the code has the function and the analysis covers all that it can do. */
const follows = ({ flow, reach }: LogicContract, selector: Hex): boolean => {
  const answering = functionOf(flow, selector)
  if (answering === undefined) return false
  return (
    answering.complete ||
    !flow.completeness.gaps.includes("control_flow") ||
    calling.every((mnemonic) => Bytecode.presence(reach, mnemonic) === "absent")
  )
}

const calling: ReadonlyArray<Mnemonic> = ["CALL", "STATICCALL", "DELEGATECALL", "CALLCODE"]

const addressOf = (state: ChainState["Type"], token: Address.Address, origin: ValueSource) => {
  if (origin.kind === "constant") return Effect.succeed(Address.fromWord(Getter.word(origin.value)))
  if (origin.kind !== "storage" || !PresentFlow.isVariable(origin.slot)) return Effect.succeed(null)
  // A storage word with more than an address does not show which part is called.
  return Effect.map(state.storage(token, Getter.word(origin.slot as Hex)), ({ value }) =>
    Option.getOrNull(Getter.storedAddress(value))
  )
}

const sourceOf = ({ kind }: ValueSource): "constant" | "storage" | "caller" | "argument" | "other" =>
  kind === "constant" || kind === "storage" || kind === "caller" || kind === "argument" ? kind : "other"

const words = {
  constant: "a hard-coded contract",
  storage: "a contract from a storage variable",
  caller: "the caller",
  argument: "an address from its arguments",
  other: "a contract that the code does not name"
} as const

// Precompiles and chain contracts have lower addresses (https://eips.ethereum.org/EIPS/eip-7951 is the last, 0x100).
const firstAccount = 0x200n

import { Effect, Schema } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as Hex from "ox/Hex"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { Hex as Bytes } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import { Functions } from "../../facts/code/Functions.js"
import { Proxy } from "../../facts/code/Proxy.js"
import * as Getter from "../../facts/Getter.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

const stranger = Address.checksum("0x5afe00000000000000000000000000000a55a700")

// Signatures of common initialisers. Each is called with the test account for every address and 1 for every number,
// because many reject the zero address.
const initialisers: ReadonlyArray<{ readonly selector: Bytes; readonly data: Bytes }> = [
  "initialize()",
  "initialize(address)",
  "initialize(address,address)",
  "initialize(address,address,address)",
  "initialize(address,uint256)",
  "initialize(address,address,uint256)",
  "initialize(address,bytes)",
  "initialize(string,string)",
  "initialize(string,string,address)",
  "initialize(string,string,uint8)",
  "initialize(string,string,uint256)",
  "initialize(string,string,uint256,address)",
  "initialize(string,string,uint8,uint256)",
  "initialize(address,string,string)",
  "initialize(address,string,string,uint256)",
  "initialize(string,string,string,uint8,address,address,address,address)"
].map((signature) => {
  const types = signature
    .slice(signature.indexOf("(") + 1, -1)
    .split(",")
    .filter((type) => type !== "")
  const values = types.map((type) =>
    type === "address" ? stranger : type === "string" ? "a" : type === "bytes" ? "0x" : 1n
  )
  const selector = Selectors.selector(signature)
  return {
    selector,
    data: Hex.concat(
      selector,
      AbiParameters.encode(
        types.map((type) => ({ type })),
        values
      )
    )
  }
})

/**
 * Whether any account can initialise the implementation behind a proxy and so own it. It is critical where that code
 * has a DELEGATECALL or SELFDESTRUCT: the new owner can destroy the implementation of every proxy that uses it.
 *
 * The check calls each known initialiser of the code from an account without any role. It also reads the version that
 * OpenZeppelin's `Initializable` stores: a version above 0 means that the code was initialised or locked.
 *
 * @see https://docs.openzeppelin.com/upgrades-plugins/writing-upgradeable#initializing_the_implementation_contract
 */
export const implementationUninitialised = Check.make({
  id: "proxy.implementation-uninitialised",
  code: "P-05",
  version: 1,
  targets: ["token", "contract"],
  claim: "Any account can initialise the implementation",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  value: Schema.Struct({ implementation: Address.Address, initialiser: Schema.NullOr(Schema.String) }),
  run: (target) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const { value: structure } = yield* (yield* Proxy).of(target.address)
      if (structure.kind === "none" || structure.kind === "safe" || structure.kind === "eip2535_diamond")
        return Check.notApplicable
      const implementation = structure.implementations[0]
      if (implementation === undefined) return [Phrases.unknown("inconclusive", "the implementation was not found")]
      const functions = yield* Functions
      const attempt = ({ data, selector }: (typeof initialisers)[number]) =>
        Effect.map(state.call({ from: stranger, to: implementation, data }), (reading) => ({ selector, reading }))
      const answered = Effect.map(functions.of(target.address), ({ value }) => {
        const logic = value.logics.find(({ address }) => address === implementation)
        const selectors = new Set(logic?.flow.functions.map(({ selector }) => selector))
        return { logic, known: initialisers.filter(({ selector }) => selectors.has(selector)) }
      })
      const { attempts, logic, version } = yield* Together.all({
        logic: Effect.map(answered, ({ logic }) => logic),
        attempts: Effect.flatMap(answered, ({ known }) => Together.forEach(known, attempt)),
        version: state.storage(implementation, Slots.initializable),
        // A beacon's implementation is known late: waiting for it would add a level of reads.
        ahead: Effect.asVoid(Together.forEach(structure.beacon === null ? [] : initialisers, attempt))
      })
      if (logic === undefined) return [Phrases.unknown("inconclusive", "the implementation was not found")]
      const open = attempts.find(({ reading }) => reading.value._tag === "Returned")
      const seen = { at: implementation }
      if (open !== undefined) {
        return [
          Check.confirmed({
            ...seen,
            value: { implementation, initialiser: open.selector },
            severity: isGrave(logic.reach) ? "critical" : "medium",
            observation: open.reading.observation(),
            detail: `a simulated call of ${open.selector} on ${implementation} from an account without any role succeeds`
          })
        ]
      }
      const refusal = attempts.find(({ reading }) => saysInitialised(reading.value.data))
      const settled = { ...seen, value: { implementation, initialiser: null } }
      if ((BigInt(version.value) & 0xffff_ffff_ffff_ffffn) > 0n)
        return [
          Check.refuted({
            ...settled,
            observation: version.observation(),
            detail: `the Initializable version of ${implementation} is above 0: initialised or locked`
          })
        ]
      if (refusal !== undefined)
        return [
          Check.refuted({
            ...settled,
            observation: refusal.reading.observation(),
            detail: `${implementation} reverts ${refusal.selector} as already initialised`
          })
        ]
      // Nothing that an owner of such code does reaches the proxy.
      if (attempts.length === 0 && !isGrave(logic.reach)) return Check.notApplicable
      if (attempts.length > 0)
        return [Phrases.unknown("inconclusive", `${implementation} reverts the initialiser without a known reason`)]
      return [Phrases.unknown("inconclusive", `${implementation} has no known initialiser`)]
    })
})

/** Whether an owner of this code could make it delegate or self-destruct. */
const isGrave = (reach: Bytecode.Reach): boolean =>
  (["DELEGATECALL", "SELFDESTRUCT"] as const).some((mnemonic) => Bytecode.presence(reach, mnemonic) !== "absent")

// The error of OpenZeppelin 5, and the revert strings of older code ("Initializable: contract is already initialized").
const invalidInitialization = Selectors.selector("InvalidInitialization()")

const saysInitialised = (revert: Hex.Hex): boolean =>
  revert.startsWith(invalidInitialization) || /initiali[sz]ed/i.test(Getter.revertReason(revert))

/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ListedCredits from "../../evm/token/ListedCredits.js"
import type { TransferProof } from "../../evm/token/TransferProof.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions, type LogicContract } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"

/**
 * Whether the code of a token proves that its transfers depend on nothing but balances, allowances and arguments
 * ({@link TransferProof}), observed by `eth_getCode` at the pinned block. A second, independent way beside simulated trades.
 *
 * Only code that nobody can replace proves anything: the token's own, or that behind a minimal clone (EIP-1167). Of
 * tokens with votes it also proves that nobody but an account itself, by a call or a signature, names its delegate. Of
 * tokens with a list of holders it also proves that every other function that adds to a balance checks the list.
 */
export class FreeTransfer extends Context.Tag("@assay/core/FreeTransfer")<
  FreeTransfer,
  {
    readonly of: (token: Address) => Effect.Effect<Reading.Reading<TransferProof>, ChainError>
    /** Whether some of the accounts have an entry in a mapping of the token, by its storage at the pinned block. */
    readonly isDelegated: (
      token: Address,
      mapping: string,
      accounts: ReadonlyArray<Address>
    ) => Effect.Effect<boolean, ChainError>
  }
>() {}

/** Reads code that was read for the functions of the token already, so `of` adds no call. */
export const layer: Layer.Layer<FreeTransfer, never, ChainState | CodeReadings | Functions | Proxy> = Layer.scoped(
  FreeTransfer,
  Effect.gen(function* () {
    const state = yield* ChainState
    const readings = yield* CodeReadings
    const functions = yield* Functions
    const proxy = yield* Proxy
    const of = yield* OncePerKey.make(
      (token: Address) => token,
      Effect.fn("FreeTransfer.of")(function* (token: Address) {
        const [code, { value: structure }] = yield* Together.all([functions.of(token), proxy.of(token)])
        const { fixed, logics, resolved } = code.value
        const [logic, ...others] = logics
        const isFixed = fixed && resolved && others.length === 0 && fixedKinds.has(structure.kind)
        if (logic === undefined || !isFixed) return Reading.map(code, (): TransferProof => replaceable)
        const proof = yield* readings.transfers(logic.code)
        const holds =
          proof.state === "free_listed"
            ? yield* areListed(readings, proof, logic)
            : proof.state !== "free_undelegated" || !isListing(proof, logic)
        return Reading.map(code, () => (holds || !("mapping" in proof) ? proof : listed(proof.mapping)))
      })
    )
    const isDelegated = Effect.fn("FreeTransfer.isDelegated")(function* (
      token: Address,
      mapping: string,
      accounts: ReadonlyArray<Address>
    ) {
      const slots = Option.all(accounts.map((account) => StoredVariable.slotOf(mapping, [Getter.word(account)])))
      if (Option.isNone(slots)) return true
      const words = yield* Together.forEach(slots.value, (slot) => state.storage(token, slot))
      return words.some(({ value }) => BigInt(value) !== 0n)
    })
    return { of, isDelegated }
  })
)

type Undelegated = Extract<TransferProof, { readonly state: "free_undelegated" }>

type Listed = Extract<TransferProof, { readonly state: "free_listed" }>

/** Whether others than an account itself may write its entry: then the mapping is a list of theirs. */
const isListing = ({ mapping }: Undelegated, { flow }: LogicContract): boolean =>
  !(
    flow.completeness.complete &&
    flow.functions.every(({ writes }) => writes.every(({ own, slot }) => slot !== mapping || own))
  )

/** Whether nobody comes to a balance by another function without being on the list. */
const areListed = (
  readings: CodeReadings["Type"],
  proof: Listed,
  { code, flow }: LogicContract
): Effect.Effect<boolean> => {
  const givers = flow.functions.filter(
    ({ selector, writes }) => !moves.has(selector) && writes.some(({ slot }) => slot === proof.balances)
  )
  return flow.completeness.complete
    ? readings.read(code, (model) =>
        ListedCredits.areAll(
          model,
          proof,
          givers.map(({ selector }) => selector)
        )
      )
    : Effect.succeed(false)
}

/** What the proof is about. */
const moves: ReadonlySet<string> = new Set([Selectors.functions.transfer, Selectors.functions.transferFrom])

const listed = (mapping: string): TransferProof => ({ state: "gated", gates: [{ kind: "list", slot: mapping }] })

const fixedKinds: ReadonlySet<string> = new Set(["none", "eip1167"])

const replaceable: TransferProof = { state: "inconclusive", reason: "replaceable" }

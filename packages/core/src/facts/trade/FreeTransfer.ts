import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import type { Address } from "../../domain/Address.js"
import type { TransferProof } from "../../evm/token/TransferProof.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions, type LogicContract } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as OncePerKey from "../OncePerKey.js"

/**
 * Whether the code of a token proves that its transfers depend on nothing but balances, allowances and arguments
 * ({@link TransferProof}), observed by `eth_getCode` at the pinned block. A second, independent way beside simulated trades.
 *
 * Only code that nobody can replace proves anything: the token's own, or that behind a minimal clone (EIP-1167). Of tokens with
 * votes it also proves that nobody but an account itself, by a call or a signature, names its delegate.
 *
 * @since 0.1.0
 * @category services
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

/**
 * Reads code that was read for the functions of the token already, so `of` adds no call.
 *
 * @since 0.1.0
 * @category layers
 */
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
        return Reading.map(code, () => (isListing(proof, logic) ? listed(proof.mapping) : proof))
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

/** Whether others than an account itself may write its entry: then the mapping is a list of theirs. */
const isListing = (proof: TransferProof, { flow }: LogicContract): proof is Undelegated =>
  proof.state === "free_undelegated" &&
  !(
    flow.completeness.complete &&
    flow.functions.every(({ writes }) => writes.every(({ own, slot }) => slot !== proof.mapping || own))
  )

const listed = (mapping: string): TransferProof => ({ state: "gated", gates: [{ kind: "list", slot: mapping }] })

const fixedKinds: ReadonlySet<string> = new Set(["none", "eip1167"])

const replaceable: TransferProof = { state: "inconclusive", reason: "replaceable" }

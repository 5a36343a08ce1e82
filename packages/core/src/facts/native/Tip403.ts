/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { ListPolicy, PolicyKind, TransferPolicy } from "../../domain/facts/NativeToken.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import { registry } from "./Implementation.js"

const { selector } = Selectors

const getters = {
  policyData: selector("policyData(uint64)"),
  compoundPolicyData: selector("compoundPolicyData(uint64)"),
  isAuthorizedSender: selector("isAuthorizedSender(uint64,address)"),
  isAuthorizedRecipient: selector("isAuthorizedRecipient(uint64,address)")
}

/** The functions by which the admin of a list edits it. */
export const functions = {
  modifyPolicyBlacklist: selector("modifyPolicyBlacklist(uint64,address,bool)"),
  modifyPolicyWhitelist: selector("modifyPolicyWhitelist(uint64,address,bool)")
}

/**
 * Reads a transfer policy from the registry, in one level, in three where it is compound.
 *
 * @see https://docs.tempo.xyz/protocol/tip403/spec
 */
export const read = (state: ChainState["Type"], id: bigint): Effect.Effect<TransferPolicy, ChainError> =>
  Effect.gen(function* () {
    const own = yield* one(state, id)
    if (own.kind !== "compound") return { ...own, sender: own, recipient: own, mint_recipient: own }
    const parts = yield* Getter.read(state, registry, getters.compoundPolicyData, Getter.words, [Getter.word(id)])
    const ids = Option.getOrElse(parts.value, (): ReadonlyArray<bigint> => []).slice(0, 3)
    const { value } = yield* BatchRead.all(
      state,
      ids.map((part) => BatchRead.get(registry, getters.policyData, [Getter.word(part)]))
    )
    const [sender = unread, recipient = unread, mintRecipient = unread] = ids.map((part, place) =>
      policyOf(part, value[place] ?? [])
    )
    return { ...own, sender, recipient, mint_recipient: mintRecipient }
  })

/** What a transfer policy lets one account do. */
export interface Admission {
  readonly sends: boolean
  readonly receives: boolean
}

/** Whether a policy lets an account send, and receive; none where the registry does not answer. */
export const admits = (
  state: ChainState["Type"],
  id: bigint,
  account: Address.Address
): Effect.Effect<Option.Option<Reading.Reading<Admission>>, ChainError> =>
  Effect.map(
    Together.all([
      Getter.read(state, registry, getters.isAuthorizedSender, Getter.bool, [Getter.word(id), Getter.word(account)]),
      Getter.read(state, registry, getters.isAuthorizedRecipient, Getter.bool, [Getter.word(id), Getter.word(account)])
    ]),
    ([sends, receives]) =>
      Option.map(Option.all([sends.value, receives.value]), ([sending, receiving]) =>
        Reading.map(sends, () => ({ sends: sending, receives: receiving }))
      )
  )

// https://github.com/tempoxyz/tempo/blob/main/crates/precompiles/src/tip403_registry/mod.rs
const builtIn: ReadonlyMap<bigint, PolicyKind> = new Map([
  [0n, "reject_all"],
  [1n, "allow_all"]
])

const kinds: ReadonlyArray<PolicyKind> = ["whitelist", "blacklist", "compound"]

const one = (state: ChainState["Type"], id: bigint): Effect.Effect<ListPolicy, ChainError> =>
  builtIn.has(id)
    ? Effect.succeed(policyOf(id, []))
    : Effect.map(Getter.read(state, registry, getters.policyData, Getter.words, [Getter.word(id)]), ({ value }) =>
        policyOf(
          id,
          Option.getOrElse(value, () => [])
        )
      )

/** A policy by what the registry says of it: its type and its admin. */
const policyOf = (id: bigint, [type, admin]: ReadonlyArray<bigint>): ListPolicy => ({
  id: id.toString(),
  kind: builtIn.get(id) ?? kinds[Number(type ?? 255n)] ?? "unknown",
  admin: builtIn.has(id) || admin === undefined || admin === 0n ? null : Address.fromWord(Getter.word(admin))
})

const unread: ListPolicy = { id: "0", kind: "unknown", admin: null }

/** @internal */

import { Effect, Either, Option } from "effect"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { NativeToken } from "../../domain/facts/NativeToken.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import { exchange } from "./Implementation.js"
import * as Policies from "./Tip403.js"

/** A role of a token, the role with members that grant it, and its members at the pinned block as far as they are known. */
export interface Role {
  readonly role: Hex
  readonly name: string
  readonly grantedBy: Hex
  readonly members: ReadonlyArray<Address.Address>
}

/** A TIP-20 token: what its getters answer, and its roles. `gap`: why roles may have other members; null where they have none. */
export interface Tip20 {
  readonly document: NativeToken
  readonly roles: ReadonlyArray<Role>
  readonly gap: UnknownReason | null
}

const { selector, topic } = Selectors

/** The functions that use a power, by the role that they require. */
export const functions = {
  mint: selector("mint(address,uint256)"),
  mintWithMemo: selector("mintWithMemo(address,uint256,bytes32)"),
  pause: selector("pause()"),
  burnBlocked: selector("burnBlocked(address,uint256)"),
  changeTransferPolicyId: selector("changeTransferPolicyId(uint64)"),
  grantRole: selector("grantRole(bytes32,address)")
}

const hashOf = (name: string): Hex => Hash.keccak256(OxHex.fromString(name))

/** The roles that the functions of every token require. */
export const roles = {
  admin: Getter.word(0n),
  pause: hashOf("PAUSE_ROLE"),
  unpause: hashOf("UNPAUSE_ROLE"),
  issuer: hashOf("ISSUER_ROLE"),
  burnBlocked: hashOf("BURN_BLOCKED_ROLE")
}

const names: ReadonlyMap<Hex, string> = new Map([
  [roles.admin, "DEFAULT_ADMIN_ROLE"],
  [roles.pause, "PAUSE_ROLE"],
  [roles.unpause, "UNPAUSE_ROLE"],
  [roles.issuer, "ISSUER_ROLE"],
  [roles.burnBlocked, "BURN_BLOCKED_ROLE"]
])

const nameOf = (role: Hex): string => names.get(role) ?? role

const events = {
  membership: topic("RoleMembershipUpdated(bytes32,address,address,bool)"),
  admin: topic("RoleAdminUpdated(bytes32,bytes32,address)")
}

const getters = {
  // The arguments stand the other way round than in OpenZeppelin's AccessControl.
  hasRole: selector("hasRole(address,bytes32)"),
  getRoleAdmin: selector("getRoleAdmin(bytes32)"),
  currency: selector("currency()"),
  supplyCap: selector("supplyCap()"),
  paused: selector("paused()"),
  quoteToken: selector("quoteToken()"),
  nextQuoteToken: selector("nextQuoteToken()"),
  transferPolicyId: selector("transferPolicyId()")
}

/** The getters that answer a word each, in the order in which they are read. */
const words: ReadonlyArray<Hex> = [
  getters.transferPolicyId,
  Selectors.functions.totalSupply,
  getters.supplyCap,
  getters.paused,
  getters.quoteToken,
  getters.nextQuoteToken
]

/**
 * Reads a TIP-20 token in two levels, four where its policy is compound: its getters and the events of its roles, then each
 * role and member that events name, by the token's own answer.
 *
 * @see https://docs.tempo.xyz/protocol/tip20/spec
 */
export const read = (
  state: ChainState["Type"],
  token: Address.Address
): Effect.Effect<Reading.Reading<Tip20>, ChainError> =>
  Effect.gen(function* () {
    const first = yield* Together.all({
      scan: Effect.either(state.logs({ address: token, topics: [[events.membership, events.admin]] })),
      currency: Getter.read(state, token, getters.currency, Getter.text),
      words: BatchRead.all(
        state,
        words.map((getter) => BatchRead.get(token, getter))
      )
    })
    const [policyId, supply, cap, paused, quote, next] = first.words.value.map(([word]) => Option.fromNullable(word))
    const logs = Either.match(first.scan, { onLeft: () => [], onRight: ({ value }) => value.logs })
    const known = rolesIn(logs)
    const granted = grantsIn(logs)
    const newest = granted.slice(-membersAtMost)
    const reads = [
      ...known.map((role) => BatchRead.get(token, getters.getRoleAdmin, [role])),
      ...newest.map(({ account, role }) => BatchRead.get(token, getters.hasRole, [Getter.word(account), role]))
    ]
    const [{ observation, value: answers }, policy] = yield* Together.all([
      BatchRead.all(state, reads, { readsPerCall: readsAtOnce }),
      Option.match(policyId ?? Option.none(), {
        onNone: () => Effect.succeedNone,
        onSome: (id) => Effect.asSome(Policies.read(state, id))
      })
    ])
    const isLost = answers.some((answer) => answer.length === 0)
    const held = newest.filter((_, index) => answers[known.length + index]?.[0] === 1n)
    const all = known.map((role, index): Role => {
      const grantedBy = Getter.word(answers[index]?.[0] ?? 0n)
      const members = held.filter((grant) => grant.role === role).map(({ account }) => account)
      return { role, name: nameOf(role), grantedBy, members: members.sort() }
    })
    const gap: UnknownReason | null = Either.match(first.scan, {
      onLeft: ({ reason }) => reason,
      onRight: ({ value: { complete } }) =>
        !complete
          ? ("log_range_limited" as const)
          : granted.length > newest.length
            ? ("budget_exhausted" as const)
            : isLost || !isLogged(token, granted) || all.some(({ grantedBy }) => !known.includes(grantedBy))
              ? ("inconclusive" as const)
              : null
    })
    const tip20: Tip20 = {
      document: {
        standard: "tip20",
        currency: Option.getOrNull(first.currency.value),
        total_supply: amount(supply),
        supply_cap: amount(cap),
        paused: truth(paused),
        quote_token: tokenIn(quote),
        next_quote_token: tokenIn(next) === tokenIn(quote) ? null : tokenIn(next),
        policy: Option.getOrNull(policy),
        roles: all
          .flatMap(({ members, name }) => members.map((member) => ({ role: name, member })))
          .sort((a, b) => (`${a.role} ${a.member}` < `${b.role} ${b.member}` ? -1 : 1)),
        grantors: all
          .map(({ grantedBy, name }) => ({ role: name, granted_by: nameOf(grantedBy) }))
          .sort((a, b) => (a.role < b.role ? -1 : 1)),
        complete: gap === null,
        exchange
      },
      roles: all,
      gap
    }
    return { value: tip20, observation }
  })

/** Whether the transfer policy of a token lets an account send, and receive; none where the registry does not answer. */
export const admits = (
  state: ChainState["Type"],
  token: Address.Address,
  account: Address.Address
): Effect.Effect<Option.Option<Reading.Reading<Policies.Admission>>, ChainError> =>
  Effect.flatMap(Getter.read(state, token, getters.transferPolicyId, Getter.uint), ({ value }) =>
    Option.match(value, {
      onNone: () => Effect.succeedNone,
      onSome: (id) => Policies.admits(state, id, account)
    })
  )

type Word = Option.Option<bigint> | undefined

const amount = (word: Word): Quantity.Quantity | null =>
  word === undefined ? null : Option.getOrNull(Option.map(word, Quantity.make))

const truth = (word: Word): boolean | null =>
  word === undefined ? null : Option.getOrNull(Option.map(word, (value) => value === 1n))

const tokenIn = (word: Word): Address.Address | null =>
  word === undefined
    ? null
    : Option.getOrNull(
        Option.filterMap(word, (value) =>
          value === 0n ? Option.none() : Option.some(Address.fromWord(Getter.word(value)))
        )
      )

interface Grant {
  readonly role: Hex
  readonly account: Address.Address
}

/** Who was ever given which role, each once, whether it is still held or not. */
const grantsIn = (logs: ReadonlyArray<Log>): ReadonlyArray<Grant> => {
  const found = new Map<string, Grant>()
  for (const {
    data,
    topics: [event, role, account]
  } of logs) {
    if (event !== events.membership || role === undefined || account === undefined) continue
    if (!Option.contains(Getter.bool(data), true)) continue
    const member = Address.fromWord(account)
    const key = `${role} ${member}`
    // The newest grant counts, so that of too many the oldest are left out.
    found.delete(key)
    found.set(key, { role, account: member })
  }
  return [...found.values()]
}

/** The roles of every token, and those that events name. */
const rolesIn = (logs: ReadonlyArray<Log>): ReadonlyArray<Hex> => [
  ...new Set([
    ...Object.values(roles),
    ...logs.flatMap(({ topics: [event, role, other] }) =>
      [role, ...(event === events.admin ? [other] : [])].filter((each) => each !== undefined)
    )
  ])
]

/**
 * Whether events show every grant: each token of the factory logs that of its first admin. Tempo made the tokens at the first
 * 1,024 addresses itself, without events.
 *
 * @see https://github.com/tempoxyz/tempo/blob/main/crates/precompiles/src/tip20_factory/mod.rs
 */
const isLogged = (token: Address.Address, granted: ReadonlyArray<Grant>): boolean =>
  (BigInt(token) & 0xffff_ffff_ffff_ffffn) >= 1024n && granted.some(({ role }) => role === roles.admin)

/** The memberships that are confirmed with `hasRole`; of more, the newest. */
const membersAtMost = 100

// Tempo takes 1,000 gas for a byte of the code that a constructor returns, and an answer is 65 (TIP-1000).
const readsAtOnce = 120

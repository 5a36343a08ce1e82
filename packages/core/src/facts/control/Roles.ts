/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import * as NativeToken from "../native/NativeToken.js"
import type { Tip20 } from "../native/Tip20.js"

/** One member of a role; `name` is the role's name where its hash is that of a known one, else the hash. */
export interface RoleMember {
  readonly role: Hex
  readonly name: string
  readonly account: Address
}

/**
 * The roles of a contract with OpenZeppelin's AccessControl. `present` is false where it has none of it. `members` hold
 * their role at the pinned block; there may be others unless `complete`, for the `reason` given. `granted` are the roles that
 * anybody was ever given.
 */
export interface RoleSet {
  readonly present: boolean
  readonly enumerable: boolean
  readonly members: ReadonlyArray<RoleMember>
  readonly granted: ReadonlyArray<Hex>
  readonly complete: boolean
  readonly reason: UnknownReason | null
}

/**
 * Who holds which role.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/access-control
 */
export class Roles extends Context.Tag("@assay/core/Roles")<
  Roles,
  {
    readonly of: (address: Address) => Effect.Effect<Reading.Reading<RoleSet>, ChainError>
    /** Who was ever given a role, whether it is still held or not: known one level before {@link RoleSet} is. */
    readonly candidates: (address: Address) => Effect.Effect<ReadonlyArray<Address>, ChainError>
    /** The same of a contract that has roles for certain: a level sooner than it would say so itself. */
    readonly given: (address: Address) => Effect.Effect<ReadonlyArray<Address>, ChainError>
  }
>() {}

const { functions, interfaceIds, topics } = Selectors

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const scanOf = (address: Address) => state.logs({ address, topics: [[topics.RoleGranted, topics.RoleRevoked]] })
  const grants = yield* OncePerKey.make(
    (address: Address) => address,
    Effect.fn("Roles.grants")(function* (address: Address) {
      const native = yield* NativeToken.of(state, address)
      if (Option.isSome(native)) return ofNative(native.value)
      const { asked, counts, supported } = yield* Together.all({
        supported: Getter.read(state, address, functions.supportsInterface, Getter.bool, [
          Getter.leftAligned(interfaceIds.accessControl)
        ]),
        // A contract without EIP-165 may have roles all the same: then it can say of anybody whether he has one.
        asked: Getter.read(state, address, functions.hasRole, Getter.bool, [Getter.word(0n), Getter.word(address)]),
        counts: Together.forEach(enumerated, (name) =>
          Effect.map(
            Getter.read(state, address, functions.getRoleMemberCount, Getter.int, [roleHash(name)]),
            (count) => ({ role: roleHash(name), count: count.value })
          )
        )
      })
      const present = Option.getOrElse(supported.value, () => false) || Option.isSome(asked.value)
      if (!present) return { present, enumerable: false, candidates: [], gap: null, observation: asked.observation }
      const [scan, listed] = yield* Together.all([
        Effect.either(scanOf(address)),
        Together.forEach(
          counts.flatMap(({ count, role }) =>
            Array.from(
              {
                length: Math.min(
                  Option.getOrElse(count, () => 0),
                  membersAtMost
                )
              },
              (_, index) => ({
                role,
                index
              })
            )
          ),
          ({ index, role }) =>
            Effect.map(
              Getter.read(state, address, functions.getRoleMember, Getter.address, [role, Getter.word(BigInt(index))]),
              ({ value }) => Option.toArray(value).map((account) => ({ role, account }))
            )
        )
      ])
      const granted = Either.match(scan, {
        onLeft: () => [],
        onRight: ({ value }) =>
          value.logs.flatMap(({ topics: [event, role, account] }) =>
            event === topics.RoleGranted && role !== undefined && account !== undefined
              ? Option.toArray(Getter.addressOfWord(account)).map((member) => ({ role, account: member }))
              : []
          )
      })
      const all = unique(granted)
      const newest = all.slice(-candidatesAtMost)
      return {
        present,
        enumerable: counts.some(({ count }) => Option.isSome(count)),
        candidates: unique([...listed.flat(), ...newest]),
        gap: Either.match(scan, {
          onLeft: ({ reason }): UnknownReason | null => reason,
          onRight: ({ value }) =>
            !value.complete
              ? ("log_range_limited" as const)
              : all.length > newest.length
                ? ("budget_exhausted" as const)
                : null
        }),
        observation: Either.isRight(scan) ? scan.right.observation : supported.observation
      }
    })
  )

  const read = Effect.fn("Roles.of")(function* (address: Address) {
    const native = yield* NativeToken.of(state, address)
    if (Option.isSome(native)) return Reading.map(native.value, setOf)
    const { candidates, enumerable, gap, observation, present } = yield* grants(address)
    // What an event once said and what an enumeration says today are both held against the contract's own answer.
    const verified = yield* Together.forEach(candidates, (candidate) =>
      Effect.map(
        Getter.read(state, address, functions.hasRole, Getter.bool, [candidate.role, Getter.word(candidate.account)]),
        ({ value }) => (Option.getOrElse(value, () => true) ? [candidate] : [])
      )
    )
    const set: RoleSet = {
      present,
      enumerable,
      members: verified
        .flat()
        .map(({ account, role }) => ({ role, name: names.get(role) ?? role, account }))
        .sort((a, b) => (`${a.name} ${a.account}` < `${b.name} ${b.account}` ? -1 : 1)),
      granted: [...new Set(candidates.map(({ role }) => role))],
      complete: gap === null,
      reason: gap
    }
    return { value: set, observation }
  })

  const candidates = (address: Address) =>
    Effect.map(grants(address), (found) => [...new Set(found.candidates.map(({ account }) => account))])

  return Roles.of({
    of: yield* OncePerKey.make((address: Address) => address, read),
    candidates,
    given: (address) =>
      Effect.map(Together.all([candidates(address), Effect.ignore(scanOf(address))]), ([found]) => found)
  })
})

/**
 * Reads whether there are roles in one level, who was granted one in a second, and whether they still have it in a
 * third.
 */
export const layer: Layer.Layer<Roles, never, ChainState> = Layer.scoped(Roles, make)

/** The same of a token that the chain implements, which answered for each of them already. */
const ofNative = ({ observation, value: { gap, roles } }: Reading.Reading<Tip20>) => ({
  present: true,
  enumerable: false,
  candidates: roles.flatMap(({ members, role }) => members.map((account) => ({ role, account }))),
  gap,
  observation
})

const setOf = ({ gap, roles }: Tip20): RoleSet => ({
  present: true,
  enumerable: false,
  members: roles
    .flatMap(({ members, name, role }) => members.map((account) => ({ role, name, account })))
    .sort((a, b) => (`${a.name} ${a.account}` < `${b.name} ${b.account}` ? -1 : 1)),
  granted: roles.filter(({ members }) => members.length > 0).map(({ role }) => role),
  complete: gap === null,
  reason: gap
})

/** The hash of a role by its name. */
export const roleHash = (name: string): Hex =>
  name === "DEFAULT_ADMIN_ROLE" ? Getter.word(0n) : Hash.keccak256(OxHex.fromString(name))

/** Roles of an enumerable contract with members that are read before its events are known. */
const enumerated = ["DEFAULT_ADMIN_ROLE", "MINTER_ROLE", "PAUSER_ROLE", "UPGRADER_ROLE", "BURNER_ROLE"]

const names: ReadonlyMap<Hex, string> = new Map(
  [
    ...enumerated,
    "ADMIN_ROLE",
    "BLACKLISTER_ROLE",
    "BRIDGE_ROLE",
    "CANCELLER_ROLE",
    "EXECUTOR_ROLE",
    "FREEZER_ROLE",
    "GOVERNOR_ROLE",
    "MANAGER_ROLE",
    "OPERATOR_ROLE",
    "PROPOSER_ROLE",
    "SNAPSHOT_ROLE",
    "TIMELOCK_ADMIN_ROLE",
    "WITHDRAWER_ROLE"
  ].map((name) => [roleHash(name), name])
)

const membersAtMost = 20

const candidatesAtMost = 40

const unique = <A extends { readonly role: Hex; readonly account: Address }>(members: ReadonlyArray<A>): Array<A> => [
  ...new Map(members.map((member) => [`${member.role} ${member.account}`, member])).values()
]

/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import { adminRole } from "./AccessManagerCode.js"

/** A member of a role of an AccessManager, and how many seconds he has to wait each time he uses it. */
export interface ManagedMember {
  readonly role: bigint
  readonly account: Address
  readonly delay: number
}

/** Members of roles; `complete` says that there are no others. */
export interface ManagedMembers {
  readonly members: ReadonlyArray<ManagedMember>
  readonly complete: boolean
}

/**
 * Who may call what by an AccessManager, the contract of OpenZeppelin 5 that keeps the permissions of other contracts.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/access-control#access-management
 */
export class AccessManagerRoles extends Context.Tag("@assay/core/AccessManagerRoles")<
  AccessManagerRoles,
  {
    /**
     * The administrators, who can change all permissions. Other accounts may also make the manager act, by a role or by
     * a function that is open to everyone: permissions of the manager itself are theirs as well.
     */
    readonly administrators: (manager: Address) => Effect.Effect<ManagedMembers, ChainError>
    /** Those who may call some functions of a contract, its administrators among them. */
    readonly permitted: (
      manager: Address,
      target: Address,
      functions: ReadonlyArray<Hex>
    ) => Effect.Effect<ManagedMembers, ChainError>
    /** Who was ever given a role: known one level before those who have it. */
    readonly candidates: (manager: Address) => Effect.Effect<ReadonlyArray<Address>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const grants = yield* OncePerKey.make(
    (manager: Address) => manager,
    (
      manager
    ): Effect.Effect<{
      readonly given: ReadonlyArray<readonly [bigint, Address]>
      /** Whether everybody may call a function. */
      readonly isOpen: boolean
      readonly complete: boolean
    }> =>
      Effect.map(Effect.either(state.logs({ address: manager, topics: [[roleGranted, roleOfFunction]] })), (scan) => {
        const logs = Either.match(scan, { onLeft: () => [], onRight: ({ value }) => value.logs })
        const given = logs.flatMap(({ topics: [event, role, account] }) =>
          event !== roleGranted || role === undefined || account === undefined
            ? []
            : Option.toArray(Getter.addressOfWord(account)).map((member) => [BigInt(role), member] as const)
        )
        const functions = new Map(
          logs.flatMap(({ data, topics: [event, target, role] }) =>
            event === roleOfFunction && role !== undefined ? [[`${target} ${data}`, BigInt(role)] as const] : []
          )
        )
        const all = [...new Map(given.map((each) => [`${each[0]} ${each[1]}`, each])).values()]
        return {
          given: all.slice(-membersAtMost),
          isOpen: [...functions.values()].includes(publicRole),
          complete: Either.isRight(scan) && scan.right.value.complete && all.length <= membersAtMost
        }
      })
  )

  /** How long an account has to wait to use a role, also a role that starts later. None where it has no such role. */
  const waitOf = (manager: Address, role: bigint, account: Address): Effect.Effect<Option.Option<number>, ChainError> =>
    Effect.map(
      Together.all([
        Getter.read(state, manager, hasRole, access, [Getter.word(role), Getter.word(account)]),
        Getter.read(state, manager, getAccess, coming, [Getter.word(role), Getter.word(account)])
      ]),
      ([{ value: now }, { value: full }]) => {
        const present = Option.filterMap(now, ({ delay, isMember }) =>
          isMember ? Option.some(delay) : Option.none<number>()
        )
        const told = Option.filterMap(full, ({ delay, since }) =>
          since === 0
            ? Option.none<number>()
            : Option.some(delay + Math.max(0, since - Timestamp.toSeconds(state.block.timestamp)))
        )
        return Option.isSome(present) && Option.isSome(told)
          ? Option.some(Math.min(present.value, told.value))
          : Option.orElse(present, () => told)
      }
    )

  const adminOf = (manager: Address, role: bigint): Effect.Effect<bigint, ChainError> =>
    Effect.map(Getter.read(state, manager, roleAdmin, Getter.uint, [Getter.word(role)]), ({ value }) =>
      Option.getOrElse(value, () => adminRole)
    )

  const members = yield* OncePerKey.make(
    (manager: Address) => manager,
    (manager) =>
      Effect.flatMap(grants(manager), ({ complete, given }) =>
        Effect.map(
          Together.all([
            Together.forEach(given, ([role, account]) =>
              Effect.map(
                waitOf(manager, role, account),
                (wait): ReadonlyArray<ManagedMember> =>
                  Option.match(wait, { onNone: () => [], onSome: (delay) => [{ role, account, delay }] })
              )
            ),
            // Read before it is known which of them count: so most admins of roles need no level of their own.
            Effect.ignore(Together.forEach([...new Set(given.map(([role]) => role))], (role) => adminOf(manager, role)))
          ]),
          ([found]): ManagedMembers => ({ members: found.flat(), complete })
        )
      )
  )

  /** Some roles, and the roles that can grant them. */
  const withAdmins = (manager: Address, roles: ReadonlySet<bigint>): Effect.Effect<ReadonlySet<bigint>, ChainError> =>
    Effect.flatMap(
      Together.forEach([...roles], (role) => adminOf(manager, role)),
      (admins) => {
        const all = new Set([...roles, ...admins])
        return all.size === roles.size ? Effect.succeed(all) : withAdmins(manager, all)
      }
    )

  const administrators = (manager: Address) =>
    Effect.map(Together.all([members(manager), grants(manager)]), ([all, { isOpen }]) => ({
      members: all.members.filter(({ role }) => role === adminRole),
      complete: all.complete && !isOpen && all.members.every(({ role }) => role === adminRole)
    }))

  const permitted = Effect.fn("AccessManagerRoles.permitted")(function* (
    manager: Address,
    target: Address,
    functions: ReadonlyArray<Hex>
  ) {
    const asked = functions.slice(0, functionsAtMost)
    const [all, roles] = yield* Together.all([
      members(manager),
      Together.forEach(asked, (selector) =>
        Effect.map(
          Getter.read(state, manager, functionRole, Getter.uint, [Getter.word(target), Getter.leftAligned(selector)]),
          ({ value }) => Option.getOrElse(value, () => adminRole)
        )
      )
    ])
    const wanted = yield* withAdmins(manager, new Set([adminRole, ...roles]))
    return {
      members: all.members.filter(({ role }) => wanted.has(role)),
      complete: all.complete && asked.length === functions.length
    }
  })

  return AccessManagerRoles.of({
    administrators,
    permitted,
    candidates: (manager) =>
      Effect.map(grants(manager), ({ given }) => [...new Set(given.map(([, account]) => account))])
  })
})

/** Reads who was given a role in one level, and who still has it in a second. */
export const layer: Layer.Layer<AccessManagerRoles, never, ChainState> = Layer.scoped(AccessManagerRoles, make)

/** The role that everybody has. */
const publicRole = 2n ** 64n - 1n

const membersAtMost = 40

const functionsAtMost = 64

// https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/access/manager/IAccessManager.sol
const roleGranted = Selectors.topic("RoleGranted(uint64,address,uint32,uint48,bool)")
const roleOfFunction = Selectors.topic("TargetFunctionRoleUpdated(address,bytes4,uint64)")
const hasRole = Selectors.selector("hasRole(uint64,address)")
const getAccess = Selectors.selector("getAccess(uint64,address)")
const roleAdmin = Selectors.selector("getRoleAdmin(uint64)")
const functionRole = Selectors.selector("getTargetFunctionRole(address,bytes4)")
/** What hasRole(uint64,address) answers: whether, and after which delay. */
const access: Getter.Decoder<{ readonly isMember: boolean; readonly delay: number }> = (data) =>
  Option.zipWith(
    Option.flatMap(Getter.wordAt(data, 0), Getter.bool),
    Option.flatMap(Getter.wordAt(data, 32), Getter.int),
    (isMember, delay) => ({ isMember, delay })
  )

/**
 * What getAccess(uint64,address) answers: since when an account has a role, and the shorter of its present and its
 * coming delay.
 */
const coming: Getter.Decoder<{ readonly since: number; readonly delay: number }> = (data) =>
  Option.map(
    Option.all([0, 32, 64, 96].map((offset) => Option.flatMap(Getter.wordAt(data, offset), Getter.int))),
    ([since = 0, delay = 0, next = 0, from = 0]) => ({ since, delay: from === 0 ? delay : Math.min(delay, next) })
  )

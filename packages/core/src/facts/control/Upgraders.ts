/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { ControlGraph } from "../../domain/facts/ControlGraph.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as Implementation from "../native/Implementation.js"
import { Roles } from "./Roles.js"
import * as UnloggedGrants from "./UnloggedGrants.js"
import * as UpgradeRoles from "./UpgradeRoles.js"

/** The accounts that can replace the code of a proxy. `complete` means that there are no others. */
export interface UpgraderSet {
  readonly accounts: ReadonlyArray<Address>
  readonly complete: boolean
}

/**
 * Who can replace the code of a proxy: the account in its admin slot, or the accounts that its UUPS implementation
 * requires.
 */
export class Upgraders extends Context.Tag("@assay/core/Upgraders")<
  Upgraders,
  {
    /** The upgraders, given who has a direct power over the contract. */
    readonly of: (address: Address, graph: ControlGraph) => Effect.Effect<UpgraderSet, ChainError>
    /** Why not all upgraders are known; none where they are, or where the code cannot be replaced. */
    readonly gap: (address: Address) => Effect.Effect<Option.Option<UnknownReason>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const flows = yield* CodeReadings
  const functions = yield* Functions
  const proxy = yield* Proxy
  const roles = yield* Roles

  /** The roles that a UUPS implementation requires; none if it names one upgrader, or requires something else. */
  const rolesOf = yield* OncePerKey.make(
    (address: Address) => address,
    (address): Effect.Effect<Option.Option<UpgradeRoles.UpgradeRoles>, ChainError> =>
      Effect.gen(function* () {
        const { implementations, upgrade, upgrade_authority: authority } = (yield* proxy.of(address)).value
        if (upgrade !== "uups" || authority !== null) return Option.none()
        const logics = yield* Together.forEach([address, ...implementations], (each) => functions.at(each))
        return yield* UpgradeRoles.of(
          state,
          flows,
          address,
          logics.map(({ value }) => value)
        )
      })
  )

  const gap = Effect.fn("Upgraders.gap")(function* (address: Address) {
    // A network upgrade is of no account.
    if ((yield* Implementation.of(state, address)) === "chain") return Option.none()
    const { conflicts, upgrade, upgrade_authority: authority } = (yield* proxy.of(address)).value
    if (upgrade === "none" || upgrade === "self" || upgrade === "anyone") return Option.none()
    if (upgrade === "uups" && authority === null)
      return Either.match(yield* Effect.either(rolesOf(address)), {
        onLeft: ({ reason }) => Option.some(reason),
        // The members of these roles are in the control graph.
        onRight: Option.match({ onNone: () => inconclusive, onSome: () => Option.none() })
      })
    // A conflict shows another account that can replace the code, or other code that answers.
    return upgrade === "unknown" || authority === null || conflicts.length > 0 ? inconclusive : Option.none()
  })

  const of = Effect.fn("Upgraders.of")(function* (address: Address, graph: ControlGraph) {
    const { conflicts, upgrade, upgrade_authority: authority } = (yield* proxy.of(address)).value
    const isSettled = conflicts.length === 0
    if (upgrade === "uups" && authority === null) return yield* byRoles(address, graph, isSettled)
    const shown = upgrade === "uups" ? askedByImplementation(graph, address) : []
    const named = authority === null ? [] : [authority]
    return { accounts: distinct([...named, ...shown]), complete: isSettled && authority !== null }
  })

  const byRoles = (address: Address, graph: ControlGraph, isSettled: boolean): Effect.Effect<UpgraderSet, ChainError> =>
    Effect.map(
      Together.all([
        rolesOf(address),
        roles.of(address),
        UnloggedGrants.mayExist({ flows, functions, roles }, address)
      ]),
      ([asked, { value: set }, isUnlogged]) =>
        Option.match(asked, {
          onNone: () => ({ accounts: askedByImplementation(graph, address), complete: false }),
          onSome: (upgrade) => ({
            accounts: distinct([
              ...upgrade.accounts,
              ...set.members.filter(({ role }) => upgrade.roles.includes(role)).map(({ account }) => account)
            ]),
            complete: isSettled && set.complete && !isUnlogged
          })
        })
    )

  return Upgraders.of({ of, gap })
})

/** Reads who has the roles that an upgrade requires. */
export const layer: Layer.Layer<Upgraders, never, ChainState | CodeReadings | Functions | Proxy | Roles> = Layer.scoped(
  Upgraders,
  make
)

const inconclusive = Option.some<UnknownReason>("inconclusive")

/** Accounts with a power that implementations often require for an upgrade. */
const askedByImplementation = ({ edges }: ControlGraph, address: Address): ReadonlyArray<Address> =>
  distinct(edges.filter(({ power, to }) => to === address && upgradePowers.has(power)).map(({ from }) => from))

const upgradePowers: ReadonlySet<string> = new Set([
  "role:DEFAULT_ADMIN_ROLE",
  "role:UPGRADER_ROLE",
  `function:${Selectors.functions.upgradeToAndCall}`,
  `function:${Selectors.functions.upgradeTo}`
])

const distinct = (accounts: ReadonlyArray<Address>): ReadonlyArray<Address> => [...new Set(accounts)].sort()

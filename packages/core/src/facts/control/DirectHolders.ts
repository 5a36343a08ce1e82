/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions } from "../code/Functions.js"
import type { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as Implementation from "../native/Implementation.js"
import * as NativeToken from "../native/NativeToken.js"
import * as AccessManaged from "./AccessManaged.js"
import type { AccessManagerRoles } from "./AccessManagerRoles.js"
import type { Principal } from "./CallAuthorities.js"
import type { CallerGuards } from "./CallerGuards.js"
import type { Roles } from "./Roles.js"

/** The facts that direct holders are read from. */
export interface Sources {
  readonly state: ChainState["Type"]
  readonly proxy: Proxy["Type"]
  readonly roles: Roles["Type"]
  readonly callers: CallerGuards["Type"]
  readonly functions: Functions["Type"]
  readonly flows: CodeReadings["Type"]
  readonly managers: AccessManagerRoles["Type"]
}

/**
 * One list of accounts with a direct power over a contract. `power` names the list; it is what a gap says if the read fails.
 */
export interface HolderList {
  readonly power: string
  readonly read: Effect.Effect<Reading.Reading<ReadonlyArray<Principal>>, ChainError>
}

/**
 * Every list of accounts with a direct power over a contract: by getters and the slot of `owner()`, by the proxy, by
 * roles, by the guards in the code, and by an AccessManager. The lists overlap.
 */
export const lists = (sources: Sources, address: Address.Address): ReadonlyArray<HolderList> => {
  const { callers, proxy, roles, state } = sources
  return [
    ...named(state, address),
    {
      power: "upgrader",
      read: Effect.map(proxy.of(address), (reading) =>
        Reading.map(reading, ({ upgrade_authority: authority }) =>
          authority === null ? [] : [holder("upgrader", authority)]
        )
      )
    },
    {
      power: "roles",
      read: Effect.map(roles.of(address), (reading) =>
        Reading.map(reading, ({ members }) => members.map(({ account, name }) => holder(`role:${name}`, account)))
      )
    },
    {
      power: "code",
      read: Effect.map(callers.of(address), (reading) =>
        Reading.map(reading, ({ holders }) => holders.map(({ account, power }) => holder(power, account)))
      )
    },
    { power: "roles", read: AccessManaged.callersOf(sources, address) },
    ...(Implementation.mayBeAt(address) ? [{ power: "policy", read: policyAdmins(state, address) }] : [])
  ]
}

/** Who edits the lists of accounts that the transfer policy of a token allows or blocks, where the chain implements it. */
const policyAdmins = (state: ChainState["Type"], address: Address.Address): HolderList["read"] =>
  Effect.flatMap(
    NativeToken.of(state, address),
    Option.match({
      onNone: () => Effect.map(state.code(address), (code) => Reading.map(code, () => [])),
      onSome: (token) =>
        Effect.succeed(
          Reading.map(token, ({ document: { policy } }) =>
            [...new Set([policy?.sender.admin ?? null, policy?.recipient.admin ?? null])].flatMap((admin) =>
              admin === null ? [] : [holder("policy", admin)]
            )
          )
        )
    })
  )

/**
 * Accounts that probably hold a direct power, each list as soon as it is known. These reads do not wait for the code, so
 * the accounts can be inspected a level earlier.
 */
export const early = (
  { roles, state }: Pick<Sources, "roles" | "state">,
  address: Address.Address
): ReadonlyArray<Effect.Effect<ReadonlyArray<Address.Address>, ChainError>> => [
  ...named(state, address).map(({ read }) => Effect.map(read, ({ value }) => value.map(({ account }) => account))),
  ...[Slots.admin, Slots.zeppelinOsAdmin, Slots.polygonOwner].map((slot) =>
    Effect.map(state.storage(address, slot), ({ value }) => Option.toArray(Getter.storedAddress(value)))
  ),
  roles.candidates(address)
]

const { functions, selector } = Selectors

/** Getters that name an account with a power, by the name of the power. */
export const holderGetters: ReadonlyArray<readonly [power: string, getter: Hex]> = [
  // https://eips.ethereum.org/EIPS/eip-173
  ["owner", functions.owner],
  ["owner", functions.getOwner],
  ["admin", functions.admin],
  ["governance", functions.governance],
  ["authority", functions.authority],
  ["role:minter", selector("minter()")],
  // https://github.com/circlefin/stablecoin-evm
  ["role:masterMinter", selector("masterMinter()")],
  ["role:pauser", selector("pauser()")],
  ["role:blacklister", selector("blacklister()")],
  ["role:rescuer", selector("rescuer()")]
]

/** The accounts that the contract itself names, each by one read. */
const named = (state: ChainState["Type"], address: Address.Address): ReadonlyArray<HolderList> => [
  ...holderGetters.map(([power, getter]) => ({
    power,
    read: Effect.map(Getter.account(state, address, getter), (reading) =>
      Reading.map(reading, (value) =>
        Option.toArray(value)
          // An owner of zero means that the owner has renounced; of other powers zero means nothing.
          .filter((account) => account !== Address.zero || power === "owner")
          .map((account) => holder(power, account))
      )
    )
  })),
  {
    power: "owner",
    read: Effect.map(state.storage(address, Slots.ownable), (reading) =>
      Reading.map(reading, (word) =>
        Option.toArray(Getter.storedAddress(word)).map((account) => holder("owner", account))
      )
    )
  }
]

const holder = (power: string, account: Address.Address): Principal => ({ power, account, delay: 0 })

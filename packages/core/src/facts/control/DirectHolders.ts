/** @internal */

import { Effect, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/ChainState.js"
import * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import { isDead } from "../code/Code.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions } from "../code/Functions.js"
import * as Getter from "../Getter.js"
import type { AccessManagers } from "./AccessManagers.js"
import type * as CallAuthorities from "./CallAuthorities.js"

type Holders = Reading.Reading<ReadonlyArray<CallAuthorities.Principal>>

const { functions, selector } = Selectors

/**
 * Getters that name somebody with a power, by the name of the power; the first ones by EIP-173 and custom, the rest as
 * Circle, Uniswap and others do.
 *
 * @since 0.1.0
 * @category constructors
 */
export const holderGetters: ReadonlyArray<readonly [power: string, getter: Hex]> = [
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

/**
 * Who is named by a contract itself, each by one read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const named = (
  state: ChainState["Type"],
  address: Address.Address
): ReadonlyArray<{ readonly power: string; readonly read: Effect.Effect<Holders, ChainError> }> => [
  ...holderGetters.map(([power, getter]) => ({
    power,
    read: Effect.map(Getter.read(state, address, getter, Getter.address), (reading) =>
      // Only an owner of zero says something: that there was one, who renounced.
      Reading.map(reading, (value) =>
        Option.toArray(value)
          .filter((account) => account !== Address.zero || power === "owner")
          .map((account) => ({ power, account, delay: 0 }))
      )
    )
  })),
  {
    power: "owner",
    read: Effect.map(state.storage(address, Slots.ownable), (reading) =>
      Reading.map(reading, (word) =>
        Option.toArray(Getter.storedAddress(word)).map((account) => ({ power: "owner", account, delay: 0 }))
      )
    )
  }
]

/**
 * Who may call a contract's functions by an AccessManager, beside its administrators, who stand behind it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const managed = (
  facts: {
    readonly state: ChainState["Type"]
    readonly functions: Functions["Type"]
    readonly flows: CodeReadings["Type"]
    readonly managers: AccessManagers["Type"]
  },
  address: Address.Address
): Effect.Effect<Holders, ChainError> =>
  Effect.gen(function* () {
    const { flows, managers, state } = facts
    const authority = yield* Getter.read(state, address, functions.authority, Getter.address)
    const none = { value: [] as ReadonlyArray<CallAuthorities.Principal>, observation: authority.observation }
    if (Option.isNone(authority.value) || isDead(authority.value.value)) return none
    const manager = authority.value.value
    const [runtime, { value: code }] = yield* Together.all([state.code(manager), facts.functions.of(address)])
    if (!managers.isManager(yield* flows.of(runtime.value))) return none
    const selectors = code.logics.flatMap(({ flow }) =>
      flow.functions.flatMap(
        ({ calls, selector: name, writes }): ReadonlyArray<Hex> =>
          name !== "fallback" && calls.length + writes.length > 0 ? [name] : []
      )
    )
    const { complete, members } = yield* managers.permitted(manager, address, [...new Set(selectors)])
    if (!complete)
      return yield* new ChainError({
        reason: "log_range_limited",
        method: "eth_getLogs",
        retryable: false,
        detail: `not everybody with a role of ${manager} was found`
      })
    return Reading.map(authority, () =>
      members
        .filter(({ role }) => role !== 0n)
        .map(({ account, delay, role }) => ({ power: `role:${role}`, account, delay }))
    )
  })

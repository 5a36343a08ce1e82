/** @internal */

import { Effect, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import { isDead } from "../code/Code.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions, LogicContract } from "../code/Functions.js"
import * as Getter from "../Getter.js"
import * as AccessManagerCode from "./AccessManagerCode.js"
import type { AccessManagerRoles } from "./AccessManagerRoles.js"
import type { Principal } from "./CallAuthorities.js"

/**
 * The accounts that can call functions of a contract because its AccessManager (`authority()`) permits them. The
 * administrators of the manager control the manager, so they are not repeated here. A member has no delay if the contract
 * does not enforce delays. Fails where not all members are known.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/access#AccessManaged
 */
export const callersOf = (
  facts: {
    readonly state: ChainState["Type"]
    readonly functions: Functions["Type"]
    readonly flows: CodeReadings["Type"]
    readonly managers: AccessManagerRoles["Type"]
  },
  address: Address
): Effect.Effect<Reading.Reading<ReadonlyArray<Principal>>, ChainError> =>
  Effect.gen(function* () {
    const { flows, functions, managers, state } = facts
    const authority = yield* Getter.account(state, address, Selectors.functions.authority)
    const nobody = Reading.map(authority, (): ReadonlyArray<Principal> => [])
    if (Option.isNone(authority.value) || isDead(authority.value.value)) return nobody
    const manager = authority.value.value
    const [runtime, { value: code }] = yield* Together.all([state.code(manager), functions.of(address)])
    if (!AccessManagerCode.isManager(yield* flows.of(runtime.value))) return nobody
    const { complete, members } = yield* managers.permitted(manager, address, managedFunctions(code.logics))
    if (!complete) return yield* notAllMembers(manager)
    const isEnforced = code.logics.every(({ flow }) => AccessManagerCode.enforcesDelays(flow))
    return Reading.map(authority, () =>
      members
        .filter(({ role }) => role !== AccessManagerCode.adminRole)
        .map(({ account, delay, role }) => ({ power: `role:${role}`, account, delay: isEnforced ? delay : 0 }))
    )
  })

/** The functions that write or call something. */
const managedFunctions = (logics: ReadonlyArray<LogicContract>): ReadonlyArray<Hex> => [
  ...new Set(
    logics.flatMap(({ flow }) =>
      flow.functions.flatMap(
        ({ calls, selector, writes }): ReadonlyArray<Hex> =>
          selector !== "fallback" && calls.length + writes.length > 0 ? [selector] : []
      )
    )
  )
]

const notAllMembers = (manager: Address): ChainError =>
  new ChainError({
    reason: "log_range_limited",
    method: "eth_getLogs",
    retryable: false,
    detail: `not everybody with a role of ${manager} was found`
  })

/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { Functions } from "../code/Functions.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as EntryGuards from "./EntryGuards.js"
import type { Roles } from "./Roles.js"

/**
 * Whether a guard requires a role of OpenZeppelin's AccessControl that every known member has given up or lost. A member
 * whom a constructor added without an event is not known, so this does not prove that nobody has the role.
 */
export const includes = (
  { functions, roles }: { readonly functions: Functions["Type"]; readonly roles: Roles["Type"] },
  address: Address,
  guard: Guard
): Effect.Effect<boolean, ChainError> =>
  guard.kind !== "entry"
    ? Effect.succeed(false)
    : Effect.gen(function* () {
        const { value: set } = yield* roles.of(address)
        if (!set.present || !set.complete || set.granted.length === 0) return false
        const { value: code } = yield* functions.of(address)
        const mappings = [...EntryGuards.roleMappings(code.logics)]
        // Code that looks up one of several roles does not show which.
        if (mappings.includes(guard.slot)) return set.members.length === 0
        return set.granted.some(
          (role) =>
            set.members.every((member) => member.role !== role) &&
            mappings.some((mapping) => guard.slot === `${entryOf(mapping, role)}[k]`)
        )
      })

/** The slot of a role's own mapping, which an optimizer computes in advance. */
const entryOf = (mapping: string, role: Hex): string | undefined =>
  Option.getOrUndefined(StoredVariable.slotOf(mapping.slice(0, -"[k]".length), [role]))

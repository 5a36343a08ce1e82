/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import * as GrantRecords from "../../evm/patterns/GrantRecords.js"
import * as RoleGetter from "../../evm/patterns/RoleGetter.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { Functions } from "../code/Functions.js"
import type { Roles } from "./Roles.js"

/**
 * Whether an AccessControl contract may have members that its events do not show: its code can grant a role without
 * `RoleGranted`, or `hasRole` may answer false for a member.
 */
export const mayExist = (
  {
    flows,
    functions,
    roles
  }: {
    readonly flows: CodeReadings["Type"]
    readonly functions: Functions["Type"]
    readonly roles: Roles["Type"]
  },
  address: Address
): Effect.Effect<boolean, ChainError> =>
  Effect.gen(function* () {
    const { value: set } = yield* roles.of(address)
    if (!set.present) return false
    const { value: code } = yield* functions.of(address)
    const unlogged = yield* Effect.forEach(code.logics, (logic) =>
      Effect.zipWith(
        flows.read(logic.code, (model) => GrantRecords.missing(model, logic.flow)),
        flows.read(logic.code, (model) => RoleGetter.mayMislead(model, logic.flow)),
        (silent, isMisleading) => silent.length > 0 || isMisleading
      )
    )
    return unlogged.some((may) => may)
  })

/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import * as Together from "../../runtime/Together.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as Replacers from "../code/Replacers.js"
import * as Getter from "../Getter.js"

/**
 * The roles that an implementation requires for an upgrade, including the roles that grant them, and the accounts that
 * can bypass or gain them in another way.
 */
export interface UpgradeRoles {
  readonly roles: ReadonlyArray<Hex>
  readonly accounts: ReadonlyArray<Address>
}

/**
 * Reads them from the code that answers for a contract, and then who grants the roles, in a level each. None where a
 * condition is neither a role nor an account.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1822
 */
export const of = (
  state: ChainState["Type"],
  flows: CodeReadings["Type"],
  address: Address,
  logics: ReadonlyArray<LogicContract>
): Effect.Effect<Option.Option<UpgradeRoles>, ChainError> =>
  Effect.gen(function* () {
    const contract = { state, flows, address, logics }
    const isFollowed = logics.every(({ flow }) => Replacers.isFollowed(flow))
    const books = new Set(logics.flatMap(({ flow }) => booksOf(flow)))
    const isOfBook = (guard: Guard): guard is Guard & { readonly kind: "entry" } =>
      guard.kind === "entry" && books.has(guard.slot)
    const upgrading = Replacers.waysTo(
      contract,
      Slots.implementation,
      (_, { target }) => target.kind === "storage" && target.slot === Slots.implementation
    )
    const asked = upgrading.map((way) => {
      const always = way.guards.filter((guard) => guard.always)
      const deciding = always.length > 0 ? always : way.shut ? way.guards : []
      const roles = deciding.filter(isOfBook).flatMap(({ slot }) => ArbitraryCall.rolesOf(way.flow, slot))
      const others = deciding.filter((guard) => !isOfBook(guard))
      return { way, roles, others, isByRole: deciding.length > others.length }
    })
    if (!isFollowed || asked.some(({ isByRole, roles }) => isByRole && roles.length === 0)) return Option.none()
    // An account that a function enters as a member without a check of another member needs nobody to grant it the
    // role.
    const entering = logics.flatMap((logic) =>
      logic.flow.functions.flatMap((flow) =>
        flow.writes
          .filter(({ change, slot }) => books.has(slot) && change.kind !== "clear" && change.kind !== "keep")
          .filter(({ guards }) => !guards.some((guard) => guard.always && isOfBook(guard)))
          .map(({ guards, shut }) => ({ logic, flow, guards, shut }))
      )
    )
    const past = asked.flatMap(({ isByRole, others, way }) =>
      isByRole && others.length === 0 ? [] : [{ ...way, guards: isByRole ? others : way.guards }]
    )
    const [{ accounts, complete }, roles] = yield* Together.all([
      Replacers.among(contract, [...past, ...entering]),
      withGivers(state, address, new Set(asked.flatMap((one) => one.roles)))
    ])
    return complete && roles.size > 0 ? Option.some({ roles: [...roles].sort(), accounts }) : Option.none()
  })

/** Where a code keeps who has a role, as its own getter answers. */
const booksOf = ({ functions }: LogicContract["flow"]): ReadonlyArray<string> =>
  functions.flatMap(({ returns = [], selector }) =>
    selector === Selectors.functions.hasRole
      ? returns.map(({ slot }) => slot).filter((slot) => slot.endsWith("[k][k]"))
      : []
  )

/** Some roles, and the roles that grant them; none where they are too many. */
const withGivers = (
  state: ChainState["Type"],
  address: Address,
  roles: ReadonlySet<Hex>
): Effect.Effect<ReadonlySet<Hex>, ChainError> =>
  Effect.flatMap(
    Together.forEach([...roles], (role) =>
      Effect.map(
        Getter.read(state, address, roleAdmin, (data) => Getter.wordAt(data, 0), [role]),
        ({ value }) => Option.getOrElse(value, () => adminOfAll)
      )
    ),
    (givers) => {
      const all = new Set([...roles, ...givers])
      if (all.size === roles.size) return Effect.succeed(all)
      return all.size > rolesAtMost ? Effect.succeed(new Set()) : withGivers(state, address, all)
    }
  )

// https://docs.openzeppelin.com/contracts/5.x/api/access#IAccessControl-getRoleAdmin-bytes32-
const roleAdmin = Selectors.selector("getRoleAdmin(bytes32)")

const adminOfAll = Getter.word(0n)

const rolesAtMost = 16

/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Code from "../code/Code.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions, type LogicContract } from "../code/Functions.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import { Control } from "./Control.js"
import * as GuardHolders from "./GuardHolders.js"
import * as OwnedContract from "./OwnedContract.js"
import * as Takeovers from "./Takeovers.js"

/**
 * The owner that a contract names, and the ways to become the owner without his consent. `complete` means that there
 * are no others: every write of the owner is known, and so are the accounts that pass its guards.
 */
export interface OwnershipState extends Takeovers.Takeovers {
  readonly owner: Address.Address
}

/**
 * Who can become the owner of a contract without the owner.
 *
 * @see https://eips.ethereum.org/EIPS/eip-173
 */
export class Ownership extends Context.Tag("@assay/core/Ownership")<
  Ownership,
  {
    /** None if the contract names no owner, or one that is a constant in its code. */
    readonly of: (address: Address.Address) => Effect.Effect<Option.Option<Reading.Reading<OwnershipState>>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const functions = yield* Functions
  const flows = yield* CodeReadings

  const read = Effect.fn("Ownership.of")(function* (address: Address.Address) {
    const [named, { observation, value: code }] = yield* Together.all([ownerOf(state, address), functions.of(address)])
    if (Option.isNone(named)) return Option.none()
    const owner = named.value
    const variables = OwnedContract.ownerVariables(code.logics)
    if (variables === "computed") return Option.some({ value: { owner, ...Takeovers.unclear }, observation })
    if (variables.length === 0) return Option.none()
    const contract: OwnedContract.OwnedContract = { address, owner, logics: code.logics, variables }
    const sources: GuardHolders.Sources = { state, control, flows, address, logics: code.logics }
    const [found, isAmbiguous, followed] = yield* Together.all([
      Takeovers.of({ state, control }, contract),
      holdsAnother(state, contract),
      Together.forEach(code.logics, (logic) =>
        Effect.flatMap(isFollowed(functions, contract, logic), (is) =>
          is ? Effect.succeed(true) : GuardHolders.delegatesForNobody(sources, logic)
        )
      )
    ])
    const isKnown = code.resolved && followed.every((is) => is) && !isAmbiguous
    const value: OwnershipState = { owner, takeovers: found.takeovers, complete: found.complete && isKnown }
    return Option.some({ value, observation })
  })

  return Ownership.of({ of: yield* OncePerKey.make((address: Address.Address) => address, read) })
})

/** Reads the variables that functions which write the owner require, and the accounts in them. */
export const layer: Layer.Layer<Ownership, never, ChainState | CodeReadings | Control | Functions> = Layer.scoped(
  Ownership,
  make
)

/** The owner that a contract names, by the first of three reads that names one. A failed read counts if none does. */
const ownerOf = (
  state: ChainState["Type"],
  address: Address.Address
): Effect.Effect<Option.Option<Address.Address>, ChainError> =>
  Effect.gen(function* () {
    const { getOwner, owner } = Selectors.functions
    const reads = yield* Together.all([
      Effect.either(Getter.account(state, address, owner)),
      Effect.either(Getter.account(state, address, getOwner)),
      Effect.either(
        Effect.map(state.storage(address, Slots.ownable), (word) => Reading.map(word, Getter.storedAddress))
      )
    ])
    const named = Option.firstSomeOf(reads.map((read) => Option.flatMap(Either.getRight(read), ({ value }) => value)))
    if (Option.isNone(named)) yield* Either.all(reads)
    return named
  })

/** Whether one of the variables of the owner holds another account, which a getter may name at another time. */
const holdsAnother = (
  state: ChainState["Type"],
  { address, owner, variables }: OwnedContract.OwnedContract
): Effect.Effect<boolean, ChainError> => {
  const places = variables.flatMap(({ mask, slot }) =>
    Option.toArray(Option.all([StoredVariable.slotOf(slot), StoredVariable.addressFieldOf(mask)]))
  )
  return Effect.map(
    Together.forEach(places, ([slot, field]) =>
      Effect.map(state.storage(address, slot), ({ value }) => StoredVariable.accountIn(value, field))
    ),
    (holders) => holders.some((holder) => holder !== owner && !Code.isDead(holder))
  )
}

/** Whether all of a code was read, but for libraries that do not write and foreign code that runs for the owner alone. */
const isFollowed = (
  functions: Functions["Type"],
  contract: OwnedContract.OwnedContract,
  logic: LogicContract
): Effect.Effect<boolean> =>
  Effect.map(functions.linked(logic), (linked) => {
    const { flow } = Option.getOrElse(linked, () => logic)
    return (
      flow.completeness.gaps.every((gap) => gap === "delegatecall") &&
      DelegatecallTarget.of(flow).every(({ guards }) =>
        guards.some((guard) => guard.always && OwnedContract.isOwnerGuard(contract, guard))
      )
    )
  })

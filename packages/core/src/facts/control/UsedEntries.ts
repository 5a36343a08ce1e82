/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as StandardPower from "../../evm/powers/balance/StandardPower.js"
import type { Place } from "../../evm/summary/conditions/FieldMask.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import { type Guard, isUnasked } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, StorageFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as Together from "../../runtime/Together.js"
import type { LogicContract } from "../code/LogicContract.js"
import type * as OneShotGuards from "../code/OneShotGuards.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as SpentOneShots from "../code/SpentOneShots.js"
import * as EntryGuards from "./EntryGuards.js"

/** Whether functions of a contract are used up: an initializer that ran is a power of nobody any more. */
export interface UsedEntries {
  /** Whether the function no longer gives anything to a caller that passes this guard, in any code. */
  readonly isUsed: (guard: EntryGuards.EntryGuard) => Effect.Effect<boolean, ChainError>
  /** Whether any account can still write an account into the variable that a guard compares with. */
  readonly isFilledByAnyone: (guard: Guard) => Effect.Effect<boolean, ChainError>
  /** A code without the used-up functions by which any caller could enter accounts into the lists of its guards. */
  readonly withoutUsed: (logic: LogicContract) => Effect.Effect<StorageFlow, ChainError>
}

/** Reads the variables that say whether a function was used. */
export const make = (contract: OneShotGuards.Contract): UsedEntries => {
  const isUsedUp = (logic: LogicContract, selector: FunctionFlow["selector"]): Effect.Effect<boolean, ChainError> =>
    SpentOneShots.isUsed(contract, logic, selector)

  const isUsedIn = (guard: EntryGuards.EntryGuard, logic: LogicContract): Effect.Effect<boolean, ChainError> =>
    guard.selector !== "fallback" && Selectors.erc20.has(guard.selector)
      ? Effect.map(SpentOneShots.fromNowOn(contract, logic, guard.selector), (entries) =>
          isGivenNoMore(logic, entries, guard)
        )
      : isUsedUp(logic, guard.selector)

  const isFilledByAnyone = (guard: Guard): Effect.Effect<boolean, ChainError> => {
    if (guard.kind !== "slot") return Effect.succeed(false)
    const fillers = contract.logics.flatMap((logic) =>
      logic.flow.functions
        .filter(({ writes }) => writes.some((write) => isUnasked(write) && fills(write, guard)))
        .map(({ selector }) => ({ logic, selector }))
    )
    return Effect.map(
      Together.forEach(fillers, ({ logic, selector }) => isUsedUp(logic, selector)),
      (used) => used.some((isOver) => !isOver)
    )
  }

  const withoutUsed = (logic: LogicContract): Effect.Effect<StorageFlow, ChainError> => {
    const lists = listsIn(logic.flow)
    return Effect.map(
      Together.forEach(logic.flow.functions, (entry) =>
        entersAnyone(entry, lists)
          ? Effect.map(isUsedUp(logic, entry.selector), (isOver) => (isOver ? { ...entry, writes: [] } : entry))
          : Effect.succeed(entry)
      ),
      (functions) => ({ ...logic.flow, functions })
    )
  }

  return {
    isUsed: (guard) =>
      guard.destroys
        ? Effect.succeed(false)
        : Effect.map(
            Together.forEach(guard.logics, (logic) => isUsedIn(guard, logic)),
            (used) => used.every((isOver) => isOver)
          ),
    isFilledByAnyone,
    withoutUsed
  }
}

/** Whether a function of the ERC-20 standard, as its one-shot conditions are from now on, no longer has a guard. */
const isGivenNoMore = (
  { flow }: LogicContract,
  entries: ReadonlyArray<FunctionFlow>,
  guard: StandardPower.AskedCaller
): boolean => {
  const givenBy = StandardPower.makeReader(flow, TokenBooks.of(flow))
  return (
    entries.length > 0 &&
    entries.every((entry) => entry.complete && !givenBy(entry).some((other) => EntryGuards.isSame(other, guard)))
  )
}

/** Whether a write may put an account into the variable that a guard compares with. */
const fills = ({ change, mask, slot }: Write, guard: Place): boolean =>
  PresentFlow.isSame(slot, guard.slot) &&
  FieldMask.overlap(mask, FieldMask.maskOf(guard.field)) &&
  change.kind !== "clear" &&
  change.kind !== "keep" &&
  !(
    change.amount.length > 0 &&
    change.amount.every((origin) => origin.kind === "constant" && BigInt(origin.value) === 0n)
  )

/** The mappings that guards look the caller up in. */
const listsIn = ({ functions }: StorageFlow): ReadonlySet<string> =>
  new Set(
    functions.flatMap(({ calls, writes }) =>
      [...writes, ...calls].flatMap(({ guards }) =>
        guards.flatMap((guard) => (guard.kind === "entry" ? [guard.slot] : []))
      )
    )
  )

/** Whether a function that anyone can call enters accounts into one of some lists, beside what ERC-20 defines. */
const entersAnyone = ({ selector, writes }: FunctionFlow, lists: ReadonlySet<string>): boolean =>
  !Selectors.erc20.has(selector) &&
  writes.some((write) => lists.has(write.slot) && isUnasked(write) && write.change.kind !== "clear")

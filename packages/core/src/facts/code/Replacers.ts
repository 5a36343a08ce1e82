/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, StorageFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as Code from "./Code.js"
import type { CodeReadings } from "./CodeReadings.js"
import type { LogicContract } from "./LogicContract.js"
import type * as OneShotGuards from "./OneShotGuards.js"
import * as PresentFlow from "./PresentFlow.js"
import * as SpentOneShots from "./SpentOneShots.js"
import * as StoredVariable from "./StoredVariable.js"

/**
 * Who can set the variable that names a contract's code: by the guards of the functions that set it, and of those that
 * set these guards. `accounts` are those of them that may have a key. `complete` says that there are no others; with no
 * accounts this is certain. `found` is false where no function sets the variable at all.
 */
export interface Replacers {
  readonly accounts: ReadonlyArray<Address>
  readonly complete: boolean
  readonly found: boolean
}

/** The contract that keeps the variable, and the codes that run on its storage. */
interface Contract extends OneShotGuards.Contract {
  /** Accounts that getters named and that are not dead, by the variable that the getter returns. */
  readonly named?: ReadonlyMap<string, Address> | undefined
}

/**
 * Finds who can set a variable of one word. It costs one storage read for each variable that names an account. `isByIt`
 * says whether delegated code is the one that the variable names; by default, the variable is the source of its
 * address.
 */
export const of = (
  contract: Contract,
  slot: Hex,
  isByIt: (logic: LogicContract, foreign: DelegatecallTarget.DelegatecallTarget) => boolean = (_, { target }) =>
    target.kind === "storage" && PresentFlow.isSame(target.slot, slot)
): Effect.Effect<Replacers, ChainError> => among(contract, waysTo(contract, slot, isByIt))

/** The ways to set a variable of one word, as {@link of} distinguishes them. */
export const waysTo = (
  { logics }: Pick<Contract, "logics">,
  slot: Hex,
  isByIt: (logic: LogicContract, foreign: DelegatecallTarget.DelegatecallTarget) => boolean
): ReadonlyArray<WayIn> =>
  logics.flatMap((logic) =>
    logic.flow.functions.flatMap((flow) => [
      ...flow.writes
        .filter((write) => isNaming(write, { slot, field: addressField }))
        .map(({ guards, shut }) => ({ logic, flow, guards, shut })),
      // Delegated code can set any variable; a linked library is part of the code.
      ...DelegatecallTarget.of({ ...logic.flow, functions: [flow] })
        .filter((foreign) => !isLinked(foreign) && !isByIt(logic, foreign))
        .map(({ guards }) => ({ logic, flow, guards, shut: false }))
    ])
  )

/** Nobody, as for a constant of the code. */
export const none: Replacers = { accounts: [], complete: true, found: false }

/** Those who can set one of two variables. */
export const either = (one: Replacers, other: Replacers): Replacers => ({
  accounts: [...new Set([...one.accounts, ...other.accounts])].sort(),
  complete: one.complete && other.complete,
  found: one.found || other.found
})

/** Finds who can use one of some ways, now or after an account was given the role that they require. */
export const among = (contract: Contract, ways: ReadonlyArray<WayIn>): Effect.Effect<Replacers, ChainError> =>
  // Used-up functions cost extra reads, and matter only where nobody else is left.
  Effect.flatMap(
    passingBy(contract, ways, () => Effect.succeed(false)),
    (found) =>
      found.complete || found.accounts.length > 0
        ? Effect.succeed(found)
        : passingBy(contract, ways, (logic, selector) => SpentOneShots.isUsed(contract, logic, selector))
  )

const passingBy = (
  contract: Contract,
  ways: ReadonlyArray<WayIn>,
  isUsed: (logic: LogicContract, selector: FunctionFlow["selector"]) => Effect.Effect<boolean, ChainError>
): Effect.Effect<Replacers, ChainError> =>
  Effect.gen(function* () {
    const { address, logics, state } = contract
    const entries = logics.flatMap((logic) => logic.flow.functions.map((flow) => ({ logic, flow })))
    const placesOf = (variable: Variable) =>
      entries.flatMap(({ flow, logic }) =>
        flow.writes.filter((write) => isNaming(write, variable)).map((write) => ({ logic, flow, write }))
      )
    const isOnlyOf = (write: Way, { field, slot: own }: Variable): boolean =>
      write.guards.some(
        (guard) =>
          guard.kind === "slot" &&
          guard.always &&
          PresentFlow.isSame(guard.slot, own) &&
          FieldMask.overlap(FieldMask.maskOf(guard.field), FieldMask.maskOf(field))
      )

    const through = (guard: Guard, seen: ReadonlyArray<Variable>): Effect.Effect<Passing, ChainError> => {
      switch (guard.kind) {
        case "constant":
          return Effect.succeed({ accounts: Code.isDead(guard.address) ? [] : [guard.address], complete: true })
        case "slot":
          return inVariable(guard, seen)
        default:
          return Effect.succeed(untold)
      }
    }

    const inVariable = (variable: Variable, seen: ReadonlyArray<Variable>): Effect.Effect<Passing, ChainError> =>
      Option.match(StoredVariable.slotOf(variable.slot), {
        onNone: () => Effect.succeed(untold),
        onSome: (place) =>
          Effect.gen(function* () {
            const holder =
              contract.named?.get(variable.slot) ??
              StoredVariable.accountIn((yield* state.storage(address, place)).value, variable.field)
            const isDead = Code.isDead(holder)
            const entered = [...seen, variable]
            // A transfer of the role by its present holder is his own decision, in one step or in two.
            const isHandedOn = (write: Way): boolean =>
              isOnlyOf(write, variable) ||
              (!isDead &&
                write.guards.some((guard) => {
                  const own = guard.kind === "slot" && guard.always ? placesOf(guard) : []
                  return own.length > 0 && own.every((place) => isOnlyOf(place.write, variable))
                }))
            const naming = placesOf(variable).filter(
              ({ write }) => !isHandedOn(write) && !seen.some((earlier) => isOnlyOf(write, earlier))
            )
            const others = yield* Effect.forEach(naming, ({ flow, logic, write }) => along(logic, flow, write, entered))
            return union([{ accounts: isDead ? [] : [holder], complete: true }, ...others])
          })
      })

    /**
     * Who can use a way: an account has to pass all conditions that are on every path, or else one of the alternatives.
     */
    const along = (
      logic: LogicContract,
      { selector }: FunctionFlow,
      { guards, shut }: Way,
      seen: ReadonlyArray<Variable>
    ): Effect.Effect<Passing, ChainError> =>
      Effect.gen(function* () {
        if (seen.length > stepsAtMost) return untold
        const always = guards.filter((guard) => guard.always)
        if (always.length > 0) {
          const each = yield* Effect.forEach(always, (guard) => through(guard, seen))
          const [strictest] = each
            .filter((passing) => passing.complete)
            .sort((a, b) => a.accounts.length - b.accounts.length)
          return strictest ?? untold
        }
        if (shut && guards.length > 0) return union(yield* Effect.forEach(guards, (guard) => through(guard, seen)))
        // An initialiser that was used sets nothing any more.
        return (yield* isUsed(logic, selector)) ? nobody : untold
      })

    const each = yield* Effect.forEach(ways, ({ flow, logic, ...way }) => along(logic, flow, way, []))
    const { accounts, complete } = union(each)
    return { accounts, complete, found: ways.length > 0 }
  })

/**
 * A code with the functions that it looks for only after it knows its caller, as a proxy does for its administrator.
 */
export const withHidden = (flows: CodeReadings["Type"], logic: LogicContract): Effect.Effect<LogicContract> => {
  const { code, flow } = logic
  const isHidden = (selector: Hex): boolean => !flow.functions.some((entry) => entry.selector === selector)
  return flow.completeness.attributedSstore === flow.completeness.totalSstore
    ? Effect.succeed(logic)
    : Effect.map(
        Effect.forEach(ownSelectors.filter(isHidden), (selector) => flows.at(code, selector, new Map())),
        (found) => ({ ...logic, flow: { ...flow, functions: [...flow.functions, ...found] } })
      )
}

/** The variable that a getter returns, where it names an account that is not dead. */
export const namedBy = (flow: StorageFlow, getter: Hex, account: Address | undefined): ReadonlyMap<string, Address> => {
  const [variable, ...others] = flow.functions.find(({ selector }) => selector === getter)?.returns ?? []
  return account === undefined || Code.isDead(account) || variable === undefined || others.length > 0
    ? new Map()
    : new Map([[variable.slot, account]])
}

/** Whether all paths of a code's functions were followed and all of their writes located. */
export const isFollowed = ({ completeness, functions }: StorageFlow): boolean =>
  completeness.gaps.every((gap) => gap === "delegatecall") && functions.every(({ complete }) => complete)

/** Whether a function of a code writes to an unknown slot, which may be any variable. */
export const writesAnywhere = ({ completeness }: StorageFlow): boolean => completeness.gaps.includes("write_location")

/** Whether every instruction of a code that writes is one of a function that was followed. */
export const isAllFound = ({ completeness, functions }: StorageFlow): boolean =>
  new Set(functions.flatMap(({ writes }) => writes.map(({ offset }) => offset))).size >= completeness.totalSstore

const ownSelectors: ReadonlyArray<Hex> = [
  Selectors.functions.upgradeToAndCall,
  Selectors.functions.upgradeTo,
  Selectors.selector("changeAdmin(address)")
]

type Variable = FieldMask.Place

/** The conditions of a write or a call on its caller. */
type Way = Pick<Write, "guards" | "shut">

/** The conditions of a way on its caller, with the function in its code. */
export interface WayIn extends Way {
  readonly logic: LogicContract
  readonly flow: FunctionFlow
}

interface Passing {
  readonly accounts: ReadonlyArray<Address>
  readonly complete: boolean
}

const nobody: Passing = { accounts: [], complete: true }

const untold: Passing = { accounts: [], complete: false }

const union = (each: ReadonlyArray<Passing>): Passing => ({
  accounts: [...new Set(each.flatMap(({ accounts }) => accounts))].sort(),
  complete: each.every(({ complete }) => complete)
})

/** An address is at the low end of its word. */
const addressField = { offset: 0, size: 20 }

/** Whether a write may put an account into a variable. */
const isNaming = ({ change, mask, slot }: Write, variable: Variable): boolean =>
  PresentFlow.isSame(slot, variable.slot) &&
  FieldMask.overlap(mask, FieldMask.maskOf(variable.field)) &&
  change.kind !== "clear" &&
  change.kind !== "keep"

const isLinked = ({ selector, target }: DelegatecallTarget.DelegatecallTarget): boolean =>
  target.kind === "constant" && selector !== "fallback"

/** Variables that say who may set another one, which does so for the next. */
const stepsAtMost = 4

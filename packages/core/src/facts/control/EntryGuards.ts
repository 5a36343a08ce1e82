/** @internal */

import { Array as Arrays, Effect } from "effect"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Destruction from "../../evm/patterns/Destruction.js"
import * as StandardPower from "../../evm/powers/balance/StandardPower.js"
import * as CallerDependence from "../../evm/summary/conditions/CallerDependence.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Access from "../../evm/token/Access.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import type { LogicContract } from "../code/LogicContract.js"

/**
 * A guard of a function: a condition on its caller, and what the function gives to a caller that passes it.
 *
 * - `logics`: the codes in which the function has this guard.
 * - `isList`: the guard is a list that an account fills, and no event or getter names its members.
 * - `destroys`: the function can destroy the contract.
 */
export interface EntryGuard extends StandardPower.AskedCaller {
  readonly selector: FunctionFlow["selector"]
  readonly logics: ReadonlyArray<LogicContract>
  readonly isList: boolean
  readonly destroys: boolean
}

/**
 * The guards in all code that answers for a contract, each once. `asUsed` is what each code does without functions that
 * are used up. `hasRoles` says that the members of its roles are known by events.
 */
export const of = (
  flows: CodeReadings["Type"],
  logics: ReadonlyArray<LogicContract>,
  asUsed: ReadonlyArray<StorageFlow>,
  hasRoles: boolean
): Effect.Effect<ReadonlyArray<EntryGuard>> =>
  Effect.map(
    Effect.forEach(logics, (logic) => guardsOfDestruction(flows, logic)),
    (each) => {
      const destroying = each.flat()
      const destroyers = new Set(destroying.map(({ selector }) => selector))
      const listed = hasRoles ? roleMappings(logics) : new Set<string>()
      const found = [
        ...logics.flatMap((logic, place) => guardsIn(logic, asUsed[place] ?? logic.flow, listed)),
        ...destroying
      ]
      return Object.values(Arrays.groupBy(found, nameOf)).map((alike) => ({
        ...alike[0],
        logics: alike.flatMap(({ logics: one }) => one),
        destroys: destroyers.has(alike[0].selector)
      }))
    }
  )

/** Whether two conditions and what they give are the same. */
export const isSame = (one: StandardPower.AskedCaller, other: StandardPower.AskedCaller): boolean =>
  one.gives === other.gives && JSON.stringify(one.guard) === JSON.stringify(other.guard)

type Found = Omit<EntryGuard, "destroys">

const nameOf = ({ gives, guard, selector }: Found): string => JSON.stringify([selector, guard, gives])

const guardsIn = (logic: LogicContract, asUsed: StorageFlow, listed: ReadonlySet<string>): ReadonlyArray<Found> => {
  const { flow } = logic
  const token = TokenBooks.of(flow)
  const givenBy = StandardPower.makeReader(flow, token)
  const isOpenList = (guard: Guard): boolean =>
    guard.kind === "entry" &&
    !listed.has(guard.slot) &&
    [flow, asUsed].some((one) => Access.isPrivilege(one, token, guard))
  return flow.functions.flatMap((entry): ReadonlyArray<Found> => {
    const { selector } = entry
    const isStandard = Selectors.erc20.has(selector)
    const isAsked = (guard: Guard): boolean => guard.always || isOneOfSeveral(entry, guard)
    return [
      ...givenBy(entry).map(({ gives, guard }) => ({
        selector,
        guard,
        gives,
        logics: [logic],
        isList: !isStandard && isAsked(guard) && isOpenList(guard)
      })),
      ...guardsBeside(entry, token).map((guard) => ({
        selector,
        guard,
        gives: "rule" as const,
        logics: [logic],
        isList: isOpenList(guard)
      }))
    ]
  })
}

/** Other conditions of a function on its caller. */
const guardsBeside = (entry: FunctionFlow, token: TokenBooks.TokenBooks): ReadonlyArray<Guard> =>
  Selectors.erc20.has(entry.selector)
    ? (entry.callerComparisons ?? [])
    : [...CallerDependence.besideGuards(entry), ...Access.allotments(entry, token), ...Access.favours(entry, token)]

const guardsOfDestruction = (
  flows: CodeReadings["Type"],
  { code, flow, reach }: LogicContract
): Effect.Effect<ReadonlyArray<Found>> =>
  Bytecode.presence(reach, "SELFDESTRUCT") !== "present"
    ? Effect.succeed([])
    : Effect.map(
        flows.read(code, (model) =>
          Destruction.of(
            model,
            flow.functions.map(({ selector }) => selector)
          )
        ),
        (found) =>
          found.flatMap(({ guards, selector }) =>
            guards.map((guard) => ({ selector, guard, gives: "rule", logics: [], isList: false }))
          )
      )

/** The mappings that `hasRole` answers from: events name their members. */
export const roleMappings = (logics: ReadonlyArray<LogicContract>): ReadonlySet<string> =>
  new Set(
    logics.flatMap(({ flow }) =>
      flow.functions.flatMap(({ returns = [], selector }) =>
        selector === Selectors.functions.hasRole ? returns.map(({ slot }) => slot) : []
      )
    )
  )

/** Whether every caller has to pass one of several guards, and this is one of them. */
const isOneOfSeveral = ({ calls, writes }: FunctionFlow, guard: Guard): boolean => {
  const name = JSON.stringify(guard)
  return [...writes, ...calls].some(
    ({ guards, shut }) =>
      shut && !guards.some(({ always }) => always) && guards.some((other) => JSON.stringify(other) === name)
  )
}

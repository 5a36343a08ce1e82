/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, StorageFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import { isDead } from "../code/Code.js"
import type * as Functions from "../code/Functions.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as Roles from "./Roles.js"

/** An account that can make another one act: by which power, and how many seconds it has to wait each time. */
export interface Principal {
  readonly power: string
  readonly account: Address.Address
  readonly delay: number
}

/**
 * Those who can make an account act in one way: `complete` says that they are all, `lost` why a read failed that
 * may have named others.
 */
export interface Planners {
  readonly principals: ReadonlyArray<Principal>
  readonly complete: boolean
  readonly lost: Option.Option<UnknownReason>
}

/** The accounts that getters name, and those of them that are known to be in a variable, by slot and offset. */
export interface Named {
  readonly all: ReadonlyArray<Principal>
  /** Whether the accounts that the contract lists are all, as in published code. */
  readonly isTold: boolean
  readonly variables: ReadonlyMap<string, Principal>
}

/** All code that answers for an account, and who may replace it. */
export interface Answering {
  readonly logics: ReadonlyArray<Functions.LogicContract>
  readonly resolved: boolean
  readonly upgrade: Planners & { readonly anyone: boolean }
}

/**
 * The ways to make a contract act at once and who can go them. `anyone` says that everybody makes it do what he wants,
 * `keepsRules` that everybody makes it do what its code allows.
 */
export interface Commanding extends Planners {
  readonly commands: ReadonlyArray<ArbitraryCall.Command>
  readonly anyone: boolean
  readonly keepsRules: boolean
}

/** Who can make a contract act, by its code. */
export interface CallAuthorities {
  /** Who gets through the conditions of one way to make a contract act. */
  readonly of: (
    account: Address.Address,
    known: Named,
    command: ArbitraryCall.Command
  ) => Effect.Effect<Planners, ChainError>
  /** Who can set the accounts in variables that some commands require, and who can set those in turn. */
  readonly appointing: (
    account: Address.Address,
    known: Named,
    logics: Answering["logics"],
    commands: ReadonlyArray<ArbitraryCall.Command>
  ) => Effect.Effect<Planners, ChainError>
  /** Who can make it act at once, but by the functions that only act after a delay. */
  readonly all: (
    account: Address.Address,
    known: Named,
    answering: Answering,
    waits: ReadonlySet<string>
  ) => Effect.Effect<Commanding, ChainError>
  /** Who has one of some roles of a contract, or gives them. */
  readonly members: (account: Address.Address, asked: ReadonlyArray<Hex>) => Effect.Effect<Planners>
}

/**
 * Makes it over one view of a chain. `ahead` is called early with accounts that may turn out to be members, so that
 * their reads start before that is known.
 */
export const make = (
  state: ChainState["Type"],
  roles: Roles.Roles["Type"],
  ahead: (account: Address.Address) => Effect.Effect<unknown>
): CallAuthorities => {
  /** The account that one condition on the caller names; none where it names no one. */
  const namedBy = (
    account: Address.Address,
    known: Named,
    guard: Guard,
    selector: string
  ): Effect.Effect<Option.Option<Principal>, ChainError> => {
    const power = `function:${selector}`
    if (guard.kind === "constant") return Effect.succeedSome({ power, account: guard.address, delay: 0 })
    if (guard.kind !== "slot" || !PresentFlow.isVariable(guard.slot)) return Effect.succeedNone
    const told = known.variables.get(variableKey(guard.slot, guard.field?.offset ?? 0))
    if (told !== undefined) return Effect.succeedSome(told)
    return Effect.map(state.storage(account, Getter.word(guard.slot as Hex)), ({ value }) => {
      const holder = StoredVariable.accountIn(value, guard.field)
      return Option.some(known.all.find((each) => each.account === holder) ?? { power, account: holder, delay: 0 })
    })
  }

  const members = (account: Address.Address, asked: ReadonlyArray<Hex>): Effect.Effect<Planners> =>
    Effect.map(Together.all([Effect.either(roles.of(account)), ahead(account)]), ([found]) =>
      Either.match(found, {
        onLeft: ({ reason }) => ({ principals: [], complete: false, lost: Option.some(reason) }),
        onRight: ({ value }) => ({
          // Who gives out the role can give it to himself.
          principals: value.members
            .filter((member) => asked.includes(member.role) || member.role === adminRole)
            .filter((member) => member.account !== account && member.account !== Address.zero)
            .map((member) => ({ power: `role:${member.name}`, account: member.account, delay: 0 })),
          complete: value.present && value.complete,
          lost: value.complete ? Option.none() : Option.some(value.reason ?? "inconclusive")
        })
      })
    )

  const of = (
    account: Address.Address,
    known: Named,
    command: ArbitraryCall.Command
  ): Effect.Effect<Planners, ChainError> =>
    Effect.gen(function* () {
      const asked = command.guards.filter(({ always }) => always)
      const named = yield* Together.forEach(asked.length > 0 ? asked : command.guards, (guard) =>
        namedBy(account, known, guard, command.selector)
      )
      const found = named.flatMap(Option.toArray)
      const principals = found.filter((each) => !isDead(each.account))
      // One condition that nobody meets closes it, and one that names an account says who passes.
      if (asked.length > 0 && principals.length < found.length) return shut
      const [first] = principals
      if (asked.length > 0 && first !== undefined) return { ...shut, principals: [first] }
      if (command.roles.length > 0) {
        const appointed = yield* members(account, command.roles)
        return { ...appointed, complete: appointed.complete && asked.length > 0 && known.isTold }
      }
      return { principals, complete: false, lost: Option.none() }
    })

  const appointing = (
    account: Address.Address,
    known: Named,
    logics: Answering["logics"],
    commands: ReadonlyArray<ArbitraryCall.Command>
  ): Effect.Effect<Planners, ChainError> =>
    Effect.gen(function* () {
      const variables = (guards: ReadonlyArray<Guard>) =>
        guards.flatMap((guard) => (guard.kind === "slot" ? [guard.slot] : []))
      const pending = new Set(commands.flatMap(({ guards }) => variables(guards)))
      const found: Array<Effect.Effect<Planners, ChainError>> = []
      for (const slot of pending) {
        if (pending.size > variablesAtMost) return { ...shut, complete: false }
        for (const { flow } of logics) {
          for (const entry of flow.functions) {
            const { selector, writes } = entry
            for (const { change, guards, slot: written } of writes) {
              if (written !== slot || change.kind === "clear" || change.kind === "keep") continue
              // A call by the account to itself is covered by those who can make it call.
              if (isForItself(entry, guards)) continue
              for (const asked of variables(guards)) pending.add(asked)
              found.push(of(account, known, { selector, isChosen: true, isFree: true, guards, roles: [] }))
            }
          }
        }
      }
      const ways = yield* Together.all(found)
      return {
        principals: ways.flatMap(({ principals }) => principals),
        complete: ways.every(({ complete }) => complete),
        lost: Option.firstSomeOf(ways.map(({ lost }) => lost))
      }
    })

  const all = (
    account: Address.Address,
    known: Named,
    { logics, resolved, upgrade }: Answering,
    waits: ReadonlySet<string>
  ): Effect.Effect<Commanding, ChainError> =>
    Effect.gen(function* () {
      const isAtOnce = ({ selector }: ArbitraryCall.Command): boolean => !waits.has(selector)
      const others = logics.flatMap(({ flow }) => ArbitraryCall.of(flow)).filter(isAtOnce)
      const guardedOf = (some: ReadonlyArray<ArbitraryCall.Command>) => some.filter(({ guards }) => guards.length > 0)
      const ask = (some: ReadonlyArray<ArbitraryCall.Command>) =>
        Together.all([
          Together.forEach(guardedOf(some), (command) => of(account, known, command)),
          appointing(account, known, logics, guardedOf(some))
        ])
      const [asked, appointed] = yield* ask(others)
      const letsItself =
        logics.some(({ flow }) => flow.functions.some(asksForItself)) ||
        [...asked, appointed].some(({ principals }) => principals.some((each) => each.account === account))
      const own = letsItself ? logics.flatMap(({ flow }) => commandsOfItself(flow)).filter(isAtOnce) : []
      const [ofItself, appointedToIt] = yield* ask(own)
      const commands = [...others, ...own]
      const open = commands.filter(({ guards }) => guards.length === 0)
      const ways = [...asked, appointed, ...ofItself, appointedToIt, upgrade]
      return {
        commands,
        principals: unique(ways.flatMap(({ principals }) => principals)).filter((each) => each.account !== account),
        anyone: upgrade.anyone || open.some(({ isChosen, isFree }) => isChosen && isFree),
        keepsRules: open.some(({ isChosen, isFree }) => !(isChosen && isFree)),
        complete:
          resolved &&
          ways.every(({ complete }) => complete) &&
          logics.every(({ flow }) => flow.completeness.gaps.every((gap) => gap === "delegatecall")),
        lost: Option.firstSomeOf(ways.map(({ lost }) => lost))
      }
    })

  return { of, appointing, all, members }
}

/** The key of a variable in {@link Named}. */
export const variableKey = (slot: string, offset: number): string => `${slot} ${offset}`

/** A way that nobody can use. */
export const shut: Planners = { principals: [], complete: true, lost: Option.none() }

/** Whether a function is for the contract itself, as what a timelock changes about itself. */
const asksForItself = ({ gates }: FunctionFlow): boolean =>
  gates.some(({ about }) => about.includes("caller") && about.includes("self"))

const isForItself = (entry: FunctionFlow, guards: Write["guards"]): boolean =>
  asksForItself(entry) && guards.some(({ always, kind }) => always && kind === "unknown")

/**
 * Every way to make a contract call one of its own functions that may require the contract as caller. The caller may
 * choose the function.
 */
const commandsOfItself = (flow: StorageFlow): ReadonlyArray<ArbitraryCall.Command> =>
  flow.functions.flatMap((entry) =>
    entry.calls.flatMap(
      ({ guards, kind, order, target }): ReadonlyArray<ArbitraryCall.Command> =>
        kind === "call" &&
        target.some((origin) => origin.kind === "self") &&
        (order?.selector === undefined ||
          flow.functions.some(
            (other) =>
              other.selector === order.selector &&
              [...other.calls, ...other.writes].some((guarded) => guarded.guards.length > 0)
          ))
          ? [
              {
                selector: entry.selector,
                isChosen: order?.selector === undefined,
                isFree: entry.gates.every(({ reads }) => reads.length === 0),
                guards,
                roles: guards.flatMap((guard) =>
                  guard.kind === "entry" ? ArbitraryCall.rolesOf(entry, guard.slot) : []
                )
              }
            ]
          : []
    )
  )

const adminRole = Roles.roleHash("DEFAULT_ADMIN_ROLE")

const variablesAtMost = 8

/** Each of them once. */
export const unique = (principals: ReadonlyArray<Principal>): ReadonlyArray<Principal> => [
  ...new Map(principals.map((each) => [`${each.power} ${each.account} ${each.delay}`, each])).values()
]

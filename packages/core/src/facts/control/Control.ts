/** @internal */

import { Array as Arrays, Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { ControlGraph } from "../../domain/facts/ControlGraph.js"
import type { Hex } from "../../domain/Hex.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import type { Code } from "../code/Code.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as Forwarders from "../code/Forwarders.js"
import * as Functions from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as AccessManagerRoles from "./AccessManagerRoles.js"
import * as CallableFunctions from "./CallableFunctions.js"
import * as CallerGuards from "./CallerGuards.js"
import * as Decision from "./ControlDecision.js"
import * as DecisionBody from "./DecisionBody.js"
import * as DirectHolders from "./DirectHolders.js"
import * as EmptiedRoles from "./EmptiedRoles.js"
import * as GraphReading from "./GraphReading.js"
import * as OwnCallers from "./OwnCallers.js"
import * as PlannedChanges from "./PlannedChanges.js"
import * as Principals from "./Principals.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"
import * as ScheduledOperations from "./ScheduledOperations.js"
import * as Surroundings from "./Surroundings.js"
import * as UnlistedEntries from "./UnlistedEntries.js"
import * as Upgraders from "./Upgraders.js"

/** Who controls a contract: the accounts with a power over it, followed to the accounts that decide. */
export class Control extends Context.Tag("@assay/core/Control")<
  Control,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading.Reading<ControlGraph>, ChainError>
    /** Who decides for one account; `unknown` where that is not known. */
    readonly classify: (account: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /** Like `classify`, without delays: one key behind a timelock is one key. */
    readonly inTheEnd: (account: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /**
     * Runs an effect for every account with a direct power, for those behind an admin, and for everybody who was ever
     * granted a role. Each runs as soon as the account is known, so it takes no level after the graph.
     */
    readonly each: <A>(
      address: Address.Address,
      ask: (account: Address.Address) => Effect.Effect<A, ChainError>
    ) => Effect.Effect<ReadonlyArray<A>, ChainError>
    /** The scheduled and pending changes of a contract; none if no account has to wait. */
    readonly planned: (
      address: Address.Address
    ) => Effect.Effect<Option.Option<Reading.Reading<PlannedChanges.PlannedChanges>>, ChainError>
    /** The accounts that can replace the code of a proxy. `complete` means that there are no others. */
    readonly upgraders: (address: Address.Address) => Effect.Effect<Upgraders.UpgraderSet, ChainError>
    /** Who passes a guard of a contract's function; `unknown` where the code does not show it. */
    readonly passing: (
      address: Address.Address,
      guard: Guard
    ) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /** Who can make a contract call its own functions, and so has what only the contract may do: `dead` where nobody can. */
    readonly itself: (address: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /** Who decides what a governor or a timelock does; none for any other contract. */
    readonly body: (
      address: Address.Address
    ) => Effect.Effect<Option.Option<Reading.Reading<Controller.Controller>>, ChainError>
    /**
     * Whether a guard of a contract requires a role that has no members left by its events, which may be incomplete.
     */
    readonly isEmptied: (address: Address.Address, guard: Guard) => Effect.Effect<boolean, ChainError>
    /** Whether an account may call this function of another contract; false only where its code shows that it cannot. */
    readonly mayCall: (account: Address.Address, selector: Hex) => Effect.Effect<boolean, ChainError>
    /** Who passes all guards that a function always checks; any account if it always checks none. */
    readonly throughAll: (
      address: Address.Address,
      guards: ReadonlyArray<Guard>
    ) => Effect.Effect<Controller.Controller, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const state = yield* ChainState
  const operations = yield* ScheduledOperations.ScheduledOperations
  const sources: GraphReading.Sources = {
    state,
    safe: yield* Safe,
    principals: yield* Principals.Principals,
    upgraders: yield* Upgraders.Upgraders,
    proxy: yield* Proxy,
    roles: yield* Roles.Roles,
    callers: yield* CallerGuards.CallerGuards,
    functions: yield* Functions.Functions,
    flows: yield* CodeReadings,
    managers: yield* AccessManagerRoles.AccessManagerRoles
  }

  // Pending operations are read before it is known whether they matter, which saves a level. Nothing waits for them here.
  const readOperations = (timelock: Address.Address) =>
    Effect.asVoid(Effect.forkIn(Effect.ignore(operations.of(timelock)), scope))

  const graphOf = yield* OncePerKey.make(
    (address: Address.Address) => address,
    Effect.fn("Control.of")((address: Address.Address) => GraphReading.of(sources, address, readOperations))
  )

  const decided =
    (decide: typeof Decision.decide) =>
    (account: Address.Address): Effect.Effect<Reading.Reading<Controller.Controller>, ChainError> =>
      Effect.gen(function* () {
        const { observation } = yield* sources.principals.of(account)
        const exploration = Surroundings.make(sources.principals, account)
        yield* exploration.fromTarget
        return { value: decide(exploration.around, account)(account), observation }
      })

  const classify = Effect.fn("Control.classify")(decided(Decision.decide))

  const inTheEnd = Effect.fn("Control.inTheEnd")(decided(Decision.decideInTheEnd))

  const planned = Effect.fn("Control.planned")(function* (address: Address.Address) {
    return yield* PlannedChanges.read({ state, operations }, address, yield* graphOf(address))
  })

  const upgraders = Effect.fn("Control.upgraders")(function* (address: Address.Address) {
    const { value: graph } = yield* graphOf(address)
    return yield* sources.upgraders.of(address, graph)
  })

  /** Who decides for an account that passes a guard. A forwarder that only names senders who have signed acts for nobody. */
  const through = (guard: Guard, account: Address.Address) =>
    Effect.gen(function* () {
      if (!guard.forwards || (yield* Forwarders.naming(state, account)) !== "signers") return yield* classify(account)
      const code = yield* state.code(account)
      return Reading.map(code, () => Controller.make("dead", { address: account }))
    })

  const ownCallers: OwnCallers.Sources = { functions: sources.functions, callers: sources.callers, classify, graphOf }

  const itself = yield* OncePerKey.make(
    (address: Address.Address) => address,
    Effect.fn("Control.itself")((address: Address.Address) => OwnCallers.of(ownCallers, address))
  )

  const passing = Effect.fn("Control.passing")(function* (address: Address.Address, guard: Guard) {
    if (guard.kind === "constant") return yield* through(guard, guard.address)
    if (guard.kind === "unknown" && guard.isSelf) return yield* itself(address)
    const account = yield* sources.callers.account(address, guard)
    if (Option.isSome(account)) {
      const isItself = account.value.value === address
      const { value } = yield* isItself ? itself(address) : through(guard, account.value.value)
      return Reading.map(account.value, () => value)
    }
    return Reading.map(yield* graphOf(address), OwnCallers.weakestListed)
  })

  const throughAll = Effect.fn("Control.throughAll")(function* (
    address: Address.Address,
    guards: ReadonlyArray<Guard>
  ) {
    const always = guards.filter((guard) => guard.always)
    const controllers = yield* Together.forEach(always, (guard) => passing(address, guard))
    // Who passes all guards passes the strictest one.
    const [strictest] = controllers
      .map(({ value }) => value)
      .sort((a, b) => Controller.exposure(a) - Controller.exposure(b))
    return strictest ?? Controller.make("eoa")
  })

  return Control.of({
    of: graphOf,
    classify,
    inTheEnd,
    each: (address, ask) => askEach(sources, address, ask),
    planned,
    upgraders,
    passing,
    itself,
    body: (address) => DecisionBody.of({ ...sources, classify }, address),
    isEmptied: (address, guard) => EmptiedRoles.includes(sources, address, guard),
    mayCall: (account, selector) => CallableFunctions.includes(sources, account, selector),
    throughAll
  })
})

/**
 * Reads who holds a power in one level, and who stands behind each holder in one level a step: two levels for those who
 * schedule with a timelock and for the members of a role.
 */
export const layer: Layer.Layer<Control, never, ChainState | Code | CodeReadings | Proxy | Safe> = Layer.scoped(
  Control,
  make
).pipe(
  Layer.provide(Layer.mergeAll(Principals.layer, CallerGuards.layer, Upgraders.layer, ScheduledOperations.layer)),
  Layer.provide(Layer.mergeAll(Roles.layer, Functions.layer, AccessManagerRoles.layer, UnlistedEntries.layer))
)

/** Runs an effect once for each account: of each list as soon as that list is known, then of those behind its accounts. */
const askEach = <A>(
  sources: GraphReading.Sources,
  address: Address.Address,
  ask: (account: Address.Address) => Effect.Effect<A, ChainError>
): Effect.Effect<ReadonlyArray<A>, ChainError> => {
  const seen = new Set([address])
  const askNew = (accounts: ReadonlyArray<Address.Address>): Effect.Effect<ReadonlyArray<A>, ChainError> => {
    const fresh = Arrays.dedupe(accounts).filter((account) => !seen.has(account))
    for (const account of fresh) seen.add(account)
    return Together.forEach(fresh, ask)
  }
  const askBehind = (account: Address.Address) =>
    Effect.flatMap(sources.principals.of(account), ({ principals }) =>
      askNew(principals.map((principal) => principal.account))
    )
  const asked = [
    ...DirectHolders.early(sources, address).map((list) =>
      Effect.flatMap(list, (accounts) => Together.all([askNew(accounts), ...accounts.map(askBehind)]))
    ),
    Effect.flatMap(sources.proxy.of(address), ({ value: { upgrade_authority: authority } }) =>
      Together.all([askNew(authority === null ? [] : [authority])])
    ),
    Effect.flatMap(sources.callers.of(address), ({ value: { holders } }) =>
      Together.all([askNew(holders.map(({ account }) => account))])
    )
  ]
  return Effect.map(Together.all(asked), (answers) => answers.flat(2))
}

import { Context, Effect, Either, Layer, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import { type ControlGap, type ControlGraph, decidingGaps } from "../../domain/facts/ControlGraph.js"
import type { ProxyStructure } from "../../domain/facts/ProxyStructure.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as GrantRecords from "../../evm/patterns/GrantRecords.js"
import * as RoleGetter from "../../evm/patterns/RoleGetter.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { Code } from "../code/Code.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as Forwarders from "../code/Forwarders.js"
import * as Functions from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import * as Getter from "../Getter.js"
import * as OncePerKey from "../OncePerKey.js"
import * as AccessManagers from "./AccessManagers.js"
import type * as CallAuthorities from "./CallAuthorities.js"
import * as CallerGuards from "./CallerGuards.js"
import * as Decision from "./ControlDecision.js"
import * as DirectHolders from "./DirectHolders.js"
import * as EffectiveCode from "./EffectiveCode.js"
import * as PlannedChanges from "./PlannedChanges.js"
import * as Principals from "./Principals.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"
import * as TimelockPlans from "./TimelockPlans.js"
import * as UnlistedEntries from "./UnlistedEntries.js"
import * as UpgradeRoles from "./UpgradeRoles.js"

/**
 * Who has power over a contract, followed to the accounts that decide.
 *
 * @since 0.1.0
 * @category services
 */
export class Control extends Context.Tag("@assay/core/Control")<
  Control,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading.Reading<ControlGraph>, ChainError>
    /** What kind of controller one account is, followed to the end; `unknown` where it cannot be told. */
    readonly classify: (account: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /** The same of who decides in the end, however long he has to wait: one key behind a timelock is one key. */
    readonly inTheEnd: (account: Address.Address) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /**
     * Asks something of every account that has a direct power, of those behind an admin, and of everybody who was ever
     * given a role: of each as soon as it is known, so that it costs no level after the graph.
     */
    readonly each: <A>(
      address: Address.Address,
      ask: (account: Address.Address) => Effect.Effect<A, ChainError>
    ) => Effect.Effect<ReadonlyArray<A>, ChainError>
    /**
     * What accounts that make others wait were told to do to a contract and have not done: it can be done sooner than
     * they wait. None where nobody has to wait.
     */
    readonly planned: (
      address: Address.Address
    ) => Effect.Effect<Option.Option<Reading.Reading<PlannedChanges.PlannedChanges>>, ChainError>
    /** Who is asked before a proxy's code is replaced: `complete` says that nobody else is. */
    readonly upgraders: (
      address: Address.Address
    ) => Effect.Effect<{ readonly accounts: ReadonlyArray<Address.Address>; readonly complete: boolean }, ChainError>
    /** Who passes a condition on the caller of a contract's function; `unknown` where the code does not tell. */
    readonly passing: (
      address: Address.Address,
      guard: Guard
    ) => Effect.Effect<Reading.Reading<Controller.Controller>, ChainError>
    /** Who passes all of a function's conditions on its caller: anybody where none of them always holds. */
    readonly throughAll: (
      address: Address.Address,
      guards: ReadonlyArray<Guard>
    ) => Effect.Effect<Controller.Controller, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const state = yield* ChainState
  const proxy = yield* Proxy
  const safe = yield* Safe
  const roles = yield* Roles.Roles
  const principalsOf = yield* Principals.Principals
  const callers = yield* CallerGuards.CallerGuards
  const sources = {
    state,
    proxy,
    functions: yield* Functions.Functions,
    flows: yield* CodeReadings,
    managers: yield* AccessManagers.AccessManagers
  }

  const plansOf = yield* OncePerKey.make(
    (account: Address.Address) => account,
    Effect.fn("Control.plansOf")(function* (account: Address.Address) {
      const { observation, value: code } = yield* state.code(account)
      const answer = yield* EffectiveCode.of(sources, account, code)
      const flow = EffectiveCode.onlyFlow(answer)
      const [logic] = answer.logics
      const pattern = Option.flatMap(flow, TimelockPattern.of)
      const isPublished = EffectiveCode.isPublished(answer)
      if (Option.isSome(pattern) && logic !== undefined)
        return yield* TimelockPlans.ofTimelock(state, { account, logic, pattern: pattern.value, isPublished })
      if (Option.exists(flow, sources.managers.isManager)) return yield* TimelockPlans.ofManager(state, account)
      return { value: { open: [], lost: Option.none() }, observation }
    })
  )

  /** Looks at accounts and at those who stand next to them, each as soon as it is known. */
  const explore = (accounts: ReadonlyArray<Address.Address>, walk: Walk, distance: number): Effect.Effect<void> =>
    Effect.asVoid(
      Together.forEach(accounts, (account) =>
        Effect.suspend(() => {
          // Met again on a shorter way, it is looked at again, so that how far is seen depends on no order.
          if ((walk.distances.get(account) ?? Number.POSITIVE_INFINITY) <= distance) return Effect.void
          walk.distances.set(account, distance)
          return Effect.gen(function* () {
            const inspected = yield* Effect.either(principalsOf.of(account))
            const isWaiting = Either.isRight(inspected) && Decision.waits(inspected.right)
            const seen: Decision.Explored = { inspected, planners: Option.none() }
            walk.around.set(account, seen)
            yield* Together.all([
              next(seen, walk, distance),
              isWaiting ? walk.meet(account) : Effect.void,
              isWaiting
                ? Effect.flatMap(Effect.either(principalsOf.planners(account)), (planners) => {
                    const planned = { inspected, planners: Option.some(planners) }
                    walk.around.set(account, planned)
                    return next(planned, walk, distance)
                  })
                : Effect.void
            ])
          })
        })
      )
    )

  const next = (explored: Decision.Explored, walk: Walk, distance: number): Effect.Effect<void> =>
    distance >= distanceAtMost
      ? Effect.void
      : explore(
          Decision.links(explored).map(({ account }) => account),
          walk,
          distance + 1
        )

  /** Accounts with a direct power, in lists that are known at different times; the first ones before the graph is. */
  const early = (
    address: Address.Address
  ): ReadonlyArray<Effect.Effect<ReadonlyArray<Address.Address>, ChainError>> => [
    ...DirectHolders.named(state, address).map(({ read }) =>
      Effect.map(read, ({ value }) => value.map((holder) => holder.account))
    ),
    ...[Slots.admin, Slots.zeppelinOsAdmin, Slots.polygonOwner].map((slot) =>
      Effect.map(state.storage(address, slot), ({ value }) => Option.toArray(Getter.storedAddress(value)))
    ),
    roles.candidates(address)
  ]

  const each = <A>(
    address: Address.Address,
    ask: (account: Address.Address) => Effect.Effect<A, ChainError>
  ): Effect.Effect<ReadonlyArray<A>, ChainError> => {
    const seen = new Set<Address.Address>([address])
    const askAll = (accounts: ReadonlyArray<Address.Address>): Effect.Effect<ReadonlyArray<A>, ChainError> => {
      const fresh = [...new Set(accounts)].filter((account) => !seen.has(account))
      for (const account of fresh) seen.add(account)
      return Together.forEach(fresh, ask)
    }
    const beyond = (account: Address.Address) =>
      Effect.flatMap(principalsOf.of(account), ({ principals }) => askAll(principals.map((each) => each.account)))
    const lists = [
      ...early(address).map((list) =>
        Effect.flatMap(list, (accounts) =>
          Effect.map(Together.all([askAll(accounts), ...accounts.map(beyond)]), (answers) => answers.flat())
        )
      ),
      Effect.flatMap(proxy.of(address), ({ value }) =>
        askAll(value.upgrade_authority === null ? [] : [value.upgrade_authority])
      ),
      Effect.flatMap(callers.of(address), ({ value }) => askAll(value.holders.map((holder) => holder.account)))
    ]
    return Effect.map(Together.all(lists), (answers) => answers.flat())
  }

  /** Those who may call a contract by an AccessManager, without the delays that the contract does not ask for. */
  const asKept =
    (address: Address.Address) =>
    (
      holders: Reading.Reading<ReadonlyArray<CallAuthorities.Principal>>
    ): Effect.Effect<Reading.Reading<ReadonlyArray<CallAuthorities.Principal>>, ChainError> =>
      holders.value.every(({ delay }) => delay === 0)
        ? Effect.succeed(holders)
        : Effect.map(sources.functions.of(address), ({ value: { logics } }) =>
            logics.every(({ flow }) => sources.managers.keepsDelays(flow))
              ? holders
              : Reading.map(holders, (all) => all.map((each) => ({ ...each, delay: 0 })))
          )

  /** Whether a contract may give somebody a role that no event tells of, or deny that somebody has one. */
  const givesUntold = (address: Address.Address): Effect.Effect<boolean, ChainError> =>
    Effect.flatMap(roles.of(address), ({ value: { present } }) =>
      present
        ? Effect.flatMap(sources.functions.of(address), ({ value: { logics } }) =>
            Effect.map(
              Effect.forEach(logics, ({ code, flow }) =>
                Effect.zip(GrantRecords.missing(code, flow), RoleGetter.mayMislead(code, flow))
              ),
              (each) => each.some(([functions, isMisleading]) => functions.length > 0 || isMisleading)
            )
          )
        : Effect.succeed(false)
    )

  /** The roles that an implementation asks for before it is replaced; none of what asks its owner, or is no such proxy. */
  const upgradeRoles = yield* OncePerKey.make(
    (address: Address.Address) => address,
    (address): Effect.Effect<Option.Option<UpgradeRoles.UpgradeRoles>, ChainError> =>
      Effect.flatMap(proxy.of(address), ({ value: { implementations, upgrade, upgrade_authority: authority } }) =>
        upgrade !== "uups" || authority !== null
          ? Effect.succeedNone
          : Effect.flatMap(
              Together.forEach([address, ...implementations], (each) =>
                Effect.map(sources.functions.at(each), ({ value }) => value)
              ),
              (logics) => UpgradeRoles.of(state, sources.flows, address, logics)
            )
      )
  )

  const of = Effect.fn("Control.of")(function* (address: Address.Address) {
    // What the contract may do itself, somebody else has to make it do.
    const walk: Walk = {
      around: new Map(),
      distances: new Map([[address, 0]]),
      // What it was told is asked for before it is known whether it counts, so that it is no level of its own. Nobody waits
      // for it here.
      meet: (timelock) => Effect.asVoid(Effect.forkIn(Effect.ignore(plansOf(timelock)), scope))
    }
    const holders = (
      power: string,
      effect: Effect.Effect<Reading.Reading<ReadonlyArray<CallAuthorities.Principal>>, ChainError>
    ) =>
      Effect.gen(function* () {
        const read = yield* Effect.either(effect)
        if (Either.isLeft(read))
          return { power, holders: [], named: [], gaps: [{ what: power, reason: read.left.reason }] }
        const held = read.right.value.filter(({ account }) => account !== address)
        yield* explore(
          held.map(({ account }) => account),
          walk,
          1
        )
        return { power, holders: held, named: read.right.value, gaps: [], observation: read.right.observation }
      })
    const named = DirectHolders.named(state, address).map(({ power, read }) => holders(power, read))
    const upgrader = holders(
      "upgrader",
      Effect.map(proxy.of(address), (reading) =>
        Reading.map(reading, ({ upgrade_authority }) =>
          upgrade_authority === null ? [] : [{ power: "upgrader", account: upgrade_authority, delay: 0 }]
        )
      )
    )
    const appointed = holders(
      "roles",
      Effect.map(roles.of(address), (reading) =>
        Reading.map(reading, ({ members }) =>
          members.map(({ account, name }) => ({ power: `role:${name}`, account, delay: 0 }))
        )
      )
    )
    const guarding = holders(
      "code",
      Effect.map(callers.of(address), (reading) =>
        Reading.map(reading, ({ holders: admitted }) => admitted.map((each) => ({ ...each, delay: 0 })))
      )
    )
    const managed = holders("roles", Effect.flatMap(DirectHolders.managed(sources, address), asKept(address)))
    const { coded, itself, parts, roleSet, structure, untold, upgrading } = yield* Together.all({
      parts: Together.all([...named, upgrader, appointed, guarding, managed]),
      itself: Effect.either(safe.of(address)),
      structure: Effect.either(proxy.of(address)),
      roleSet: Effect.either(roles.of(address)),
      coded: Effect.either(callers.of(address)),
      untold: Effect.either(givesUntold(address)),
      upgrading: Effect.either(upgradeRoles(address)),
      // Asked for before it is known who of them counts, so that it is no level of its own.
      ahead: Effect.ignore(
        Together.forEach(early(address), (list) =>
          Effect.flatMap(list, (accounts) => Effect.asVoid(Together.forEach(accounts, principalsOf.of)))
        )
      )
    })
    // A Safe is controlled by its own owners.
    const isSafe = Either.isRight(itself) && Option.isSome(itself.right)
    if (isSafe) {
      walk.distances.delete(address)
      yield* explore([address], walk, 0)
    }
    const all = uniqueBy(
      parts.flatMap((part) => part.holders),
      (holder) => `${holder.power} ${holder.account}`
    )
    // The code asks for the owner by his slot; only who is found in no other way is told by the functions.
    const direct = all.filter(
      (holder) =>
        !isByFunction(holder) || !all.some((other) => !isByFunction(other) && other.account === holder.account)
    )
    const roots = [...direct.map(({ account }) => account), ...(isSafe ? [address] : [])]
    const seen = Decision.graph(walk.around, roots, address)
    const gaps: ReadonlyArray<ControlGap> = uniqueBy(
      [
        ...parts.flatMap((part) => part.gaps),
        ...seen.gaps,
        ...Either.match(itself, {
          onLeft: ({ reason }) => [{ what: "signers", reason }],
          onRight: () => []
        }),
        ...Either.match(roleSet, {
          onLeft: () => [],
          onRight: ({ value }) => (value.complete ? [] : [{ what: "roles", reason: value.reason ?? "inconclusive" }])
        }),
        ...(Either.getOrElse(untold, () => false) ? [{ what: "roles", reason: "inconclusive" }] : []),
        ...Either.match(coded, { onLeft: () => [], onRight: ({ value }) => value.gaps }),
        ...Either.match(structure, {
          onLeft: () => [],
          onRight: ({ value }) =>
            Option.toArray(Option.map(unresolvedUpgrade(value, upgrading), (reason) => ({ what: "upgrader", reason })))
        })
      ] as ReadonlyArray<ControlGap>,
      (gap) => `${gap.what} ${gap.reason}`
    )
    const unread = uniqueBy([...gaps, ...seen.behind], (gap) => `${gap.what} ${gap.reason}`)
    const anyone =
      Either.isRight(structure) && structure.right.value.upgrade === "anyone" ? [Controller.make("eoa")] : []
    const controllerOf = Decision.decide(walk.around, address)
    const controllers = [
      ...direct.map(({ account, delay }) => Decision.waiting(account, controllerOf(account), delay)),
      ...(isSafe ? [controllerOf(address)] : []),
      ...anyone
    ]
    // The first getter that names an owner tells him: one that was lost before it may have named another.
    const told = parts.find(
      ({ gaps: lost, named: names, power }) => power === "owner" && lost.length + names.length > 0
    )
    const owner = told?.named[0]
    const graph: ControlGraph = {
      nodes: [...seen.nodes].sort(by((node) => node.address)),
      edges: uniqueBy(
        [...direct.map(({ account, delay, power }) => Decision.edge(account, address, power, delay)), ...seen.edges],
        (each) => `${each.from} ${each.to} ${each.power}`
      ).sort(by((each) => `${each.to} ${each.power} ${each.from}`)),
      owner: owner?.account ?? null,
      controller: Option.getOrNull(
        Controller.weakest(gaps.length === 0 ? controllers : [...controllers, Controller.make("unknown")])
      ),
      complete: unread.length === 0,
      unread: unread.sort(by((gap) => `${gap.what} ${gap.reason}`))
    }
    const observation =
      parts.find((part) => part.holders.length > 0 && part.observation !== undefined)?.observation ??
      parts.find((part) => part.observation !== undefined)?.observation
    if (observation === undefined) {
      return yield* new ChainError({
        reason: gaps[0]?.reason ?? "rpc_error",
        method: "eth_call",
        retryable: false,
        detail: "nothing about control could be read"
      })
    }
    return { value: graph, observation }
  })

  const aroundOf = (account: Address.Address): Effect.Effect<Decision.Surroundings> => {
    const walk: Walk = { around: new Map(), distances: new Map(), meet: () => Effect.void }
    return Effect.as(explore([account], walk, 0), walk.around)
  }

  const decided =
    (decide: typeof Decision.decide) =>
    (account: Address.Address): Effect.Effect<Reading.Reading<Controller.Controller>, ChainError> =>
      Effect.gen(function* () {
        const { observation } = yield* principalsOf.of(account)
        return { value: decide(yield* aroundOf(account), account)(account), observation }
      })

  const classify = Effect.fn("Control.classify")(decided(Decision.decide))

  const inTheEnd = Effect.fn("Control.inTheEnd")(decided(Decision.decideInTheEnd))

  const graphOf = yield* OncePerKey.make((address: Address.Address) => address, of)

  const planned = Effect.fn("Control.planned")(function* (address: Address.Address) {
    const { observation, value: graph } = yield* graphOf(address)
    const accounts = PlannedChanges.waiters(graph)
    if (accounts.length === 0) return Option.none()
    const now = Timestamp.toSeconds(state.block.timestamp)
    const read = yield* Together.forEach(accounts, (by) =>
      Effect.map(Effect.either(plansOf(by)), (plans) => ({ by, plans }))
    )
    const changes = read.flatMap(({ by, plans }) =>
      Either.isRight(plans) ? PlannedChanges.of(graph, address, by, { now, plans: plans.right.value }) : []
    )
    const gaps = read.flatMap(({ by, plans }) =>
      Option.toArray(
        Option.map(
          Either.match(plans, {
            onLeft: ({ reason }) => Option.some(reason),
            onRight: ({ value }) => value.lost
          }),
          (reason): ControlGap => ({ what: `${PlannedChanges.prefix}${by}`, reason })
        )
      )
    )
    const seen = read.find(
      ({ by, plans }) => Either.isRight(plans) && (changes[0] === undefined || changes[0].by === by)
    )
    return Option.some({
      value: { changes, gaps },
      observation: seen !== undefined && Either.isRight(seen.plans) ? seen.plans.right.observation : observation
    })
  })

  /** Who an account is that passes a guard. One that names only senders who have signed does nothing in anybody's name. */
  const throughForwarder = (guard: Guard, account: Address.Address) =>
    Effect.flatMap(guard.forwards ? Forwarders.naming(state, account) : Effect.succeed("unknown"), (naming) =>
      naming === "signers"
        ? Effect.map(state.code(account), ({ observation }) => ({
            value: Controller.make("dead", { address: account }),
            observation
          }))
        : classify(account)
    )

  const passing = Effect.fn("Control.passing")(function* (address: Address.Address, guard: Guard) {
    if (guard.kind === "constant") return yield* throughForwarder(guard, guard.address)
    const account = yield* callers.account(address, guard)
    if (Option.isSome(account)) {
      const { value } = yield* throughForwarder(guard, account.value.value)
      return { value, observation: account.value.observation }
    }
    const graph = yield* graphOf(address)
    // A list may hold others than those who are known to have a power, so nobody known is not nobody, and only one key
    // is as bad as it gets. Of several keys the first is told: who that is cannot be said where one may be missing.
    return Reading.map(graph, (found) =>
      found.controller !== null && !isCut(found) && Controller.exposureAtBest(found.controller) === 1
        ? found.controller
        : Controller.make("unknown")
    )
  })

  const upgraders = Effect.fn("Control.upgraders")(function* (address: Address.Address) {
    const [{ value: structure }, { value: graph }] = yield* Together.all([proxy.of(address), graphOf(address)])
    const { conflicts, upgrade, upgrade_authority: authority } = structure
    const named = authority === null ? [] : [authority]
    const isSettled = conflicts.length === 0
    if (upgrade !== "uups") return { accounts: named, complete: isSettled && authority !== null }
    const shown = graph.edges.flatMap(({ from, power, to }) =>
      to === address && ofImplementation.has(power) ? [from] : []
    )
    const all = [...new Set([...named, ...shown])].sort()
    if (authority !== null) return { accounts: all, complete: isSettled }
    const [asked, { value: roleSet }, isUntold] = yield* Together.all([
      upgradeRoles(address),
      roles.of(address),
      givesUntold(address)
    ])
    return Option.match(asked, {
      onNone: () => ({ accounts: all, complete: false }),
      onSome: ({ accounts, roles: wanted }) => ({
        accounts: [
          ...new Set([
            ...accounts,
            ...roleSet.members.flatMap(({ account, role }) => (wanted.includes(role) ? [account] : []))
          ])
        ].sort(),
        complete: isSettled && roleSet.complete && !isUntold
      })
    })
  })

  const throughAll = Effect.fn("Control.throughAll")(function* (
    address: Address.Address,
    guards: ReadonlyArray<Guard>
  ) {
    const asked = guards.filter((guard) => guard.always)
    const passers = yield* Together.forEach(asked, (guard) => Effect.map(passing(address, guard), ({ value }) => value))
    // Whoever passes all of them passes the strictest.
    const [strictest] = [...passers].sort((a, b) => Controller.exposure(a) - Controller.exposure(b))
    return strictest ?? Controller.make("eoa")
  })

  return Control.of({ of: graphOf, classify, inTheEnd, each, planned, upgraders, passing, throughAll })
})

/**
 * Reads who holds a power in one level, and who stands behind each holder in one more a step: two more for the planners
 * of a timelock and for the members of a role.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Control, never, ChainState | Code | CodeReadings | Proxy | Safe> = Layer.scoped(
  Control,
  make
).pipe(
  Layer.provide(Layer.merge(Principals.layer, CallerGuards.layer)),
  Layer.provide(Layer.mergeAll(Roles.layer, Functions.layer, AccessManagers.layer, UnlistedEntries.layer))
)

/** Whether a read was lost that may name somebody who decides: what no code tells is missing from every graph. */
const isCut = (graph: ControlGraph): boolean => decidingGaps(graph).some(({ reason }) => reason !== "inconclusive")

const isByFunction = ({ power }: CallAuthorities.Principal): boolean => power.startsWith("function:")

/** What was looked at so far, and how many accounts away. */
interface Walk {
  readonly around: Map<Address.Address, Decision.Explored>
  readonly distances: Map<Address.Address, number>
  /** What is done about a timelock as soon as it is known to be one. */
  readonly meet: (timelock: Address.Address) => Effect.Effect<void>
}

/** Why who may replace the code is not all told; none where it is. */
const unresolvedUpgrade = (
  { conflicts, upgrade, upgrade_authority }: ProxyStructure,
  asked: Either.Either<Option.Option<UpgradeRoles.UpgradeRoles>, ChainError>
): Option.Option<UnknownReason> => {
  const inconclusive = Option.some("inconclusive" as const)
  switch (upgrade) {
    case "none":
    case "self":
    case "anyone":
      return Option.none()
    case "unknown":
      return inconclusive
    case "uups":
      // An implementation that asks for a role instead of an owner: its holders are in the graph.
      return upgrade_authority === null
        ? Either.match(asked, {
            onLeft: ({ reason }) => Option.some(reason),
            onRight: Option.match({ onNone: () => inconclusive, onSome: () => Option.none() })
          })
        : conflicts.length > 0
          ? inconclusive
          : Option.none()
    default:
      // A conflict tells of somebody else who may replace the code, or of other code that answers.
      return conflicts.length > 0 || upgrade_authority === null ? inconclusive : Option.none()
  }
}

/** Powers that an implementation may ask for before it lets itself be replaced. */
const ofImplementation: ReadonlySet<string> = new Set([
  "role:DEFAULT_ADMIN_ROLE",
  "role:UPGRADER_ROLE",
  `function:${Selectors.functions.upgradeToAndCall}`,
  `function:${Selectors.functions.upgradeTo}`
])

/** Accounts on the way to who decides. */
const distanceAtMost = 6

const by =
  <A>(key: (item: A) => string) =>
  (a: A, b: A): number => {
    const [x, y] = [key(a), key(b)]
    return x < y ? -1 : x > y ? 1 : 0
  }

const uniqueBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): Array<A> =>
  [...new Map([...items].reverse().map((item) => [key(item), item])).values()].reverse()

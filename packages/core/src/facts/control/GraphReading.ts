/** @internal */

import { Effect, Either, Option } from "effect"
import { ChainError } from "../../chain/ChainError.js"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { ControlGap, ControlGraph } from "../../domain/facts/ControlGraph.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as Together from "../../runtime/Together.js"
import type { Principal } from "./CallAuthorities.js"
import * as DirectHolders from "./DirectHolders.js"
import * as GraphDocument from "./GraphDocument.js"
import type { Principals } from "./Principals.js"
import type { Safe } from "./Safe.js"
import * as Surroundings from "./Surroundings.js"
import * as UnloggedGrants from "./UnloggedGrants.js"
import type { Upgraders } from "./Upgraders.js"

/** The facts that a control graph is read from. */
export interface Sources extends DirectHolders.Sources {
  readonly safe: Safe["Type"]
  readonly principals: Principals["Type"]
  readonly upgraders: Upgraders["Type"]
}

/**
 * Reads the control graph of a contract. Lists of holders are read together, and each holder is followed as soon as its
 * list is known. Fails only if every list fails; otherwise what failed is a gap of the graph.
 */
export const of = (
  sources: Sources,
  address: Address,
  onTimelock: (timelock: Address) => Effect.Effect<void>
): Effect.Effect<Reading.Reading<ControlGraph>, ChainError> =>
  Effect.gen(function* () {
    const exploration = Surroundings.make(sources.principals, address, onTimelock)
    const { gaps, isOpen, isSafe, lists } = yield* Together.all({
      lists: Together.forEach(DirectHolders.lists(sources, address), (list) => follow(list, address, exploration)),
      isSafe: Effect.match(sources.safe.of(address), { onFailure: () => false, onSuccess: Option.isSome }),
      isOpen: Effect.match(sources.proxy.of(address), {
        onFailure: () => false,
        onSuccess: ({ value: { upgrade } }) => upgrade === "anyone"
      }),
      gaps: Together.all(gapsBeside(sources, address)),
      early: inspectEarly(sources, address)
    })
    // A Safe is controlled by its own owners.
    if (isSafe) yield* exploration.fromTarget
    const graph = GraphDocument.of({
      target: address,
      around: exploration.around,
      holders: lists.flatMap(({ holders }) => holders),
      owner: ownerIn(lists),
      isSafe,
      isOpen,
      gaps: [
        ...lists.flatMap(({ gaps: lost }) => lost),
        ...gaps.flat(),
        ...(yield* gapsOfItself(sources, address, lists))
      ]
    })
    return { value: graph, observation: yield* observationOf(lists) }
  })

/** One list of holders that was read. `named` are all that it names, `holders` all but the contract itself. */
interface ReadList {
  readonly power: string
  readonly named: ReadonlyArray<Principal>
  readonly holders: ReadonlyArray<Principal>
  readonly gaps: ReadonlyArray<ControlGap>
  readonly observation: Option.Option<Reading.Reading<unknown>["observation"]>
}

const follow = (
  { power, read }: DirectHolders.HolderList,
  address: Address,
  exploration: Surroundings.Exploration
): Effect.Effect<ReadList> =>
  Effect.flatMap(
    Effect.either(read),
    Either.match({
      onLeft: ({ reason }) =>
        Effect.succeed<ReadList>({
          power,
          named: [],
          holders: [],
          gaps: [{ what: power, reason }],
          observation: Option.none()
        }),
      onRight: ({ observation, value: named }) => {
        const holders = named.filter(({ account }) => account !== address)
        const list: ReadList = { power, named, holders, gaps: [], observation: Option.some(observation) }
        return Effect.as(exploration.fromHolders(holders.map(({ account }) => account)), list)
      }
    })
  )

/** The gaps of the direct powers, except failed lists. */
const gapsBeside = (
  { callers, flows, functions, roles, safe, upgraders }: Sources,
  address: Address
): ReadonlyArray<Effect.Effect<ReadonlyArray<ControlGap>>> => [
  Effect.match(safe.of(address), {
    onFailure: ({ reason }) => [{ what: "signers", reason }],
    onSuccess: () => []
  }),
  gapOf(
    "roles",
    Effect.map(roles.of(address), ({ value: { complete, reason } }) =>
      complete ? Option.none() : Option.some(reason ?? "inconclusive")
    )
  ),
  gapOf(
    "roles",
    Effect.map(UnloggedGrants.mayExist({ flows, functions, roles }, address), (may) =>
      may ? Option.some("inconclusive") : Option.none()
    )
  ),
  Effect.match(callers.of(address), { onFailure: () => [], onSuccess: ({ value: { gaps } }) => gaps }),
  gapOf("upgrader", upgraders.gap(address))
]

/** What the contract itself may do, whoever can make it call itself may do. */
const gapsOfItself = (
  sources: Sources,
  address: Address,
  lists: ReadonlyArray<ReadList>
): Effect.Effect<ReadonlyArray<ControlGap>> => {
  const granted = lists.flatMap(({ named }) =>
    named.flatMap(({ account, power }) => (account === address ? [power] : []))
  )
  return Effect.flatMap(
    Effect.either(sources.callers.of(address)),
    Either.match({
      onLeft: ({ reason }) => Effect.succeed(granted.length === 0 ? [] : [{ what: "code", reason }]),
      onRight: ({ value: { isAnybodysOwn, own } }) => {
        const powers = [...own, ...(isAnybodysOwn ? granted : [])]
        return powers.length === 0
          ? Effect.succeed([])
          : Effect.map(callsItselfAsScheduled(sources, address), (isScheduled) =>
              isScheduled ? [] : powers.map((what) => ({ what, reason: "inconclusive" as const }))
            )
      }
    })
  )
}

/**
 * Whether a contract calls itself only as those have scheduled who hold a power over it anyway: a timelock of which all
 * are known that can make it act and that can schedule.
 */
const callsItselfAsScheduled = ({ functions, principals }: Sources, address: Address): Effect.Effect<boolean> =>
  Effect.orElseSucceed(
    Effect.flatMap(functions.of(address), ({ value: { logics } }) =>
      logics.every(({ flow }) => Option.isNone(TimelockPattern.of(flow)))
        ? Effect.succeed(false)
        : Effect.map(
            Together.all([principals.of(address), principals.planners(address)]),
            ([{ anyone, complete, kind }, planners]) => kind === "timelock" && complete && !anyone && planners.complete
          )
    ),
    () => false
  )

/** A failure is no gap here: the list that needs the same reads reports it. */
const gapOf = (
  what: string,
  read: Effect.Effect<Option.Option<UnknownReason>, ChainError>
): Effect.Effect<ReadonlyArray<ControlGap>> =>
  Effect.match(read, {
    onFailure: () => [],
    onSuccess: (gap) => Option.toArray(Option.map(gap, (reason) => ({ what, reason })))
  })

/** Inspects likely holders a level before their lists are complete. */
const inspectEarly = (sources: Sources, address: Address): Effect.Effect<void> =>
  Effect.ignore(
    Together.forEach(DirectHolders.early(sources, address), (list) =>
      Effect.flatMap(list, (accounts) => Together.forEach(accounts, sources.principals.of))
    )
  )

/** The owner that the first getter names; none if that read failed, since it may have named another one. */
const ownerIn = (lists: ReadonlyArray<ReadList>): Option.Option<Address> =>
  Option.flatMap(
    Option.fromNullable(lists.find(({ gaps, named, power }) => power === "owner" && gaps.length + named.length > 0)),
    ({ named: [owner] }) => Option.map(Option.fromNullable(owner), ({ account }) => account)
  )

/** How a holder was observed, else how it was observed that a list is empty. */
const observationOf = (
  lists: ReadonlyArray<ReadList>
): Effect.Effect<Reading.Reading<unknown>["observation"], ChainError> =>
  Option.match(
    Option.firstSomeOf([
      ...lists.filter(({ holders }) => holders.length > 0).map(({ observation }) => observation),
      ...lists.map(({ observation }) => observation)
    ]),
    {
      onSome: Effect.succeed,
      onNone: () =>
        new ChainError({
          reason: lists[0]?.gaps[0]?.reason ?? "rpc_error",
          method: "eth_call",
          retryable: false,
          detail: "nothing about control could be read"
        })
    }
  )

/** @internal */

import { Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { ControlEdge, ControlGap, ControlNode } from "../../domain/facts/ControlGraph.js"
import type { Planners, Principal } from "./CallAuthorities.js"
import type { Inspected } from "./Principals.js"
import * as Quorum from "./Quorum.js"

/**
 * An account that was looked at: what it is, and who plans for it where it is a timelock.
 *
 * @since 0.1.0
 * @category models
 */
export interface Explored {
  readonly inspected: Either.Either<Inspected, ChainError>
  readonly planners: Option.Option<Either.Either<Planners, ChainError>>
}

/**
 * The accounts around a contract.
 *
 * @since 0.1.0
 * @category models
 */
export type Surroundings = ReadonlyMap<Address, Explored>

/**
 * Whether an account only acts some time after it was told to.
 *
 * @since 0.1.0
 * @category combinators
 */
export const waits = ({ delay, kind }: Inspected): boolean => kind === "timelock" && delay !== null && delay > 0

/**
 * Every account that stands next to one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const links = ({ inspected, planners }: Explored): ReadonlyArray<Principal> =>
  Either.match(inspected, {
    onLeft: () => [],
    onRight: (found) => [
      ...found.principals,
      ...(found.quorum?.coded ?? []).map((account) => ({ power: "signer", account, delay: 0 })),
      ...found.shown,
      ...planning(planners).principals
    ]
  })

/**
 * Who decides, behind every account around a target: the weakest of those who can make it act, through whatever accounts.
 * Accounts that only make each other act let nobody in, and neither does the target itself. An account that was not looked
 * at may be anybody.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decide = (around: Surroundings, target: Address): ((account: Address) => Controller.Controller) =>
  decideBy(around, target, { waiting, planned: behind, isToldBy: (complete) => complete })

/**
 * The same, of who decides in the end: whoever waits, and whoever plans what a timelock does, in its place.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decideInTheEnd = (around: Surroundings, target: Address): ((account: Address) => Controller.Controller) =>
  decideBy(around, target, {
    waiting: (_, controller) => controller,
    planned: (_, planner) => planner,
    isToldBy: () => true
  })

/** What is made of those who have to wait. */
interface Patience {
  readonly waiting: (account: Address, controller: Controller.Controller, delay: number) => Controller.Controller
  /** What a timelock is with one who plans for it. */
  readonly planned: (timelock: Controller.Controller, planner: Controller.Controller) => Controller.Controller
  /** Whether a timelock is who plans for it, where they are all known or not. */
  readonly isToldBy: (complete: boolean) => boolean
}

const decideBy = (
  around: Surroundings,
  target: Address,
  patience: Patience
): ((account: Address) => Controller.Controller) => {
  let known: ReadonlyMap<Address, Controller.Controller> = new Map()
  // Each round carries what is known one account further, and only ever to somebody weaker.
  for (let round = 0; round <= 2 * around.size; round++) {
    const next = new Map(
      [...around].flatMap(([account, explored]) =>
        Option.toArray(controllerOf(account, explored, { around, target, known, patience })).map(
          (found) => [account, found] as const
        )
      )
    )
    const isSettled =
      next.size === known.size && [...next].every(([account, found]) => isSame(known.get(account), found))
    known = next
    if (isSettled) break
  }
  return (account) => known.get(account) ?? (around.has(account) ? gone(account) : anybody(account))
}

/** What is known so far of who decides. */
interface Decided {
  readonly around: Surroundings
  readonly target: Address
  readonly known: ReadonlyMap<Address, Controller.Controller>
  readonly patience: Patience
}

const controllerOf = (
  account: Address,
  { inspected, planners }: Explored,
  { around, known, patience, target }: Decided
): Option.Option<Controller.Controller> => {
  if (Either.isLeft(inspected)) return Option.some(anybody(account))
  const found = inspected.right
  const behindAll = (principals: ReadonlyArray<Principal>): ReadonlyArray<Controller.Controller> =>
    principals.flatMap((principal) => {
      const isSeen = around.has(principal.account) || principal.account === target
      const controller = isSeen ? known.get(principal.account) : anybody(principal.account)
      return controller === undefined ? [] : [patience.waiting(account, controller, principal.delay)]
    })
  const here = Controller.make(found.kind, {
    address: account,
    delaySeconds: found.delay ?? undefined,
    threshold: found.threshold ?? undefined,
    signers: found.signers?.length
  })
  const { complete, lost, principals } = planning(planners)
  const isTold = patience.isToldBy(complete)
  const planned = [
    ...behindAll(principals),
    ...(Option.isSome(lost) || (isTold && !complete) ? [anybody(account)] : [])
  ]
  // What a timelock does, somebody planned: nobody plans where all who may are gone.
  const itself = !found.acts
    ? []
    : waits(found) && (isTold || Option.isSome(lost))
      ? Option.toArray(Option.map(Controller.weakest(planned), (planner) => patience.planned(here, planner)))
      : [
          found.quorum === null
            ? here
            : Quorum.decide(account, found.quorum, (signer) =>
                isHidden(around.get(signer)) ? Option.some(anybody(signer)) : Option.fromNullable(known.get(signer))
              )
        ]
  return Controller.weakest([
    ...itself,
    ...behindAll(found.principals),
    ...(found.anyone ? [Controller.make("eoa")] : []),
    ...(found.complete ? [] : [anybody(account)])
  ])
}

/** Whether an account was not looked at, or only answers: a signature of its is what it says is one. */
const isHidden = (explored: Explored | undefined): boolean =>
  explored === undefined ||
  Either.match(explored.inspected, {
    onLeft: () => true,
    onRight: ({ acts, anyone, principals }) => !acts && !anyone && principals.length === 0
  })

/**
 * The graph around some accounts, and what of it was not seen: what decides in `gaps`, what stands behind an account that
 * decides by itself in `behind`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const graph = (
  around: Surroundings,
  roots: ReadonlyArray<Address>,
  target: Address
): {
  readonly nodes: ReadonlyArray<ControlNode>
  readonly edges: ReadonlyArray<ControlEdge>
  readonly gaps: ReadonlyArray<ControlGap>
  readonly behind: ReadonlyArray<ControlGap>
} => {
  const deciding = acting(around, roots)
  return {
    nodes: [...around].map(([account, { inspected }]) => nodeOf(account, inspected)),
    edges: [...around].flatMap(([account, explored]) => {
      const delay = Either.match(explored.inspected, { onLeft: () => 0, onRight: (found) => found.delay ?? 0 })
      const planned = planning(explored.planners).principals
      return links(explored).map((link) =>
        edge(link.account, account, link.power, planned.includes(link) ? delay : link.delay)
      )
    }),
    gaps: [...deciding].flatMap((account): ReadonlyArray<ControlGap> => {
      const explored = around.get(account)
      if (explored === undefined) return account === target ? [] : [{ what: account, reason: "inconclusive" }]
      return Either.match(explored.inspected, {
        onLeft: ({ reason }) => [{ what: account, reason }],
        onRight: () => []
      })
    }),
    behind: [...around].flatMap(([account, explored]) => [
      ...Option.toArray(Option.map(missing(explored, deciding.has(account)), (reason) => gapBehind(account, reason))),
      ...links(explored).flatMap((link) =>
        around.has(link.account) || link.account === target || deciding.has(link.account)
          ? []
          : [gapBehind(link.account, "inconclusive")]
      )
    ])
  }
}

/** Why not everybody who stands next to an account is known; one that decides and is not known itself is a gap of its own. */
const missing = ({ inspected, planners }: Explored, decides: boolean): Option.Option<UnknownReason> =>
  Either.match(inspected, {
    onLeft: ({ reason }) => (decides ? Option.none() : Option.some(reason)),
    onRight: (found) => {
      if (!found.complete) return Option.some(Option.getOrElse(found.lost, () => "inconclusive" as const))
      return waits(found) ? planning(planners).lost : Option.none()
    }
  })

const gapBehind = (account: Address, reason: UnknownReason): ControlGap => ({ what: `behind:${account}`, reason })

/** The accounts that can make one of some others act. */
const acting = (around: Surroundings, roots: ReadonlyArray<Address>): ReadonlySet<Address> => {
  const seen = new Set(roots)
  for (const account of seen) {
    const inspected = around.get(account)?.inspected
    if (inspected === undefined || Either.isLeft(inspected)) continue
    for (const principal of inspected.right.principals) seen.add(principal.account)
  }
  return seen
}

/**
 * A power of one account over another.
 *
 * @since 0.1.0
 * @category constructors
 */
export const edge = (from: Address, to: Address, power: string, delay: number): ControlEdge => ({
  from,
  to,
  power,
  delay_seconds: delay > 0 ? delay : null
})

/**
 * Somebody who has to wait each time, at an account that makes him.
 *
 * @since 0.1.0
 * @category combinators
 */
export const waiting = (account: Address, controller: Controller.Controller, delay: number): Controller.Controller =>
  delay === 0 || controller.kind === "dead"
    ? controller
    : signedAs(
        Controller.make("timelock", {
          address: account,
          delaySeconds: Math.max(delay, controller.delay_seconds ?? 0)
        }),
        controller
      )

const planning = (planners: Explored["planners"]): Planners =>
  Option.match(planners, {
    onNone: () => lostPlanners("inconclusive"),
    onSome: Either.getOrElse(({ reason }) => lostPlanners(reason))
  })

const lostPlanners = (reason: UnknownReason): Planners => ({
  principals: [],
  complete: false,
  lost: Option.some(reason)
})

const nodeOf = (account: Address, inspected: Explored["inspected"]): ControlNode =>
  Either.match(inspected, {
    onLeft: () => ({
      address: account,
      kind: "unknown" as const,
      delay_seconds: null,
      threshold: null,
      signers: [],
      voting: null
    }),
    onRight: ({ delay, kind, signers, threshold, voting }) => ({
      address: account,
      kind,
      delay_seconds: delay,
      threshold,
      signers: signers ?? [],
      voting
    })
  })

const gone = (account: Address): Controller.Controller => Controller.make("dead", { address: account })

const anybody = (account: Address): Controller.Controller => Controller.make("unknown", { address: account })

/** What a timelock does is as good as its delay and as those who plan it. */
const behind = (here: Controller.Controller, planner: Controller.Controller): Controller.Controller =>
  planner.kind === "dead" ? planner : signedAs(here, planner)

/** Who waits is as many as those who tell him to; one who is not known leaves out how many they are. */
const signedAs = (waiter: Controller.Controller, planner: Controller.Controller): Controller.Controller => {
  const signed = { ...waiter, threshold: planner.threshold, signers: planner.signers }
  return Controller.isIncomplete(planner) ? Controller.incomplete(signed) : signed
}

const isSame = (a: Controller.Controller | undefined, b: Controller.Controller): boolean =>
  a !== undefined &&
  a.kind === b.kind &&
  a.address === b.address &&
  a.delay_seconds === b.delay_seconds &&
  a.threshold === b.threshold &&
  a.signers === b.signers &&
  a.complete === b.complete

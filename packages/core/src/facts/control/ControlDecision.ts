/** @internal */

import { Either, Option } from "effect"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { Planners, Principal } from "./CallAuthorities.js"
import type { InspectedAccount } from "./InspectedAccount.js"
import * as Quorum from "./Quorum.js"
import * as Surroundings from "./Surroundings.js"

/**
 * Who decides, behind every account around a target: the weakest of those who can make it act, through whatever accounts.
 * Accounts that only make each other act let nobody in, and neither does the target itself. An account that was not looked
 * at may be anybody.
 */
export const decide = (
  around: Surroundings.Surroundings,
  target: Address
): ((account: Address) => Controller.Controller) =>
  decideBy(around, target, { waiting, planned: behind, isToldBy: (complete) => complete })

/** The same without delays: instead of a waiting account or a timelock, the account that schedules. */
export const decideInTheEnd = (
  around: Surroundings.Surroundings,
  target: Address
): ((account: Address) => Controller.Controller) =>
  decideBy(around, target, {
    waiting: (_, controller) => controller,
    planned: (_, planner) => planner,
    isToldBy: () => true
  })

/** How delays are treated. */
interface Patience {
  readonly waiting: (account: Address, controller: Controller.Controller, delay: number) => Controller.Controller
  /** What a timelock is with one who plans for it. */
  readonly planned: (timelock: Controller.Controller, planner: Controller.Controller) => Controller.Controller
  /** Whether a timelock is who plans for it, where they are all known or not. */
  readonly isToldBy: (complete: boolean) => boolean
}

const decideBy = (
  around: Surroundings.Surroundings,
  target: Address,
  patience: Patience
): ((account: Address) => Controller.Controller) => {
  let known: ReadonlyMap<Address, Controller.Controller> = new Map()
  // Each round carries what is known one account further, and a controller can only become weaker.
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

/** One round of {@link decideBy}: what is known so far. */
interface Round {
  readonly around: Surroundings.Surroundings
  readonly target: Address
  readonly known: ReadonlyMap<Address, Controller.Controller>
  readonly patience: Patience
}

/** The weakest of an account itself and of those that can make it act; none while nobody is known. */
const controllerOf = (
  account: Address,
  explored: Surroundings.Explored,
  round: Round
): Option.Option<Controller.Controller> =>
  Either.match(explored.inspected, {
    onLeft: () => Option.some(anybody(account)),
    onRight: (found) =>
      Controller.weakest([
        ...itself(account, found, Surroundings.plannersOf(explored.planners), round),
        ...behindEach(account, found.principals, round),
        ...(found.anyone ? [Controller.make("eoa")] : []),
        ...(found.complete ? [] : [anybody(account)])
      ])
  })

/** Who decides behind each principal of an account, with the delay that the account gives it. */
const behindEach = (
  account: Address,
  principals: ReadonlyArray<Principal>,
  { around, known, patience, target }: Round
): ReadonlyArray<Controller.Controller> =>
  principals.flatMap((principal) => {
    const isExplored = around.has(principal.account) || principal.account === target
    const controller = isExplored ? known.get(principal.account) : anybody(principal.account)
    return controller === undefined ? [] : [patience.waiting(account, controller, principal.delay)]
  })

/**
 * What an account is as a controller by its own actions: none, those that its signers sign, or those that were
 * scheduled.
 */
const itself = (
  account: Address,
  found: InspectedAccount,
  { complete, lost, principals }: Planners,
  round: Round
): ReadonlyArray<Controller.Controller> => {
  if (!found.acts) return []
  const here = Controller.make(found.kind, {
    address: account,
    delaySeconds: found.delay ?? undefined,
    threshold: found.threshold ?? undefined,
    signers: found.signers?.length
  })
  const isTold = round.patience.isToldBy(complete)
  if (Surroundings.waits(found) && (isTold || Option.isSome(lost))) {
    const isAnybody = Option.isSome(lost) || !complete
    // A timelock executes scheduled calls. If no account is left that can schedule, it does nothing.
    const planner = Controller.weakest([
      ...behindEach(account, principals, round),
      ...(isAnybody ? [anybody(account)] : [])
    ])
    return Option.toArray(Option.map(planner, (one) => round.patience.planned(here, one)))
  }
  return [found.quorum === null ? here : Quorum.decide(account, found.quorum, signerIn(round))]
}

/** Who decides behind a signer with code. */
const signerIn =
  ({ around, known }: Round) =>
  (signer: Address): Option.Option<Controller.Controller> =>
    isHidden(around.get(signer)) ? Option.some(anybody(signer)) : Option.fromNullable(known.get(signer))

/** Whether an account was not looked at, or only answers: a signature of its is what it says is one. */
const isHidden = (explored: Surroundings.Explored | undefined): boolean =>
  explored === undefined ||
  Either.match(explored.inspected, {
    onLeft: () => true,
    onRight: ({ acts, anyone, principals }) => !acts && !anyone && principals.length === 0
  })

/** A controller that has to wait each time, at an account that enforces the delay. */
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

const gone = (account: Address): Controller.Controller => Controller.make("dead", { address: account })

const anybody = (account: Address): Controller.Controller => Controller.make("unknown", { address: account })

/** What a timelock does is as good as its delay and as those who plan it. */
const behind = (here: Controller.Controller, planner: Controller.Controller): Controller.Controller =>
  planner.kind === "dead" ? planner : signedAs(here, planner)

/** A timelock takes the signers of those who schedule. If some of them are unknown, their number is not given. */
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

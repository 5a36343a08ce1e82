/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import * as Together from "../../runtime/Together.js"
import type { Planners, Principal } from "./CallAuthorities.js"
import type { InspectedAccount } from "./InspectedAccount.js"
import type { Principals } from "./Principals.js"

/** An account near a contract: what it is, and who can schedule calls with it if it is a timelock. */
export interface Explored {
  readonly inspected: Either.Either<InspectedAccount, ChainError>
  readonly planners: Option.Option<Either.Either<Planners, ChainError>>
}

/** The accounts around a contract: those that control it, those that control these, and so on. */
export type Surroundings = ReadonlyMap<Address, Explored>

/** Explores the accounts around one target. `around` grows while the effects run. */
export interface Exploration {
  readonly around: Surroundings
  /**
   * Follows accounts that hold a power over the target. The target itself is not followed: another account must call
   * it.
   */
  readonly fromHolders: (accounts: ReadonlyArray<Address>) => Effect.Effect<void>
  /** Follows the target as an account that decides: a Safe is controlled by its own owners. */
  readonly fromTarget: Effect.Effect<void>
}

/**
 * Starts an exploration. Each account is followed as soon as it is known, at most {@link distanceAtMost} accounts away.
 * `onTimelock` runs when an account with a delay is found.
 */
export const make = (
  principals: Principals["Type"],
  target: Address,
  onTimelock: (timelock: Address) => Effect.Effect<void> = () => Effect.void
): Exploration => {
  const around = new Map<Address, Explored>()
  const distances = new Map([[target, 0]])

  const follow = (accounts: ReadonlyArray<Address>, distance: number): Effect.Effect<void> =>
    Effect.asVoid(
      Together.forEach(accounts, (account) =>
        Effect.suspend(() => {
          // An account found again on a shorter way is followed again, so that the result depends on no order.
          if ((distances.get(account) ?? Number.POSITIVE_INFINITY) <= distance) return Effect.void
          distances.set(account, distance)
          return inspect(account, distance)
        })
      )
    )

  const inspect = (account: Address, distance: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const inspected = yield* Effect.either(principals.of(account))
      const steps = [keep(account, { inspected, planners: Option.none() }, distance)]
      if (Either.isRight(inspected) && waits(inspected.right))
        steps.push(
          onTimelock(account),
          Effect.flatMap(Effect.either(principals.planners(account)), (planners) =>
            keep(account, { inspected, planners: Option.some(planners) }, distance)
          )
        )
      yield* Together.all(steps)
    })

  const keep = (account: Address, explored: Explored, distance: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      around.set(account, explored)
      if (distance >= distanceAtMost) return Effect.void
      return follow(
        links(explored).map((link) => link.account),
        distance + 1
      )
    })

  return {
    around,
    fromHolders: (accounts) => follow(accounts, 1),
    fromTarget: Effect.suspend(() => {
      distances.delete(target)
      return follow([target], 0)
    })
  }
}

/** Whether an account acts only some time after a call was scheduled. */
export const waits = ({ delay, kind }: InspectedAccount): boolean => kind === "timelock" && delay !== null && delay > 0

/** Every account that is linked to an explored one, whether it decides or is only shown. */
export const links = ({ inspected, planners }: Explored): ReadonlyArray<Principal> =>
  Either.match(inspected, {
    onLeft: () => [],
    onRight: (found) => [
      ...found.principals,
      ...(found.quorum?.coded ?? []).map((account) => ({ power: "signer", account, delay: 0 })),
      ...found.shown,
      ...plannersOf(planners).principals
    ]
  })

/** Who can schedule calls; nobody, and not complete, where that was not read. */
export const plannersOf = (planners: Explored["planners"]): Planners =>
  Option.match(planners, {
    onNone: () => lost("inconclusive"),
    onSome: Either.getOrElse(({ reason }) => lost(reason))
  })

const lost = (reason: UnknownReason): Planners => ({ principals: [], complete: false, lost: Option.some(reason) })

/** The most accounts between the target and the account that decides. */
const distanceAtMost = 6

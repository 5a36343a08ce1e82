/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as Together from "../../runtime/Together.js"
import { isDead } from "../code/Code.js"
import type * as Getter from "../Getter.js"
import * as CallAuthorities from "./CallAuthorities.js"
import * as InspectedAccount from "./InspectedAccount.js"
import type { Timelocks } from "./Timelocks.js"

/** A contract in the shape of a timelock. `minDelay` is what its getter answers. */
export interface Timelock {
  readonly account: Address
  readonly known: CallAuthorities.Named
  readonly answering: CallAuthorities.Answering
  readonly pattern: TimelockPattern.TimelockPattern
  readonly minDelay: Getter.Answer<number>
}

/**
 * Who can make a timelock act: with a delay, those who can have it act at once; without one, those who schedule as well.
 * None if it does not make its callers wait.
 */
export const of = (
  facts: { readonly authorities: CallAuthorities.CallAuthorities; readonly timelocks: Timelocks },
  timelock: Timelock
): Effect.Effect<Option.Option<InspectedAccount.InspectedAccount>, ChainError> =>
  Effect.gen(function* () {
    const { authorities, timelocks } = facts
    const { account, answering, known, pattern } = timelock
    const readDelay = delayOf(timelocks, timelock)
    const { around, delay, planners, waits } = yield* Together.all({
      delay: readDelay,
      waits: Effect.either(
        Effect.flatMap(readDelay, ({ value }) => timelocks.makesWait(account, known, answering, pattern, value))
      ),
      around: authorities.all(account, known, answering, pattern.acts),
      planners: timelocks.plannersOf(account, known, answering, pattern)
    })
    if (!Either.getOrElse(waits, () => true)) return Option.none()
    const pending = yield* Effect.either(hasPending(timelocks, timelock, planners))
    const isShown = Either.isRight(waits) && Either.isRight(pending) && !pending.right
    const isDelayed = delay.value > 0
    return Option.some(
      InspectedAccount.make("timelock", delay.observation, {
        delay: delay.value,
        anyone: around.anyone,
        acts: isDelayed || around.keepsRules,
        principals: isDelayed
          ? around.principals
          : CallAuthorities.unique([...around.principals, ...planners.principals]),
        complete: around.complete && isShown && (isDelayed ? !around.keepsRules : planners.complete),
        lost: Option.firstSomeOf([
          around.lost,
          isDelayed ? Option.none() : planners.lost,
          Option.map(Either.getLeft(waits), ({ reason }) => reason),
          Option.map(Either.getLeft(pending), ({ reason }) => reason)
        ])
      })
    )
  })

/** The delay by the getter of published code, else by the storage: other code can answer another delay. */
const delayOf = (
  timelocks: Timelocks,
  { account, known, minDelay, pattern }: Timelock
): Effect.Effect<Reading.Reading<number>, ChainError> =>
  known.isTold && Option.isSome(minDelay.value)
    ? Effect.succeed({ value: minDelay.value.value, observation: minDelay.observation })
    : timelocks.delayOf(account, pattern)

/** Whether operations are pending that an account scheduled before all proposers were removed. */
const hasPending = (
  timelocks: Timelocks,
  { account, pattern }: Timelock,
  planners: CallAuthorities.Planners
): Effect.Effect<boolean, ChainError> => {
  const isVacant = planners.complete && planners.principals.every((planner) => isDead(planner.account))
  return isVacant && pattern.kind === "openzeppelin" ? timelocks.hasPlans(account) : Effect.succeed(false)
}

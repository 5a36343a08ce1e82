/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { ChainState } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import * as Together from "../chain/Together.js"
import type * as Address from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Commands from "../evm/Commands.js"
import * as Origin from "../evm/Origin.js"
import * as PlannedCalls from "../evm/PlannedCalls.js"
import * as TimelockPattern from "../evm/TimelockPattern.js"
import type * as Commanders from "./Commanders.js"
import * as Getter from "./Getter.js"
import * as Roles from "./Roles.js"
import * as TimelockTrial from "./TimelockTrial.js"

/**
 * What a contract in the shape of a timelock does with those who use it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Timelocks {
  /** How long it waits, where its code keeps that: the getter of an unpublished one could tell another time. */
  readonly delayOf: (
    account: Address.Address,
    pattern: TimelockPattern.TimelockPattern
  ) => Effect.Effect<Reading.Reading<number>, ChainError>
  /** Whether it makes those wait whom it lets through: by all its code, and as it was seen by us or by who published it. */
  readonly makesWait: (
    account: Address.Address,
    known: Commanders.Named,
    answering: Commanders.Answering,
    pattern: TimelockPattern.TimelockPattern,
    delay: number
  ) => Effect.Effect<boolean, ChainError>
  /** Who plans; that they are all is believed of published code alone, as no other need tell of each role it gives. */
  readonly plannersOf: (
    account: Address.Address,
    known: Commanders.Named,
    pattern: TimelockPattern.TimelockPattern
  ) => Effect.Effect<Commanders.Planners, ChainError>
}

/**
 * Makes it over one view of a chain.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (state: ChainState["Type"], commanders: Commanders.Commanders): Timelocks => {
  const delayOf = (
    account: Address.Address,
    { delay }: TimelockPattern.TimelockPattern
  ): Effect.Effect<Reading.Reading<number>, ChainError> =>
    Effect.map(state.storage(account, Getter.word(delay.slot as Hex)), (word) =>
      Reading.map(word, (value) => {
        const mask = BigInt(delay.mask)
        const seconds = (BigInt(value) & mask) >> BigInt(8 * Origin.offsetOf(mask))
        return seconds > longest ? Number(longest) : Number(seconds)
      })
    )

  const makesWait = (
    account: Address.Address,
    known: Commanders.Named,
    answer: Commanders.Answering,
    pattern: TimelockPattern.TimelockPattern,
    delay: number
  ): Effect.Effect<boolean, ChainError> =>
    known.isTold
      ? Effect.succeed(true)
      : Effect.flatMap(
          Effect.forEach(answer.logics, ({ code: runtime, flow }) =>
            PlannedCalls.everyCallIsPlanned(
              runtime,
              flow.functions.flatMap(({ selector }) =>
                selector !== "fallback" && pattern.acts.has(selector) ? [selector] : []
              ),
              pattern
            )
          ),
          (planned) =>
            planned.every((each) => each) ? isTried(account, known, answer, pattern, delay) : Effect.succeed(false)
        )

  /** Whether it was seen to make them wait. */
  const isTried = (
    account: Address.Address,
    known: Commanders.Named,
    { logics }: Commanders.Answering,
    pattern: TimelockPattern.TimelockPattern,
    delay: number
  ): Effect.Effect<boolean, ChainError> => {
    const { acts, roles } = pattern
    const all = logics.flatMap(({ flow }) => flow.functions)
    if (Option.isSome(roles)) {
      const mapping = roles.value
      return TimelockTrial.openZeppelin(state, {
        timelock: account,
        roles: mapping,
        asked: all.filter(({ selector }) => acts.has(selector)).flatMap((acting) => Commands.rolesOf(acting, mapping)),
        delay,
        batches: all.some(({ selector }) => selector === TimelockPattern.executeBatch)
      })
    }
    const commands = logics.flatMap(({ flow }) => Commands.of(flow)).filter(({ selector }) => acts.has(selector))
    return Effect.flatMap(
      Together.all([
        Together.forEach(commands, (command) => commanders.of(account, known, command)),
        plannersOf(account, known, pattern)
      ]),
      ([ways, planners]) => {
        const executors = ways.flatMap(({ principals }) => principals.map((each) => each.account))
        // Nobody is let through: nothing of what it waits for can happen.
        if (ways.every(({ complete }) => complete) && executors.length === 0) return Effect.succeed(true)
        return TimelockTrial.compound(state, {
          timelock: account,
          planners: planners.principals.map((each) => each.account),
          executors,
          open: commands.some(({ guards }) => guards.length === 0),
          delay
        })
      }
    )
  }

  const plannersOf = (
    account: Address.Address,
    known: Commanders.Named,
    { kind, planning }: TimelockPattern.TimelockPattern
  ): Effect.Effect<Commanders.Planners, ChainError> =>
    kind === "compound"
      ? commanders.of(account, known, {
          selector: TimelockPattern.queueTransaction,
          isChosen: true,
          isFree: true,
          guards: planning,
          roles: []
        })
      : Effect.map(commanders.members(account, planningRoles), (found) => ({
          ...found,
          complete: found.complete && known.isTold
        }))

  return { delayOf, makesWait, plannersOf }
}

// OpenZeppelin 4.8 and before gave the roles by an administrator's role of their own.
const planningRoles = [Roles.roleHash("PROPOSER_ROLE"), Roles.roleHash("TIMELOCK_ADMIN_ROLE")]

// A delay of centuries is no longer than this one.
const longest = 2n ** 40n

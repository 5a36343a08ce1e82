/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ValueSource from "../../evm/expression/ValueSource.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import * as PlannedCalls from "../../evm/patterns/PlannedCalls.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as Together from "../../runtime/Together.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import * as Getter from "../Getter.js"
import type * as CallAuthorities from "./CallAuthorities.js"
import * as Roles from "./Roles.js"
import * as TimelockTrial from "./TimelockTrial.js"

/** What a contract in the shape of a timelock does with those who use it. */
export interface Timelocks {
  /**
   * The delay, from the slot where the code keeps it: the getter of an unpublished timelock could return another one.
   */
  readonly delayOf: (
    account: Address.Address,
    pattern: TimelockPattern.TimelockPattern
  ) => Effect.Effect<Reading.Reading<number>, ChainError>
  /**
   * Whether it enforces its delay on the accounts that it admits: by all of its code, when they schedule and when it
   * executes, and as shown by a simulation or by a published build.
   */
  readonly makesWait: (
    account: Address.Address,
    known: CallAuthorities.Named,
    answering: CallAuthorities.Answering,
    pattern: TimelockPattern.TimelockPattern,
    delay: number
  ) => Effect.Effect<boolean, ChainError>
  /**
   * Who can schedule calls, or can gain the right to. With roles, the list counts as complete for published code only:
   * other code need not emit an event for each grant.
   */
  readonly plannersOf: (
    account: Address.Address,
    known: CallAuthorities.Named,
    answering: CallAuthorities.Answering,
    pattern: TimelockPattern.TimelockPattern
  ) => Effect.Effect<CallAuthorities.Planners, ChainError>
  /** Whether something may still be done that was planned by OpenZeppelin's, whoever may plan now. */
  readonly hasPlans: (account: Address.Address) => Effect.Effect<boolean, ChainError>
}

/** Makes it over one view of a chain. */
export const make = (
  state: ChainState["Type"],
  readings: CodeReadings["Type"],
  commanders: CallAuthorities.CallAuthorities
): Timelocks => {
  const delayOf = (
    account: Address.Address,
    { delay }: TimelockPattern.TimelockPattern
  ): Effect.Effect<Reading.Reading<number>, ChainError> =>
    Effect.map(state.storage(account, Getter.word(delay.slot as Hex)), (word) =>
      Reading.map(word, (value) => {
        const mask = BigInt(delay.mask)
        const seconds = (BigInt(value) & mask) >> BigInt(8 * ValueSource.offsetOf(mask))
        return seconds > longest ? Number(longest) : Number(seconds)
      })
    )

  const makesWait = (
    account: Address.Address,
    known: CallAuthorities.Named,
    answer: CallAuthorities.Answering,
    pattern: TimelockPattern.TimelockPattern,
    delay: number
  ): Effect.Effect<boolean, ChainError> =>
    known.isTold
      ? Effect.succeed(true)
      : Effect.flatMap(
          Effect.forEach(answer.logics, ({ code: runtime, flow }) =>
            Effect.map(
              Together.all([
                readings.read(runtime, (model) =>
                  PlannedCalls.everyCallIsPlanned(
                    model,
                    flow.functions.flatMap(({ selector }) =>
                      selector !== "fallback" && pattern.acts.has(selector) ? [selector] : []
                    ),
                    pattern
                  )
                ),
                readings.read(runtime, (model) => PlannedCalls.everyPlanWaits(model, pattern.plan, pattern))
              ]),
              (each) => each.every((holds) => holds)
            )
          ),
          (planned) =>
            planned.every((each) => each) ? isTried(account, known, answer, pattern, delay) : Effect.succeed(false)
        )

  /** Whether it was seen to make them wait. */
  const isTried = (
    account: Address.Address,
    known: CallAuthorities.Named,
    answer: CallAuthorities.Answering,
    pattern: TimelockPattern.TimelockPattern,
    delay: number
  ): Effect.Effect<boolean, ChainError> => {
    const { acts, roles } = pattern
    const { logics } = answer
    const all = logics.flatMap(({ flow }) => flow.functions)
    if (Option.isSome(roles)) {
      const mapping = roles.value
      return TimelockTrial.openZeppelin(state, {
        timelock: account,
        roles: mapping,
        asked: all
          .filter(({ selector }) => acts.has(selector))
          .flatMap((acting) => ArbitraryCall.rolesOf(acting, mapping)),
        delay,
        batches: all.some(({ selector }) => selector === TimelockPattern.executeBatch)
      })
    }
    const commands = logics.flatMap(({ flow }) => ArbitraryCall.of(flow)).filter(({ selector }) => acts.has(selector))
    return Effect.flatMap(
      Together.all([
        Together.forEach(commands, (command) => commanders.of(account, known, command)),
        plannersOf(account, known, answer, pattern)
      ]),
      ([ways, planners]) => {
        const executors = ways.flatMap(({ principals }) => principals.map((each) => each.account))
        // Nobody may execute: no scheduled call can happen.
        if (ways.every(({ complete }) => complete) && executors.length + planners.principals.length === 0)
          return Effect.succeed(true)
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
    known: CallAuthorities.Named,
    { logics }: CallAuthorities.Answering,
    { kind, planning }: TimelockPattern.TimelockPattern
  ): Effect.Effect<CallAuthorities.Planners, ChainError> => {
    const queueing: ArbitraryCall.Command = {
      selector: TimelockPattern.queueTransaction,
      isChosen: true,
      isFree: true,
      guards: planning,
      roles: []
    }
    return kind === "compound"
      ? Effect.map(
          Together.all([
            commanders.of(account, known, queueing),
            commanders.appointing(account, known, logics, [queueing])
          ]),
          (ways) => ({
            principals: ways.flatMap(({ principals }) => principals).filter((each) => each.account !== account),
            complete: ways.every(({ complete }) => complete),
            lost: Option.firstSomeOf(ways.map(({ lost }) => lost))
          })
        )
      : Effect.map(commanders.members(account, planningRoles), (found) => ({
          ...found,
          complete: found.complete && known.isTold
        }))
  }

  const hasPlans = (account: Address.Address): Effect.Effect<boolean, ChainError> =>
    Effect.flatMap(
      state.logs({ address: account, topics: [[PlannedCalls.announcement.openzeppelin]] }),
      ({ value: { complete, logs } }) => {
        const ids = [...new Set(logs.flatMap(({ topics: [, id] }) => (id === undefined ? [] : [id])))]
        return !complete || ids.length > plansAtMost
          ? Effect.succeed(true)
          : Effect.map(
              Together.forEach(ids, (id) => Getter.read(state, account, getTimestamp, Getter.uint, [id])),
              // OpenZeppelin's timelock stores 0 for a cancelled operation and 1 for an executed one.
              (times) => times.some(({ value }) => Option.getOrElse(value, () => 2n) > 1n)
            )
      }
    )

  return { delayOf, makesWait, plannersOf, hasPlans }
}

// OpenZeppelin 4.8 and before gave the roles by an administrator's role of their own.
const planningRoles = [Roles.roleHash("PROPOSER_ROLE"), Roles.roleHash("TIMELOCK_ADMIN_ROLE")]

const getTimestamp = Selectors.selector("getTimestamp(bytes32)")

const plansAtMost = 64

// A delay of centuries is no longer than this one.
const longest = 2n ** 40n

/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as PlannedCalls from "../../evm/patterns/PlannedCalls.js"
import * as Together from "../../runtime/Together.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import * as Getter from "../Getter.js"
import * as ScheduledOperation from "./ScheduledOperation.js"

/**
 * The queued transactions of a Compound Timelock: its events in one level, then the flag that it stores for each
 * transaction. A transaction past the grace period is over, if the code enforces that period.
 *
 * @see https://github.com/compound-finance/compound-protocol/blob/master/contracts/Timelock.sol
 */
export const of = (
  state: ChainState["Type"],
  flows: CodeReadings["Type"],
  timelock: ScheduledOperation.Timelock
): Effect.Effect<Reading<ScheduledOperation.PendingOperations>, ChainError> =>
  Effect.gen(function* () {
    const { account, logic, pattern } = timelock
    const [{ observation, value: scan }, { value: grace }] = yield* Together.all([
      state.logs({ address: account, topics: [queueTransaction] }),
      Getter.read(state, account, gracePeriod, Getter.int)
    ])
    const isLogged = yield* flows.read(logic.code, (model) =>
      PlannedCalls.everyPlanIsTold(model, pattern.plan, pattern)
    )
    const queued = [...new Map(scan.logs.map((log) => [log.topics[1], log]))].flatMap(([id, log]) =>
      id === undefined ? [] : [operationOf(id, log)]
    )
    const now = Timestamp.toSeconds(state.block.timestamp)
    const isStale = ({ calls, ready }: ScheduledOperation.ScheduledOperation): boolean =>
      Option.isSome(calls) && Option.exists(grace, (seconds) => ready + seconds < now)
    const isOver =
      Option.isSome(grace) &&
      queued.some(isStale) &&
      (yield* flows.read(logic.code, (model) =>
        PlannedCalls.everyPlanExpires(model, [...pattern.acts] as ReadonlyArray<Hex>, grace.value)
      ))
    const operations = yield* ScheduledOperation.pendingAmong(
      queued.filter((operation) => !(isOver && isStale(operation))),
      { complete: scan.complete, isLogged },
      (operation) =>
        Effect.map(ScheduledOperation.wordOf(state, timelock, operation.id), (stored) =>
          Option.exists(stored, (word) => (word & 0xffn) === 0n) ? Option.none() : Option.some(operation)
        )
    )
    return { value: operations, observation }
  })

/** A transaction by its event; its call is unknown if the event does not hash to its id. */
const operationOf = (id: Hex, { data, topics: [, , targetTopic] }: Log): ScheduledOperation.ScheduledOperation =>
  Option.getOrElse(
    Option.gen(function* () {
      const [value, signature, call, date] = yield* ScheduledOperation.decoded(
        ["uint256", "string", "bytes", "uint256"],
        data
      )
      const target = yield* Option.flatMap(Option.fromNullable(targetTopic), Getter.addressOfWord)
      const hash = yield* ScheduledOperation.hashOf(
        ["address", "uint256", "string", "bytes", "uint256"],
        [target, value, signature, call, date]
      )
      if (hash !== id) return yield* Option.none()
      return {
        id,
        ready: ScheduledOperation.secondsOf(date as bigint),
        calls: Option.some([{ target, data: calldataOf(signature as string, call as Hex) }])
      }
    }),
    () => ({ id, ready: 0, calls: Option.none() })
  )

const calldataOf = (signature: string, call: Hex): Hex =>
  signature === "" ? call : `${Selectors.selector(signature)}${call.slice(2)}`

const queueTransaction = PlannedCalls.announcement.compound
const gracePeriod = Selectors.selector("GRACE_PERIOD()")

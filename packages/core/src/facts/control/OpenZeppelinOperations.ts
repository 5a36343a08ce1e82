/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as PlannedCalls from "../../evm/patterns/PlannedCalls.js"
import type { CodeReadings } from "../code/CodeReadings.js"
import * as Getter from "../Getter.js"
import * as ScheduledOperation from "./ScheduledOperation.js"

/**
 * The pending operations of a TimelockController: its events in one level, then the timestamp that it stores for each
 * operation.
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/governance/TimelockController.sol
 */
export const of = (
  state: ChainState["Type"],
  flows: CodeReadings["Type"],
  timelock: ScheduledOperation.Timelock
): Effect.Effect<Reading<ScheduledOperation.PendingOperations>, ChainError> =>
  Effect.gen(function* () {
    const { account, isPublished, logic, pattern } = timelock
    const topics = [callScheduled, callSalt, callExecuted, cancelled]
    const { observation, value: scan } = yield* state.logs({ address: account, topics: [topics] })
    const isLogged =
      isPublished ||
      (yield* flows.read(logic.code, (model) => PlannedCalls.everyPlanIsTold(model, pattern.plan, pattern)))
    const scheduled = ScheduledOperation.byId(scan.logs).filter(({ logs }) => isPossiblyPending(logs, isPublished))
    const operations = yield* ScheduledOperation.pendingAmong(
      scheduled,
      { complete: scan.complete, isLogged },
      ({ id, logs }) =>
        Effect.map(ScheduledOperation.wordOf(state, timelock, id), (stored) => {
          const timestamp = Option.getOrElse(stored, () => 2n)
          return timestamp === unset || timestamp === done
            ? Option.none()
            : Option.some({ id, ready: ScheduledOperation.secondsOf(timestamp), calls: callsOf(id, logs, isPublished) })
        })
    )
    return { value: operations, observation }
  })

/** Only published code is trusted to emit the end of an operation: other code can emit it without the end. */
const isPossiblyPending = (logs: ReadonlyArray<Log>, isPublished: boolean): boolean => {
  const last = logs.findLast(({ topics: [event] }) => event !== callSalt)?.topics[0]
  return last !== undefined && !(isPublished && (last === callExecuted || last === cancelled))
}

/** The calls of an operation by its events, one each; none if unpublished code emits calls that do not hash to its id. */
const callsOf = (
  id: Hex,
  logs: ReadonlyArray<Log>,
  isPublished: boolean
): Option.Option<ReadonlyArray<ScheduledOperation.ScheduledCall>> => {
  const scheduled = logs.filter(({ topics: [event] }) => event === callScheduled)
  // A cancelled operation can be scheduled again: the newest event of each index counts.
  const byIndex = [...new Map(scheduled.map((log) => [log.topics[2], log])).values()]
  const salts = [
    Getter.word(0n),
    ...logs.flatMap(({ data, topics: [event] }) => (event === callSalt && data.length === 66 ? [data] : []))
  ]
  return Option.flatMap(
    Option.all(
      byIndex.map(({ data }) => ScheduledOperation.decoded(["address", "uint256", "bytes", "bytes32", "uint256"], data))
    ),
    (events) =>
      isPublished || salts.some((salt) => isIdOf(id, events, salt))
        ? Option.some(
            events.map(([target, , data]) => ({ target: Address.checksum(target as Hex), data: data as Hex }))
          )
        : Option.none()
  )
}

/** Whether an id is that of a single call or of a batch, by `hashOperation` and `hashOperationBatch`. */
const isIdOf = (id: Hex, events: ReadonlyArray<ReadonlyArray<unknown>>, salt: Hex): boolean => {
  const [targets, values, payloads] = [0, 1, 2].map((place) => events.map((event) => event[place]))
  const predecessor = events[0]?.[3]
  return [
    ScheduledOperation.hashOf(
      ["address", "uint256", "bytes", "bytes32", "bytes32"],
      [targets?.[0], values?.[0], payloads?.[0], predecessor, salt]
    ),
    ScheduledOperation.hashOf(
      ["address[]", "uint256[]", "bytes[]", "bytes32", "bytes32"],
      [targets, values, payloads, predecessor, salt]
    )
  ].some(Option.contains(id))
}

const callScheduled = PlannedCalls.announcement.openzeppelin
const callSalt = Selectors.topic("CallSalt(bytes32,bytes32)")
const callExecuted = Selectors.topic("CallExecuted(bytes32,uint256,address,uint256,bytes)")
const cancelled = Selectors.topic("Cancelled(bytes32)")

/** The timestamps that stand for no operation (never scheduled, or cancelled) and for an executed one. */
const [unset, done] = [0n, 1n]

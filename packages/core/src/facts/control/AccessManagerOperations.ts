/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Getter from "../Getter.js"
import * as ScheduledOperation from "./ScheduledOperation.js"

/**
 * The pending operations of an AccessManager: its events in one level, then `getSchedule` of each operation.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/access#IAccessManager-OperationScheduled-bytes32-uint32-uint48-address-address-bytes-
 */
export const of = (
  state: ChainState["Type"],
  manager: Address.Address
): Effect.Effect<Reading<ScheduledOperation.PendingOperations>, ChainError> =>
  Effect.gen(function* () {
    const topics = [operationScheduled, operationExecuted, operationCanceled]
    const { observation, value: scan } = yield* state.logs({ address: manager, topics: [topics] })
    const scheduled = ScheduledOperation.byId(scan.logs).flatMap(({ id, logs }) => {
      const last = logs.at(-1)
      return last?.topics[0] === operationScheduled ? [{ id, data: last.data }] : []
    })
    const operations = yield* ScheduledOperation.pendingAmong(
      scheduled,
      { complete: scan.complete, isLogged: true },
      ({ data, id }) =>
        Effect.map(Getter.read(state, manager, getSchedule, Getter.int, [id]), ({ value }) => {
          const ready = Option.getOrElse(value, () => Timestamp.toSeconds(state.block.timestamp))
          // Zero is the answer for an operation that is over or has expired.
          return ready === 0 ? Option.none() : Option.some({ id, ready, calls: callsOf(data) })
        })
    )
    return { value: operations, observation }
  })

const callsOf = (data: Hex): ScheduledOperation.ScheduledOperation["calls"] =>
  Option.map(ScheduledOperation.decoded(["uint48", "address", "address", "bytes"], data), ([, , target, call]) => [
    { target: Address.checksum(target as Hex), data: call as Hex }
  ])

// https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/access/manager/IAccessManager.sol
const operationScheduled = Selectors.topic("OperationScheduled(bytes32,uint32,uint48,address,address,bytes)")
const operationExecuted = Selectors.topic("OperationExecuted(bytes32,uint32)")
const operationCanceled = Selectors.topic("OperationCanceled(bytes32,uint32)")
const getSchedule = Selectors.selector("getSchedule(bytes32)")

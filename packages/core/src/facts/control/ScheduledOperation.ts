/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import type * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as Together from "../../runtime/Together.js"
import * as StoredVariable from "../code/StoredVariable.js"

/** A call that a scheduled operation makes. */
export interface ScheduledCall {
  readonly target: Address.Address
  readonly data: Hex
}

/**
 * An operation that is scheduled, not executed and not cancelled. It can be executed from `ready` on, in seconds since
 * 1970. `calls` are none if nothing proves what its event says.
 */
export interface ScheduledOperation {
  readonly id: Hex
  readonly ready: number
  readonly calls: Option.Option<ReadonlyArray<ScheduledCall>>
}

/** The pending operations of an account. `lost` is the reason why there may be others. */
export interface PendingOperations {
  readonly pending: ReadonlyArray<ScheduledOperation>
  readonly lost: Option.Option<UnknownReason>
}

/** A timelock, the code that answers for it, and where this code is. */
export interface Timelock {
  readonly account: Address.Address
  readonly logic: { readonly address: Address.Address; readonly code: Hex }
  readonly pattern: TimelockPattern.TimelockPattern
  readonly isPublished: boolean
}

/** The pending operations among those of a log scan. At most 64 operations are read, the newest ones. */
export const pendingAmong = <A, E>(
  operations: ReadonlyArray<A>,
  scan: {
    readonly complete: boolean
    /** Whether the code emits an event for every operation. */
    readonly isLogged: boolean
  },
  read: (operation: A) => Effect.Effect<Option.Option<ScheduledOperation>, E>
): Effect.Effect<PendingOperations, E> => {
  const newest = operations.slice(-operationsAtMost)
  const lost: Option.Option<UnknownReason> = !scan.complete
    ? Option.some("log_range_limited")
    : operations.length > newest.length
      ? Option.some("budget_exhausted")
      : scan.isLogged
        ? Option.none()
        : Option.some("inconclusive")
  return Effect.map(Together.forEach(newest, read), (found) => ({ pending: Arrays.getSomes(found), lost }))
}

/** The events of each operation, oldest first. The id of an operation is the first indexed argument. */
export const byId = (
  logs: ReadonlyArray<Log>
): ReadonlyArray<{ readonly id: Hex; readonly logs: ReadonlyArray<Log> }> =>
  Object.values(Arrays.groupBy(logs, ({ topics: [, id] }) => id ?? "")).flatMap((each) => {
    const id = each[0].topics[1]
    return id === undefined ? [] : [{ id, logs: each }]
  })

/** The word that a timelock keeps for an operation; none if its storage slot is not known. */
export const wordOf = (
  state: ChainState["Type"],
  { account, pattern }: Timelock,
  id: Hex
): Effect.Effect<Option.Option<bigint>, ChainError> =>
  Option.match(StoredVariable.slotOf(pattern.plans, [id]), {
    onNone: () => Effect.succeedNone,
    onSome: (slot) => Effect.map(state.storage(account, slot), ({ value }) => Option.some(BigInt(value)))
  })

/** Decodes the data of an event; none if it does not have these types. */
export const decoded = (types: ReadonlyArray<string>, data: Hex): Option.Option<ReadonlyArray<unknown>> =>
  Option.liftThrowable(() =>
    AbiParameters.decode(
      types.map((type) => ({ type })),
      data
    )
  )() as Option.Option<ReadonlyArray<unknown>>

/**
 * The Keccak-256 hash of ABI-encoded values, which timelocks use as the id of an operation; none if a value does not have
 * its type.
 */
export const hashOf = (types: ReadonlyArray<string>, values: ReadonlyArray<unknown>): Option.Option<Hex> =>
  Option.liftThrowable(() =>
    Hash.keccak256(
      AbiParameters.encode(
        types.map((type) => ({ type })),
        [...values]
      )
    )
  )()

/** A time as a number of seconds. Times centuries from now are cut to one that far away. */
export const secondsOf = (time: bigint): number => Number(time > latest ? latest : time)

const latest = 2n ** 40n

const operationsAtMost = 64

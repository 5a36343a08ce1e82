/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as Hash from "ox/Hash"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState, Log } from "../../chain/ChainState.js"
import type { Reading } from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as PlannedCalls from "../../evm/patterns/PlannedCalls.js"
import type * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"

/**
 * A call that a timelock was told to make.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlannedCall {
  readonly target: Address.Address
  readonly data: Hex
}

/**
 * What was planned, is not done and was not taken back: from `ready` on, in seconds since 1970, it can be done. `calls` are
 * none where nothing vouches for what the event of it says.
 *
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  readonly id: Hex
  readonly ready: number
  readonly calls: Option.Option<ReadonlyArray<PlannedCall>>
}

/**
 * The open plans of an account; `lost` is why there may be others.
 *
 * @since 0.1.0
 * @category models
 */
export interface Plans {
  readonly open: ReadonlyArray<Plan>
  readonly lost: Option.Option<UnknownReason>
}

/**
 * What a timelock still can be made to do of what was planned: by its events, in one level, and what it keeps of each, in
 * a second where there are any left. Events are believed of published code, and of code that tells of each of its plans
 * on every path; what other code says of a plan is held against the name that it is kept under. Of a proxy that had other
 * code before, that has to be published as well: it may have planned what no event tells of.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofTimelock = (
  state: ChainState["Type"],
  timelock: {
    readonly account: Address.Address
    /** The code that answers for it, and where that is. */
    readonly logic: { readonly address: Address.Address; readonly code: Hex }
    readonly pattern: TimelockPattern.TimelockPattern
    readonly isPublished: boolean
  }
): Effect.Effect<Reading<Plans>, ChainError> =>
  Effect.map(
    Together.all([
      timelock.pattern.kind === "openzeppelin" ? ofOpenZeppelin(state, timelock) : ofCompound(state, timelock),
      formerly(state, timelock)
    ]),
    ([{ observation, value }, lost]) => ({
      value: { ...value, lost: Option.orElse(value.lost, () => lost) },
      observation
    })
  )

type Timelock = Parameters<typeof ofTimelock>[1]

const ofOpenZeppelin = (state: ChainState["Type"], timelock: Timelock) =>
  Effect.gen(function* () {
    const { account, isPublished, logic, pattern } = timelock
    const topics = [announcement.openzeppelin, callSalt, callExecuted, cancelled]
    const { observation, value: scan } = yield* state.logs({ address: account, topics: [topics] })
    const told = isPublished || (yield* PlannedCalls.everyPlanIsTold(logic.code, pattern.plan, pattern))
    const all = byId(scan.logs).flatMap(({ id, logs }) => {
      const last = logs.findLast(({ topics: [event] }) => event !== callSalt)?.topics[0]
      // Code of unknown making can say that something was done that was not.
      const isOver = isPublished && (last === callExecuted || last === cancelled)
      return isOver || last === undefined ? [] : [{ id, logs }]
    })
    const newest = all.slice(-plansAtMost)
    const open = yield* Together.forEach(newest, ({ id, logs }) =>
      Effect.map(entryOf(state, timelock, id), (entry): ReadonlyArray<Plan> => {
        const time = Option.getOrElse(entry, () => 2n)
        // No time says that it was taken back, and a time of one that it was done.
        return time <= 1n ? [] : [{ id, ready: secondsOf(time), calls: callsOfOpenZeppelin(id, logs, isPublished) }]
      })
    )
    const plans: Plans = {
      open: open.flat(),
      lost: lostOf({ told, isCut: !scan.complete, isMore: all.length > newest.length })
    }
    return { value: plans, observation }
  })

const ofCompound = (state: ChainState["Type"], timelock: Timelock) =>
  Effect.gen(function* () {
    const { account, logic, pattern } = timelock
    const now = nowOf(state)
    const [{ observation, value: scan }, { value: grace }] = yield* Together.all([
      state.logs({ address: account, topics: [announcement.compound] }),
      Getter.read(state, account, gracePeriod, Getter.int)
    ])
    const told = yield* PlannedCalls.everyPlanIsTold(logic.code, pattern.plan, pattern)
    const all = [...new Map(scan.logs.map((log) => [log.topics[1], log])).entries()].flatMap(([id, log]) =>
      id === undefined ? [] : [{ id, plan: planOfCompound(id, log) }]
    )
    const isOld = (ready: number): boolean => Option.exists(grace, (seconds) => ready + seconds < now)
    const isOver =
      Option.isSome(grace) &&
      all.some(({ plan: { calls, ready } }) => Option.isSome(calls) && isOld(ready)) &&
      (yield* PlannedCalls.everyPlanExpires(logic.code, actingOf(pattern), grace.value))
    const left = all.filter(({ plan: { calls, ready } }) => !(isOver && Option.isSome(calls) && isOld(ready)))
    const newest = left.slice(-plansAtMost)
    const open = yield* Together.forEach(newest, ({ id, plan }) =>
      Effect.map(entryOf(state, timelock, id), (entry) =>
        Option.contains(
          Option.map(entry, (word) => word & 0xffn),
          0n
        )
          ? []
          : [plan]
      )
    )
    const plans: Plans = {
      open: open.flat(),
      lost: lostOf({ told, isCut: !scan.complete, isMore: left.length > newest.length })
    }
    return { value: plans, observation }
  })

/** Why plans may have been made by code that answered before; by the events of a proxy. */
const formerly = (
  state: ChainState["Type"],
  { account, logic }: Timelock
): Effect.Effect<Option.Option<UnknownReason>, ChainError> =>
  logic.address === account
    ? Effect.succeedNone
    : Effect.flatMap(state.logs({ address: account, topics: [Selectors.topics.Upgraded] }), ({ value: scan }) => {
        const former = Arrays.dedupe(
          scan.logs.flatMap(({ topics: [, code] }) =>
            code === undefined ? [] : Option.toArray(Getter.addressOfWord(code))
          )
        ).filter((code) => code !== logic.address)
        if (!scan.complete) return Effect.succeedSome("log_range_limited" as const)
        return Effect.map(
          Together.forEach(former, (code) => state.code(code)),
          (codes): Option.Option<UnknownReason> =>
            codes.every(({ value }) => Option.isSome(KnownRuntime.identify(value)))
              ? Option.none()
              : Option.some("inconclusive")
        )
      })

/**
 * What those who have to wait may soon do by an AccessManager of published code.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/access#IAccessManager-OperationScheduled-bytes32-uint32-uint48-address-address-bytes-
 * @since 0.1.0
 * @category constructors
 */
export const ofManager = (
  state: ChainState["Type"],
  manager: Address.Address
): Effect.Effect<Reading<Plans>, ChainError> =>
  Effect.gen(function* () {
    const topics = [operationScheduled, operationExecuted, operationCanceled]
    const { observation, value: scan } = yield* state.logs({ address: manager, topics: [topics] })
    const all = byId(scan.logs).flatMap(({ id, logs }) => {
      const last = logs.at(-1)
      return last?.topics[0] !== operationScheduled ? [] : [{ id, data: last.data }]
    })
    const newest = all.slice(-plansAtMost)
    const open = yield* Together.forEach(newest, ({ data, id }) =>
      // It answers with zero for what is over, and for what was not done in time.
      Effect.map(Getter.read(state, manager, getSchedule, Getter.int, [id]), ({ value }): ReadonlyArray<Plan> => {
        const ready = Option.getOrElse(value, () => nowOf(state))
        return ready === 0
          ? []
          : [
              {
                id,
                ready,
                calls: Option.map(decoded(["uint48", "address", "address", "bytes"], data), ([, , target, call]) => [
                  { target: Address.checksum(target as Hex), data: call as Hex }
                ])
              }
            ]
      })
    )
    const plans: Plans = {
      open: open.flat(),
      lost: lostOf({ told: true, isCut: !scan.complete, isMore: all.length > newest.length })
    }
    return { value: plans, observation }
  })

const { announcement } = PlannedCalls

const lostOf = (scan: {
  readonly told: boolean
  readonly isCut: boolean
  readonly isMore: boolean
}): Option.Option<UnknownReason> =>
  scan.isCut
    ? Option.some("log_range_limited")
    : scan.isMore
      ? Option.some("budget_exhausted")
      : scan.told
        ? Option.none()
        : Option.some("inconclusive")

/** Events by the name of the plan that they are about, the oldest first. */
const byId = (logs: ReadonlyArray<Log>): ReadonlyArray<{ readonly id: Hex; readonly logs: ReadonlyArray<Log> }> =>
  Object.values(Arrays.groupBy(logs, ({ topics: [, id] }) => id ?? "")).flatMap((each) => {
    const id = each[0].topics[1]
    return id === undefined ? [] : [{ id, logs: each }]
  })

/** What a timelock keeps under the name of a plan; none where it cannot be told where. */
const entryOf = (
  state: ChainState["Type"],
  { account, pattern }: Timelock,
  id: Hex
): Effect.Effect<Option.Option<bigint>, ChainError> =>
  Option.match(StoredVariable.slotOf(pattern.plans, [id]), {
    onNone: () => Effect.succeedNone,
    onSome: (slot) => Effect.map(state.storage(account, slot), ({ value }) => Option.some(BigInt(value)))
  })

const actingOf = ({ acts }: TimelockPattern.TimelockPattern): ReadonlyArray<Hex> => [...acts] as ReadonlyArray<Hex>

/** The calls of one plan by its events, one each, if they are what it is named after. */
const callsOfOpenZeppelin = (
  id: Hex,
  logs: ReadonlyArray<Log>,
  isPublished: boolean
): Option.Option<ReadonlyArray<PlannedCall>> => {
  const scheduled = logs.filter(({ topics: [event] }) => event === announcement.openzeppelin)
  // What was taken back can be planned again.
  const each = [...new Map(scheduled.map((log) => [log.topics[2], log])).values()]
  return Option.flatMap(
    Option.all(each.map(({ data }) => decoded(["address", "uint256", "bytes", "bytes32", "uint256"], data))),
    (all) => {
      const calls = all.map(([target, , data]) => ({ target: Address.checksum(target as Hex), data: data as Hex }))
      const salts = [
        Getter.word(0n),
        ...logs.flatMap(({ data, topics: [event] }) => (event === callSalt && data.length === 66 ? [data] : []))
      ]
      const parts = [0, 1, 2].map((place) => all.map((each) => each[place]))
      const before = all[0]?.[3]
      const isNamed = salts.some((salt) =>
        [
          hashOf([...single, "bytes32", "bytes32"], [...parts.map(([first]) => first), before, salt]),
          hashOf([...several, "bytes32", "bytes32"], [...parts, before, salt])
        ].includes(id)
      )
      return isPublished || isNamed ? Option.some(calls) : Option.none()
    }
  )
}

const planOfCompound = (id: Hex, { data, topics: [, , told] }: Log): Plan =>
  Option.getOrElse(
    Option.flatMap(
      Option.all([
        decoded(["uint256", "string", "bytes", "uint256"], data),
        told === undefined ? Option.none() : Getter.addressOfWord(told)
      ]),
      ([[value, signature, call, date], target]) =>
        hashOf(["address", "uint256", "string", "bytes", "uint256"], [target, value, signature, call, date]) === id
          ? Option.some<Plan>({
              id,
              ready: secondsOf(date as bigint),
              calls: Option.some([
                {
                  target,
                  data:
                    signature === ""
                      ? (call as Hex)
                      : `${Selectors.selector(signature as string)}${(call as Hex).slice(2)}`
                }
              ])
            })
          : Option.none()
    ),
    () => ({ id, ready: 0, calls: Option.none() })
  )

/** The values in an event; none where they are of other types. */
const decoded = (types: ReadonlyArray<string>, data: Hex): Option.Option<ReadonlyArray<unknown>> =>
  Option.liftThrowable(() =>
    AbiParameters.decode(
      types.map((type) => ({ type })),
      data
    )
  )() as Option.Option<ReadonlyArray<unknown>>

const hashOf = (types: ReadonlyArray<string>, values: Array<unknown>): Hex | undefined =>
  Option.getOrUndefined(
    Option.liftThrowable(() =>
      Hash.keccak256(
        AbiParameters.encode(
          types.map((type) => ({ type })),
          values
        )
      )
    )()
  )

const nowOf = ({ block }: ChainState["Type"]): number => Timestamp.toSeconds(block.timestamp)

// A date of centuries from now is no later than this one.
const secondsOf = (time: bigint): number => Number(time > 2n ** 40n ? 2n ** 40n : time)

const single = ["address", "uint256", "bytes"]
const several = ["address[]", "uint256[]", "bytes[]"]

// https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/governance/TimelockController.sol
const callSalt = Selectors.topic("CallSalt(bytes32,bytes32)")
const callExecuted = Selectors.topic("CallExecuted(bytes32,uint256,address,uint256,bytes)")
const cancelled = Selectors.topic("Cancelled(bytes32)")

// https://github.com/compound-finance/compound-protocol/blob/master/contracts/Timelock.sol
const gracePeriod = Selectors.selector("GRACE_PERIOD()")

// https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/access/manager/IAccessManager.sol
const operationScheduled = Selectors.topic("OperationScheduled(bytes32,uint32,uint48,address,address,bytes)")
const operationExecuted = Selectors.topic("OperationExecuted(bytes32,uint32)")
const operationCanceled = Selectors.topic("OperationCanceled(bytes32,uint32)")
const getSchedule = Selectors.selector("getSchedule(bytes32)")

const plansAtMost = 64

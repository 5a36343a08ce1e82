/** @internal */

import { Effect, Option } from "effect"
import * as AbiParameters from "ox/AbiParameters"
import * as OxHex from "ox/Hex"
import { ChainError } from "../../chain/ChainError.js"
import type { ChainState, SimulateRequest } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as TimelockPattern from "../../evm/patterns/TimelockPattern.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as Roles from "./Roles.js"

/**
 * Whether OpenZeppelin's timelock enforces its delay on an account with the roles: a state override gives them to a
 * stranger. `asked` are the roles that its executing functions require of the caller, and `batches` whether it has the
 * functions for several calls at once. Fails where the endpoint cannot simulate it.
 */
export const openZeppelin = (
  state: ChainState["Type"],
  options: {
    readonly timelock: Address.Address
    /** The mapping of roles. */
    readonly roles: string
    readonly asked: ReadonlyArray<Hex>
    readonly delay: number
    readonly batches: boolean
  }
): Effect.Effect<boolean, ChainError> => {
  const { asked, batches, delay, roles, timelock } = options
  const needed = new Set([Roles.roleHash("PROPOSER_ROLE"), Roles.roleHash("EXECUTOR_ROLE"), ...asked])
  const slots = Option.all([...needed].map((role) => StoredVariable.slotOf(roles, [role, Getter.word(stranger)])))
  if (Option.isNone(slots)) return Effect.fail(untried)
  return waits(state, {
    timelock,
    delay,
    planner: stranger,
    executors: [stranger],
    stateDiff: Object.fromEntries(slots.value.map((slot) => [slot, Getter.word(1n)])),
    ways: batches ? [single, batch] : [single]
  })
}

/** The same for Compound's timelock, with the accounts that its code admits: who schedules, and who executes. */
export const compound = (
  state: ChainState["Type"],
  options: {
    readonly timelock: Address.Address
    readonly planners: ReadonlyArray<Address.Address>
    readonly executors: ReadonlyArray<Address.Address>
    /** Whether anyone may execute a scheduled call. */
    readonly open: boolean
    readonly delay: number
  }
): Effect.Effect<boolean, ChainError> => {
  const [planner] = options.planners
  const executors = [...options.executors.slice(0, executorsAtMost), ...(options.open ? [stranger] : [])]
  return planner === undefined || executors.length === 0
    ? Effect.fail(untried)
    : waits(state, {
        timelock: options.timelock,
        delay: options.delay,
        planner,
        executors,
        stateDiff: {},
        ways: [dated]
      })
}

/** A scheduled call, with a salt of its own, and the seconds after `start` at which it is to execute. */
interface Operation {
  readonly salt: bigint
  readonly seconds: number
  readonly target: Address.Address
  readonly value: bigint
  readonly data: Hex
}

interface Way {
  readonly plan: (operation: Operation, start: number) => Hex
  readonly act: (operation: Operation, start: number) => Hex
}

interface Trial {
  readonly timelock: Address.Address
  readonly delay: number
  readonly planner: Address.Address
  readonly executors: ReadonlyArray<Address.Address>
  readonly stateDiff: Readonly<Record<Hex, Hex>>
  readonly ways: ReadonlyArray<Way>
}

/** A call, and how it has to end; either way where nothing is given. */
interface Step {
  readonly from: Address.Address
  readonly data: Hex
  readonly ends?: "returned" | "reverted" | undefined
}

/**
 * Schedules a call and executes it in separate blocks. An unscheduled call, another call under the same id, and the
 * scheduled call before its time, also by one second, have to be refused. The final success shows that the refusals
 * were about the schedule and its time.
 */
const waits = (
  state: ChainState["Type"],
  { delay, executors, planner, stateDiff, timelock, ways }: Trial
): Effect.Effect<boolean, ChainError> =>
  Effect.gen(function* () {
    const start = Timestamp.toSeconds(state.block.timestamp) + blockTime
    const call = { target: stranger, value: 0n, data: "0xa55a" } as const
    const unplanned: Operation = { ...call, salt: 1n, seconds: delay }
    const soon: Operation = { ...call, salt: 2n, seconds: 0 }
    const early: Operation = { ...call, salt: 3n, seconds: delay - 1 }
    const due: Operation = { ...call, salt: 4n, seconds: delay }
    // The id of a call that is scheduled for later, used for a call that is due now.
    const hasty: Operation = { ...due, seconds: 0 }
    const others: ReadonlyArray<Operation> = [
      { ...due, target: bystander },
      { ...due, value: 1n },
      { ...due, data: "0xa55b" }
    ]
    const plan = (operation: Operation, ends?: Step["ends"]): ReadonlyArray<Step> =>
      ways.map((way) => ({ from: planner, data: way.plan(operation, start), ends }))
    const refused = (operations: ReadonlyArray<Operation>): ReadonlyArray<Step> =>
      operations.flatMap((operation) =>
        ways.flatMap((way) =>
          executors.map((from): Step => ({ from, data: way.act(operation, start), ends: "reverted" }))
        )
      )
    const hurried = delay > 0 ? [soon, early] : []
    const blocks: ReadonlyArray<{ readonly time: number; readonly steps: ReadonlyArray<Step> }> = [
      {
        time: start,
        steps: [
          ...refused([unplanned]),
          ...hurried.flatMap((operation) => plan(operation)),
          ...plan(due, "returned"),
          ...refused(delay > 0 ? [...hurried, due, hasty] : [])
        ]
      },
      ...(delay > 1 ? [{ time: start + delay - 1, steps: refused([unplanned, ...hurried, due, hasty]) }] : []),
      {
        time: start + Math.max(delay, 1),
        steps: [
          ...refused(others),
          ...ways.map((way): Step => ({ from: executors[0] ?? planner, data: way.act(due, start), ends: "returned" }))
        ]
      }
    ]
    const request: SimulateRequest = {
      blocks: blocks.map(({ steps, time }, index) => ({
        block: { time },
        ...(index === 0 ? { overrides: { [timelock]: { balance: fund, stateDiff } } } : {}),
        calls: steps.map(({ data, from }) => ({ from, to: timelock, data, gas }))
      }))
    }
    const { value } = yield* state.simulate(request)
    const ended = blocks.flatMap(({ steps }, block) =>
      steps.map((step, index) => ({ ends: step.ends, outcome: value[block]?.[index]?.outcome._tag }))
    )
    if (ended.some(({ ends, outcome }) => ends === "reverted" && outcome === "Returned")) return false
    return ended.every(({ ends, outcome }) => outcome !== undefined && (ends !== "returned" || outcome === "Returned"))
      ? true
      : yield* untried
  })

const untried = new ChainError({
  reason: "inconclusive",
  method: "eth_simulateV1",
  retryable: false,
  detail: "it could not be tried whether the timelock waits"
})

// Accounts of nobody, without any scheduled call.
const stranger = Address.checksum("0x5afe00000000000000000000000000000a55a700")
const bystander = Address.checksum("0x5afe00000000000000000000000000000a55a701")

// What it could send, if it did.
const fund = 1n

const blockTime = 15

const gas = 1_000_000n

const executorsAtMost = 4

const encode = (selector: Hex, types: ReadonlyArray<string>, values: Array<unknown>): Hex =>
  OxHex.concat(
    selector,
    AbiParameters.encode(
      types.map((type) => ({ type })),
      values
    )
  )

const one = ["address", "uint256", "bytes", "bytes32", "bytes32"]
const several = ["address[]", "uint256[]", "bytes[]", "bytes32", "bytes32"]

const single: Way = {
  plan: (operation) => encode(TimelockPattern.schedule, [...one, "uint256"], [...inOne(operation), wait(operation)]),
  act: (operation) => encode(TimelockPattern.execute, one, inOne(operation))
}

const batch: Way = {
  plan: (operation) =>
    encode(TimelockPattern.scheduleBatch, [...several, "uint256"], [...inBatch(operation), wait(operation)]),
  act: (operation) => encode(TimelockPattern.executeBatch, several, inBatch(operation))
}

const dated: Way = {
  plan: (operation, start) => encode(TimelockPattern.queueTransaction, atTime, inTime(operation, start)),
  act: (operation, start) => encode(TimelockPattern.executeTransaction, atTime, inTime(operation, start))
}

const atTime = ["address", "uint256", "string", "bytes", "uint256"]

const wait = ({ seconds }: Operation): bigint => BigInt(seconds)

const inOne = ({ data, salt, target, value }: Operation): Array<unknown> => [
  target,
  value,
  data,
  Getter.word(0n),
  Getter.word(salt)
]

const inBatch = ({ data, salt, target, value }: Operation): Array<unknown> => [
  [target],
  [value],
  [data],
  Getter.word(0n),
  Getter.word(salt)
]

const inTime = ({ data, salt, seconds, target, value }: Operation, start: number): Array<unknown> => [
  target,
  value,
  "",
  OxHex.concat(data, Getter.word(salt)),
  BigInt(start + seconds)
]

/** @internal */

import { Option } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../bytecode/Selectors.js"
import type { Guard } from "../summary/conditions/Guard.js"
import type { Condition } from "../summary/conditions/Precondition.js"
import type { FunctionFlow, StorageFlow, Variable } from "../summary/StorageFlow.js"
import * as ArbitraryCall from "./ArbitraryCall.js"

/**
 * A contract that executes calls only some time after they were scheduled, as its code shows: scheduled calls are in a
 * mapping that only the published functions write, and only the contract itself can change the delay.
 *
 * `acts` are the functions that wait. A contract of this shape may have other functions that make it act at once.
 */
export interface TimelockPattern {
  readonly kind: "openzeppelin" | "compound"
  readonly acts: ReadonlySet<string>
  /** The mapping of scheduled calls. */
  readonly plans: string
  /** Where it keeps how long it waits. */
  readonly delay: Variable
  /** The functions that plan. */
  readonly plan: ReadonlyArray<Hex>
  /** Who plans: the conditions on the caller of those functions. */
  readonly planning: ReadonlyArray<Guard>
  /** The mapping of roles, in OpenZeppelin's. */
  readonly roles: Option.Option<string>
}

/**
 * Recognises OpenZeppelin's TimelockController and Compound's Timelock, whatever other functions the code has. This
 * does not show that an operation without a schedule is refused: that has to be tried.
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/governance/TimelockController.sol
 * @see https://github.com/compound-finance/compound-protocol/blob/master/contracts/Timelock.sol
 */
export const of = (flow: StorageFlow): Option.Option<TimelockPattern> =>
  flow.completeness.complete ? Option.orElse(openZeppelin(flow), () => compound(flow)) : Option.none()

const { selector } = Selectors

/** The function of OpenZeppelin's timelock that acts. */
export const execute = selector("execute(address,uint256,bytes,bytes32,bytes32)")

/** Executes several calls at once. */
export const executeBatch = selector("executeBatch(address[],uint256[],bytes[],bytes32,bytes32)")

/** The function of OpenZeppelin's timelock that plans. */
export const schedule = selector("schedule(address,uint256,bytes,bytes32,bytes32,uint256)")

/** Schedules several calls at once. */
export const scheduleBatch = selector("scheduleBatch(address[],uint256[],bytes[],bytes32,bytes32,uint256)")

// Before OpenZeppelin 4.6 the batches had no array of arrays of another length, and the same names.
const cancel = selector("cancel(bytes32)")
const updateDelay = selector("updateDelay(uint256)")

/** The function of Compound's timelock that acts. */
export const executeTransaction = selector("executeTransaction(address,uint256,string,bytes,uint256)")

/** The function of Compound's timelock that plans. */
export const queueTransaction = selector("queueTransaction(address,uint256,string,bytes,uint256)")
const cancelTransaction = selector("cancelTransaction(address,uint256,string,bytes,uint256)")
const setDelay = selector("setDelay(uint256)")

const openZeppelin = (flow: StorageFlow): Option.Option<TimelockPattern> =>
  waiting(flow, {
    kind: "openzeppelin",
    delay: Selectors.functions.getMinDelay,
    change: updateDelay,
    plan: [schedule, scheduleBatch],
    act: [execute, executeBatch],
    cancel,
    // An executed operation has the time 1.
    over: 1n
  }).pipe(
    Option.filterMap((pattern) => {
      const asked = ArbitraryCall.of(flow).filter((command) => pattern.acts.has(command.selector))
      // Execution needs a role, and anyone may execute where the role is open.
      const slots = new Set(
        asked.flatMap(({ guards }) => guards.map((guard) => (guard.kind === "entry" ? guard.slot : "")))
      )
      const [roles] = slots
      return slots.size === 1 && roles !== undefined && roles !== ""
        ? Option.some({ ...pattern, roles: Option.some(roles) })
        : Option.none()
    })
  )

const compound = (flow: StorageFlow): Option.Option<TimelockPattern> =>
  waiting(flow, {
    kind: "compound",
    delay: Selectors.functions.delay,
    change: setDelay,
    plan: [queueTransaction],
    act: [executeTransaction],
    cancel: cancelTransaction,
    over: 0n
  })

const waiting = (
  flow: StorageFlow,
  shape: {
    readonly kind: TimelockPattern["kind"]
    readonly delay: Hex
    readonly change: Hex
    readonly plan: ReadonlyArray<Hex>
    readonly act: ReadonlyArray<Hex>
    readonly cancel: Hex
    /** The most that an entry holds of what is not planned any more. */
    readonly over: bigint
  }
): Option.Option<TimelockPattern> => {
  const functionOf = (wanted: Hex): FunctionFlow | undefined =>
    flow.functions.find((candidate) => candidate.selector === wanted)
  const planning = shape.plan.flatMap((wanted) => functionOf(wanted) ?? [])
  const acting = shape.act.flatMap((wanted) => functionOf(wanted) ?? [])
  const delays = functionOf(shape.delay)?.returns ?? []
  const [delay] = delays
  if (functionOf(shape.plan[0] as Hex) === undefined || acting.length === 0) return Option.none()
  if (delays.length !== 1 || delay === undefined) return Option.none()
  const planned = new Set(planning.flatMap(({ writes }) => writes.map(({ slot }) => slot)))
  const [plans] = planned
  if (planned.size !== 1 || plans === undefined) return Option.none()
  const writersOf = (slot: string) => flow.functions.filter(({ writes }) => writes.some((write) => write.slot === slot))
  const own = new Set<string>([...shape.plan, ...shape.act, shape.cancel])
  const isSound =
    writersOf(plans).every((writer) => own.has(writer.selector)) &&
    // An executed or cancelled operation is no longer scheduled.
    [...acting, functionOf(shape.cancel)].every((each) =>
      (each?.writes ?? []).every(
        (write) =>
          write.slot !== plans ||
          write.change.kind === "clear" ||
          write.change.kind === "keep" ||
          (write.change.amount.length > 0 &&
            write.change.amount.every((origin) => origin.kind === "constant" && BigInt(origin.value) <= shape.over))
      )
    ) &&
    acting.every(({ requirements, writes }) => {
      // Any alternative to a scheduled call bypasses the schedule. A predecessor operation is named by an argument.
      const isPlan = ({ left, right }: Condition): boolean =>
        [...left.reads, ...right.reads].some(({ keys, slot }) => slot === plans && keys[0]?.kind !== "argument")
      return (
        writes.some((write) => write.slot === plans) &&
        requirements.every(({ anyOf }) => !anyOf.some(isPlan) || anyOf.every(isPlan))
      )
    }) &&
    planning.every(({ gates }) =>
      gates.some(({ compares, reads }) => compares && reads.some((read) => read.slot === delay.slot))
    ) &&
    writersOf(delay.slot).every((writer) => writer.selector === shape.change) &&
    // Only the contract itself may call it: the caller is compared with the contract's own address and with nothing
    // else.
    (functionOf(shape.change)?.writes ?? []).every(
      ({ guards }) =>
        guards.length > 0 && guards.every((guard) => guard.always && guard.kind === "unknown" && guard.isSelf === true)
    ) &&
    (functionOf(shape.change)?.gates ?? []).some(({ about }) => about.includes("caller") && about.includes("self"))
  return isSound
    ? Option.some({
        kind: shape.kind,
        acts: new Set<string>(shape.act),
        plans,
        delay,
        plan: planning.flatMap(({ selector: name }) => (name === "fallback" ? [] : [name])),
        planning: planning.flatMap(({ writes }) => writes.flatMap(({ guards }) => guards)),
        roles: Option.none()
      })
    : Option.none()
}

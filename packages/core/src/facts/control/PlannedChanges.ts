/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainState } from "../../chain/state/ChainState.js"
import type * as Reading from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { ControlGap, ControlGraph } from "../../domain/facts/ControlGraph.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import type { ScheduledCall, ScheduledOperation } from "./ScheduledOperation.js"
import type { ScheduledOperations } from "./ScheduledOperations.js"

/**
 * A scheduled operation of an account that enforces a delay, on a contract or on an account before it, executable from
 * `ready` on, in seconds since 1970. `notice` gives the time from which on it uses a power over the contract, and the
 * seconds until then; none where the delay stays as before. `calls` are none where the operation is unknown.
 */
export interface PlannedChange {
  readonly by: Address
  readonly id: Hex
  readonly ready: number
  readonly notice: Option.Option<Notice>
  readonly calls: Option.Option<ReadonlyArray<ScheduledCall>>
}

/** A time, in seconds since 1970, and how many are left until then. */
export interface Notice {
  readonly from: number
  readonly left: number
}

/** The scheduled operations on a contract; `gaps` are the accounts with unknown operations, as `plans:<account>`. */
export interface PlannedChanges {
  readonly changes: ReadonlyArray<PlannedChange>
  readonly gaps: ReadonlyArray<ControlGap>
}

/** The scheduled operations; empty where no account enforces a delay. */
export const orNone = (planned: Option.Option<{ readonly value: PlannedChanges }>): PlannedChanges =>
  Option.match(planned, { onNone: () => ({ changes: [], gaps: [] }), onSome: ({ value }) => value })

/**
 * Reads the planned changes of a contract from the pending operations of each account that makes others wait; none if no
 * account does. The observation is that of the first change, else of the graph.
 */
export const read = (
  facts: { readonly state: ChainState["Type"]; readonly operations: ScheduledOperations["Type"] },
  address: Address,
  { observation, value: graph }: Reading.Reading<ControlGraph>
): Effect.Effect<Option.Option<Reading.Reading<PlannedChanges>>> =>
  Effect.gen(function* () {
    const accounts = waiters(graph)
    if (accounts.length === 0) return Option.none()
    const now = Timestamp.toSeconds(facts.state.block.timestamp)
    const read = yield* Together.forEach(accounts, (by) =>
      Effect.map(Effect.either(facts.operations.of(by)), (operations) => ({ by, operations }))
    )
    const changes = read.flatMap(({ by, operations }) =>
      Either.match(operations, {
        onLeft: () => [],
        onRight: ({ value: { pending } }) => of(graph, address, by, { now, pending })
      })
    )
    const gaps = read.flatMap(({ by, operations }) =>
      Either.match(operations, {
        onLeft: ({ reason }) => [{ what: `${prefix}${by}`, reason }],
        onRight: ({ value: { lost } }) =>
          Option.toArray(Option.map(lost, (reason) => ({ what: `${prefix}${by}`, reason })))
      })
    )
    const [first] = changes
    const seen = read.flatMap(({ by, operations }) =>
      Either.isRight(operations) && (first === undefined || first.by === by) ? [operations.right.observation] : []
    )
    return Option.some({ value: { changes, gaps }, observation: seen[0] ?? observation })
  })

/** Whether holders cannot leave before a power can be used by plan. */
export const isSoon = ({ notice }: Pick<PlannedChange, "notice">): boolean =>
  Option.exists(notice, ({ left }) => left < Controller.notice)

/** The accounts in a graph that make others wait: timelocks, and contracts that give out roles with a delay. */
export const waiters = ({ edges, nodes }: ControlGraph): ReadonlyArray<Address> =>
  nodes.flatMap(({ address, delay_seconds: delay, kind }) =>
    (kind === "timelock" && delay !== null && delay > 0) ||
    (kind === "contract" &&
      edges.some(
        ({ from, power, to }) =>
          (from === address && power === "authority") || (to === address && power === "role:ADMIN")
      ))
      ? [address]
      : []
  )

/**
 * Those plans of one account that are about a contract, about an account that can use a power over it without this one, or
 * about how long this one makes others wait.
 */
export const of = (
  graph: ControlGraph,
  target: Address,
  by: Address,
  { now, pending }: { readonly now: number; readonly pending: ReadonlyArray<ScheduledOperation> }
): ReadonlyArray<PlannedChange> => {
  const before = between(graph, target, by)
  const node = graph.nodes.find(({ address }) => address === by)
  const delay = node?.kind === "timelock" ? (node.delay_seconds ?? 0) : null
  return pending.flatMap((plan) => {
    const noticeOf = (from: number): Notice => ({ from, left: Math.max(0, from - now) })
    const change = (notice: Option.Option<Notice>): ReadonlyArray<PlannedChange> => [
      { by, id: plan.id, ready: plan.ready, notice, calls: ofInterest(plan, before, by) }
    ]
    if (Option.isNone(plan.calls)) return change(Option.some(noticeOf(plan.ready)))
    const dates = plan.calls.value.flatMap(({ data, target: called }): ReadonlyArray<Option.Option<number>> => {
      if (called !== by) return before.has(called) ? [Option.some(plan.ready)] : []
      // A shorter delay takes effect only after the present one.
      return [delay === null ? Option.some(plan.ready) : Option.map(ofItself(data, delay), (wait) => plan.ready + wait)]
    })
    const sooner = dates.flatMap(Option.toArray)
    return dates.length === 0
      ? []
      : change(sooner.length === 0 ? Option.none() : Option.some(noticeOf(Math.min(...sooner))))
  })
}

/**
 * A controller with its scheduled calls taken into account. If a scheduled call uses one of the given functions, or is
 * unknown, and executes sooner than holders can leave, the delay no longer counts. If not all scheduled calls are
 * known, or none could be read, the delay is unknown.
 */
export const hastened =
  (planned: Option.Option<PlannedChanges>, target: Address, functions: ReadonlyArray<string>) =>
  (controller: Controller.Controller): Controller.Controller => {
    if (!Controller.isLate(controller)) return controller
    // Calls that were scheduled at a manager of roles belong to another controller.
    const isHis = (by: string): boolean => controller.kind !== "timelock" || by === controller.address
    const uses = ({ calls }: PlannedChange): boolean =>
      Option.match(calls, {
        onNone: () => true,
        onSome: (all) => all.some((call) => call.target !== target || functions.includes(call.data.slice(0, 10)))
      })
    return Option.match(planned, {
      onNone: () => ({ ...controller, delay_seconds: null }),
      onSome: ({ changes, gaps }) =>
        changes.some((change) => isHis(change.by) && isSoon(change) && uses(change))
          ? { ...controller, delay_seconds: 0 }
          : gaps.some(({ what }) => isHis(what.slice(prefix.length)))
            ? { ...controller, delay_seconds: null }
            : controller
    })
  }

/** Before the account of which not all plans are known, in a gap. */
export const prefix = "plans:"

/** The accounts, the contract itself among them, that can use a power over it in a way that does not lead through another one. */
const between = ({ edges, nodes }: ControlGraph, target: Address, without: Address): ReadonlySet<Address> => {
  const found = new Set([target])
  for (const account of found) for (const { from, to } of edges) if (to === account && from !== without) found.add(from)
  // A key does nothing when it is called.
  return new Set(
    [...found].filter((account) => !nodes.some((node) => node.address === account && isInert.has(node.kind)))
  )
}

const isInert: ReadonlySet<string> = new Set(["eoa", "dead"])

const ofInterest = ({ calls }: ScheduledOperation, before: ReadonlySet<Address>, by: Address): PlannedChange["calls"] =>
  Option.map(calls, (all) => all.filter(({ target }) => target === by || before.has(target)))

/** How long others wait once a timelock has done something to itself; none where they wait as long as before. */
const ofItself = (data: Hex, delay: number): Option.Option<number> => {
  const selector = data.slice(0, 10).toLowerCase()
  if (harmless.has(selector)) return Option.none()
  if (!shortening.has(selector) || data.length < 74) return Option.some(0)
  const next = BigInt(`0x${data.slice(10, 74)}`)
  return next >= BigInt(delay) ? Option.none() : Option.some(Number(next))
}

const selectors = (signatures: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(signatures.map(Selectors.selector))

const shortening = selectors(["updateDelay(uint256)", "setDelay(uint256)"])

// Scheduling itself is harmless: its call has to wait.
const harmless = selectors([
  "grantRole(bytes32,address)",
  "revokeRole(bytes32,address)",
  "renounceRole(bytes32,address)",
  "cancel(bytes32)",
  "setPendingAdmin(address)"
])

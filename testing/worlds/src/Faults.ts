/** @internal */

import { Option } from "effect"
import type { SeededRandom } from "./SeededRandom.js"
import type { CallFault } from "./WorldProcess.js"
import type { Time } from "./WorldTime.js"
import type { Trace } from "./WorldTrace.js"

/** What goes wrong around the processes: stores that fail or are slow for a while, and clocks that are set. */
export interface Faults {
  readonly faultOf: (process: string, operation: string) => Option.Option<CallFault>
  /** How long a store call takes on its way there, and on its way back, in milliseconds. */
  readonly latencyOf: () => number
  /** How long a process stands still that froze. */
  readonly frozenFor: () => number
  /** Something is to befall a process at the n-th of its next store calls. */
  readonly plan: (process: string, kind: "crashes" | "freezes") => void
  /** Epoch milliseconds: the latest that a process may have read on the wall, and still think that it is now. */
  readonly latest: () => number
  /** Whether nothing went wrong since a moment. */
  readonly wasFairSince: (moment: number) => boolean
  readonly calm: () => void
}

export const make = (time: Time, trace: Trace, random: SeededRandom): Faults => {
  let isCalm = false
  let failing = 0
  let slowest = 0
  let disturbedAt = 0
  const planned = new Map<string, Plan>()
  const setBack: Array<{ readonly at: number; readonly millis: number }> = []

  const turn = () => {
    if (isCalm) return
    if (failing > 0 || slowest > 0) disturbedAt = time.now()
    failing = random.pick([0, 0, 0, 0, 0.02, 0.3, 1])
    slowest = random.pick([0, 0, 0, 20, 1_000])
    if (failing > 0 || slowest > 0) trace.note("faults", `stores fail ${failing}, take ${slowest} ms`)
    time.after(random.wait(failing > 0 || slowest > 0 ? 6 * minute : 3 * hour), turn)
  }
  time.after(random.wait(hour), turn)

  const setClock = () => {
    if (isCalm) return
    const size = random.pick([500, 5_000, 3 * minute, hour, 26 * hour])
    const millis = random.chance(0.5) ? random.between(1, size) : -random.between(1, Math.min(size, 3 * hour))
    if (millis < 0) setBack.push({ at: time.now(), millis: -millis })
    disturbedAt = time.now()
    time.jump(millis)
    trace.note("faults", `the clock is set by ${millis} ms`)
    time.after(random.wait(16 * hour), setClock)
  }
  time.after(random.wait(16 * hour), setClock)

  return {
    faultOf: (process, operation) => {
      const plan = planned.get(process)
      if (plan !== undefined && (plan.isIdleToo || !idle.has(operation))) {
        planned.set(process, { ...plan, calls: plan.calls - 1 })
        if (plan.calls <= 1) {
          planned.delete(process)
          return Option.some({ kind: plan.kind, moment: random.chance(0.5) ? "before" : "after" })
        }
      }
      return failing > 0 && random.chance(failing)
        ? Option.some({ kind: "fails", moment: random.chance(0.5) ? "before" : "after" })
        : Option.none()
    },
    latencyOf: () => (slowest === 0 || random.chance(0.5) ? 0 : random.between(0, slowest)),
    frozenFor: () => random.wait(random.pick([20_000, 4 * minute, 10 * minute])),
    plan: (process, kind) => {
      planned.set(process, { kind, calls: random.between(1, 30), isIdleToo: random.chance(0.3) })
    },
    latest: () =>
      setBack.reduce((latest, { at, millis }) => (at > time.now() - 2 * hour ? latest + millis : latest), time.wall()),
    wasFairSince: (moment) => disturbedAt < moment && failing === 0 && slowest === 0,
    calm: () => {
      isCalm = true
      failing = 0
      slowest = 0
      disturbedAt = time.now()
      planned.clear()
    }
  }
}

interface Plan {
  readonly kind: "crashes" | "freezes"
  readonly calls: number
  readonly isIdleToo: boolean
}

/** The store calls of an idle process: most of all calls, and the least to break. */
const idle: ReadonlySet<string> = new Set([
  "WatchStore.outbox",
  "WatchStore.expired",
  "WatchStore.claimDue",
  "WatchStore.nextDueAt",
  "ExecutionStore.expireLeases",
  "QuotaStore.unsettled",
  "EventStore.nextDeliveryAt"
])

const minute = 60_000
const hour = 60 * minute

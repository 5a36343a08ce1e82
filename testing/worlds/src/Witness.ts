/** @internal */

import { Effect } from "effect"
import type { Time } from "./WorldTime.js"
import type { Trace } from "./WorldTrace.js"

/**
 * A promise that must hold whatever happens; the numbers are those of the invariants that the tests show.
 *
 * - `I1`: no unit beyond the quota. `I2`: one final state per reservation, paid where there is a result and only there.
 * - `I3`: one live lease per watch and per execution. `I4`: a check that was claimed or skipped says when.
 * - `I5`: no automatic check before its time, none twice. `I6`: every event is in the log, and delivered or given up.
 * - `I7`: no secret in any output. `I8`: the laws of comparison. `I9`: nothing starts for a watch that was removed.
 * - `I10`: what was acknowledged is there.
 * - `recovery`: what a process left behind when it died is finished in time. `progress`: what is due happens.
 * - `error`: an answer that a caller may not get, or a defect.
 */
export type Law =
  | "I1"
  | "I2"
  | "I3"
  | "I4"
  | "I5"
  | "I6"
  | "I7"
  | "I8"
  | "I9"
  | "I10"
  | "recovery"
  | "progress"
  | "error"

export interface Breach {
  readonly law: Law
  readonly detail: string
}

/**
 * Sees every store call of a simulated world in the order in which the stores did them, and says what must not have been.
 * The first breach ends the world: what follows from it says nothing.
 */
export interface Witness {
  readonly time: Time
  readonly trace: Trace
  readonly check: (law: Law, holds: boolean, detail: () => string) => void
  readonly breaches: () => ReadonlyArray<Breach>
  /** The process of the store call that runs at this moment. */
  readonly actor: () => string
  readonly act: (process: string) => void
  /** Whether a process has ended; nothing but that allows another one to end its work before its lease is over. */
  readonly isGone: (process: string) => boolean
  readonly bury: (process: string) => void
}

export const make = (time: Time, trace: Trace): Witness => {
  const breaches: Array<Breach> = []
  const gone = new Set<string>()
  let actor = "-"
  return {
    time,
    trace,
    check: (law, holds, detail) => {
      if (holds || breaches.length > 0) return
      breaches.push({ law, detail: detail() })
      trace.note("witness", `${law} ${breaches[0]?.detail}`)
      time.stop()
    },
    breaches: () => breaches,
    actor: () => actor,
    act: (process) => {
      actor = process
    },
    isGone: (process) => gone.has(process),
    bury: (process) => {
      gone.add(process)
    }
  }
}

/** Looks at an answer of a store in the same step in which it was given. */
export const seen = <A, E>(effect: Effect.Effect<A, E>, look: (answer: A) => void): Effect.Effect<A, E> =>
  Effect.map(effect, (answer) => {
    look(answer)
    return answer
  })

/** @internal */

import type { SeededRandom } from "./SeededRandom.js"
import type { Process } from "./WorldProcess.js"
import type { Time } from "./WorldTime.js"

/**
 * The processes of a deployment: now none, now one, now two. They are killed, crash between two store calls, are stopped
 * as they should be, or freeze for a while, and others take their place.
 */
export interface Fleet<R> {
  readonly processes: () => ReadonlyArray<Process<R>>
  /** Whether one of them has been up since a moment, and never frozen. */
  readonly hasServedSince: (moment: number) => boolean
  /** Kills them all, and starts one that stays. */
  readonly renew: () => Process<R>
}

/** `start` makes the process of this number, `plan` lets one crash or freeze at one of its next store calls. */
export const make = <R>(
  time: Time,
  random: SeededRandom,
  world: {
    readonly start: (number: number) => Process<R>
    readonly plan: (process: string, kind: "crashes" | "freezes") => void
  }
): Fleet<R> => {
  interface Berth {
    process: Process<R>
    servingSince: number
  }
  const berths: Array<Berth> = []
  let number = 0
  let isCalm = false

  const launch = (berth: Berth | undefined, restIn: () => number) => {
    const process = world.start(number++)
    const mine = berth ?? { process, servingSince: time.now() }
    if (berth === undefined) berths.push(mine)
    mine.process = process
    mine.servingSince = time.now()
    const relaunch = () => {
      if (isCalm) return
      if (process.isGone()) time.after(restIn(), () => (isCalm ? undefined : launch(mine, restIn)))
      else time.after(5_000, relaunch)
    }
    const trouble = () => {
      if (isCalm || process.isGone()) return
      switch (random.pick(["kill", "crash", "crash", "stop", "freeze", "freeze"])) {
        case "kill":
          return process.kill()
        case "crash":
          return world.plan(process.name, "crashes")
        case "stop":
          return process.stop()
        case "freeze":
          world.plan(process.name, "freezes")
          time.after(random.wait(3 * hour), trouble)
      }
    }
    time.after(random.wait(3 * hour), trouble)
    relaunch()
  }

  launch(undefined, () => random.wait(random.pick([1_000, minute, minute, hour])))
  time.after(random.wait(2 * hour), () => {
    if (!isCalm) launch(undefined, () => random.wait(random.pick([minute, 5 * hour])))
  })

  return {
    processes: () => berths.map(({ process }) => process),
    hasServedSince: (moment) =>
      berths.some(
        ({ process, servingSince }) => process.isReady() && Math.max(servingSince, process.thawedAt()) <= moment
      ),
    renew: () => {
      isCalm = true
      for (const { process } of berths.splice(0)) process.kill()
      const process = world.start(number++)
      berths.push({ process, servingSince: time.now() })
      return process
    }
  }
}

const minute = 60_000
const hour = 60 * minute

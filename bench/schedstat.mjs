// What the scheduler says of the main thread of this process: https://docs.kernel.org/scheduler/sched-stats.html
import { openSync, readSync } from "node:fs"

// It is read at every turn, within what is measured: opening the file each time was a tenth of the CPU of all readings.
const schedstat = (() => {
  try {
    return openSync("/proc/self/schedstat", "r")
  } catch {
    return undefined
  }
})()
const line = Buffer.alloc(128)

const milliseconds = (place) =>
  schedstat === undefined
    ? undefined
    : Number(line.latin1Slice(0, readSync(schedstat, line, 0, line.length, 0)).split(" ")[place]) / 1e6

/** The time that it was on a core, in ms; undefined where the system does not report it. */
export const onCore = () => milliseconds(0)

/** The time that it waited for a core, in ms; undefined where the system does not report it. */
export const coreWait = () => milliseconds(1)

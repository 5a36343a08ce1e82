/** @internal */

import { Clock, Duration, Effect, type Scheduler } from "effect"
import type { SeededRandom } from "./SeededRandom.js"

/**
 * The time and the processor of a simulated world. Nothing in it waits: what is ready runs, one piece after another, in
 * an order that the random choose, and when nothing is ready, time goes to the next wake-up of a sleeper.
 *
 * There are two times, as on a real machine. `now` only goes on, and sleepers go by it. `wall` is what a clock on the
 * wall shows, and all that a program can read: it can be set forward and back, which wakes nobody.
 */
export interface Time {
  /** Milliseconds since the world began. */
  readonly now: () => number
  /** Epoch milliseconds. */
  readonly wall: () => number
  readonly jump: (millis: number) => void
  /** Does something later; the answer takes it back. */
  readonly after: (millis: number, task: () => void) => () => void
  /** Lets this much time go by, unless it is stopped. */
  readonly run: (millis: number) => void
  /** Nothing happens any more from here on. */
  readonly stop: () => void
  /** A processor of its own for one process. */
  readonly processor: () => Processor
}

/**
 * What the fibers of one process run on. Once it is halted none of them does anything any more, not even a finalizer,
 * as after `kill -9`.
 */
export interface Processor {
  readonly scheduler: Scheduler.Scheduler
  readonly clock: Clock.Clock
  readonly halt: () => void
  readonly isHalted: () => boolean
  /** Nothing of it runs until it is thawed, as between `kill -STOP` and `kill -CONT`. */
  readonly freeze: () => void
  readonly thaw: () => void
}

export const make = (options: { readonly startsAt: number; readonly random: SeededRandom }): Time => {
  let now = 0
  let set = 0
  let booked = 0
  let stopped = false
  const agenda: Array<Entry> = []
  const ready: Array<() => void> = []

  const wall = () => options.startsAt + now + set

  const after = (millis: number, task: () => void): (() => void) => {
    const entry: Entry = { at: now + Math.max(0, Math.ceil(millis)), order: booked++, task }
    push(agenda, entry)
    return () => {
      // What was to happen may hold much, and its time may be far away.
      entry.task = undefined
    }
  }

  const runReady = () => {
    while (ready.length > 0 && !stopped) {
      const chosen = ready.length === 1 ? 0 : options.random.between(0, ready.length)
      const task = ready[chosen]
      const last = ready.pop()
      if (chosen < ready.length && last !== undefined) ready[chosen] = last
      task?.()
    }
  }

  return {
    now: () => now,
    wall,
    jump: (millis) => {
      set += millis
    },
    after,
    run: (millis) => {
      const end = now + millis
      runReady()
      for (let next = agenda[0]; next !== undefined && next.at <= end && !stopped; next = agenda[0]) {
        pop(agenda)
        if (next.task === undefined) continue
        now = next.at
        next.task()
        runReady()
      }
      if (!stopped) now = end
    },
    stop: () => {
      stopped = true
    },
    processor: () => {
      let halted = false
      let frozen = false
      let later: Array<() => void> = []
      const schedule = (task: () => void) => {
        if (halted) return
        if (frozen) later.push(task)
        else ready.push(() => (frozen ? schedule(task) : halted ? undefined : task()))
      }
      const clock: Clock.Clock = {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: wall,
        unsafeCurrentTimeNanos: () => BigInt(wall()) * 1_000_000n,
        currentTimeMillis: Effect.sync(wall),
        currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
        sleep: (duration) =>
          Effect.async<void>((resume) => {
            const millis = Duration.toMillis(duration)
            // As the timers of Node: what is longer than that never ends.
            if (millis > 2 ** 31 - 1) return
            const cancel = after(millis, () => (halted ? undefined : resume(Effect.void)))
            return Effect.sync(cancel)
          })
      }
      return {
        clock,
        scheduler: {
          // Only where it waits does a fiber give way, so that a store call and what is seen of it are one step.
          shouldYield: () => false,
          scheduleTask: schedule
        },
        halt: () => {
          halted = true
        },
        isHalted: () => halted,
        freeze: () => {
          frozen = true
        },
        thaw: () => {
          frozen = false
          const waiting = later
          later = []
          for (const task of waiting) schedule(task)
        }
      }
    }
  }
}

interface Entry {
  readonly at: number
  readonly order: number
  task: (() => void) | undefined
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Adds to a binary heap, with the earliest entry first. */
const push = (heap: Array<Entry>, entry: Entry): void => {
  let index = heap.push(entry) - 1
  while (index > 0) {
    const above = (index - 1) >> 1
    const parent = heap[above]
    if (parent === undefined || !isBefore(entry, parent)) break
    heap[index] = parent
    index = above
  }
  heap[index] = entry
}

const pop = (heap: Array<Entry>): void => {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    const left = 2 * index + 1
    const [first, second] = [heap[left], heap[left + 1]]
    if (first === undefined) break
    const child = second !== undefined && isBefore(second, first) ? second : first
    if (!isBefore(child, last)) break
    heap[index] = child
    index = child === first ? left : left + 1
  }
  heap[index] = last
}

/** @internal */

import { Effect, FiberRef, Scheduler } from "effect"
import * as EventLoop from "./EventLoop.js"

/** Turns of the event loop that analyses share, so that what else the program does is not held up for long. */
export interface Turns {
  /** Runs an analysis, with all fibers that it forks, for about 5 ms a turn together with the others. */
  readonly run: <A, E, R>(analysis: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Turns of one program. Effect's own scheduler continues fibers in microtasks for as long as any is ready, and no socket is
 * read meanwhile. With several analyses that was a tenth of a second of CPU and more.
 *
 * Where the clock stands still, as in tests, all that is ready runs in one turn.
 */
export const make: Effect.Effect<Turns> = Effect.map(Effect.clock, (clock) => {
  const ready: Array<Ready> = []
  let left = 0n
  let isTurn = false
  let isBooked = false

  const turn = (): void => {
    isBooked = false
    if (!isTurn) {
      isTurn = true
      left = nanosPerTurn
      EventLoop.later(() => {
        isTurn = false
        if (ready.length > 0) turn()
      })
    }
    const end = clock.unsafeCurrentTimeNanos() + left
    const isOver = (): boolean => clock.unsafeCurrentTimeNanos() >= end
    // A batch of each analysis after the other.
    for (
      let next = isOver() ? undefined : ready.shift();
      next !== undefined;
      next = isOver() ? undefined : ready.shift()
    )
      if (next.batch(isOver)) ready.push(next)
    left = end - clock.unsafeCurrentTimeNanos()
  }

  const schedule = (analysis: Ready): void => {
    ready.push(analysis)
    // When the time of this turn is over, the next one begins with what is ready.
    if (isBooked || (isTurn && left <= 0n)) return
    isBooked = true
    queueMicrotask(turn)
  }

  return { run: (analysis) => Effect.suspend(() => Effect.withScheduler(analysis, new Ready(schedule))) }
})

/**
 * Does something in a later turn, after one in which no fiber of this analysis could continue, so that answers that arrived
 * while they ran are heard as well; what it returns cancels that. It is no sleep, because a test clock would stop it.
 */
export const afterwards: Effect.Effect<(task: () => void) => () => void> = Effect.map(
  FiberRef.get(FiberRef.currentScheduler),
  (scheduler) => (task) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isCancelled = false
    const wait = (): void => {
      if (isCancelled) return
      timer = setTimeout(() => (scheduler instanceof Ready && !scheduler.isIdle ? scheduler.whenIdle(wait) : task()), 0)
    }
    wait()
    return () => {
      isCancelled = true
      clearTimeout(timer)
    }
  }
)

/** What is ready of one analysis, in the order in which it became ready. */
class Ready implements Scheduler.Scheduler {
  readonly shouldYield = Scheduler.defaultShouldYield
  readonly #schedule: (self: Ready) => void
  #tasks: Array<Scheduler.Task> = []
  #whenIdle: Array<() => void> = []
  isIdle = true

  constructor(schedule: (self: Ready) => void) {
    this.#schedule = schedule
  }

  scheduleTask(task: Scheduler.Task): void {
    this.#tasks.push(task)
    if (!this.isIdle) return
    this.isIdle = false
    this.#schedule(this)
  }

  /** Does something once, as soon as nothing is ready. */
  whenIdle(task: () => void): void {
    this.#whenIdle.push(task)
  }

  /** Runs what is ready now, unless time is over, and says whether there is more. */
  batch(isOver: () => boolean): boolean {
    const tasks = this.#tasks
    this.#tasks = []
    let count = 0
    while (count < tasks.length && (count === 0 || !isOver())) tasks[count++]?.()
    if (count < tasks.length) this.#tasks = [...tasks.slice(count), ...this.#tasks]
    if (this.#tasks.length > 0) return true
    this.isIdle = true
    for (const task of this.#whenIdle.splice(0)) task()
    return false
  }
}

/** Long enough that analyses get half of the time beside requests that never end, and a tenth of what may block. */
const nanosPerTurn = 5_000_000n

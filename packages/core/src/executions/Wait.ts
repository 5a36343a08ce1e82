/** @internal */

import { Effect, Option } from "effect"
import type { ExecutionId } from "../domain/Id.js"

/**
 * The execution that a waiting caller may fetch later. The execution promises itself to the caller once it has its
 * unit, or the end of the wait comes first and it is not named. So every named execution stays, and every one that goes
 * on has a caller who knows it.
 */
export interface Wait {
  /** Called by the execution once it has its unit; false where the wait is over and it was not named. */
  readonly promise: Effect.Effect<boolean>
  /** It waits for this one instead. */
  readonly join: (id: ExecutionId) => Effect.Effect<void>
  /** What it joined is gone, so it waits for its own again; false where the wait is over. */
  readonly leave: Effect.Effect<boolean>
  /** Completes once there is an execution that may be named. */
  readonly named: Effect.Effect<void>
  /** The wait is over: the execution to fetch, if there is one that may be named. */
  readonly end: Effect.Effect<Option.Option<ExecutionId>>
  /** The caller is gone: whether no other one of this process waits for what it waited for, and what that was. */
  readonly abandon: Effect.Effect<{ readonly id: ExecutionId; readonly isUnwanted: boolean }>
  /** Its execution has ended. */
  readonly close: Effect.Effect<void>
}

/**
 * Makes the waits of one process, each by the id of its own execution. `exists` says whether an execution is stored.
 */
export const make = (exists: (id: ExecutionId) => Effect.Effect<boolean>): ((id: ExecutionId) => Wait) => {
  const states = new Map<ExecutionId, State>()
  const waiting = new Map<ExecutionId, number>()
  /** Whoever waits until something is named, and looks again when anything has changed. */
  const looking = new Set<() => void>()
  const changed = () => {
    for (const look of [...looking]) look()
  }

  /** One that runs in another process was begun before this wait, and is believed to have its unit by now. */
  const isPromised = (id: ExecutionId) => (states.get(id) ?? "promised") === "promised"

  const count = (id: ExecutionId, change: 1 | -1): number => {
    const now = (waiting.get(id) ?? 0) + change
    if (now === 0) waiting.delete(id)
    else waiting.set(id, now)
    return now
  }

  return (id: ExecutionId): Wait => {
    let state: State = "open"
    let joined = Option.none<ExecutionId>()
    let hasCaller = true
    const awaited = () => Option.getOrElse(joined, () => id)
    const turnTo = (other: Option.Option<ExecutionId>) => {
      if (hasCaller) count(awaited(), -1)
      joined = other
      if (hasCaller) count(awaited(), 1)
      changed()
    }
    const become = (next: State) => {
      state = next
      states.set(id, next)
      changed()
    }
    become("open")
    count(id, 1)
    return {
      promise: Effect.sync(() => {
        if (state === "open") become("promised")
        return state === "promised"
      }),
      join: (other) =>
        Effect.sync(() => {
          turnTo(Option.some(other))
        }),
      leave: Effect.sync(() => {
        turnTo(Option.none())
        return state === "open"
      }),
      // A twin of this process is promised by its own caller.
      named: Effect.async<void>((resume) => {
        const look = () => {
          if (isPromised(awaited()) && looking.delete(look)) resume(Effect.void)
        }
        looking.add(look)
        look()
        return Effect.sync(() => {
          looking.delete(look)
        })
      }),
      end: Effect.gen(function* () {
        if (state === "promised") return Option.some(id)
        become("over")
        const other = Option.filter(joined, isPromised)
        return Option.isSome(other) && (yield* exists(other.value)) ? other : Option.none()
      }),
      abandon: Effect.sync(() => {
        const left = hasCaller ? count(awaited(), -1) : 0
        hasCaller = false
        return { id: awaited(), isUnwanted: left === 0 }
      }),
      close: Effect.sync(() => {
        states.delete(id)
        if (hasCaller) count(awaited(), -1)
        hasCaller = false
        changed()
      })
    }
  }
}

type State = "open" | "promised" | "over"

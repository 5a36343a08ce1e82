import type * as Check from "@assay/core/checks/Check"
import { Effect, FiberRef } from "effect"

/** How many checks of a target are decided, and how many there are. */
export interface Progress {
  readonly address: string
  readonly done: number
  readonly total: number
}

const listener = FiberRef.unsafeMake<((address: string, total: number) => void) | undefined>(undefined)

/** Reports each check that ends while the effect runs. What the callback throws is not our caller's failure. */
export const reporting = <A, E, R>(
  callback: ((progress: Progress) => void) | undefined,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (callback === undefined) return effect
  return Effect.suspend(() => {
    const done = new Map<string, number>()
    return Effect.locally(effect, listener, (address, total) => {
      const count = Math.min(total, (done.get(address) ?? 0) + 1)
      done.set(address, count)
      callback({ address, done: count, total })
    })
  })
}

/** The same checks, and the end of each is reported. */
export const counting = <C extends Check.Any>(checks: ReadonlyArray<C>): ReadonlyArray<C> => {
  const totals = new Map(
    (["token", "wallet", "contract"] as const).map((kind) => [
      kind,
      checks.filter(({ targets }) => targets.includes(kind)).length
    ])
  )
  return checks.map((check) => ({
    ...check,
    run: (target: Parameters<C["run"]>[0]) =>
      Effect.ensuring(
        check.run(target),
        Effect.flatMap(FiberRef.get(listener), (report) =>
          Effect.ignore(Effect.try(() => report?.(target.address, totals.get(target.kind) ?? 0)))
        )
      )
  }))
}

import { Cause, Clock, Context, Effect } from "effect"
import { StorageError } from "./StorageError.js"

/**
 * Repeated failures of calls. Failures of the stores are one outage, whichever call fails.
 *
 * @since 0.1.0
 * @category services
 */
export class Outages extends Context.Reference<Outages>()("@assay/core/Outages", {
  defaultValue: (): { readonly open: Map<string, Open> } => ({ open: new Map() })
}) {}

interface Open {
  readonly since: number
  failedAt: number
  toldAt: number
  failures: number
  untold: number
}

/**
 * Notes that something failed, which is tried again. The first failure is logged, with its cause. Of those that follow there
 * is one line a minute at most, with their number.
 *
 * @since 0.1.0
 * @category combinators
 */
export const note: (what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void> = Effect.fnUntraced(function* (
  what: string,
  cause: Cause.Cause<unknown>
) {
  if (Cause.isInterruptedOnly(cause)) return
  const { open } = yield* Outages
  const now = yield* Clock.currentTimeMillis
  const key = keyOf(what, cause)
  const known = open.get(key)
  if (known === undefined) {
    open.set(key, { since: now, failedAt: now, toldAt: now, failures: 1, untold: 0 })
    return yield* Effect.logWarning(what, cause)
  }
  known.failedAt = now
  known.failures++
  known.untold++
  // A clock that was set back must not silence it.
  if (now - known.toldAt < minute && now >= known.toldAt) return
  const count = known.untold
  known.toldAt = now
  known.untold = 0
  yield* Effect.logWarning(
    `${what}; ${count} ${nameOf(key)} failed since the last such line, the first of them ${secondsOf(now - known.since)} ago`,
    cause
  )
})

/**
 * Notes that something worked which may have failed before. Where nothing like it has failed for half a minute, an outage is
 * over, which is logged with how long it lasted.
 *
 * @since 0.1.0
 * @category combinators
 */
export const over = (what: string): Effect.Effect<void> =>
  Effect.flatMap(Outages, ({ open }) =>
    open.size === 0
      ? Effect.void
      : Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.forEach(
            [store, what],
            (key) => {
              const known = open.get(key)
              if (known === undefined || Math.abs(now - known.failedAt) < quiet) return Effect.void
              open.delete(key)
              return Effect.logInfo(
                `Over after ${secondsOf(known.failedAt - known.since)}: ${known.failures} ${nameOf(key)} failed, the last of them ${secondsOf(now - known.failedAt)} ago`
              )
            },
            { discard: true }
          )
        )
  )

/**
 * Runs what is tried again and again: notes its end, and goes on with `otherwise` where it failed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const surviving =
  <B>(what: string, otherwise: B) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R> =>
    Effect.matchCauseEffect(self, {
      onFailure: (cause) => Effect.as(note(what, cause), otherwise),
      onSuccess: (done) => Effect.as(over(what), done)
    })

/** Longer than the pauses between retries: otherwise the success of another call would end the outage. */
const quiet = 30_000
const minute = 60_000

const store = "the stores"

const keyOf = (what: string, cause: Cause.Cause<unknown>): string =>
  [...Cause.failures(cause)].some((error) => error instanceof StorageError) ? store : what

const nameOf = (key: string): string => (key === store ? "calls of the stores" : "times the same")

const secondsOf = (millis: number): string => `${Math.max(0, Math.round(millis / 1000))} s`

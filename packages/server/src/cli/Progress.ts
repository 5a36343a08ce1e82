import type * as Transport from "@assay/core/chain/Transport"
import type * as Check from "@assay/core/checks/Check"
import { Effect, Schedule } from "effect"
import type { Shell } from "./Shell.js"

/**
 * How far an analysis is: rounds of requests, checks that are done, and whether an endpoint's rate holds it up.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  /** The same transport, and what is sent through it is counted. */
  readonly watching: (transport: Transport.Transport["Type"]) => Transport.Transport["Type"]
  /** The same check, and its end is counted. */
  readonly counting: <C extends Check.Any>(check: C) => C
  /** Shows a line about `what` until the effect ends. */
  readonly during: <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Shows nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const silent: Progress = {
  watching: (transport) => transport,
  counting: (check) => check,
  during: (_, effect) => effect
}

/**
 * Writes one line to standard error and rewrites it ten times a second; it is gone at the end.
 *
 * @since 0.1.0
 * @category constructors
 */
export const line = (shell: Shell["Type"]): Progress => {
  let rounds = 0
  let flying = 0
  let done = 0
  let isLimited = false
  const text = (what: string) => {
    const waiting = isLimited && flying === 0 ? ", waiting for the endpoint's pace" : ""
    return `\r\u001b[2K${what}: level ${rounds}, ${done} checks done${waiting}`
  }
  return {
    watching: (transport) => ({
      post: (url, body) =>
        Effect.suspend(() => {
          if (flying === 0) rounds++
          flying++
          return transport.post(url, body)
        }).pipe(
          Effect.tap((reply) =>
            Effect.sync(() => {
              // The error code of EIP-1474 for a limit that was exceeded.
              isLimited = reply.status === 429 || reply.body.includes("-32005")
            })
          ),
          Effect.ensuring(
            Effect.sync(() => {
              flying--
            })
          )
        )
    }),
    counting: (check) => ({
      ...check,
      run: (target) =>
        Effect.ensuring(
          check.run(target),
          Effect.sync(() => {
            done++
          })
        )
    }),
    during: (what, effect) =>
      Effect.scoped(
        Effect.suspend(() => {
          rounds = 0
          done = 0
          isLimited = false
          const show = Effect.suspend(() => shell.writeError(text(what)))
          // Forked in the scope and not in an acquisition: a fiber that is forked where nothing can be interrupted never
          // can be, and waiting for its end would take for ever.
          return Effect.zipRight(Effect.forkScoped(Effect.repeat(show, Schedule.spaced("100 millis"))), effect)
        })
      ).pipe(Effect.ensuring(shell.writeError("\r\u001b[2K")))
  }
}

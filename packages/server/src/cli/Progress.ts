import type * as Transport from "@assay/core/chain/rpc/Transport"
import type * as Check from "@assay/core/checks/Check"
import { Effect, Schedule } from "effect"
import type { Shell } from "./Shell.js"

/** How far an analysis is: checks that are done, and what it is doing or waiting for. */
export interface Progress {
  /** The same transport, and what is sent through it is counted. */
  readonly watching: (transport: Transport.Transport["Type"]) => Transport.Transport["Type"]
  /** The same check, and its end is counted. */
  readonly counting: <C extends Check.Any>(check: C) => C
  /** Shows a line about a target until the effect ends. */
  readonly during: <A, E, R>(target: Place, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A target and its place among those that are analysed one after the other; the first is at 0. */
export interface Place {
  readonly address: string
  readonly index: number
  readonly count: number
}

/** Shows nothing. */
export const silent: Progress = {
  watching: (transport) => transport,
  counting: (check) => check,
  during: (_, effect) => effect
}

/**
 * Writes one line to a terminal on standard error, writes it anew ten times a second and erases it at the end. Shows
 * nothing where a line cannot be erased.
 */
export const make = (shell: Shell["Type"]): Progress => (shell.terminal.errors.erase === "" ? silent : line(shell))

const line = (shell: Shell["Type"]): Progress => {
  const checks: Array<Check.Any> = []
  // How many checks are made of the kind of the target, which is known when the first one starts.
  let total = 0
  let done = 0
  let requests = 0
  let flying = 0
  let isLimited = false

  const stage = () => {
    if (isLimited && flying === 0) return ", waiting for the rate limit of the endpoint"
    if (total > 0 && done === total) return ", reading what else the report states"
    return requests === 1 ? ", 1 request" : `, ${requests} requests`
  }
  const text = ({ address, count, index }: Place) =>
    [
      ...(count === 1 ? [] : [`${index + 1} of ${count}: `]),
      total === 0 ? "reading the address" : `${done} of ${total} checks`,
      stage(),
      // Last, so that a narrow window takes the end of it and nothing else.
      `: ${address}`
    ].join("")
  // A line that is longer than the window goes on in the next one, which is not erased.
  const cut = (written: string) => {
    const width = Math.max(1, shell.terminal.errors.columns() - 1)
    return written.length <= width ? written : `${written.slice(0, width - 1)}…`
  }
  const show = (place: Place) =>
    Effect.suspend(() => shell.writeError(`${shell.terminal.errors.erase}${cut(text(place))}`))

  return {
    watching: (transport) => ({
      post: (url, body) =>
        Effect.suspend(() => {
          requests++
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
    counting: (check) => {
      checks.push(check)
      return {
        ...check,
        run: (target) => {
          total ||= checks.filter(({ targets }) => targets.includes(target.kind)).length
          return Effect.ensuring(
            check.run(target),
            Effect.sync(() => {
              done++
            })
          )
        }
      }
    },
    during: (place, effect) =>
      Effect.scoped(
        Effect.suspend(() => {
          total = 0
          done = 0
          requests = 0
          isLimited = false
          // Forked in the scope and not in an acquisition: a fiber that is forked where nothing can be interrupted never
          // can be, and waiting for its end would take for ever.
          return Effect.zipRight(Effect.forkScoped(Effect.repeat(show(place), Schedule.spaced("100 millis"))), effect)
        })
      ).pipe(Effect.ensuring(shell.writeError(shell.terminal.errors.erase)))
  }
}

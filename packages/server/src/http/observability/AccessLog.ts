import { Cause, Effect, FiberId, FiberRef, FiberRefs, HashMap, List, Logger, LogLevel, Option } from "effect"
import * as LogLines from "../../LogLines.js"
import * as Metrics from "./Metrics.js"

/**
 * An answered request. `route` is its template, none for an unknown one; `client` is the address of a caller whom an
 * operator may have to stop, undefined for everybody else.
 */
export interface Answered {
  readonly method: string
  readonly route: Option.Option<string>
  readonly status: number
  readonly millis: number
  readonly client?: Option.Option<string> | undefined
}

/** Writes the line of an answered request to the log, with the annotations of the fiber, and counts it. */
export const write = (answered: Answered): Effect.Effect<void> =>
  Effect.zipRight(
    Effect.annotateLogs(Effect.logWithLevel(levelOf(answered), message), membersOf(answered)),
    Effect.sync(() => count(answered))
  )

/** Does what `write` does at once, with these annotations, for requests that no fiber answers. */
export const writer: Effect.Effect<(answered: Answered, annotations: Readonly<Record<string, string>>) => void> =
  Effect.map(Effect.getFiberRefs, (context) => {
    const loggers = [...FiberRefs.getOrDefault(context, FiberRef.currentLoggers)]
      // It adds events to the span of a fiber.
      .filter((logger) => logger !== Logger.tracerLogger)
      .map((logger) => LogLines.plainOf(logger) ?? ((said: LogLines.Plain) => logger.log(optionsOf(context, said))))
    const minimum = FiberRefs.getOrDefault(context, FiberRef.currentMinimumLogLevel)
    return (answered, annotations) => {
      count(answered)
      const logLevel = levelOf(answered)
      if (LogLevel.lessThan(logLevel, minimum)) return
      // A spread of two takes several times as long.
      const all = Object.assign({}, annotations, membersOf(answered))
      const said = { message, logLevel, date: new Date(), annotations: all }
      for (const log of loggers) log(said)
    }
  })

const optionsOf = (
  context: FiberRefs.FiberRefs,
  { annotations, date, logLevel, message }: LogLines.Plain
): Logger.Logger.Options<unknown> => ({
  annotations: HashMap.fromIterable(Object.entries(annotations)),
  cause: Cause.empty,
  context,
  date,
  fiberId: FiberId.none,
  logLevel,
  message: [message],
  spans: List.empty()
})

const message = "request"

const levelOf = ({ route }: Answered): LogLevel.LogLevel =>
  Option.exists(route, (template) => template.startsWith("/api/v1/health/")) ? LogLevel.Debug : LogLevel.Info

const membersOf = ({ client, method, millis, route, status }: Answered) => {
  const members = { method, route: Option.getOrNull(route), status, ms: millis }
  return client === undefined ? members : { ...members, client: Option.getOrNull(client) }
}

const count = ({ method, millis, route, status }: Answered): void =>
  Metrics.count({ route, method, status, seconds: millis / 1000 })

import {
  Context,
  Effect,
  FiberRef,
  FiberRefs,
  HashMap,
  type Layer,
  Logger,
  type LogLevel,
  Option,
  Tracer
} from "effect"

/** What a line says that has no cause, no spans, no fiber, and nothing but text and numbers. */
export interface Plain {
  readonly message: string
  readonly logLevel: LogLevel.LogLevel
  readonly date: Date
  readonly annotations: Readonly<Record<string, string | number | null>>
}

/**
 * Writes the log as lines of JSON, as `Logger.json` does, all lines of a turn of the event loop at once. What was not yet
 * written is written when the process exits.
 */
export const layer = (write: (lines: string) => void): Layer.Layer<never> =>
  Logger.replaceScoped(
    Logger.defaultLogger,
    Effect.acquireRelease(
      Effect.sync(() => {
        let waiting = ""
        const flush = () => {
          const lines = waiting
          waiting = ""
          if (lines !== "") write(lines)
        }
        const add = (text: string) => {
          if (waiting === "") setImmediate(flush)
          waiting += `${text}\n`
        }
        process.once("exit", flush)
        return {
          flush,
          logger: Object.assign(Logger.map(line, add), { [plainKey]: (said: Plain) => add(plainLine(said)) })
        }
      }),
      ({ flush }) =>
        Effect.sync(() => {
          process.off("exit", flush)
          flush()
        })
    ).pipe(Effect.map(({ logger }) => logger))
  )

/** How a logger takes plain lines, at a fraction of what others cost it; undefined where it does not. */
export const plainOf = (logger: Logger.Logger<unknown, unknown>): ((said: Plain) => void) | undefined =>
  plainKey in logger ? (logger[plainKey] as (said: Plain) => void) : undefined

const plainKey = Symbol("@assay/server/LogLines/plain")

/** The line of what is plain, as `line` writes it. */
export const plainLine = ({ annotations, date, logLevel, message }: Plain): string =>
  JSON.stringify({
    message,
    logLevel: logLevel.label,
    timestamp: date.toISOString(),
    annotations,
    spans: {},
    fiberId: ""
  })

/** The trace that a line belongs to, where it is recorded. */
const traceOf = (context: FiberRefs.FiberRefs): HashMap.HashMap<string, string> =>
  Option.match(Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan), {
    onNone: () => HashMap.empty(),
    onSome: ({ sampled, spanId, traceId }) =>
      sampled ? HashMap.make(["trace_id", traceId], ["span_id", spanId]) : HashMap.empty()
  })

/**
 * A line. What has nothing but text and numbers in it, as the line of a request has, is the same JSON without a search for
 * cycles.
 */
export const line: Logger.Logger<unknown, string> = Logger.make((given) => {
  const options = { ...given, annotations: HashMap.union(given.annotations, traceOf(given.context)) }
  const made = Logger.structuredLogger.log(options)
  return made.cause === undefined &&
    typeof made.message === "string" &&
    Object.values(made.annotations).every((value) => value === null || typeof value !== "object")
    ? JSON.stringify(made)
    : Logger.jsonLogger.log(options)
})

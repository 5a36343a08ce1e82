import { Effect, type Layer, Logger } from "effect"

/**
 * Writes the log as lines of JSON, as `Logger.json` does, all lines of a turn of the event loop at once. What was not yet
 * written is written when the process exits.
 *
 * @since 0.1.0
 * @category layers
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
        process.once("exit", flush)
        return {
          flush,
          logger: Logger.map(line, (text) => {
            if (waiting === "") setImmediate(flush)
            waiting += `${text}\n`
          })
        }
      }),
      ({ flush }) =>
        Effect.sync(() => {
          process.off("exit", flush)
          flush()
        })
    ).pipe(Effect.map(({ logger }) => logger))
  )

/**
 * A line. What has nothing but text and numbers in it, as the line of a request has, is the same JSON without a search for
 * cycles.
 *
 * @since 0.1.0
 * @category constructors
 */
export const line: Logger.Logger<unknown, string> = Logger.make((options) => {
  const made = Logger.structuredLogger.log(options)
  return made.cause === undefined &&
    typeof made.message === "string" &&
    Object.values(made.annotations).every((value) => value === null || typeof value !== "object")
    ? JSON.stringify(made)
    : Logger.jsonLogger.log(options)
})

import { Cause, Logger as EffectLogger, type Layer, LogLevel } from "effect"

/** Where the library writes what an operator should know: `console` is one. */
export interface Logger {
  readonly debug: (message: string) => void
  readonly info: (message: string) => void
  readonly warn: (message: string) => void
  readonly error: (message: string) => void
}

/** Sends log lines to a logger of the embedder, or nowhere. */
export const layer = (logger: Logger | undefined): Layer.Layer<never> =>
  logger === undefined
    ? EffectLogger.remove(EffectLogger.defaultLogger)
    : EffectLogger.replace(
        EffectLogger.defaultLogger,
        EffectLogger.make(({ cause, logLevel, message }) => {
          const said = Array.isArray(message) ? message.map(String).join(" ") : String(message)
          const text = Cause.isEmpty(cause) ? said : `${said}: ${Cause.pretty(cause)}`
          if (logLevel.ordinal >= LogLevel.Error.ordinal) logger.error(text)
          else if (logLevel.ordinal >= LogLevel.Warning.ordinal) logger.warn(text)
          else if (logLevel.ordinal >= LogLevel.Info.ordinal) logger.info(text)
          else logger.debug(text)
        })
      )

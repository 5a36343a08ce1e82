import { Logger as EffectLogger, type Layer } from "effect"

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
        EffectLogger.make(({ logLevel, message }) => {
          const text = Array.isArray(message) ? message.map(String).join(" ") : String(message)
          if (logLevel.ordinal >= 50_000) logger.error(text)
          else if (logLevel.ordinal >= 40_000) logger.warn(text)
          else if (logLevel.ordinal >= 20_000) logger.info(text)
          else logger.debug(text)
        })
      )

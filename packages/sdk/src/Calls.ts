import { Effect, Exit, type Layer, ManagedRuntime } from "effect"
import * as AssayErrors from "./AssayError.js"

/** Promises over a layer, until it is closed. */
export interface Calls<R> {
  /** Rejects with an `AssayError`, and after `close` with that alone. */
  readonly run: <A>(effect: Effect.Effect<A, unknown, R>, signal?: AbortSignal | undefined) => Promise<A>
  /** Ends what runs and releases the layer, once. */
  readonly close: () => Promise<void>
}

/** Calls over a layer. It is built with the first of them, and where that failed, anew with the next one. */
export const make = <R, E>(layer: Layer.Layer<R, E>): Calls<R> => {
  let runtime = ManagedRuntime.make(layer)
  let closing: Promise<void> | undefined
  const services = Effect.suspend(() => {
    const used = runtime
    return Effect.tapErrorCause(used.runtimeEffect, () =>
      Effect.suspend(() => {
        // Another call may have begun anew already.
        if (used !== runtime || closing !== undefined) return Effect.void
        runtime = ManagedRuntime.make(layer)
        return used.disposeEffect
      })
    )
  })
  return {
    run: (effect, signal) =>
      closing === undefined
        ? Effect.runPromiseExit(
            Effect.flatMap(services, (built) => Effect.provide(effect, built)),
            signal === undefined ? {} : { signal }
          ).then(
            Exit.match({
              onFailure: (cause) => Promise.reject(AssayErrors.ofCause(cause, signal)),
              onSuccess: (value) => Promise.resolve(value)
            })
          )
        : Promise.reject(AssayErrors.closed()),
    close: () => {
      closing ??= runtime.dispose()
      return closing
    }
  }
}

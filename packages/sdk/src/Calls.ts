import { type Effect, Exit, type ManagedRuntime } from "effect"
import * as AssayErrors from "./AssayError.js"

/** Promises over a runtime, until it is closed. */
export interface Calls<R> {
  /** Rejects with an `AssayError`, and after `close` with that alone. */
  readonly run: <A>(effect: Effect.Effect<A, unknown, R>, signal?: AbortSignal | undefined) => Promise<A>
  readonly isClosed: () => boolean
  /** Ends what runs and releases the runtime, once. */
  readonly close: () => Promise<void>
}

/** Calls over a runtime, which is theirs to dispose of. */
export const make = <R>(runtime: ManagedRuntime.ManagedRuntime<R, unknown>): Calls<R> => {
  let closing: Promise<void> | undefined
  return {
    run: (effect, signal) =>
      closing === undefined
        ? runtime.runPromiseExit(effect, signal === undefined ? {} : { signal }).then(
            Exit.match({
              onFailure: (cause) => Promise.reject(AssayErrors.ofCause(cause, signal)),
              onSuccess: (value) => Promise.resolve(value)
            })
          )
        : Promise.reject(AssayErrors.closed()),
    isClosed: () => closing !== undefined,
    close: () => {
      closing ??= runtime.dispose()
      return closing
    }
  }
}

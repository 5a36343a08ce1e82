/** @internal */

import { Effect, FiberRef, type Tracer } from "effect"

/**
 * A span round an effect, where spans are made: without them it costs a look at a flag, and the options are not worked out.
 */
export const traced =
  (name: string, options: () => Tracer.SpanOptions) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled)
        ? (Effect.withSpan(self, name, { captureStackTrace: false, ...options() }) as Effect.Effect<A, E, R>)
        : self
    )

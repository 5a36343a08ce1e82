import { Context, Effect, Layer, Queue } from "effect"

/**
 * Signals the scheduler of this process that a watch may be due earlier than planned, or that a slot is free.
 *
 * @since 0.1.0
 * @category services
 */
export class Bell extends Context.Tag("@assay/core/Bell")<
  Bell,
  {
    readonly ring: Effect.Effect<void>
    /** Waits for the next signal, or takes the one that is pending. For one listener. */
    readonly heard: Effect.Effect<void>
  }
>() {}

/**
 * A signal for one process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Bell> = Layer.effect(
  Bell,
  Effect.map(Queue.sliding<void>(1), (rings) => ({
    ring: Effect.asVoid(Queue.offer(rings, undefined)),
    heard: Queue.take(rings)
  }))
)

import { Context, Effect, Layer, Queue, type Scope } from "effect"
import type { KeyId } from "../domain/Id.js"

/**
 * Signals that the log has grown, so that readers in this process see new events at once. What another process appends
 * is not signalled here: readers also poll.
 *
 * @since 0.1.0
 * @category services
 */
export class EventBell extends Context.Tag("@assay/core/EventBell")<
  EventBell,
  {
    /** Wakes the listeners to one of these keys, and the listeners to all keys. */
    readonly ring: (keyIds: Iterable<KeyId>) => Effect.Effect<void>
    /** Listens to a key from now on. The result waits for the next signal, or returns at once if one was missed. */
    readonly listen: (keyId: KeyId) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    readonly listenAll: Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>() {}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<EventBell> = Layer.sync(EventBell, () => {
  const ofKey = new Map<KeyId, Set<Queue.Queue<void>>>()
  const ofAll = new Set<Queue.Queue<void>>()

  const offer = (listeners: Iterable<Queue.Queue<void>>) =>
    Effect.forEach(listeners, (listener) => Queue.offer(listener, undefined), { discard: true })

  const register = (add: (listener: Queue.Queue<void>) => void, remove: (listener: Queue.Queue<void>) => void) =>
    Effect.acquireRelease(
      // A queue of one is enough: any number of missed signals mean one read.
      Effect.tap(Queue.sliding<void>(1), (listener) => Effect.sync(() => add(listener))),
      (listener) => Effect.sync(() => remove(listener))
    ).pipe(Effect.map(Queue.take))

  return {
    ring: (keyIds) =>
      Effect.suspend(() => {
        const keys = new Set(keyIds)
        if (keys.size === 0) return Effect.void
        return Effect.zipRight(
          Effect.forEach(keys, (key) => offer(ofKey.get(key) ?? []), { discard: true }),
          offer(ofAll)
        )
      }),
    listen: (keyId) =>
      register(
        (listener) => {
          const listeners = ofKey.get(keyId) ?? new Set()
          ofKey.set(keyId, listeners.add(listener))
        },
        (listener) => {
          const listeners = ofKey.get(keyId)
          listeners?.delete(listener)
          if (listeners?.size === 0) ofKey.delete(keyId)
        }
      ),
    listenAll: register(
      (listener) => ofAll.add(listener),
      (listener) => ofAll.delete(listener)
    )
  }
})

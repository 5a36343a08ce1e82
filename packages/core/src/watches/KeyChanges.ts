import { Clock, Effect, Option } from "effect"
import type { KeyId, WatchId } from "../domain/Id.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import * as Transition from "./Transition.js"

/**
 * Resumes the watches of a key that is enabled again: only those that were suspended because it was disabled.
 *
 * @since 0.1.0
 * @category combinators
 */
export const enabled = (keyId: KeyId): Effect.Effect<void, StorageError, WatchStore> =>
  happen(keyId, { _tag: "KeyEnabled" })

/**
 * Makes the watches of a key that wait for a unit due again, because its quota was raised.
 *
 * @since 0.1.0
 * @category combinators
 */
export const quotaRaised = (keyId: KeyId): Effect.Effect<void, StorageError, WatchStore> =>
  happen(keyId, { _tag: "QuotaRaised" })

const happen = (keyId: KeyId, happening: Transition.WatchHappening) =>
  Effect.gen(function* () {
    const store = yield* WatchStore
    const now = yield* Clock.currentTimeMillis
    let before = Option.none<WatchId>()
    do {
      const page = yield* store.list(keyId, anything, { limit: 100, before })
      yield* Effect.forEach(
        page.data,
        ({ id }) =>
          store.change(keyId, id, (watch) => {
            const { memory } = Transition.apply(watch.memory, happening, now)
            return memory === watch.memory
              ? Option.none()
              : Option.some({ label: watch.label, options: watch.options, updatedAt: now, memory })
          }),
        { discard: true }
      )
      before = page.next_cursor === null ? Option.none() : Option.fromNullable(page.data.at(-1)?.id)
    } while (Option.isSome(before))
  })

const anything = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }

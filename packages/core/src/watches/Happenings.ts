/** @internal */

import { Clock, Effect, Option } from "effect"
import type { KeyId, WatchId } from "../domain/Id.js"
import { KeyStore } from "../storage/KeyStore.js"
import { QuotaStore } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import * as Transition from "./Transition.js"

/** Applies what happened to each watch of a key. */
export const happen = (
  keyId: KeyId,
  happening: Transition.WatchHappening
): Effect.Effect<void, StorageError, WatchStore> =>
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

/**
 * Corrects, for all keys, what was stored while the clock was ahead: postponed watches are due again, and units of
 * later days are counted today.
 */
export const clockSetBack: Effect.Effect<void, StorageError, KeyStore | QuotaStore | WatchStore> = Effect.gen(
  function* () {
    const keys = yield* KeyStore
    const quota = yield* QuotaStore
    const now = yield* Clock.currentTimeMillis
    let before = Option.none<KeyId>()
    do {
      const page = yield* keys.list({ limit: 100, before })
      for (const { id } of page.data) {
        yield* happen(id, { _tag: "ClockSetBack" })
        yield* quota.redate(id, now)
      }
      before = page.next_cursor === null ? Option.none() : Option.fromNullable(page.data.at(-1)?.id)
    } while (Option.isSome(before))
  }
)

const anything = { state: Option.none(), kind: Option.none(), address: Option.none(), failing: Option.none() }

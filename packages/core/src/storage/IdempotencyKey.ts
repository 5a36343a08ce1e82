/** @internal */

import { Clock, Effect, Encoding, Option, Schema } from "effect"
import { sha256 } from "#sha256"
import type { KeyId } from "../domain/Id.js"
import type { ExecutionStore } from "./ExecutionStore.js"
import { patiently } from "./Patience.js"
import type { StorageError } from "./StorageError.js"

/** How long an idempotency key stands for what its first request made: a day, in milliseconds. */
export const standsForMillis = 24 * 3_600_000

/**
 * A request that creates something: its API key, the kind of the resource, the client's name for the request, and its
 * content as JSON.
 */
export interface Making {
  readonly keyId: KeyId
  readonly kind: "watch" | "webhook"
  readonly name: Option.Option<string>
  readonly asked: unknown
}

/**
 * What makes a request safe to repeat. `made` is the id of an earlier request with the same name within a day. `claim`
 * is called with a new id just before the resource is created, and returns the id to create it under: the same one for
 * all requests with the name. Creation by id is idempotent, so there is one resource, also where a process ends in
 * between. Without a name there is no earlier request, and every id is new.
 */
export const make = <Id extends string>(store: ExecutionStore["Type"], { asked, keyId, kind, name }: Making) => {
  // No client can give a line break in a name, so none names what another kind of request, or an execution, is bound to.
  const bound = (given: string) => ({
    keyId,
    name: `${kind}\n${given}`,
    fingerprint: Encoding.encodeBase64Url(sha256(JSON.stringify(asked)))
  })
  const same = ({ fingerprint, id }: { readonly fingerprint: string; readonly id: string }, mine: string) =>
    fingerprint === mine ? Effect.succeed(id as Id) : new IdempotencyKeyReused()
  const made: Effect.Effect<Option.Option<Id>, IdempotencyKeyReused | StorageError> = Effect.transposeMapOption(
    name,
    (given) =>
      Effect.gen(function* () {
        const wanted = bound(given)
        const after = (yield* Clock.currentTimeMillis) - standsForMillis
        const found = yield* patiently(store.bound({ ...wanted, after }))
        return yield* Effect.transposeMapOption(found, (binding) => same(binding, wanted.fingerprint))
      })
  ).pipe(Effect.map(Option.flatten))
  const claim = (id: Id): Effect.Effect<Id, IdempotencyKeyReused | StorageError> =>
    Option.match(name, {
      onNone: () => Effect.succeed(id),
      onSome: (given) =>
        Effect.gen(function* () {
          const wanted = bound(given)
          const now = yield* Clock.currentTimeMillis
          const binding = yield* patiently(store.bind({ ...wanted, id, now, after: now - standsForMillis }))
          return yield* same(binding, wanted.fingerprint)
        })
    })
  return { made, claim }
}

/** The idempotency key stands for another request of this API key. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {}

/** @internal */

import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import { KeyStore } from "@assay/core/storage/KeyStore"
import { Processes } from "@assay/core/storage/Processes"
import { QuotaStore } from "@assay/core/storage/QuotaStore"
import type { Storage } from "@assay/core/storage/Storage"
import type { StorageError } from "@assay/core/storage/StorageError"
import { WatchStore } from "@assay/core/storage/WatchStore"
import { Context, Effect, Predicate } from "effect"

/**
 * What stands between a program and a store: it is given each call, and does with it what it likes.
 *
 * @since 0.1.0
 * @category models
 */
export type Between = <A>(operation: string, effect: Effect.Effect<A, StorageError>) => Effect.Effect<A, StorageError>

/**
 * Puts something between a program and every method of every store, those that are yet to be thought of too.
 *
 * @since 0.1.0
 * @category combinators
 */
export const around = (stores: Context.Context<Storage>, between: Between): Context.Context<Storage> =>
  Context.empty().pipe(
    Context.add(KeyStore, every("KeyStore", Context.get(stores, KeyStore), between)),
    Context.add(QuotaStore, every("QuotaStore", Context.get(stores, QuotaStore), between)),
    Context.add(ExecutionStore, every("ExecutionStore", Context.get(stores, ExecutionStore), between)),
    Context.add(WatchStore, every("WatchStore", Context.get(stores, WatchStore), between)),
    Context.add(EventStore, every("EventStore", Context.get(stores, EventStore), between)),
    Context.add(Processes, Context.get(stores, Processes))
  )

// A store is a record of effects and of functions to effects, and so is what comes out: types cannot follow a loop.
const every = <S extends object>(name: string, store: S, between: Between): S =>
  Object.fromEntries(
    Object.entries(store as { readonly [method: string]: unknown }).map(([method, member]) => {
      const operation = `${name}.${method}`
      const call = (effect: unknown) => between(operation, effect as Effect.Effect<unknown, StorageError>)
      if (Effect.isEffect(member)) return [method, call(member)]
      return [
        method,
        Predicate.isFunction(member) ? (...args: ReadonlyArray<unknown>) => call(member(...args)) : member
      ]
    })
  ) as S

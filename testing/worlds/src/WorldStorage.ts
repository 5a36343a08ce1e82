/** @internal */

import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import { KeyStore } from "@assay/core/storage/KeyStore"
import { Processes } from "@assay/core/storage/Processes"
import { QuotaStore } from "@assay/core/storage/QuotaStore"
import type { Storage } from "@assay/core/storage/Storage"
import type { StorageError } from "@assay/core/storage/StorageError"
import { WatchStore } from "@assay/core/storage/WatchStore"
import { Cause, Context, Effect, Exit, Predicate, Runtime, RuntimeFlags } from "effect"

/** What stands between a program and a store: it is given each call, and does with it what it likes. */
export type Between = <A>(operation: string, effect: Effect.Effect<A, StorageError>) => Effect.Effect<A, StorageError>

/** Puts something between a program and every method of every store, those that are yet to be thought of too. */
export const around = (stores: Context.Context<Storage>, between: Between): Context.Context<Storage> =>
  Context.empty().pipe(
    Context.add(KeyStore, every("KeyStore", Context.get(stores, KeyStore), between)),
    Context.add(QuotaStore, every("QuotaStore", Context.get(stores, QuotaStore), between)),
    Context.add(ExecutionStore, every("ExecutionStore", Context.get(stores, ExecutionStore), between)),
    Context.add(WatchStore, every("WatchStore", Context.get(stores, WatchStore), between)),
    Context.add(EventStore, every("EventStore", Context.get(stores, EventStore), between)),
    Context.add(Processes, Context.get(stores, Processes))
  )

/**
 * Runs each call to its end at once, with a clock and a scheduler of its own: no time of the world passes in it, and
 * nothing else of the world happens before it has its answer. A defect, such as a call that waits for something, is
 * passed to `onDefect`.
 */
export const immediate = (
  stores: Context.Context<Storage>,
  onDefect: (operation: string, defect: string) => void
): Context.Context<Storage> =>
  around(stores, (operation, effect) =>
    Effect.suspend(() => {
      const { setImmediate } = globalThis
      // What is computed in turns of the event loop has them at once.
      globalThis.setImmediate = atOnce as typeof setImmediate
      try {
        const exit = Runtime.runSyncExit(plain)(effect)
        if (Exit.isFailure(exit) && Cause.isDie(exit.cause)) onDefect(operation, Cause.pretty(exit.cause))
        return exit
      } finally {
        globalThis.setImmediate = setImmediate
      }
    })
  )

const atOnce = (task: () => void) => task()

const plain = Runtime.disableRuntimeFlag(Runtime.defaultRuntime, RuntimeFlags.RuntimeMetrics)

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

import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import type { Storage } from "@assay/core/storage/Storage"
import { StorageHealth } from "@assay/core/storage/StorageHealth"
import { WatchStore } from "@assay/core/storage/WatchStore"
import { Context, Effect, Layer, Option } from "effect"

/**
 * Lets a process claim nothing and end nothing of others while something is known against its stores: where its clock is
 * wrong it would take leases for over that are held, and hold ones that others take for over.
 */
export const layer: Layer.Layer<Storage, never, Storage | StorageHealth> = Layer.effectContext(
  Effect.gen(function* () {
    const stores = yield* Effect.context<Storage>()
    const { cause } = yield* StorageHealth
    const unless =
      <Args extends ReadonlyArray<unknown>, A, E>(
        call: (...args: Args) => Effect.Effect<ReadonlyArray<A>, E>
      ): ((...args: Args) => Effect.Effect<ReadonlyArray<A>, E>) =>
      (...args) =>
        Effect.flatMap(
          cause,
          Option.match({ onNone: () => call(...args), onSome: () => Effect.succeed<ReadonlyArray<A>>([]) })
        )
    const executions = Context.get(stores, ExecutionStore)
    const watches = Context.get(stores, WatchStore)
    const events = Context.get(stores, EventStore)
    return stores.pipe(
      Context.add(ExecutionStore, { ...executions, expireLeases: unless(executions.expireLeases) }),
      Context.add(WatchStore, { ...watches, claimDue: unless(watches.claimDue), expired: unless(watches.expired) }),
      Context.add(EventStore, { ...events, claimDeliveries: unless(events.claimDeliveries) })
    )
  })
)

import { type Context, Effect, Layer, Option } from "effect"
import { EventStore } from "../storage/EventStore.js"
import { ExecutionStore } from "../storage/ExecutionStore.js"
import { KeyStore } from "../storage/KeyStore.js"
import { QuotaStore } from "../storage/QuotaStore.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import * as DeliveryByHandCases from "./DeliveryByHandCases.js"
import * as DeliveryCases from "./DeliveryCases.js"
import * as DeliveryLeaseCases from "./DeliveryLeaseCases.js"
import * as EndpointCases from "./EndpointCases.js"
import * as EventLogCases from "./EventLogCases.js"
import * as EventRetentionCases from "./EventRetentionCases.js"
import * as ExecutionCases from "./ExecutionCases.js"
import * as FootprintCases from "./FootprintCases.js"
import { type Guarantees, Violation } from "./Guarantee.js"
import * as KeyCases from "./KeyCases.js"
import * as PersistenceCases from "./PersistenceCases.js"
import * as QuotaCases from "./QuotaCases.js"
import * as WatchClaimCases from "./WatchClaimCases.js"
import * as WatchLeaseCases from "./WatchLeaseCases.js"
import * as WatchOutboxCases from "./WatchOutboxCases.js"
import * as WatchRecordCases from "./WatchRecordCases.js"
import * as WatchRetentionCases from "./WatchRetentionCases.js"
import * as WatchRunCases from "./WatchRunCases.js"
import * as Witness from "./Witness.js"

/**
 * One guarantee of the stores. The effect succeeds where it holds; run it with any test runner.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case<E> {
  readonly title: string
  readonly effect: Effect.Effect<void, Violation | StorageError | E>
}

/**
 * What a back end can do beside the interfaces. `persistent`: the layer, built a second time, sees what the first
 * wrote, both after it and beside it. `bytes`: how much the database holds now, with indexes and without what is free
 * for reuse; a back end that reports it is held to what a check of a watch may cost.
 *
 * @since 0.1.0
 * @category models
 */
export interface Capabilities<E = never> {
  readonly persistent: boolean
  readonly bytes?: Effect.Effect<number, E> | undefined
}

/**
 * What `KeyStore` promises, as cases to run against a store. Each case builds the layer anew and uses ids of its own, so that
 * the cases may share one database.
 *
 * @since 0.1.0
 * @category testing
 */
export const keyStore = <E>(layer: Layer.Layer<KeyStore, E>): ReadonlyArray<Case<E>> =>
  casesOf(KeyStore, "KeyStore", layer, KeyCases.cases)

/**
 * What `QuotaStore` promises; see `keyStore`.
 *
 * @since 0.1.0
 * @category testing
 */
export const quotaStore = <E>(layer: Layer.Layer<QuotaStore, E>): ReadonlyArray<Case<E>> =>
  casesOf(QuotaStore, "QuotaStore", layer, QuotaCases.cases)

/**
 * What `ExecutionStore` promises; see `keyStore`.
 *
 * @since 0.1.0
 * @category testing
 */
export const executionStore = <E>(layer: Layer.Layer<ExecutionStore, E>): ReadonlyArray<Case<E>> =>
  casesOf(ExecutionStore, "ExecutionStore", layer, ExecutionCases.cases)

/**
 * What `WatchStore` promises; see `keyStore`.
 *
 * @since 0.1.0
 * @category testing
 */
export const watchStore = <E>(layer: Layer.Layer<WatchStore, E>): ReadonlyArray<Case<E>> =>
  casesOf(WatchStore, "WatchStore", layer, {
    ...WatchRecordCases.cases,
    ...WatchClaimCases.cases,
    ...WatchLeaseCases.cases,
    ...WatchRunCases.cases,
    ...WatchOutboxCases.cases,
    ...WatchRetentionCases.cases
  })

/**
 * What `EventStore` promises of the log, webhooks and deliveries; see `keyStore`.
 *
 * @since 0.1.0
 * @category testing
 */
export const eventStore = <E>(layer: Layer.Layer<EventStore, E>): ReadonlyArray<Case<E>> =>
  casesOf(EventStore, "EventStore", layer, {
    ...EventLogCases.cases,
    ...EventRetentionCases.cases,
    ...EndpointCases.cases,
    ...DeliveryCases.cases,
    ...DeliveryLeaseCases.cases,
    ...DeliveryByHandCases.cases
  })

/**
 * Everything that the interfaces of the stores promise: the cases of each store, what holds beyond the life of a layer, and
 * what a check may cost. A case that fails names the method that was called last and shows where what it found differs.
 *
 * @example
 * ```ts
 * import { Storage } from "@assay/core"
 * import { StorageSuite } from "@assay/core/testing"
 * import { Effect } from "effect"
 * import { test } from "node:test"
 *
 * const suite = StorageSuite.suite("memory", Storage.layerMemory, { persistent: false })
 * for (const { effect, title } of suite.cases) test(`${suite.name}: ${title}`, () => Effect.runPromise(effect))
 * ```
 *
 * @since 0.1.0
 * @category testing
 */
export const suite = <E, E2 = never>(
  name: string,
  layer: Layer.Layer<Storage, E>,
  { bytes, persistent }: Capabilities<E2>
): { readonly name: string; readonly cases: ReadonlyArray<Case<E | E2>> } => ({
  name,
  cases: [
    ...keyStore(layer),
    ...quotaStore(layer),
    ...executionStore(layer),
    ...watchStore(layer),
    ...eventStore(layer),
    ...(bytes === undefined
      ? []
      : Object.entries(FootprintCases.cases).map(([title, body]) => ({
          title,
          effect: Effect.provide(body(bytes), Layer.fresh(layer))
        }))),
    ...(persistent
      ? Object.entries(PersistenceCases.cases).map(([title, body]) => ({ title, effect: body(Layer.fresh(layer)) }))
      : [])
  ]
})

const casesOf = <I, S extends object, E>(
  tag: Context.Tag<I, S>,
  name: string,
  layer: Layer.Layer<I, E>,
  guarantees: Guarantees<I>
): ReadonlyArray<Case<E>> =>
  Object.entries(guarantees).map(([title, body]) => ({
    title,
    effect: Effect.suspend(() => {
      const calls: Witness.Calls = { last: undefined }
      return Effect.provide(body, Witness.layer(tag, name, Layer.fresh(layer), calls)).pipe(
        Effect.catchSomeDefect((defect) =>
          defect instanceof Violation ? Option.some(Effect.fail(defect)) : Option.none()
        ),
        Effect.mapError((error) =>
          error instanceof Violation
            ? new Violation({ what: error.what, sides: error.sides, title, method: calls.last })
            : error
        )
      )
    })
  }))

export { Violation } from "./Guarantee.js"

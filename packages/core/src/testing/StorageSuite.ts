import { Effect, Layer } from "effect"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import * as DeliveryByHandCases from "./DeliveryByHandCases.js"
import * as DeliveryCases from "./DeliveryCases.js"
import * as DeliveryLeaseCases from "./DeliveryLeaseCases.js"
import * as EndpointCases from "./EndpointCases.js"
import * as EventLogCases from "./EventLogCases.js"
import * as EventRetentionCases from "./EventRetentionCases.js"
import * as ExecutionCases from "./ExecutionCases.js"
import * as FootprintCases from "./FootprintCases.js"
import type { Guarantees, Violation } from "./Guarantee.js"
import * as KeyCases from "./KeyCases.js"
import * as PersistenceCases from "./PersistenceCases.js"
import * as QuotaCases from "./QuotaCases.js"
import * as WatchClaimCases from "./WatchClaimCases.js"
import * as WatchLeaseCases from "./WatchLeaseCases.js"
import * as WatchOutboxCases from "./WatchOutboxCases.js"
import * as WatchRecordCases from "./WatchRecordCases.js"
import * as WatchRetentionCases from "./WatchRetentionCases.js"
import * as WatchRunCases from "./WatchRunCases.js"

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
 * Everything that the interfaces of the stores promise, as cases to run against a back end. Each case builds the layer
 * anew and uses ids of its own, so that the cases may share one database.
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
    ...stores
      .flatMap((cases) => Object.entries(cases))
      .map(([title, body]) => ({
        title,
        effect: Effect.provide(body, Layer.fresh(layer))
      })),
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

const stores: ReadonlyArray<Guarantees> = [
  KeyCases.cases,
  QuotaCases.cases,
  ExecutionCases.cases,
  WatchRecordCases.cases,
  WatchClaimCases.cases,
  WatchLeaseCases.cases,
  WatchRunCases.cases,
  WatchOutboxCases.cases,
  WatchRetentionCases.cases,
  EventLogCases.cases,
  EventRetentionCases.cases,
  EndpointCases.cases,
  DeliveryCases.cases,
  DeliveryLeaseCases.cases,
  DeliveryByHandCases.cases
]

export { Violation } from "./Guarantee.js"

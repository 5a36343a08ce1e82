import { Layer } from "effect"
import * as EventStore from "./EventStore.js"
import * as ExecutionStore from "./ExecutionStore.js"
import * as KeyStore from "./KeyStore.js"
import * as Processes from "./Processes.js"
import * as QuotaStore from "./QuotaStore.js"
import * as WatchStore from "./WatchStore.js"

/**
 * All stores together, and what is known of the processes that share them: what a back end provides.
 *
 * @since 0.1.0
 * @category models
 */
export type Storage =
  | ExecutionStore.ExecutionStore
  | KeyStore.KeyStore
  | Processes.Processes
  | QuotaStore.QuotaStore
  | WatchStore.WatchStore
  | EventStore.EventStore

/**
 * Every store in this process' memory, for as long as the layer lives: for tests and for embedders that keep nothing.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Storage> = Layer.mergeAll(
  ExecutionStore.layerMemory,
  KeyStore.layerMemory,
  Processes.layerMemory,
  QuotaStore.layerMemory,
  WatchStore.layerMemory,
  EventStore.layerMemory
)

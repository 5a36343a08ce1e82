import * as Outage from "@assay/core/storage/Outage"
import type * as Core from "@assay/core/storage/Storage"
import { StorageError } from "@assay/core/storage/StorageError"
import { Cause, Effect, Layer } from "effect"
import { AssayError } from "./AssayError.js"
import * as Part from "./Part.js"

declare const opened: unique symbol

/**
 * Where watches are kept, and all that a service keeps: {@link memory}, `sqlite` of `@assay/sdk/sqlite`, `postgres` of
 * `@assay/sdk/postgres`, or `ofLayer` of `@assay/sdk/effect`.
 */
export interface AssayStorage {
  readonly [opened]: true
}

type StorageLayer = Layer.Layer<Core.Storage, unknown>

const layers = new WeakMap<AssayStorage, StorageLayer>()
const memories = new WeakSet<AssayStorage>()

/** A storage over a layer, which is built with its first use and released when its assay is closed. */
export const ofLayer = (layer: StorageLayer): AssayStorage => {
  const made = Object.freeze({}) as AssayStorage
  layers.set(made, Layer.catchAllCause(layer, refused))
  return made
}

/** The layer behind a storage. */
export const layerOf = (storage: AssayStorage): StorageLayer => {
  const layer = layers.get(storage)
  if (layer === undefined)
    throw AssayError.make("invalid_option", "storage is what memory(), sqlite(…), postgres(…) or ofLayer(…) gives.")
  return layer
}

/** In the memory of this process, for as long as its assay is open. */
export const memory = (): AssayStorage => {
  const made = ofLayer(
    Layer.unwrapEffect(
      Effect.map(
        Part.load("storage in memory", () => import("@assay/core/storage/Storage")),
        ({ layerMemory }) => layerMemory
      )
    )
  )
  memories.add(made)
  return made
}

/** Whether what is kept outlives the process. */
export const isLasting = (storage: AssayStorage): boolean => !memories.has(storage)

// What a layer of an embedder fails with may hold the address of its database, so only its logger gets it.
const refused = (cause: Cause.Cause<unknown>): StorageLayer =>
  [...Cause.failures(cause)].some((failure) => failure instanceof StorageError)
    ? Layer.failCause(cause)
    : Layer.unwrapEffect(
        Effect.as(
          Outage.note("The storage could not be opened", cause),
          Layer.fail(
            new StorageError({ reason: "unavailable", operation: "open", detail: "its layer could not be built" })
          )
        )
      )

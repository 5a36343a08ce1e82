import { Context, Layer, Option } from "effect"
import type { KeyId } from "../domain/Id.js"

/**
 * Whether anything was committed since something was read, so that it can be used again without reading.
 *
 * @since 0.1.0
 * @category services
 */
export class StorageVersion extends Context.Tag("@assay/core/StorageVersion")<
  StorageVersion,
  {
    /**
     * A number that differs from an earlier one if any process has committed anything to any store since. None where
     * the stores do not know; then nothing that was read may be used again. Answers at once, because every request
     * reads it.
     */
    readonly current: () => Option.Option<number>
    /**
     * The same for the data of one key: the key without its last use, its units, watches, webhooks and executions. The
     * number never falls, so data that was read after it stays valid while the number is unchanged.
     */
    readonly ofKey: (id: KeyId) => Option.Option<number>
  }
>() {}

/**
 * For stores without a version.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerUnknown: Layer.Layer<StorageVersion> = Layer.succeed(StorageVersion, {
  current: Option.none,
  ofKey: Option.none
})

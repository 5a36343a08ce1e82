import { Context, Effect, Layer, type Option } from "effect"

/**
 * What is known against the store as a whole: that it is damaged, or cannot be written. A single call that fails says
 * nothing of that kind.
 *
 * @since 0.1.0
 * @category services
 */
export class StorageHealth extends Context.Tag("@assay/core/StorageHealth")<
  StorageHealth,
  {
    /**
     * Why the store should get no work, in one line for an operator, without names of files or what is stored. None
     * where nothing is known against it.
     */
    readonly cause: Effect.Effect<Option.Option<string>>
  }
>() {}

/**
 * For stores in memory, which are never damaged.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<StorageHealth> = Layer.succeed(StorageHealth, { cause: Effect.succeedNone })

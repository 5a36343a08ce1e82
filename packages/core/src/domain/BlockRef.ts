import { Schema } from "effect"
import { Hex } from "./Hex.js"
import { Timestamp } from "./Timestamp.js"

/**
 * The one block that an analysis reads.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BlockRef = Schema.Struct({
  number: Schema.NonNegativeInt,
  hash: Hex,
  timestamp: Timestamp
}).annotations({ identifier: "BlockRef" })

/**
 * @since 0.1.0
 * @category models
 */
export interface BlockRef extends Schema.Schema.Type<typeof BlockRef> {}

import { Schema } from "effect"
import { Hex } from "./Hex.js"

/**
 * How to make an observation again: the JSON-RPC `params` as they were sent, found from an item's observation by
 * `method` and `params_hash`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Recipe = Schema.Struct({
  method: Schema.String,
  params_hash: Hex,
  params: Schema.Array(Schema.Unknown)
}).annotations({ identifier: "Recipe" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Recipe extends Schema.Schema.Type<typeof Recipe> {}

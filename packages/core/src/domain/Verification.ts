import { Schema } from "effect"
import { BlockRef } from "./BlockRef.js"
import { UnknownReason } from "./Evidence.js"

/**
 * What became of one item's observation when it was made again.
 *
 * - `agrees`: the same answer. `differs`: another answer to the same question at the same block.
 * - `unavailable`: it could not be made again, for `reason`; this says nothing of the item.
 *
 * @since 0.1.0
 * @category schemas
 */
export const VerifiedItem = Schema.Struct({
  id: Schema.String,
  outcome: Schema.Literal("agrees", "differs", "unavailable"),
  reason: Schema.NullOr(UnknownReason)
}).annotations({ identifier: "VerifiedItem" })

/**
 * @since 0.1.0
 * @category models
 */
export interface VerifiedItem extends Schema.Schema.Type<typeof VerifiedItem> {}

/**
 * The observations of an analysis, made again at its block. Items that name no observation are left out.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Verification = Schema.Struct({
  block: BlockRef,
  items: Schema.Array(VerifiedItem)
}).annotations({ identifier: "Verification" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Verification extends Schema.Schema.Type<typeof Verification> {}

/** @internal */

import { Context, Layer, type Option } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import type { Facts } from "../../domain/Facts.js"

/**
 * What an earlier analysis of the same target found, for the checks with a claim about what became of it. None where
 * there is no earlier one: such a check does not apply then.
 */
export class Earlier extends Context.Tag("@assay/core/Earlier")<
  Earlier,
  { readonly analysis: Option.Option<Found> }
>() {}

/** No more than checks read of it: an analysis is the same for the same of these. */
export interface Found {
  readonly block: Pick<BlockRef, "number">
  readonly facts: {
    readonly account: Pick<NonNullable<Facts["account"]>, "kind" | "code_hash"> | null
    readonly safe: Facts["safe"]
    readonly unread: Facts["unread"]
  }
}

export const layer = (analysis: Option.Option<Found>): Layer.Layer<Earlier> => Layer.succeed(Earlier, { analysis })

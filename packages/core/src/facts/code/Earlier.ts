/** @internal */

import { Context, Layer, type Option } from "effect"
import type { Analysis } from "../../domain/Analysis.js"

/**
 * What an earlier analysis of the same target found, for the checks with a claim about what became of it. None where
 * there is no earlier one: such a check does not apply then.
 */
export class Earlier extends Context.Tag("@assay/core/Earlier")<
  Earlier,
  { readonly analysis: Option.Option<Pick<Analysis, "block" | "facts">> }
>() {}

export const layer = (analysis: Option.Option<Pick<Analysis, "block" | "facts">>): Layer.Layer<Earlier> =>
  Layer.succeed(Earlier, { analysis })

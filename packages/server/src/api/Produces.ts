import { Context } from "effect"

/**
 * The annotation of endpoints with other media types than JSON: all their types, the preferred one first.
 *
 * @since 0.1.0
 * @category models
 */
export class Produces extends Context.Reference<Produces>()("@assay/server/Produces", {
  defaultValue: (): ReadonlyArray<string> => ["application/json"]
}) {}

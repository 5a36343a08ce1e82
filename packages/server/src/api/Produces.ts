import { Context } from "effect"

/**
 * The annotation of endpoints that answer in other media types than JSON: all that they have, the preferred one first.
 *
 * @since 0.1.0
 * @category models
 */
export class Produces extends Context.Reference<Produces>()("@assay/server/Produces", {
  defaultValue: (): ReadonlyArray<string> => ["application/json"]
}) {}

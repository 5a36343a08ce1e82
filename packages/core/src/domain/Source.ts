import { Schema } from "effect"
import { Timestamp } from "./Timestamp.js"

/**
 * A place that an analysis read from, with a link for the reader; never an RPC URL.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Source = Schema.Struct({
  name: Schema.String,
  url: Schema.String,
  kind: Schema.Literal("chain", "explorer", "list", "service"),
  status: Schema.Literal("ok", "degraded", "failed"),
  fetched_at: Timestamp
}).annotations({ identifier: "Source" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Source extends Schema.Schema.Type<typeof Source> {}

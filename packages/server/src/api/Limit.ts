import { Schema } from "effect"

/**
 * One limit of this deployment. `value` is null where it is not set; `per_seconds` is its window, null where it is not
 * a rate; `scope` is what it counts by; `setting` is the environment variable that sets it.
 */
export const Limit = Schema.Struct({
  name: Schema.String,
  value: Schema.NullOr(Schema.Number),
  unit: Schema.String,
  per_seconds: Schema.NullOr(Schema.Int),
  scope: Schema.Literal("key", "source", "webhook", "host", "process", "deployment", "request"),
  setting: Schema.NullOr(Schema.String),
  description: Schema.String
}).annotations({ identifier: "Limit" })

export interface Limit extends Schema.Schema.Type<typeof Limit> {}

import { Schema } from "effect"

/**
 * Something that the reader should know and that is no error, e.g. `not_covered`: this chain has no such source.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Warning = Schema.Struct({
  code: Schema.String,
  detail: Schema.String
}).annotations({ identifier: "Warning" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Warning extends Schema.Schema.Type<typeof Warning> {}

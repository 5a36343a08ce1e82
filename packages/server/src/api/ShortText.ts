import { Schema } from "effect"
import { refusing } from "./Violation.js"

/**
 * What a caller names something that needs no name: 0 to 100 characters, no control characters.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ShortText = Schema.String.pipe(
  Schema.filter((text) => text.length <= 100, {
    ...refusing("too_long", "Maximum is 100 characters.", 100),
    jsonSchema: { maxLength: 100, description: "0 to 100 characters; no control characters" }
  }),
  Schema.filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text), refusing("not_allowed", "Control characters are not allowed."))
)

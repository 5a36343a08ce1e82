import { Schema } from "effect"
import { PlainText } from "./PlainText.js"
import { refusing } from "./Violation.js"

/** What a caller names something that needs no name: 0 to 100 characters, no control or format characters. */
export const ShortText = PlainText.pipe(
  Schema.filter((text) => text.length <= 100, {
    ...refusing("too_long", "Maximum is 100 characters.", 100),
    jsonSchema: { maxLength: 100, description: "0 to 100 characters; no control or format characters" }
  })
)

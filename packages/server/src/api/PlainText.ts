import { Schema } from "effect"
import { refusing } from "./Violation.js"

/**
 * Text that looks like what it is: no control characters, no format characters (among them those that change the
 * direction of text and those of no width), no line separators and no lone surrogates.
 *
 * @see https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
export const PlainText = Schema.String.pipe(
  Schema.filter(
    (text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text),
    refusing("not_allowed", "Control and format characters are not allowed.")
  )
)

import { Option } from "effect"

/**
 * Reads a URL; none where the text is none.
 *
 * In Node 20 `URL.canParse` refuses every host with a letter outside ASCII once V8 has optimised its caller, so it is
 * not used here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = Option.liftThrowable((text: string): URL => new URL(text))

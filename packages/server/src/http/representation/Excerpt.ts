/**
 * The beginning of a text that a caller chose: at most 100 UTF-16 units and valid Unicode, so that it can be encoded in
 * a URI, a header or a log. JSON allows a lone surrogate; here it becomes U+FFFD. A pair is never cut in half.
 */
export const of = (text: string): string => text.slice(0, cutOf(text)).replace(/\p{Cs}/gu, "\ufffd")

const maxUnits = 100

const cutOf = (text: string): number =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(maxUnits - 1, maxUnits + 1)) ? maxUnits - 1 : maxUnits

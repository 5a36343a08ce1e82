/** @internal */

/**
 * Makes text that a contract wrote fit to be shown: invisible and direction-changing characters are dropped, white
 * space becomes one space, and what is left is cut to 64 characters. The result is still data, never an instruction.
 *
 * @see https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
export const clean = (text: string): string =>
  [...text.slice(0, 4096).replace(unseen, "").replace(/\s+/gu, " ").trim()].slice(0, 64).join("")

// Cc but for white space, Cf (bidi controls, zero-width characters, tags), Cs (lone surrogates), Co, the replacement
// character, and the letters that draw nothing: combining grapheme joiner, Hangul and halfwidth fillers, variation
// selectors, Braille blank.
const unseen =
  /(?![\t\n\v\f\r])\p{Cc}|\p{Cf}|\p{Cs}|\p{Co}|\u034F|[\uFFFD\u115F\u1160\u3164\uFFA0\u2800]|\u17B4|\u17B5|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu

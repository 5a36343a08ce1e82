/**
 * The text of these bytes: UTF-16 where they begin with its byte order mark or have the zero bytes of one, as PowerShell
 * writes it, else UTF-8.
 *
 * @see https://www.unicode.org/faq/utf_bom.html
 */
export const decode = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)
  // The decoder takes the mark off.
  return new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8").decode(bytes)
}

/**
 * The media type of `offered` that an Accept header prefers, the earlier one on a tie; undefined where it allows none.
 * The most specific matching range decides. Without a header every type is allowed.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
 */
export const preferred = (accept: string | undefined, offered: ReadonlyArray<string>): string | undefined => {
  if (accept === undefined || accept.trim() === "") return offered[0]
  const ranges = accept.split(",").map(parse)
  let best: { readonly type: string; readonly quality: number } | undefined
  for (const type of offered) {
    const matching = ranges.filter(({ range }) => matches(range, type))
    const specific = Math.max(...matching.map(({ range }) => specificity(range)))
    const quality = Math.max(
      0,
      ...matching.filter(({ range }) => specificity(range) === specific).map((range) => range.quality)
    )
    if (quality > (best?.quality ?? 0)) best = { type, quality }
  }
  return best?.type
}

const parse = (item: string): { readonly range: string; readonly quality: number } => {
  const [range = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
  const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1))
  return { range, quality: Number.isFinite(quality) ? Math.min(1, Math.max(0, quality)) : 0 }
}

const matches = (range: string, type: string): boolean =>
  range === "*/*" || range === type || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)))

const specificity = (range: string): number => (range === "*/*" ? 0 : range.endsWith("/*") ? 1 : 2)

/** @internal */

/**
 * Joins the first items of a list and counts the others: "a, b and 3 more". Two full addresses fit in one sentence, so
 * `most` is 2 by default.
 */
export const format = (items: ReadonlyArray<string>, most = 2): string => {
  const more = items.length - most
  return `${items.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

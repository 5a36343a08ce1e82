/** The middle of some numbers, the higher one of two; NaN of none. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The middle, the 99th percentile and the greatest of some numbers; null of none. */
export const quantiles = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? null
  return { median: at(0.5), p99: at(0.99), max: at(1) }
}

/** The middle of some numbers, the higher one of two; NaN of none. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Whether this is `npm run test:all`: every seed, target, pipeline and kill, and not just enough for each guarantee. */
export const all = process.env.MODE === "all"

/** A whole number that says which part of a list is run; without it all of it is. */
const draw = process.env.ASSAY_TEST_DRAW

/** One of a list where a draw is given, so that what takes long is run in turns; else all of it. */
export const drawn = <A>(of: ReadonlyArray<A>): ReadonlyArray<A> =>
  draw === undefined ? of : of.slice(Number(draw) % of.length).slice(0, 1)

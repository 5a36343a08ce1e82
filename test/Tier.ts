/** Whether this is `npm run test:all`: every seed, target, pipeline and kill, and not just enough for each guarantee. */
export const all = process.env.MODE === "all"

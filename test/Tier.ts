/*
 * Which tests run when, in one place. Each tier runs what the one before it runs, and more:
 *
 * - edit (`npm test`): every guarantee at its smallest; of a sweep one case in five, which take turns (`Draw.portion`).
 * - landing (`npm test -- --mode landing`, which `.ci/run` calls): also what starts or kills a process of ours, and what
 *   sweeps faults or seeds. Sweeps of a minute and more take one case in two or three, in turn: each place of a sweep at
 *   every landing, each fault at every place within so many landings.
 * - all (`npm run test:all`): every seed, target, pipeline, kill and fixture.
 *
 * Nothing moves to another tier for its time alone. What a tier leaves out is skipped, so that its title is known:
 * `it.runIf(Tier.landing)`, and for what landing leaves out too `it.runIf(runs)(Tier.title(runs, "…"))`.
 */
const tiers = ["edit", "landing", "all"] as const

export type Tier = (typeof tiers)[number]

/** The tier of a mode of vitest. */
export const of = (mode: string | undefined): Tier => tiers.find((tier) => tier === mode) ?? "edit"

/** The tier of this run. */
export const tier: Tier = of(process.env.MODE)

/** Whether this is a run before a change lands, or one of all. */
export const landing: boolean = tier !== "edit"

export const all: boolean = tier === "all"

/** What a title ends with where its test is skipped: so that it is not taken for one that was forgotten. */
export const note = "(left out of this tier)"

/** The title of a test that this tier runs, or leaves out. */
export const title = (runs: boolean, text: string): string => (runs ? text : `${text} ${note}`)

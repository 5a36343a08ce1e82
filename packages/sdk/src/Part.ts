import { PartUnavailable } from "@assay/core/analysis/Analyzer"
import { Effect } from "effect"

/** Loads a part of the library with its first use, so that a page or a process starts without it. */
export const load = <A>(part: string, importing: () => Promise<A>): Effect.Effect<A> =>
  Effect.orDie(Effect.tryPromise({ try: importing, catch: () => new PartUnavailable({ part }) }))

/** @internal */

import { Effect, Schema } from "effect"

/**
 * Loads a part of the library that is a file of its own in a bundle. Dies with {@link PartUnavailable} where that fails: to
 * go on without the part would be to find less in silence. The next use tries again.
 */
export const load = <A>(part: string, importing: () => Promise<A>): Effect.Effect<A> =>
  Effect.orDie(Effect.tryPromise({ try: importing, catch: () => new PartUnavailable({ part }) }))

/** A part of the library cannot be loaded, as where a page is offline or does not serve every file of its bundle. */
export class PartUnavailable extends Schema.TaggedError<PartUnavailable>()("PartUnavailable", { part: Schema.String }) {
  override get message(): string {
    return `A part of the library (${this.part}) cannot be loaded: serve every file of the bundle, and try again.`
  }
}

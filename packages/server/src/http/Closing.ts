import { Context, Effect } from "effect"

/**
 * Ends when this process stops taking requests, so that answers that would stay open end by themselves. Where nobody
 * says so it never does.
 *
 * @since 0.1.0
 * @category services
 */
export class Closing extends Context.Reference<Closing>()("@assay/server/Closing", {
  defaultValue: (): Effect.Effect<void> => Effect.never
}) {}

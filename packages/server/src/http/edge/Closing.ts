import { Context, Effect } from "effect"

/**
 * Completes when this process stops accepting requests, so that open streams end. By default it never completes.
 *
 * @since 0.1.0
 * @category services
 */
export class Closing extends Context.Reference<Closing>()("@assay/server/Closing", {
  defaultValue: (): Effect.Effect<void> => Effect.never
}) {}

/** @internal */

import { Clock, Duration, Effect } from "effect"
import type { Lease } from "./ExecutionRecords.js"
import type { StorageError } from "./StorageError.js"

/**
 * Times in seconds: how long a silent worker is believed alive, and how often it speaks.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly leaseSeconds: number
  readonly heartbeatSeconds: number
}

/**
 * The lease that a worker has who speaks now.
 *
 * @since 0.1.0
 * @category constructors
 */
export const lease = (token: string, { leaseSeconds }: Pick<Options, "leaseSeconds">): Effect.Effect<Lease> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ token, until: now + leaseSeconds * 1000 }))

/**
 * Renews a lease again and again, and fails with what `onLost` makes once it is no longer held. A store that is away
 * for one renewal does not end it: the next one may still be in time.
 *
 * @since 0.1.0
 * @category combinators
 */
export const keep = <E>(
  token: string,
  options: Options & {
    readonly renew: (lease: Lease) => Effect.Effect<boolean, StorageError>
    readonly onLost: () => E
  }
): Effect.Effect<never, E> =>
  Effect.sleep(Duration.seconds(options.heartbeatSeconds)).pipe(
    Effect.zipRight(Effect.flatMap(lease(token, options), options.renew)),
    Effect.catchAll((error) => Effect.as(Effect.logWarning("A lease could not be renewed", error), true)),
    Effect.filterOrFail((held) => held, options.onLost),
    Effect.forever
  )

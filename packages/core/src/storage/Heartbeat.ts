/** @internal */

import { Cause, Clock, Duration, Effect } from "effect"
import type { Lease } from "./ExecutionRecords.js"
import * as Outage from "./Outage.js"
import type { StorageError } from "./StorageError.js"

/** Times in seconds: how long a silent worker keeps its lease, and how often it renews it. */
export interface Options {
  readonly leaseSeconds: number
  readonly heartbeatSeconds: number
}

/** The lease of a worker that renews it now. */
export const lease = (token: string, { leaseSeconds }: Pick<Options, "leaseSeconds">): Effect.Effect<Lease> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ token, until: now + leaseSeconds * 1000 }))

/**
 * Renews a lease periodically, and fails with the result of `onLost` once it is lost. A store that does not answer one
 * renewal does not end it: the next one may still be in time.
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
    Effect.tap(() => Outage.over(unrenewed)),
    Effect.catchAll((error) => Effect.as(Outage.note(unrenewed, Cause.fail(error)), true)),
    Effect.filterOrFail((held) => held, options.onLost),
    Effect.forever
  )

const unrenewed = "A lease could not be renewed"

/** @internal */

import { Effect } from "effect"
import type { ChainState, Log, LogFilter } from "../chain/state/ChainState.js"
import type { UnknownReason } from "../domain/Evidence.js"

/** Events that were found, and why there may be more of them; null where there are none. */
export interface EventScan {
  readonly logs: ReadonlyArray<Log>
  readonly gap: UnknownReason | null
}

/**
 * Looks for events of contracts: none, without a request, where there are no contracts, and a gap in place of a
 * failure.
 */
export const of = (
  state: ChainState["Type"],
  filter: LogFilter & { readonly address: NonNullable<LogFilter["address"]> }
): Effect.Effect<EventScan> =>
  filter.address.length === 0
    ? Effect.succeed({ logs: [], gap: null })
    : Effect.match(state.logs(filter), {
        onFailure: ({ reason }): EventScan => ({ logs: [], gap: reason }),
        onSuccess: ({ value }): EventScan => ({ logs: value.logs, gap: value.complete ? null : "log_range_limited" })
      })

/** @internal */

import type { Meter } from "../rpc/Endpoint.js"
import type { Turn } from "../rpc/Pace.js"

/**
 * The JSON-RPC calls that an analysis may send, and what it has sent. A read pays for one call when it leaves the queue,
 * and for each further call that is sent on its behalf.
 */
export interface CallBudget {
  /** Whether so many further calls may be sent. */
  readonly has: (calls: number) => boolean
  /** Takes so many calls. False, and none is taken, where fewer are left. */
  readonly take: (calls: number) => boolean
  /** Takes a call that {@link has} has shown to be left. */
  readonly charge: () => void
  /** Gives back a call that was paid for and is not sent. */
  readonly refund: () => void
  /** Counts what is sent, and pays for it from this budget. */
  readonly metered: Meter
  /** Counts what is sent, and pays for nothing. */
  readonly unmetered: Meter
  /** What was sent so far. */
  readonly sent: () => { readonly requests: number; readonly calls: number }
}

export const make = (maxCalls: number, turn: Turn): CallBudget => {
  let taken = 0
  let requests = 0
  let calls = 0
  const has = (count: number) => taken + count <= maxCalls
  const take = (count: number) => {
    if (!has(count)) return false
    taken += count
    return true
  }
  const count: Meter["sent"] = (ofRequests, ofCalls) => {
    requests += ofRequests
    calls += ofCalls
  }
  return {
    has,
    take,
    charge: () => {
      taken += 1
    },
    refund: () => {
      taken -= 1
    },
    metered: { take, sent: count, turn },
    unmetered: { take: () => true, sent: count, turn },
    sent: () => ({ requests, calls })
  }
}

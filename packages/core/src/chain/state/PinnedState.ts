/** @internal */

import { type Duration, Effect, Option, type Scope } from "effect"
import type { BlockRef } from "../../domain/BlockRef.js"
import * as ReadQueue from "../../runtime/ReadQueue.js"
import type { Chain } from "../Chains.js"
import type { Endpoint } from "../rpc/Endpoint.js"
import * as JsonRpc from "../rpc/JsonRpc.js"
import type { Turn } from "../rpc/Pace.js"
import * as CallBudget from "./CallBudget.js"
import type { ChainState } from "./ChainState.js"
import type { Lenses } from "./Lenses.js"
import * as Observations from "./Observations.js"
import * as PinnedRead from "./PinnedRead.js"
import * as PinnedReads from "./PinnedReads.js"
import * as ReadFlush from "./ReadFlush.js"
import type { Reading } from "./Reading.js"
import * as ReadRouting from "./ReadRouting.js"

/**
 * What an analysis reads its chain with: the endpoints in order of preference, first the one that the block was pinned
 * at, and how many JSON-RPC calls it may send. A scan of events reads at most `maxLogRequests` ranges.
 */
export interface PinnedStateOptions {
  readonly chain: Chain
  readonly block: BlockRef
  readonly endpoints: readonly [Endpoint, ...Array<Endpoint>]
  readonly maxCalls: number
  readonly maxLogRequests: number
  readonly restAfterFailure: Duration.Duration
  /** The state of lenses of an endpoint. */
  readonly lensesOf: (endpoint: Endpoint) => Lenses
  /** Its place among the analyses that read from the same endpoints, and until when it waits for them. */
  readonly turn: Turn
  /** Called with every endpoint that is read from. */
  readonly onUse?: ((endpoint: Endpoint) => void) | undefined
}

/**
 * Makes the view of one analysis. The way of a read:
 *
 * 1. {@link PinnedReads} makes a call of it and puts it into the queue, which joins equal reads.
 * 2. It pays for one call of the {@link CallBudget} when it leaves the queue.
 * 3. {@link ReadFlush} sends what left together, in lenses where it may.
 * 4. {@link ReadRouting} finds the endpoint that answers, and goes to the next one where it does not.
 * 5. {@link Observations} makes the reading of the answer, which settles the read.
 *
 * `maxCalls` bounds the calls for state, retries included; checking that the block is still canonical is always
 * possible.
 */
export const make = (options: PinnedStateOptions): Effect.Effect<ChainState["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const blockParams = PinnedRead.blockParams(options.block)
    const budget = CallBudget.make(options.maxCalls, options.turn)
    const observations = Observations.make(options.block)
    const shared = { ...options, blockParams, budget, observations }
    const routing = yield* ReadRouting.make(shared)
    const queue = yield* ReadQueue.make<PinnedRead.PinnedRead, Reading<unknown>, JsonRpc.Fault>({
      keyOf: ({ method, params }) => `${method} ${JSON.stringify(params(blockParams.byHash))}`,
      refuse: ({ free }) => (free || budget.take(1) ? Option.none() : Option.some(JsonRpc.overBudget)),
      flush: ReadFlush.make({ ...shared, routing })
    })
    return PinnedReads.make({ ...shared, queue, routing })
  })

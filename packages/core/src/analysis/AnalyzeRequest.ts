/** @internal Part of `Analyzer`. */

import type { Option } from "effect"
import type { Chain } from "../chain/Chains.js"
import type { Priority } from "../chain/rpc/Pace.js"
import type { Address } from "../domain/Address.js"
import type { Analysis } from "../domain/Analysis.js"
import type { TargetKind } from "../domain/Target.js"

/** What to analyse; the newest block is read where none is given. */
export interface AnalyzeRequest {
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly block?: Option.Option<number> | undefined
  /** An earlier analysis of the same target, for the checks about what became of it. */
  readonly earlier?: Option.Option<Pick<Analysis, "block" | "facts">> | undefined
  /**
   * A reading that this one is to be independent of: it is made at an endpoint that the other one did not use, or at a
   * later block, for which it waits at most so long; else it fails with `UpstreamUnavailable`.
   */
  readonly apartFrom?: { readonly analysis: Analysis; readonly waitSeconds: number } | undefined
  /** Whether a caller waits for it, which is the default, or it is scheduled and others may go first. */
  readonly priority?: Priority | undefined
  /**
   * Until when reads wait for an endpoint that limits their rate, in epoch milliseconds; what has no answer by then is
   * lost as `rate_limited`. Without it until the deadline, and without that as long as the patience of `ChainAccess`.
   */
  readonly waitUntil?: number | undefined
  /**
   * When the analysis has to be there, in epoch milliseconds. What is not decided by then is *unknown*
   * (`budget_exhausted`), and what is decided is kept; where nothing was read, it fails. A little of the time is kept for the
   * end: the last tenth, and 2 seconds at most. Without it, an analysis takes as long as what it reads and runs: a check,
   * source or transport that never ends holds it for ever.
   */
  readonly deadline?: number | undefined
  /**
   * Whether the same is analysed again and again, as a watch does. Then what an analysis read is kept, and where nothing
   * of it is another at the next block, the next document is made of it: the one that would be made without this, for a
   * part of the time. Of no effect with a deadline, a block or `apartFrom`.
   */
  readonly recurring?: boolean | undefined
}

/** Several targets of one chain; the newest block is read where none is given. */
export interface AnalyzeManyRequest
  extends Pick<AnalyzeRequest, "chain" | "block" | "priority" | "waitUntil" | "deadline"> {
  readonly targets: ReadonlyArray<Pick<AnalyzeRequest, "kind" | "address" | "earlier">>
}

/** An analysis to check, or a kept execution of one, and the chain to check it against. */
export interface VerifyRequest {
  readonly analysis: Pick<Analysis, "block" | "evidence" | "recipes">
  readonly chain: Chain
  /** When it has to be there, in epoch milliseconds; what was not made again by then is unavailable (`budget_exhausted`). */
  readonly deadline?: number | undefined
}

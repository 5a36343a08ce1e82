/** @internal */

import { Option } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Evidence } from "../domain/Evidence.js"
import type { ExecutionStub } from "../domain/Execution.js"
import type { ExecutionId, KeyId, WatchId } from "../domain/Id.js"
import type { Reported } from "../domain/Reported.js"
import type { Target, TargetKind } from "../domain/Target.js"
import { fromMillis } from "../domain/Timestamp.js"

/** The right to finish an execution, until a moment in epoch milliseconds. Another token never finishes it. */
export interface Lease {
  readonly token: string
  readonly until: number
}

/** An execution that runs, and the lease under which it does. */
export interface RunningExecution {
  readonly id: ExecutionId
  readonly lease: Lease
}

/** What was last known of each claim, by evidence id: the newest item that was not unknown. */
export type Known = { readonly [evidenceId: string]: Evidence }

/**
 * What an execution remembers of those before it, for the next one to be compared with: the last known state of each
 * claim, and the last reported one where it differs.
 */
export interface ExecutionMemory {
  readonly known: Known
  readonly reported: Reported
}

/** An execution as it is kept. `known` and `reported` are empty unless it succeeded. */
export interface StoredExecution extends ExecutionMemory {
  readonly keyId: KeyId
  readonly watchId: Option.Option<WatchId>
  readonly result: AnalysisResult
}

/**
 * The result of an execution as the JSON text that is stored. What is stored under an id never changes once it has a content
 * hash.
 */
export interface StoredDocument {
  readonly status: AnalysisResult["status"]
  readonly contentHash: AnalysisResult["content_hash"]
  readonly text: string
}

/**
 * An execution to start. `running` is the document that is shown while it runs, `watchId` the watch that it checks; an
 * execution of a watch is not interactive: it takes none of `slots` and is not `previous`.
 */
export interface BeginRequest {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly joinKey: string
  readonly slots: number
  readonly lease: Lease
  readonly running: AnalysisResult
  readonly watchId?: Option.Option<WatchId> | undefined
  readonly idempotency?: Option.Option<Idempotency> | undefined
}

/**
 * What makes requests of one API key the same request, repeated: a `name` that its client gave it. `fingerprint`
 * identifies the content of the request. Names that were bound to an execution at or before `after` are free again;
 * times in epoch milliseconds.
 */
export interface Idempotency {
  readonly name: string
  readonly fingerprint: string
  readonly now: number
  readonly after: number
}

/** What an idempotency key is looked up by: those that were bound at or before `after` are free. */
export interface Lookup {
  readonly keyId: KeyId
  readonly name: string
  readonly after: number
}

/** A thing that an idempotency key of an API key is to stand for, from `now` on; `id` is what it is made under. */
export interface Binding extends Lookup {
  readonly fingerprint: string
  readonly id: string
  readonly now: number
}

/** What an idempotency key stands for. */
export type Bound = Pick<Binding, "fingerprint" | "id">

/**
 * The answer to a request for a start.
 *
 * - `Started`: it runs. `Joined`: it is the same as one that runs already. `Busy`: `running` are too many.
 * - `Replayed`: its idempotency key stands for this execution, which has a result. `Reused`: for another request.
 */
export type BeginAnswer =
  | { readonly _tag: "Started" }
  | { readonly _tag: "Joined"; readonly id: ExecutionId }
  | { readonly _tag: "Busy"; readonly running: number }
  | { readonly _tag: "Replayed"; readonly id: ExecutionId }
  | { readonly _tag: "Reused" }

/** Which executions to list. */
export interface ExecutionFilter {
  readonly kind: Option.Option<TargetKind>
  readonly address: Option.Option<Target["address"]>
  readonly chainId: Option.Option<number>
  readonly watchId: Option.Option<WatchId>
  readonly since: Option.Option<number>
}

/** All executions of a key. */
export const everything: ExecutionFilter = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}

/** The watch of an execution, and the code with which it failed; none where it did not, or not yet. */
export interface ExecutionEnd {
  readonly id: ExecutionId
  readonly watchId: Option.Option<WatchId>
  readonly failure: Option.Option<ExecutionFailure["code"]>
}

/** An execution that has ended, and its API key. */
export interface EndedExecution {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly watchId: Option.Option<WatchId>
}

/** At most `limit` items, after the one that the page before ended with. */
export interface PageRequest {
  readonly limit: number
  readonly before: Option.Option<ExecutionId>
}

/** The document of an execution that failed: what it was while it ran, with the failure, and no unit. */
export const failed = (running: AnalysisResult, failure: ExecutionFailure, now: number): AnalysisResult => ({
  ...running,
  status: "failed",
  error: failure,
  completed_at: fromMillis(now),
  progress: null,
  units: 0
})

/** What an execution shows of itself in a list. */
export const stub = (execution: StoredExecution): ExecutionStub => ({
  execution_id: execution.result.execution_id,
  target: execution.result.target,
  address: execution.result.address,
  chain: execution.result.chain,
  status: execution.result.status,
  created_at: execution.result.created_at,
  completed_at: execution.result.completed_at,
  score: execution.result.facts.risk?.score ?? null,
  level: execution.result.facts.risk?.level ?? null,
  watch_id: Option.getOrNull(execution.watchId),
  content_hash: execution.result.content_hash
})

/** The failure of an execution that lost its worker. */
export const leaseLost: ExecutionFailure = {
  code: "lease_lost",
  detail: "The process that ran this analysis stopped before it was finished."
}

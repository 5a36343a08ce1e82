/** @internal */

import type { Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { ExecutionId, KeyId, RunId, WatchId } from "../domain/Id.js"
import type { Target, TargetKind } from "../domain/Target.js"
import { toMillis } from "../domain/Timestamp.js"
import type { WatchOptions, WatchRun, WatchState } from "../domain/Watch.js"
import type { WatchMemory } from "../domain/WatchMemory.js"

/**
 * A watch as stored; times in epoch milliseconds. `revision` rises with every write that its owner can see. `live` is
 * the run that checks it at this time.
 */
export interface StoredWatch {
  readonly id: WatchId
  readonly keyId: KeyId
  readonly target: Target
  readonly label: string
  readonly options: WatchOptions
  readonly createdAt: number
  readonly updatedAt: number
  readonly memory: WatchMemory
  readonly revision: number
  readonly live: Option.Option<RunId>
}

/** The parts of a watch that can change; the rest is fixed at its creation. */
export type WatchContent = Pick<StoredWatch, "label" | "options" | "updatedAt" | "memory">

/** The ids for one run that may be claimed: run, execution, and the token that finishes it. */
export interface Slot {
  readonly runId: RunId
  readonly executionId: ExecutionId
  readonly token: string
}

/** A run that the holder of `token` may finish, and its watch as it was when the run was claimed or last written. */
export interface Claim {
  readonly watch: StoredWatch
  readonly run: WatchRun
  readonly executionId: ExecutionId
  readonly token: string
}

/** What a claim writes: the state of the watch with the claim in it, and the new run. */
export interface Begun {
  readonly memory: WatchMemory
  readonly run: WatchRun
}

/** What a claim writes to postpone a due watch: a later due time, and no run. */
export interface Postponed {
  readonly memory: WatchMemory
}

/** Whether a claim begins a run. */
export const isBegun = (answer: Begun | Postponed): answer is Begun => "run" in answer

/**
 * Which due watches to claim. At most one run per slot, at most `perKey` running runs of a key. `begin` is pure and may
 * be called more than once; its result is written with the claim. A watch that it postpones uses a slot of this claim and
 * counts in it as a running one of its key.
 */
export interface ClaimRequest {
  readonly now: number
  readonly until: number
  readonly slots: ReadonlyArray<Slot>
  readonly perKey: number
  readonly begin: (watch: StoredWatch, slot: Slot) => Begun | Postponed
}

/**
 * The answer to a manual check of one watch: it begins, a run of the watch is live already, or the last manual check is
 * too recent (`at`: when it was requested).
 */
export type ManualClaim =
  | { readonly _tag: "Started"; readonly claim: Claim }
  | { readonly _tag: "Joined"; readonly run: WatchRun }
  | { readonly _tag: "TooSoon"; readonly at: number }

/** What the end of a run writes in one step: the run, the state of the watch, and the events. */
export interface Finish {
  readonly run: WatchRun
  readonly memory: WatchMemory
  readonly events: ReadonlyArray<NewEvent>
}

/** Which watches to list; `failing` are those with a failed last check. */
export interface WatchFilter {
  readonly state: Option.Option<WatchState>
  readonly kind: Option.Option<TargetKind>
  readonly address: Option.Option<Target["address"]>
  readonly failing: Option.Option<boolean>
}

/** At most `limit` items, after the last item of the page before. */
export interface PageAfter<Id> {
  readonly limit: number
  readonly before: Option.Option<Id>
}

/** The state that a watch shows. */
export const stateOf = (memory: WatchMemory): WatchState => {
  switch (memory.status._tag) {
    case "Active":
      return "active"
    case "Paused":
      return "paused"
    case "Suspended":
      return "suspended"
  }
}

/** Whether a run found a change. */
export const hasChanged = (run: WatchRun): boolean => run.change_status === "changed"

/** When a run ended, in epoch milliseconds; a skipped run ended when it was due to begin. */
export const endOf = (run: WatchRun): number => toMillis(run.finished_at ?? run.scheduled_for)

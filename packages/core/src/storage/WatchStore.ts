import { Context, type Effect, Layer, type Option } from "effect"
import type { NewEvent } from "../domain/Event.js"
import type { KeyId, RunId, WatchId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { WatchRun } from "../domain/Watch.js"
import type { Lease } from "./ExecutionStore.js"
import * as MemoryWatchStore from "./MemoryWatchStore.js"
import type { StorageError } from "./StorageError.js"
import type {
  Begun,
  Claim,
  ClaimRequest,
  Finish,
  ManualClaim,
  PageAfter,
  Slot,
  StoredWatch,
  WatchContent,
  WatchFilter
} from "./WatchRecords.js"

export * from "./WatchRecords.js"

/**
 * Where watches, their runs and the events of these are kept until they are in the log. Every method is atomic and gets
 * the time as an argument. Watches of another key are not found. A run is finished by the token that it was claimed
 * with, once; after the run has ended, its token changes nothing.
 *
 * Functions passed to methods are pure: a store may call them again, with a newer state.
 *
 * @since 0.1.0
 * @category services
 */
export class WatchStore extends Context.Tag("@assay/core/WatchStore")<
  WatchStore,
  {
    /** Keeps a new watch, unless its key has `limit` already: then false. The same id again changes nothing: true. */
    readonly create: (watch: StoredWatch, limit: number) => Effect.Effect<boolean, StorageError>
    readonly find: (keyId: KeyId, id: WatchId) => Effect.Effect<Option.Option<StoredWatch>, StorageError>
    /** Newest first; `next_cursor` is the id to pass as `before`. */
    readonly list: (
      keyId: KeyId,
      filter: WatchFilter,
      page: PageAfter<WatchId>
    ) => Effect.Effect<Page<StoredWatch>, StorageError>
    /** How many watches a key has. */
    readonly count: (keyId: KeyId) => Effect.Effect<number, StorageError>
    /**
     * Changes a watch by `decide`, which answers none where nothing is to change; the revision then stays. Answers the
     * watch as it is afterwards, none where it does not exist.
     */
    readonly change: (
      keyId: KeyId,
      id: WatchId,
      decide: (watch: StoredWatch) => Option.Option<WatchContent>
    ) => Effect.Effect<Option.Option<StoredWatch>, StorageError>
    /**
     * Removes a watch with its runs; answers the claim of its live run, which nobody can finish any more, so that
     * nothing is added to the outbox about it from here on. What is there stays: it happened. None where the watch does
     * not exist.
     */
    readonly remove: (
      keyId: KeyId,
      id: WatchId
    ) => Effect.Effect<Option.Option<{ readonly live: Option.Option<Claim> }>, StorageError>
    /**
     * Takes active watches that are due (`nextDueAt <= now`) and not running: of the key with the fewest running first,
     * then the one that is due longest. Costs the same however many watches are kept. The ids of slots are new, or
     * those of a call with a lost answer: then it answers their running runs, and takes nothing more.
     */
    readonly claimDue: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /**
     * Takes one watch whatever its state and due time, unless a run of it lives or one was begun by hand after
     * `notAfter`. Once more with the slot that began the live run it answers as before. None where the watch does not
     * exist.
     */
    readonly claimNow: (
      keyId: KeyId,
      id: WatchId,
      request: Pick<ClaimRequest, "now" | "until"> & {
        readonly slot: Slot
        readonly notAfter: number
        readonly begin: (watch: StoredWatch, slot: Slot) => Begun
      }
    ) => Effect.Effect<Option.Option<ManualClaim>, StorageError>
    /** Prolongs the lease of a running run; false where it is not running under this token. */
    readonly renew: (runId: RunId, lease: Lease) => Effect.Effect<boolean, StorageError>
    /**
     * Ends a running run with what `decide` makes of the watch as it is now: run, memory and events in one write, all
     * or nothing. False where the run is not running under this token; once more by the same token after it ended,
     * whoever wrote that end, it changes nothing and answers true, so that a call with a lost answer can be repeated.
     */
    readonly finishRun: (
      runId: RunId,
      token: string,
      decide: (watch: StoredWatch) => Finish
    ) => Effect.Effect<boolean, StorageError>
    /** Running runs with a lease that ended by `now`, oldest first, to be finished by their token. */
    readonly expired: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /** The tokens of all running runs. */
    readonly tokens: Effect.Effect<ReadonlyArray<string>, StorageError>
    /** The running runs of these tokens, to be finished by them. */
    readonly claims: (tokens: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Claim>, StorageError>
    /** Newest first; with `changed`, only those that found a change. */
    readonly runs: (
      keyId: KeyId,
      id: WatchId,
      filter: { readonly changed: boolean },
      page: PageAfter<RunId>
    ) => Effect.Effect<Option.Option<Page<WatchRun>>, StorageError>
    /** The due time of the next watch that is not running; it is in the past where one is already due. */
    readonly nextDueAt: Effect.Effect<Option.Option<number>, StorageError>
    /** Events that are not relayed yet, in the order in which they were written. */
    readonly outbox: (limit: number) => Effect.Effect<ReadonlyArray<NewEvent>, StorageError>
    /** Takes relayed events out of the outbox. */
    readonly relayed: (ids: ReadonlyArray<NewEvent["id"]>) => Effect.Effect<void, StorageError>
    /**
     * Removes at most `limit` finished runs: those without a change that ended before `unchangedBefore`, the others
     * before `changedBefore`. Answers how many.
     */
    readonly prune: (options: {
      readonly unchangedBefore: number
      readonly changedBefore: number
      readonly limit: number
    }) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * Keeps watches in this process, for as long as the layer lives.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<WatchStore> = Layer.sync(WatchStore, MemoryWatchStore.make)

/** @internal */

import { Cause, Clock, Duration, Effect, Exit, Fiber, Option, Schema } from "effect"
import { Chains, type UnsupportedChain } from "../chain/Chains.js"
import type { SuspensionReason } from "../domain/Watch.js"
import type { CheckError } from "../domain/WatchMemory.js"
import { Relay } from "../events/Relay.js"
import { failureOf } from "../executions/ExecutionError.js"
import { type CheckError as ExecutionError, Executions } from "../executions/Executions.js"
import * as Reaper from "../executions/Reaper.js"
import * as Plan from "../keys/Plan.js"
import { ExecutionStore, leaseLost, type StoredExecution } from "../storage/ExecutionStore.js"
import * as Heartbeat from "../storage/Heartbeat.js"
import { type KeyRecord, KeyStore, unusable } from "../storage/KeyStore.js"
import * as Outage from "../storage/Outage.js"
import { patiently, patientlyFor } from "../storage/Patience.js"
import type { QuotaStore } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { type Claim, WatchStore } from "../storage/WatchStore.js"
import * as Conclusion from "./Conclusion.js"
import type { Outcome } from "./Outcome.js"

/** How the lease of a run is kept, and the units of each plan of a key. */
export interface Options extends Heartbeat.Options {
  readonly plans: Plan.Plans
}

/** The defaults of the options: 120 and 30 seconds, and no plans. */
export const defaults: Options = { leaseSeconds: 120, heartbeatSeconds: 30, plans: Plan.none }

/**
 * Runs one claimed check to its end, under a lease that it renews. It never fails; an interruption ends the check and
 * releases the claim. What cannot be written is left to `RunReaper`.
 */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const executions = yield* Executions
    const store = yield* WatchStore
    const keys = yield* KeyStore
    const chains = yield* Chains
    const relay = yield* Relay
    const stores = yield* Effect.context<ExecutionStore | QuotaStore>()
    const executionStore = yield* ExecutionStore

    const keepLease = ({ run, token }: Claim) =>
      Heartbeat.keep(token, {
        ...options,
        renew: (lease) => store.renew(run.id, lease),
        onLost: () => new LeaseLost()
      })

    /** Interrupted, it waits for the check to end: what became of that is only known then. */
    const underLease = (claim: Claim): Effect.Effect<Checked> =>
      Effect.gen(function* () {
        const working = yield* Effect.fork(Effect.interruptible(check(claim)))
        const keeping = yield* Effect.fork(Effect.interruptible(keepLease(claim)))
        const ended: Effect.Effect<Checked> = Effect.raceFirst(Fiber.await(working), Fiber.await(keeping))
        const first = yield* Effect.exit(Effect.interruptible(ended))
        yield* Fiber.interruptAll([working, keeping])
        return Exit.flatten(first)
      })

    const check = (claim: Claim): Effect.Effect<Outcome, ExecutionError | StorageError> =>
      Effect.gen(function* () {
        const { watch } = claim
        const key = yield* patiently(keys.find(watch.keyId))
        const unusable = refusal(key, yield* Clock.currentTimeMillis)
        if (Option.isSome(unusable)) return { _tag: "KeyUnusable", reason: unusable.value } as const
        const chain = yield* Effect.either(chains.find(Option.some(String(watch.target.chain.id))))
        if (chain._tag === "Left") return { _tag: "Failed", error: unsupported(chain.left), began: false } as const
        const result = yield* executions.check({
          id: claim.executionId,
          token: claim.token,
          caller: Plan.callerOf(options.plans, Option.getOrThrow(key)),
          watchId: watch.id,
          kind: watch.target.kind,
          address: watch.target.address,
          chain: chain.right,
          base: watch.memory.base,
          options: watch.options,
          priority: claim.run.trigger === "manual" ? "interactive" : "scheduled"
        })
        return { _tag: "Succeeded", result } as const
      })

    /**
     * A store did not answer, so the state of the execution is not known: it is ended unless it has ended, then read.
     */
    const settled = (claim: Claim, error: CheckError): Effect.Effect<Outcome, StorageError> =>
      Effect.gen(function* () {
        const status = yield* Reaper.end(claim.executionId, claim.token, leaseLost)
        const stored = yield* executionStore.find(claim.watch.keyId, claim.executionId)
        return Option.match(Option.filter(stored, isStored), {
          onNone: (): Outcome => ({ _tag: "Failed", error, began: Option.isSome(status) }),
          onSome: ({ result }): Outcome => ({ _tag: "Succeeded", result })
        })
      }).pipe(Effect.provide(stores))

    /** Its execution has ended by now, and may have been stored before it could be stopped: that is paid for. */
    const released = ({ executionId, run, watch }: Claim): Effect.Effect<Outcome, StorageError> =>
      Effect.map(executionStore.find(watch.keyId, executionId), (execution) =>
        Option.match(Option.filter(execution, isStored), {
          onNone: (): Outcome =>
            // A manual check claimed no grid time: there is nothing to release, and it is not repeated.
            run.trigger === "manual" ? { _tag: "Abandoned", began: Option.isSome(execution) } : { _tag: "Released" },
          onSome: ({ result }): Outcome => ({ _tag: "Succeeded", result })
        })
      )

    const outcomeOf = (
      claim: Claim,
      cause: Cause.Cause<ExecutionError | LeaseLost>
    ): Effect.Effect<Option.Option<Outcome>, StorageError> => {
      if (Cause.isInterruptedOnly(cause)) return Effect.map(released(claim), Option.some)
      const failure = Cause.failureOption(cause)
      if (Option.isNone(failure))
        return Effect.zipRight(
          Effect.logError("A check failed unexpectedly", cause),
          Effect.map(settled(claim, internalError), Option.some)
        )
      const error = failure.value
      switch (error._tag) {
        case "LeaseLost":
          return Effect.succeedNone
        case "Draining":
          return Effect.map(released(claim), Option.some)
        case "QuotaExceeded":
          return Effect.succeedSome({
            _tag: "OutOfQuota",
            dailyQuota: error.bucket === "key" ? Option.some(error.limit) : Option.none(),
            resetsAt: error.resets_at
          })
        case "StorageError":
          return Effect.map(settled(claim, storageUnavailable), Option.some)
        case "ExecutionFailed":
          return Effect.succeedSome({ _tag: "Failed", error: error.failure, began: true })
        case "TargetMismatch":
        case "UpstreamUnavailable":
          return Effect.succeedSome({ _tag: "Failed", error: failureOf(error), began: true })
      }
    }

    const write = (claim: Claim, outcome: Outcome) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const finished = yield* store.finishRun(claim.run.id, claim.token, Conclusion.finish(claim, outcome, now))
        if (finished) yield* relay.notify
      })

    /** Can be interrupted between its attempts. */
    const waitingForStore = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.interruptible(patientlyFor(Duration.seconds(options.leaseSeconds))(Effect.uninterruptible(effect)))

    return (claim: Claim): Effect.Effect<void> =>
      Effect.gen(function* () {
        const exit = yield* underLease(claim)
        // A process that stops cannot wait: what it cannot write now is written by `RunReaper`.
        const patience = Exit.isInterrupted(exit) ? patiently : waitingForStore
        const outcome = yield* patience(
          Exit.isSuccess(exit) ? Effect.succeedSome(exit.value) : outcomeOf(claim, exit.cause)
        )
        if (Option.isSome(outcome)) yield* patience(write(claim, outcome.value))
      }).pipe(Outage.surviving("A run could not be finished yet", undefined), Effect.uninterruptible)
  })

type Checked = Exit.Exit<Outcome, ExecutionError | StorageError | LeaseLost>

const isStored = ({ result }: StoredExecution): boolean => result.error === null && result.status !== "running"

/** Another process ended this run, or its watch was removed. */
class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

const refusal = (
  key: Option.Option<KeyRecord>,
  now: number
): Option.Option<Exclude<SuspensionReason, "consecutive_failures">> => {
  // A key that no longer exists was revoked.
  return Option.match(key, { onNone: () => Option.some("key_revoked"), onSome: (record) => unusable(record, now) })
}

const unsupported = ({ chain }: UnsupportedChain): CheckError => ({
  code: "unsupported_chain",
  detail: `The chain ${chain} is not read here any more.`
})

const storageUnavailable: CheckError = { code: "storage_unavailable", detail: "The storage was away." }

const internalError: CheckError = { code: "internal_error", detail: "The check failed for a reason of ours." }

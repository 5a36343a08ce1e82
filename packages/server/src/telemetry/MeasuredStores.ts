import type { AnalysisResult } from "@assay/core/domain/AnalysisResult"
import type { ExecutionId, WatchId } from "@assay/core/domain/Id"
import { toMillis } from "@assay/core/domain/Timestamp"
import type { WatchRun } from "@assay/core/domain/Watch"
import type { Delivery } from "@assay/core/domain/Webhook"
import { EventStore } from "@assay/core/storage/EventStore"
import { ExecutionStore } from "@assay/core/storage/ExecutionStore"
import { QuotaStore } from "@assay/core/storage/QuotaStore"
import type { Storage } from "@assay/core/storage/Storage"
import { WatchStore } from "@assay/core/storage/WatchStore"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { measures } from "./Families.js"

/**
 * Measures what the use-cases write: executions, units, checks of watches, events and deliveries, and writes a line to the log
 * for each execution that ends. What a store refuses because another process was first is not counted.
 */
export const layer: Layer.Layer<Storage, never, Storage> = Layer.effectContext(
  Effect.map(Effect.context<Storage>(), (stores) =>
    stores.pipe(
      Context.add(ExecutionStore, executions(Context.get(stores, ExecutionStore))),
      Context.add(QuotaStore, units(Context.get(stores, QuotaStore))),
      Context.add(WatchStore, watches(Context.get(stores, WatchStore))),
      Context.add(EventStore, events(Context.get(stores, EventStore)))
    )
  )
)

/** An execution that this process began and that has not ended. */
interface Running {
  readonly kind: AnalysisResult["target"]
  readonly trigger: "request" | "watch"
  readonly startedAt: number
}

const executions = (store: ExecutionStore["Type"]): ExecutionStore["Type"] => {
  const running = new Map<ExecutionId, Running>()
  const forget = (id: ExecutionId) => {
    running.delete(id)
    measures.running.update(running.size, {})
  }
  const end = (id: ExecutionId, outcome: string, kind: string, endedAt: number) =>
    Effect.suspend(() => {
      const known = running.get(id)
      // Whoever repeats a write because its answer was lost ends it once.
      if (known === undefined) return Effect.void
      forget(id)
      const { startedAt, trigger } = known
      measures.analyses.update(1, { kind, trigger, outcome })
      measures.analysisSeconds.update((endedAt - startedAt) / 1_000, { kind, trigger })
      return Effect.annotateLogs(Effect.logInfo("execution"), {
        execution_id: id,
        kind,
        trigger,
        outcome,
        ms: endedAt - startedAt
      })
    })
  return {
    ...store,
    begin: (request) =>
      Effect.tap(store.begin(request), ({ _tag }) =>
        Effect.sync(() => {
          measures.begun.update(1, { answer: _tag.toLowerCase() })
          if (_tag !== "Started") return
          const isWatch = Option.isSome(request.watchId ?? Option.none())
          running.set(request.id, {
            kind: request.running.target,
            trigger: isWatch ? "watch" : "request",
            startedAt: toMillis(request.running.created_at)
          })
          measures.running.update(running.size, {})
        })
      ),
    complete: (token, result, memory) =>
      Effect.tap(store.complete(token, result, memory), (isStored) =>
        isStored
          ? Effect.flatMap(Clock.currentTimeMillis, (now) =>
              end(result.execution_id, result.status, result.target, now)
            )
          : Effect.void
      ),
    fail: (id, token, failure, now) =>
      Effect.tap(store.fail(id, token, failure, now), (isFailed) =>
        isFailed ? end(id, failure.code, running.get(id)?.kind ?? other, now) : Effect.sync(() => forget(id))
      ),
    discard: (id, token) => Effect.tap(store.discard(id, token), () => Effect.sync(() => forget(id))),
    expireLeases: (now, limit) =>
      Effect.tap(store.expireLeases(now, limit), (ids) =>
        Effect.forEach(
          ids,
          (id) => {
            forget(id)
            measures.analyses.update(1, { kind: other, trigger: "request", outcome: "lease_lost" })
            return Effect.annotateLogs(Effect.logInfo("execution"), { execution_id: id, outcome: "lease_lost" })
          },
          { discard: true }
        )
      )
  }
}

const other = "other"

const units = (store: QuotaStore["Type"]): QuotaStore["Type"] => ({
  ...store,
  reserve: (request) =>
    Effect.tap(store.reserve(request), (answer) =>
      Effect.sync(() => {
        if (answer._tag === "Reserved") return measures.units.update(1, { state: "reserved" })
        // What follows the colon is a key or an address.
        measures.refusals.update(1, { bucket: answer.bucket.split(":", 1)[0] ?? other })
      })
    ),
  settle: (id, state, now) =>
    Effect.tap(store.settle(id, state, now), (isFirst) =>
      Effect.sync(() => {
        if (isFirst) measures.units.update(1, { state })
      })
    )
})

const watches = (store: WatchStore["Type"]): WatchStore["Type"] => {
  const failing = new Set<WatchId>()
  const claimed = (trigger: WatchRun["trigger"]) => measures.claims.update(1, { trigger })
  return {
    ...store,
    claimDue: (request) =>
      Effect.tap(store.claimDue(request), (claims) =>
        Effect.sync(() => {
          for (const { run } of claims) claimed(run.trigger)
        })
      ),
    claimNow: (keyId, id, request) =>
      Effect.tap(store.claimNow(keyId, id, request), (answer) =>
        Effect.sync(() => {
          if (Option.isSome(answer) && answer.value._tag === "Started") claimed(answer.value.claim.run.trigger)
        })
      ),
    finishRun: (runId, token, decide) =>
      Effect.suspend(() => {
        // Of the last call of what a store may call again.
        let written: { readonly run: WatchRun; readonly id: WatchId } | undefined
        return Effect.tap(
          store.finishRun(runId, token, (watch) => {
            const finish = decide(watch)
            written = { run: finish.run, id: watch.id }
            return finish
          }),
          (isWritten) =>
            Effect.sync(() => {
              if (!isWritten || written === undefined) return
              const { id, run } = written
              measures.runs.update(1, { status: run.status })
              if (run.status === "succeeded" && run.change_status !== null)
                measures.changes.update(1, { status: run.change_status })
              if (run.status === "failed") failing.add(id)
              if (run.status === "succeeded") failing.delete(id)
              measures.failing.update(failing.size, {})
            })
        )
      }),
    remove: (keyId, id) =>
      Effect.tap(store.remove(keyId, id), () =>
        Effect.sync(() => {
          failing.delete(id)
          measures.failing.update(failing.size, {})
        })
      )
  }
}

const events = (store: EventStore["Type"]): EventStore["Type"] => ({
  ...store,
  append: (added, now) =>
    Effect.tap(store.append(added, now), (fresh) =>
      Effect.sync(() => {
        for (const { timestamp } of fresh) measures.eventLag.update(Math.max(0, now - toMillis(timestamp)) / 1_000, {})
      })
    ),
  finishDelivery: (id, token, decide) =>
    Effect.suspend(() => {
      let written: Delivery | undefined
      return Effect.tap(
        store.finishDelivery(id, token, (current) => {
          const attempted = decide(current)
          written = attempted.delivery
          return attempted
        }),
        (answer) =>
          Effect.sync(() => {
            if (Option.isNone(answer) || written === undefined) return
            const { error_class, latency_ms, status } = written
            measures.deliveries.update(1, { outcome: status, error: error_class ?? "none" })
            measures.deliverySeconds.update((latency_ms ?? 0) / 1_000, {})
          })
      )
    }),
  nextDeliveryAt: Effect.tap(store.nextDeliveryAt, (next) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      measures.deliveriesWaiting.update(
        Option.match(next, { onNone: () => 0, onSome: (at) => Math.max(0, now - at) / 1_000 }),
        {}
      )
    )
  )
})

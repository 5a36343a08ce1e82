/** @internal */

import type { NewEvent } from "@assay/core/domain/Event"
import type { EventId, ExecutionId, KeyId, RunId, WatchId } from "@assay/core/domain/Id"
import { fromMillis } from "@assay/core/domain/Timestamp"
import type { Claim, Finish, WatchStore } from "@assay/core/storage/WatchStore"
import { type Context, Option } from "effect"
import { seen, type Witness } from "./Witness.js"

/** A run as the witness saw it. */
export interface SeenRun {
  readonly id: RunId
  readonly watchId: WatchId
  readonly executionId: ExecutionId
  readonly token: string
  readonly until: number
  readonly isLive: boolean
  readonly holder: string
}

/** Keeps its own record of watches, their runs and their reports, and compares every answer of the store with it. */
export interface Schedule {
  readonly watches: (store: Context.Tag.Service<WatchStore>) => Context.Tag.Service<WatchStore>
  readonly running: () => ReadonlyArray<SeenRun>
  /** Events that were written with a run, of watches that are still there. */
  readonly told: () => ReadonlyArray<NewEvent>
  readonly isTold: (id: EventId) => boolean
  /** A remove was acknowledged: from here on nothing may happen for this watch. */
  readonly removed: (id: WatchId) => void
  readonly isRemoved: (id: WatchId) => boolean
  readonly counts: () => ReadonlyArray<readonly [string, number]>
  /** To be called when everything is quiet. */
  readonly settled: () => void
}

interface GridTime {
  readonly anchor: number
  readonly interval: number
  readonly n: number
}

/**
 * `latest` is the latest moment that a process may take for now, `perKey` how many runs of a key may be live that were due.
 */
export const make = (
  witness: Witness,
  world: {
    readonly latest: () => number
    readonly perKey: number
    readonly isPaid: (id: ExecutionId) => boolean
  }
): Schedule => {
  const { check, trace } = witness
  const runs = new Map<RunId, SeenRun>()
  const live = new Map<WatchId, RunId>()
  const last = new Map<WatchId, GridTime>()
  const replaced = new Map<RunId, GridTime | undefined>()
  const lost = new Map<WatchId, number>()
  const gone = new Set<WatchId>()
  const acknowledged = new Set<WatchId>()
  const told = new Map<EventId, NewEvent>()
  const owner = new Map<WatchId, KeyId>()

  const begin = ({ executionId, run, token, watch }: Claim, until: number) => {
    const { id } = watch
    check("I9", !acknowledged.has(id), () => `${run.id} of ${id} begins, which was removed`)
    check("I3", !live.has(id), () => `${run.id} of ${id} begins beside ${live.get(id)}`)
    owner.set(id, watch.keyId)
    live.set(id, run.id)
    runs.set(run.id, { id: run.id, watchId: id, executionId, token, until, isLive: true, holder: witness.actor() })
    trace.note(witness.actor(), `${run.trigger} ${run.id} of ${id} for ${run.scheduled_for}`)
  }
  const automatic = ({ run, watch }: Claim, before: Claim["watch"] | undefined) => {
    const { grid, n } = watch.memory
    const limit = world.latest()
    const due = grid.anchor + (n === 0 ? grid.phase % 60_000 : n * grid.interval + grid.phase)
    check("I5", due <= limit, () => `${run.id} of ${watch.id} for ${fromMillis(due)}, it is ${fromMillis(limit)}`)
    const promised = before === undefined ? Option.none() : before.memory.nextDueAt
    check(
      "I5",
      Option.exists(promised, (at) => at <= limit),
      () => `${run.id} of ${watch.id} at ${fromMillis(limit)}, due is ${Option.getOrNull(promised)}`
    )
    const earlier = last.get(watch.id)
    const isSameGrid = earlier?.anchor === grid.anchor && earlier.interval === grid.interval
    check(
      "I5",
      earlier === undefined || !isSameGrid || n > earlier.n,
      () => `${run.id} of ${watch.id} is number ${n}, after number ${earlier?.n}`
    )
    replaced.set(run.id, earlier)
    last.set(watch.id, { anchor: grid.anchor, interval: grid.interval, n })
  }
  const liveOf = (keyId: KeyId) => Array.from(live.keys()).filter((id) => owner.get(id) === keyId).length
  const mayFinish = (runId: RunId, token: string): boolean => {
    const run = runs.get(runId)
    return run !== undefined && run.token === token && !gone.has(run.watchId)
  }

  return {
    watches: (store) => ({
      ...store,
      create: (watch, limit) =>
        seen(store.create(watch, limit), (made) => {
          if (!made || owner.has(watch.id)) return
          owner.set(watch.id, watch.keyId)
          trace.note(witness.actor(), `${watch.id} of ${watch.keyId} every ${watch.memory.grid.interval / 1000} s`)
        }),
      change: (keyId, id, decide) =>
        seen(store.change(keyId, id, decide), (watch) => {
          if (Option.isSome(watch))
            trace.note(witness.actor(), `${id} is ${watch.value.memory.status._tag}, revision ${watch.value.revision}`)
        }),
      claimDue: (request) => {
        const before = new Map<RunId, Claim["watch"]>()
        const asked = {
          ...request,
          begin: (...[watch, slot]: Parameters<typeof request.begin>) => {
            before.set(slot.runId, watch)
            return request.begin(watch, slot)
          }
        }
        return seen(store.claimDue(asked), (claims) => {
          for (const claim of claims) {
            // Answered again.
            if (runs.has(claim.run.id)) continue
            const running = liveOf(claim.watch.keyId)
            check("I3", running < world.perKey, () => `${claim.run.id} is run ${running + 1} of ${claim.watch.keyId}`)
            begin(claim, request.until)
            automatic(claim, before.get(claim.run.id))
          }
        })
      },
      claimNow: (keyId, id, request) =>
        seen(store.claimNow(keyId, id, request), (answer) => {
          if (Option.isNone(answer) || answer.value._tag !== "Started") return
          const { claim } = answer.value
          if (!runs.has(claim.run.id)) begin(claim, request.until)
        }),
      renew: (runId, lease) =>
        seen(store.renew(runId, lease), (renewed) => {
          const run = runs.get(runId)
          const mayRenew = run?.isLive === true && mayFinish(runId, lease.token)
          check("I3", renewed === mayRenew, () => `renewing ${runId} answered ${renewed}, holder: ${mayRenew}`)
          if (renewed && run !== undefined) runs.set(runId, { ...run, until: lease.until })
        }),
      finishRun: (runId, token, decide) => {
        let decided: Option.Option<Finish> = Option.none()
        return seen(
          store.finishRun(runId, token, (watch) => {
            const finish = decide(watch)
            decided = Option.some(finish)
            return finish
          }),
          (finished) => {
            const run = runs.get(runId)
            check("I3", finished === mayFinish(runId, token), () => `finishing ${runId} answered ${finished}`)
            if (!finished || run === undefined || !run.isLive || Option.isNone(decided)) return
            const { events, memory, run: document } = decided.value
            runs.set(runId, { ...run, isLive: false })
            live.delete(run.watchId)
            // A failed run may be made up for: what was lost with its process four times in a row.
            const isLost = document.status === "abandoned" && document.error_code !== "draining" && replaced.has(runId)
            const losses = isLost ? (lost.get(run.watchId) ?? 0) + 1 : 0
            if (isLost || document.status === "succeeded" || document.status === "failed") lost.set(run.watchId, losses)
            if (document.status === "skipped" || document.error_code === "draining" || (isLost && losses <= 4)) {
              const earlier = replaced.get(runId)
              if (earlier === undefined) last.delete(run.watchId)
              else last.set(run.watchId, earlier)
            }
            replaced.delete(runId)
            check("I4", document.status !== "running", () => `${runId} ended and is still running`)
            check("I4", Option.isSome(memory.lastCheckedAt), () => `${runId} is ${document.status}, never checked`)
            check(
              "I2",
              document.units === (world.isPaid(run.executionId) ? 1 : 0),
              () =>
                `${runId} is ${document.status} with ${document.units} units, paid: ${world.isPaid(run.executionId)}`
            )
            for (const event of events) told.set(event.id, event)
            const what = [document.status, document.change_status ?? document.error_code ?? "-"].join(" ")
            trace.note(witness.actor(), `${runId} ${what}, tells ${events.map(({ body }) => body.type).join(", ")}`)
          }
        )
      },
      expired: (now, limit) =>
        seen(store.expired(now, limit), (claims) => {
          for (const { run } of claims) {
            const known = runs.get(run.id)
            check(
              "I3",
              known?.isLive === true && known.until <= now,
              () => `${run.id} expired at ${now}, its lease ends at ${known?.until}`
            )
          }
        }),
      remove: (keyId, id) =>
        seen(store.remove(keyId, id), (removed) => {
          if (Option.isNone(removed)) return
          const runId = live.get(id)
          gone.add(id)
          live.delete(id)
          const run = runId === undefined ? undefined : runs.get(runId)
          if (run !== undefined) runs.set(run.id, { ...run, isLive: false })
          trace.note(witness.actor(), `${id} removed`)
        })
    }),
    running: () => Array.from(live.values()).flatMap((id) => runs.get(id) ?? []),
    told: () => Array.from(told.values()),
    isTold: (id) => told.has(id),
    removed: (id) => {
      acknowledged.add(id)
    },
    isRemoved: (id) => acknowledged.has(id),
    counts: () => [
      ["watches", owner.size],
      ["runs", runs.size]
    ],
    settled: () => {
      for (const [watchId, runId] of live) check("recovery", false, () => `${runId} of ${watchId} still runs`)
    }
  }
}

/** @internal */

import type { AnalysisResult } from "@assay/core/domain/AnalysisResult"
import type { ExecutionId, KeyId, WatchId } from "@assay/core/domain/Id"
import { dayOf } from "@assay/core/domain/Timestamp"
import type { ExecutionStore, StoredExecution } from "@assay/core/storage/ExecutionStore"
import type { QuotaStore, Reservation } from "@assay/core/storage/QuotaStore"
import { type Context, Option } from "effect"
import { seen, type Witness } from "./Witness.js"

/** An execution as the witness saw it. `token` is empty once it ended by expiry. */
export interface SeenExecution {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly watchId: Option.Option<WatchId>
  readonly token: Option.Option<string>
  readonly until: number
  readonly status: AnalysisResult["status"]
  readonly holder: string
}

/** Keeps its own books of executions and units, beside the stores, and holds every answer of theirs against them. */
export interface Ledger {
  readonly executions: (store: Context.Tag.Service<ExecutionStore>) => Context.Tag.Service<ExecutionStore>
  readonly units: (store: Context.Tag.Service<QuotaStore>) => Context.Tag.Service<QuotaStore>
  readonly running: () => ReadonlyArray<SeenExecution>
  readonly find: (id: ExecutionId) => SeenExecution | undefined
  /** Whether it was ever granted a unit. */
  readonly hasUnit: (id: ExecutionId) => boolean
  readonly counts: () => ReadonlyArray<readonly [string, number]>
  /** To be called when everything is quiet. */
  readonly settled: () => void
}

/**
 * `quotasOf` are the daily quotas that a key had in the last minutes, `isRemoved` whether a watch was acknowledged as
 * removed, `latest` is the latest moment that a process may take for now, `onResult` gets every stored result.
 */
export const make = (
  witness: Witness,
  world: {
    readonly quotasOf: (keyId: KeyId) => ReadonlyArray<number>
    readonly isRemoved: (id: WatchId) => boolean
    readonly latest: () => number
    readonly onResult: (execution: StoredExecution) => void
  }
): Ledger => {
  const { check, trace } = witness
  const executions = new Map<ExecutionId, SeenExecution>()
  const running = new Set<ExecutionId>()
  const units = new Map<ExecutionId, Reservation & { readonly buckets: ReadonlyArray<string> }>()
  const taken = new Map<string, number>()

  const end = (id: ExecutionId, change: Pick<SeenExecution, "status" | "token">) => {
    const execution = executions.get(id)
    if (execution === undefined) return
    running.delete(id)
    executions.set(id, { ...execution, ...change })
    trace.note(witness.actor(), `execution ${id} ${change.status}`)
  }
  const holds = (id: ExecutionId, token: string): boolean =>
    Option.contains(executions.get(id)?.token ?? Option.none(), token)
  const isPaid = (status: AnalysisResult["status"] | undefined) => status === "complete" || status === "partial"

  return {
    executions: (store) => ({
      ...store,
      begin: (request) =>
        seen(store.begin(request), (answer) => {
          const { id, keyId, lease } = request
          if (answer._tag !== "Started" || executions.has(id)) return
          const watchId = request.watchId ?? Option.none()
          check(
            "I9",
            !Option.exists(watchId, world.isRemoved),
            () => `${id} began for ${Option.getOrNull(watchId)}, which was removed`
          )
          const ofKey = Array.from(running).filter((other) => {
            const execution = executions.get(other)
            return execution?.keyId === keyId && Option.isNone(execution.watchId)
          })
          check(
            "I3",
            Option.isSome(watchId) || ofKey.length < request.slots,
            () => `${id} is interactive execution ${ofKey.length + 1} of ${keyId}, allowed are ${request.slots}`
          )
          executions.set(id, {
            id,
            keyId,
            watchId,
            token: Option.some(lease.token),
            until: lease.until,
            status: "running",
            holder: witness.actor()
          })
          running.add(id)
          trace.note(witness.actor(), `execution ${id} begins for ${Option.getOrElse(watchId, () => keyId)}`)
        }),
      renew: (id, lease) =>
        seen(store.renew(id, lease), (renewed) => {
          const execution = executions.get(id)
          const mayRenew = running.has(id) && holds(id, lease.token)
          check("I3", renewed === mayRenew, () => `renewing ${id} answered ${renewed}, holder: ${mayRenew}`)
          if (renewed && execution !== undefined) executions.set(id, { ...execution, until: lease.until })
        }),
      complete: (token, result, memory) =>
        seen(store.complete(token, result, memory), (stored) => {
          const id = result.execution_id
          const execution = executions.get(id)
          const mayStore = holds(id, token) && (running.has(id) || execution?.status === result.status)
          check("I3", stored === mayStore, () => `completing ${id} answered ${stored}, holder: ${mayStore}`)
          if (!stored || !running.has(id) || execution === undefined) return
          const unit = units.get(id)?.state
          check("I2", unit === "reserved", () => `${id} is ${result.status}, its unit ${unit ?? "was never reserved"}`)
          end(id, { status: result.status, token: execution.token })
          world.onResult({ keyId: execution.keyId, watchId: execution.watchId, result, ...memory })
        }),
      fail: (id, token, failure, now) =>
        seen(store.fail(id, token, failure, now), (stored) => {
          const execution = executions.get(id)
          const mayStore = holds(id, token) && (running.has(id) || execution?.status === "failed")
          check("I3", stored === mayStore, () => `failing ${id} answered ${stored}, holder: ${mayStore}`)
          const isLeft =
            execution === undefined ||
            !running.has(id) ||
            execution.holder === witness.actor() ||
            witness.isGone(execution.holder) ||
            execution.until <= world.latest()
          check("I3", !stored || isLeft, () => `${id} is ended for ${execution?.holder}, which lives`)
          if (stored && running.has(id) && execution !== undefined)
            end(id, { status: "failed", token: execution.token })
        }),
      discard: (id, token) =>
        seen(store.discard(id, token), () => {
          if (!running.has(id) || !holds(id, token)) return
          running.delete(id)
          executions.delete(id)
          trace.note(witness.actor(), `execution ${id} discarded`)
        }),
      expireLeases: (now, limit) =>
        seen(store.expireLeases(now, limit), (ids) => {
          for (const id of ids) {
            const until = executions.get(id)?.until ?? Number.POSITIVE_INFINITY
            check("I3", running.has(id) && until <= now, () => `${id} expired at ${now}, its lease ends at ${until}`)
            end(id, { status: "failed", token: Option.none() })
          }
        })
    }),
    units: (store) => ({
      ...store,
      reserve: (request) =>
        seen(store.reserve(request), (answer) => {
          const { id, keyId, kind, now } = request
          if (units.has(id)) return
          const day = dayOf(now)
          const left = request.buckets.map(({ limit, name }) => limit - (taken.get(`${day} ${name}`) ?? 0))
          if (answer._tag === "Refused") {
            const index = request.buckets.findIndex(({ name }) => name === answer.bucket)
            check("I1", (left[index] ?? 1) <= 0, () => `${answer.bucket} refused ${id} with ${left[index]} units left`)
            trace.note(witness.actor(), `unit of ${id} refused by ${answer.bucket}`)
            return
          }
          check("I1", Math.min(...left) >= 1, () => `a unit for ${id} of ${keyId} where ${Math.min(...left)} are left`)
          const limit = request.buckets.find(({ name }) => name === `key:${keyId}`)?.limit
          check(
            "I1",
            limit !== undefined && world.quotasOf(keyId).includes(limit),
            () => `a unit for ${id} under a quota of ${limit}; in force: ${world.quotasOf(keyId).join(", ")}`
          )
          const buckets = request.buckets.map(({ name }) => `${day} ${name}`)
          for (const bucket of buckets) taken.set(bucket, (taken.get(bucket) ?? 0) + 1)
          units.set(id, { id, keyId, day, kind, state: "reserved", reservedAt: now, buckets })
          trace.note(witness.actor(), `unit of ${id} reserved, ${kind}`)
        }),
      settle: (id, state, now) =>
        seen(store.settle(id, state, now), (decided) => {
          const unit = units.get(id)
          check(
            "I2",
            decided === (unit?.state === "reserved"),
            () => `settling ${id} as ${state} answered ${decided}, it was ${unit?.state ?? "never reserved"}`
          )
          if (!decided || unit === undefined) return
          const status = executions.get(id)?.status
          check(
            "I2",
            isPaid(status) === (state === "committed"),
            () => `the unit of ${id} is ${state}, its execution ${status ?? "does not exist"}`
          )
          units.set(id, { ...unit, state })
          if (state === "released") for (const bucket of unit.buckets) taken.set(bucket, (taken.get(bucket) ?? 0) - 1)
          trace.note(witness.actor(), `unit of ${id} ${state}`)
        }),
      redate: (keyId, now) =>
        seen(store.redate(keyId, now), (moved) => {
          const day = dayOf(now)
          const late = Array.from(units.values()).filter((unit) => unit.keyId === keyId && unit.day > day)
          check(
            "I2",
            moved === late.length,
            () => `${moved} units of ${keyId} moved to ${day}, ${late.length} were later`
          )
          for (const unit of late) {
            const buckets = unit.buckets.map((bucket) => `${day}${bucket.slice(day.length)}`)
            if (unit.state !== "released") {
              for (const bucket of unit.buckets) taken.set(bucket, (taken.get(bucket) ?? 0) - 1)
              for (const bucket of buckets) taken.set(bucket, (taken.get(bucket) ?? 0) + 1)
            }
            units.set(unit.id, { ...unit, day, buckets })
          }
        })
    }),
    running: () => Array.from(running).flatMap((id) => executions.get(id) ?? []),
    find: (id) => executions.get(id),
    hasUnit: (id) => units.has(id),
    counts: () => [
      ["executions", executions.size],
      ["units", Array.from(units.values()).filter(({ state }) => state === "committed").length]
    ],
    settled: () => {
      for (const id of running) check("recovery", false, () => `${id} still runs`)
      for (const unit of units.values())
        check("I2", unit.state !== "reserved", () => `the unit of ${unit.id} was never settled`)
      for (const { id, status } of executions.values())
        check(
          "I2",
          isPaid(status) === (units.get(id)?.state === "committed"),
          () => `${id} is ${status}, its unit ${units.get(id)?.state ?? "was never reserved"}`
        )
    }
  }
}

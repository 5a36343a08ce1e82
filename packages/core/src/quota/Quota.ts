import { Cause, Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Caller } from "../domain/Caller.js"
import type { EventBody } from "../domain/Event.js"
import type { ExecutionId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { dayOf, fromMillis, nextDay, Timestamp } from "../domain/Timestamp.js"
import type { Usage } from "../domain/Usage.js"
import { EventStore } from "../storage/EventStore.js"
import * as Outage from "../storage/Outage.js"
import { QuotaStore, type UnitKind } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * One unit for an execution of a caller.
 *
 * @since 0.1.0
 * @category models
 */
export interface UnitRequest {
  readonly id: ExecutionId
  readonly caller: Caller
  readonly kind: UnitKind
}

/**
 * Meters units: one per execution, per UTC day. A unit counts against every bucket of its caller at once: the key, the
 * source that created the key, and the deployment.
 *
 * @since 0.1.0
 * @category services
 */
export class Quota extends Context.Tag("@assay/core/Quota")<
  Quota,
  {
    /** Reserves one unit in every bucket that applies to the caller, or in none. */
    readonly reserve: (request: UnitRequest) => Effect.Effect<void, QuotaExceeded | StorageError>
    /** Commits or releases a unit. The first call decides; returns whether it was this one. */
    readonly settle: (id: ExecutionId, state: "committed" | "released") => Effect.Effect<boolean, StorageError>
    readonly usage: (caller: Caller) => Effect.Effect<Usage, StorageError>
  }
>() {}

/**
 * Limits beside the daily quota of a key, in units per UTC day. Each is off unless set.
 *
 * - `unitsPerSourceDay`: for all keys that one source created, together.
 * - `globalDailyUnits`: for all keys of this deployment, together.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly unitsPerSourceDay?: Option.Option<number> | undefined
  readonly globalDailyUnits?: Option.Option<number> | undefined
}

/**
 * Metering over a store. It reports to the event log, once per key and day, that 80% of a key's units are used, and
 * that none is left. If the log cannot be written, no request is refused because of it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Quota, never, QuotaStore | EventStore> =>
  Layer.effect(
    Quota,
    Effect.gen(function* () {
      const store = yield* QuotaStore
      const events = yield* EventStore
      const perSource = options.unitsPerSourceDay ?? Option.none()
      const ceiling = options.globalDailyUnits ?? Option.none()

      // In the order in which a refusal names them: first the bucket that the caller can do something about.
      const bucketsOf = (caller: Caller) => [
        { kind: "key" as const, name: `key:${caller.id}`, limit: caller.dailyQuota },
        ...Option.toArray(
          Option.zipWith(caller.source, perSource, (source, limit) => ({
            kind: "source" as const,
            name: `source:${source}`,
            limit
          }))
        ),
        ...Option.toArray(Option.map(ceiling, (limit) => ({ kind: "deployment" as const, name: "deployment", limit })))
      ]

      // The last day reported to the owner of each key. The event log has it too, but would have to be read for it.
      const told = new Map<Caller["id"], string>()

      const tell = ({ id }: Caller, body: QuotaEvent, now: number) =>
        events
          .append(
            [
              {
                id: Id.derive("evt", id, dayOf(now), body.type),
                keyId: id,
                timestamp: fromMillis(now),
                body,
                only: null
              }
            ],
            now
          )
          .pipe(
            Effect.as(true),
            Effect.catchAll((error) =>
              Effect.as(Outage.note("A quota event could not be told", Cause.fail(error)), false)
            )
          )

      const tellThreshold = Effect.fnUntraced(function* (caller: Caller, now: number) {
        const day = dayOf(now)
        if (told.get(caller.id) === day) return
        const { reserved, used } = yield* store.count(caller.id, day)
        if (used + reserved < caller.dailyQuota * threshold) return
        const data = { day, daily_quota: caller.dailyQuota, used: used + reserved }
        if (!(yield* tell(caller, { type: "quota.threshold", data }, now))) return
        for (const [key, toldOn] of told) if (toldOn !== day) told.delete(key)
        told.set(caller.id, day)
      })

      return {
        reserve: Effect.fn("Quota.reserve")(function* (request: UnitRequest) {
          const now = yield* Clock.currentTimeMillis
          const buckets = bucketsOf(request.caller)
          const answer = yield* store.reserve({
            id: request.id,
            keyId: request.caller.id,
            kind: request.kind,
            buckets: buckets.map(({ limit, name }) => ({ name, limit })),
            now
          })
          if (answer._tag === "Reserved")
            return yield* Effect.catchAll(tellThreshold(request.caller, now), (error) =>
              Outage.note("What is used could not be counted", Cause.fail(error))
            )
          const refused = buckets.find((bucket) => bucket.name === answer.bucket)
          if (refused === undefined)
            return yield* Effect.dieMessage(`a bucket that was not asked for: ${answer.bucket}`)
          if (refused.kind === "key")
            yield* tell(
              request.caller,
              {
                type: "quota.exhausted",
                data: {
                  day: dayOf(now),
                  daily_quota: request.caller.dailyQuota,
                  resets_at: fromMillis(nextDay(now))
                }
              },
              now
            )
          return yield* new QuotaExceeded({
            bucket: refused.kind,
            limit: refused.limit,
            resets_at: fromMillis(nextDay(now))
          })
        }),
        settle: Effect.fn("Quota.settle")(function* (id: ExecutionId, state: "committed" | "released") {
          return yield* store.settle(id, state, yield* Clock.currentTimeMillis)
        }),
        usage: Effect.fn("Quota.usage")(function* (caller: Caller) {
          const now = yield* Clock.currentTimeMillis
          const day = dayOf(now)
          const count = yield* store.count(caller.id, day)
          return {
            day,
            daily_quota: caller.dailyQuota,
            used: count.used,
            reserved: count.reserved,
            remaining: Math.max(0, caller.dailyQuota - count.used - count.reserved),
            resets_at: fromMillis(nextDay(now)),
            by_kind: count.byKind,
            forecast: { watch_units_per_day: 0, watch_units_left_today: 0, exhausts_at: null, over_quota: false }
          }
        })
      }
    })
  )

type QuotaEvent = Extract<EventBody, { readonly type: "quota.threshold" | "quota.exhausted" }>

// The used part of a day's units at which the owner is notified.
const threshold = 0.8

/**
 * No unit is left today in `bucket`.
 *
 * @since 0.1.0
 * @category errors
 */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  bucket: Schema.Literal("key", "source", "deployment"),
  limit: Schema.NonNegativeInt,
  resets_at: Timestamp
}) {}

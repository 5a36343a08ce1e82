import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as KeyStore from "@assay/core/storage/KeyStore"
import * as StorageHealth from "@assay/core/storage/StorageHealth"
import * as Scheduler from "@assay/core/watches/Scheduler"
import { Clock, Context, Duration, Effect, Fiber, Layer, Option } from "effect"
import type { Health, PartHealth } from "../../api/Health.js"

/**
 * Reports whether this process can do its work.
 *
 * @since 0.1.0
 * @category services
 */
export class HealthCheck extends Context.Tag("@assay/server/HealthCheck")<
  HealthCheck,
  { readonly ready: Effect.Effect<Health> }
>() {}

/**
 * What every health check looks at.
 *
 * @since 0.1.0
 * @category models
 */
export type Looked = ChainAccess.ChainAccess | Chains.Chains | KeyStore.KeyStore | StorageHealth.StorageHealth

/**
 * Checks the store and the default chain, for a process without a scheduler.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HealthCheck, never, Looked> = Layer.effect(
  HealthCheck,
  Effect.suspend(() => make(Effect.succeed("off" as const)))
)

/**
 * Checks the store, the default chain and whether the scheduler of this process still polls for due watches.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerScheduling: Layer.Layer<HealthCheck, never, Looked | Scheduler.Scheduler> = Layer.effect(
  HealthCheck,
  Effect.gen(function* () {
    const { lastTick } = yield* Scheduler.Scheduler
    const startedAt = yield* Clock.currentTimeMillis
    return yield* make(
      Effect.zipWith(lastTick, Clock.currentTimeMillis, (tick, now) =>
        now - Option.getOrElse(tick, () => startedAt) > silenceMillis ? "failed" : "ok"
      )
    )
  })
)

/** How long the scheduler may be silent: it polls every 15 seconds. */
const silenceMillis = 60_000

const silence = "The scheduler has not looked for due watches for a minute."

/** A probe that waits two seconds still gets the reason. */
const patience = Duration.seconds(1)

/**
 * The result of a probe, or `late` if it takes too long. The probe goes on, and until it ends no other one starts:
 * probes would take the connections that work needs.
 */
const inTime = <A>(ask: Effect.Effect<A>, late: A): Effect.Effect<Effect.Effect<A>> =>
  Effect.sync(() => {
    let asked = Option.none<Fiber.RuntimeFiber<A>>()
    const begin = Effect.tap(Effect.forkDaemon(ask), (fiber) =>
      Effect.sync(() => {
        asked = Option.some(fiber)
        fiber.addObserver(() => {
          asked = Option.none()
        })
      })
    )
    return Effect.suspend(() => Option.match(asked, { onNone: () => begin, onSome: Effect.succeed })).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeoutTo({ duration: patience, onSuccess: (answer) => answer, onTimeout: () => late })
    )
  })

// Probes read the chain at most once in five seconds.
const make = (scheduler: Effect.Effect<typeof PartHealth.Type>) =>
  Effect.gen(function* () {
    const access = yield* ChainAccess.ChainAccess
    const chains = yield* Chains.Chains
    const keys = yield* KeyStore.KeyStore
    const health = yield* StorageHealth.StorageHealth
    // A store that answers one question may still be damaged or full.
    const asked = Effect.matchEffect(keys.find("key_00000000000000000000000000"), {
      onFailure: ({ detail }) =>
        Effect.map(
          health.cause,
          Option.orElseSome(() => `The database does not answer (${detail}).`)
        ),
      onSuccess: () => health.cause
    })
    const storage = yield* inTime(asked, Option.some("The database does not answer within a second."))
    const read = access
      .pin({ chain: chains.default, block: Option.none(), maxCalls: 1 })
      .pipe(Effect.scoped, Effect.match({ onFailure: () => "degraded" as const, onSuccess: () => "ok" as const }))
    const upstream = yield* inTime<"degraded" | "ok">(read, "degraded")
    return {
      ready: yield* Effect.cachedWithTTL(
        Effect.map(
          Effect.all({ storage, scheduler, upstream }, { concurrency: "unbounded" }),
          ({ scheduler, storage, upstream }): Health => ({
            status: Option.isSome(storage) || scheduler === "failed" ? "failed" : upstream === "ok" ? "ok" : "degraded",
            checks: { storage: Option.isSome(storage) ? "failed" : "ok", scheduler, upstream },
            cause: Option.getOrElse(storage, () => (scheduler === "failed" ? silence : null))
          })
        ).pipe(
          // A probe that goes away ends its own wait: the others have this answer too.
          Effect.interruptible,
          Effect.forkDaemon,
          Effect.flatMap(Fiber.join)
        ),
        "5 seconds"
      ).pipe(Effect.map(Effect.uninterruptible))
    }
  })

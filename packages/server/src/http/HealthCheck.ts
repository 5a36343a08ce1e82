import { ChainAccess, Chains, KeyStore } from "@assay/core"
import { Context, Effect, Layer, Option } from "effect"
import type { Health } from "../api/Health.js"

/**
 * Says whether this process can do its work.
 *
 * @since 0.1.0
 * @category services
 */
export class HealthCheck extends Context.Tag("@assay/server/HealthCheck")<
  HealthCheck,
  { readonly ready: Effect.Effect<Health> }
>() {}

/**
 * Reads the store and the default chain. Nobody can make it ask more often than every five seconds.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HealthCheck, never, ChainAccess.ChainAccess | Chains.Chains | KeyStore.KeyStore> =
  Layer.effect(
    HealthCheck,
    Effect.gen(function* () {
      const access = yield* ChainAccess.ChainAccess
      const chains = yield* Chains.Chains
      const keys = yield* KeyStore.KeyStore
      const storage = Effect.match(keys.find("key_00000000000000000000000000"), {
        onFailure: () => "failed" as const,
        onSuccess: () => "ok" as const
      })
      const upstream = access
        .pin({ chain: chains.default, block: Option.none(), maxCalls: 1 })
        .pipe(
          Effect.scoped,
          Effect.timeout("3 seconds"),
          Effect.match({ onFailure: () => "degraded" as const, onSuccess: () => "ok" as const })
        )
      return {
        ready: yield* Effect.cachedWithTTL(
          Effect.map(
            Effect.all({ storage, scheduler: Effect.succeed("off" as const), upstream }, { concurrency: "unbounded" }),
            (checks): Health => ({
              status: checks.storage === "failed" ? "failed" : checks.upstream === "ok" ? "ok" : "degraded",
              checks
            })
          ),
          "5 seconds"
        )
      }
    })
  )

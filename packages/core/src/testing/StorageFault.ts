import { Context, Effect, Layer, Option } from "effect"
import type { Storage } from "../storage/Storage.js"
import * as StorageCalls from "../storage/StorageCalls.js"
import { StorageError } from "../storage/StorageError.js"

/**
 * What goes wrong at one store call, counted from 1. `before` its effect or `after` it, when the answer is lost.
 *
 * - `fails`: that one call fails with `StorageError`, `unavailable` before its effect and `uncertain` after it; later ones
 *   work again.
 * - `crashes`: the process is gone: that call and every later one dies and changes nothing more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Fault {
  readonly call: number
  readonly kind: "fails" | "crashes"
  readonly moment: "before" | "after"
}

/**
 * All that can go wrong in so many store calls, one fault at a time.
 *
 * @since 0.1.0
 * @category constructors
 */
export const each = (calls: number): ReadonlyArray<Fault> =>
  Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) =>
    (["fails", "crashes"] as const).flatMap((kind) =>
      (["before", "after"] as const).map((moment) => ({ call, kind, moment }))
    )
  )

/**
 * Breaks the stores of one process at a chosen call.
 *
 * @since 0.1.0
 * @category testing
 */
export class StorageFault extends Context.Tag("@assay/core/StorageFault")<
  StorageFault,
  {
    /** Counts calls from 1 again, and breaks at `fault`; none breaks nothing. */
    readonly arm: (fault: Option.Option<Fault>) => Effect.Effect<void>
    /** How many calls there were since it was armed. */
    readonly calls: Effect.Effect<number>
  }
>() {}

/**
 * The stores beneath, each call of which can be broken. Nothing is broken until it is armed.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<StorageFault | Storage, never, Storage> = Layer.effectContext(
  Effect.gen(function* () {
    let fault: Option.Option<Fault> = Option.none()
    let calls = 0
    let gone = false

    const crash = Effect.suspend(() => {
      gone = true
      return Effect.die(new Crashed())
    })
    const fail = (operation: string, { moment }: Fault) =>
      new StorageError({
        reason: moment === "before" ? "unavailable" : "uncertain",
        operation,
        detail: "broken by StorageFault"
      })

    const call = <A>(operation: string, effect: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
      Effect.suspend(() => {
        if (gone) return Effect.die(new Crashed())
        calls++
        const hit = Option.filter(fault, (planned) => planned.call === calls)
        if (Option.isNone(hit)) return effect
        const broken: Effect.Effect<never, StorageError> =
          hit.value.kind === "crashes" ? crash : fail(operation, hit.value)
        return hit.value.moment === "before" ? broken : Effect.zipRight(effect, broken)
      })

    return (yield* StorageCalls.stores(call)).pipe(
      Context.add(StorageFault, {
        arm: (next) =>
          Effect.sync(() => {
            fault = next
            calls = 0
            gone = false
          }),
        calls: Effect.sync(() => calls)
      })
    )
  })
)

/**
 * The defect that a crashed process dies of.
 *
 * @since 0.1.0
 * @category errors
 */
export class Crashed {
  readonly _tag = "Crashed"
}

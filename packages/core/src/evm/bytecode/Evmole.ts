/** @internal */

import { Context, Effect, Option, Schema } from "effect"
import * as Package from "#evmole"
import type { Hex } from "../../domain/Hex.js"

/**
 * The part of evmole that the engine uses.
 *
 * @see https://github.com/cdump/evmole
 */
export interface Evmole {
  readonly contractInfo: (
    code: Hex,
    options: { readonly selectors?: boolean; readonly arguments?: boolean; readonly stateMutability?: boolean }
  ) => {
    readonly functions?: ReadonlyArray<{
      readonly selector: string
      readonly bytecodeOffset: number
      readonly arguments?: string
      readonly stateMutability?: string
    }>
  }
}

/** How evmole is loaded; tests put a loader that fails in its place. */
export class Loader extends Context.Reference<Loader>()("@assay/core/Evmole/Loader", {
  defaultValue: (): (() => Promise<Evmole>) => () => (loading ??= importing())
}) {}

/**
 * Loads evmole once, because its WebAssembly module is compiled at import (about 20 ms a process). Dies with
 * {@link EvmoleUnavailable} where that fails: without it fewer functions are found, and nothing would say so.
 */
export const load: Effect.Effect<Evmole> = Effect.flatMap(Loader, (loader) =>
  Effect.orDie(Effect.tryPromise({ try: loader, catch: () => new EvmoleUnavailable() }))
)

// Kept, because each import of a module looks it up in the file system again. What failed may work the next time.
let loading: Promise<Evmole> | undefined

const importing = (): Promise<Evmole> =>
  Package.load().catch((error: unknown) => {
    loading = undefined
    return Promise.reject(error)
  })

/** Goes on from a trap in evmole, which hostile code can cause, and from nothing else. */
export const trapped =
  <B>(otherwise: B) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E, R> =>
    Effect.catchSomeDefect(effect, (thrown) =>
      thrown instanceof EvmoleUnavailable ? Option.none() : Option.some(Effect.succeed(otherwise))
    )

/** evmole cannot be loaded, as where a bundle leaves its WebAssembly out. */
export class EvmoleUnavailable extends Schema.TaggedError<EvmoleUnavailable>()("EvmoleUnavailable", {}) {
  override get message(): string {
    return "The WebAssembly of evmole, which finds the functions of a code, cannot be loaded: keep the package evmole out of the bundle, or ship its .wasm file with it; for a Worker, bundle under the condition workerd."
  }
}

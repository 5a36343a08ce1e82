/** @internal */

import { Effect } from "effect"
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

/** Loads evmole on first use, because its WebAssembly module is compiled at import (about 20 ms, once a process). */
export const load: Effect.Effect<Evmole> = Effect.promise(() => (loading ??= importing()))

// Kept, because each import of a module looks it up in the file system again.
let loading: Promise<Evmole> | undefined

const importing = (): Promise<Evmole> =>
  // @ts-expect-error evmole ships types, but not under the "node" condition of its exports
  import("evmole")

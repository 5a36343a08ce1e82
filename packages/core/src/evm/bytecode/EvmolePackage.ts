/** @internal `#evmole` where a package can find its own WebAssembly; `EvmoleWorkerd` is its twin in Workers. */

import type { Evmole } from "./Evmole.js"

/** Imports evmole, which compiles its WebAssembly. */
export const load = (): Promise<Evmole> =>
  // @ts-expect-error evmole ships types, but not under the "node" condition of its exports
  import("evmole")

/**
 * @internal `#evmole` under the condition "workerd". A Worker compiles no WebAssembly while it runs: it imports modules that were
 * compiled before (https://developers.cloudflare.com/workers/runtime-apis/webassembly/javascript/).
 */

// @ts-expect-error a bundler for Workers gives a WebAssembly.Module
import wasm from "evmole/evmole_bg.wasm"
import { contractInfo, initSync } from "evmole/no_tla"
import type { Evmole } from "./Evmole.js"

/** Instantiates the module. */
export const load = (): Promise<Evmole> =>
  Promise.resolve().then(() => {
    initSync({ module: wasm })
    return { contractInfo }
  })

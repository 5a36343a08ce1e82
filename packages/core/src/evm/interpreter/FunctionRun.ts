/** @internal */

import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import type { Bytecode } from "../bytecode/Bytecode.js"
import { makePool, type Pool } from "../expression/Expression.js"
import * as StorageLocation from "../expression/StorageLocation.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import type { Trace } from "./Trace.js"

/** One function run by itself with its paths together: where they meet, values are merged. */
export interface FunctionRun {
  readonly selector: Hex
  readonly pool: Pool
  readonly locator: StorageLocation.Locator
  readonly trace: Trace
}

/** Runs a function, in slices; `maxSteps` bounds its instructions. */
export function* of(bytecode: Bytecode, selector: Hex, maxSteps: number): Slices.Slices<FunctionRun> {
  const pool = makePool()
  const locator = StorageLocation.ofCode(pool, bytecode)
  const options = { selector: BigInt(selector), known: new Set<bigint>(), maxSteps }
  return { selector, pool, locator, trace: yield* AbstractInterpreter.runInSlices(bytecode, pool, options) }
}

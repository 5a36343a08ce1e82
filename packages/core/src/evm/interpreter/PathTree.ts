/** @internal */

import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import type { Bytecode } from "../bytecode/Bytecode.js"
import { makePool, type Pool } from "../expression/Expression.js"
import * as StorageLocation from "../expression/StorageLocation.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import type { Trace } from "./Trace.js"

/**
 * One function run with separate paths: the blocks form a tree, and `parents` gives the predecessor of each block. A
 * loop, or too many paths, leave the trace incomplete.
 */
export interface PathTree {
  readonly selector: Hex
  readonly pool: Pool
  readonly locator: StorageLocation.Locator
  readonly trace: Trace
  readonly parents: ReadonlyMap<number, number>
}

/**
 * Runs a function, in slices; `maxSteps` bounds the instructions run on all its paths. With `rounds`, those paths are left
 * out on which a block in a context comes more often than that, and loops leave the trace complete.
 */
export function* of(
  bytecode: Bytecode,
  selector: Hex,
  { maxSteps, rounds }: { readonly maxSteps: number; readonly rounds?: number | undefined }
): Slices.Slices<PathTree> {
  const pool = makePool()
  const locator = StorageLocation.ofCode(pool, bytecode)
  const trace = yield* AbstractInterpreter.runInSlices(bytecode, pool, {
    selector: BigInt(selector),
    known: new Set(),
    maxSteps,
    paths: true,
    ...(rounds === undefined ? {} : { rounds })
  })
  const parents = new Map<number, number>()
  for (const block of trace.blocks) for (const next of block.successors) parents.set(next, block.index)
  return { selector, pool, locator, trace, parents }
}

/** The blocks of the path that ends with a block, the first one first. */
export const pathTo = ({ parents }: PathTree, end: number): ReadonlyArray<number> => {
  const path: Array<number> = []
  for (let index: number | undefined = end; index !== undefined; index = parents.get(index)) path.unshift(index)
  return path
}

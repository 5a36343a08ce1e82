/** @internal */

import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, unmasked, unnegated } from "../expression/Expression.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import type { PathTree } from "../interpreter/PathTree.js"
import type { BranchEvent } from "../interpreter/Trace.js"

/**
 * Whether some functions add only to balances of accounts on a list, in slices: on each path that ends well, the
 * account's entry in the list is checked not to be zero before its balance is written, unless the write lowers it.
 * False where not every path was followed, and for code without selectors.
 *
 * `balances` and `mapping` are ids of `StorageLocation` of the code.
 */
export function* areAll(
  model: CodeModel,
  { balances, mapping }: { readonly balances: string; readonly mapping: string },
  selectors: ReadonlyArray<Hex | "fallback">
): Slices.Slices<boolean> {
  for (const selector of selectors) {
    if (selector === "fallback") return false
    const tree = yield* model.paths(selector)
    if (!tree.trace.complete || !isListing(tree, balances, mapping)) return false
  }
  return true
}

const isListing = ({ locator, parents, trace }: PathTree, balances: string, mapping: string): boolean => {
  const asked: Array<ReadonlySet<Expression>> = []
  for (const block of trace.blocks) {
    const parent = parents.get(block.index)
    const before = parent === undefined ? nobody : (asked[parent] ?? nobody)
    const branch = trace.blocks[parent ?? -1]?.events.find((event): event is BranchEvent => event.kind === "branch")
    const entry = branch === undefined ? undefined : listedBy(branch, block.index)
    const places = entry === undefined ? undefined : locator.resolve(entry)
    const [key] = places?.length === 1 && places[0]?.id === mapping ? places[0].keys : []
    const listed = key === undefined ? before : new Set([...before, unmasked(key)])
    asked[block.index] = listed
    if (!block.succeeds) continue
    for (const event of block.events) {
      if (event.kind !== "store") continue
      const stored = locator.resolve(event.slot)
      if (stored === undefined) return false
      if (!stored.some(({ id }) => id === balances)) continue
      const [place, ...others] = stored
      const [account] = place?.keys ?? []
      const isTaken = event.value.op === Opcodes.SUB && event.value.args[0] === event.current
      if (isTaken) continue
      if (others.length > 0 || account === undefined || !listed.has(unmasked(account))) return false
    }
  }
  return true
}

const nobody: ReadonlySet<Expression> = new Set()

/** The slot that is not zero, as a whole or in some bits, where a branch continues to a block. */
const listedBy = ({ condition, passed, taken }: BranchEvent, next: number): Expression | undefined => {
  if (taken === passed) return undefined
  const { asked, same } = unnegated(condition)
  const word = unmasked(asked)
  const isRead = word.op === Opcodes.SLOAD && asked.op !== Kind.constant
  return isRead && (taken === next) === same ? word.args[0] : undefined
}

/** @internal */

import type { Expression } from "../expression/Expression.js"
import type { Block, BranchEvent } from "./Trace.js"

/** A condition on a path, and whether it held. */
export interface Asked {
  readonly condition: Expression
  readonly holds: boolean
}

/** The branch at the end of a block. */
export const branchOf = ({ events }: Block): BranchEvent | undefined =>
  events.find((event): event is BranchEvent => event.kind === "branch")

/** The condition of a block for a jump to another one. */
export const on = (block: Block | undefined, next: number): ReadonlyArray<Asked> => {
  const branch = block === undefined ? undefined : branchOf(block)
  if (branch === undefined) return []
  return [
    ...(branch.taken === next ? [{ condition: branch.condition, holds: true }] : []),
    ...(branch.passed === next ? [{ condition: branch.condition, holds: false }] : [])
  ]
}

/** The condition of a block for a jump to an invalid target, which reverts. */
export const missedIn = (block: Block): ReadonlyArray<Asked> => {
  const branch = branchOf(block)
  if (branch === undefined) return []
  return [
    ...(branch.taken < 0 ? [{ condition: branch.condition, holds: true }] : []),
    ...(branch.passed < 0 ? [{ condition: branch.condition, holds: false }] : [])
  ]
}

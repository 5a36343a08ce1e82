/** @internal */

import * as OxHex from "ox/Hex"
import type { Hex } from "../../../domain/Hex.js"
import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind } from "../../expression/Expression.js"
import * as Ordering from "../../expression/Ordering.js"
import * as PathFacts from "../../expression/PathFacts.js"
import { type Field, loadedField } from "../../expression/ValueSource.js"
import * as PathTree from "../../interpreter/PathTree.js"
import type { StoreEvent } from "../../interpreter/Trace.js"
import * as FieldMask from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, StorageFlow } from "../../summary/StorageFlow.js"
import * as Conservation from "../../token/Conservation.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"

/**
 * What the supply is at most after a function that makes tokens, whatever path it takes: once it is that, the function makes
 * no more, because nothing ever lowers it. `supply` is the slot of its variable.
 */
export interface SupplyCap {
  readonly supply: string
  readonly limits: ReadonlyArray<Limit>
}

/**
 * A number in the code, or in a variable that no function writes. The supply stays below it where it is `strict`, and may
 * reach it otherwise.
 */
export type Limit = { readonly strict: boolean } & (
  | { readonly kind: "constant"; readonly value: Hex }
  | { readonly kind: "variable"; readonly slot: string; readonly field: Field | undefined }
)

/**
 * Whether it is worth following the paths of a function: it compares sizes with the supply in them, and no function lowers
 * that.
 */
export const isPossible = (flow: StorageFlow, token: TokenBooks, selector: FunctionFlow["selector"]): boolean => {
  const [supply, ...others] = token.supply
  if (supply === undefined || others.length > 0 || supply.slot.includes("[") || supply.mask !== FieldMask.wholeWord)
    return false
  return (
    flow.completeness.complete &&
    token.balances.length === 1 &&
    token.scalings.length === 0 &&
    !token.external &&
    flow.functions.every(({ writes }) =>
      writes.every(({ change, slot }) => slot !== supply.slot || change.kind === "increase" || change.kind === "keep")
    ) &&
    flow.functions.some(
      (candidate) =>
        candidate.selector === selector &&
        candidate.gates.some(({ compares, reads }) => compares && reads.some(({ slot }) => slot === supply.slot))
    )
  )
}

/** The cap of a function, in slices; none where some path makes tokens past it. */
export function* of(
  { code, flow, token }: TokenModel,
  selector: FunctionFlow["selector"]
): Slices.Slices<SupplyCap | undefined> {
  const [supply] = token.supply
  const [balances] = token.balances
  if (supply === undefined || balances === undefined || selector === "fallback") return undefined
  const tree = yield* code.paths(selector)
  if (!tree.trace.complete) return undefined
  const made = yield* Conservation.sumsOf(tree, supply)
  const entered = yield* Conservation.sumsOf(tree, balances)
  let limits: ReadonlyArray<Limit> | undefined
  for (const [i, { end, gains, losses, sound }] of made.entries()) {
    const own = entered[i]
    if (!sound || losses.length > 0 || own === undefined || own.end !== end || !own.sound) return undefined
    // Every credit is part of the supply: without a larger supply nobody gains.
    if (!own.gains.every((gain) => gains.includes(gain))) return undefined
    if (gains.length === 0) continue
    const found = limitsOn(tree, end, supply.slot, flow)
    limits = limits === undefined ? found : limits.filter((one) => found.some((other) => isSame(one, other)))
    if (limits.length === 0) return undefined
    yield undefined
  }
  return limits === undefined ? undefined : { supply: supply.slot, limits }
}

const isSame = (one: Limit, other: Limit): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The upper bounds that a path enforces on the supply after it. */
const limitsOn = (tree: PathTree.PathTree, end: number, supply: string, flow: StorageFlow): ReadonlyArray<Limit> => {
  const { locator, pool, trace } = tree
  const path = PathTree.pathTo(tree, end)
  const isOfSupply = (slot: Expression): boolean => locator.resolve(slot)?.some(({ id }) => id === supply) ?? true
  const stores: Array<StoreEvent> = []
  const left = new Set<Expression>()
  let facts = PathFacts.none
  for (const [i, index] of path.entries())
    for (const event of trace.blocks[index]?.events ?? []) {
      if (event.kind === "branch") facts = PathFacts.assume(pool, facts, event.condition, event.taken === path[i + 1])
      else if (event.kind === "load" && stores.length > 0 && isOfSupply(event.slot)) left.add(event.result)
      else if (event.kind === "store" && isOfSupply(event.slot)) {
        stores.push(event)
        left.add(event.value)
      }
    }
  const [store] = stores
  if (store?.value.op !== Opcodes.ADD || stores.length > 1) return []
  // What wraps is below any limit.
  if (!Ordering.isSum(pool, ...store.value.args, facts)) return []
  return facts.flatMap((fact): ReadonlyArray<Limit> => {
    const { args, op } = pool.get(fact >> 1)
    const [a, b] = args
    if (op !== Opcodes.LT || a === undefined || b === undefined) return []
    // supply < limit, or not limit < supply
    const strict = (fact & 1) === 0
    const [bounded, limit] = strict ? [a, b] : [b, a]
    if (!left.has(bounded)) return []
    if (limit.op === Kind.constant) return [{ strict, kind: "constant", value: OxHex.fromNumber(limit.value) }]
    const loaded = loadedField(limit)
    const [place, ...others] = loaded === undefined ? [] : (locator.resolve(loaded.load.args[0]) ?? [])
    if (place === undefined || others.length > 0 || place.id.includes("[")) return []
    const variable = { slot: place.id, field: loaded?.field }
    const isWritten = flow.functions.some(({ writes }) => writes.some((write) => FieldMask.isWritten(write, variable)))
    return isWritten ? [] : [{ strict, kind: "variable", ...variable }]
  })
}

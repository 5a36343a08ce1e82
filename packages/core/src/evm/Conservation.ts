import type { Hex } from "../domain/Hex.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import * as Bytecode from "./Bytecode.js"
import { type Expression, Kind, makePool, type Pool } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { isAtLeast, isSum } from "./Ordering.js"
import * as Selectors from "./Selectors.js"
import * as Slices from "./Slices.js"
import type { Variable } from "./StorageFlow.js"
import * as StorageLocation from "./StorageLocation.js"

/**
 * What transfer() or transferFrom() does to the sum of all balances, over all of its paths.
 *
 * - `conserves`: on no path do balances gain more than others lose. `creates`: on some path they do.
 * - `unknown`: there are too many paths, or arithmetic that may wrap, or more than one set of books.
 *
 * @since 0.1.0
 * @category models
 */
export type Conservation = "conserves" | "creates" | "unknown"

/**
 * Adds up, path by path, what a transfer adds to balances and takes off them. A token that credits itself a fee out of
 * the amount conserves; one that credits somebody the amount twice, or the sender's account nothing less, creates.
 * `books` are the token's balances, as TokenFlow finds them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofTransfers = (code: Hex, books: ReadonlyArray<Variable>): Conservation =>
  Slices.complete(ofTransfersInSlices(code, books))

/**
 * {@link ofTransfers}, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* ofTransfersInSlices(code: Hex, books: ReadonlyArray<Variable>): Slices.Slices<Conservation> {
  const [balances] = books
  if (balances === undefined || books.length > 1) return "unknown"
  const bytecode = Bytecode.parse(code)
  const found: Array<Conservation> = []
  for (const selector of [Selectors.functions.transfer, Selectors.functions.transferFrom])
    found.push(yield* ofFunction(bytecode, selector, balances.slot))
  return found.includes("creates") ? "creates" : found.includes("unknown") ? "unknown" : "conserves"
}

function* ofFunction(bytecode: Bytecode.Bytecode, selector: Hex, balances: string): Slices.Slices<Conservation> {
  const pool = makePool()
  const locator = StorageLocation.makeLocator(
    pool,
    bytecode.instructions.flatMap(({ opcode, immediate }) =>
      opcode >= Opcodes.PUSH20 && opcode <= Opcodes.PUSH32 ? [immediate] : []
    )
  )
  const trace = yield* AbstractInterpreter.runInSlices(bytecode, pool, {
    selector: BigInt(selector),
    known: new Set(),
    maxSteps,
    paths: true
  })
  const changes = trace.blocks.map((block) => changeOf(pool, locator, block, balances))
  const parents = new Map<number, number>()
  for (const block of trace.blocks) for (const next of block.successors) parents.set(next, block.index)
  let result: Conservation = trace.complete ? "conserves" : "unknown"
  yield undefined
  const work = Slices.makeWork()
  for (const block of trace.blocks) {
    if (work.isDue(2)) yield undefined
    if (block.end === "failure" || block.successors.size > 0) continue
    const total = new Map<Expression, bigint>()
    let sound = block.end === "success"
    for (let index: number | undefined = block.index; index !== undefined; index = parents.get(index)) {
      const change = changes[index]
      if (change === undefined) sound = false
      else for (const [term, factor] of change) total.set(term, (total.get(term) ?? 0n) + factor)
    }
    const gains = [...total].filter(([term, factor]) => (term.op === Kind.constant ? factor * term.value : factor) > 0n)
    const losses = [...total].filter(([, factor]) => factor < 0n)
    if (sound && gains.length > 0 && losses.length === 0 && gains.every(([term]) => term.op !== Opcodes.SLOAD))
      return "creates"
    if (!sound || gains.length > 0) result = "unknown"
  }
  return result
}

/** Instructions run for one function, on all its paths. */
const maxSteps = 40_000

/** What a block adds to the sum of balances, as a sum of terms; undefined where that cannot be told. */
const changeOf = (
  pool: Pool,
  locator: StorageLocation.Locator,
  block: AbstractInterpreter.Block,
  balances: string
): ReadonlyMap<Expression, bigint> | undefined => {
  const total = new Map<Expression, bigint>()
  const add = (term: Expression, factor: bigint): void => {
    total.set(term, (total.get(term) ?? 0n) + factor)
  }
  for (const event of block.events) {
    if (event.kind === "call" && event.opcode !== Opcodes.STATICCALL && event.opcode !== Opcodes.CALL) return undefined
    if (event.kind !== "store") continue
    const locations = locator.resolve(event.slot)
    if (locations === undefined || !locations.every((location) => locator.isBounded(location, event.facts)))
      return undefined
    if (!locations.some((location) => location.id === balances)) continue
    expand(pool, event.value, 1n, event.facts, add)
    add(event.current, -1n)
  }
  return total
}

/** Takes a sum apart as far as it is known not to wrap; what is left is a term of its own. */
const expand = (
  pool: Pool,
  what: Expression,
  factor: bigint,
  facts: ReadonlySet<number>,
  add: (term: Expression, factor: bigint) => void
): void => {
  const [a, b] = what.args as [Expression, Expression]
  if (what.op === Opcodes.ADD && (factor > 0n || isSum(pool, what, facts))) {
    expand(pool, a, factor, facts, add)
    expand(pool, b, factor, facts, add)
  } else if (what.op === Opcodes.SUB && isAtLeast(pool, a, b, facts)) {
    expand(pool, a, factor, facts, add)
    expand(pool, b, -factor, facts, add)
  } else add(what, factor)
}

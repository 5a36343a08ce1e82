/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as Argument from "../expression/Argument.js"
import { type Expression, isNumber, Kind, type Pool } from "../expression/Expression.js"
import * as WellFormedCall from "../expression/WellFormedCall.js"
import * as Asked from "../interpreter/Asked.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import type { PathTree } from "../interpreter/PathTree.js"
import type { Block } from "../interpreter/Trace.js"
import * as PathCost from "./PathCost.js"

const { selector } = Selectors

/** A call that a manager of Uniswap V4 makes to the hook of a pool around a swap. */
export interface Entry {
  readonly selector: Hex
  /** The words of its arguments, where the caller passed no data for the hook. */
  readonly words: number
  /** The word that says where those data begin. */
  readonly data: number
  /** The bytes that the manager expects. */
  readonly answer: bigint
}

const key = "(address,address,uint24,int24,address)"
const params = "(bool,int256,uint160)"

/**
 * The calls before and after a swap.
 *
 * @see https://github.com/Uniswap/v4-core/blob/main/src/interfaces/IHooks.sol
 */
export const entries = {
  before: { selector: selector(`beforeSwap(address,${key},${params},bytes)`), words: 11, data: 9, answer: 96n },
  after: { selector: selector(`afterSwap(address,${key},${params},int256,bytes)`), words: 12, data: 10, answer: 64n }
} as const satisfies { readonly [when: string]: Entry }

// The arguments that both begin with: sender, currencies, fee, spacing, hook, direction, amount, limit.
const addresses = [0, 1, 2, 5, 8]
const [feeAt, spacingAt, directionAt] = [3, 4, 6] as const

/**
 * Whether the code of a hook proves that no swap depends on it: in every call of the manager with no data for the hook, whoever
 * trades, whenever, in whatever pool and whatever storage holds, it answers as the manager expects, for little gas, and stores,
 * calls and makes nothing. The manager looks at nothing else that it answers where the hook's address does not let it return
 * amounts and the pool's fee is fixed; whether that is so is for the caller.
 *
 * A way to fail has to be one that no such call takes. Code that can run other code in its place, or be destroyed, proves nothing.
 */
export function* isIdle(model: CodeModel, manager: Hex, calls: ReadonlyArray<Entry>): Slices.Slices<boolean> {
  const { bytecode } = model
  if (bytecode.bytes.length === 0 || Bytecode.isForeign(bytecode) || !Bytecode.isContract(model.code)) return false
  const reach = Bytecode.reach(bytecode)
  if (replacing.some((opcode) => reach.reached.has(opcode) || (!reach.complete && reach.possible.has(opcode))))
    return false
  for (const entry of calls) {
    const tree = yield* model.paths(entry.selector)
    if (!(yield* isIdleIn(bytecode, tree, manager, entry))) return false
  }
  return true
}

const replacing: ReadonlyArray<number> = [Opcodes.DELEGATECALL, Opcodes.CALLCODE, Opcodes.SELFDESTRUCT]

/** What was done up to the end of a block. */
interface Path {
  /** No call of the manager takes it. */
  readonly excluded: boolean
  readonly gas: number
}

function* isIdleIn(
  bytecode: Bytecode.Bytecode,
  { parents, pool, trace }: PathTree,
  manager: Hex,
  entry: Entry
): Slices.Slices<boolean> {
  if (!trace.complete) return false
  const call = callOf(pool, manager, entry)
  const paths: Array<Path> = []
  const work = Slices.makeWork()
  let answers = 0
  for (const block of trace.blocks) {
    if (work.isDue(5)) yield undefined
    const parent = parents.get(block.index)
    const before = parent === undefined ? { excluded: false, gas: 0 } : paths[parent]
    if (before === undefined) return false
    const [asked, ...more] = parent === undefined ? [] : Asked.on(trace.blocks[parent], block.index)
    if (more.length > 0) return false
    const excluded = before.excluded || (asked !== undefined && isNever(call, asked))
    const { gas, isBounded } = PathCost.ofBlock(bytecode, block, known)
    paths[block.index] = { excluded, gas: before.gas + gas }
    if (excluded) continue
    if (!isBounded || before.gas + gas > mostGas) return false
    if (block.events.some(({ kind }) => !harmless.has(kind))) return false
    if (Asked.missedIn(block).some((missed) => !isNever(call, missed))) return false
    if (block.successors.length > 0 || Asked.branchOf(block) !== undefined) continue
    if (block.end !== "success" || !isExpected(call, block, entry)) return false
    answers++
  }
  return answers > 0
}

/** What changes nothing and is the same wherever it comes to. */
const harmless: ReadonlySet<string> = new Set(["branch", "load", "log", "return"])

/** What chains with a manager have, since its code uses all of them. */
const known: ReadonlySet<number> = new Set([Opcodes.PUSH0, Opcodes.MCOPY, Opcodes.TLOAD])

/** A swap without a hook takes about as much. */
const mostGas = 200_000

/** The formulas of a call by the manager: canonical arguments, and no data for the hook. */
const callOf = (pool: Pool, manager: Hex, { data, words }: Entry): WellFormedCall.WellFormedCall => {
  const low = (index: number, bits: bigint): readonly [Expression, Expression] => {
    const word = Argument.at(pool, index)
    return [word, pool.binary(Opcodes.AND, word, pool.constant((1n << bits) - 1n))]
  }
  const spacing = Argument.at(pool, spacingAt)
  return WellFormedCall.make(
    pool,
    {
      words,
      addresses,
      given: [
        [pool.nullary(Opcodes.CALLER), pool.constant(BigInt(manager))],
        low(feeAt, 24n),
        low(directionAt, 1n),
        [spacing, pool.binary(Opcodes.SIGNEXTEND, pool.constant(2n), spacing)],
        [Argument.at(pool, data), pool.constant(BigInt(32 * (words - 1)))],
        [Argument.at(pool, words - 1), pool.constant(0n)]
      ]
    },
    ({ tag }) => tag
  )
}

/** Whether no call of the manager gets an answer to a condition. */
const isNever = (call: WellFormedCall.WellFormedCall, { condition, holds }: Asked.Asked): boolean => {
  const asked = call.of(condition)
  return asked.op === Kind.constant && (asked.value !== 0n) !== holds
}

/** Whether a path ends with the function's selector, in as many bytes as the manager expects. */
const isExpected = (call: WellFormedCall.WellFormedCall, { events }: Block, { answer, selector }: Entry): boolean => {
  const said = events.findLast((event) => event.kind === "return")
  if (said?.word === undefined) return false
  return isNumber(call.of(said.length), answer) && isNumber(call.of(said.word), BigInt(selector) << 224n)
}

/** @internal */

import type * as Slices from "../../runtime/Slices.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import { type Expression, isConstant, isNumber, unmasked } from "../expression/Expression.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import { onlyWord } from "../interpreter/Trace.js"
import type { StorageFlow } from "../summary/StorageFlow.js"

/**
 * Whether hasRole(bytes32,address) may answer something else than the stored role of that account, such as an answer
 * that depends on the caller or on the gas price; in slices. False for code without that function.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/api/access#IAccessControl-hasRole-bytes32-address-
 */
export function* mayMislead(model: CodeModel, { functions }: StorageFlow): Slices.Slices<boolean> {
  const { hasRole } = Selectors.functions
  if (!functions.some(({ selector }) => selector === hasRole)) return false
  const { trace } = yield* model.run(hasRole)
  const going = trace.blocks.filter(({ succeeds }) => succeeds)
  const events = going.flatMap((block) => block.events)
  const isForked = events.some(
    (event) => event.kind === "branch" && [event.taken, event.passed].every((to) => trace.blocks[to]?.succeeds === true)
  )
  const words = events.flatMap((event) => (event.kind === "return" ? [onlyWord(event)] : []))
  return (
    !trace.complete || isForked || words.length === 0 || words.some((word) => word === undefined || !isEntry(word, 0))
  )
}

/** Whether a word is only a stored entry under two arguments, or a test of it for zero. */
const isEntry = (word: Expression, depth: number): boolean => {
  const [a, b] = word.args
  if (depth > deepest || a === undefined) return false
  if (word.op === Opcodes.SLOAD) return isPlaceOf(a, places)
  if (word.op === Opcodes.ISZERO) return isEntry(a, depth + 1)
  if (word.op !== Opcodes.AND || b === undefined) return false
  return isConstant(b) ? isEntry(a, depth + 1) : isConstant(a) && isEntry(b, depth + 1)
}

/** Whether a slot is an entry of a nested mapping under some arguments, given last first. */
const isPlaceOf = (place: Expression, [last, ...others]: ReadonlyArray<bigint>): boolean => {
  if (last === undefined) return isConstant(place)
  const [key, mapping, ...more] = place.args
  if (place.op !== Opcodes.KECCAK256 || key === undefined || mapping === undefined || more.length > 0) return false
  const { args, op } = unmasked(key)
  return op === Opcodes.CALLDATALOAD && isNumber(args[0], last) && isPlaceOf(mapping, others)
}

/** Where the account and the role stand in what comes with the call. */
const places: ReadonlyArray<bigint> = [36n, 4n]

// A cast and a test for zero take three steps.
const deepest = 8

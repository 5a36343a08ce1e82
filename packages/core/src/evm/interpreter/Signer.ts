/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, unmasked } from "../expression/Expression.js"
import type { Trace } from "./Trace.js"

/**
 * The address of the precompiled contract that recovers who signed: it answers a word, or nothing.
 *
 * @see https://ethereum.github.io/execution-specs/src/ethereum/frontier/vm/precompiled_contracts/ecrecover.py.html
 */
export const ecrecover = 1n

/**
 * What `ecrecover` answers in a trace: the accounts that signed what a call brings along.
 *
 * @see https://ethereum.github.io/execution-specs/src/ethereum/frontier/vm/precompiled_contracts/ecrecover.py.html
 */
export const of = ({ blocks }: Trace): ReadonlySet<Expression> => {
  const signers = new Set<Expression>()
  for (const block of blocks)
    for (const event of block.events) {
      if (event.kind !== "call" || event.target.op !== Kind.constant || event.target.value !== ecrecover) continue
      const [answer] = event.answers
      if (answer !== undefined) signers.add(answer)
    }
  return signers
}

/** Whether a formula is one of those accounts, on every path. */
export const is = (signers: ReadonlySet<Expression>, what: Expression, depth = 0): boolean => {
  if (signers.size === 0) return false
  const bare = unmasked(what)
  if (bare.op !== Kind.merge || depth > 4) return signers.has(bare)
  // For an invalid signature, libraries continue with the zero account, which is nobody's. No account can have a given
  // whole hash as its address.
  const isNobody = (way: Expression): boolean =>
    way.op === Kind.constant ? way.value === 0n : way.op === Opcodes.KECCAK256 && bare === what && depth === 0
  const ways = [...bare.alternatives].filter((way) => !isNobody(way))
  return ways.length > 0 && ways.every((way) => is(signers, way, depth + 1))
}

/** @internal */

import * as Bytecode from "../../bytecode/Bytecode.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Circumstance, ofOpcode } from "../../expression/Circumstance.js"
import { type Expression, Kind, unmasked, unnegated } from "../../expression/Expression.js"
import { isPrecompile } from "../../expression/Precompile.js"
import * as Walk from "../../expression/Walk.js"
import { madeOf, type Trace } from "../../interpreter/Trace.js"

/**
 * What a function decides by, or goes into what it writes or has others do, or where; undefined where not all of its paths were
 * followed.
 *
 * Whether an account has any code at all is left out, as trades by accounts and by contracts show it; so is what a compiler
 * asks of each answer, that it is of its type.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (trace: Trace): ReadonlyArray<Circumstance> | undefined => {
  if (!trace.complete) return undefined
  const found = new Set<Circumstance>()
  const known = new Map<Expression, Circumstance>()
  const events = trace.blocks.flatMap((block) => (block.succeeds ? block.events : []))
  for (const event of events) {
    if (event.kind === "look") {
      const kind = lookOf(event.opcode)
      // Of what is copied no word is known.
      if (event.opcode === Opcodes.EXTCODECOPY) found.add(kind)
      else known.set(event.result, kind)
    }
    if (event.kind === "call" && !(event.target.op === Kind.constant && isPrecompile(event.target.value))) {
      for (const answer of event.answers) known.set(answer, "answer")
      if (event.opcode === Opcodes.DELEGATECALL || event.opcode === Opcodes.CALLCODE) {
        if (event.target.op !== Opcodes.ADDRESS) found.add("answer")
      }
    }
  }
  const used = events.flatMap((event) =>
    event.kind === "return" || (event.kind === "branch" && isPlain(event.condition, known)) ? [] : madeOf(event)
  )
  for (const part of Walk.parts(used, { into: Walk.held })) {
    const kind = known.get(part) ?? ofOpcode.get(part.op)
    if (kind !== undefined) found.add(kind)
  }
  return [...found].sort()
}

const lookOf = (opcode: number): Circumstance => {
  switch (opcode) {
    case Opcodes.GAS:
      return "gas"
    case Opcodes.BALANCE:
    case Opcodes.SELFBALANCE:
      return "wealth"
    default:
      return "code"
  }
}

/** Whether a condition asks no more than whether an account has code, or whether an answer is of its type. */
const isPlain = (condition: Expression, known: ReadonlyMap<Expression, Circumstance>): boolean => {
  const { asked: what } = unnegated(condition)
  if (known.get(what) === "code") return true
  const [a, b] = what.args
  if (a === undefined || b === undefined) return false
  switch (what.op) {
    case Opcodes.LT:
      return a.op === Kind.constant && a.value === 0n && known.get(b) === "code"
    case Opcodes.EQ:
    case Opcodes.SUB:
    case Opcodes.XOR:
      return (
        [
          [a, b],
          [b, a]
        ] as const
      ).some(([one, other]) =>
        other.op === Kind.constant
          ? known.get(one) === "code" && (other.value === 0n || other.value === Bytecode.hashOfNone)
          : known.get(one) === "answer" && (unmasked(other) === one || unnegated(other).asked === one)
      )
    default:
      return false
  }
}

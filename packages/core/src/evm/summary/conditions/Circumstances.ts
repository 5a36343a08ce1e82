/** @internal */

import * as Bytecode from "../../bytecode/Bytecode.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Circumstance, ofOpcode } from "../../expression/Circumstance.js"
import { type Expression, Kind, unmasked, unnegated } from "../../expression/Expression.js"
import { isPrecompile } from "../../expression/Precompile.js"
import * as Walk from "../../expression/Walk.js"
import { type Event, madeOf, type Trace } from "../../interpreter/Trace.js"

/**
 * Circumstances of the transaction or block that a function's conditions, writes or calls depend on; undefined where
 * not all of its paths were followed.
 *
 * Whether a party or a call's target has code is left out, because trades by accounts with and without code show it. So
 * are the compiler's checks that an answer fits its type.
 */
export const of = (trace: Trace): ReadonlyArray<Circumstance> | undefined => {
  if (!trace.complete) return undefined
  const found = new Set<Circumstance>()
  const looks = looksIn(trace)
  const aside = looksAside(trace)
  const known = new Map<Expression, Circumstance>([...looks].map(([result, { kind }]) => [result, kind]))
  const codes = new Set(
    [...looks].flatMap(([result, { kind }]) => (kind === "code" && !aside.has(result) ? [result] : []))
  )
  const events = trace.blocks.flatMap((block) => (block.succeeds ? block.events : []))
  for (const event of events) {
    // The words of copied code are unknown.
    if (event.kind === "look" && event.opcode === Opcodes.EXTCODECOPY) found.add("code")
    if (event.kind === "call" && !(event.target.op === Kind.constant && isPrecompile(event.target.value))) {
      for (const answer of event.answers) known.set(answer, "answer")
      if (event.opcode === Opcodes.DELEGATECALL || event.opcode === Opcodes.CALLCODE) {
        if (event.target.op !== Opcodes.ADDRESS) found.add("answer")
      }
    }
  }
  const used = events.flatMap((event) =>
    event.kind === "return" || (event.kind === "branch" && isPlain(event.condition, known, codes)) ? [] : madeOf(event)
  )
  for (const part of Walk.parts(used, { into: Walk.held })) {
    const kind = known.get(part) ?? ofOpcode.get(part.op)
    if (kind !== undefined) found.add(kind)
  }
  return [...found].sort()
}

/** What looks at the gas that is left, or at the code or the native coin of accounts, resulted in. */
export type Looks = ReadonlyMap<
  Expression,
  {
    readonly kind: Circumstance
    readonly at: Expression | undefined
    /** It is what the contract itself has of the native coin. */
    readonly isOwn: boolean
  }
>

/** The reads of gas, code and ether in a run, except copies of code. */
export const looksIn = ({ blocks }: Trace): Looks =>
  new Map(
    blocks.flatMap(({ events, succeeds }) =>
      events.flatMap((event) =>
        succeeds && event.kind === "look" && event.opcode !== Opcodes.EXTCODECOPY
          ? [[event.result, { kind: lookOf(event.opcode), at: event.at, isOwn: isOwnCoin(event) }] as const]
          : []
      )
    )
  )

/**
 * The same without whether an account has code that is a party, as trades by accounts and by contracts show it, or that is
 * called, as compilers check it before each call.
 */
export const looksAside = (trace: Trace): Looks => {
  const called = new Set(
    trace.blocks.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "call" ? [unmasked(event.target)] : []))
    )
  )
  return new Map(
    [...looksIn(trace)].filter(
      ([, { at, kind }]) =>
        kind !== "code" || at === undefined || !(parties.has(unmasked(at).op) || called.has(unmasked(at)))
    )
  )
}

const parties: ReadonlySet<number> = new Set([Opcodes.CALLER, Opcodes.ORIGIN, Opcodes.CALLDATALOAD, Opcodes.ADDRESS])

const isOwnCoin = ({ at, opcode }: Extract<Event, { readonly kind: "look" }>): boolean =>
  lookOf(opcode) === "wealth" && at?.op === Opcodes.ADDRESS

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

/** Whether a condition checks no more than that one of some accounts has code, or that an answer is of its type. */
const isPlain = (
  condition: Expression,
  known: ReadonlyMap<Expression, Circumstance>,
  codes: ReadonlySet<Expression>
): boolean => {
  const { asked: what } = unnegated(condition)
  if (codes.has(what)) return true
  const [a, b] = what.args
  if (a === undefined || b === undefined) return false
  switch (what.op) {
    case Opcodes.LT:
      return a.op === Kind.constant && a.value === 0n && codes.has(b)
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
          ? codes.has(one) && (other.value === 0n || other.value === Bytecode.hashOfNone)
          : known.get(one) === "answer" && (unmasked(other) === one || unnegated(other).asked === one)
      )
    default:
      return false
  }
}

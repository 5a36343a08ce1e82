/** @internal */

import * as Bytecode from "../../bytecode/Bytecode.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import * as Argument from "../../expression/Argument.js"
import {
  comparedIn,
  isCaller,
  isDisguised,
  isFixed,
  isPlaceOfAccount,
  isUntold
} from "../../expression/CallerFormula.js"
import {
  type Expression,
  innerOf,
  isNumber,
  isUnknown,
  Kind,
  type Load,
  type Pool,
  Presence,
  unmasked
} from "../../expression/Expression.js"
import { type Tracer, unique } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import { type CallEvent, type Event, madeOf, type Trace } from "../../interpreter/Trace.js"
import type { FunctionFlow } from "./FunctionFlow.js"
import * as Guard from "./Guard.js"

/**
 * Further conditions that not every caller passes and that are no guard of a write or call: a stored number of the
 * caller that has to be large, another contract's answer about the caller, a part of the caller's address, a preimage
 * of a stored hash, and callers that are only checked at the end. Each is a guard that is not on every path.
 *
 * Conditions that an account without any stored data passes are left out, and so are those that an argument alone
 * decides.
 */
export const of = (pool: Pool, tracer: Tracer, trace: Trace, guards: Guard.Guards): ReadonlyArray<Guard.Guard> => {
  const told = callsAbout(trace)
  const answers = new Set(told.flatMap((event) => event.answers))
  const amounts = new Set(told.flatMap((event) => (isOfAmounts(event) ? event.answers : [])))
  const asked = makeReader(pool, tracer, guards, { answers, amounts, codes: codesOf(trace) })
  const found = trace.blocks.flatMap((block) =>
    block.succeeds
      ? block.events.flatMap((event): ReadonlyArray<Guard.Guard> => {
          if (event.kind !== "branch") return []
          const [isTaken, isPassed] = [event.taken, event.passed].map((to) => trace.blocks[to]?.succeeds === true)
          if (!isTaken && !isPassed) return []
          const holds = isTaken && isPassed ? undefined : isTaken === true
          if (holds === undefined) return isGuard(guards, event.condition) ? [] : asked(event.condition, holds)
          const passed = guards.in(event.condition, holds)
          return passed.length > 0 ? passed : asked(event.condition, holds)
        })
      : []
  )
  const questions = told.filter(({ opcode }) => opcode === Opcodes.STATICCALL)
  const used = questions.length === 0 ? noFormulas : usedIn(trace)
  const isRefusing = questions.some((event) => !event.answers.some((answer) => used.has(answer)))
  return unique(isRefusing || tellsLibrary(trace) ? [...found, unclear] : found)
}

/** Comparisons of the caller without a branch, as where an amount is multiplied by the result. */
export const comparisons = (
  pool: Pool,
  tracer: Tracer,
  trace: Trace,
  guards: Guard.Guards
): ReadonlyArray<Guard.Guard> =>
  unique(
    trace.blocks.flatMap(({ events, succeeds }) =>
      succeeds ? events.flatMap(dealtWith).flatMap((what) => comparedWith(pool, tracer, guards, what)) : []
    )
  )

const noFormulas: ReadonlySet<Expression> = new Set()

const isGuard = (guards: Guard.Guards, what: Expression): boolean =>
  [true, false].some((holds) => guards.in(what, holds).length > 0)

const unclear: Guard.Guard = { kind: "unknown", always: false }

/**
 * The conditions on the caller that are no guard of a write or call. None where every path requires one fixed account
 * as the caller, because then nobody else is affected.
 */
export const besideGuards = ({
  callerChecks = [],
  calls,
  callerComparisons = [],
  writes
}: FunctionFlow): ReadonlyArray<Guard.Guard> => {
  const done = [...writes, ...calls.filter(({ kind }) => kind !== "staticcall")]
  const isNaming = done.every(({ guards }) =>
    guards.some(({ always, kind }) => always && (kind === "slot" || kind === "constant"))
  )
  if (isNaming) return []
  const guarding = new Set(done.flatMap(({ guards }) => guards.map(Guard.placeOf)))
  return [...callerChecks, ...callerComparisons].filter((guard) => !guarding.has(Guard.placeOf(guard)))
}

/**
 * Calls that pass the caller's address to a contract that the caller does not choose, and that move nothing by
 * themselves.
 */
const callsAbout = ({ blocks }: Trace): ReadonlyArray<CallEvent> =>
  blocks.flatMap(({ events, succeeds }) =>
    succeeds
      ? events.flatMap((event) =>
          event.kind === "call" &&
          (event.opcode === Opcodes.STATICCALL || (event.opcode === Opcodes.CALL && !isMoving(event))) &&
          !(event.target.op === Kind.constant && event.target.bits <= 16) &&
          !isChosen(unmasked(event.target)) &&
          event.input?.some((word) => isCaller(unmasked(word))) === true
            ? [event]
            : []
        )
      : []
  )

const isChosen = (target: Expression): boolean => target.op === Opcodes.CALLDATALOAD || isCaller(target)

/**
 * Whether a linked library gets the caller's address, or gets unknown input in a function that writes: then the
 * library's answer may depend on the caller.
 */
const tellsLibrary = ({ blocks }: Trace): boolean => {
  const events = blocks.flatMap((block) => (block.succeeds ? block.events : []))
  const isWriting = events.some(({ kind }) => kind === "store")
  return events.some(
    (event) =>
      event.kind === "call" &&
      (event.opcode === Opcodes.DELEGATECALL || event.opcode === Opcodes.CALLCODE) &&
      event.target.op === Kind.constant &&
      (event.input === undefined ? isWriting : event.input.some((word) => isCaller(unmasked(word))))
  )
}

const nameOf = ({ input }: CallEvent): bigint | undefined => {
  const [name] = input ?? []
  return name?.op === Kind.constant ? name.value >> 224n : undefined
}

const isMoving = (event: CallEvent): boolean => {
  const name = nameOf(event)
  const isPaying = event.value !== undefined && !(event.value.op === Kind.constant && event.value.value === 0n)
  return name === undefined || isPaying || moving.has(name)
}

const moving: ReadonlySet<bigint> = new Set(
  [
    ...Selectors.erc20,
    ...[
      "mint(address,uint256)",
      "burn(address,uint256)",
      "burnFrom(address,uint256)",
      "safeTransferFrom(address,address,uint256)",
      "safeTransferFrom(address,address,uint256,bytes)"
    ].map(Selectors.selector)
  ].map(BigInt)
)

const isOfAmounts = (event: CallEvent): boolean => {
  const name = nameOf(event)
  return name === balanceOf || name === allowance
}

const balanceOf = BigInt(Selectors.functions.balanceOf)

const allowance = BigInt(Selectors.functions.allowance)

/** All that a function makes anything of; where an answer is not in it, it only wants to be refused or not. */
const usedIn = ({ blocks }: Trace): ReadonlySet<Expression> =>
  new Set(Walk.parts(blocks.flatMap(({ events }) => events.flatMap(madeOf))))

/** What an event does that depends on who calls, without a branch on it. */
const dealtWith = (event: Event): ReadonlyArray<Expression> =>
  event.kind === "branch" || event.kind === "return"
    ? []
    : madeOf(event).filter(({ caller }) => caller === Presence.derived)

/** Whom the caller is compared with in a formula that depends on who he is. */
const comparedWith = (
  pool: Pool,
  tracer: Tracer,
  guards: Guard.Guards,
  judged: Expression
): ReadonlyArray<Guard.Guard> => {
  const seen = new Set([judged])
  const found: Array<Guard.Guard> = []
  for (const what of seen) {
    const inner = [...innerOf(what)].filter(({ caller }) => caller === Presence.derived)
    for (const part of inner) seen.add(part)
    if (inner.length > 0) continue
    const named = [true, false].flatMap((holds) => guards.in(what, holds))
    const isOfEach = comparedIn(pool, what)?.every((side) => isCaller(side) || isByArguments(tracer, side)) === true
    if (named.length > 0) found.push(...named)
    else if (!isOfEach) found.push(unclear)
  }
  return found
}

/** Whether an argument alone decides: any caller can pass his own address. */
const isByArguments = (tracer: Tracer, what: Expression): boolean =>
  tracer.origins(what).every(({ kind }) => kind === "argument")

/** Values about the caller: other contracts' answers, those of them that are amounts, and hashes of his code. */
interface Sayings {
  readonly answers: ReadonlySet<Expression>
  readonly amounts: ReadonlySet<Expression>
  readonly codes: ReadonlySet<Expression>
}

/** Reads what one condition depends on. `holds` is the required outcome, undefined where both sides do something. */
const makeReader = (
  pool: Pool,
  tracer: Tracer,
  guards: Guard.Guards,
  { amounts, answers, codes }: Sayings
): ((condition: Expression, holds: boolean | undefined) => ReadonlyArray<Guard.Guard>) => {
  const parts = new Map<Expression, Parts>()
  const partsOf = (what: Expression, depth = 0): Parts => {
    const known = parts.get(what)
    if (known !== undefined) return known
    // Real code is never as deep, and the rest may contain anything.
    if (depth > deepest) return { ...noParts, isOfCaller: true }
    // A formula of a loop contains itself.
    parts.set(what, noParts)
    const made =
      what.op === Opcodes.SLOAD
        ? { ...noParts, entries: entriesOf(tracer, what) }
        : isCaller(what)
          ? { ...noParts, isOfCaller: true }
          : answers.has(what)
            ? { ...noParts, answers: [what] }
            : joined([...innerOf(what)].map((part) => partsOf(part, depth + 1)))
    parts.set(what, made)
    return made
  }

  const entered = (what: Expression): ReadonlyArray<Guard.Guard> =>
    partsOf(what).entries.map((slot) => ({ kind: "entry", slot, always: false }))
  const answered = (what: Expression, isOfNumbers: boolean): ReadonlyArray<Guard.Guard> =>
    partsOf(what).answers.some((answer) => !(isOfNumbers && amounts.has(answer))) ? [unclear] : []
  const worked = (what: Expression): ReadonlyArray<Guard.Guard> => (partsOf(what).isOfCaller ? [unclear] : [])

  const compared = (a: Expression, b: Expression, isEqual: boolean): ReadonlyArray<Guard.Guard> => {
    // Compilers check of every returned number that it fits its type.
    if (partsOf(a).answers.some((answer) => partsOf(b).answers.includes(answer))) return []
    if (isCaller(a) || isCaller(b)) return []
    const isTold = (one: Expression, other: Expression): boolean =>
      (isHash(one) && isKept(tracer, other)) ||
      (codes.has(one) && !isOfNoCode(other)) ||
      (isUnknown(unmasked(one), "transient") && isPlaceOfAccount(tracer, other))
    return [
      ...(isEqual && (isTold(a, b) || isTold(b, a)) ? [unclear] : []),
      ...[a, b].flatMap((side) => [...entered(side), ...answered(side, false)]),
      ...(isEqual && (partsOf(a).isOfCaller || partsOf(b).isOfCaller) ? named(a, b) : [])
    ]
  }

  /** Any caller can pass his own address. */
  const named = (a: Expression, b: Expression): ReadonlyArray<Guard.Guard> =>
    [a, b].some((side) => isByArguments(tracer, side)) ? [] : [unclear]

  const asked = (condition: Expression, holds: boolean | undefined, depth = 0): ReadonlyArray<Guard.Guard> => {
    const [a, b] = condition.args
    const among = (ways: Iterable<Expression>): ReadonlyArray<Guard.Guard> =>
      [...ways].flatMap((way) => {
        const passed = guards.in(way, holds ?? true)
        return passed.length > 0 ? passed : asked(way, holds, depth + 1)
      })
    if (depth > maxDepth || condition.op === Kind.constant) return []
    if (condition.op === Opcodes.ISZERO && a !== undefined) return asked(a, opposite(holds), depth + 1)
    if (condition.op === Kind.merge) return among(condition.alternatives)
    if (a !== undefined && b !== undefined) {
      if ((condition.op === Opcodes.AND || condition.op === Opcodes.OR) && a.bits <= 1 && b.bits <= 1)
        return among([a, b])
      if (condition.op === Opcodes.LT || condition.op === Opcodes.SLT) {
        if (isOfSum(a, b) || isOfSum(b, a)) return []
        const isConstant = a.op === Kind.constant || b.op === Kind.constant
        // A stored number that has to be small is zero for an account without stored data.
        const large = holds === undefined ? [a, b] : [holds ? b : a]
        return [
          ...large.flatMap((side) => [...entered(side), ...answered(side, !isConstant)]),
          ...[a, b].flatMap(worked)
        ]
      }
      const sides = comparedIn(pool, condition)
      if (sides !== undefined) {
        const isEqual = holds === undefined ? undefined : (condition.op === Opcodes.EQ) === holds
        const zero = sides.find((side) => side.op === Kind.constant && side.value === 0n)
        return zero === undefined
          ? compared(...sides, isEqual !== false)
          : asked(sides[0] === zero ? sides[1] : sides[0], opposite(isEqual), depth + 1)
      }
    }
    return holds === false || isCaller(unmasked(condition))
      ? []
      : [...entered(condition), ...answered(condition, false), ...worked(condition)]
  }
  return asked
}

/** The hashes of the caller's code. */
const codesOf = ({ blocks }: Trace): ReadonlySet<Expression> =>
  new Set(
    blocks.flatMap(({ events }) =>
      events.flatMap((event) =>
        event.kind === "look" &&
        event.opcode === Opcodes.EXTCODEHASH &&
        event.at !== undefined &&
        isCaller(unmasked(event.at))
          ? [event.result]
          : []
      )
    )
  )

/** Whether a hash is that of empty code, which does not identify an account. */
const isOfNoCode = (what: Expression): boolean => isNumber(what, Bytecode.hashOfNone)

/** Whether it is an overflow check, which every usual number passes. */
const isOfSum = (sum: Expression, part: Expression): boolean =>
  part.op === Opcodes.NOT || (sum.op === Opcodes.ADD && sum.args.includes(part))

const opposite = (holds: boolean | undefined): boolean | undefined => (holds === undefined ? undefined : !holds)

const maxDepth = 8

const deepest = 256

/** What of the caller goes into a formula: entries of his, what others said of him, his address. */
interface Parts {
  readonly entries: ReadonlyArray<string>
  readonly answers: ReadonlyArray<Expression>
  readonly isOfCaller: boolean
}

const noParts: Parts = { entries: [], answers: [], isOfCaller: false }

const joined = (parts: ReadonlyArray<Parts>): Parts => {
  const some = parts.filter((part) => part !== noParts)
  const [first] = some
  return first === undefined
    ? noParts
    : some.length === 1
      ? first
      : {
          entries: [...new Set(some.flatMap(({ entries }) => entries))],
          answers: [...new Set(some.flatMap(({ answers }) => answers))],
          isOfCaller: some.some(({ isOfCaller }) => isOfCaller)
        }
}

const entriesOf = (tracer: Tracer, load: Load): ReadonlyArray<string> =>
  (tracer.locate(load.args[0]) ?? []).flatMap(({ id, keys }) =>
    keys.some((key) => isCaller(key) || isDisguised(key)) ? [id] : []
  )

/** Whether a number is, or may be, the hash of something that whoever calls has to know. */
const isHash = (what: Expression): boolean =>
  what.op === Opcodes.KECCAK256
    ? what.args.some((arg) => Argument.is(unmasked(arg)))
    : what.op === Kind.unknown && isUntold(what)

/** Whether a number is kept that may be a hash: the name of a function is none. */
const isKept = (tracer: Tracer, what: Expression): boolean =>
  what.op === Kind.constant
    ? what.bits > 160 && (what.value & 0xffffffffn) !== 0n
    : what.bits > 160 && isFixed(tracer, what)

/** @internal */

import * as AddressBook from "../../data/AddressBook.js"
import type { Hex } from "../../domain/Hex.js"
import type * as Slices from "../../runtime/Slices.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as Argument from "../expression/Argument.js"
import { comparedIn } from "../expression/CallerFormula.js"
import { addressBits, type Expression, innerOf, isNumber, isUnknown, Kind } from "../expression/Expression.js"
import { isPrecompile } from "../expression/Precompile.js"
import * as Walk from "../expression/Walk.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import type { FunctionRun } from "../interpreter/FunctionRun.js"
import { type CallEvent, type Event, madeOf } from "../interpreter/Trace.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import * as TokenBooks from "./TokenBooks.js"

/**
 * Whether the code of a token treats all contracts alike that may move tokens for an account, so that a sale by one router shows
 * what a sale by any other does: `transferFrom` makes nothing of who calls but its allowance, `approve` nothing of the spender but
 * the allowance that it sets, and `balanceOf` nothing of who reads. False where not all of it was followed.
 *
 * What every router is not may be compared: no account at all, the seller, who sent the transaction, the token, Permit2.
 */
export function* inSlices(model: CodeModel, flow: StorageFlow): Slices.Slices<boolean> {
  const allowances = new Set(TokenBooks.of(flow).allowances.map(({ slot }) => slot))
  for (const [selector, isSpender] of spenders) {
    const run = yield* model.run(selector)
    if (!run.trace.complete || !isAlike(run, allowances, isSpender)) return false
  }
  return true
}

type IsSpender = (what: Expression) => boolean

const { functions } = Selectors

const isCalling: IsSpender = ({ op }) => op === Opcodes.CALLER

const isApproved: IsSpender = (what) => Argument.isAt(what, 0)

const spenders: ReadonlyArray<readonly [selector: Hex, isSpender: IsSpender]> = [
  [functions.transferFrom, isCalling],
  [functions.approve, isApproved],
  [functions.balanceOf, isCalling]
]

const lastAddress = (1n << BigInt(addressBits)) - 1n

/** An address without the mask that keeps all of it. */
const bare = (what: Expression): Expression =>
  what.op === Opcodes.AND && what.args[1].op === Kind.constant && (what.args[1].value & lastAddress) === lastAddress
    ? what.args[0]
    : what

/** Who sent the transaction, and the token itself: never a router. For an approval, who approves. */
const otherParties: ReadonlySet<number> = new Set([Opcodes.ORIGIN, Opcodes.ADDRESS, Opcodes.CALLER])

const isAlike = (run: FunctionRun, allowances: ReadonlySet<string>, isSpender: IsSpender): boolean => {
  const { locator, pool, trace } = run
  const isAllowance = (slot: Expression): boolean => {
    const places = locator.resolve(slot)
    return places !== undefined && places.length > 0 && places.every(({ id }) => allowances.has(id))
  }
  const isOfOthers = (what: Expression): boolean => {
    const it = bare(what)
    return (
      isNumber(it, 0n) ||
      isNumber(it, BigInt(AddressBook.permit2)) ||
      isSpender(it) ||
      otherParties.has(it.op) ||
      // Who sells, where another moves its tokens.
      (isSpender !== isApproved && Argument.isAt(it, 0))
    )
  }
  /** Whether a formula is the same for all addresses of contracts, though the spender's goes into it. */
  const isSame = (what: Expression): boolean => {
    const [a, b] = what.args
    if (a === undefined) return false
    if (what.op === Opcodes.ISZERO) return isSpender(bare(a))
    if (b === undefined) return false
    if (what.op === Opcodes.SHR) return isSpender(b) && a.op === Kind.constant && a.value >= BigInt(addressBits)
    if (what.op === Opcodes.LT) return isSpender(b) && a.op === Kind.constant && a.value >= lastAddress
    const sides = comparedIn(pool, what)
    return sides?.every(isOfOthers) === true && sides.some((side) => isSpender(bare(side)))
  }
  const into = (what: Expression): Iterable<Expression> =>
    (what.op === Opcodes.SLOAD && isAllowance(what.args[0])) || isSame(what) ? [] : innerOf(what)
  const events = trace.blocks.flatMap((block) => (block.succeeds ? block.events : []))
  const roots = events.map((event) => rootsOf(event, isAllowance, isSpender))
  // What calls ended in, and what accounts have, is the same for all: that is looked for where it is made.
  const known = new Set(events.flatMap(resultsOf))
  for (const part of Walk.parts(
    roots.flatMap((of) => of ?? []),
    { into }
  ))
    if (isSpender(part) || (isUnknown(part, "untracked") && !known.has(part))) return false
  return !roots.includes(undefined)
}

/** What an event makes something of, but for which allowance it is about; undefined where the spender may go into it unseen. */
const rootsOf = (
  event: Event,
  isAllowance: (slot: Expression) => boolean,
  isSpender: IsSpender
): ReadonlyArray<Expression> | undefined => {
  switch (event.kind) {
    case "load":
      return isAllowance(event.slot) ? [] : [event.slot]
    case "store":
      return isAllowance(event.slot) ? [event.value] : [event.slot, event.value]
    case "look":
      return event.at !== undefined && isSpender(bare(event.at)) ? undefined : []
    case "told":
      return undefined
    case "branch":
      // It jumps where that is not zero.
      return isSpender(bare(event.condition)) ? [] : [event.condition]
    case "call":
      return event.input === undefined || isForeign(event) ? undefined : madeOf(event)
    default:
      return madeOf(event)
  }
}

/** Whether other code runs in the place of the token's, and so sees who calls. */
const isForeign = ({ opcode, target }: CallEvent): boolean =>
  (opcode === Opcodes.DELEGATECALL || opcode === Opcodes.CALLCODE) &&
  !(target.op === Kind.constant && isPrecompile(target.value))

const resultsOf = (event: Event): ReadonlyArray<Expression> =>
  event.kind === "call" ? [event.success] : event.kind === "look" ? [event.result] : []

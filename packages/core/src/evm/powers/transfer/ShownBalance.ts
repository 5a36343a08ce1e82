/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import * as Argument from "../../expression/Argument.js"
import { addressBits, type Expression, Kind, unmasked } from "../../expression/Expression.js"
import { fieldOf, makeTracer, unique } from "../../expression/ValueSource.js"
import { type Variable, variablesIn } from "../../expression/Variable.js"
import * as Walk from "../../expression/Walk.js"
import { type Event, madeOf } from "../../interpreter/Trace.js"
import * as Erc20 from "../../token/Erc20.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import type { TransferGate } from "./TransferGate.js"

/**
 * The settable variables that `balanceOf` depends on where it compares the account, in slices: they may make it return
 * less to a pool, which then accepts no sale. None is `decisive`.
 *
 * An index that all balances are multiplied with is the same for every account, and is read elsewhere.
 */
export function* of({ code, flow, token }: TokenModel): Slices.Slices<ReadonlyArray<TransferGate>> {
  const getter = Erc20.functionOf(flow, Selectors.functions.balanceOf)
  // An entry for each account is its balance, or a list of accounts with balances in another mapping.
  const isCommon = ({ slot }: Pick<Variable, "slot">): boolean => !slot.includes("[")
  if (
    !getter?.reads.some(
      (read) =>
        isCommon(read) && VariableWriter.settersOf(flow, token, { slot: read.slot, field: undefined }).length > 0
    )
  )
    return []
  const run = yield* code.run(Selectors.functions.balanceOf)
  yield undefined
  const made = run.trace.blocks.flatMap(({ events, succeeds }) => (succeeds ? events.flatMap(decidingIn) : []))
  if (!isApart(made)) return []
  const tracer = makeTracer(run.locator, maxParts)
  return unique(made.flatMap((what) => variablesIn(tracer, what).filter(isCommon))).flatMap(
    ({ mask, slot }): ReadonlyArray<TransferGate> => {
      const field = fieldOf(BigInt(mask))
      const setters = VariableWriter.settersOf(flow, token, { slot, field })
      return setters.length === 0 ? [] : [{ kind: "flag", slot, field, passes: undefined, setters, decisive: false }]
    }
  )
}

/** The values that an event depends on, except slots of loads. */
const decidingIn = (event: Event): ReadonlyArray<Expression> => (event.kind === "load" ? [] : madeOf(event))

/** Whether the account is compared, or counted with, rather than only looked up, and found to be one and not that of nobody. */
const isApart = (made: ReadonlyArray<Expression>): boolean => {
  for (const part of Walk.parts(made, { into: Walk.held, most: maxParts }))
    if (!isCheck(part) && [...part.args].some(isAccount)) return true
  return false
}

const isAccount = (what: Expression): boolean => Argument.isAt(unmasked(what), 0)

/** Checks by compilers that an argument is an address, and whether it is the zero address. */
const isCheck = ({ args: [one, other], op }: Expression): boolean => {
  switch (op) {
    case Opcodes.ISZERO:
      return true
    case Opcodes.AND:
    case Opcodes.SHR:
    case Opcodes.SHL:
      return [one, other].some((side) => side?.op === Kind.constant)
    case Opcodes.EQ:
    case Opcodes.SUB:
    case Opcodes.XOR:
      return one !== undefined && other !== undefined && isAccount(one) && isAccount(other)
    case Opcodes.LT:
    case Opcodes.GT:
      return [one, other].some((side) => side?.op === Kind.constant && side.value >> BigInt(addressBits) !== 0n)
    default:
      return op === Kind.merge
  }
}

const maxParts = 50_000

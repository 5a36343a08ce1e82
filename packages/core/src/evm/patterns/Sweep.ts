/** @internal */

import { Effect } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import * as Evmole from "../bytecode/Evmole.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import { type Expression, innerOf, Kind } from "../expression/Expression.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import type { Event } from "../interpreter/Trace.js"

/**
 * Whether a call without calldata can make the code forward the native coin of the call or of the account to an account
 * other than the sender, as a sweeper of stolen accounts does. False proves nothing: another function or called code
 * may do so.
 */
export const handsOnValue = (code: Hex): Effect.Effect<boolean> =>
  Selectors.dispatched(code).pipe(
    Evmole.trapped<ReadonlyArray<Hex>>([]),
    Effect.flatMap((selectors) => Slices.run(() => handsOn(CodeModel.of(code), selectors)))
  )

function* handsOn(model: CodeModel.CodeModel, selectors: ReadonlyArray<Hex>): Slices.Slices<boolean> {
  const { blocks } = yield* model.begin().run({
    selector: undefined,
    known: new Set(selectors.map(BigInt)),
    ...CodeModel.bounds.payment
  })
  return blocks.some(({ events, succeeds }) => succeeds && events.some(isHandingOn))
}

const isHandingOn = (event: Event): boolean =>
  event.kind === "destroy" ||
  (event.kind === "call" &&
    event.opcode === Opcodes.CALL &&
    event.value !== undefined &&
    mentions(event.value, ofTheAccount) &&
    !mentions(event.target, backToSender))

const ofTheAccount: ReadonlySet<number> = new Set([Opcodes.CALLVALUE, Opcodes.SELFBALANCE, Opcodes.BALANCE])

const backToSender: ReadonlySet<number> = new Set([Opcodes.CALLER, Opcodes.ORIGIN, Opcodes.ADDRESS])

const mentions = (expression: Expression, opcodes: ReadonlySet<number>, depth = 8): boolean =>
  opcodes.has(opcodeOf(expression)) ||
  (depth > 0 && [...innerOf(expression)].some((part) => mentions(part, opcodes, depth - 1)))

const opcodeOf = (what: Expression): number => (what.op === Kind.unknown ? what.detail.opcode : what.op)

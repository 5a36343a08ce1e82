/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import * as Bytecode from "../../bytecode/Bytecode.js"
import type { Mnemonic } from "../../bytecode/Opcodes.js"
import { constantOf } from "../../expression/ValueSource.js"
import type { FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import type { Condition, Side } from "../../summary/conditions/Precondition.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"

/**
 * Whether a function always gives the same answer for the same arguments, and no account can make it revert. Its code
 * does not depend on the caller or the time, cannot be destroyed and calls no contract. The answer comes from arguments
 * and constants, and requirements read only variables that no function writes, or that only count up. False where not
 * all paths were followed.
 */
export const is = (flow: StorageFlow, reach: Bytecode.Reach, asked: Hex): boolean => {
  const candidate = Erc20.functionOf(flow, asked)
  return (
    candidate?.complete === true &&
    flow.completeness.gaps.length === 0 &&
    flow.delegations.length === 0 &&
    candidate.calls.every(Erc20.callsNobody) &&
    candidate.circumstances?.length === 0 &&
    changing.every((mnemonic) => Bytecode.presence(reach, mnemonic) === "absent") &&
    (candidate.spends ?? []).length === 0 &&
    (candidate.returns ?? []).every(({ slot }) => writersOf(flow, slot).length === 0) &&
    [...candidate.requirements, ...candidate.implied].every(({ anyOf }) => anyOf.every((one) => isFixed(flow, one)))
  )
}

const changing: ReadonlyArray<Mnemonic> = ["CALLER", "ORIGIN", "TIMESTAMP", "NUMBER", "SELFDESTRUCT"]

const isFixed = (flow: StorageFlow, { left, right }: Condition): boolean =>
  [left, right].every((side) => isFixedSide(flow, side))

const isFixedSide = (flow: StorageFlow, { about, reads }: Side): boolean =>
  about.every(({ kind }) => kind === "argument" || kind === "constant" || kind === "storage") &&
  reads.every(({ slot }) => writersOf(flow, slot).every(isCount))

const writersOf = ({ functions }: Pick<StorageFlow, "functions">, slot: string): ReadonlyArray<Write> =>
  functions.flatMap(({ writes }: FunctionFlow) => writes.filter((write) => write.slot === slot))

/** A count of calls does not reach 2^256. */
const isCount = ({ change }: Write): boolean =>
  change.kind === "increase" && change.amount.every((origin) => constantOf(origin).some((value) => value === 1n))

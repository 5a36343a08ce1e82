/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../bytecode/Selectors.js"
import { isReserved } from "../expression/Precompile.js"
import type { Call, FunctionFlow } from "../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../summary/StorageFlow.js"

/** Where the parties and the amount stand in the arguments of a transfer. */
export interface Transfer {
  readonly selector: Hex
  /** The caller where there is none. */
  readonly sender: number | undefined
  readonly receiver: number
  readonly amount: number
}

/** The functions that move tokens. */
export const transfers: ReadonlyArray<Transfer> = [
  { selector: Selectors.functions.transfer, sender: undefined, receiver: 0, amount: 1 },
  { selector: Selectors.functions.transferFrom, sender: 0, receiver: 1, amount: 2 }
]

/** The transfer that a selector calls. */
export const transferOf = (selector: string): Transfer | undefined =>
  transfers.find((transfer) => transfer.selector === selector)

/** The selectors of {@link transfers}. */
export const transferSelectors: ReadonlySet<string> = new Set(transfers.map(({ selector }) => selector))

/** A function by its selector, where a code has it. */
export const functionOf = (flow: StorageFlow, selector: Hex): FunctionFlow | undefined =>
  flow.functions.find((candidate) => candidate.selector === selector)

/** Whether a call reaches no other contract than the one that makes it, and what every chain has. */
export const callsNobody = ({ target }: Call): boolean =>
  target.length > 0 &&
  target.every((origin) => origin.kind === "self" || (origin.kind === "constant" && isNobody(BigInt(origin.value))))

const isNobody = (address: bigint): boolean => address === 0n || isReserved(address)

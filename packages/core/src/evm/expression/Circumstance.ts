/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"

/**
 * An input of a call besides its parties, amount, time and storage: remaining gas, gas price, block proposer,
 * randomness, the code or ether of an account, the token balance of an account that is no party, or another contract's
 * answer. It can differ in every transaction, so trials show nothing about other transactions.
 */
export type Circumstance = "gas" | "fees" | "proposer" | "chance" | "code" | "wealth" | "holding" | "answer"

/** Values of the transaction or its block, by the opcode that reads them. */
export const ofOpcode: ReadonlyMap<number, Circumstance> = new Map([
  [Opcodes.GASPRICE, "fees"],
  [Opcodes.BASEFEE, "fees"],
  [Opcodes.BLOBBASEFEE, "fees"],
  [Opcodes.COINBASE, "proposer"],
  [Opcodes.PREVRANDAO, "chance"],
  [Opcodes.BLOCKHASH, "chance"],
  [Opcodes.BLOBHASH, "chance"],
  [Opcodes.GASLIMIT, "gas"]
])

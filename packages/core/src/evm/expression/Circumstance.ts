/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"

/**
 * Something of a call besides its parties, its amount, its moment and storage, that a function makes something depend on:
 * the gas that is left, what is paid for gas, who proposes the block, chance, the code or the ether of an account, what an
 * account that is no party holds of the token, or what another contract answers. No two transactions have the same, so that trying some shows nothing about the others.
 *
 * @since 0.1.0
 * @category models
 */
export type Circumstance = "gas" | "fees" | "proposer" | "chance" | "code" | "wealth" | "holding" | "answer"

/**
 * Values of the transaction or its block, by the opcode that reads them.
 *
 * @since 0.1.0
 * @category models
 */
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

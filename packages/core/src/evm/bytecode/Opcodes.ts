/** @internal */

/**
 * The opcodes that analyses name, by mnemonic; PUSH, DUP, SWAP and LOG families by their first member.
 *
 * @see https://ethereum.github.io/execution-specs/
 */
export const Opcodes = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  SDIV: 0x05,
  MOD: 0x06,
  SMOD: 0x07,
  ADDMOD: 0x08,
  MULMOD: 0x09,
  EXP: 0x0a,
  SIGNEXTEND: 0x0b,
  LT: 0x10,
  GT: 0x11,
  SLT: 0x12,
  SGT: 0x13,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
  NOT: 0x19,
  BYTE: 0x1a,
  SHL: 0x1b,
  SHR: 0x1c,
  SAR: 0x1d,
  // https://eips.ethereum.org/EIPS/eip-7939
  CLZ: 0x1e,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  PREVRANDAO: 0x44,
  GASLIMIT: 0x45,
  CHAINID: 0x46,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  BLOBHASH: 0x49,
  BLOBBASEFEE: 0x4a,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  // https://eips.ethereum.org/EIPS/eip-1153
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  // https://eips.ethereum.org/EIPS/eip-5656
  MCOPY: 0x5e,
  // https://eips.ethereum.org/EIPS/eip-3855
  PUSH0: 0x5f,
  PUSH1: 0x60,
  PUSH4: 0x63,
  PUSH20: 0x73,
  PUSH32: 0x7f,
  DUP1: 0x80,
  DUP16: 0x8f,
  SWAP1: 0x90,
  SWAP16: 0x9f,
  LOG0: 0xa0,
  LOG4: 0xa4,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff
} as const

/** Mnemonic of an opcode in {@link Opcodes}. */
export type Mnemonic = keyof typeof Opcodes

/** Number of bytes that follow an opcode as its immediate: 1 to 32 for PUSH1 to PUSH32, else 0. */
export const immediateSize = (opcode: number): number =>
  opcode >= Opcodes.PUSH1 && opcode <= Opcodes.PUSH32 ? opcode - Opcodes.PUSH0 : 0

/** How many words an opcode takes from the stack; none for an opcode that no fork defines. */
export const inputs = (opcode: number): number => {
  if (opcode >= Opcodes.PUSH0 && opcode <= Opcodes.PUSH32) return 0
  if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) return opcode - Opcodes.DUP1 + 1
  if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) return opcode - Opcodes.SWAP1 + 2
  if (opcode >= Opcodes.LOG0 && opcode <= Opcodes.LOG4) return opcode - Opcodes.LOG0 + 2
  return arity[opcode]?.[0] ?? 0
}

/** How many words an opcode leaves on the stack in place of its {@link inputs}. */
export const outputs = (opcode: number): number => {
  if (opcode >= Opcodes.PUSH0 && opcode <= Opcodes.PUSH32) return 1
  if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) return opcode - Opcodes.DUP1 + 2
  if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) return opcode - Opcodes.SWAP1 + 2
  return arity[opcode]?.[1] ?? 0
}

/** Whether some fork defines the opcode; an undefined one ends the call frame like INVALID. */
export const isDefined = (opcode: number): boolean =>
  (opcode >= Opcodes.PUSH0 && opcode <= Opcodes.LOG4) || (arity[opcode] !== undefined && opcode !== Opcodes.INVALID)

/**
 * Whether no fork defines the opcode, so that it ends the call frame until one does. INVALID is reserved for that, and
 * 0xEF for data that is no code.
 *
 * @see https://eips.ethereum.org/EIPS/eip-141
 * @see https://eips.ethereum.org/EIPS/eip-3541
 */
export const isUnassigned = (opcode: number): boolean =>
  !isDefined(opcode) && opcode !== Opcodes.INVALID && opcode !== 0xef

const arity: Readonly<Record<number, readonly [inputs: number, outputs: number]>> = {
  [Opcodes.STOP]: [0, 0],
  [Opcodes.ADD]: [2, 1],
  [Opcodes.MUL]: [2, 1],
  [Opcodes.SUB]: [2, 1],
  [Opcodes.DIV]: [2, 1],
  [Opcodes.SDIV]: [2, 1],
  [Opcodes.MOD]: [2, 1],
  [Opcodes.SMOD]: [2, 1],
  [Opcodes.ADDMOD]: [3, 1],
  [Opcodes.MULMOD]: [3, 1],
  [Opcodes.EXP]: [2, 1],
  [Opcodes.SIGNEXTEND]: [2, 1],
  [Opcodes.LT]: [2, 1],
  [Opcodes.GT]: [2, 1],
  [Opcodes.SLT]: [2, 1],
  [Opcodes.SGT]: [2, 1],
  [Opcodes.EQ]: [2, 1],
  [Opcodes.ISZERO]: [1, 1],
  [Opcodes.AND]: [2, 1],
  [Opcodes.OR]: [2, 1],
  [Opcodes.XOR]: [2, 1],
  [Opcodes.NOT]: [1, 1],
  [Opcodes.BYTE]: [2, 1],
  [Opcodes.SHL]: [2, 1],
  [Opcodes.SHR]: [2, 1],
  [Opcodes.SAR]: [2, 1],
  [Opcodes.CLZ]: [1, 1],
  [Opcodes.KECCAK256]: [2, 1],
  [Opcodes.ADDRESS]: [0, 1],
  [Opcodes.BALANCE]: [1, 1],
  [Opcodes.ORIGIN]: [0, 1],
  [Opcodes.CALLER]: [0, 1],
  [Opcodes.CALLVALUE]: [0, 1],
  [Opcodes.CALLDATALOAD]: [1, 1],
  [Opcodes.CALLDATASIZE]: [0, 1],
  [Opcodes.CALLDATACOPY]: [3, 0],
  [Opcodes.CODESIZE]: [0, 1],
  [Opcodes.CODECOPY]: [3, 0],
  [Opcodes.GASPRICE]: [0, 1],
  [Opcodes.EXTCODESIZE]: [1, 1],
  [Opcodes.EXTCODECOPY]: [4, 0],
  [Opcodes.RETURNDATASIZE]: [0, 1],
  [Opcodes.RETURNDATACOPY]: [3, 0],
  [Opcodes.EXTCODEHASH]: [1, 1],
  [Opcodes.BLOCKHASH]: [1, 1],
  [Opcodes.COINBASE]: [0, 1],
  [Opcodes.TIMESTAMP]: [0, 1],
  [Opcodes.NUMBER]: [0, 1],
  [Opcodes.PREVRANDAO]: [0, 1],
  [Opcodes.GASLIMIT]: [0, 1],
  [Opcodes.CHAINID]: [0, 1],
  [Opcodes.SELFBALANCE]: [0, 1],
  [Opcodes.BASEFEE]: [0, 1],
  [Opcodes.BLOBHASH]: [1, 1],
  [Opcodes.BLOBBASEFEE]: [0, 1],
  [Opcodes.POP]: [1, 0],
  [Opcodes.MLOAD]: [1, 1],
  [Opcodes.MSTORE]: [2, 0],
  [Opcodes.MSTORE8]: [2, 0],
  [Opcodes.SLOAD]: [1, 1],
  [Opcodes.SSTORE]: [2, 0],
  [Opcodes.JUMP]: [1, 0],
  [Opcodes.JUMPI]: [2, 0],
  [Opcodes.PC]: [0, 1],
  [Opcodes.MSIZE]: [0, 1],
  [Opcodes.GAS]: [0, 1],
  [Opcodes.JUMPDEST]: [0, 0],
  [Opcodes.TLOAD]: [1, 1],
  [Opcodes.TSTORE]: [2, 0],
  [Opcodes.MCOPY]: [3, 0],
  [Opcodes.CREATE]: [3, 1],
  [Opcodes.CALL]: [7, 1],
  [Opcodes.CALLCODE]: [7, 1],
  [Opcodes.RETURN]: [2, 0],
  [Opcodes.DELEGATECALL]: [6, 1],
  [Opcodes.CREATE2]: [4, 1],
  [Opcodes.STATICCALL]: [6, 1],
  [Opcodes.REVERT]: [2, 0],
  [Opcodes.INVALID]: [0, 0],
  [Opcodes.SELFDESTRUCT]: [1, 0]
}

/** @internal */

import { immediateSize, Opcodes } from "./Opcodes.js"

/**
 * The jump at the end of a block that does nothing else than move the stack about, negate, and compare truth values.
 *
 * @since 0.1.0
 * @category models
 */
export interface Shuffle {
  readonly end: number
  readonly compares: boolean
}

/**
 * Finds the shuffle that begins at an offset, each once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeFinder = (bytes: Uint8Array): ((start: number) => Shuffle | undefined) => {
  const shuffles = new Map<number, Shuffle | undefined>()
  return (start) => {
    if (shuffles.has(start)) return shuffles.get(start)
    let offset = start
    let found: Shuffle | undefined
    let compares = false
    for (let i = 0; i < 14 && offset < bytes.length; i++) {
      const opcode = bytes[offset] ?? 0
      if (opcode === Opcodes.JUMPI || opcode === Opcodes.JUMP) {
        found = { end: opcode, compares }
        break
      }
      if (opcode === Opcodes.EQ) compares = true
      else if (
        opcode !== Opcodes.ISZERO &&
        opcode !== Opcodes.POP &&
        opcode !== Opcodes.JUMPDEST &&
        (opcode < Opcodes.PUSH0 || opcode > Opcodes.SWAP16)
      )
        break
      offset += 1 + immediateSize(opcode)
    }
    shuffles.set(start, found)
    return found
  }
}

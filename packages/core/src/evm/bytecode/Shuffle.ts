/** @internal */

import { immediateSize, Opcodes } from "./Opcodes.js"

/**
 * The jump at the end of a block that does nothing else than move the stack about, negate, and compare truth values.
 *
 * Where an internal function ends so, `answer` is how far below the top what it answers with stands when the block begins:
 * below its variables, which are dropped.
 */
export interface Shuffle {
  readonly end: number
  readonly compares: boolean
  readonly answer: number | undefined
}

/** Finds the shuffle that begins at an offset of a code, each once. */
export const finderFor = (bytes: Uint8Array): Finder => {
  const known = finders.get(bytes)
  if (known !== undefined) return known
  const made = makeFinder(bytes)
  finders.set(bytes, made)
  return made
}

type Finder = (start: number) => Shuffle | undefined

const finders = new WeakMap<Uint8Array, Finder>()

const makeFinder = (bytes: Uint8Array): Finder => {
  const shuffles = new Map<number, Shuffle | undefined>()
  return (start) => {
    if (shuffles.has(start)) return shuffles.get(start)
    let offset = start
    let found: Shuffle | undefined
    let compares = false
    const stack = atStart.slice()
    for (let i = 0; i < 14 && offset < bytes.length; i++) {
      const opcode = bytes[offset] ?? 0
      if (opcode === Opcodes.JUMPI || opcode === Opcodes.JUMP) {
        const target = stack.pop()
        found = {
          end: opcode,
          compares,
          answer: opcode === Opcodes.JUMP && target !== undefined ? stack.at(-1) : undefined
        }
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
      move(stack, opcode)
      offset += 1 + immediateSize(opcode)
    }
    shuffles.set(start, found)
    return found
  }
}

const move = (stack: Array<number | undefined>, opcode: number): void => {
  if (opcode === Opcodes.POP) stack.pop()
  else if (opcode === Opcodes.EQ) stack.splice(-2, 2, undefined)
  else if (opcode === Opcodes.ISZERO) stack.splice(-1, 1, undefined)
  else if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) stack.push(stack.at(Opcodes.DUP1 - opcode - 1))
  else if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
    const [top, other] = [stack.length - 1, stack.length - 2 - (opcode - Opcodes.SWAP1)]
    const moved = stack[top]
    stack[top] = stack[other]
    stack[other] = moved
  } else if (opcode !== Opcodes.JUMPDEST) stack.push(undefined)
}

/** More than a block of moves reaches down to. */
const maxDepth = 40

/** What stood where when a block began, counted from the top; nothing for what it made itself. */
const atStart: ReadonlyArray<number | undefined> = Array.from({ length: maxDepth }, (_, i) => maxDepth - 1 - i)

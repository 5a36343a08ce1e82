/** @internal */

import * as AbstractState from "./AbstractState.js"
import type { BlockContext } from "./BlockContext.js"
import type { Bytecode } from "./Bytecode.js"
import { codeWord } from "./CodeWord.js"
import * as CopyLoop from "./CopyLoop.js"
import {
  type Expression,
  Kind,
  maxWord,
  type Piece,
  type Pool,
  Presence,
  party,
  transient,
  unmasked
} from "./Expression.js"
import type * as HeapPointer from "./HeapPointer.js"
import * as Memory from "./Memory.js"
import * as MemoryInput from "./MemoryInput.js"
import { immediateSize, inputs, isDefined, isUnassigned, Opcodes } from "./Opcodes.js"
import * as PathFacts from "./PathFacts.js"
import * as Signer from "./Signer.js"
import * as StorageEpochs from "./StorageEpochs.js"
import type { Options } from "./Trace.js"
import * as TrustedForwarder from "./TrustedForwarder.js"

/**
 * How far the exploration of an entry has come. `discovered` are the selectors that the code asks for and nobody knew.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  steps: number
  /** Every jump was followed and no bound was hit. */
  complete: boolean
  readonly discovered: Set<bigint>
}

/**
 * Goes on with a state at an offset, from a side of a block; none where there are too many blocks.
 *
 * @since 0.1.0
 * @category models
 */
export type Enter = (
  offset: number,
  state: AbstractState.AbstractState,
  from: BlockContext,
  side: 0 | 1
) => BlockContext | undefined

/**
 * Runs a block on formulas, from what is known when it begins to where it jumps: its events, its end, and the blocks that it
 * enters. `run` tells the values that are made in one exploration from those of another.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  { bytes, jumpdests }: Bytecode,
  pool: Pool,
  options: Options,
  run: string,
  trusted: HeapPointer.Trusted | undefined,
  progress: Progress,
  enter: Enter
): ((node: BlockContext) => void) => {
  const zero = pool.constant(0n)
  const firstWord = pool.node(Opcodes.CALLDATALOAD, [zero])
  const selector = options.selector === undefined ? pool.selector : pool.constant(options.selector)
  const unwritten = pool.constant(0n)

  return (node) => {
    const started = progress.steps
    const state = AbstractState.copy(node.state)
    const { stack } = state
    node.events = []
    node.entered.clear()
    node.end = "open"
    node.visits++
    const place = (offset: number): string => `${node.index}:${offset}:${run}`
    const fresh = (offset: number): Expression => pool.unknown(place(offset))
    const pop = (): Expression => stack.pop() as Expression
    const go = (offset: number, next: AbstractState.AbstractState): void => {
      enter(offset, next, node, 0)
    }
    const look = (offset: number, opcode: number, at: Expression | undefined): void => {
      const result =
        (opcode === Opcodes.EXTCODESIZE || opcode === Opcodes.BALANCE) && at !== undefined && isOfCall(unmasked(at))
          ? pool.unknown(`${place(offset)}:${party}`)
          : fresh(offset)
      result.fleeting = true
      node.events.push({ kind: "look", offset, opcode, at, result })
      stack.push(result)
    }
    const use = (offset: number, ...words: ReadonlyArray<Expression>): void => {
      for (const what of words)
        if (what.fleeting || what.kept || what.caller === Presence.judged)
          node.events.push({ kind: "use", offset, what })
    }
    const fail = (): void => {
      node.end = "failure"
    }
    const load = (slot: Expression): Expression => {
      const region = StorageEpochs.regionOf(slot)
      const held = slot.op === Kind.constant ? options.storage?.get(slot.value) : undefined
      if (held !== undefined && StorageEpochs.isUnwritten(state, region)) return pool.constant(held)
      return pool.node(
        Opcodes.SLOAD,
        [slot],
        region === undefined
          ? `?${node.index}:${run}:${StorageEpochs.epochsKey(state)}`
          : (state.epochs.get(region) ?? state.epoch)
      )
    }

    const senderOr = (word: Expression, offset: number): Expression => {
      // Where variables hold what they hold now, who is there no more may be named by whoever is trusted.
      const sender = options.storage === undefined ? TrustedForwarder.senderIn(pool, word, state.facts) : undefined
      if (sender === undefined) return word
      node.events.push({ kind: "told", offset, ...sender.trust })
      return sender.word
    }

    const loop = CopyLoop.at(bytes, node.offset)
    if (loop !== undefined) progress.steps += Memory.copyAtOnce(pool, state, loop, unwritten, trusted)
    // An optimiser asks whether something is not the largest number by adding one to it.
    const conditionOf = (what: Expression): Expression => {
      const [x, c] = what.op === Opcodes.ADD ? what.args : []
      return x !== undefined && c?.op === Kind.constant
        ? pool.unary(Opcodes.ISZERO, pool.binary(Opcodes.EQ, x, pool.constant(-c.value & maxWord)))
        : what
    }
    // How much `ecrecover` answered, which is a word or nothing: where the answer was put there, that tells it from what was.
    let recovered: { readonly answer: Expression; readonly at: Expression | undefined } | undefined
    const sizes = new Set<Expression>()
    const eitherOf = (a: Expression | undefined, b: Expression | undefined, offset: number): Expression | undefined => {
      if (a === undefined || b === undefined) return undefined
      const either = pool.merge(`${place(offset)}?`)
      either.alternatives.clear()
      pool.offer(either, a)
      pool.offer(either, b)
      return either
    }
    // What words of memory were made of that lie across several values, for as long as this block runs.
    const made = new Map<Expression, ReadonlyArray<Piece>>()

    for (let offset = node.offset; ; ) {
      if (++progress.steps > options.maxSteps) {
        progress.complete = false
        return
      }
      // Code without jumps is taken in parts, for only whole blocks can be put aside.
      if (progress.steps - started > stepsPerSlice && offset !== node.offset) {
        go(offset, state)
        return
      }
      const opcode = bytes[offset] ?? Opcodes.STOP
      if (stack.length < inputs(opcode) || stack.length > 1024 || !isDefined(opcode)) {
        // What no fork has defined yet, one to come may.
        if (isUnassigned(opcode)) progress.complete = false
        else fail()
        return
      }
      const size = immediateSize(opcode)
      if (size > 0) {
        stack.push(pool.constant(codeWord(bytes, offset + 1, size)))
        offset += 1 + size
        continue
      }
      if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) {
        stack.push(stack[stack.length - (opcode - Opcodes.DUP1 + 1)] as Expression)
        offset++
        continue
      }
      if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
        const top = stack.length - 1
        const other = top - (opcode - Opcodes.SWAP1 + 1)
        const moved = stack[top] as Expression
        stack[top] = stack[other] as Expression
        stack[other] = moved
        offset++
        continue
      }
      switch (opcode) {
        case Opcodes.STOP:
        case Opcodes.RETURN: {
          if (opcode === Opcodes.RETURN) {
            const at = pop()
            const length = pop()
            use(offset, at, length)
            const word =
              length.op === Kind.constant && length.value === 32n
                ? Memory.readWord(pool, state, at, selector, firstWord, unwritten)
                : undefined
            node.events.push({ kind: "return", offset, word })
          }
          node.end = "success"
          return
        }
        case Opcodes.SELFDESTRUCT:
          use(offset, pop())
          node.events.push({ kind: "destroy", offset })
          node.end = "success"
          return
        case Opcodes.REVERT:
          fail()
          return
        case Opcodes.JUMPDEST:
          if (offset !== node.offset) {
            go(offset, state)
            return
          }
          break
        case Opcodes.JUMP: {
          const target = pop()
          if (target.op !== Kind.constant) {
            progress.complete = false
            return
          }
          const destination = Number(target.value)
          if (jumpdests.has(destination)) go(destination, state)
          else fail()
          return
        }
        case Opcodes.JUMPI: {
          const target = pop()
          const condition = conditionOf(pop())
          const holds = PathFacts.decide(condition, state.facts)
          if (holds === false) {
            go(offset + 1, state)
            return
          }
          if (target.op !== Kind.constant) {
            progress.complete = false
            return
          }
          const destination = Number(target.value)
          const valid = jumpdests.has(destination)
          if (holds === true) {
            if (valid) go(destination, state)
            else fail()
            return
          }
          const other = AbstractState.copy(state)
          const { facts } = state
          state.facts = PathFacts.assume(pool, state.facts, condition, true)
          other.facts = PathFacts.assume(pool, other.facts, condition, false)
          const taken = valid ? enter(destination, state, node, 1) : undefined
          const passed = enter(offset + 1, other, node, 0)
          node.events.push({
            kind: "branch",
            offset,
            condition,
            facts,
            taken: taken?.index ?? -1,
            passed: passed?.index ?? -1
          })
          return
        }
        case Opcodes.POP:
          pop()
          break
        case Opcodes.PUSH0:
          stack.push(zero)
          break
        case Opcodes.PC:
          stack.push(pool.constant(BigInt(offset)))
          break
        case Opcodes.ISZERO:
        case Opcodes.NOT:
          stack.push(pool.unary(opcode, pop()))
          break
        case Opcodes.ADD:
        case Opcodes.MUL:
        case Opcodes.SUB:
        case Opcodes.DIV:
        case Opcodes.SDIV:
        case Opcodes.MOD:
        case Opcodes.SMOD:
        case Opcodes.EXP:
        case Opcodes.SIGNEXTEND:
        case Opcodes.LT:
        case Opcodes.GT:
        case Opcodes.SLT:
        case Opcodes.SGT:
        case Opcodes.AND:
        case Opcodes.OR:
        case Opcodes.XOR:
        case Opcodes.BYTE:
        case Opcodes.SHL:
        case Opcodes.SHR:
        case Opcodes.SAR: {
          const a = pop()
          const b = pop()
          if (opcode === Opcodes.SHR && b === firstWord && a.op === Kind.constant && a.value === 224n)
            stack.push(selector)
          else if (opcode === Opcodes.DIV && a === firstWord && b.op === Kind.constant && b.value === 1n << 224n)
            stack.push(selector)
          else if (opcode === Opcodes.AND && (a === firstWord || b === firstWord)) {
            const mask = a === firstWord ? b : a
            stack.push(
              mask.op === Kind.constant && mask.value === 0xffffffffn << 224n
                ? pool.binary(Opcodes.SHL, pool.constant(224n), selector)
                : pool.binary(opcode, a, b)
            )
          } else if (
            opcode === Opcodes.LT &&
            a.op === Opcodes.CALLDATASIZE &&
            b.op === Kind.constant &&
            b.value <= 4n &&
            options.selector !== undefined
          ) {
            stack.push(zero)
          } else stack.push(pool.binary(opcode, a, b))
          break
        }
        case Opcodes.EQ: {
          const a = pop()
          const b = pop()
          const compared = a === pool.selector ? b : b === pool.selector ? a : undefined
          if (compared !== undefined && compared.op === Kind.constant && compared.bits <= 32) {
            // This entry is for all the selectors that nothing is compared with; the others have their own.
            if (!options.known.has(compared.value)) progress.discovered.add(compared.value)
            stack.push(zero)
          } else stack.push(pool.binary(opcode, a, b))
          break
        }
        case Opcodes.ADDMOD:
        case Opcodes.MULMOD:
          stack.push(pool.node(opcode, [pop(), pop(), pop()]))
          break
        case Opcodes.CLZ:
        case Opcodes.BLOCKHASH:
        case Opcodes.BLOBHASH:
          stack.push(pool.node(opcode, [pop()]))
          break
        case Opcodes.CALLDATALOAD:
          stack.push(senderOr(pool.node(opcode, [pop()]), offset))
          break
        case Opcodes.CALLDATASIZE:
        case Opcodes.ADDRESS:
        case Opcodes.ORIGIN:
        case Opcodes.CALLER:
        case Opcodes.CALLVALUE:
        case Opcodes.GASPRICE:
        case Opcodes.COINBASE:
        case Opcodes.TIMESTAMP:
        case Opcodes.NUMBER:
        case Opcodes.PREVRANDAO:
        case Opcodes.GASLIMIT:
        case Opcodes.CHAINID:
        case Opcodes.BASEFEE:
        case Opcodes.BLOBBASEFEE:
          stack.push(pool.nullary(opcode))
          break
        case Opcodes.CODESIZE:
          stack.push(pool.constant(BigInt(bytes.length)))
          break
        case Opcodes.RETURNDATASIZE:
          stack.push(
            MemoryInput.sizeOf(pool, state.answered) ??
              pool.binary(Opcodes.AND, fresh(offset), pool.constant(0xffffffffn))
          )
          if (recovered !== undefined) sizes.add(stack.at(-1) as Expression)
          break
        case Opcodes.SELFBALANCE:
          look(offset, opcode, pool.nullary(Opcodes.ADDRESS))
          break
        case Opcodes.MSIZE:
          stack.push(fresh(offset))
          break
        case Opcodes.GAS:
          look(offset, opcode, undefined)
          break
        case Opcodes.EXTCODESIZE: {
          const at = pop()
          use(offset, at)
          // What runs has code, for this is not the constructor; behind a proxy it is the proxy's.
          if (at.op === Opcodes.ADDRESS) {
            const size = pool.node(opcode, [at])
            state.facts = PathFacts.assume(pool, state.facts, size, true)
            stack.push(size)
          } else look(offset, opcode, at)
          break
        }
        case Opcodes.BALANCE:
        case Opcodes.EXTCODEHASH: {
          const at = pop()
          use(offset, at)
          look(offset, opcode, at)
          break
        }
        case Opcodes.TLOAD:
          use(offset, pop())
          stack.push(pool.unknown(`${place(offset)}:${transient}`))
          break
        case Opcodes.TSTORE:
          use(offset, pop(), pop())
          break
        case Opcodes.KECCAK256: {
          const at = pop()
          const length = pop()
          use(offset, at, length)
          const pieces = Memory.readPieces(state, at, length, unwritten)
          progress.steps += pieces?.length ?? 0
          const place = pieces === undefined ? Memory.lastWord(pool, state, at, length, unwritten) : undefined
          stack.push(
            pieces !== undefined
              ? pool.hash(pieces)
              : place === undefined
                ? fresh(offset)
                : // As the entry of a mapping is hashed whose key is bytes: whatever they are, they are of no other mapping.
                  pool.node(Opcodes.KECCAK256, [fresh(offset), place], "32")
          )
          break
        }
        case Opcodes.MLOAD: {
          const at = pop()
          use(offset, at)
          const read = (from: Expression) => Memory.readWord(pool, state, from, selector, firstWord, unwritten)
          const answerAt = (from: Expression) => (recovered?.at === from ? recovered.answer : read(from))
          const word = sizes.has(at) ? eitherOf(read(zero), answerAt(pool.constant(Memory.word32)), offset) : read(at)
          if (word === undefined) {
            const across = fresh(offset)
            const pieces = Memory.readPieces(state, at, pool.constant(Memory.word32), unwritten)
            made.set(across, pieces ?? Memory.behindName(pool, state, at, across, unwritten))
            use(offset, ...(pieces ?? []).map((piece) => piece.word))
            if (pieces === undefined && !sizes.has(at)) Memory.note(pool, state, at, across, trusted)
            stack.push(across)
          } else stack.push(senderOr(word, offset))
          break
        }
        case Opcodes.MSTORE: {
          const at = pop()
          use(offset, at)
          progress.steps += state.memory.length >> 5
          // Where it cannot be written, the call is over.
          state.facts = Memory.onceWritten(pool, state.facts, at)
          Memory.writePieces(pool, state, at, Memory.piecesOf(pop(), made), trusted)
          break
        }
        case Opcodes.MSTORE8: {
          const at = pop()
          const word = pop()
          use(offset, at, word)
          Memory.write(pool, state, at, 1, { word, from: 31, length: 1 }, trusted)
          break
        }
        case Opcodes.CALLDATACOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          use(offset, at, source, length)
          MemoryInput.copyCalldata(pool, state, at, source, length, trusted)
          state.facts = Memory.afterCopy(pool, state.facts, length)
          break
        }
        case Opcodes.CODECOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          use(offset, at, source, length)
          MemoryInput.copyCode(pool, state, bytes, at, source, length, trusted)
          break
        }
        case Opcodes.RETURNDATACOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          use(offset, at, source, length)
          MemoryInput.copyAnswer(pool, state, at, source, length, state.answered, trusted)
          break
        }
        case Opcodes.MCOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          use(offset, at, source, length)
          progress.steps += Memory.copyMemory(pool, state, at, source, length, unwritten, trusted)
          break
        }
        case Opcodes.EXTCODECOPY: {
          const [account, at, source, length] = [pop(), pop(), pop(), pop()]
          use(offset, account, at, source, length)
          node.events.push({ kind: "look", offset, opcode, at: account, result: fresh(offset) })
          Memory.clobber(pool, state, at, length, trusted)
          break
        }
        case Opcodes.SLOAD: {
          const slot = pop()
          const result = load(slot)
          node.events.push({ kind: "load", offset, slot, result, facts: state.facts })
          stack.push(result)
          break
        }
        case Opcodes.SSTORE: {
          const slot = pop()
          const value = pop()
          node.events.push({ kind: "store", offset, slot, value, facts: state.facts, current: load(slot) })
          StorageEpochs.touch(state, StorageEpochs.regionOf(slot), place(offset))
          break
        }
        case Opcodes.LOG0:
        case Opcodes.LOG0 + 1:
        case Opcodes.LOG0 + 2:
        case Opcodes.LOG0 + 3:
        case Opcodes.LOG4: {
          use(offset, pop(), pop())
          const topics: Array<Expression> = []
          for (let i = opcode - Opcodes.LOG0; i > 0; i--) topics.push(pop())
          node.events.push({ kind: "log", offset, topics })
          break
        }
        case Opcodes.CREATE:
        case Opcodes.CREATE2:
          for (let i = inputs(opcode); i > 0; i--) use(offset, pop())
          node.events.push({ kind: "create", offset })
          stack.push(fresh(offset))
          state.answered = undefined
          StorageEpochs.touch(state, undefined, place(offset))
          break
        case Opcodes.CALL:
        case Opcodes.CALLCODE:
        case Opcodes.DELEGATECALL:
        case Opcodes.STATICCALL: {
          const gas = pop()
          const target = pop()
          const value = opcode === Opcodes.CALL || opcode === Opcodes.CALLCODE ? pop() : undefined
          const [told, size] = [pop(), pop()]
          const pieces = Memory.readPieces(state, told, size, unwritten)
          const asked = opcode === Opcodes.STATICCALL ? MemoryInput.askedAt(pool, state, told, unwritten) : undefined
          progress.steps += pieces?.length ?? 0
          const input = pieces === undefined ? undefined : Memory.wordsOf(pieces)
          const at = pop()
          const length = pop()
          use(offset, ...(isUsualGas(gas) ? [] : [gas]), told, size, at, length)
          const answers = [pool.unknown(`${place(offset)}!`), pool.unknown(`${place(offset)}!!`)] as const
          for (const answer of answers) answer.fleeting = true
          const recovers = target.op === Kind.constant && target.value === Signer.ecrecover
          const before = Memory.readWord(pool, state, at, selector, firstWord, unwritten)
          // Where nobody signed nothing is answered, and what was there before stays.
          const left =
            recovers && !(before?.op === Kind.constant && before.value === 0n) ? (before ?? fresh(offset)) : undefined
          const first = eitherOf(left, answers[0], offset) ?? answers[0]
          const isPut = length.op === Kind.constant && length.value >= Memory.word32
          recovered = recovers ? { answer: answers[0], at: isPut ? at : undefined } : undefined
          MemoryInput.putAnswers(pool, state, at, length, [first, answers[1]], trusted)
          const success = fresh(offset)
          node.events.push({
            kind: "call",
            offset,
            opcode,
            target,
            value,
            facts: state.facts,
            input,
            asked,
            success,
            answers,
            copied: MemoryInput.copiedOf(pool, answers[0]),
            left: isPut ? before : undefined
          })
          state.answered = answers[0]
          // The callee may call back.
          if (opcode !== Opcodes.STATICCALL) StorageEpochs.touch(state, undefined, place(offset))
          stack.push(success)
          break
        }
        default:
          fail()
          return
      }
      offset++
    }
  }
}

/**
 * Steps after which what runs is put aside, about 2 ms.
 *
 * @since 0.1.0
 * @category models
 */
export const stepsPerSlice = 2_000

/** Whether an account is one that the call names, or that makes it. */
const isOfCall = ({ op }: Expression): boolean =>
  op === Opcodes.CALLER || op === Opcodes.CALLDATALOAD || op === Opcodes.ORIGIN || op === Opcodes.ADDRESS

/**
 * Whether a call is given all the gas that is left, or all but what the call itself costs, as old compilers took off, or what
 * compilers give a call that pays nobody.
 */
const isUsualGas = ({ args: [a, b], op }: Expression): boolean =>
  op === Kind.unknown ||
  ((op === Opcodes.SUB || op === Opcodes.ADD) && a?.op === Kind.unknown && b?.op === Kind.constant) ||
  (op === Opcodes.MUL && a?.op === Opcodes.ISZERO && b?.op === Kind.constant && b.value === stipend)

const stipend = 2300n

/** @internal */

import type { Bytecode } from "./Bytecode.js"
import * as CopyLoop from "./CopyLoop.js"
import { type Expression, Kind, type Piece, type Pool } from "./Expression.js"
import * as Memory from "./Memory.js"
import { immediateSize, inputs, isDefined, Opcodes } from "./Opcodes.js"
import * as Slices from "./Slices.js"
import { isHashLike } from "./StorageLocation.js"

/**
 * One entry into a contract, run on formulas instead of numbers, every path at once.
 *
 * The unit is a basic block *in a context*: which return addresses stand where on the stack. Where two paths meet in the
 * same block and context their states are merged (a value that differs becomes one `merge` formula, knowledge that only
 * one of them had is dropped), and the block runs again until nothing changes. So loops end, calls of internal functions
 * stay apart, and what is reported holds for every execution, provided that `complete` is true.
 *
 * @since 0.1.0
 * @category models
 */
export interface Trace {
  readonly blocks: ReadonlyArray<Block>
  /** Selectors that the code compares the call's selector with and that were not in `options.known`. */
  readonly discovered: ReadonlySet<bigint>
  /** Every jump was followed and no bound was hit. */
  readonly complete: boolean
  readonly steps: number
}

/**
 * A basic block in a context. `events` are what its instructions did, in order. `succeeds` says that some path from here
 * ends without reverting; what a block does that cannot succeed never happened.
 *
 * @since 0.1.0
 * @category models
 */
export interface Block {
  readonly index: number
  readonly offset: number
  readonly successors: ReadonlySet<number>
  readonly events: ReadonlyArray<Event>
  readonly end: "success" | "failure" | "open"
  readonly succeeds: boolean
}

/**
 * Something a block did that analyses care about, at a byte offset.
 *
 * `facts` are the branch conditions that hold on every path to it: `2 * id` for a formula that is not zero, `2 * id + 1`
 * for one that is zero.
 *
 * @since 0.1.0
 * @category models
 */
export type Event =
  | { readonly kind: "load"; readonly offset: number; readonly slot: Expression; readonly result: Expression }
  | {
      readonly kind: "store"
      readonly offset: number
      readonly slot: Expression
      readonly value: Expression
      readonly facts: ReadonlySet<number>
      /** What an SLOAD of the slot right before would have been. */
      readonly current: Expression
    }
  | {
      readonly kind: "call"
      readonly offset: number
      readonly opcode: number
      readonly target: Expression
      readonly value: Expression | undefined
      readonly facts: ReadonlySet<number>
      /** The words that the callee is told; undefined where they cannot be told. */
      readonly input: ReadonlyArray<Expression> | undefined
      /** The first two words of what it answers. */
      readonly answers: ReadonlyArray<Expression>
    }
  | {
      readonly kind: "branch"
      readonly offset: number
      readonly condition: Expression
      readonly taken: number
      readonly passed: number
    }
  | { readonly kind: "log"; readonly offset: number; readonly topics: ReadonlyArray<Expression> }
  | { readonly kind: "return"; readonly offset: number; readonly word: Expression | undefined }
  | { readonly kind: "create" | "destroy"; readonly offset: number }

/**
 * How one entry is run: with a given selector, or (none) with any other than the `known` ones and any calldata at all.
 * Bounds are counted, never timed, so that the same code always gives the same answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly selector: bigint | undefined
  readonly known: ReadonlySet<bigint>
  readonly maxSteps: number
  /** What variables hold when the call begins, by slot; any other may hold anything. */
  readonly storage?: ReadonlyMap<bigint, bigint>
  /** Keeps every path apart instead of merging: the blocks are a tree, and a loop runs until a bound is hit. */
  readonly paths?: boolean
}

interface State extends Memory.Memory {
  readonly stack: Array<Expression>
  facts: ReadonlySet<number>
  /** The moment of the last write to a region of storage, by region; a missing region has `epoch`. */
  epochs: ReadonlyMap<string, string>
  epoch: string
}

interface Node {
  readonly index: number
  readonly offset: number
  /** How many blocks in a row were told apart by where they were reached from. */
  readonly split: number
  /** What holds when the block begins: the states of `arrivals`, merged. */
  state: State
  /** The latest state of every way into the block, by the block it comes from and the side of its branch. */
  readonly arrivals: Map<number, State>
  visits: number
  /** Where the latest run went, by the side of the branch. */
  readonly entered: Map<0 | 1, Node>
  events: Array<Event>
  end: Block["end"]
  queued: boolean
}

/**
 * Runs one entry.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = (bytecode: Bytecode, pool: Pool, options: Options): Trace =>
  Slices.complete(runInSlices(bytecode, pool, options))

/**
 * {@link run}, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* runInSlices(bytecode: Bytecode, pool: Pool, options: Options): Slices.Slices<Trace> {
  // Pointers that were taken to be in the heap. What they may be can grow while loops are run, so they are asked again.
  const trusted = new Set<Expression>()
  const trace = yield* explore(bytecode, pool, options, trusted)
  if ([...trusted].every(Memory.isHeapPointer)) return trace
  return yield* explore(
    bytecode,
    pool,
    { ...options, maxSteps: Math.max(0, options.maxSteps - trace.steps) },
    undefined
  )
}

function* explore(
  bytecode: Bytecode,
  pool: Pool,
  options: Options,
  trusted: Set<Expression> | undefined
): Slices.Slices<Trace> {
  const { bytes, jumpdests } = bytecode
  const shuffles = new Map<number, Shuffle | undefined>()
  const nodes: Array<Node> = []
  const byKey = new Map<string, Node>()
  const queue = makeQueue()
  const discovered = new Set<bigint>()
  let steps = 0
  let complete = true

  const zero = pool.constant(0n)
  const firstWord = pool.node(Opcodes.CALLDATALOAD, [zero])
  const selector = options.selector === undefined ? pool.selector : pool.constant(options.selector)
  const unwritten = pool.constant(0n)

  const isDestination = (value: Expression): boolean =>
    value.op === Kind.constant && value.bits <= 24 && value.bits > 0 && jumpdests.has(Number(value.value))

  const run = `${options.selector ?? "-"}${trusted === undefined ? "." : ""}`

  const enter = (offset: number, state: State, from: Node | undefined, side: 0 | 1): Node | undefined => {
    let key = `${offset}:${state.stack.length}`
    for (let i = 0; i < state.stack.length; i++) {
      const value = state.stack[i] as Expression
      if (isDestination(value)) key += `,${i}=${value.id}`
    }
    // An answer that an internal function gives is kept apart from the opposite one: merged, `return true` and `return
    // false` would be a value that says nothing about why it was given.
    const top = state.stack.at(-1)
    const shuffle = shuffleAt(offset)
    if (top !== undefined && top.op === Kind.constant && top.bits <= 1 && shuffle !== undefined) key += `!${top.bits}`
    // A block that only finishes a condition (`a || b`) is told apart by where it was reached from: merged there, the
    // condition would say nothing on either side.
    let split = 0
    if (options.paths === true && from !== undefined) key += `/${from.index}.${side}`
    else if (from !== undefined && from.split < maxSplit && shuffle?.end === Opcodes.JUMPI && !shuffle.compares) {
      split = from.split + 1
      key += `^${from.index}`
    }
    const arrival = from === undefined ? -1 : 2 * from.index + side
    steps += 1 + (state.stack.length >> 3) + (state.memory.length >> 3) + (state.facts.size >> 4)
    const known = byKey.get(key)
    if (known === undefined) {
      if (nodes.length >= maxBlocks) {
        complete = false
        return undefined
      }
      const node: Node = {
        index: nodes.length,
        offset,
        split,
        state,
        arrivals: new Map([[arrival, state]]),
        visits: 0,
        entered: new Map(),
        events: [],
        end: "open",
        queued: false
      }
      nodes.push(node)
      byKey.set(key, node)
      queue.push(node)
      from?.entered.set(side, node)
      return node
    }
    from?.entered.set(side, known)
    const revived = known.arrivals.size === 0
    known.arrivals.set(arrival, state)
    const merged = merge(pool, known, run)
    if (revived || !isSame(known.state, merged)) queue.push(known)
    known.state = merged
    return known
  }

  // A way that is not taken any more: what arrived by it was a first guess, and what followed from it goes, too.
  const leave = (first: Node, way: number): void => {
    const pending: Array<readonly [target: Node, arrival: number]> = [[first, way]]
    for (const [target, arrival] of pending) {
      if (!target.arrivals.delete(arrival)) continue
      if (target.arrivals.size === 0) {
        for (const [side, next] of target.entered) pending.push([next, 2 * target.index + side])
        target.entered.clear()
        target.events = []
        target.end = "failure"
        continue
      }
      const merged = merge(pool, target, run)
      if (!isSame(target.state, merged)) queue.push(target)
      target.state = merged
    }
  }

  // The jump at the end of a block that does nothing else than move the stack about, negate, and compare truth values.
  const shuffleAt = (start: number): Shuffle | undefined => {
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

  const execute = (node: Node): void => {
    const started = steps
    const state = copy(node.state)
    const { stack } = state
    node.events = []
    node.entered.clear()
    node.end = "open"
    node.visits++
    const place = (offset: number): string => `${node.index}:${offset}:${run}`
    const fresh = (offset: number): Expression => pool.unknown(place(offset))
    const pop = (): Expression => stack.pop() as Expression
    const go = (offset: number, next: State): void => {
      enter(offset, next, node, 0)
    }
    const fail = (): void => {
      node.end = "failure"
    }
    const load = (slot: Expression): Expression => {
      const region = regionOf(slot)
      const held = slot.op === Kind.constant ? options.storage?.get(slot.value) : undefined
      if (held !== undefined && ((region !== undefined && state.epochs.get(region)) || state.epoch) === "0")
        return pool.constant(held)
      return pool.node(
        Opcodes.SLOAD,
        [slot],
        region === undefined ? `?${node.index}:${run}:${epochsKey(state)}` : (state.epochs.get(region) ?? state.epoch)
      )
    }

    const loop = CopyLoop.at(bytes, node.offset)
    if (loop !== undefined) steps += Memory.copyAtOnce(pool, state, loop, unwritten, trusted)
    // What words of memory were made of that lie across several values, for as long as this block runs.
    const made = new Map<Expression, ReadonlyArray<Piece>>()

    for (let offset = node.offset; ; ) {
      if (++steps > options.maxSteps) {
        complete = false
        return
      }
      // Code without jumps is taken in parts, for only whole blocks can be put aside.
      if (steps - started > stepsPerSlice && offset !== node.offset) {
        go(offset, state)
        return
      }
      const opcode = bytes[offset] ?? Opcodes.STOP
      if (stack.length < inputs(opcode) || stack.length > 1024 || !isDefined(opcode)) {
        fail()
        return
      }
      const size = immediateSize(opcode)
      if (size > 0) {
        stack.push(pool.constant(immediate(bytes, offset + 1, size)))
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
            complete = false
            return
          }
          const destination = Number(target.value)
          if (jumpdests.has(destination)) go(destination, state)
          else fail()
          return
        }
        case Opcodes.JUMPI: {
          const target = pop()
          const condition = pop()
          const holds = decide(condition, state.facts)
          if (holds === false) {
            go(offset + 1, state)
            return
          }
          if (target.op !== Kind.constant) {
            complete = false
            return
          }
          const destination = Number(target.value)
          const valid = jumpdests.has(destination)
          if (holds === true) {
            if (valid) go(destination, state)
            else fail()
            return
          }
          const other = copy(state)
          state.facts = assume(pool, state.facts, condition, true)
          other.facts = assume(pool, other.facts, condition, false)
          const taken = valid ? enter(destination, state, node, 1) : undefined
          const passed = enter(offset + 1, other, node, 0)
          node.events.push({
            kind: "branch",
            offset,
            condition,
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
            if (!options.known.has(compared.value)) discovered.add(compared.value)
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
          stack.push(pool.node(opcode, [pop()]))
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
          // Memory of more than 32 bits costs more gas than there is.
          stack.push(pool.binary(Opcodes.AND, fresh(offset), pool.constant(0xffffffffn)))
          break
        case Opcodes.SELFBALANCE:
        case Opcodes.MSIZE:
        case Opcodes.GAS:
          stack.push(fresh(offset))
          break
        case Opcodes.EXTCODESIZE:
          // What runs has code: this is not the constructor.
          stack.push(pop().op === Opcodes.ADDRESS ? pool.constant(BigInt(bytes.length)) : fresh(offset))
          break
        case Opcodes.BALANCE:
        case Opcodes.EXTCODEHASH:
        case Opcodes.TLOAD:
          pop()
          stack.push(fresh(offset))
          break
        case Opcodes.TSTORE:
          pop()
          pop()
          break
        case Opcodes.KECCAK256: {
          const at = pop()
          const length = pop()
          const pieces = Memory.readPieces(state, at, length, unwritten)
          steps += pieces?.length ?? 0
          stack.push(pieces === undefined ? fresh(offset) : pool.hash(pieces))
          break
        }
        case Opcodes.MLOAD: {
          const at = pop()
          const word = Memory.readWord(pool, state, at, selector, firstWord, unwritten)
          if (word === undefined) {
            const across = fresh(offset)
            made.set(across, Memory.readPieces(state, at, pool.constant(Memory.word32), unwritten) ?? [])
            stack.push(across)
          } else stack.push(word)
          break
        }
        case Opcodes.MSTORE: {
          const at = pop()
          steps += state.memory.length >> 5
          Memory.writePieces(pool, state, at, Memory.piecesOf(pop(), made), trusted)
          break
        }
        case Opcodes.MSTORE8: {
          const at = pop()
          Memory.write(state, at, 1, { word: pop(), from: 31, length: 1 }, trusted)
          break
        }
        case Opcodes.CALLDATACOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          if (length.op === Kind.constant && length.value <= 32n && source.op === Kind.constant) {
            const bytesCopied = Number(length.value)
            if (bytesCopied > 0)
              Memory.write(
                state,
                at,
                bytesCopied,
                {
                  word: pool.node(Opcodes.CALLDATALOAD, [source]),
                  from: 0,
                  length: bytesCopied
                },
                trusted
              )
          } else Memory.clobber(state, at, length, trusted)
          break
        }
        case Opcodes.CODECOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          Memory.clobber(state, at, length, trusted)
          if (
            at.op === Kind.constant &&
            source.op === Kind.constant &&
            length.op === Kind.constant &&
            length.value <= 1024n &&
            source.value <= 0xffffffn
          ) {
            for (let copied = 0; copied < Number(length.value); copied += 32) {
              const part = Math.min(32, Number(length.value) - copied)
              const word = pool.constant(immediate(bytes, Number(source.value) + copied, 32))
              Memory.write(
                state,
                pool.constant(at.value + BigInt(copied)),
                part,
                { word, from: 0, length: part },
                trusted
              )
            }
          }
          break
        }
        case Opcodes.RETURNDATACOPY: {
          const [at, , length] = [pop(), pop(), pop()]
          Memory.clobber(state, at, length, trusted)
          break
        }
        case Opcodes.MCOPY: {
          const [at, source, length] = [pop(), pop(), pop()]
          steps += Memory.copyMemory(pool, state, at, source, length, unwritten, trusted)
          break
        }
        case Opcodes.EXTCODECOPY: {
          pop()
          const [at, , length] = [pop(), pop(), pop()]
          Memory.clobber(state, at, length, trusted)
          break
        }
        case Opcodes.SLOAD: {
          const slot = pop()
          const result = load(slot)
          node.events.push({ kind: "load", offset, slot, result })
          stack.push(result)
          break
        }
        case Opcodes.SSTORE: {
          const slot = pop()
          const value = pop()
          node.events.push({ kind: "store", offset, slot, value, facts: state.facts, current: load(slot) })
          touch(state, regionOf(slot), place(offset))
          break
        }
        case Opcodes.LOG0:
        case Opcodes.LOG0 + 1:
        case Opcodes.LOG0 + 2:
        case Opcodes.LOG0 + 3:
        case Opcodes.LOG4: {
          pop()
          pop()
          const topics: Array<Expression> = []
          for (let i = opcode - Opcodes.LOG0; i > 0; i--) topics.push(pop())
          node.events.push({ kind: "log", offset, topics })
          break
        }
        case Opcodes.CREATE:
        case Opcodes.CREATE2:
          for (let i = inputs(opcode); i > 0; i--) pop()
          node.events.push({ kind: "create", offset })
          stack.push(fresh(offset))
          touch(state, undefined, place(offset))
          break
        case Opcodes.CALL:
        case Opcodes.CALLCODE:
        case Opcodes.DELEGATECALL:
        case Opcodes.STATICCALL: {
          pop()
          const target = pop()
          const value = opcode === Opcodes.CALL || opcode === Opcodes.CALLCODE ? pop() : undefined
          const told = pop()
          const pieces = Memory.readPieces(state, told, pop(), unwritten)
          steps += pieces?.length ?? 0
          const input = pieces === undefined ? undefined : Memory.wordsOf(pieces)
          const at = pop()
          const length = pop()
          const answers = [pool.unknown(`${place(offset)}!`), pool.unknown(`${place(offset)}!!`)]
          Memory.clobber(state, at, length, trusted)
          for (const [i, word] of answers.entries())
            if (length.op === Kind.constant && length.bits <= 24 && Number(length.value) >= 32 * (i + 1))
              Memory.write(
                state,
                pool.binary(Opcodes.ADD, at, pool.constant(BigInt(32 * i))),
                32,
                { word, from: 0, length: 32 },
                trusted
              )
          node.events.push({ kind: "call", offset, opcode, target, value, facts: state.facts, input, answers })
          // The callee may call back.
          if (opcode !== Opcodes.STATICCALL) touch(state, undefined, place(offset))
          stack.push(fresh(offset))
          break
        }
        default:
          fail()
          return
      }
      offset++
    }
  }

  enter(
    0,
    {
      stack: [],
      memory: [],
      untouched: true,
      heap: undefined,
      facts: factsOf(pool, options.selector),
      epochs: noEpochs,
      epoch: "0"
    },
    undefined,
    0
  )
  let sliced = steps
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (steps - sliced > stepsPerSlice) {
      sliced = steps
      yield undefined
    }
    if (node.arrivals.size === 0) continue
    const before = node.visits <= maxVisits ? [...node.entered] : []
    execute(node)
    for (const [side, target] of before) if (node.entered.get(side) !== target) leave(target, 2 * node.index + side)
    if (steps > options.maxSteps) break
  }
  return { blocks: finish(nodes), discovered, complete, steps }
}

/** About 2 ms. */
const stepsPerSlice = 2_000

/** A block that only prepares its jump. */
interface Shuffle {
  readonly end: number
  readonly compares: boolean
}

/** Blocks in a row that are told apart by where they were reached from. */
const maxSplit = 3

/** Blocks in contexts in one entry. */
const maxBlocks = 6_000

const copy = (state: State): State => ({
  stack: state.stack.slice(),
  memory: state.memory,
  untouched: state.untouched,
  heap: state.heap,
  facts: state.facts,
  epochs: state.epochs,
  epoch: state.epoch
})

const epochsKey = (state: State): string =>
  `${state.epoch};${[...state.epochs].map(([region, epoch]) => `${region}=${epoch}`).join(";")}`

/**
 * The states of all ways into a block, merged. Only what arrives now counts, not what once did: a loop's first round, run
 * when its counter was still zero, leaves no trace in the blocks after it. A block that keeps changing all the same is
 * held to what it was before, too, so that it comes to rest.
 */
const merge = (pool: Pool, node: Node, run: string): State => {
  const held = node.visits > maxVisits
  const states = held ? [node.state, ...node.arrivals.values()] : [...node.arrivals.values()]
  const [first] = states as [State]
  if (states.length === 1) return first
  // What was the same on every way is the same behind the merge point, too.
  const met = new Map<string, Expression>()
  const meet = (values: ReadonlyArray<Expression>, place: string): Expression => {
    const [some] = values as [Expression]
    if (values.every((value) => value === some)) return some
    const key = values.map((value) => value.id).join()
    const same = met.get(key)
    if (same !== undefined) return same
    const merged = pool.merge(`${node.index}:${place}:${run}`)
    met.set(key, merged)
    const others = new Set(values)
    others.delete(merged)
    if (others.size === 1 && !(held && some === merged)) {
      const [only] = [...others] as [Expression]
      met.set(key, only)
      return only
    }
    if (!held) merged.alternatives.clear()
    for (const value of others) merged.alternatives.add(value)
    return merged
  }
  const memory: Array<Memory.Segment> = []
  for (const segment of first.memory) {
    const { at, piece } = segment
    const pieces = states.map((state) => state.memory.find((candidate) => candidate.at === at)?.piece)
    if (!pieces.every((other) => other?.length === piece.length)) continue
    if (pieces.every((other) => other?.word === piece.word && other.from === piece.from)) memory.push(segment)
    else if (piece.length === 32)
      memory.push({
        at,
        piece: {
          word: meet(
            pieces.map((other) => (other as Piece).word),
            `m${at}`
          ),
          from: 0,
          length: 32
        }
      })
  }
  const facts = common(states.map((state) => state.facts))
  const epoch = states.every((state) => state.epoch === first.epoch) ? first.epoch : `${node.index}~`
  const epochs = new Map<string, string>()
  for (const state of states) {
    for (const region of state.epochs.keys()) {
      if (epochs.has(region)) continue
      const some = first.epochs.get(region) ?? first.epoch
      epochs.set(
        region,
        states.every((other) => (other.epochs.get(region) ?? other.epoch) === some) ? some : `${node.index}~${region}`
      )
    }
  }
  return {
    stack: first.stack.map((_, i) =>
      meet(
        states.map((state) => state.stack[i] as Expression),
        `${i}`
      )
    ),
    memory,
    // A word that only some of them wrote is not known to be zero.
    untouched: states.every((state) => state.untouched && state.memory.length === memory.length),
    heap: states.every((state) => Memory.isSameHeap(state.heap, first.heap)) ? first.heap : undefined,
    facts,
    epochs,
    epoch
  }
}

const common = (sets: ReadonlyArray<ReadonlySet<number>>): ReadonlySet<number> => {
  const smallest = sets.reduce((a, b) => (b.size < a.size ? b : a))
  if (sets.every((set) => set === smallest)) return smallest
  const kept = new Set<number>()
  for (const fact of smallest) if (sets.every((set) => set.has(fact))) kept.add(fact)
  return kept
}

/** Runs of a block after which it may not change back. */
const maxVisits = 6

const isSame = (a: State, b: State): boolean => {
  if (a === b) return true
  if (a.stack.length !== b.stack.length) return false
  if (
    a.facts.size !== b.facts.size ||
    a.memory.length !== b.memory.length ||
    a.untouched !== b.untouched ||
    a.epoch !== b.epoch
  )
    return false
  for (let i = 0; i < a.stack.length; i++) if (a.stack[i] !== b.stack[i]) return false
  if (!Memory.areSame(a.memory, b.memory) || !Memory.isSameHeap(a.heap, b.heap)) return false
  if (a.facts !== b.facts) for (const fact of a.facts) if (!b.facts.has(fact)) return false
  if (a.epochs.size !== b.epochs.size) return false
  for (const [region, epoch] of a.epochs) if (b.epochs.get(region) !== epoch) return false
  return true
}

/** Notes a write to a region of storage (none: to anywhere). */
const touch = (state: State, region: string | undefined, epoch: string): void => {
  if (region === undefined) {
    state.epochs = noEpochs
    state.epoch = epoch
  } else state.epochs = new Map(state.epochs).set(region, epoch)
}

const noEpochs: ReadonlyMap<string, string> = new Map()

/**
 * The part of storage a slot lies in: a variable, a mapping, an array. Parts do not overlap, for keccak-256 does not
 * collide. None for a slot that may be anywhere.
 */
const regionOf = (slot: Expression): string | undefined => {
  // A number that may be a hash may be the place of a mapping's entry.
  if (slot.op === Kind.constant) return isHashLike(slot.value) ? undefined : slot.value.toString(16)
  if (slot.op === Opcodes.KECCAK256 && slot.tag === "32") {
    const [first, second] = slot.args as [Expression, Expression | undefined]
    if (second === undefined) {
      const inner = regionOf(first)
      return inner === undefined ? undefined : `${inner}[]`
    }
    const inner = regionOf(second) ?? regionOf(first)
    return inner === undefined ? undefined : `${inner}[k]`
  }
  if (slot.op === Opcodes.KECCAK256) return `#${slot.tag}`
  if (slot.op === Opcodes.ADD) {
    const [a, b] = slot.args as [Expression, Expression]
    return a.op === Kind.constant ? regionOf(b) : (regionOf(a) ?? (b.op === Kind.constant ? undefined : regionOf(b)))
  }
  return undefined
}

/** Whether a condition is decided by what is known. */
const decide = (condition: Expression, facts: ReadonlySet<number>): boolean | undefined => {
  if (condition.op === Kind.constant) return condition.value !== 0n
  if (facts.has(2 * condition.id)) return true
  if (facts.has(2 * condition.id + 1)) return false
  if (condition.op === Opcodes.ISZERO) {
    const inner = decide(condition.args[0] as Expression, facts)
    return inner === undefined ? undefined : !inner
  }
  if (condition.op === Opcodes.AND && condition.args.every((arg) => arg.bits === 1)) {
    const [a, b] = condition.args.map((arg) => decide(arg, facts))
    return a === false || b === false ? false : a === true && b === true ? true : undefined
  }
  if (condition.op === Opcodes.OR) {
    const [a, b] = condition.args.map((arg) => decide(arg, facts))
    return a === true || b === true ? true : a === false && b === false ? false : undefined
  }
  return undefined
}

/** The facts, and what follows from a condition that holds, or does not. */
const assume = (pool: Pool, facts: ReadonlySet<number>, condition: Expression, holds: boolean): ReadonlySet<number> => {
  const more = new Set(facts)
  note(pool, more, condition, holds)
  return more
}

const note = (pool: Pool, facts: Set<number>, condition: Expression, holds: boolean): void => {
  if (condition.op === Kind.constant) return
  if (condition.op === Opcodes.ISZERO) {
    note(pool, facts, condition.args[0] as Expression, !holds)
    return
  }
  const [a, b] = condition.args as [Expression, Expression]
  if (condition.op === Opcodes.AND && holds && a.bits === 1 && b.bits === 1) {
    note(pool, facts, a, true)
    note(pool, facts, b, true)
  } else if (condition.op === Opcodes.OR && !holds) {
    note(pool, facts, a, false)
    note(pool, facts, b, false)
  } else if (condition.op === Opcodes.SUB || condition.op === Opcodes.XOR) {
    note(pool, facts, pool.binary(Opcodes.EQ, a, b), !holds)
  }
  facts.add(2 * condition.id + (holds ? 0 : 1))
}

const immediate = (bytes: Uint8Array, start: number, size: number): bigint => {
  let high = 0n
  let chunk = 0
  let digits = 0
  for (let i = start; i < start + size; i++) {
    chunk = chunk * 256 + (bytes[i] ?? 0)
    if (++digits === 6) {
      high = (high << 48n) | BigInt(chunk)
      chunk = 0
      digits = 0
    }
  }
  return digits === 0 ? high : (high << BigInt(8 * digits)) | BigInt(chunk)
}

/** Blocks wait so that the innermost call and the earliest code go first: most merges then happen before what follows runs. */
const makeQueue = (): { readonly push: (node: Node) => void; readonly pop: () => Node | undefined } => {
  const heap: Array<Node> = []
  const before = (a: Node, b: Node): boolean => {
    const depth = b.state.stack.length - a.state.stack.length
    return depth !== 0 ? depth < 0 : a.offset !== b.offset ? a.offset < b.offset : a.index < b.index
  }
  return {
    push: (node) => {
      if (node.queued) return
      node.queued = true
      heap.push(node)
      let i = heap.length - 1
      while (i > 0) {
        const parent = (i - 1) >> 1
        if (!before(node, heap[parent] as Node)) break
        heap[i] = heap[parent] as Node
        i = parent
      }
      heap[i] = node
    },
    pop: () => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined) return undefined
      first.queued = false
      if (heap.length > 0) {
        let i = 0
        for (;;) {
          let child = 2 * i + 1
          if (child >= heap.length) break
          if (child + 1 < heap.length && before(heap[child + 1] as Node, heap[child] as Node)) child++
          if (!before(heap[child] as Node, last)) break
          heap[i] = heap[child] as Node
          i = child
        }
        heap[i] = last
      }
      return first
    }
  }
}

/**
 * A call with a selector has calldata; one without any is the entry's for which none is given. Old compilers ask for that
 * first, and every function would seem to do what the code does when it is sent ether.
 */
const factsOf = (pool: Pool, selector: bigint | undefined): ReadonlySet<number> =>
  selector === undefined ? new Set() : assume(pool, new Set(), pool.nullary(Opcodes.CALLDATASIZE), true)

/** Marks the blocks from which some path ends well. An end that was never reached counts as one, for it may be. */
const finish = (nodes: ReadonlyArray<Node>): ReadonlyArray<Block> => {
  const predecessors: Array<Array<number>> = nodes.map(() => [])
  for (const node of nodes) for (const next of node.entered.values()) predecessors[next.index]?.push(node.index)
  const succeeds = new Uint8Array(nodes.length)
  const pending: Array<number> = []
  const mark = (index: number): void => {
    if (succeeds[index] === 1) return
    succeeds[index] = 1
    pending.push(index)
  }
  for (const node of nodes)
    if (node.end === "success" || (node.end === "open" && node.entered.size === 0)) mark(node.index)
  for (let index = pending.pop(); index !== undefined; index = pending.pop())
    for (const previous of predecessors[index] ?? []) mark(previous)
  return nodes.map((node) => ({
    index: node.index,
    offset: node.offset,
    successors: new Set([...node.entered.values()].map((next) => next.index)),
    events: node.events,
    end: node.end,
    succeeds: succeeds[node.index] === 1
  }))
}

import { Effect } from "effect"
import * as OxHex from "ox/Hex"
import type { Hex } from "../domain/Hex.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import * as Bytecode from "./Bytecode.js"
import { type Expression, Kind, makePool, maxWord, type Pool } from "./Expression.js"
import * as Guard from "./Guard.js"
import { Opcodes } from "./Opcodes.js"
import { isAtLeast } from "./Ordering.js"
import { type Field, fieldOf, isLowMask, loadedField, makeTracer, type Origin, type Tracer, unique } from "./Origin.js"
import * as Selectors from "./Selectors.js"
import * as StorageLocation from "./StorageLocation.js"

/**
 * What a runtime code can do with its storage, function by function, found by running every path on formulas
 * ({@link AbstractInterpreter}). Nothing here depends on names, sources or state.
 *
 * What is listed can be in the code of a function that is never allowed to run; what is not listed does not happen,
 * provided that `completeness.complete`.
 *
 * @since 0.1.0
 * @category models
 */
export interface StorageFlow {
  readonly functions: ReadonlyArray<FunctionFlow>
  readonly slots: ReadonlyArray<StorageSlot>
  readonly delegations: ReadonlyArray<Delegation>
  readonly completeness: Completeness
}

/**
 * One entry of the contract: a selector, or `fallback` for all calldata that no selector answers to.
 *
 * @since 0.1.0
 * @category models
 */
export interface FunctionFlow {
  readonly selector: Hex | "fallback"
  readonly reads: ReadonlyArray<Read>
  readonly writes: ReadonlyArray<Write>
  readonly gates: ReadonlyArray<Gate>
  readonly calls: ReadonlyArray<Call>
  /** Variables whose content goes into the word that is returned; undefined where no single word is. */
  readonly returns: ReadonlyArray<Variable> | undefined
  /** All of its paths were followed and all of its writes located. */
  readonly complete: boolean
}

/**
 * A variable, or all entries of a mapping: bits of the words at a {@link StorageLocation} id.
 *
 * @since 0.1.0
 * @category models
 */
export interface Variable {
  readonly slot: string
  readonly mask: Hex
}

/**
 * An SLOAD. `slot` is a {@link StorageLocation} id, which all entries of one mapping share.
 *
 * @since 0.1.0
 * @category models
 */
export interface Read {
  readonly slot: string
  readonly keys: ReadonlyArray<Origin>
}

/**
 * An SSTORE: which entry, what happens to its number, who is let through to it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Write {
  readonly slot: string
  readonly keys: ReadonlyArray<Origin>
  /** The part of the word that changes, where the rest is put back. */
  readonly field: Field | undefined
  /** The bits that may change. */
  readonly mask: Hex
  readonly change: Change
  readonly guards: ReadonlyArray<Guard.Guard>
  /** Mappings of mappings (allowances) that every path through this write asks, before it or after it. */
  readonly asks: ReadonlyArray<string>
  /** Byte offset of the instruction. */
  readonly offset: number
}

/**
 * What a write does to the number that was there.
 *
 * - `increase` and `decrease`: by an amount from `amount`; a decrease is known not to wrap below zero.
 * - `set`: to something that has nothing to do with what was there, from `amount`.
 * - `clear`: to zero. `keep`: not at all, or bits are taken away. `raise`: bits are set that may have been unset.
 * - `unknown`: something else, such as a decrease that may wrap or a product.
 *
 * `matched` says that the same function takes at least the amount off another entry of the same mapping, or (for a
 * decrease) adds no more than it to others.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  readonly kind: "increase" | "decrease" | "set" | "clear" | "keep" | "raise" | "unknown"
  readonly amount: ReadonlyArray<Origin>
  readonly matched: boolean
}

/**
 * A condition without which the function reverts, or ends without having written anything, by what it reads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Gate {
  readonly reads: ReadonlyArray<Read & { readonly field: Field | undefined }>
  /** What else is compared: the caller, an argument, the time. */
  readonly about: ReadonlyArray<Origin["kind"]>
  /** The condition compares sizes (a limit), rather than asking yes or no. */
  readonly compares: boolean
  /** What is read is multiplied or divided in it: a rate or an overflow check. */
  readonly computes: boolean
  /** What a condition on one value alone asks it to be. */
  readonly requires: "zero" | "nonzero" | undefined
}

/**
 * A call of another contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly kind: "call" | "callcode" | "delegatecall" | "staticcall"
  readonly target: ReadonlyArray<Origin>
  readonly guards: ReadonlyArray<Guard.Guard>
}

/**
 * A DELEGATECALL (or CALLCODE): where the code that runs on this storage comes from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Delegation {
  readonly target: Origin
  readonly selectors: ReadonlyArray<Hex | "fallback">
}

/**
 * A variable, or all entries of a mapping or array, with the functions that read and write it. `type` is inferred from
 * masks and keys and is a hint.
 *
 * @since 0.1.0
 * @category models
 */
export interface StorageSlot {
  readonly slot: string
  readonly fields: ReadonlyArray<Field>
  readonly type: string
  readonly reads: ReadonlyArray<Hex | "fallback">
  readonly writes: ReadonlyArray<Hex | "fallback">
}

/**
 * How much was seen. `total*` count the SLOAD and SSTORE instructions in any block that begins at offset 0 or a JUMPDEST
 * and is not metadata; `attributed*` count those that some function was seen to run and whose slot was located every
 * time. `ratio` is attributed through total over both. Unused code makes the ratio smaller and takes nothing from
 * `complete`, which says that every path of every entry was followed, every write located, and no foreign code runs on
 * this storage; `gaps` says what is missing for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Completeness {
  readonly attributedSload: number
  readonly totalSload: number
  readonly attributedSstore: number
  readonly totalSstore: number
  readonly ratio: number
  readonly complete: boolean
  readonly gaps: ReadonlyArray<Gap>
}

/**
 * Why an analysis is not complete: a jump that could not be followed or a bound that was hit, a write whose slot could
 * not be located, or code of another contract that runs on this storage.
 *
 * @since 0.1.0
 * @category models
 */
export type Gap = "control_flow" | "write_location" | "delegatecall"

/**
 * Analyses a runtime code; in constant time for the same code, with the same result, and bounded for any
 * (about 6 ms for a token, 200 ms at worst).
 *
 * @since 0.1.0
 * @category constructors
 */
export const analyse = (code: Hex): Effect.Effect<StorageFlow> =>
  Selectors.dispatched(code).pipe(
    // A trap in evmole costs nothing here: selectors are found again where the code compares them.
    Effect.catchAllDefect(() => Effect.succeed<ReadonlyArray<Hex>>([])),
    Effect.map((selectors) => analyseWith(code, selectors))
  )

/**
 * {@link analyse} for a code whose selectors are known; selectors that are missing are found where the code compares
 * them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const analyseWith = (code: Hex, selectors: ReadonlyArray<Hex>): StorageFlow => {
  const bytecode = Bytecode.parse(code)
  const pool = makePool()
  const locator = StorageLocation.makeLocator(pool, keysIn(bytecode))
  const tracer = makeTracer(locator, maxParts)
  const known = new Set(selectors.map((selector) => BigInt(selector)))
  const pending: Array<bigint | undefined> = [undefined, ...known]
  const analyses: Array<FunctionAnalysis> = []
  let left = maxSteps
  for (const selector of pending) {
    const trace = AbstractInterpreter.run(bytecode, pool, {
      selector,
      known,
      maxSteps: Math.min(left, maxStepsOfEntry)
    })
    left -= Math.min(left, trace.steps)
    if (tracer.exhausted()) break
    for (const found of trace.discovered) {
      if (known.has(found) || known.size >= maxEntries) continue
      known.add(found)
      pending.push(found)
    }
    analyses.push(
      analyseFunction(
        pool,
        locator,
        tracer,
        selector === undefined ? "fallback" : OxHex.fromNumber(selector, { size: 4 }),
        trace
      )
    )
  }
  const functions = analyses.map((analysis) => analysis.flow).sort((a, b) => (a.selector < b.selector ? -1 : 1))
  const delegations = delegationsOf(functions)
  const gaps = new Set<Gap>(analyses.flatMap((analysis) => analysis.gaps))
  if (tracer.exhausted() || pending.length > analyses.length) gaps.add("control_flow")
  // What a contract delegates to itself is one of its own functions.
  if (delegations.some((delegation) => delegation.target.kind !== "self")) gaps.add("delegatecall")
  return {
    functions,
    slots: slotsOf(pool, tracer, functions),
    delegations,
    completeness: measure(bytecode, analyses, [...gaps].sort())
  }
}

/**
 * What one function does when some variables hold what they hold now: `storage` gives words by slot, both of 32 bytes.
 * Answers whether a function that works once has been used, or one that asks for the owner can still be called when there
 * is none. Variables that the function itself or a call has changed before count as unknown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const functionAt = (code: Hex, selector: Hex, storage: ReadonlyMap<Hex, Hex>): FunctionFlow => {
  const bytecode = Bytecode.parse(code)
  const pool = makePool()
  const locator = StorageLocation.makeLocator(pool, keysIn(bytecode))
  const held = new Map([...storage].map(([slot, word]) => [BigInt(slot), BigInt(word)]))
  const trace = AbstractInterpreter.run(bytecode, pool, {
    selector: BigInt(selector),
    known: new Set(),
    maxSteps: maxStepsOfEntry,
    storage: held
  })
  return analyseFunction(pool, locator, makeTracer(locator, maxParts), selector, trace).flow
}

/** The constants of a code that may be mapping keys: addresses, roles, roots of namespaces. */
const keysIn = (bytecode: Bytecode.Bytecode): ReadonlyArray<bigint> =>
  bytecode.instructions.flatMap(({ opcode, immediate }) =>
    opcode >= Opcodes.PUSH20 && opcode <= Opcodes.PUSH32 ? [immediate] : []
  )

/** Instructions run for one code; about 200 ms. */
const maxSteps = 250_000

const maxStepsOfEntry = 100_000

const maxEntries = 400

/** Parts of formulas looked at for one code; about 100 ms. */
const maxParts = 1_000_000

interface FunctionAnalysis {
  readonly flow: FunctionFlow
  readonly gaps: ReadonlyArray<Gap>
  /** Offsets of SLOAD and SSTORE that ran, and of those that could not be located at least once. */
  readonly ran: ReadonlySet<number>
  readonly lost: ReadonlySet<number>
}

const analyseFunction = (
  pool: Pool,
  locator: StorageLocation.Locator,
  tracer: Tracer,
  selector: Hex | "fallback",
  trace: AbstractInterpreter.Trace
): FunctionAnalysis => {
  const { blocks } = trace
  const reads = new Map<string, Read>()
  const calls = new Map<string, Call>()
  const gates = new Map<string, Gate>()
  const stores: Array<Store> = []
  const returns = new Map<string, Variable>()
  let returnsWord = false
  const ran = new Set<number>()
  const lost = new Set<number>()
  const deciding = new Set<number>()
  const gaps = new Set<Gap>(trace.complete ? [] : ["control_flow"])
  const graph = graphOf(trace)
  const ends = blocks.flatMap((block) => (isEnd(block) ? [block.index] : []))
  const guardsAt = Guard.make(pool, tracer, trace, (index) => graph.after([index]))
  const writing = graph.before(
    blocks.flatMap((block) =>
      block.succeeds && block.events.some((event) => event.kind === "store") ? [block.index] : []
    )
  )
  for (const block of blocks) {
    for (const event of block.events) {
      if (event.kind === "load" || event.kind === "store") ran.add(event.offset)
      if (!block.succeeds) continue
      switch (event.kind) {
        case "load": {
          const locations = tracer.locate(event.slot)
          if (locations === undefined) lost.add(event.offset)
          for (const { id, keys } of locations ?? []) {
            const read = { slot: id, keys: keys.map((key) => tracer.origin(key)) }
            reads.set(JSON.stringify(read), read)
          }
          break
        }
        case "store": {
          const locations = tracer.locate(event.slot)
          if (locations === undefined || !locations.every((location) => locator.isBounded(location, event.facts))) {
            lost.add(event.offset)
            gaps.add("write_location")
          }
          for (const location of locations ?? [])
            stores.push({ block: block.index, location, event, ...unpack(event.value, event.current) })
          break
        }
        case "call": {
          const call: Call = {
            kind: callKinds[event.opcode] ?? "call",
            target: tracer.origins(event.target),
            guards: guardsAt(block.index, event.facts)
          }
          calls.set(JSON.stringify(call), call)
          break
        }
        case "branch": {
          const sides = [event.taken, event.passed].map((index) => blocks[index]?.succeeds ?? false)
          const [taken, passed] = sides[0] === sides[1] ? [writing.has(event.taken), writing.has(event.passed)] : sides
          if (taken === passed) break
          if (deciding.size < maxGates) deciding.add(block.index)
          const gate = gateOf(tracer, event.condition, taken === true)
          if (gate.reads.length > 0 || gate.about.length > 0) gates.set(JSON.stringify(gate), gate)
          break
        }
        case "return":
          if (event.word === undefined) break
          returnsWord = true
          for (const variable of variablesIn(tracer, event.word)) returns.set(JSON.stringify(variable), variable)
          break
      }
    }
  }
  // `a || b`: b is asked where a says no. What lets a call go round a gate is part of it.
  for (const index of deciding) {
    const around = graph.before(ends, { blocks: new Set([index]), steps: noSteps })
    for (const before of graph.into(index)) {
      const event = blocks[before]?.events.find((candidate) => candidate.kind === "branch")
      if (event?.kind !== "branch" || deciding.has(before) || deciding.size >= maxGates) continue
      const [taken, passed] = [around.has(event.taken), around.has(event.passed)]
      if (taken === passed) continue
      deciding.add(before)
      const gate = gateOf(tracer, event.condition, taken)
      if (gate.reads.length > 0 || gate.about.length > 0) gates.set(JSON.stringify(gate), gate)
    }
  }
  return {
    flow: {
      selector,
      reads: [...reads.values()],
      writes: writesOf(pool, tracer, stores, guardsAt, asksAround(pool, tracer, trace, graph)),
      gates: [...gates.values()],
      calls: [...calls.values()],
      returns: returnsWord ? [...returns.values()] : undefined,
      complete: gaps.size === 0
    },
    gaps: [...gaps],
    ran,
    lost
  }
}

/** What can run before and after a block, on paths that succeed. */
interface Graph {
  /** The branches whose one side leads straight to a block. */
  readonly into: (block: number) => ReadonlyArray<number>
  readonly before: (blocks: ReadonlyArray<number>, without?: Without) => ReadonlySet<number>
  readonly after: (blocks: ReadonlyArray<number>, without?: Without) => ReadonlySet<number>
}

/** Blocks, and steps from one block to another, that are left out. */
interface Without {
  readonly blocks: ReadonlySet<number>
  readonly steps: ReadonlySet<string>
}

const graphOf = ({ blocks }: AbstractInterpreter.Trace): Graph => {
  const predecessors: Array<Array<number>> = blocks.map(() => [])
  for (const block of blocks) for (const next of block.successors) predecessors[next]?.push(block.index)
  const walk = (
    starts: ReadonlyArray<number>,
    next: (index: number) => Iterable<number>,
    accepts: (index: number, from: number | undefined) => boolean
  ): ReadonlySet<number> => {
    const seen = new Set(starts.filter((index) => accepts(index, undefined)))
    for (const index of seen) for (const other of next(index)) if (accepts(other, index)) seen.add(other)
    return seen
  }
  const isOpen = (index: number, without: Without | undefined): boolean =>
    blocks[index]?.succeeds === true && without?.blocks.has(index) !== true
  return {
    into: (index) => {
      const found: Array<number> = []
      const pending = [index]
      for (const block of pending) {
        for (const previous of predecessors[block] ?? []) {
          if (blocks[previous]?.succeeds !== true) continue
          if ((blocks[previous]?.successors.size ?? 0) > 1) found.push(previous)
          else if (!pending.includes(previous) && pending.length < 16) pending.push(previous)
        }
      }
      return found
    },
    before: (starts, without) =>
      walk(
        starts,
        (index) => predecessors[index] ?? [],
        (index, to) => isOpen(index, without) && without?.steps.has(`${index}>${to}`) !== true
      ),
    after: (starts, without) =>
      walk(
        starts,
        (index) => blocks[index]?.successors ?? [],
        (index, from) => isOpen(index, without) && without?.steps.has(`${from}>${index}`) !== true
      )
  }
}

const noSteps: ReadonlySet<string> = new Set()

/** Conditions of one function whose alternatives are looked for. */
const maxGates = 64

const isEnd = (block: AbstractInterpreter.Block | undefined): boolean =>
  block !== undefined && (block.end === "success" || (block.end === "open" && block.successors.size === 0))

/**
 * Tells the allowance-like mappings that are asked on every path through a block; a path on which the caller was found to
 * be the account itself (the mapping key) needs none and counts as asked.
 */
const asksAround = (
  pool: Pool,
  tracer: Tracer,
  trace: AbstractInterpreter.Trace,
  graph: Graph
): ((index: number, keys: ReadonlyArray<Expression>) => ReadonlyArray<string>) => {
  const questions = new Map<string, Set<number>>()
  const identities = new Map<Expression, Set<string>>()
  const add = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, new Set([value]))
    else known.add(value)
  }
  const caller = pool.nullary(Opcodes.CALLER)
  for (const block of trace.blocks) {
    for (const event of block.events) {
      if (event.kind !== "branch" || !block.succeeds) continue
      for (const slot of tracer.slots(event.condition)) if (slot.endsWith("[k][k]")) add(questions, slot, block.index)
      let condition = event.condition
      let equal = event.taken
      while (condition.op === Opcodes.ISZERO) {
        condition = condition.args[0] as Expression
        equal = equal === event.taken ? event.passed : event.taken
      }
      if (condition.op !== Opcodes.EQ || !condition.args.includes(caller)) continue
      add(identities, condition.args[condition.args[0] === caller ? 1 : 0] as Expression, `${block.index}>${equal}`)
    }
  }
  const ends = trace.blocks.flatMap((block) => (isEnd(block) ? [block.index] : []))
  const unasked = new Map<string, readonly [before: ReadonlySet<number>, after: ReadonlySet<number>]>()
  return (index, keys) =>
    [...questions].flatMap(([slot, asking]) => {
      const [account] = keys
      const key = `${slot} ${account?.id}`
      let found = unasked.get(key)
      if (found === undefined) {
        const without = {
          blocks: asking,
          steps: (account === undefined ? undefined : identities.get(account)) ?? new Set<string>()
        }
        found = [graph.after([0], without), graph.before(ends, without)]
        unasked.set(key, found)
      }
      return found[0].has(index) && found[1].has(index) ? [] : [slot]
    })
}

/** Variables whose content goes into a formula. */
const variablesIn = (tracer: Tracer, what: Expression): ReadonlyArray<Variable> => {
  const found: Array<Variable> = []
  const masked = new Set<Expression>()
  for (const part of tracer.parts(what)) {
    const loaded = masked.has(part) ? undefined : loadedField(part)
    if (loaded === undefined) continue
    masked.add(loaded.load)
    for (const { id } of tracer.locate(loaded.load.args[0] as Expression) ?? [])
      found.push({ slot: id, mask: OxHex.fromNumber(loaded.mask, { size: 32 }) })
  }
  return unique(found)
}

const callKinds: Readonly<Record<number, Call["kind"]>> = {
  [Opcodes.CALL]: "call",
  [Opcodes.CALLCODE]: "callcode",
  [Opcodes.DELEGATECALL]: "delegatecall",
  [Opcodes.STATICCALL]: "staticcall"
}

type StoreEvent = Extract<AbstractInterpreter.Event, { kind: "store" }>

interface Store extends Unpacked {
  readonly block: number
  readonly location: StorageLocation.StorageLocation
  readonly event: StoreEvent
}

/** What a write that puts back a part of the word changes of it: `(old & kept) | (value << shift)`, `old | bits`, `old & kept`. */
interface Unpacked {
  readonly field: Field | undefined
  readonly mask: bigint
  readonly value: Expression
}

const unpack = (value: Expression, current: Expression): Unpacked => {
  const [left, right] = value.args
  if (value.op === Opcodes.AND && left === current && right?.op === Kind.constant)
    return { field: undefined, mask: maxWord ^ right.value, value }
  if (value.op !== Opcodes.OR) return { field: undefined, mask: maxWord, value }
  for (const [rest, part] of [
    [left, right],
    [right, left]
  ]) {
    if (rest === undefined || part === undefined) continue
    if (rest === current && part.op === Kind.constant) return { field: undefined, mask: part.value, value }
    if (rest.op !== Opcodes.AND || rest.args[0] !== current || rest.args[1]?.op !== Kind.constant) continue
    const mask = maxWord ^ rest.args[1].value
    const field = fieldOf(mask)
    if (field === undefined) continue
    const [by, shifted] = part.args
    const isShifted =
      part.op === Opcodes.SHL &&
      by?.op === Kind.constant &&
      by.value === BigInt(8 * field.offset) &&
      shifted !== undefined
    const inner = isShifted ? shifted : part
    const isMasked = inner.op === Opcodes.AND && inner.args[1]?.op === Kind.constant && isLowMask(inner.args[1].value)
    return { field, mask, value: isMasked ? (inner.args[0] as Expression) : inner }
  }
  return { field: undefined, mask: maxWord, value }
}

/** Amounts that one write adds to or takes off what is there. */
interface Delta {
  readonly kind: Change["kind"]
  readonly amounts: ReadonlyArray<Expression>
}

const writesOf = (
  pool: Pool,
  tracer: Tracer,
  stores: ReadonlyArray<Store>,
  guardsAt: Guard.Guards,
  asksAt: (index: number, keys: ReadonlyArray<Expression>) => ReadonlyArray<string>
): ReadonlyArray<Write> => {
  const deltas = stores.map((store) => deltasOf(pool, tracer, store))
  const writes = new Map<string, Write>()
  for (const [i, store] of stores.entries()) {
    const { location, event, field } = store
    const keys = location.keys.map((key) => tracer.origin(key))
    const guards = guardsAt(store.block, event.facts)
    const asks = asksAt(store.block, location.keys)
    // What other writes of the function to the same mapping do in return.
    const others = (kind: Change["kind"]): ReadonlyArray<Expression> =>
      stores.flatMap((other, j) =>
        other.location.id === location.id && other.event !== event
          ? (deltas[j] ?? []).flatMap((delta) =>
              // An entry that is cleared has lost all it held.
              delta.kind === "clear" && kind === "decrease"
                ? [other.event.current]
                : delta.kind === kind
                  ? delta.amounts
                  : []
            )
          : []
      )
    for (const delta of deltas[i] ?? []) {
      const matched =
        delta.amounts.length > 0 &&
        location.keys.length > 0 &&
        ((delta.kind === "increase" &&
          delta.amounts.every((amount) => isCovered(pool, amount, others("decrease"), event.facts, 0))) ||
          (delta.kind === "decrease" &&
            others("increase").length > 0 &&
            others("increase").every((amount) => isCovered(pool, amount, delta.amounts, event.facts, 0))))
      const write: Write = {
        slot: location.id,
        keys,
        field,
        mask: OxHex.fromNumber(store.mask, { size: 32 }),
        change: {
          kind: delta.kind,
          amount: unique(delta.amounts.flatMap((amount) => tracer.origins(amount))),
          matched
        },
        guards,
        asks,
        offset: event.offset
      }
      writes.set(JSON.stringify(write), write)
    }
  }
  return [...writes.values()]
}

const deltasOf = (pool: Pool, tracer: Tracer, { location, event, value, field }: Store): ReadonlyArray<Delta> => {
  const found: Array<Delta> = []
  const seen = new Set<Expression>()
  const visit = (what: Expression, depth: number): void => {
    if (seen.has(what)) return
    seen.add(what)
    if (what.op === Kind.merge && depth < 4 && what.alternatives.size <= 8) {
      for (const alternative of what.alternatives) visit(alternative, depth + 1)
      return
    }
    found.push(deltaOf(pool, tracer, what, event, location, field))
  }
  visit(value, 0)
  return found
}

const deltaOf = (
  pool: Pool,
  tracer: Tracer,
  value: Expression,
  event: StoreEvent,
  location: StorageLocation.StorageLocation,
  field: Field | undefined
): Delta => {
  if (value.op === Kind.constant)
    return { kind: value.value === 0n ? "clear" : "set", amounts: value.value === 0n ? [] : [value] }
  const isOld = (what: Expression): boolean => {
    if (what === event.current) return true
    const [a, b] = what.args
    if (what.op === Opcodes.AND && b?.op === Kind.constant && a !== undefined) return isOld(a)
    return (
      what.op === Opcodes.SHR &&
      field !== undefined &&
      a?.op === Kind.constant &&
      a.value === BigInt(8 * field.offset) &&
      b !== undefined &&
      isOld(b)
    )
  }
  const added: Array<Expression> = []
  const taken: Array<Expression> = []
  let wraps = false
  let raises = false
  const spine = (what: Expression): boolean => {
    if (isOld(what)) return true
    const [a, b] = what.args as [Expression, Expression]
    switch (what.op) {
      case Opcodes.ADD:
        for (const [base, amount] of [
          [a, b],
          [b, a]
        ] as const) {
          if (!spine(base)) continue
          if (amount.op === Kind.constant && amount.value >> 255n === 1n) {
            const size = pool.constant(maxWord + 1n - amount.value)
            taken.push(size)
            if (!isAtLeast(pool, base, size, event.facts)) wraps = true
          } else added.push(amount)
          return true
        }
        return false
      case Opcodes.SUB:
        if (!spine(a)) return false
        taken.push(b)
        if (!isAtLeast(pool, a, b, event.facts)) wraps = true
        return true
      case Opcodes.AND:
        return b.op === Kind.constant && spine(a)
      case Opcodes.OR:
        if (!(b.op === Kind.constant ? spine(a) : a.op === Kind.constant && spine(b))) return false
        raises = true
        return true
      default:
        return false
    }
  }
  if (spine(value)) {
    if (raises && added.length + taken.length > 0) return { kind: "unknown", amounts: [...added, ...taken] }
    if (added.length > 0 && taken.length === 0) return { kind: "increase", amounts: added }
    if (taken.length > 0 && added.length === 0) {
      // No balance is above the supply and the supply is above every balance: what came off a balance comes off here.
      return wraps && !isBelowAnyBalance(pool, taken, event.facts)
        ? { kind: "unknown", amounts: taken }
        : { kind: "decrease", amounts: taken }
    }
    if (added.length === 0) return { kind: raises ? "raise" : "keep", amounts: [] }
    return { kind: "unknown", amounts: [...added, ...taken] }
  }
  return { kind: tracer.slots(value).has(location.id) ? "unknown" : "set", amounts: [value] }
}

/** Whether some entry of a mapping is known to be at least each of the amounts. */
const isBelowAnyBalance = (pool: Pool, amounts: ReadonlyArray<Expression>, facts: ReadonlySet<number>): boolean =>
  amounts.every((amount) => {
    for (const fact of facts) {
      const condition = pool.get(fact >> 1)
      if (condition.op !== Opcodes.LT) continue
      const [smaller, larger] = (fact & 1) === 1 ? [condition.args[1], condition.args[0]] : condition.args
      if (smaller === undefined || larger === undefined) continue
      const entry = (what: Expression): boolean => what.op === Opcodes.SLOAD && what.args[0]?.op === Opcodes.KECCAK256
      if (smaller === amount && entry(larger)) return true
      // entry - amount <= entry
      if (smaller.op === Opcodes.SUB && smaller.args[0] === larger && smaller.args[1] === amount && entry(larger))
        return true
    }
    return false
  })

/** Whether an amount is no more than one of those taken off elsewhere: one of them itself, or less something. */
const isCovered = (
  pool: Pool,
  amount: Expression,
  taken: ReadonlyArray<Expression>,
  facts: ReadonlySet<number>,
  depth: number
): boolean => {
  if (depth > 8) return false
  if (taken.includes(amount)) return true
  if (amount.op === Opcodes.SUB && amount.args[0] !== undefined) {
    return (
      isCovered(pool, amount.args[0], taken, facts, depth + 1) &&
      isAtLeast(pool, amount.args[0], amount.args[1] as Expression, facts)
    )
  }
  // A part of the bits is not more than all of them.
  if (amount.op === Opcodes.AND && amount.args.some((part) => taken.includes(part))) return true
  return (
    amount.op === Kind.merge &&
    [...amount.alternatives].every((alternative) => isCovered(pool, alternative, taken, facts, depth + 1))
  )
}

const gateOf = (tracer: Tracer, condition: Expression, required: boolean): Gate => {
  const reads = new Map<string, Gate["reads"][number]>()
  const about = new Set<Origin["kind"]>()
  // An SLOAD that is looked at through a mask is met again without it.
  const masked = new Set<Expression>()
  let compares = false
  let computes = false
  for (const part of tracer.parts(condition)) {
    if (part.op === Opcodes.LT || part.op === Opcodes.SLT) compares = true
    if (part.op === Opcodes.MUL || part.op === Opcodes.DIV) computes = true
    const loaded = masked.has(part) ? undefined : loadedField(part)
    if (loaded !== undefined) {
      masked.add(loaded.load)
      for (const { id, keys } of tracer.locate(loaded.load.args[0] as Expression) ?? []) {
        const read = { slot: id, keys: keys.map((key) => tracer.origin(key)), field: loaded.field }
        reads.set(JSON.stringify(read), read)
      }
    } else if (
      part.op === Opcodes.CALLDATALOAD ||
      (part.args.length === 0 && part.op !== Kind.constant && part.op !== Kind.merge)
    ) {
      if (part.op !== Opcodes.CALLDATASIZE) about.add(tracer.origin(part).kind)
    }
  }
  let asked = condition
  let nonzero = required
  while (asked.op === Opcodes.ISZERO) {
    asked = asked.args[0] as Expression
    nonzero = !nonzero
  }
  const requires = loadedField(asked) === undefined ? undefined : nonzero ? "nonzero" : "zero"
  return { reads: [...reads.values()], about: [...about].sort(), compares, computes, requires }
}

const delegationsOf = (functions: ReadonlyArray<FunctionFlow>): ReadonlyArray<Delegation> => {
  const found = new Map<string, { readonly target: Origin; readonly selectors: Set<Hex | "fallback"> }>()
  for (const { selector, calls } of functions) {
    for (const call of calls) {
      if (call.kind !== "delegatecall" && call.kind !== "callcode") continue
      for (const target of call.target.length === 0 ? [{ kind: "unknown" } as const] : call.target) {
        const key = JSON.stringify(target)
        const known = found.get(key)
        if (known === undefined) found.set(key, { target, selectors: new Set([selector]) })
        else known.selectors.add(selector)
      }
    }
  }
  return [...found.values()].map(({ target, selectors }) => ({ target, selectors: [...selectors] }))
}

const slotsOf = (pool: Pool, tracer: Tracer, functions: ReadonlyArray<FunctionFlow>): ReadonlyArray<StorageSlot> => {
  const slots = new Map<
    string,
    {
      reads: Set<Hex | "fallback">
      writes: Set<Hex | "fallback">
      keys: ReadonlyArray<Origin>
      fields: Map<string, Field>
    }
  >()
  const at = (id: string, keys: ReadonlyArray<Origin>) => {
    const known = slots.get(id)
    if (known !== undefined) return known
    const made = {
      reads: new Set<Hex | "fallback">(),
      writes: new Set<Hex | "fallback">(),
      keys,
      fields: new Map<string, Field>()
    }
    slots.set(id, made)
    return made
  }
  for (const { selector, reads, writes } of functions) {
    for (const read of reads) at(read.slot, read.keys).reads.add(selector)
    for (const write of writes) at(write.slot, write.keys).writes.add(selector)
  }
  const addresses = new Set<string>()
  for (let id = 0; id < pool.size(); id++) {
    const node = pool.get(id)
    if (node.op !== Opcodes.AND && node.op !== Opcodes.KECCAK256) continue
    if (node.op === Opcodes.KECCAK256) {
      const location = tracer.locate(node)?.[0]
      if (location !== undefined && (location.keys.at(-1)?.bits ?? 256) <= 160) addresses.add(location.id)
      continue
    }
    const loaded = loadedField(node)
    if (loaded?.field === undefined) continue
    for (const location of tracer.locate(loaded.load.args[0] as Expression) ?? []) {
      slots.get(location.id)?.fields.set(`${loaded.field.offset}.${loaded.field.size}`, loaded.field)
    }
  }
  return [...slots]
    .map(([slot, { reads, writes, fields }]): StorageSlot => {
      const parts = [...fields.values()].sort((a, b) => a.offset - b.offset)
      const word = parts.length === 0 ? "uint256" : parts.map((part) => typeOfSize(part.size)).join("+")
      let type = word
      let id = slot
      while (id.endsWith("[k]")) {
        type = `mapping(${addresses.has(id) ? "address" : "uint256"} => ${type})`
        id = id.slice(0, -3)
      }
      return {
        slot,
        fields: parts,
        type: id.includes("[") && type === word ? `${word}[]` : type,
        reads: [...reads].sort(),
        writes: [...writes].sort()
      }
    })
    .sort((a, b) => (a.slot < b.slot ? -1 : 1))
}

const typeOfSize = (size: number): string => (size === 20 ? "address" : size === 1 ? "bool" : `uint${8 * size}`)

const measure = (
  bytecode: Bytecode.Bytecode,
  analyses: ReadonlyArray<FunctionAnalysis>,
  gaps: ReadonlyArray<Gap>
): Completeness => {
  const possible = Bytecode.offsets(bytecode)
  const ran = new Set(analyses.flatMap((analysis) => [...analysis.ran]))
  const lost = new Set(analyses.flatMap((analysis) => [...analysis.lost]))
  let [attributedSload, totalSload, attributedSstore, totalSstore] = [0, 0, 0, 0]
  for (const { offset, opcode } of bytecode.instructions) {
    if (opcode !== Opcodes.SLOAD && opcode !== Opcodes.SSTORE) continue
    if (!possible.has(offset) && !ran.has(offset)) continue
    const attributed = ran.has(offset) && !lost.has(offset) ? 1 : 0
    if (opcode === Opcodes.SLOAD) {
      totalSload++
      attributedSload += attributed
    } else {
      totalSstore++
      attributedSstore += attributed
    }
  }
  const total = totalSload + totalSstore
  return {
    attributedSload,
    totalSload,
    attributedSstore,
    totalSstore,
    ratio: total === 0 ? 1 : (attributedSload + attributedSstore) / total,
    complete: gaps.length === 0,
    gaps
  }
}

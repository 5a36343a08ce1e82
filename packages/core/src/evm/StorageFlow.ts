import { Effect } from "effect"
import * as OxHex from "ox/Hex"
import type { Hex } from "../domain/Hex.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import * as Bytecode from "./Bytecode.js"
import * as ControlGraph from "./ControlGraph.js"
import { type Expression, Kind, makePool, maxWord, type Pool } from "./Expression.js"
import * as Guard from "./Guard.js"
import { Opcodes } from "./Opcodes.js"
import { isAtLeast } from "./Ordering.js"
import { type Field, fieldOf, isLowMask, loadedField, makeTracer, type Origin, type Tracer, unique } from "./Origin.js"
import * as Requirement from "./Requirement.js"
import * as Selectors from "./Selectors.js"
import * as Slices from "./Slices.js"
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
  /** The gates again, each with the ways round it. */
  readonly requirements: ReadonlyArray<Requirement.Requirement>
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
  /** Every path to it passes one of the guards. */
  readonly shut: boolean
  /** Mappings of mappings (allowances) that every path through this write asks, before it or after it. */
  readonly asks: ReadonlyArray<string>
  /** Those that only some paths through it ask, with who is let past them on the others. */
  readonly skips: ReadonlyArray<Skip>
  /** On some path the variable keeps what this write puts there; otherwise the same call writes it again. */
  readonly lasts: boolean
  /** Every path to it finds the account of the entry (its first key) to be the caller, or to have signed. */
  readonly own: boolean
  /** Byte offset of the instruction. */
  readonly offset: number
}

/**
 * A mapping of mappings that a function asks on some of its paths only. `guards` are the conditions about the caller on
 * the others; `shut` says that each of those passes one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Skip {
  readonly slot: string
  readonly guards: ReadonlyArray<Guard.Guard>
  readonly shut: boolean
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
  /** The variables whose content goes into the amount. */
  readonly sources: ReadonlyArray<Variable>
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
  /** Every path to it passes one of the guards. */
  readonly shut: boolean
  /** What a CALL asks for; undefined for the others, which move nothing. */
  readonly order: Order | undefined
}

/**
 * What another contract is told to do, and the ether it is sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Order {
  /** The function; undefined where nothing is said, or where the words cannot be told. */
  readonly selector: Hex | undefined
  /** Where the first three arguments come from. */
  readonly input: ReadonlyArray<ReadonlyArray<Origin>>
  /** Where the amount of ether comes from; undefined where none is sent. */
  readonly value: ReadonlyArray<Origin> | undefined
  /**
   * What the contract that is called, where the caller names it, is compared with on every path; undefined where some path
   * compares it with nothing.
   */
  readonly compared: ReadonlyArray<Origin> | undefined
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
 * (about 6 ms for a token, 400 ms at worst), in slices that leave the event loop room for everything else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const analyse = (code: Hex): Effect.Effect<StorageFlow> =>
  Effect.flatMap(selectorsOf(code), (selectors) => Slices.run(() => analyseInSlices(code, selectors)))

/**
 * The selectors that evmole finds; none where it gives up, for they are found again where the code compares them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectorsOf = (code: Hex): Effect.Effect<ReadonlyArray<Hex>> =>
  Effect.catchAllDefect(Selectors.dispatched(code), () => Effect.succeed<ReadonlyArray<Hex>>([]))

/**
 * {@link analyse} for a code whose selectors are known; selectors that are missing are found where the code compares
 * them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const analyseWith = (code: Hex, selectors: ReadonlyArray<Hex>): StorageFlow =>
  Slices.complete(analyseInSlices(code, selectors))

/**
 * {@link analyseWith}, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* analyseInSlices(code: Hex, selectors: ReadonlyArray<Hex>): Slices.Slices<StorageFlow> {
  const bytecode = Bytecode.parse(code)
  const pool = makePool()
  const locator = StorageLocation.makeLocator(pool, keysIn(bytecode))
  const tracer = makeTracer(locator, maxParts)
  const shared = makeShared(tracer)
  const known = new Set(selectors.map((selector) => BigInt(selector)))
  const pending: Array<bigint | undefined> = [undefined, ...known]
  const analyses: Array<FunctionAnalysis> = []
  let left = maxSteps
  for (const selector of pending) {
    const trace = yield* AbstractInterpreter.runInSlices(bytecode, pool, {
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
      yield* analyseFunction(
        pool,
        locator,
        shared,
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
  yield undefined
  const slots = yield* slotsOf(pool, tracer, functions)
  return { functions, slots, delegations, completeness: measure(bytecode, analyses, [...gaps].sort()) }
}

/**
 * What one function does when some variables hold what they hold now: `storage` gives words by slot, both of 32 bytes.
 * Answers whether a function that works once has been used, or one that asks for the owner can still be called when there
 * is none. Variables that the function itself or a call has changed before count as unknown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const functionAt = (code: Hex, selector: Hex, storage: ReadonlyMap<Hex, Hex>): FunctionFlow =>
  Slices.complete(functionAtInSlices(code, selector, storage))

/**
 * {@link functionAt}, in slices that leave the event loop room for everything else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const at = (code: Hex, selector: Hex, storage: ReadonlyMap<Hex, Hex>): Effect.Effect<FunctionFlow> =>
  Slices.run(() => functionAtInSlices(code, selector, storage))

/**
 * {@link functionAt}, in slices.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* functionAtInSlices(
  code: Hex,
  selector: Hex,
  storage: ReadonlyMap<Hex, Hex>
): Slices.Slices<FunctionFlow> {
  const bytecode = Bytecode.parse(code)
  const pool = makePool()
  const locator = StorageLocation.makeLocator(pool, keysIn(bytecode))
  const held = new Map([...storage].map(([slot, word]) => [BigInt(slot), BigInt(word)]))
  const trace = yield* AbstractInterpreter.runInSlices(bytecode, pool, {
    selector: BigInt(selector),
    known: new Set(),
    maxSteps: maxStepsOfEntry,
    storage: held
  })
  return (yield* analyseFunction(pool, locator, makeShared(makeTracer(locator, maxParts)), selector, trace)).flow
}

/** The constants of a code that may be mapping keys: addresses, roles, roots of namespaces. */
const keysIn = (bytecode: Bytecode.Bytecode): ReadonlyArray<bigint> =>
  bytecode.instructions.flatMap(({ opcode, immediate }) =>
    opcode >= Opcodes.PUSH20 && opcode <= Opcodes.PUSH32 ? [immediate] : []
  )

/** Instructions run for one code; about 250 ms. */
const maxSteps = 400_000

const maxStepsOfEntry = 200_000

const maxEntries = 400

/** Parts of formulas looked at for one code; about 200 ms. */
const maxParts = 1_500_000

/** What is read out of formulas that several functions have in common, each with its JSON. */
interface Shared {
  readonly tracer: Tracer
  readonly readsAt: (slot: Expression) => ReadonlyArray<Keyed<Read>> | undefined
  /** None where a condition is about nothing that gates tell. */
  readonly gateOf: (condition: Expression, required: boolean) => Keyed<Gate> | undefined
  readonly sideOf: (what: Expression) => Requirement.Side
  readonly conditions: Guard.Conditions
}

interface Keyed<A> {
  readonly key: string
  readonly value: A
}

const makeShared = (tracer: Tracer): Shared => {
  const reads = new Map<Expression, ReadonlyArray<Keyed<Read>> | undefined>()
  const gates = [
    new Map<Expression, Keyed<Gate> | undefined>(),
    new Map<Expression, Keyed<Gate> | undefined>()
  ] as const
  return {
    tracer,
    readsAt: (slot) => {
      if (reads.has(slot)) return reads.get(slot)
      const found = tracer.locate(slot)?.map(({ id, keys }): Keyed<Read> => {
        const value = { slot: id, keys: keys.map((key) => tracer.origin(key)) }
        return { key: JSON.stringify(value), value }
      })
      reads.set(slot, found)
      return found
    },
    gateOf: (condition, required) => {
      const known = gates[required ? 1 : 0]
      if (known.has(condition)) return known.get(condition)
      const value = readGate(tracer, condition, required)
      const found = value.reads.length > 0 || value.about.length > 0 ? { key: JSON.stringify(value), value } : undefined
      known.set(condition, found)
      return found
    },
    sideOf: Requirement.makeSides(tracer),
    conditions: Guard.makeConditions()
  }
}

interface FunctionAnalysis {
  readonly flow: FunctionFlow
  readonly gaps: ReadonlyArray<Gap>
  /** Offsets of SLOAD and SSTORE that ran, and of those that could not be located at least once. */
  readonly ran: ReadonlySet<number>
  readonly lost: ReadonlySet<number>
}

function* analyseFunction(
  pool: Pool,
  locator: StorageLocation.Locator,
  { conditions, gateOf, readsAt, sideOf, tracer }: Shared,
  selector: Hex | "fallback",
  trace: AbstractInterpreter.Trace
): Slices.Slices<FunctionAnalysis> {
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
  const graph = ControlGraph.make(trace)
  const guards = yield* Guard.make(pool, tracer, trace, graph, conditions)
  const requirements = Requirement.makeCollector(pool, sideOf)
  const writing = graph.before(
    blocks.flatMap((block) =>
      block.succeeds && block.events.some((event) => event.kind === "store") ? [block.index] : []
    )
  )
  const comparedAt = comparisonsIn(tracer, trace, graph)
  const work = Slices.makeWork()
  for (const block of blocks) {
    for (const event of block.events) {
      if (work.isDue(event.kind === "load" ? 1 : 4)) yield undefined
      if (event.kind === "load" || event.kind === "store") ran.add(event.offset)
      if (!block.succeeds) continue
      switch (event.kind) {
        case "load": {
          const found = readsAt(event.slot)
          if (found === undefined) lost.add(event.offset)
          for (const { key, value } of found ?? []) reads.set(key, value)
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
            guards: guards.at(block.index, event.facts),
            shut: guards.isShut(block.index, event.facts),
            order: event.opcode === Opcodes.CALL ? orderOf(tracer, event, comparedAt(block.index, event)) : undefined
          }
          calls.set(JSON.stringify(call), call)
          break
        }
        case "branch": {
          const sides = [event.taken, event.passed].map((index) => blocks[index]?.succeeds ?? false)
          const [taken, passed] = sides[0] === sides[1] ? [writing.has(event.taken), writing.has(event.passed)] : sides
          if (taken === passed) break
          if (deciding.size < maxGates) deciding.add(block.index)
          requirements.require(block.index, event.condition, taken === true)
          const gate = gateOf(event.condition, taken === true)
          if (gate !== undefined) gates.set(gate.key, gate.value)
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
    if (work.isDue(graph.size / 64)) yield undefined
    const around = graph.before(graph.ends, { blocks: new Set([index]) })
    for (const before of graph.into(index)) {
      const event = blocks[before]?.events.find((candidate) => candidate.kind === "branch")
      if (event?.kind !== "branch" || deciding.has(before) || deciding.size >= maxGates) continue
      const [taken, passed] = [around.has(event.taken), around.has(event.passed)]
      if (taken === passed) continue
      deciding.add(before)
      requirements.excuse(index, before, event.condition, taken)
      const gate = gateOf(event.condition, taken)
      if (gate !== undefined) gates.set(gate.key, gate.value)
    }
  }
  yield undefined
  return {
    flow: {
      selector,
      reads: [...reads.values()],
      writes: yield* writesOf(
        pool,
        tracer,
        stores,
        guards,
        asksAround(pool, tracer, trace, graph, guards),
        lastingIn(graph)
      ),
      gates: [...gates.values()],
      requirements: requirements.all(),
      calls: [...calls.values()],
      returns: returnsWord ? [...returns.values()] : undefined,
      complete: gaps.size === 0
    },
    gaps: [...gaps],
    ran,
    lost
  }
}

/** Conditions of one function whose alternatives are looked for. */
const maxGates = 64

/** What the paths through a write ask about the account whose entry it is. */
type Asks = Pick<Write, "asks" | "skips" | "own">

/**
 * Tells the allowance-like mappings that are asked on the paths through a block; a path on which the caller was found to be
 * the account itself (the mapping key), or the account to have signed, needs none and counts as asked.
 */
const asksAround = (
  pool: Pool,
  tracer: Tracer,
  trace: AbstractInterpreter.Trace,
  graph: ControlGraph.ControlGraph,
  guards: Guard.Guards
): ((index: number, keys: ReadonlyArray<Expression>) => Asks) => {
  const questions = new Map<string, Set<number>>()
  const identities = new Map<Expression, Set<number>>()
  const add = <K, V>(map: Map<K, Set<V>>, key: K, value: V): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, new Set([value]))
    else known.add(value)
  }
  const caller = pool.nullary(Opcodes.CALLER)
  const signers = new Set<Expression>()
  // https://eips.ethereum.org/EIPS/eip-1271
  const vouchers = new Map<Expression, Expression>()
  for (const block of trace.blocks)
    for (const event of block.events) {
      if (event.kind !== "call") continue
      const [answer] = event.answers
      if (answer === undefined) continue
      if (event.target.op === Kind.constant && event.target.value === ecrecover) signers.add(answer)
      else if (event.opcode === Opcodes.STATICCALL) vouchers.set(answer, unmasked(event.target))
    }
  // Where a signature is not one, libraries go on with the zero account, which holds nothing that is anybody's.
  const isSigner = (what: Expression, depth: number): boolean => {
    const bare = unmasked(what)
    if (bare.op !== Kind.merge || depth > 4) return signers.has(bare)
    const ways = [...bare.alternatives].filter((way) => way.op !== Kind.constant || way.value !== 0n)
    return ways.length > 0 && ways.every((way) => isSigner(way, depth + 1))
  }
  const isAccount = (what: Expression): boolean => what === caller || (signers.size > 0 && isSigner(what, 0))
  for (const block of trace.blocks) {
    for (const event of block.events) {
      if (event.kind !== "branch" || !block.succeeds) continue
      for (const slot of tracer.slots(event.condition)) if (slot.endsWith("[k][k]")) add(questions, slot, block.index)
      let condition = event.condition
      let holds = true
      while (condition.op === Opcodes.ISZERO) {
        condition = condition.args[0] as Expression
        holds = !holds
      }
      if (condition.op !== Opcodes.EQ && condition.op !== Opcodes.SUB && condition.op !== Opcodes.XOR) continue
      const equal = (condition.op === Opcodes.EQ) === holds ? event.taken : event.passed
      const [a, b] = condition.args as [Expression, Expression]
      for (const [account, other] of [
        [a, b],
        [b, a]
      ] as const) {
        const vouching = other.op === Kind.constant ? vouchers.get(unmasked(account)) : undefined
        if (isAccount(account)) add(identities, unmasked(other), block.index * graph.size + equal)
        else if (vouching !== undefined) add(identities, vouching, block.index * graph.size + equal)
      }
    }
  }
  const nobody: ReadonlySet<number> = new Set()
  const unasked = new Map<string, readonly [ControlGraph.Reach, ControlGraph.Reach, ControlGraph.Reach]>()
  const strangers = new Map<ReadonlySet<number>, ControlGraph.Reach>()
  const isOwn = (steps: ReadonlySet<number>, index: number): boolean => {
    if (steps.size === 0) return false
    const reach = strangers.get(steps) ?? graph.after([0], { steps })
    strangers.set(steps, reach)
    return !reach.has(index)
  }
  return (index, keys) => {
    const asks: Array<string> = []
    const skips: Array<Skip> = []
    const [account] = keys
    const steps = (account === undefined ? undefined : identities.get(unmasked(account))) ?? nobody
    for (const [slot, blocks] of questions) {
      const key = `${slot} ${account?.id}`
      let found = unasked.get(key)
      if (found === undefined) {
        const without = { blocks, steps }
        found = [
          graph.after([0], without),
          graph.before(graph.ends, without),
          graph.after([0], { blocks, steps: new Set([...steps, ...guards.passing]) })
        ]
        unasked.set(key, found)
      }
      const [before, after, unguarded] = found
      if (!before.has(index) || !after.has(index)) asks.push(slot)
      else
        skips.push({
          slot,
          guards: guards.within(index, before),
          shut: guards.passing.size > 0 && !unguarded.has(index)
        })
    }
    return { asks, skips, own: (account !== undefined && isAccount(account)) || isOwn(steps, index) }
  }
}

/** https://ethereum.github.io/execution-specs/src/ethereum/frontier/vm/precompiled_contracts/ecrecover.py.html */
const ecrecover = 1n

const unmasked = (what: Expression): Expression =>
  what.op === Opcodes.AND && what.args[1]?.op === Kind.constant ? (what.args[0] as Expression) : what

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

/**
 * Tells what a contract that is called was compared with before. A loop over a list of those that are spared may end before
 * it begins; who goes round all of it is not asked.
 */
const comparisonsIn = (
  tracer: Tracer,
  trace: AbstractInterpreter.Trace,
  graph: ControlGraph.ControlGraph
): ((index: number, event: CallEvent) => ReadonlyArray<Origin> | undefined) => {
  const found = new Map<Expression, { readonly with: ReadonlyArray<Origin>; readonly round: ControlGraph.Reach }>()
  return (index, event) => {
    const target = unmasked(event.target)
    if (target.op !== Opcodes.CALLDATALOAD) return undefined
    let known = found.get(target)
    if (known === undefined) {
      const asking = trace.blocks.flatMap((block) => {
        if (!block.succeeds) return []
        const others = block.events.flatMap((each) =>
          each.kind === "branch" ? comparedWith(tracer, each.condition, target) : []
        )
        return others.length === 0 ? [] : [{ index: block.index, others }]
      })
      // So many questions are no list of a few that are spared; what they come to is not told.
      if (asking.length > maxComparisons) {
        known = { with: [{ kind: "unknown" }], round: nowhere }
        found.set(target, known)
        return known.with
      }
      const turns = asking.flatMap((each) => {
        const [before, after] = [graph.before([each.index]), graph.after([each.index])]
        return trace.blocks.filter((block) => before.has(block.index) && after.has(block.index))
      })
      const blocks = new Set([...asking, ...turns].map((block) => block.index))
      known = { with: unique(asking.flatMap(({ others }) => others)), round: graph.after([0], { blocks }) }
      found.set(target, known)
    }
    return known.with.length === 0 || known.round.has(index) ? undefined : known.with
  }
}

const maxComparisons = 16

const nowhere: ControlGraph.Reach = { has: () => false }

const comparedWith = (tracer: Tracer, condition: Expression, target: Expression): ReadonlyArray<Origin> => {
  const found: Array<Origin> = []
  for (const part of tracer.parts(condition)) {
    const [a, b] = part.args
    if (part.op === Opcodes.SLOAD) {
      for (const { id, keys } of tracer.locate(a as Expression) ?? [])
        if (keys.some((key) => unmasked(key) === target)) found.push({ kind: "storage", slot: id })
    } else if (
      (part.op === Opcodes.EQ || part.op === Opcodes.SUB || part.op === Opcodes.XOR) &&
      a !== undefined &&
      b !== undefined
    ) {
      const other = unmasked(a) === target ? b : unmasked(b) === target ? a : undefined
      // That it is an address at all, and not nobody's, is asked of any.
      const isOther = other !== undefined && unmasked(other) !== target
      if (isOther && !(other.op === Kind.constant && other.value === 0n)) found.push(...tracer.origins(other))
    }
  }
  return found
}

const orderOf = (
  tracer: Tracer,
  { input = [], value }: CallEvent,
  compared: ReadonlyArray<Origin> | undefined
): Order => {
  const [name, ...words] = input
  const sent = value?.op === Kind.constant && value.value === 0n ? undefined : value
  // abi.encodeWithSelector() puts the selector before what is there already.
  const named = name?.op === Opcodes.OR ? name.args.find((part) => part.op === Kind.constant) : name
  return {
    selector:
      named?.op === Kind.constant && named.value >> 224n !== 0n
        ? OxHex.fromNumber(named.value >> 224n, { size: 4 })
        : undefined,
    input: words.slice(0, 3).map((word) => tracer.origins(word)),
    value: sent === undefined ? undefined : tracer.origins(sent),
    compared
  }
}

const callKinds: Readonly<Record<number, Call["kind"]>> = {
  [Opcodes.CALL]: "call",
  [Opcodes.CALLCODE]: "callcode",
  [Opcodes.DELEGATECALL]: "delegatecall",
  [Opcodes.STATICCALL]: "staticcall"
}

type CallEvent = Extract<AbstractInterpreter.Event, { kind: "call" }>

type StoreEvent = Extract<AbstractInterpreter.Event, { kind: "store" }>

interface Store extends Unpacked {
  readonly block: number
  readonly location: StorageLocation.StorageLocation
  readonly event: StoreEvent
}

/** Tells the writes after which a call may end without having written the same variable again. */
const lastingIn =
  (graph: ControlGraph.ControlGraph) =>
  (store: Store, stores: ReadonlyArray<Store>): boolean => {
    if (store.location.keys.length > 0 || store.location.indices.length > 0) return true
    const others = stores.filter(
      (other) =>
        other.event !== store.event &&
        other.location.id === store.location.id &&
        (other.mask & store.mask) === store.mask &&
        (other.block !== store.block || other.event.offset > store.event.offset)
    )
    if (others.length === 0) return true
    const blocks = new Set(others.map((other) => other.block))
    return !blocks.has(store.block) && graph.before(graph.ends, { blocks }).has(store.block)
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

function* writesOf(
  pool: Pool,
  tracer: Tracer,
  stores: ReadonlyArray<Store>,
  guards: Guard.Guards,
  asksAt: (index: number, keys: ReadonlyArray<Expression>) => Asks,
  lasts: (store: Store, stores: ReadonlyArray<Store>) => boolean
): Slices.Slices<ReadonlyArray<Write>> {
  const deltas = stores.map((store) => deltasOf(pool, tracer, store))
  const writes = new Map<string, Write>()
  for (const [i, store] of stores.entries()) {
    if (i % 4 === 3) yield undefined
    const { location, event, field } = store
    const keys = location.keys.map((key) => tracer.origin(key))
    const guarded = guards.at(store.block, event.facts)
    const shut = guards.isShut(store.block, event.facts)
    const asked = asksAt(store.block, location.keys)
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
          sources: unique(delta.amounts.flatMap((amount) => variablesIn(tracer, amount))),
          matched
        },
        guards: guarded,
        shut,
        ...asked,
        lasts: lasts(store, stores),
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

const readGate = (tracer: Tracer, condition: Expression, required: boolean): Gate => {
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

function* slotsOf(
  pool: Pool,
  tracer: Tracer,
  functions: ReadonlyArray<FunctionFlow>
): Slices.Slices<ReadonlyArray<StorageSlot>> {
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
  const work = Slices.makeWork()
  for (let id = 0; id < pool.size(); id++) {
    const node = pool.get(id)
    const isPlace = node.op === Opcodes.AND || node.op === Opcodes.KECCAK256
    if (work.isDue(isPlace ? 1 : 1 / 64)) yield undefined
    if (!isPlace) continue
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

import { Effect } from "effect"
import * as OxHex from "ox/Hex"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import * as Completeness from "../bytecode/Completeness.js"
import * as Evmole from "../bytecode/Evmole.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as StorageLocation from "../expression/StorageLocation.js"
import { makeTracer, type ValueSource } from "../expression/ValueSource.js"
import * as WrittenHashes from "../expression/WrittenHashes.js"
import * as CodeModel from "../interpreter/CodeModel.js"
import type { Event } from "../interpreter/Trace.js"
import type { FunctionFlow } from "./conditions/FunctionFlow.js"
import * as FunctionAnalysis from "./FunctionAnalysis.js"
import * as TrustedForwarder from "./TrustedForwarder.js"
import * as IndexRangeAlias from "./writes/IndexRangeAlias.js"
import * as PackedWrite from "./writes/PackedWrite.js"
import * as StorageLayout from "./writes/StorageLayout.js"

export type { Completeness, Gap } from "../bytecode/Completeness.js"
export type { Variable } from "../expression/Variable.js"
export type { Call, Change, FunctionFlow, Gate, Order, Read, Skip, Write } from "./conditions/FunctionFlow.js"
export type { StorageSlot } from "./writes/StorageLayout.js"

/**
 * What a runtime code can do with its storage, function by function, found by running every path on formulas
 * ({@link CodeModel}). Nothing here depends on names, sources or state.
 *
 * What is listed can be in the code of a function that is never allowed to run; what is not listed does not happen,
 * provided that `completeness.complete`.
 *
 * @since 0.1.0
 * @category models
 */
export interface StorageFlow {
  readonly functions: ReadonlyArray<FunctionFlow>
  readonly slots: ReadonlyArray<StorageLayout.StorageSlot>
  readonly delegations: ReadonlyArray<Delegation>
  readonly completeness: Completeness.Completeness
}

/**
 * A DELEGATECALL (or CALLCODE): where the code that runs on this storage comes from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Delegation {
  readonly target: ValueSource
  readonly selectors: ReadonlyArray<Hex | "fallback">
  /** Byte offsets of the instructions. */
  readonly offsets: ReadonlyArray<number>
}

/**
 * Analyses a runtime code; in constant time for the same code, with the same result, and bounded for any
 * (about 6 ms for a token, 400 ms at worst), in slices that leave the event loop room for everything else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const analyse = (code: Hex): Effect.Effect<StorageFlow> =>
  Effect.flatMap(selectorsOf(code), (selectors) => Slices.run(() => analyseInSlices(CodeModel.of(code), selectors)))

/**
 * The selectors that evmole finds; none where it gives up, for they are found again where the code compares them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectorsOf = (code: Hex): Effect.Effect<ReadonlyArray<Hex>> =>
  Selectors.dispatched(code).pipe(Evmole.trapped<ReadonlyArray<Hex>>([]))

/**
 * {@link analyse} for a code with known selectors; missing selectors are found where the code compares them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const analyseWith = (code: Hex, selectors: ReadonlyArray<Hex>): StorageFlow =>
  Slices.complete(analyseInSlices(CodeModel.of(code), selectors))

/**
 * {@link analyseWith}, in slices. `checkers` are accounts that are known to say who signed what, as a library that the code
 * is linked to.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* analyseInSlices(
  model: CodeModel.CodeModel,
  selectors: ReadonlyArray<Hex>,
  checkers: ReadonlyArray<Address> = []
): Slices.Slices<StorageFlow> {
  const { bytecode } = model
  const { locator, pool, run } = model.begin()
  const tracer = makeTracer(locator, maxParts)
  const shared = FunctionAnalysis.makeShared(tracer, checkers)
  const known = new Set(selectors.map((selector) => BigInt(selector)))
  const pending: Array<bigint | undefined> = [undefined, ...known]
  const analyses: Array<FunctionAnalysis.FunctionAnalysis> = []
  let left: number = bounds.code.maxSteps
  let leftOut = false
  for (const selector of pending) {
    const trace = yield* run({ selector, known, maxSteps: Math.min(left, bounds.function.maxSteps) })
    left -= Math.min(left, trace.steps)
    if (tracer.exhausted()) break
    if (trace.blocks.some(({ events }) => events.some(isOfWritten))) yield* WrittenHashes.ofCode(bytecode).prepare()
    for (const found of trace.discovered) {
      if (known.has(found)) continue
      if (known.size >= maxEntries) {
        leftOut = true
        continue
      }
      known.add(found)
      pending.push(found)
    }
    analyses.push(
      yield* FunctionAnalysis.of(
        pool,
        locator,
        shared,
        selector === undefined ? "fallback" : OxHex.fromNumber(selector, { size: 4 }),
        trace
      )
    )
  }
  const flows = analyses.map((analysis) => analysis.flow)
  const spread = yield* IndexRangeAlias.spread(flows, IndexRangeAlias.join(analyses.map((analysis) => analysis.spans)))
  const placed = [...(spread ?? flows)].sort((a, b) => (a.selector < b.selector ? -1 : 1))
  const delegations = delegationsOf(placed)
  const gaps = new Set<Completeness.Gap>(analyses.flatMap((analysis) => analysis.gaps))
  if (tracer.exhausted() || leftOut || pending.length > analyses.length || Bytecode.isForeign(bytecode))
    gaps.add("control_flow")
  if (spread === undefined) gaps.add("write_location")
  // A delegation to itself runs one of the contract's own functions.
  if (delegations.some((delegation) => delegation.target.kind !== "self")) gaps.add("delegatecall")
  yield undefined
  const slots = yield* StorageLayout.of(pool, tracer, placed)
  const functions = TrustedForwarder.apart(PackedWrite.apart(placed, slots))
  return { functions, slots, delegations, completeness: Completeness.measure(bytecode, analyses, [...gaps].sort()) }
}

/**
 * What one function does when some variables hold what they hold now: `storage` gives words by slot, both of 32 bytes.
 * Answers whether a function that works once has been used, or one that requires the owner can still be called when
 * there is none. Variables that the function itself or a call has changed before count as unknown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const functionAt = (
  code: Hex,
  selector: FunctionFlow["selector"],
  storage: ReadonlyMap<Hex, Hex>
): FunctionFlow => Slices.complete(functionAtInSlices(CodeModel.of(code), selector, storage))

/**
 * {@link functionAt}, in slices that leave the event loop room for everything else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const at = (
  code: Hex,
  selector: FunctionFlow["selector"],
  storage: ReadonlyMap<Hex, Hex>
): Effect.Effect<FunctionFlow> => Slices.run(() => functionAtInSlices(CodeModel.of(code), selector, storage))

/**
 * {@link functionAt}, in slices. `isAbsent` says which accounts send no transaction.
 *
 * @since 0.1.0
 * @category constructors
 */
export function* functionAtInSlices(
  model: CodeModel.CodeModel,
  selector: FunctionFlow["selector"],
  storage: ReadonlyMap<Hex, Hex>,
  isAbsent?: (account: bigint) => boolean
): Slices.Slices<FunctionFlow> {
  const { locator, pool, run } = model.begin()
  const held = new Map([...storage].map(([slot, word]) => [BigInt(slot), BigInt(word)]))
  const trace = yield* run({
    selector: selector === "fallback" ? undefined : BigInt(selector),
    known: new Set(),
    maxSteps: bounds.function.maxSteps,
    storage: held,
    ...(isAbsent === undefined ? {} : { isAbsent })
  })
  return (yield* FunctionAnalysis.of(
    pool,
    locator,
    FunctionAnalysis.makeShared(makeTracer(locator, maxParts), []),
    selector,
    trace
  )).flow
}

const isOfWritten = (event: Event): boolean =>
  (event.kind === "load" || event.kind === "store") && StorageLocation.isWritten(event.slot)

const { bounds } = CodeModel

const maxEntries = 400

/** Parts of formulas looked at for one code; about 200 ms. */
const maxParts = 1_500_000

const untold: ValueSource = { kind: "unknown" }

const delegationsOf = (functions: ReadonlyArray<FunctionFlow>): ReadonlyArray<Delegation> => {
  interface Found {
    readonly target: ValueSource
    readonly selectors: Set<Hex | "fallback">
    readonly offsets: Set<number>
  }
  const found = new Map<string, Found>()
  for (const { selector, calls } of functions) {
    for (const call of calls) {
      if (call.kind !== "delegatecall" && call.kind !== "callcode") continue
      for (const origin of call.target.length === 0 ? [untold] : call.target) {
        // Who reads the variable takes the low end of it for the address.
        const target = call.isPacked && origin.kind === "storage" ? untold : origin
        const key = JSON.stringify(target)
        const known = found.get(key) ?? { target, selectors: new Set(), offsets: new Set() }
        found.set(key, known)
        known.selectors.add(selector)
        if (call.offset !== undefined) known.offsets.add(call.offset)
      }
    }
  }
  return [...found.values()].map(({ offsets, selectors, target }) => ({
    target,
    selectors: [...selectors],
    offsets: [...offsets]
  }))
}

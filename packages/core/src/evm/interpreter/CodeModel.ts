/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Slices from "../../runtime/Slices.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import { type Expression, makePool, type Pool } from "../expression/Expression.js"
import * as StorageLocation from "../expression/StorageLocation.js"
import * as AbstractInterpreter from "./AbstractInterpreter.js"
import * as FunctionRun from "./FunctionRun.js"
import * as PathTree from "./PathTree.js"
import type { Options, Trace } from "./Trace.js"

/**
 * The runs of one code, each made on first use and kept. All callers that need the same function within the same bounds
 * get the same formulas, also while they are still being made.
 *
 * Each run has its own pool. With a shared pool, the form of a formula would depend on earlier runs.
 */
export interface CodeModel {
  readonly code: Hex
  readonly bytecode: Bytecode.Bytecode
  /** A function with its paths merged where they meet. */
  readonly run: (selector: Hex, within?: Bounds) => Slices.Slices<FunctionRun.FunctionRun>
  /** A function with its paths kept apart. */
  readonly paths: (selector: Hex, within?: Bounds) => Slices.Slices<PathTree.PathTree>
  /** A function that was run once more, where some formulas of its run are not zero. Not kept. */
  readonly assuming: (
    run: FunctionRun.FunctionRun,
    nonzero: ReadonlyArray<Expression>,
    within: Bounds
  ) => Slices.Slices<Trace>
  /** Begins with runs of several entries that have their formulas in common, as in a reading of all functions. Not kept. */
  readonly begin: () => Session
  /** What it takes in memory, roughly. */
  readonly bytes: () => number
}

/** Runs with one pool: what is the same in several functions is the same formula. */
export interface Session {
  readonly pool: Pool
  readonly locator: StorageLocation.Locator
  readonly run: (options: Options) => Slices.Slices<Trace>
}

/**
 * How far a function is followed: the number of instructions on all of its paths together, and, for separate paths, how
 * often a block may occur on one of them in the same context (unbounded by default).
 */
export interface Bounds {
  readonly maxSteps: number
  readonly rounds?: number
}

/** Every bound of a run, by what is followed. */
export const bounds = {
  /** All functions of a code together; about 250 ms. */
  code: { maxSteps: 400_000 },
  /** One function with its paths merged. */
  function: { maxSteps: 200_000 },
  /** All functions that may end in SELFDESTRUCT together, for the few codes that have it. */
  destruction: { maxSteps: 200_000 },
  /** What answers a bare payment, which is short. */
  payment: { maxSteps: 20_000 },
  /** A function that may credit each account of a list. */
  batch: { maxSteps: 40_000 },
  /** The paths of a function. */
  paths: { maxSteps: 40_000 },
  /** Those of a vault: ways out of older ones have a hundred paths and more. */
  vault: { maxSteps: 80_000 },
  /** Those of a timelock, each loop once at the most; what a timelock has takes 30,000. */
  timelock: { maxSteps: 120_000, rounds: 2 }
} as const satisfies { readonly [of: string]: Bounds }

/** The model of a code, before any run. */
export const of = (code: Hex): CodeModel => {
  const bytecode = Bytecode.parse(code)
  const runs = makeKept((selector, { maxSteps }) => FunctionRun.of(bytecode, selector, maxSteps))
  const trees = makeKept((selector, within) => PathTree.of(bytecode, selector, within))
  return {
    code,
    bytecode,
    run: (selector, within = bounds.function) => runs.get(selector, within),
    paths: (selector, within = bounds.paths) => trees.get(selector, within),
    assuming: ({ pool, selector }, nonzero, { maxSteps }) =>
      AbstractInterpreter.runInSlices(bytecode, pool, {
        selector: BigInt(selector),
        known: new Set(),
        maxSteps,
        nonzero
      }),
    begin: () => {
      const pool = makePool()
      return {
        pool,
        locator: StorageLocation.ofCode(pool, bytecode),
        run: (options) => AbstractInterpreter.runInSlices(bytecode, pool, options)
      }
    },
    bytes: () => code.length * bytesPerDigit + runs.bytes() + trees.bytes()
  }
}

interface Run {
  readonly pool: Pool
  readonly trace: Trace
}

/** Keeps runs by function and bounds, the newest of them up to a number of bytes. */
const makeKept = <A extends Run>(start: (selector: Hex, within: Bounds) => Slices.Slices<A>) => {
  // The oldest use first.
  const kept = new Map<string, { readonly get: () => Slices.Slices<A>; readonly within: Bounds; run: A | undefined }>()
  const bytesOf = (run: A | undefined): number => (run?.pool.size() ?? 0) * bytesPerFormula
  const bytes = (): number => [...kept.values()].reduce((sum, { run }) => sum + bytesOf(run), 0)
  const trim = (): void => {
    let tooMany = bytes() - maxBytes
    for (const [key, { run }] of kept) {
      if (tooMany <= 0) return
      if (run === undefined) continue
      tooMany -= bytesOf(run)
      kept.delete(key)
    }
  }
  function* get(selector: Hex, within: Bounds): Slices.Slices<A> {
    const rounds = within.rounds ?? "any"
    const key = `${selector} ${rounds} ${within.maxSteps}`
    // What was followed to its end within less is the same within more.
    const [found = key] = [...kept].flatMap(
      ([
        name,
        {
          run,
          within: { maxSteps }
        }
      ]) =>
        name === `${selector} ${rounds} ${maxSteps}` && run?.trace.complete === true && maxSteps < within.maxSteps
          ? [name]
          : []
    )
    const entry = kept.get(found) ?? { get: Slices.once(() => start(selector, within)), within, run: undefined }
    kept.delete(found)
    kept.set(found, entry)
    entry.run = yield* entry.get()
    trim()
    return entry.run
  }
  return { get, bytes }
}

/** Of the merged runs of a model, and as many of its paths. */
const maxBytes = 8 * 1024 * 1024

// Measured over 33 tokens of the corpus, with the blocks and conditions of their traces.
const bytesPerFormula = 800
const bytesPerDigit = 20

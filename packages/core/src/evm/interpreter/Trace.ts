/** @internal */

import { type Expression, isNumber } from "../expression/Expression.js"
import type * as PathFacts from "../expression/PathFacts.js"

/**
 * One entry into a contract, run on formulas instead of numbers, every path at once.
 *
 * The unit is a basic block *in a context*: which return addresses stand where on the stack. Where two paths meet in the
 * same block and context their states are merged (a value that differs becomes one `merge` formula, knowledge that only
 * one of them had is dropped), and the block runs again until nothing changes. So loops end, calls of internal functions
 * stay apart, and what is reported holds for every execution, provided that `complete` is true.
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
 */
export interface Block {
  readonly index: number
  readonly offset: number
  readonly successors: ReadonlyArray<number>
  readonly events: ReadonlyArray<Event>
  readonly end: "success" | "failure" | "open"
  readonly succeeds: boolean
}

/**
 * Something a block did that analyses care about, at a byte offset.
 *
 * `facts` are the branch conditions that hold on every path to it: `2 * id` for a formula that is not zero, `2 * id + 1`
 * for one that is zero.
 */
export type Event =
  | {
      readonly kind: "load"
      readonly offset: number
      readonly slot: Expression
      readonly result: Expression
      readonly facts: PathFacts.PathFacts
    }
  | {
      readonly kind: "store"
      readonly offset: number
      readonly slot: Expression
      readonly value: Expression
      readonly facts: PathFacts.PathFacts
      /** What an SLOAD of the slot right before would have been. */
      readonly current: Expression
    }
  | {
      readonly kind: "call"
      readonly offset: number
      readonly opcode: number
      readonly target: Expression
      readonly value: Expression | undefined
      readonly facts: PathFacts.PathFacts
      /** The words of the calldata; undefined where they are not known. */
      readonly input: ReadonlyArray<Expression> | undefined
      /** The called function and its first argument words, as far as they are known. */
      readonly asked: Asked | undefined
      /** Zero where the call failed. */
      readonly success: Expression
      /** The first two words of what it answers. */
      readonly answers: ReadonlyArray<Expression>
      /** The first word that is copied out of what it answers, if it is one. */
      readonly copied: Expression
      /** The value that the output area keeps where the call returns nothing; undefined where it is not known. */
      readonly left: Expression | undefined
    }
  | {
      readonly kind: "branch"
      readonly offset: number
      readonly condition: Expression
      readonly facts: PathFacts.PathFacts
      readonly taken: number
      readonly passed: number
    }
  | {
      /** A read of the gas that is left, or of an account's code or ether. The code may also be copied. */
      readonly kind: "look"
      readonly offset: number
      readonly opcode: number
      readonly at: Expression | undefined
      readonly result: Expression
    }
  | {
      /** The end of the calldata is taken for the sender (ERC-2771), because this condition on the caller holds. */
      readonly kind: "told"
      readonly offset: number
      readonly condition: Expression
      readonly holds: boolean
    }
  | {
      /**
       * A use of a value as a memory offset, a size, an amount of gas or in transient storage, where the value depends
       * on the caller, on storage, on a clock, or on inputs that can differ in the next transaction.
       */
      readonly kind: "use"
      readonly offset: number
      readonly what: Expression
    }
  | {
      /**
       * Memory is touched past {@link nearMemory}, or at a place that is not a constant, so that the gas it costs is not
       * bounded. Only on paths that are kept apart.
       */
      readonly kind: "expand"
      readonly offset: number
    }
  | { readonly kind: "log"; readonly offset: number; readonly topics: ReadonlyArray<Expression> }
  | {
      /** The first word of the return data, where its length is certain. */
      readonly kind: "return"
      readonly offset: number
      readonly length: Expression
      readonly word: Expression | undefined
    }
  | { readonly kind: "create" | "destroy"; readonly offset: number }

/** Bytes of memory that cost little gas to use. */
export const nearMemory = 4096n

/** A function by its selector, with words for it. */
export interface Asked {
  readonly selector: bigint
  readonly words: ReadonlyArray<Expression>
}

/** A write to storage. */
export type StoreEvent = Extract<Event, { readonly kind: "store" }>

/** A call of another contract. */
export type CallEvent = Extract<Event, { readonly kind: "call" }>

/** A jump that is taken where its condition holds. */
export type BranchEvent = Extract<Event, { readonly kind: "branch" }>

/** The formulas that an event makes something of. */
export const madeOf = (event: Event): ReadonlyArray<Expression> => {
  switch (event.kind) {
    case "branch":
      return [event.condition]
    case "store":
      return [event.slot, event.value]
    case "load":
      return [event.slot]
    case "call":
      return [event.target, ...(event.value === undefined ? [] : [event.value]), ...(event.input ?? [])]
    case "use":
      return [event.what]
    case "return":
      return event.word === undefined ? [] : [event.word]
    default:
      return []
  }
}

/** The word that is returned, where it is one and no more. */
export const onlyWord = ({ length, word }: Extract<Event, { readonly kind: "return" }>): Expression | undefined =>
  isNumber(length, 32n) ? word : undefined

/**
 * How one entry is run: with a given selector, or (none) with any other than the `known` ones and any calldata at all.
 * Bounds are counted, never timed, so that the same code always gives the same answer.
 */
export interface Options {
  readonly selector: bigint | undefined
  readonly known: ReadonlySet<bigint>
  readonly maxSteps: number
  /** What variables hold when the call begins, by slot; any other may hold anything. */
  readonly storage?: ReadonlyMap<bigint, bigint>
  /** Which accounts send no transaction, so that the caller and the origin are others; none where it is left out. */
  readonly isAbsent?: (account: bigint) => boolean
  /** Formulas that are not zero when the call begins, whatever they are. */
  readonly nonzero?: ReadonlyArray<Expression>
  /** Keeps every path apart instead of merging: the blocks are a tree, and a loop runs until a bound is hit. */
  readonly paths?: boolean
  /** Of paths that are kept apart, those are left out on which a block in a context comes more often than this. */
  readonly rounds?: number
}

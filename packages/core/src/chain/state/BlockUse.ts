/** @internal */

import type { BlockRef } from "../../domain/BlockRef.js"
import type { Hex } from "../../domain/Hex.js"
import * as Timestamp from "../../domain/Timestamp.js"

/**
 * What an analysis took from its pinned block, beside its reads. Facts and checks that only pass on what follows from the
 * block, or only compare it, say so by the functions of this module; whatever else they read of it is `looked` at. An
 * analysis that did not look, with the same reads, answers and comparisons at another block, comes to the same end there.
 */
export interface BlockUse {
  /** The pinned block for facts and checks. */
  readonly block: BlockRef
  /** Whether its number, time or hash was read in another way. */
  readonly looked: () => boolean
  /** Texts that were derived from its hash, each with its derivation, by their labels. */
  readonly derived: ReadonlyMap<string, Derivation>
  /** How many seconds after it things were said to happen. */
  readonly seconds: ReadonlySet<number>
  /** How many blocks after it, or before it where negative, others were said to be. */
  readonly blocks: ReadonlySet<number>
  readonly comparisons: ReadonlyMap<string, Comparison>
}

/** A text that follows from the hash of a block. */
export type Derivation = (hash: Hex) => Hex

/** Whether the time of the block, in seconds, or its number is at least this one. */
export interface Comparison {
  readonly field: "time" | "number"
  readonly least: bigint
  readonly isReached: boolean
}

/** The same block, with notes of its use. */
export const watched = (block: BlockRef): BlockUse => {
  let looked = false
  const look = <A>(value: A): A => {
    looked = true
    return value
  }
  const notes: Notes = { block, derived: new Map(), seconds: new Set(), blocks: new Set(), comparisons: new Map() }
  const shown: BlockRef = {
    get number() {
      return look(block.number)
    },
    get hash() {
      return look(block.hash)
    },
    get timestamp() {
      return look(block.timestamp)
    }
  }
  notesOf.set(shown, notes)
  return { ...notes, block: shown, looked: () => looked }
}

interface Notes {
  readonly block: BlockRef
  readonly derived: Map<string, Derivation>
  readonly seconds: Set<number>
  readonly blocks: Set<number>
  readonly comparisons: Map<string, Comparison>
}

const notesOf = new WeakMap<BlockRef, Notes>()

/** The block itself, for the document of an analysis. */
export const pinned = (block: BlockRef): BlockRef => notesOf.get(block)?.block ?? block

/** The number of the block that many blocks after it, for who passes it on and decides nothing by it. */
export const numberAfter = (block: BlockRef, blocks: number): number => {
  const notes = notesOf.get(block)
  notes?.blocks.add(blocks)
  return (notes?.block ?? block).number + blocks
}

/** A text that follows from the hash of the block. The label says how: equal labels have equal derivations. */
export const derive = (block: BlockRef, label: string, derivation: Derivation): Hex => {
  const notes = notesOf.get(block)
  notes?.derived.set(label, derivation)
  return derivation((notes?.block ?? block).hash)
}

/** The time of the block and some seconds, for who passes it on. */
export const secondsAfter = (block: BlockRef, seconds: number): number => {
  const notes = notesOf.get(block)
  notes?.seconds.add(seconds)
  return Timestamp.toSeconds((notes?.block ?? block).timestamp) + seconds
}

/** Whether a moment, in seconds since the epoch or as the number of a block, is reached at the block. */
export const hasReached = (block: BlockRef, field: Comparison["field"], least: number | bigint): boolean => {
  const notes = notesOf.get(block)
  const isReached = reaches(notes?.block ?? block, { field, least: BigInt(least) })
  notes?.comparisons.set(`${field} ${least}`, { field, least: BigInt(least), isReached })
  return isReached
}

/** The same of a block that is not watched. */
export const reaches = (block: BlockRef, { field, least }: Pick<Comparison, "field" | "least">): boolean =>
  BigInt(field === "number" ? block.number : Timestamp.toSeconds(block.timestamp)) >= least

/** @internal */

import type { Hex } from "../domain/Hex.js"
import * as StateLens from "./StateLens.js"

/**
 * What is known of lenses at one endpoint, for all who read from it.
 *
 * An answer of a lens is taken for a plain read of its kind only where such a read has shown both ways that it is one:
 * the endpoint gave the same twice, and what it gave was no zero and no absence, which an endpoint that ignores half of
 * an override gives as well. One difference ends that for good.
 *
 * @since 0.1.0
 * @category models
 */
export interface Lenses {
  readonly standingOf: (kind: Kind) => Standing
  /** Reads that were answered both ways. `isConclusive`: an endpoint that ignores the lens would answer otherwise. */
  readonly compared: (kind: Kind, seen: { readonly agrees: boolean; readonly isConclusive: boolean }) => void
  /** A lens gave no answer to any read of these kinds. */
  readonly failed: (kinds: Iterable<Kind>) => void
  /** Whether a call of this code is answered by a lens as it is plainly. */
  readonly isSelfContained: (code: Hex) => boolean
  /** Whether the code of the account could detect a lens when it was last read: a hint, no more. */
  readonly hasDetected: (account: Hex) => boolean
  readonly noted: (account: Hex, code: { readonly detects: boolean }) => void
}

/**
 * @since 0.1.0
 * @category models
 */
export type Kind = StateLens.LensRead["kind"]

/**
 * `"unproven"`: asked both ways. `"agrees"`: a lens is enough. `"differs"`: asked plainly, for as long as the process runs.
 *
 * @since 0.1.0
 * @category models
 */
export type Standing = "unproven" | "agrees" | "differs"

/**
 * What is known at first is the same for reads of all kinds.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (first: Standing = "unproven"): Lenses => {
  const standing = new Map<Kind, Standing>()
  const tries = new Map<Kind, number>()
  const codes = new Map<Hex, boolean>()
  const detecting = new Map<Hex, true>()
  const standingOf = (kind: Kind): Standing => standing.get(kind) ?? first
  const tried = (kind: Kind) => {
    if (standingOf(kind) === "differs") return
    const count = (tries.get(kind) ?? 0) + 1
    tries.set(kind, count)
    standing.set(kind, count < mostTries ? "unproven" : "differs")
  }
  return {
    standingOf,
    compared: (kind, { agrees, isConclusive }) => {
      if (!agrees) standing.set(kind, "differs")
      else if (!isConclusive) {
        if (standingOf(kind) === "unproven") tried(kind)
      } else if (standingOf(kind) === "unproven") {
        standing.set(kind, "agrees")
        tries.delete(kind)
      }
    },
    failed: (kinds) => {
      for (const kind of kinds) tried(kind)
    },
    isSelfContained: (code) => {
      const known = codes.get(code)
      if (known !== undefined) return known
      return remember(codes, code, StateLens.isSelfContained(code), mostCodes)
    },
    hasDetected: (account) => detecting.has(account),
    noted: (account, { detects }) => {
      detecting.delete(account)
      if (detects) remember(detecting, account, true, mostAccounts)
    }
  }
}

// How often in a row nothing was learnt before no more is spent on it.
const mostTries = 8

// At 24 KB a code and two characters a byte, 25 MB at most.
const mostCodes = 512
const mostAccounts = 8_192

const remember = <K, V>(known: Map<K, V>, key: K, value: V, most: number): V => {
  const [oldest] = known.keys()
  if (known.size >= most && oldest !== undefined) known.delete(oldest)
  known.set(key, value)
  return value
}

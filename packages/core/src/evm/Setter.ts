/** @internal */

import type { Hex } from "../domain/Hex.js"
import * as Access from "./Access.js"
import * as Erc20 from "./Erc20.js"
import type { Write } from "./FunctionFlow.js"
import type { Guard } from "./Guard.js"
import type { Field } from "./Origin.js"
import { isWritten, type Place } from "./Overlap.js"
import type { StorageFlow } from "./StorageFlow.js"
import * as TokenBooks from "./TokenBooks.js"

/**
 * A function that writes a variable, and the conditions about its caller.
 *
 * @since 0.1.0
 * @category models
 */
export interface Setter {
  readonly selector: Hex | "fallback"
  readonly writes: ReadonlyArray<Write>
  readonly guards: ReadonlyArray<Guard>
  /** Somebody appointed has to call it, as `guards` say. */
  readonly privileged: boolean
  /** Nothing is asked of whoever calls it, and nothing is paid. */
  readonly free: boolean
}

/**
 * The functions that write a variable (or a part of its word); those of {@link Erc20.standardSelectors} where they do so for
 * somebody appointed, or where it is more than a note of when or how often they were made.
 *
 * @since 0.1.0
 * @category combinators
 */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  slot: string,
  field: Field | undefined
): ReadonlyArray<Setter> =>
  flow.functions.flatMap((candidate): ReadonlyArray<Setter> => {
    const isStandard = Erc20.standardSelectors.has(candidate.selector)
    const writes = candidate.writes.filter(
      (write) =>
        isWritten(write, { slot, field }) &&
        !isCounting(token, write, { slot, field }) &&
        (!isStandard || isDoor(flow, token, write))
    )
    if (writes.length === 0) return []
    const guards = Access.privilegesOf(flow, token, writes)
    return [
      {
        selector: candidate.selector,
        writes,
        guards,
        privileged: guards.length > 0,
        free: guards.length === 0 && !isStandard && Access.isFree(candidate, token)
      }
    ]
  })

/**
 * Whether a slot may be an entry of a mapping whose key the code has no more, only its hash: no function writes it by that.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isHashed = (flow: StorageFlow, slot: string): boolean =>
  !slot.includes("[") &&
  !slot.includes("+") &&
  BigInt(slot) >> 192n !== 0n &&
  !flow.functions.some(({ writes }) => writes.some((write) => write.slot === slot))

/**
 * The functions by which somebody appointed writes an entry of his choice, which may be the one whose hash the code has in
 * the place of its key; none for other slots, and where some function writes that one by its hash.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ofHashed = (flow: StorageFlow, token: TokenBooks.TokenBooks, slot: string): ReadonlyArray<Setter> => {
  if (!isHashed(flow, slot)) return []
  const mappings = new Set(
    flow.functions.flatMap(({ writes }) =>
      writes.flatMap((write) =>
        write.slot.endsWith("[k]") &&
        write.keys.every(({ kind }) => kind === "argument" || kind === "unknown") &&
        !TokenBooks.isBook(token, { slot: write.slot, field: undefined })
          ? [write.slot]
          : []
      )
    )
  )
  return [...mappings].flatMap((mapping) => of(flow, token, mapping, undefined)).filter(({ privileged }) => privileged)
}

/** Whether one of them does more than to note when or how often anybody called it. */
const isDoor = (flow: StorageFlow, token: TokenBooks.TokenBooks, write: Write): boolean =>
  Access.privilegesAt(flow, token, write).length > 0 || (write.lasts && !isClock(write) && !isCount(write))

/**
 * Whether transfers by somebody appointed only note when they were made. Most often that is the pool, and what is noted when
 * somebody bought; the code does not tell.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isDated = ({ selector, writes }: Pick<Setter, "selector" | "writes">): boolean =>
  Erc20.transferSelectors.has(selector) && writes.every(isClock)

const isClock = ({ change }: Write): boolean =>
  change.kind === "set" && change.amount.length > 0 && change.amount.every(({ kind }) => kind === "time")

const isCount = ({ change }: Write): boolean => change.kind === "increase" || change.kind === "decrease"

/** Whether a balance is counted up or down that has a word in common with a variable: that leaves the variable as it is. */
const isCounting = (token: TokenBooks.TokenBooks, write: Write, place: Place): boolean =>
  isCount(write) && TokenBooks.isOfBalances(token, write) && !TokenBooks.isBook(token, place)

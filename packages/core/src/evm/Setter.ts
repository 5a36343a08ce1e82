/** @internal */

import type { Hex } from "../domain/Hex.js"
import * as Access from "./Access.js"
import * as Erc20 from "./Erc20.js"
import type { FunctionFlow, Write } from "./FunctionFlow.js"
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
 * somebody appointed, rather than to note what whoever calls them did.
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
        (!isStandard || isDoor(flow, token, candidate, write))
    )
    if (writes.length === 0) return []
    const guards = Access.privilegesOf(flow, token, writes)
    return [
      {
        selector: candidate.selector,
        writes,
        guards,
        privileged: guards.length > 0,
        free: guards.length === 0 && Access.isFree(candidate, token)
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

/** What transfers note of their parties is no door: a pool that is asked for is one of them. */
const isDoor = (flow: StorageFlow, token: TokenBooks.TokenBooks, { selector }: FunctionFlow, write: Write): boolean =>
  !Erc20.transferSelectors.has(selector) && Access.privilegesAt(flow, token, write).length > 0

/** Whether a balance is counted up or down that has a word in common with a variable: that leaves the variable as it is. */
const isCounting = (token: TokenBooks.TokenBooks, write: Write, place: Place): boolean =>
  (write.change.kind === "increase" || write.change.kind === "decrease") &&
  TokenBooks.isOfBalances(token, write) &&
  !TokenBooks.isBook(token, place)

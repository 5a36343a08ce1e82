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
 * The functions besides {@link Erc20.standardSelectors} that write a variable (or a part of its word).
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
    if (Erc20.standardSelectors.has(candidate.selector)) return []
    const writes = candidate.writes.filter(
      (write) => isWritten(write, { slot, field }) && !isCounting(token, write, { slot, field })
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

/** Whether a balance is counted up or down that has a word in common with a variable: that leaves the variable as it is. */
const isCounting = (token: TokenBooks.TokenBooks, write: Write, place: Place): boolean =>
  (write.change.kind === "increase" || write.change.kind === "decrease") &&
  TokenBooks.isOfBalances(token, write) &&
  !TokenBooks.isBook(token, place)

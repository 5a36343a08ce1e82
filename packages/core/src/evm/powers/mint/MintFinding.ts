/** @internal */

import type { Gap } from "../../bytecode/Completeness.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import type { Conservation } from "../../token/Conservation.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import * as MintWriter from "./MintWriter.js"

/**
 * What a code says about making more tokens, whoever may be allowed to.
 *
 * - `found`: `writers` can, or a transfer itself does (`transferCreates`).
 * - `none`: nothing can, shown over all paths of all functions. `unknown`: `reasons` stand against either.
 *
 * @since 0.1.0
 * @category models
 */
export interface MintFinding {
  readonly state: "found" | "none" | "unknown"
  readonly writers: ReadonlyArray<MintWriter.MintWriter>
  readonly transferCreates: boolean
  readonly reasons: ReadonlyArray<Gap | "no_balances" | "external_books" | "uncertain_writer" | "uncertain_transfer">
}

/**
 * Puts together what the functions besides the standard ones do ({@link MintWriter.of}) with what transfers do.
 *
 * @since 0.1.0
 * @category combinators
 */
export const of = (flow: StorageFlow, token: TokenBooks, transfers: Conservation): MintFinding => {
  const writers = MintWriter.of(flow, token)
  const transferCreates = transfers === "creates"
  const reasons = [
    ...flow.completeness.gaps,
    ...(token.balances.length === 0 ? (["no_balances"] as const) : []),
    ...(token.external ? (["external_books"] as const) : []),
    ...(writers.length > 0 ? (["uncertain_writer"] as const) : []),
    ...(transfers === "unknown" ? (["uncertain_transfer"] as const) : [])
  ]
  if (transferCreates || writers.some((writer) => writer.certain))
    return { state: "found", writers, transferCreates, reasons: [] }
  return { state: reasons.length === 0 ? "none" : "unknown", writers, transferCreates, reasons }
}

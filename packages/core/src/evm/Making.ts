/** @internal */

import type { Hex } from "../domain/Hex.js"
import * as Conservation from "./Conservation.js"
import type { MintWriter } from "./MintWriter.js"
import type * as Slices from "./Slices.js"
import type { StorageFlow } from "./StorageFlow.js"
import * as TokenBooks from "./TokenBooks.js"

/**
 * Of those that may make tokens, the ones that do, in slices. Where a function also takes tokens off accounts its paths are
 * followed one by one: it makes none where on each as much is taken off as is added, and it does for certain where on one
 * nothing is.
 *
 * @since 0.1.0
 * @category combinators
 */
export function* of(
  code: Hex,
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  writers: ReadonlyArray<MintWriter>
): Slices.Slices<ReadonlyArray<MintWriter>> {
  const found: Array<MintWriter> = []
  let left = maxFollowed
  for (const writer of writers) {
    const { selector, writes } = writer
    const moves =
      writes.every((write) => TokenBooks.isOfBalances(token, write)) &&
      flow.functions.some(
        (candidate) =>
          candidate.selector === selector &&
          candidate.writes.some(
            (write) =>
              TokenBooks.isOfBalances(token, write) && ["decrease", "clear", "unknown"].includes(write.change.kind)
          )
      )
    if (!moves || selector === "fallback" || left === 0) {
      found.push(writer)
      continue
    }
    left--
    const sum = yield* Conservation.ofFunctionInSlices(code, selector, token.balances)
    if (sum !== "conserves") found.push(sum === "creates" ? { ...writer, certain: true } : writer)
    yield undefined
  }
  return found
}

/** Functions whose paths are followed, so that work is bounded; about 25 ms each. */
const maxFollowed = 4

/** @internal */

import * as Slices from "../../runtime/Slices.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import type { CodeModel } from "../interpreter/CodeModel.js"
import type { FunctionRun } from "../interpreter/FunctionRun.js"
import type { PathTree } from "../interpreter/PathTree.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import * as Erc20 from "./Erc20.js"
import * as TokenBooks from "./TokenBooks.js"

/**
 * Everything that rules need of a code: what its functions do, which variables hold the token's balances, and its
 * transfers on formulas. Each is computed once, on first use.
 */
export interface TokenModel {
  readonly code: CodeModel
  readonly flow: StorageFlow
  readonly token: TokenBooks.TokenBooks
  /** The transfers, path by path; none where no balances were found. */
  readonly transfers: () => Slices.Slices<ReadonlyArray<PathTree>>
  /** The same where there is one book of balances, so that what a path does to balances can be added up; otherwise none. */
  readonly sums: () => Slices.Slices<ReadonlyArray<PathTree>>
  /** The transfers with their paths merged, of which not all paths were followed, or all where there are several books. */
  readonly merged: () => Slices.Slices<ReadonlyArray<FunctionRun>>
  /** Whether SELFDESTRUCT may be run. */
  readonly isDestructible: () => boolean
}

/** The model of a code after its functions were read. */
export const of = (
  code: CodeModel,
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): TokenModel => {
  const transfers = Slices.once(function* () {
    const trees: Array<PathTree> = []
    if (token.balances.length > 0) for (const { selector } of Erc20.transfers) trees.push(yield* code.paths(selector))
    return trees
  })
  let isDestructible: boolean | undefined
  return {
    code,
    flow,
    token,
    transfers,
    *sums() {
      return token.balances.length === 1 ? yield* transfers() : []
    },
    merged: Slices.once(function* () {
      const runs: Array<FunctionRun> = []
      for (const { selector, trace } of yield* transfers())
        if (token.balances.length > 1 || !trace.complete) runs.push(yield* code.run(selector))
      return runs
    }),
    isDestructible: () =>
      (isDestructible ??= Bytecode.presence(Bytecode.reach(code.bytecode), "SELFDESTRUCT") !== "absent")
  }
}

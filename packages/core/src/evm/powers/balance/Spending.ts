/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import { type Expression, unmasked } from "../../expression/Expression.js"
import * as ValueSource from "../../expression/ValueSource.js"
import * as PathTree from "../../interpreter/PathTree.js"
import * as Approval from "../../summary/signatures/Approval.js"
import * as DebitedAmounts from "../../summary/signatures/DebitedAmounts.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type * as BalanceSeizure from "./BalanceSeizure.js"

/**
 * Whether a transfer that may take more than what the sender allows does not, path by path: a fee that is taken for itself is
 * taken off the amount on the same paths. Not where a path could not be followed.
 */
export const isCleared = (
  { certain, kind, selector, writes }: BalanceSeizure.BalanceSeizure,
  token: TokenBooks.TokenBooks,
  trees: ReadonlyArray<PathTree.PathTree>
): boolean => {
  const tree = trees.find((one) => one.selector === selector)
  const transfer = Erc20.transferOf(selector)
  return (
    kind === "bypass" &&
    !certain &&
    tree !== undefined &&
    transfer?.sender !== undefined &&
    writes.every(({ keys: [account] }) => account?.kind === "argument" && account.index === transfer.sender) &&
    isAllowed(tree, transfer.sender, token)
  )
}

/** Whether on every path all that is taken from the sender is no more than what he was found to allow, unless he is the caller. */
const isAllowed = (tree: PathTree.PathTree, sender: number, token: TokenBooks.TokenBooks): boolean => {
  const { locator, trace } = tree
  const tracer = ValueSource.makeTracer(locator, maxParts)
  const isSender = (what: Expression): boolean => Argument.isAt(unmasked(what), sender)
  const isCaller = (what: Expression): boolean => unmasked(what).op === Opcodes.CALLER
  const isSenderCalling = (condition: Expression, holds: boolean): boolean => {
    const [a, b] = condition.args
    const isEqual =
      condition.op === Opcodes.EQ
        ? holds
        : condition.op === Opcodes.SUB || condition.op === Opcodes.XOR
          ? !holds
          : false
    return (
      isEqual && a !== undefined && b !== undefined && ((isSender(a) && isCaller(b)) || (isSender(b) && isCaller(a)))
    )
  }
  const books = new Map(token.balances.map(({ mask, slot }) => [slot, BigInt(mask)]))
  const isOnPath = (end: number): boolean => {
    const indices = PathTree.pathTo(tree, end)
    const blocks = indices.flatMap((index) => trace.blocks[index] ?? [])
    const place = new Map(indices.map((index, at) => [index, at]))
    const taken = DebitedAmounts.of(
      tree.pool,
      tracer,
      { blocks },
      {
        after: ([start = 0]) => ({ has: (block) => (place.get(block) ?? 0) > (place.get(start) ?? 0) }),
        repeats: () => false
      },
      books
    )
    return blocks.some(({ events }, at) =>
      events.some((event) => {
        if (event.kind !== "branch" || event.taken === event.passed) return false
        const holds = indices[at + 1] === event.taken
        return (
          isSenderCalling(event.condition, holds) ||
          Approval.of(tracer, isCaller, taken, event.condition, holds, false).some(
            ({ account, besides, factors = [], slot }) =>
              besides !== true &&
              isSender(account) &&
              token.allowances.some((book) => book.slot === slot) &&
              [...factors].every((factor) => TokenBooks.isWorth(token, factor))
          )
        )
      })
    )
  }
  return (
    trace.complete &&
    trace.blocks.every(({ end, index, successors }) => end !== "success" || successors.length > 0 || isOnPath(index)) &&
    !tracer.exhausted()
  )
}

const maxParts = 200_000

/** @internal */

import * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import { type Expression, Kind, unmasked } from "../../expression/Expression.js"
import * as TakenShare from "../../expression/TakenShare.js"
import { makeTracer } from "../../expression/ValueSource.js"
import type { FunctionRun } from "../../interpreter/FunctionRun.js"
import type { PathTree } from "../../interpreter/PathTree.js"
import type { StoreEvent } from "../../interpreter/Trace.js"
import * as ControlFlowGraph from "../../summary/conditions/ControlFlowGraph.js"
import * as DebitedAmounts from "../../summary/signatures/DebitedAmounts.js"
import * as Erc20 from "../../token/Erc20.js"
import type * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"

/**
 * Whether a transfer may debit its sender by more than the sent amount, in slices: a tax that the receiver does not
 * see.
 */
export function* mayBe(model: TokenModel): Slices.Slices<boolean> {
  const { token } = model
  const runs = yield* model.merged()
  for (const tree of yield* model.transfers()) {
    const transfer = Erc20.transferOf(tree.selector)
    const run = tree.trace.complete ? undefined : runs.find(({ selector }) => selector === tree.selector)
    if (transfer === undefined) continue
    const isSender = senderOf(transfer)
    const isMore = makeBound(run ?? tree, transfer)
    if (run === undefined ? yield* isOnPath(tree, token, isSender, isMore) : isTogether(run, token, isSender, isMore))
      return true
    yield undefined
  }
  return false
}

const senderOf =
  ({ sender }: Erc20.Transfer) =>
  (account: Expression): boolean =>
    sender === undefined ? account.op === Opcodes.CALLER : Argument.isAt(account, sender)

/** Makes a test of whether a transfer may take more from one mapping than it sends. */
const makeBound = (
  { locator, pool }: Pick<FunctionRun, "locator" | "pool">,
  { amount }: Erc20.Transfer
): ((lost: ReadonlyArray<Expression>) => boolean) => {
  const tracer = makeTracer(locator, maxParts)
  const sent = Argument.at(pool, amount)
  return (lost) => {
    const [one, ...more] = lost
    // An NFT counts for one, whatever its number is.
    if (more.length === 0 && one?.op === Kind.constant && one.value === 1n) return false
    return TakenShare.of(tracer, lost, sent, [sent]) === undefined
  }
}

/** Whether more is taken on one of the paths of a tree. */
function* isOnPath(
  { locator, parents, pool, trace }: PathTree,
  token: TokenBooks.TokenBooks,
  isSender: (account: Expression) => boolean,
  isMore: (lost: ReadonlyArray<Expression>) => boolean
): Slices.Slices<boolean> {
  const work = Slices.makeWork()
  const takenBy = (event: StoreEvent): ReadonlyArray<readonly [book: string, lost: Expression]> =>
    (locator.resolve(event.slot) ?? []).flatMap(({ id, keys: [account, ...others] }) =>
      account !== undefined &&
      others.length === 0 &&
      isSender(unmasked(account)) &&
      token.balances.some(({ slot }) => slot === id)
        ? DebitedAmounts.lessIn(pool, event).flatMap(({ lost, mask }) =>
            token.balances.some((book) => book.slot === id && (BigInt(book.mask) & mask) !== 0n)
              ? [[id, lost] as const]
              : []
          )
        : []
    )
  /** The debits up to the end of a block, for each mapping. */
  const progress: Array<ReadonlyMap<string, ReadonlyArray<Expression>>> = []
  const known = new Set<string>()
  for (const block of trace.blocks) {
    if (work.isDue(1)) yield undefined
    const taken = new Map(progress[parents.get(block.index) ?? -1])
    for (const event of block.events)
      for (const [book, lost] of event.kind === "store" ? takenBy(event) : [])
        taken.set(book, [...(taken.get(book) ?? []), lost])
    progress[block.index] = taken
    if (block.end !== "success" || block.successors.length > 0) continue
    for (const lost of taken.values()) {
      const name = lost.map(({ id }) => id).join()
      if (known.has(name)) continue
      known.add(name)
      if (work.isDue(lost.length)) yield undefined
      if (isMore(lost)) return true
    }
  }
  return false
}

/** Whether more may be taken by what one call may do together. */
const isTogether = (
  { locator, pool, trace }: FunctionRun,
  token: TokenBooks.TokenBooks,
  isSender: (account: Expression) => boolean,
  isMore: (lost: ReadonlyArray<Expression>) => boolean
): boolean => {
  const books = new Map(token.balances.map(({ mask, slot }) => [slot, BigInt(mask)]))
  const taken = DebitedAmounts.of(pool, makeTracer(locator, maxParts), trace, ControlFlowGraph.make(trace), books)
  return (
    !trace.complete ||
    [...taken].some(
      ([account, { often, together }]) => isSender(account) && (often.size > 0 || together.some((lost) => isMore(lost)))
    )
  )
}

const maxParts = 200_000

/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import * as Conservation from "../../token/Conservation.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as Custody from "../custody/Custody.js"
import * as BatchDistribution from "./BatchDistribution.js"
import * as MintCollateral from "./MintCollateral.js"
import type { MintWriter } from "./MintWriter.js"

/**
 * The functions that mint among those that may, in slices. Where a function also debits accounts, its paths are
 * followed one by one: it mints nothing where each path debits as much as it credits, and certainly mints where one
 * path debits nothing. A function that anyone may call for a payment that stays mints nothing unbacked.
 */
export function* of(model: TokenModel, writers: ReadonlyArray<MintWriter>): Slices.Slices<ReadonlyArray<MintWriter>> {
  const { code, flow, token } = model
  const found: Array<MintWriter> = []
  const paid: Array<MintWriter> = []
  let left = maxFollowed
  for (const writer of writers) {
    const { selector, writes } = writer
    const candidate = flow.functions.find((one) => one.selector === selector)
    if (candidate === undefined || selector === "fallback" || left === 0) {
      found.push(writer)
      continue
    }
    const isOfBalances = writes.every((write) => TokenBooks.isOfBalances(token, write))
    const taking = candidate.writes.filter((write) => isTaking(write) && TokenBooks.isOfBalances(token, write))
    if (isOfBalances && taking.length > 0) {
      left--
      const sum = yield* Conservation.ofFunctionInSlices(code, selector, token.balances)
      // What several accounts in a list are given may be what one is known to have lost in all.
      const isSettled = writes.every(isListed) && taking.some(({ change }) => change.kind !== "unknown")
      const [book] = token.balances
      const isCovered =
        sum === "unknown" &&
        isSettled &&
        token.balances.length === 1 &&
        book !== undefined &&
        (yield* BatchDistribution.isCovered(code, selector, book.slot))
      if (sum !== "conserves" && !isCovered)
        found.push({ ...writer, certain: sum === "creates" || (writer.certain && !isSettled) })
    } else if (mayBeBacked(model, candidate, writer)) {
      left--
      const backing = yield* MintCollateral.of(model, selector)
      if (backing === "untold" || (backing === "paid" && writer.privileged)) found.push(writer)
      else if (backing === "paid") paid.push(writer)
    } else found.push(writer)
    yield undefined
  }
  return paid.length === 0 || (yield* MintCollateral.stays(model)) ? found : [...found, ...paid]
}

/** Whether a function that mints also takes something: a debit of accounts and supply, or a payment by the caller. */
const mayBeBacked = (
  model: TokenModel,
  { calls, writes }: FunctionFlow,
  { amount, privileged, writes: making }: MintWriter
): boolean => {
  const { token } = model
  return (
    making.every(
      ({ mask, slot }) =>
        isOneOf([...token.supply, ...token.balances], slot, mask) && !isOneOf(token.scalings, slot, mask)
    ) &&
    (writes.some((write) => isTaking(write) && TokenBooks.isOfBalances(token, write)) ||
      (!privileged &&
        (calls.some(Custody.isPull) || amount.some(({ kind }) => kind === "value")) &&
        MintCollateral.mayStay(model)))
  )
}

/** Whether nobody gets more than was paid in ether for it, as those who wrap ether do. */
export const isPaidInEther = ({ writes }: MintWriter): boolean =>
  writes.every(
    ({ change }) => change.kind === "increase" && change.amount.length === 1 && change.amount[0]?.kind === "value"
  )

const isTaking = ({ change }: Write): boolean => ["decrease", "clear", "unknown"].includes(change.kind)

/** Whether an account comes out of a list, in memory or in the arguments. */
const isListed = ({ keys }: Write): boolean =>
  keys.some((key) => key.kind === "unknown" || (key.kind === "argument" && key.index === undefined))

/** How many functions are followed path by path, so that work is bounded; about 25 ms each. */
const maxFollowed = 4

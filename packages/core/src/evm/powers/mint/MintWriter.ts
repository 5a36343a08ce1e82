/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import { unique, type ValueSource } from "../../expression/ValueSource.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import type { Guard } from "../../summary/conditions/Guard.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as BalanceSeizure from "../balance/BalanceSeizure.js"

/**
 * A function that can make more tokens.
 *
 * `certain`: it raises the supply, or a balance without taking as much off another one, by an amount that does not come
 * from the token's own balances, allowances or supply. Otherwise it writes one of them in a way that may raise it.
 */
export interface MintWriter {
  readonly selector: Hex | "fallback"
  readonly certain: boolean
  readonly writes: ReadonlyArray<Write>
  readonly amount: ReadonlyArray<ValueSource>
  readonly guards: ReadonlyArray<Guard>
  /** Only a privileged caller can use it, as `guards` say; otherwise anyone who meets its other conditions. */
  readonly privileged: boolean
  /** Any caller can use it for free, and chooses the amount or may call it at any time. */
  readonly free: boolean
}

/**
 * The functions besides transfers that can make more tokens. Burning and minting are distinguished by the direction of
 * the arithmetic, never by a name.
 */
export const of = (flow: StorageFlow, token: TokenBooks.TokenBooks = TokenBooks.of(flow)): ReadonlyArray<MintWriter> =>
  flow.functions.flatMap((candidate): ReadonlyArray<MintWriter> => {
    if (Erc20.transferSelectors.has(candidate.selector)) return []
    // With two books (reflection tokens) an account may be debited in one and another credited in the other.
    const moves =
      token.balances.length > 1 &&
      candidate.writes.some((write) => write.change.kind === "decrease" && TokenBooks.isOfBalances(token, write))
    const graded = candidate.writes.map((write) => {
      const grade = gradeOf(write, token)
      return [write, grade === "certain" && moves ? "possible" : grade] as const
    })
    const certain = graded.filter(([, grade]) => grade === "certain").map(([write]) => write)
    const writes =
      certain.length > 0 ? certain : graded.filter(([, grade]) => grade === "possible").map(([write]) => write)
    if (writes.length === 0) return []
    const guards = Access.privilegesOf(flow, token, writes)
    const amount = unique(writes.flatMap((write) => write.change.amount))
    return [
      {
        selector: candidate.selector,
        certain: certain.length > 0,
        writes,
        amount,
        guards,
        privileged: guards.length > 0,
        free:
          guards.length === 0 &&
          Access.isFree(candidate, token) &&
          (amount.some((origin) => origin.kind === "argument") ||
            (amount.every((origin) => origin.kind === "constant") && isOpen(candidate, token))) &&
          !amount.some((origin) => origin.kind === "value")
      }
    ]
  })

/**
 * The transfers in which an owner sets what all balances are multiplied or divided with. What a transfer adds to
 * accounts and takes off them is weighed path by path.
 */
export const ofTransfers = (flow: StorageFlow, token: TokenBooks.TokenBooks): ReadonlyArray<MintWriter> =>
  Erc20.transfers.flatMap(({ selector }): ReadonlyArray<MintWriter> => {
    const writes = (Erc20.functionOf(flow, selector)?.writes ?? []).filter(
      (write) =>
        isOneOf(token.scalings, write.slot, write.mask) &&
        gradeOf(write, token) !== "none" &&
        !BalanceSeizure.isOfListed(write) &&
        Access.privilegesAt(flow, token, write).length > 0
    )
    if (writes.length === 0) return []
    return [
      {
        selector,
        certain: writes.some((write) => gradeOf(write, token) === "certain"),
        writes,
        amount: unique(writes.flatMap(({ change }) => change.amount)),
        guards: Access.privilegesOf(flow, token, writes),
        privileged: true,
        free: false
      }
    ]
  })

/**
 * Whether a function depends on no other storage than balances, allowances and supply, and not on the time: it has the
 * same effect at each call.
 */
const isOpen = ({ gates }: FunctionFlow, token: TokenBooks.TokenBooks): boolean =>
  gates.every(
    ({ about, reads }) =>
      about.every((kind) => kind === "argument" || kind === "value") &&
      reads.every((read) => TokenBooks.isBook(token, read))
  )

/**
 * Whether no write of a function can make more tokens: what it adds to an account it takes off others on every path, as
 * often as it adds it. This also covers functions with loops, which have countless paths.
 */
export const isBalanced = ({ complete, writes }: FunctionFlow, token: TokenBooks.TokenBooks): boolean =>
  complete && writes.every((write) => gradeOf(write, token) === "none")

const gradeOf = (write: Write, token: TokenBooks.TokenBooks): "certain" | "possible" | "none" => {
  if (isOneOf(token.scalings, write.slot, write.mask))
    return TokenBooks.isRescaling(write, token) ? "certain" : write.change.kind === "keep" ? "none" : "possible"
  const isBalance = TokenBooks.isOfBalances(token, write)
  if (!isBalance && !isOneOf(token.supply, write.slot, write.mask)) return "none"
  const { kind, amount, balanced, matched, sources } = write.change
  switch (kind) {
    case "increase":
      return !isBalance || !matched ? "certain" : balanced ? "none" : "possible"
    case "set":
      // What is computed from the token's own books (a reflection rate, another balance) need not be more than before; but
      // what all accounts have together is more than what one has.
      return amount.some((origin) => origin.kind !== "storage") ||
        (isBalance &&
          !matched &&
          amount.length > 0 &&
          sources.every((source) => isOneOf(token.supply, source.slot, source.mask)))
        ? "certain"
        : "possible"
    case "raise":
      return "certain"
    case "unknown":
      return write.change.step === "up" && !isBalance ? "certain" : "possible"
    case "flip":
      return "possible"
    case "decrease":
    case "clear":
    case "keep":
      return "none"
  }
}

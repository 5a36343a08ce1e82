/** @internal */

import * as Selectors from "../../bytecode/Selectors.js"
import { unique, type ValueSource } from "../../expression/ValueSource.js"
import type { Call, FunctionFlow, StorageFlow, Write } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as TokenBooks from "../../token/TokenBooks.js"

/**
 * User deposits in a contract: accounts pay in, the contract records it in their entries of `book`, and they can
 * withdraw what their entry says. An entry belongs to the account as its key, or is found by a secret or by the account
 * stored in it.
 *
 * A sale is no custody: the buyer gets something else, and the payment belongs to the seller. But a contract that buys
 * back what it sold holds the payments, at whatever price.
 */
export interface Custody {
  readonly book: string
  readonly asset: Asset
  /** Variables to which what is put in is added: what all have in it together. */
  readonly totals: ReadonlySet<string>
  /** Variables by which it is worked out how much is paid for what an entry is lowered by: a price, or the rate of a fee. */
  readonly prices: ReadonlySet<string>
}

/**
 * The deposited asset: a token by the source of its address, ether, or `own` tokens, in the contract's own balance
 * entry.
 */
export type Asset =
  | { readonly kind: "token"; readonly places: ReadonlyArray<ValueSource> }
  | { readonly kind: "ether" }
  | { readonly kind: "own" }

/** What a contract holds for others, by its code. */
export const of = (flow: StorageFlow, token: TokenBooks.TokenBooks = TokenBooks.of(flow)): ReadonlyArray<Custody> => {
  const payouts = flow.functions.flatMap((candidate) => payoutsOf(flow, token, candidate))
  const found = payouts.flatMap(({ asset, book }): ReadonlyArray<Custody> => {
    const deposits = flow.functions.flatMap((candidate) =>
      candidate.writes
        .filter((write) => write.slot === book && isDeposit(flow, token, candidate, write, asset))
        .map((write) => ({ candidate, write }))
    )
    if (deposits.length === 0) return []
    const totals = new Set(
      deposits.flatMap(({ candidate, write }) =>
        candidate.writes.flatMap(({ change, keys, slot }) =>
          change.kind === "increase" && keys.length === 0 && isSame(change.amount, write.change.amount) ? [slot] : []
        )
      )
    )
    const prices = new Set(
      payouts.filter((payout) => isOfOne(payout, { asset, book })).flatMap(({ amount }) => amount.flatMap(rateOf))
    )
    return [{ book, asset, totals, prices }]
  })
  return [...new Map(found.map((custody) => [keyOf(custody), custody])).values()]
}

interface Payout extends Pick<Custody, "asset" | "book"> {
  readonly amount: ReadonlyArray<ValueSource>
}

const keyOf = ({ asset, book }: Pick<Custody, "asset" | "book">): string => JSON.stringify([book, asset])

const isOfOne = (some: Pick<Custody, "asset" | "book">, other: Pick<Custody, "asset" | "book">): boolean =>
  keyOf(some) === keyOf(other)

/** A variable that all entries have in common. */
const rateOf = (origin: ValueSource): ReadonlyArray<string> =>
  origin.kind === "storage" && !origin.slot.includes("[") ? [origin.slot] : []

/** What a function without a privileged caller pays out of an entry of a mapping, while it lowers the entry. */
const payoutsOf = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  { calls, writes }: FunctionFlow
): ReadonlyArray<Payout> =>
  writes
    .filter((write) => isLowering(write) && !isForSome(flow, token, write))
    .flatMap((write) => {
      const { slot: book } = write
      const isOwn = write.keys.some(({ kind }) => kind === "caller")
      const isOfBook = (origin: ValueSource): boolean => origin.kind === "storage" && origin.slot === book
      const isShare = isOwn && TokenBooks.isOfBalances(token, write) && writes.some((other) => isOfSupply(other, token))
      // How much an entry of his own is lowered by is up to him; any other is paid as it says.
      const isOwed = (amount: ReadonlyArray<ValueSource>): boolean =>
        amount.some((origin) => isOfBook(origin) || (isOwn && origin.kind === "argument")) &&
        amount.every(
          (origin) =>
            isOfBook(origin) ||
            (isOwn && origin.kind === "argument") ||
            origin.kind === "constant" ||
            rateOf(origin).length > 0 ||
            // The same share of the contract's holdings as of the supply; another contract reports the holdings.
            (isShare && origin.kind === "unknown" && amount.some((other) => isSupply(other, token)))
        )
      const isDue = (receiver: ReadonlyArray<ValueSource>): boolean =>
        isCaller(receiver) || (!isOwn && receiver.length > 0 && receiver.every((origin) => isBeside(origin, book)))
      const sent = calls.flatMap((call): ReadonlyArray<Payout> => {
        const { order, target } = call
        if (order === undefined || isForSome(flow, token, call)) return []
        if (order.value !== undefined)
          return isDue(target) && isOwed(order.value) ? [{ book, asset: { kind: "ether" }, amount: order.value }] : []
        const [receiver = [], amount = []] = order.input
        return order.selector === Selectors.functions.transfer && isDue(receiver) && isOwed(amount)
          ? [{ book, asset: { kind: "token", places: target.filter(isPlace) }, amount }]
          : []
      })
      const own =
        isOwn &&
        !TokenBooks.isOfBalances(token, write) &&
        writes.some((other) => isOfCaller(other, token) && isMore(other))
          ? writes
              .filter((other) => isOfSelf(other, token) && isLess(other) && isOwed(other.change.amount))
              .map(({ change }): Payout => ({ book, asset: { kind: "own" }, amount: change.amount }))
          : []
      return [...sent, ...own]
    })

const isSupply = (origin: ValueSource, { supply }: TokenBooks.TokenBooks): boolean =>
  origin.kind === "storage" && supply.some(({ slot }) => slot === origin.slot)

const isOfSupply = (write: Write, { supply }: TokenBooks.TokenBooks): boolean =>
  isLess(write) && supply.some(({ slot }) => slot === write.slot)

const isLowering = (write: Write): boolean => write.slot.includes("[k]") && isLess(write)

/**
 * Whether the privileged caller is a known account. A condition on another contract's answer, or on a caller without
 * code, may apply to anyone.
 */
const isForSome = (flow: StorageFlow, token: TokenBooks.TokenBooks, at: Pick<Write, "guards" | "shut">): boolean =>
  Access.privilegesAt(flow, token, at).some(({ kind }) => kind !== "unknown")

/** Whether an account is stored in the same entry. */
const isBeside = (origin: ValueSource, book: string): boolean =>
  origin.kind === "storage" && rootOf(origin.slot) === rootOf(book)

const rootOf = (slot: string): string => slot.slice(0, slot.lastIndexOf("]") + 1)

const isLess = ({ change }: Write): boolean =>
  change.kind === "decrease" || change.kind === "clear" || change.kind === "unknown"

const isMore = ({ change }: Write): boolean =>
  change.kind === "increase" || change.kind === "set" || change.kind === "unknown"

/** Whether a write is one to what a token's contract has of it itself. */
export const isOfSelf = (write: Write, token: TokenBooks.TokenBooks): boolean =>
  TokenBooks.isOfBalances(token, write) && write.keys[0]?.kind === "self"

const isOfCaller = (write: Write, token: TokenBooks.TokenBooks): boolean =>
  TokenBooks.isOfBalances(token, write) && write.keys[0]?.kind === "caller"

const isCaller = (origins: ReadonlyArray<ValueSource>): boolean =>
  origins.length > 0 && origins.every((origin) => origin.kind === "caller")

/** Whether an origin says by itself which contract it is: a variable or a constant. */
export const isPlace = (origin: ValueSource): boolean => origin.kind === "storage" || origin.kind === "constant"

/** Whether a write credits an entry with what the call pays in, without a privileged caller. */
const isDeposit = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  { calls, writes }: FunctionFlow,
  write: Write,
  asset: Asset
): boolean => {
  const { change, keys } = write
  if (!isMore(write) || isForSome(flow, token, write)) return false
  const isOwn = keys.some((key) => key.kind === "caller")
  switch (asset.kind) {
    case "ether":
      return (
        change.amount.some(({ kind }) => kind === "value") &&
        change.amount.every((origin) => isOfPayment(origin) && (isOwn || origin.kind === "value")) &&
        !calls.some(isPassingOn)
      )
    case "own":
      return (
        isOwn &&
        isOfWhoCalls(change.amount) &&
        writes.some((other) => isOfCaller(other, token) && isLess(other)) &&
        writes.some((other) => isOfSelf(other, token) && isMore(other))
      )
    case "token":
      return (
        isOfWhoCalls(change.amount) &&
        calls.some(
          (call) =>
            sharesOne(call.target, asset.places) &&
            (isPull(call)
              ? isOwn || isSame(change.amount, call.order?.input[2] ?? [])
              : isOwn &&
                call.order !== undefined &&
                call.order.selector === undefined &&
                call.order.value === undefined)
        )
      )
  }
}

const isOfPayment = (origin: ValueSource): boolean =>
  origin.kind === "value" || origin.kind === "constant" || rateOf(origin).length > 0

/** Whether a call forwards all that was paid, so that nothing of it is kept. */
const isPassingOn = ({ order, target }: Call): boolean =>
  order?.value?.every(({ kind }) => kind === "value") === true && !target.every(({ kind }) => kind === "self")

const isOfWhoCalls = (amount: ReadonlyArray<ValueSource>): boolean =>
  amount.some(({ kind }) => kind === "argument" || kind === "unknown")

/** Whether a call takes tokens from whoever calls, by the allowance that he gave the contract. */
export const isPull = ({ order }: Call): boolean =>
  order?.selector === Selectors.functions.transferFrom && isCaller(order.input[0] ?? [])

/** Whether two lists have an origin in common. */
export const sharesOne = (some: ReadonlyArray<ValueSource>, others: ReadonlyArray<ValueSource>): boolean => {
  const known = new Set(others.map((origin) => JSON.stringify(origin)))
  return some.some((origin) => known.has(JSON.stringify(origin)))
}

const isSame = (some: ReadonlyArray<ValueSource>, others: ReadonlyArray<ValueSource>): boolean => {
  const all = unique([...some, ...others])
  return some.length > 0 && all.length === some.length && all.length === others.length
}

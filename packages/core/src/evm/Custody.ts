import { type Origin, unique } from "./Origin.js"
import * as Selectors from "./Selectors.js"
import type { Call, FunctionFlow, StorageFlow, Write } from "./StorageFlow.js"
import * as TokenFlow from "./TokenFlow.js"

/**
 * What a contract holds for others: accounts put something in, have it in their entries of `book`, and can take out what
 * their entry says.
 *
 * Selling is no custody: whoever buys at a price gets something else, and what he paid is the seller's.
 *
 * @since 0.1.0
 * @category models
 */
export interface Custody {
  readonly book: string
  readonly asset: Asset
  /** Variables to which what is put in is added: what all have in it together. */
  readonly totals: ReadonlySet<string>
}

/**
 * What is held: a token by where its address comes from, ether, or `own` tokens, which stand in the contract's own entry of
 * its balances.
 *
 * @since 0.1.0
 * @category models
 */
export type Asset =
  | { readonly kind: "token"; readonly places: ReadonlyArray<Origin> }
  | { readonly kind: "ether" }
  | { readonly kind: "own" }

/**
 * What a contract holds for others, by its code.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (flow: StorageFlow, token: TokenFlow.TokenFlow = TokenFlow.of(flow)): ReadonlyArray<Custody> => {
  const payouts = flow.functions.flatMap((candidate) => payoutsOf(candidate, token))
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
    return [{ book, asset, totals }]
  })
  return [...new Map(found.map((custody) => [JSON.stringify([custody.book, custody.asset]), custody])).values()]
}

/** What a function pays its caller out of its entry in a book, which it lowers by as much. */
const payoutsOf = (
  { calls, writes }: FunctionFlow,
  token: TokenFlow.TokenFlow
): ReadonlyArray<Pick<Custody, "asset" | "book">> =>
  writes.filter(isLoweringOwn).flatMap((write) => {
    const { slot: book } = write
    const isOwed = (amount: ReadonlyArray<Origin>): boolean =>
      amount.length > 0 &&
      amount.every((origin) => origin.kind === "argument" || (origin.kind === "storage" && origin.slot === book))
    const sent = calls.flatMap(({ order, target }): ReadonlyArray<Asset> => {
      if (order === undefined) return []
      if (order.value !== undefined) return isCaller(target) && isOwed(order.value) ? [{ kind: "ether" }] : []
      const [receiver = [], amount = []] = order.input
      return order.selector === Selectors.functions.transfer && isCaller(receiver) && isOwed(amount)
        ? [{ kind: "token", places: target.filter(isPlace) }]
        : []
    })
    const isOwn =
      !TokenFlow.isOfBalances(token, write) &&
      writes.some((other) => isOfSelf(other, token) && isLess(other) && isOwed(other.change.amount)) &&
      writes.some((other) => isOfCaller(other, token) && isMore(other))
    return [...sent, ...(isOwn ? [{ kind: "own" } as const] : [])].map((asset) => ({ book, asset }))
  })

const isLoweringOwn = (write: Write): boolean =>
  write.slot.includes("[k]") && write.keys.some((key) => key.kind === "caller") && isLess(write)

const isLess = ({ change }: Write): boolean =>
  change.kind === "decrease" || change.kind === "clear" || change.kind === "unknown"

const isMore = ({ change }: Write): boolean =>
  change.kind === "increase" || change.kind === "set" || change.kind === "unknown"

/**
 * Whether a write is one to what a token's contract has of it itself.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOfSelf = (write: Write, token: TokenFlow.TokenFlow): boolean =>
  TokenFlow.isOfBalances(token, write) && write.keys[0]?.kind === "self"

const isOfCaller = (write: Write, token: TokenFlow.TokenFlow): boolean =>
  TokenFlow.isOfBalances(token, write) && write.keys[0]?.kind === "caller"

const isCaller = (origins: ReadonlyArray<Origin>): boolean =>
  origins.length > 0 && origins.every((origin) => origin.kind === "caller")

/**
 * Whether an origin says by itself which contract it is: a variable or a constant.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isPlace = (origin: Origin): boolean => origin.kind === "storage" || origin.kind === "constant"

/** Whether a write puts into its caller's entry what the call brings along, with nobody appointed asked for. */
const isDeposit = (
  flow: StorageFlow,
  token: TokenFlow.TokenFlow,
  { calls, writes }: FunctionFlow,
  write: Write,
  asset: Asset
): boolean => {
  const { change, keys } = write
  if (!keys.some((key) => key.kind === "caller") || !isMore(write)) return false
  if (TokenFlow.privilegesAt(flow, token, write).length > 0) return false
  switch (asset.kind) {
    case "ether":
      // A price between what is paid and what is entered makes it a sale.
      return change.amount.some(({ kind }) => kind === "value") && change.amount.every(({ kind }) => isOfPayment(kind))
    case "own":
      return (
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
            (isPull(call) ||
              (call.order !== undefined && call.order.selector === undefined && call.order.value === undefined))
        )
      )
  }
}

const isOfWhoCalls = (amount: ReadonlyArray<Origin>): boolean =>
  amount.some(({ kind }) => kind === "argument" || kind === "unknown")

const isOfPayment = (kind: Origin["kind"]): boolean => kind === "value" || kind === "constant"

/**
 * Whether a call takes tokens from whoever calls, by the allowance that he gave the contract.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isPull = ({ order }: Call): boolean =>
  order?.selector === Selectors.functions.transferFrom && isCaller(order.input[0] ?? [])

/**
 * Whether two lists have an origin in common.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sharesOne = (some: ReadonlyArray<Origin>, others: ReadonlyArray<Origin>): boolean => {
  const known = new Set(others.map((origin) => JSON.stringify(origin)))
  return some.some((origin) => known.has(JSON.stringify(origin)))
}

const isSame = (some: ReadonlyArray<Origin>, others: ReadonlyArray<Origin>): boolean => {
  const all = unique([...some, ...others])
  return some.length > 0 && all.length === some.length && all.length === others.length
}

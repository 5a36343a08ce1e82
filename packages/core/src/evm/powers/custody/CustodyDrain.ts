/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import * as Selectors from "../../bytecode/Selectors.js"
import type { ValueSource } from "../../expression/ValueSource.js"
import { mayLower } from "../../summary/conditions/FunctionFlow.js"
import type { Guard } from "../../summary/conditions/Guard.js"
import type { Precondition } from "../../summary/conditions/Precondition.js"
import type { Call, FunctionFlow, Gate, StorageFlow, Write } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as Custody from "./Custody.js"

/**
 * A function by which a privileged account takes what others deposited into a contract, or allowed it to take.
 *
 * - `moves`: it sends deposits away, or lets another account take them.
 * - `spends`: it takes tokens from an account that the caller names, by that account's allowance to the contract.
 * - `appoints`: it sets the receiver to which a function open to anyone sends all of the deposits.
 * - `replaces`: it sets the token in which deposits are paid out, so that nobody gets back what they deposited.
 * - `prices`: it sets how much is paid out per unit that an entry is lowered by. With zero, depositors get nothing;
 *   with a large number, one entry can take everything.
 *
 * `certain` is false where the contract that it calls is compared with something that may be the deposits' token, where
 * the arguments of that call cannot be read, where a signature is needed, where a price may have a limit, or where a
 * share of the holdings may be a share of what was earned.
 */
export interface CustodyDrain {
  readonly selector: Hex | "fallback"
  readonly kind: "moves" | "spends" | "appoints" | "replaces" | "prices"
  readonly certain: boolean
  readonly guards: ReadonlyArray<Guard>
  readonly writes: ReadonlyArray<Write>
}

/** Finds every such function. */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): ReadonlyArray<CustodyDrain> => {
  const scene: Scene = { flow, token, held: Custody.of(flow, token), allowed: allowedIn(flow, token) }
  if (scene.held.length === 0 && scene.allowed.length === 0) return []
  return flow.functions.flatMap((candidate) => {
    // A payout of what the receiver's own entry says is no drain, whoever calls for it.
    const books = scene.held.filter(({ book }) => !candidate.writes.some((write) => isPayingOut(write, book)))
    return [
      ...candidate.calls.flatMap((call) => movesOf(scene, candidate, call, books)),
      ...ownMovesOf(scene, candidate, books),
      ...candidate.calls.flatMap((call) => spendingOf(scene, candidate, call)),
      ...candidate.calls.flatMap((call) => appointmentsOf(scene, call, books)),
      ...replacementsOf(scene, candidate),
      ...pricingsOf(scene, candidate)
    ]
  })
}

interface Scene {
  readonly flow: StorageFlow
  readonly token: TokenBooks.TokenBooks
  readonly held: ReadonlyArray<Custody.Custody>
  /** The tokens of which others give the contract allowances, by where their address comes from. */
  readonly allowed: ReadonlyArray<ValueSource>
}

const allowedIn = (flow: StorageFlow, token: TokenBooks.TokenBooks): ReadonlyArray<ValueSource> =>
  flow.functions.flatMap(({ calls }) =>
    calls.flatMap((call) =>
      Custody.isPull(call) && Access.privilegesAt(flow, token, call).length === 0
        ? call.target.filter(Custody.isPlace)
        : []
    )
  )

const isPayingOut = ({ change, keys, slot }: Write, book: string): boolean =>
  slot === book && keys[0]?.kind !== "self" && mayLower(change)

const movesOf = (
  { flow, token }: Scene,
  { selector }: FunctionFlow,
  call: Call,
  books: ReadonlyArray<Custody.Custody>
): ReadonlyArray<CustodyDrain> => {
  const guards = Access.privilegesAt(flow, token, call)
  const { order, target } = call
  if (guards.length === 0 || order === undefined) return []
  const taking = (certain: boolean): ReadonlyArray<CustodyDrain> => [
    { selector, kind: "moves", certain, guards, writes: [] }
  ]
  const { value } = order
  if (value !== undefined) {
    // Ether that the caller sends is his own, and a constant may be tiny.
    const isAnyNumber = value.some(({ kind }) => kind !== "value" && kind !== "constant")
    return !value.every(({ kind }) => kind === "value") &&
      books.some((custody) => custody.asset.kind === "ether" && isOpen(value, custody))
      ? taking(isAnyNumber)
      : []
  }
  const tokens = tokensIn(books)
  if (order.selector === undefined && order.input.length === 0)
    return isNamed(target) && tokens.length > 0 && order.compared === undefined ? taking(false) : []
  const moved = movedBy(call)
  // A receiver from an entry was not chosen by the caller: he is one of those to whom something is due.
  if (moved === undefined || moved.receiver.some(isEntry)) return []
  return tokens.flatMap(({ custody, places }) => {
    const reach = isOpen(moved.amount, custody) ? reachOf(call, places) : "none"
    return reach === "none" ? [] : taking(reach === "certain")
  })
}

const tokensIn = (
  books: ReadonlyArray<Custody.Custody>
): ReadonlyArray<{ readonly custody: Custody.Custody; readonly places: ReadonlyArray<ValueSource> }> =>
  books.flatMap((custody) => (custody.asset.kind === "token" ? [{ custody, places: custody.asset.places }] : []))

const isNamed = (target: ReadonlyArray<ValueSource>): boolean => target.some((origin) => origin.kind === "argument")

/** Whether a call reaches a token: it is that one, or the caller may name it. */
const reachOf = ({ order, target }: Call, places: ReadonlyArray<ValueSource>): "certain" | "possible" | "none" => {
  if (!isNamed(target)) return Custody.sharesOne(target, places) ? "certain" : "none"
  const { compared = [] } = order ?? {}
  if (Custody.sharesOne(compared, places)) return "none"
  return compared.every((origin) => Custody.isPlace(origin) && !isEntry(origin)) ? "certain" : "possible"
}

interface Moved {
  readonly receiver: ReadonlyArray<ValueSource>
  readonly amount: ReadonlyArray<ValueSource>
}

/** The tokens of its own that a contract's call transfers or approves; none for another call. */
const movedBy = ({ order }: Call): Moved | undefined => {
  const { functions } = Selectors
  const [first = [], second = [], third = []] = order?.input ?? []
  switch (order?.selector) {
    case functions.transfer:
    case functions.approve:
    case functions.increaseAllowance:
      return { receiver: first, amount: second }
    case functions.transferFrom:
      return first.length > 0 && first.every(({ kind }) => kind === "self")
        ? { receiver: second, amount: third }
        : undefined
    default:
      return undefined
  }
}

/** Whether an amount may be what others have put in: not what a variable says is due, and not what they all leave over. */
const isOpen = (amount: ReadonlyArray<ValueSource>, { totals }: Custody.Custody): boolean =>
  (amount.length === 0 || amount.some(({ kind }) => kind !== "storage")) &&
  !amount.some((origin) => origin.kind === "storage" && totals.has(origin.slot))

/** Whether an amount may be a contract's whole balance, as another contract reports it, or a fixed share of that. */
const isWhole = (amount: ReadonlyArray<ValueSource>): boolean =>
  amount.every((origin) => ["unknown", "constant", "storage"].includes(origin.kind) && !isEntry(origin)) &&
  (amount.length === 0 || amount.some(({ kind }) => kind === "unknown"))

const isEntry = (origin: ValueSource): boolean => origin.kind === "storage" && origin.slot.includes("[")

/** Where deposits are kept in the token's own books: who takes them off the contract's entry. */
const ownMovesOf = (
  { flow, token }: Scene,
  { selector, writes }: FunctionFlow,
  books: ReadonlyArray<Custody.Custody>
): ReadonlyArray<CustodyDrain> => {
  const custodies = books.filter(({ asset }) => asset.kind === "own")
  return writes
    .filter(
      (write) =>
        Custody.isOfSelf(write, token) &&
        mayLower(write.change) &&
        custodies.some((custody) => isOpen(write.change.amount, custody))
    )
    .flatMap((write) => takingBy(flow, token, selector, write, "moves"))
}

/**
 * Functions by which a privileged caller names the account that tokens are taken from. Depositors gave the contract an
 * allowance only for their own deposits.
 */
const spendingOf = (
  { allowed, flow, token }: Scene,
  { calls, selector }: FunctionFlow,
  call: Call
): ReadonlyArray<CustodyDrain> => {
  const [sender = []] = call.order?.input ?? []
  if (allowed.length === 0 || call.order?.selector !== Selectors.functions.transferFrom) return []
  if (!sender.some(({ kind }) => kind === "argument") || sender.some(({ kind }) => kind === "caller")) return []
  const guards = Access.privilegesAt(flow, token, call)
  const reach = reachOf(call, allowed)
  if (guards.length === 0 || reach === "none") return []
  const isSigned = calls.some(({ target }) => target.some(isRecovery))
  return [{ selector, kind: "spends", certain: reach === "certain" && !isSigned, guards, writes: [] }]
}

/** https://ethereum.github.io/execution-specs/src/ethereum/frontier/vm/precompiled_contracts/ecrecover.py.html */
const isRecovery = (origin: ValueSource): boolean => origin.kind === "constant" && BigInt(origin.value) === 1n

/** The functions that set the receiver of a payout of everything, or of a share of it, that anyone may trigger. */
const appointmentsOf = (
  { flow, token }: Scene,
  call: Call,
  books: ReadonlyArray<Custody.Custody>
): ReadonlyArray<CustodyDrain> => {
  const moved = movedBy(call)
  if (moved === undefined || !isWhole(moved.amount)) return []
  const isHeld = tokensIn(books).some(
    ({ custody, places }) => isOpen(moved.amount, custody) && Custody.sharesOne(call.target, places)
  )
  return isHeld
    ? moved.receiver.flatMap((origin) =>
        origin.kind === "storage" && !isEntry(origin)
          ? settersOf(flow, token, origin.slot, "appoints").map((taking) => ({
              ...taking,
              // A share may be a fee on earnings.
              certain: moved.amount.every(({ kind }) => kind === "unknown")
            }))
          : []
      )
    : []
}

/** Where a variable names the asset of payouts: functions that change it for existing deposits. */
const replacementsOf = (
  { flow, held, token }: Scene,
  { requirements, selector, writes }: FunctionFlow
): ReadonlyArray<CustodyDrain> => {
  const assets = tokensIn(held).flatMap(({ places }) => places)
  return writes.flatMap((write): ReadonlyArray<CustodyDrain> => {
    const isAsset = assets.some((origin) => origin.kind === "storage" && origin.slot === write.slot)
    // A new element of an array, or an entry with a key, may be for future deposits.
    const isNew = writes.some(({ change, slot }) => change.kind === "increase" && `${slot}[]` === rootOf(write.slot))
    if (!isAsset || isNew || write.slot.includes("[k]") || !isSaid(write)) return []
    // Where nothing was said before, nothing was put in before.
    if (requirements.some((requirement) => isAskedToBeNone(requirement, write.slot))) return []
    return takingBy(flow, token, selector, write, "replaces")
  })
}

const isAskedToBeNone = ({ anyOf: [condition, ...others] }: Precondition, slot: string): boolean =>
  condition !== undefined &&
  others.length === 0 &&
  condition.test === "equal" &&
  condition.holds &&
  [condition.left, condition.right].some(({ reads }) => reads.some((read) => read.slot === slot)) &&
  [condition.left, condition.right].some(
    ({ about, reads }) => reads.length === 0 && about.length > 0 && about.every(isZero)
  )

const isZero = (origin: ValueSource): boolean => origin.kind === "constant" && BigInt(origin.value) === 0n

const rootOf = (slot: string): string => slot.slice(0, slot.indexOf("[]") + 2)

/**
 * Functions by which a privileged caller sets the price at which entries are paid out. He may have an entry himself.
 */
const pricingsOf = (
  { flow, held, token }: Scene,
  { gates, selector, writes }: FunctionFlow
): ReadonlyArray<CustodyDrain> =>
  writes
    .filter((write) => isSaid(write) && held.some(({ prices }) => prices.has(write.slot)))
    .flatMap((write) =>
      takingBy(flow, token, selector, write, "prices").map((taking) => ({
        ...taking,
        certain: taking.certain && write.change.amount.length === 1 && !gates.some(isLimit)
      }))
    )

/** Whether a condition may keep what a call says below something. */
const isLimit = ({ about, compares }: Gate): boolean => compares && about.includes("argument")

const settersOf = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  slot: string,
  kind: CustodyDrain["kind"]
): ReadonlyArray<CustodyDrain> =>
  flow.functions.flatMap(({ selector, writes }) =>
    writes
      .filter((write) => write.slot === slot && isSaid(write))
      .flatMap((write) => takingBy(flow, token, selector, write, kind))
  )

const isSaid = ({ change, lasts }: Write): boolean =>
  lasts && change.kind === "set" && change.amount.some((origin) => origin.kind === "argument")

const takingBy = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  selector: CustodyDrain["selector"],
  write: Write,
  kind: CustodyDrain["kind"]
): ReadonlyArray<CustodyDrain> => {
  const guards = Access.privilegesAt(flow, token, write)
  return guards.length === 0 ? [] : [{ selector, kind, certain: true, guards, writes: [write] }]
}

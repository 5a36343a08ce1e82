/** @internal */

import * as Address from "../../../domain/Address.js"
import type { Hex } from "../../../domain/Hex.js"
import * as Selectors from "../../bytecode/Selectors.js"
import { isOfContract, unique, type ValueSource } from "../../expression/ValueSource.js"
import { isHashLike } from "../../expression/WrittenHashes.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import { type FunctionFlow, mayLower, mayRaise, type Write } from "../../summary/conditions/FunctionFlow.js"
import type { Guard } from "../../summary/conditions/Guard.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import { isReadmission } from "./ReflectionReinclude.js"

/** A function that can take tokens from an account that neither calls it nor gave the caller an allowance. */
export interface BalanceSeizure {
  readonly selector: Hex | "fallback"
  /**
   * `balance`: it lowers or overwrites a balance; `allowance`: it writes an allowance; `bypass`: it spends without one.
   */
  readonly kind: "balance" | "allowance" | "bypass"
  /** Otherwise it may only put what an account has from one book into another, or take it from an account that is kept in a variable. */
  readonly certain: boolean
  readonly writes: ReadonlyArray<Write>
  readonly guards: ReadonlyArray<Guard>
  /** Only a privileged caller can use it, as `guards` say. */
  readonly privileged: boolean
  /** Any caller can use it, for free. */
  readonly free: boolean
  /**
   * It takes from the sender that a trusted forwarder names. Whether that sender has to agree is up to the forwarder's
   * code.
   */
  readonly forwards?: true
}

/** The functions that can take tokens from others. */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): ReadonlyArray<BalanceSeizure> => {
  const lessening = new Set(Erc20.functionOf(flow, Selectors.functions.balanceOf)?.lessening)
  return flow.functions.flatMap((candidate): ReadonlyArray<BalanceSeizure> => {
    // The caller chooses the account. Balances of the token itself or of its owner do not count.
    const ofOthers = ({ keys: [account], own }: Write): boolean =>
      !own && (account?.kind === "argument" || account?.kind === "unknown")
    const isAllowance = (slot: string): boolean => token.allowances.some((variable) => variable.slot === slot)
    // With another factor than the value of shares, more may be taken; a cleared entry loses everything.
    const isAsked = ({ asks, change: { kind }, factors = [] }: Write): boolean =>
      asks.some(isAllowance) &&
      kind !== "clear" &&
      kind !== "keep" &&
      factors.every((factor) => TokenBooks.isWorth(token, factor))
    // A debit besides the allowed amount may be a fee.
    const isAskedInPart = ({ asks, skips }: Write): boolean =>
      asks.some(isAllowance) || skips.some(({ besides, slot }) => besides === true && isAllowance(slot))
    const found = (
      kind: BalanceSeizure["kind"],
      writes: ReadonlyArray<Write>,
      isCertain: (write: Write) => boolean = () => true
    ): ReadonlyArray<BalanceSeizure> =>
      [true, false].flatMap((certain): ReadonlyArray<BalanceSeizure> => {
        const graded = writes.filter((write) => isCertain(write) === certain)
        if (graded.length === 0) return []
        const guards = unique(graded.flatMap((write) => Access.privilegesAt(flow, token, unaskedWay(write, token))))
        const free = guards.length === 0 && Access.isFree(candidate, token)
        return [
          { selector: candidate.selector, kind, certain, writes: graded, guards, privileged: guards.length > 0, free }
        ]
      })
    const lowering = candidate.writes.filter(
      (write) => TokenBooks.isOfBalances(token, write) && !isAsked(write) && write.change.kind !== "increase"
    )
    const taking = lowering.filter(ofOthers)
    const rescaling = candidate.writes.filter((write) => TokenBooks.isRescaling(write, token))
    // An index that all balances are multiplied or divided with may be changed by a computed value. Its growth, by any
    // caller, is how holders are paid.
    const adjusting = candidate.writes.filter(
      (write) =>
        isOneOf(token.scalings, write.slot, write.mask) &&
        write.lasts &&
        write.change.kind !== "keep" &&
        !rescaling.includes(write) &&
        (write.change.kind !== "increase" ||
          lessening.has(write.slot) ||
          Access.privilegesAt(flow, token, write).length > 0)
    )
    const appointable = lowering.filter(
      (write) => isOfAppointable(flow, token, write) || isOfFixedOther(flow, token, write)
    )
    const allowing = candidate.writes.filter(
      (write) => isOneOf(token.allowances, write.slot, write.mask) && !isAsked(write) && mayRaise(write.change)
    )
    const wrapping = candidate.writes.filter(
      (write) => TokenBooks.isOfBalances(token, write) && ofOthers(write) && mayWrap(token, write)
    )
    const granting = allowing.filter(ofOthers)
    const isPrivileged = (write: Write): boolean => Access.privilegesAt(flow, token, write).length > 0
    const inflated =
      candidate.selector === Selectors.functions.approve ? allowing.filter((write) => isInflated(token, write)) : []
    const lending = allowing.filter((write) => isOfFixed(write) && isPrivileged(write))
    const hidden = candidate.writes.filter(
      (write) => isHidden(token, write) && mayRaise(write.change) && isPrivileged(write)
    )
    const trusting = trustingIn(flow, candidate)
    const shared = [
      ...sharingsOf(candidate, token),
      ...namingIn(flow, candidate, token),
      ...found("balance", trusting),
      ...found("bypass", trusting)
    ]
    const ofPools = lowering.filter(
      (write) =>
        isOfFixed(write) && write.keys.length === 1 && !isOfNobody(write) && !write.refills && !isPrivileged(write)
    )
    const transfer = Erc20.transferOf(candidate.selector)
    if (transfer !== undefined)
      return [
        ...(transfer.sender === undefined
          ? // Whose tokens move is not plain where the sender is told by whoever calls, as by a forwarder.
            found("balance", lowering.filter(isOfUnknown), () => false)
          : token.allowances.length === 0
            ? []
            : found("bypass", taking, (write) => write.change.step !== "up" && !isAskedInPart(write))),
        ...found("balance", losingIn(candidate, transfer, token), ({ refills }) => !refills),
        // What an owner makes of a receiver's balance may be less than it was.
        ...found(
          "balance",
          lowering.filter(
            (write) => ofOthers(write) && isOfUnclear(write, transfer) && isPrivileged(write) && !isOfListed(write)
          ),
          () => false
        ),
        ...found(
          "balance",
          lowering.filter((write) => isOfFixed(write) && isPrivileged(write))
        ),
        // A transfer writes no allowance of another holder, and sets no index of all balances.
        ...found(
          "allowance",
          granting.filter((write) => isPrivileged(write) && !isOfSender(write, transfer))
        ),
        ...found(
          "balance",
          [...rescaling, ...adjusting].filter((write) => isPrivileged(write) && !isOfListed(write)),
          (write) => rescaling.includes(write)
        ),
        // What a transfer takes off a pool whoever makes it is not its sender's.
        ...found("balance", ofPools, () => false),
        ...shared
      ]
    return [
      ...shared,
      ...found(
        "balance",
        taking,
        (write) =>
          !isUntold(write) &&
          !isAskedInPart(write) &&
          (!isBetweenBooks(candidate, token, write) || isReadmission(flow, token, candidate, write))
      ),
      ...found("balance", rescaling),
      // Of a function that is known to take from others no more is to be said.
      ...(taking.length > 0 ? [] : found("balance", adjusting, () => false)),
      ...found("balance", appointable, () => false),
      // Any caller takes from one account that is not his own, such as a pool.
      ...found("balance", ofPools, () => false),
      ...found("balance", wrapping, () => false),
      ...found("allowance", granting),
      ...found("allowance", [...lending, ...hidden, ...inflated], () => false)
    ]
  })
}

/** Whether so much may be added to a balance that less is left: more than fits beside all there is. */
const mayWrap = ({ supply }: TokenBooks.TokenBooks, { change }: Write): boolean =>
  change.wraps !== undefined &&
  !supply.some(({ slot }) => change.wraps?.includes(slot)) &&
  change.amount.some(({ kind }) => kind === "argument" || kind === "unknown" || kind === "storage")

/** Whether a variable of another account may make a holder's allowance larger than the holder sets it. */
const isInflated = (token: TokenBooks.TokenBooks, { change, own }: Write): boolean =>
  own &&
  change.sources.some(({ mask, slot }) => !isOneOf([...TokenBooks.booksOf(token), ...token.scalings], slot, mask))

/**
 * Whether a write moves a number that all balances depend on up or down from what it was, and only for accounts on a list, as
 * a reflection token does for those that pay no fee. Such a write sets no number that an owner chose.
 */
export const isOfListed = ({ change, guards }: Write): boolean =>
  (change.kind === "increase" || change.kind === "decrease" || change.kind === "unknown") &&
  guards.every(({ kind }) => kind === "entry")

const isOfUnknown = ({ keys: [account], own }: Write): boolean => !own && account?.kind === "unknown"

/** Whether a transfer writes the balance of another account than its sender, and not just by adding to it. */
const isOfUnclear = ({ change, keys: [account] }: Write, { sender }: Erc20.Transfer): boolean =>
  account?.kind === "argument" && account.index !== sender && (change.kind === "unknown" || change.kind === "set")

/** Whether an entry is that of the account that a `transferFrom` moves tokens of. */
const isOfSender = ({ keys: [account] }: Write, { sender }: Erc20.Transfer): boolean =>
  sender !== undefined && account?.kind === "argument" && account.index === sender

/** Whether an entry is that of one account whoever calls, as a pool. */
const isOfFixed = ({ keys: [account], own }: Write): boolean => !own && account !== undefined && isOfContract(account)

/**
 * Whether a privileged caller lowers the balance of one fixed account other than his own, such as a pool. The zero
 * address and the accounts that the function admits do not count.
 */
const isOfFixedOther = (flow: StorageFlow, token: TokenBooks.TokenBooks, write: Write): boolean => {
  const [account] = write.keys
  if (!isOfFixed(write) || isOfNobody(write)) return false
  const guards = Access.privilegesAt(flow, token, write)
  return (
    guards.length > 0 &&
    !guards.some((guard) =>
      guard.kind === "slot"
        ? account?.kind === "storage" && account.slot === guard.slot
        : guard.kind === "constant" && account?.kind === "constant" && BigInt(account.value) === BigInt(guard.address)
    )
  )
}

/** Accounts of nobody: a debit there takes from nobody. */
const isNobody = (account: bigint): boolean => account === 0n || account === 0xdeadn

const isOfNobody = ({ keys: [account] }: Write): boolean =>
  account?.kind === "constant" && isNobody(BigInt(account.value))

/**
 * Whether a slot may be an allowance of a constant account, with only the hash of its key in the code, as compilers
 * compute it. Tokens that place their mappings at constant hashes do so for other variables too.
 */
const isHidden = (token: TokenBooks.TokenBooks, { slot }: Write): boolean => {
  const rootOf = (place: string): bigint | undefined => {
    const [, root] = /^(0x[0-9a-f]+)\[k\]/.exec(place) ?? []
    return root === undefined ? undefined : BigInt(root)
  }
  const root = slot.split("[k]").length === 2 ? rootOf(slot) : undefined
  return (
    root !== undefined &&
    isHashLike(root) &&
    token.allowances.some((book) => book.slot.endsWith("[k][k]")) &&
    token.allowances.every((book) => !isHashLike(rootOf(book.slot) ?? 0n))
  )
}

/**
 * Allowances that a standard function gives to another spender than the holder names: an account in the code or in a
 * variable, which can then spend the holder's balance.
 */
const sharingsOf = ({ selector, writes }: FunctionFlow, token: TokenBooks.TokenBooks): ReadonlyArray<BalanceSeizure> =>
  writes.flatMap((write): ReadonlyArray<BalanceSeizure> => {
    const { change, keys, mask, slot } = write
    const [holder, spender, ...others] = keys
    if (
      !Selectors.erc20.has(selector) ||
      !isOneOf(token.allowances, slot, mask) ||
      !mayRaise(change) ||
      (holder?.kind !== "caller" && holder?.kind !== "argument") ||
      others.length > 0
    )
      return []
    const guard = guardOf(spender)
    return guard === undefined
      ? []
      : [
          {
            selector,
            kind: "allowance",
            certain: true,
            writes: [write],
            guards: [guard],
            privileged: true,
            free: false
          }
        ]
  })

/** What a function does with what its sender has, for whoever is trusted to name the sender. */
const namingIn = (
  flow: StorageFlow,
  { forwarders = [], selector, writes }: FunctionFlow,
  token: TokenBooks.TokenBooks
): ReadonlyArray<BalanceSeizure> => {
  const isOwn = (write: Write): boolean => write.own && write.keys.length > 0
  const isAllowing = ({ change, mask, slot }: Write): boolean =>
    isOneOf(token.allowances, slot, mask) && mayRaise(change)
  const kinds = [
    ...(writes.some((write) => isOwn(write) && mayLower(write.change) && !isAllowing(write))
      ? (["balance"] as const)
      : []),
    ...(writes.some((write) => isOwn(write) && isAllowing(write)) ? (["allowance"] as const) : []),
    ...(selector === Selectors.functions.transferFrom ? (["bypass"] as const) : [])
  ]
  return kinds.flatMap((kind) =>
    forwarders.map((guard) => ({
      selector,
      kind,
      certain: false,
      writes: [],
      guards: [{ ...guard, always: true }],
      privileged: Access.isPrivilege(flow, token, guard),
      free: false,
      forwards: true
    }))
  )
}

/** The writes that can make any account a trusted forwarder of transfers, which may name any sender. */
const trustingIn = (flow: StorageFlow, { writes }: FunctionFlow): ReadonlyArray<Write> => {
  const trusted = flow.functions.flatMap(({ forwarders = [], selector }) =>
    Erc20.transfers.some((transfer) => transfer.selector === selector) ? forwarders : []
  )
  return trusted.length === 0
    ? []
    : writes.filter(({ change, keys, slot }) =>
        trusted.some(
          (guard) =>
            (guard.kind === "slot" || guard.kind === "entry") &&
            guard.slot === slot &&
            mayRaise(change) &&
            (guard.kind === "slot" ? change.amount : keys).some(({ kind }) => kind === "argument")
        )
      )
}

const guardOf = (spender: ValueSource | undefined): Guard | undefined => {
  switch (spender?.kind) {
    case "constant":
      return isNobody(BigInt(spender.value))
        ? undefined
        : { kind: "constant", address: Address.fromWord(spender.value), always: true }
    case "storage":
      return spender.slot.includes("[")
        ? undefined
        : { kind: "slot", slot: spender.slot, field: undefined, always: true }
    default:
      return undefined
  }
}

/**
 * The writes of a transfer that lower the balance of an account other than the sender: the receiver, or another one
 * that the caller names. The receiver may still gain on the same path, as where a fee is taken off the amount.
 */
const losingIn = (
  { writes }: FunctionFlow,
  { sender }: Erc20.Transfer,
  token: TokenBooks.TokenBooks
): ReadonlyArray<Write> =>
  writes.filter(
    ({ change, keys: [account], own, mask, slot }) =>
      isOneOf(token.balances, slot, mask) &&
      !own &&
      account?.kind === "argument" &&
      (account.index === undefined || account.index !== sender) &&
      (change.kind === "decrease" || change.kind === "clear")
  )

/** Whether a balance becomes something that is worked out from balances, which may be more than it was. */
const isUntold = ({ change, slot }: Write): boolean =>
  change.kind === "unknown" &&
  change.step !== "down" &&
  change.amount.some((origin) => origin.kind === "storage" && origin.slot === slot)

/**
 * Whether a write may be part of putting what an account has from one book into another: it makes one of several empty, or
 * sets it to something that is worked out from what storage holds, or adds to another book of the account.
 */
const isBetweenBooks = (candidate: FunctionFlow, token: TokenBooks.TokenBooks, write: Write): boolean =>
  token.balances.length > 1 &&
  (write.change.amount.every((origin) => origin.kind === "storage") ||
    candidate.writes.some(
      (other) =>
        other.slot !== write.slot &&
        TokenBooks.isOfBalances(token, other) &&
        JSON.stringify(other.keys[0]) === JSON.stringify(write.keys[0]) &&
        (other.change.kind === "increase" || other.change.kind === "set")
    ))

/** Whether the account of an entry is in a variable that another account can set to any address. */
const isOfAppointable = (flow: StorageFlow, token: TokenBooks.TokenBooks, { keys: [account], own }: Write): boolean =>
  !own &&
  account?.kind === "storage" &&
  !account.slot.includes("[") &&
  flow.functions.some((candidate) =>
    candidate.writes.some(
      (write) =>
        write.slot === account.slot &&
        write.change.amount.some((origin) => origin.kind === "argument") &&
        Access.privilegesAt(flow, token, write).some((guard) => guard.kind !== "slot" || guard.slot !== account.slot)
    )
  )

/** The conditions about the caller on the paths to a write that need no allowance. */
const unaskedWay = (write: Write, token: TokenBooks.TokenBooks): Pick<Write, "guards" | "shut"> =>
  write.skips.find(({ slot }) => token.allowances.some((variable) => variable.slot === slot)) ?? write

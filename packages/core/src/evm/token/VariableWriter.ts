/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../bytecode/Selectors.js"
import { constantOf, type Field, type ValueSource } from "../expression/ValueSource.js"
import { isWritten, type Place } from "../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../summary/conditions/FunctionFlow.js"
import type { Guard } from "../summary/conditions/Guard.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import * as Access from "./Access.js"
import * as Erc20 from "./Erc20.js"
import * as TokenBooks from "./TokenBooks.js"

/** A function that writes a variable, and the conditions about its caller. */
export interface VariableWriter {
  readonly selector: Hex | "fallback"
  readonly writes: ReadonlyArray<Write>
  readonly guards: ReadonlyArray<Guard>
  /** Only a privileged caller can use it, as `guards` say. */
  readonly privileged: boolean
  /** Any caller can use it, for free. */
  readonly free: boolean
}

/**
 * The functions that write a variable (or a part of its word); standard functions of {@link Selectors.erc20} only where
 * a privileged caller makes them write, or where they write more than a time or a count of calls.
 */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  slot: string,
  field: Field | undefined
): ReadonlyArray<VariableWriter> =>
  flow.functions.flatMap((candidate): ReadonlyArray<VariableWriter> => {
    const isStandard = Selectors.erc20.has(candidate.selector)
    const writes = candidate.writes.filter(
      (write) =>
        isWritten(write, { slot, field }) &&
        !isCounting(token, write, { slot, field }) &&
        !isFollowing(flow, token, write, candidate) &&
        (!isStandard || isDoor(flow, token, write))
    )
    if (writes.length === 0) return []
    const guards = Access.privilegesOf(flow, token, writes)
    return [
      {
        selector: candidate.selector,
        writes,
        guards,
        privileged: guards.length > 0,
        free: guards.length === 0 && !isStandard && Access.isFree(candidate, token)
      }
    ]
  })

/**
 * Whether a constant slot may be an entry of a mapping: the code has its hash instead of the key, and no function
 * writes it directly.
 */
export const isHashed = (flow: StorageFlow, slot: string): boolean =>
  !slot.includes("[") && !slot.includes("+") && BigInt(slot) >> 192n !== 0n && !isWrittenBy(flow, slot)

/**
 * The functions by which a privileged caller writes an entry of his choice, which may be the one that the code has as a
 * constant hash, or one inside it. None for other slots, and where a function writes that slot directly.
 */
const ofHashed = (flow: StorageFlow, token: TokenBooks.TokenBooks, slot: string): ReadonlyArray<VariableWriter> => {
  const [, root = "", rest = ""] = /^(0x[0-9a-f]+)(.*)$/.exec(slot) ?? []
  if (root === "" || !isHashed(flow, root) || isWrittenBy(flow, slot)) return []
  const mappings = new Set(
    flow.functions.flatMap(({ writes }) =>
      writes.flatMap((write) => {
        if (!write.slot.endsWith(`[k]${rest}`) || TokenBooks.isBook(token, { slot: write.slot, field: undefined }))
          return []
        const key = write.keys[write.slot.slice(0, -rest.length || undefined).split("[k]").length - 2]
        const keys = rest === "" ? write.keys : key === undefined ? [] : [key]
        return keys.length > 0 && keys.every(isChosen) ? [write.slot] : []
      })
    )
  )
  return [...mappings].flatMap((mapping) => of(flow, token, mapping, undefined)).filter(({ privileged }) => privileged)
}

/**
 * The functions that write a variable, or, where none does, those that may by its hash ({@link ofHashed}): then it is `hidden`
 * who does.
 */
export const reaching = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  { field, slot }: Place
): { readonly setters: ReadonlyArray<VariableWriter>; readonly hidden: boolean } => {
  const known = of(flow, token, slot, field)
  return known.length > 0 ? { setters: known, hidden: false } : { setters: ofHashed(flow, token, slot), hidden: true }
}

/**
 * Whether an account writes a variable by choice: an owner who calls the function, any account for nothing, the signer of
 * a permit, whom no condition on the caller names, or any account that sends another one something, such as dust. What other
 * functions write, as a counter, they write in passing.
 */
export const isAtWill = ({ free, privileged, selector, writes }: VariableWriter): boolean =>
  free ||
  privileged ||
  selector === Selectors.functions.permit ||
  (Erc20.transferSelectors.has(selector) && writes.some(isImposed))

/** Whether something is put into the entry of an account that did not call. */
const isImposed = (write: Write): boolean =>
  isPutting(write) && !write.own && write.keys[0]?.kind === "argument" && write.keys.length === 1

/** Those of {@link reaching} that write it by choice ({@link isAtWill}). */
export const settersOf = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  place: Place
): ReadonlyArray<VariableWriter> => reaching(flow, token, place).setters.filter(isAtWill)

/** Whether a write leaves something in its variable. */
export const isPutting = ({ change }: Pick<Write, "change">): boolean =>
  change.kind === "raise" ||
  (change.kind === "set" &&
    change.amount.length > 0 &&
    change.amount.every((origin) => constantOf(origin).some((value) => value !== 0n)))

const isChosen = ({ kind }: ValueSource): boolean => kind === "argument" || kind === "unknown"

const isWrittenBy = (flow: StorageFlow, slot: string): boolean =>
  flow.functions.some(({ writes }) => writes.some((write) => write.slot === slot))

/** Whether a write does more than record the time or the number of calls. */
const isDoor = (flow: StorageFlow, token: TokenBooks.TokenBooks, write: Write): boolean =>
  Access.privilegesAt(flow, token, write).length > 0 || (write.lasts && !isClock(write) && !isCount(write))

/**
 * Whether transfers by a privileged account only record their time. Most often that account is the pool and the time
 * that of a purchase, but the code does not show it.
 */
export const isDated = ({ selector, writes }: Pick<VariableWriter, "selector" | "writes">): boolean =>
  Erc20.transferSelectors.has(selector) && writes.every(isClock)

/** Whether a write notes when it is made. */
export const isClock = ({ change }: Pick<Write, "change">): boolean =>
  change.kind === "set" && change.amount.length > 0 && change.amount.every(({ kind }) => kind === "time")

const isCount = ({ change }: Write): boolean => change.kind === "increase" || change.kind === "decrease"

/**
 * Whether a number follows balances, as votes do, or is the length of a list of such numbers: minting and burning
 * change it as transfers do. An entry of the zero address as the delegate is nobody's.
 */
const isFollowing = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  write: Write,
  { writes }: FunctionFlow
): boolean => {
  const isInStep = ({ change: { follows = [] }, keys: [account], ofNobody }: Write): boolean =>
    follows.some((followed) => token.balances.some(({ slot }) => slot === followed)) ||
    (ofNobody === true && account?.kind === "storage" && isChosenByEach(flow, account.slot))
  const isListed = ({ keys, slot }: Write): boolean =>
    slot.startsWith(`${write.slot}[]`) || keys.slice(1).some((key) => key.kind === "storage" && key.slot === write.slot)
  const { amount, kind } = write.change
  const isCount = kind === "increase" && amount.every((origin) => constantOf(origin).some((value) => value === 1n))
  return isInStep(write) || (isCount && writes.some((other) => isListed(other) && isInStep(other)))
}

/** Whether nobody writes another account's entry, as that of the zero address. */
const isChosenByEach = (flow: StorageFlow, slot: string): boolean =>
  flow.functions.every(({ writes }) => writes.every((write) => write.slot !== slot || write.own))

/** Whether a balance is counted up or down that has a word in common with a variable: that leaves the variable as it is. */
const isCounting = (token: TokenBooks.TokenBooks, write: Write, place: Place): boolean =>
  isCount(write) && TokenBooks.isOfBalances(token, write) && !TokenBooks.isBook(token, place)

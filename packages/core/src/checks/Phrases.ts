/** @internal */

import * as Count from "../domain/Count.js"
import type { UnknownReason } from "../domain/Evidence.js"
import type { ControlGap } from "../domain/facts/ControlGraph.js"
import * as Check from "./Check.js"
import * as Remedies from "./Remedies.js"
import * as ShortList from "./ShortList.js"

/** {@link ShortList} for a sentence: "a", "a and b", "a, b and 3 more". All of them are in the item's value. */
export const few = (items: ReadonlyArray<string>): string =>
  items.length === 2 ? items.join(" and ") : ShortList.format(items)

/** Accounts with the first power of each: "0x… (owner and 2 more powers)". */
export const holders = (
  held: ReadonlyArray<{ readonly address: string; readonly powers: ReadonlyArray<string> }>
): string =>
  few(
    held.map(({ address, powers }) => {
      const [first] = powers
      const more = powers.length > 1 ? ` and ${Count.of(powers.length - 1, "more power")}` : ""
      return first === undefined ? address : `${address} (${brief(first)}${more})`
    })
  )

/** The part of the control graph that was not read, in words: "the holder of role:1 was not read". */
export const gap = ({ what }: Pick<ControlGap, "what">): string => {
  const [prefix, ...rest] = what.split(":")
  const named = rest.join(":")
  switch (prefix) {
    case "list":
      return `the accounts in the mapping at slot ${brief(named)}, which may call it, cannot be listed`
    case "behind":
      return `the controller of ${named} was not determined`
    case "plans":
      return `not all pending operations of ${named} were read`
  }
  switch (what) {
    case "code":
      return "part of the code could not be followed, so an account with a power may be missing"
    case "roles":
      return "the members of its roles were not all read"
    case "signers":
      return "its signers were not read"
    case "upgrader":
      return "the account that can upgrade it was not determined"
    default:
      return what.startsWith("0x")
        ? `the controller of ${what} was not determined`
        : `the holder of ${brief(what)} was not read`
  }
}

/** What was missing and what to do about it, as the detail of an unknown item. */
export const unread = (reason: UnknownReason, missing: string): string => `${clip(missing)}; ${Remedies.of[reason]}`

/** An unknown item with {@link unread} as its detail. */
export const unknown = (
  reason: UnknownReason,
  missing: string,
  options: Parameters<typeof Check.unknown>[2] = {}
): ReturnType<typeof Check.unknown> => Check.unknown(reason, unread(reason, missing), options)

/** The same of a read that failed, by the method and what its error says. */
export const failed = (
  { detail, method, reason }: { readonly reason: UnknownReason; readonly method: string; readonly detail: string },
  options?: Parameters<typeof Check.unknown>[2]
): ReturnType<typeof Check.unknown> => unknown(reason, `${method}: ${detail}`, options)

const longest = 185

/** Cut between words, so that no address is cut. */
const clip = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest).replace(/\s*\S*$/, "")} …`

/** A hash or an expression cut to its first 8 digits; an address is never cut. */
export const brief = (text: string): string => text.replace(/0x([0-9a-fA-F]{8})[0-9a-fA-F]{33,}/g, "0x$1…").slice(0, 40)

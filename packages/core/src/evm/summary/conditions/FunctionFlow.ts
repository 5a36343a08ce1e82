/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import type { Circumstance } from "../../expression/Circumstance.js"
import type { Clock } from "../../expression/Clock.js"
import type { Field, ValueSource } from "../../expression/ValueSource.js"
import type { Variable } from "../../expression/Variable.js"
import type { Deciding } from "./Deciding.js"
import type * as Guard from "./Guard.js"
import type { Moments } from "./Moments.js"
import type * as Precondition from "./Precondition.js"

/** One entry of the contract: a selector, or `fallback` for all calldata that no selector answers to. */
export interface FunctionFlow {
  readonly selector: Hex | "fallback"
  readonly reads: ReadonlyArray<Read>
  readonly writes: ReadonlyArray<Write>
  readonly gates: ReadonlyArray<Gate>
  /** The gates again, each with the ways around it. */
  readonly requirements: ReadonlyArray<Precondition.Precondition>
  /** Its other requirements: no overflow, no division by zero, and conditions that are too long or unknown. */
  readonly implied: ReadonlyArray<Precondition.Precondition>
  /**
   * Stored values that it uses as a memory offset, a size, an amount of gas or a slot: the call may revert there as at
   * a requirement. None where it is left out.
   */
  readonly spends?: ReadonlyArray<Precondition.Loaded>
  /** Stored values that go into the keys of entries that it writes; none where it is left out. */
  readonly aims?: ReadonlyArray<Aim>
  readonly calls: ReadonlyArray<Call>
  /** What else about the caller it goes by, that is no guard of a write or call; see CallerDependence. */
  readonly callerChecks?: ReadonlyArray<Guard.Guard> | undefined
  /** Whom it compares the caller with where it branches nowhere; nobody where it is left out. */
  readonly callerComparisons?: ReadonlyArray<Guard.Guard>
  /**
   * Trusted forwarders: callers that may name another sender, by the condition on them; none where it is left out.
   *
   * @see https://eips.ethereum.org/EIPS/eip-2771
   */
  readonly forwarders?: ReadonlyArray<Guard.Guard>
  /** What else it makes something depend on; undefined where not all of its paths were followed. */
  readonly circumstances: ReadonlyArray<Circumstance> | undefined
  /** When the outcome of a transfer, an approval or a balance may change by itself; left out where it reads no clock. */
  readonly moments?: Moments
  /** What of that, and of what accounts hold that are no parties, decides whether it succeeds; nothing where it is left out. */
  readonly deciding?: Deciding
  /** Variables that go into the returned word; undefined where no single word is returned. */
  readonly returns: ReadonlyArray<Variable> | undefined
  /** The slots of those by more of which that word may be less; none where it is left out. */
  readonly lessening?: ReadonlyArray<string>
  /** All of its paths were followed and all of its writes located. */
  readonly complete: boolean
}

/** An SLOAD. `slot` is a {@link StorageLocation} id, which all entries of one mapping share. */
export interface Read {
  readonly slot: string
  readonly keys: ReadonlyArray<ValueSource>
}

/** An SSTORE: the entry, the change of its number, and the conditions on the caller. */
export interface Write {
  readonly slot: string
  readonly keys: ReadonlyArray<ValueSource>
  /** The part of the word that changes, where the rest is put back. */
  readonly field: Field | undefined
  /** The bits that may change. */
  readonly mask: Hex
  readonly change: Change
  readonly guards: ReadonlyArray<Guard.Guard>
  /** Every path to it passes one of the guards. */
  readonly shut: boolean
  /** Mappings of mappings (allowances) that every path through this write checks, before it or after it. */
  readonly asks: ReadonlyArray<string>
  /** Variables that the checked amount is multiplied with before it is taken; none where it is left out. */
  readonly factors?: ReadonlyArray<string>
  /** Those that only some paths through it check, with the callers that pass on the others. */
  readonly skips: ReadonlyArray<Skip>
  /** On some path the variable keeps what this write puts there; otherwise the same call writes it again. */
  readonly lasts: boolean
  /** Every path to it finds the account of the entry (its first key) to be the caller, or to have signed. */
  readonly own: boolean
  /** On some path through it the same entry is added to, too. */
  readonly refills: boolean
  /** Its entry is that of whom the zero address has in a mapping. */
  readonly ofNobody?: true
  /** Byte offset of the instruction. */
  readonly offset: number
}

/** A mapping, and a stored value that selects which entry of it is written. */
export interface Aim {
  readonly slot: string
  readonly by: Precondition.Loaded
}

/**
 * A mapping of mappings that a function checks on some of its paths only. `guards` are the conditions about the caller
 * on the others; `shut` says that each of those passes one, `besides` that they check it too, but for less than may be
 * taken.
 */
export interface Skip {
  readonly slot: string
  readonly guards: ReadonlyArray<Guard.Guard>
  readonly shut: boolean
  readonly besides?: true
}

/**
 * What a write does to the old number.
 *
 * - `increase` and `decrease`: by an amount from `amount`; a decrease is known not to wrap below zero.
 * - `set`: to a value independent of the old one, from `amount`.
 * - `clear`: to zero. `keep`: unchanged, or bits are cleared. `raise`: bits are set that may have been unset.
 * - `flip`: to the other of two values, as a toggle does.
 * - `unknown`: another change, such as a decrease that may wrap or a product.
 *
 * `copied` says of a set that the value is a copy of a variable.
 *
 * `step` says of a list of numbers that the stored one is an earlier one of them, or a number of another contract, plus
 * something (`up`) or minus something. `clock` says that it is set to the present time, in seconds or in blocks.
 * `follows` names the mappings in which the same account's entry changes by the same amount on every path through here,
 * as votes follow balances. The old value is then the variable's own, the last of a list, or zero.
 *
 * `matched` says that the same function takes at least the amount off another entry of the same mapping, or (for a
 * decrease) adds at most the amount to others. `balanced` says of an increase that this holds on every path, as often
 * as it adds. `wraps` says of an increase that it is not proven to fit into a word, so that the result may be smaller;
 * it names the variables that the same amount was added to with such a proof.
 */
export interface Change {
  readonly kind: "increase" | "decrease" | "set" | "clear" | "keep" | "raise" | "flip" | "unknown"
  readonly amount: ReadonlyArray<ValueSource>
  /** The variables that go into the amount. */
  readonly sources: ReadonlyArray<Variable>
  readonly matched: boolean
  readonly balanced: boolean
  readonly copied?: true
  readonly step?: "up" | "down"
  readonly clock?: Clock
  readonly follows?: ReadonlyArray<string>
  readonly wraps?: ReadonlyArray<string>
}

/** Whether a change may leave more, or other bits, than there were. */
export const mayRaise = ({ kind }: Change): boolean => kind !== "decrease" && kind !== "clear" && kind !== "keep"

/** Whether a change may leave a smaller number than there was. */
export const mayLower = ({ kind }: Change): boolean => kind !== "increase" && kind !== "raise" && kind !== "keep"

/** A condition without which the function reverts, or ends without having written anything, by what it reads. */
export interface Gate {
  readonly reads: ReadonlyArray<Read & { readonly field: Field | undefined }>
  /** What else is compared: the caller, an argument, the time. */
  readonly about: ReadonlyArray<ValueSource["kind"]>
  /** The condition compares sizes (a limit), rather than testing for zero. */
  readonly compares: boolean
  /** What is read is multiplied or divided in it: a rate or an overflow check. */
  readonly computes: boolean
  /** The required value of a condition on one value alone. */
  readonly requires: "zero" | "nonzero" | undefined
}

/** A call of another contract. */
export interface Call {
  readonly kind: "call" | "callcode" | "delegatecall" | "staticcall"
  readonly target: ReadonlyArray<ValueSource>
  /** Of foreign code that is not at the low end of a word: what the word holds there is another address, or none. */
  readonly isPacked?: true
  /** Of foreign code: the byte offset of the instruction. */
  readonly offset?: number
  readonly guards: ReadonlyArray<Guard.Guard>
  /** Every path to it passes one of the guards. */
  readonly shut: boolean
  /** The order of a CALL; undefined for the others, which move nothing. */
  readonly order: Order | undefined
  /** The function of a STATICCALL; undefined for the others, or where it is not known. */
  readonly question: Hex | undefined
}

/** The function and arguments of a call, and the ether that it sends. */
export interface Order {
  /** The function; undefined where there is no calldata, or where it is not known. */
  readonly selector: Hex | undefined
  /** There is calldata, but the function is not known. */
  readonly isUntold?: true
  /** The function, where only its arguments are unknown. */
  readonly named?: Hex
  /** Where the first three arguments come from. */
  readonly input: ReadonlyArray<ReadonlyArray<ValueSource>>
  /** Where the amount of ether comes from; undefined where none is sent. */
  readonly value: ReadonlyArray<ValueSource> | undefined
  /**
   * What the contract that is called, where the caller names it, is compared with on every path; undefined where some path
   * compares it with nothing.
   */
  readonly compared: ReadonlyArray<ValueSource> | undefined
}

/** @internal */

import { Option } from "effect"
import type { Hex } from "../../domain/Hex.js"
import * as StateOnlyCall from "../../evm/interpreter/StateOnlyCall.js"
import type { ReadState } from "./ReadState.js"
import * as StateLens from "./StateLens.js"

/**
 * The state of lenses at one endpoint, for all its readers.
 *
 * A lens replaces plain reads of a kind only after both gave the same value once, and that value was neither zero nor
 * absent: an endpoint that ignores half of an override returns those too. One difference ends the use of lenses for
 * good.
 */
export interface Lenses {
  readonly standingOf: (kind: Kind) => Standing
  /** Reads that were answered both ways. `isConclusive`: an endpoint that ignores the lens would answer otherwise. */
  readonly compared: (kind: Kind, seen: { readonly agrees: boolean; readonly isConclusive: boolean }) => void
  /** A lens gave no answer to any read of these kinds. */
  readonly failed: (kinds: Iterable<Kind>) => void
  /** Whether a call is answered by a lens as it is plainly, by what was read of the state. */
  readonly verdictOf: (call: Call, state: ReadState) => StateOnlyCall.Verdict
  /** Whether a call of the function could detect a lens when its account was last read: a hint, no more. */
  readonly wasOpen: (call: Call) => boolean
  /** What calls of the account were decided by when it was last read: a hint, no more. */
  readonly placesOf: (account: Hex) => StateOnlyCall.StatePlaces
  readonly noted: (call: Call, verdict: StateOnlyCall.Verdict, state: ReadState) => void
}

export type Kind = StateLens.LensRead["kind"]

export type Call = Extract<StateLens.LensRead, { readonly kind: "call" }>

/**
 * Whether lens and plain calls agree at an endpoint. `"unproven"`: both are sent. `"agrees"`: a lens is enough.
 * `"differs"`: only plain calls are sent, for as long as the process runs.
 */
export type Standing = "unproven" | "agrees" | "differs"

/** The state of lenses of each endpoint, kept as long as the endpoint object. */
export const perEndpoint = (first?: Standing): ((endpoint: object) => Lenses) => {
  const known = new WeakMap<object, Lenses>()
  return (endpoint) => {
    const lenses = known.get(endpoint) ?? make(first)
    known.set(endpoint, lenses)
    return lenses
  }
}

/** What is known at first is the same for reads of all kinds. */
export const make = (first: Standing = "unproven"): Lenses => {
  const standing = new Map<Kind, Standing>()
  const tries = new Map<Kind, number>()
  const codes = new Map<Hex, KnownCode>()
  const decided = new Map<string, Decided>()
  const open = new Map<string, true>()
  const places = new Map<Hex, StateOnlyCall.StatePlaces>()
  let number = 0
  const known = (code: Hex): KnownCode =>
    codes.get(code) ??
    remember(
      codes,
      code,
      { number: ++number, isSelfContained: StateLens.isSelfContained(code), isLong: false },
      mostCodes
    )
  const numberOf = (account: Hex, state: ReadState): number =>
    Option.match(state.code(account), { onNone: () => 0, onSome: (code) => known(code).number })
  const standingOf = (kind: Kind): Standing => standing.get(kind) ?? first
  const tried = (kind: Kind) => {
    if (standingOf(kind) === "differs") return
    const count = (tries.get(kind) ?? 0) + 1
    tries.set(kind, count)
    standing.set(kind, count < mostTries ? "unproven" : "differs")
  }
  return {
    standingOf,
    compared: (kind, { agrees, isConclusive }) => {
      if (!agrees) standing.set(kind, "differs")
      else if (!isConclusive) {
        if (standingOf(kind) === "unproven") tried(kind)
      } else if (standingOf(kind) === "unproven") {
        standing.set(kind, "agrees")
        tries.delete(kind)
      }
    },
    failed: (kinds) => {
      for (const kind of kinds) tried(kind)
    },
    verdictOf: (call, state) => {
      const code = Option.getOrUndefined(Option.map(state.code(call.account), known))
      if (code?.isSelfContained) return { state: "proven", cut: false, read: { codes: [call.account], slots: [] } }
      // All functions of such a code would take as long.
      if (code?.isLong) return { state: "open", cut: true, read: nowhere }
      const key = `${call.account} ${call.data}`
      const before = decided.get(key)
      const isSame =
        before?.codes.every(([account, code]) => code === numberOf(account, state)) &&
        before.words.every(([{ account, slot }, word]) => word === Option.getOrNull(state.word(account, slot)))
      if (before !== undefined && isSame) return before.verdict
      const verdict = StateOnlyCall.decide(call, state)
      const { codes, slots } = verdict.read
      if (code !== undefined && verdict.cut) code.isLong = true
      remember(
        decided,
        key,
        {
          verdict,
          codes: codes.map((account) => [account, numberOf(account, state)] as const),
          words: slots.map((place) => [place, Option.getOrNull(state.word(place.account, place.slot))] as const)
        },
        mostCalls
      )
      return verdict
    },
    wasOpen: (call) => open.has(functionOf(call)),
    placesOf: (account) => places.get(account) ?? nowhere,
    noted: (call, { read, state: found }, state) => {
      open.delete(functionOf(call))
      if (found === "open") remember(open, functionOf(call), true, mostCalls)
      const codes = read.codes.filter((account) => account !== call.account)
      const isPointer = ({ account, slot }: StateOnlyCall.StatePlaces["slots"][number]) =>
        Option.match(state.word(account, slot), {
          onNone: () => found === "wanting",
          onSome: (word) => codes.some((code) => word.toString(16).includes(code.slice(2).replace(/^0+/, "")))
        })
      const slots = read.slots.filter(isPointer)
      if (codes.length === 0 && slots.length === 0) return
      const before = places.get(call.account) ?? nowhere
      const isNew = slots.some(
        ({ account, slot }) => !before.slots.some((at) => at.account === account && at.slot === slot)
      )
      if (!isNew && codes.every((code) => before.codes.includes(code))) return
      places.delete(call.account)
      // Where a proxy now leads elsewhere, where it led before is forgotten.
      remember(
        places,
        call.account,
        { codes: codes.slice(0, mostPlaces), slots: slots.slice(0, mostPlaces) },
        mostAccounts
      )
    }
  }
}

interface KnownCode {
  readonly number: number
  readonly isSelfContained: boolean
  /** A call of it was too long to be followed. */
  isLong: boolean
}

/** A verdict, and what it rests on: codes by their number, 0 where there was none, and words. */
interface Decided {
  readonly verdict: StateOnlyCall.Verdict
  readonly codes: ReadonlyArray<readonly [Hex, number]>
  readonly words: ReadonlyArray<readonly [StateOnlyCall.StatePlaces["slots"][number], bigint | null]>
}

const nowhere: StateOnlyCall.StatePlaces = { codes: [], slots: [] }

const functionOf = ({ account, data }: Call): string => `${account} ${data.slice(0, 10)}`

// How often in a row nothing was learnt before no more is spent on it.
const mostTries = 8

// At 24 KB a code and two characters a byte, 25 MB at most.
const mostCodes = 512
const mostAccounts = 8_192
const mostCalls = 8_192
const mostPlaces = 8

const remember = <K, V>(known: Map<K, V>, key: K, value: V, most: number): V => {
  const [oldest] = known.keys()
  if (known.size >= most && oldest !== undefined) known.delete(oldest)
  known.set(key, value)
  return value
}

/** @internal */

import { Effect, Option } from "effect"
import type { Hex } from "../../domain/Hex.js"
import type { StatePlaces } from "../../evm/interpreter/StateOnlyCall.js"
import type * as JsonRpc from "../rpc/JsonRpc.js"
import * as RpcValue from "../rpc/RpcValue.js"
import type { CallOutcome, CallRequest } from "./ChainState.js"
import type { Call, Lenses, Standing } from "./Lenses.js"
import type { ReadState } from "./ReadState.js"
import * as StateLens from "./StateLens.js"

/** How a flush of reads is sent to one endpoint. `Item` is a read that waits for its answer. */
export interface Sending<Item> {
  /** The state of lenses at the endpoint. */
  readonly lenses: Lenses
  /** The codes and words at the pinned block that the analysis has read; added to. */
  readonly state: ReadState
  /** What a lens has to read for it; none where no lens can. */
  readonly readOf: (item: Item) => Option.Option<StateLens.LensRead>
  /** Sends each read as it is and settles it. */
  readonly plainly: (items: ReadonlyArray<Item>) => Effect.Effect<void>
  /** A read of this call; `onData` gets what it returned, none where it has no answer. */
  readonly lens: (request: CallRequest, onData: (data: Option.Option<Hex>) => void) => Item
  /** The same read; `onValue` gets its value as well. */
  readonly watching: (item: Item, onValue: (value: unknown) => void) => Item
  /** The value of an answer to a read; none where it has another type than the read. */
  readonly decode: (item: Item, answer: JsonRpc.RpcAnswer) => Option.Option<unknown>
  /** Settles a read by the answer of a lens. */
  readonly settle: (item: Item, answer: JsonRpc.RpcAnswer) => void
}

/**
 * Sends the reads of a flush in few calls: one lens reads code, balances and getters, another one storage slots.
 *
 * A lens answers a getter only where no code that the call runs at this block can detect the lens, delegated code
 * included. The codes and slots that show this are read beside it. What a lens leaves open is sent as plain calls in
 * the same flush. A function that could detect one before is called plainly at once.
 */
export const send = <Item>(items: ReadonlyArray<Item>, sending: Sending<Item>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { decode, lenses, plainly, settle, state } = sending
    const reads = items.flatMap((item) => lensed(item, sending))
    const ofState = worthwhile(reads.filter(({ read }) => read.kind !== "slot"))
    const ofSlots = worthwhile(reads.filter(({ read }) => read.kind === "slot"))
    const chosen = new Map([...ofState, ...ofSlots].map((read) => [read.item, read]))
    if (chosen.size === 0) return plainly(items.map((item) => watched(item, sending, () => {})))

    const left: Array<Item> = []
    const found: Found<Item> = {
      plain: new Map(),
      lensed: new Map(),
      answers: [],
      lensesOut: 0,
      storageStays: false,
      sender: undefined,
      // Once all lenses have answered: one may have read what shows whether another one is to be believed.
      arrived: () => {
        found.lensesOut -= 1
        if (found.lensesOut > 0) return
        for (const [{ item, read, standing }, given] of found.answers) {
          const answer = Option.filter(given, () => read.kind !== "call" || isUndetected(read, sending))
          if (standing === "agrees" && Option.isSome(answer)) settle(item, answer.value)
          else if (standing === "agrees") left.push(item)
          else for (const each of Option.toArray(answer)) found.lensed.set(item, decode(item, each))
        }
      }
    }
    const sent = items
      .filter((item) => chosen.get(item)?.standing !== "agrees")
      .map((item) =>
        watched(item, sending, (value) => {
          found.plain.set(item, value)
        })
      )
    const missing = missingFor(ofState, ofSlots.length > 0, { lenses, state })
    const lensCalls = [
      ...stateLens(ofState, missing.codes, sending, found),
      ...slotLens(ofSlots, missing.slots, sending, found)
    ]
    return Effect.zipRight(
      // Codes and slots that are read plainly come before the lens that needs them.
      plainly([...sent, ...lensCalls]),
      Effect.suspend(() => {
        learn(chosen.values(), lenses, found)
        return left.length > 0 ? plainly(left) : Effect.void
      })
    )
  })

// What a flush has found out, by its reads.
interface Found<Item> {
  readonly plain: Map<Item, unknown>
  readonly lensed: Map<Item, Option.Option<unknown>>
  /** What the lenses gave; none for a read that they left open. */
  readonly answers: Array<readonly [Lensed<Item>, Option.Option<JsonRpc.RpcAnswer>]>
  lensesOut: number
  storageStays: boolean
  sender: Hex | undefined
  /** A lens was answered. */
  readonly arrived: () => void
}

const isUndetected = <Item>(call: Call, { lenses, state }: Pick<Sending<Item>, "lenses" | "state">): boolean => {
  const verdict = lenses.verdictOf(call, state)
  lenses.noted(call, verdict, state)
  return verdict.state === "proven"
}

// What else has to be read to know whether a lens is to be believed.
const missingFor = <Item>(
  reads: ReadonlyArray<Lensed<Item>>,
  readsSlots: boolean,
  { lenses, state }: Pick<Sending<Item>, "lenses" | "state">
) => {
  const codes = new Set<Hex>()
  const slots = new Map<string, StatePlaces["slots"][number]>()
  let callsWithSlots = 0
  for (const { read } of reads) {
    if (read.kind !== "call") continue
    const verdict = Option.map(state.code(read.account), () => lenses.verdictOf(read, state))
    if (Option.exists(verdict, ({ state }) => state === "proven")) continue
    const places = [lenses.placesOf(read.account), ...Option.toArray(Option.map(verdict, ({ read }) => read))]
    for (const account of [read.account, ...places.flatMap(({ codes }) => codes)])
      if (Option.isNone(state.code(account))) codes.add(account)
    const unknown = places
      .flatMap(({ slots }) => slots)
      .filter(({ account, slot }) => Option.isNone(state.word(account, slot)))
    if (unknown.length > 0) callsWithSlots += 1
    for (const place of unknown) slots.set(`${place.account} ${place.slot}`, place)
  }
  // A call for their sake has to save more than one. Where slots are read anyway, they also show whether storage stays.
  const standing = lenses.standingOf("slot")
  const isWorthIt = readsSlots || (standing === "agrees" && callsWithSlots > 1)
  return { codes: [...codes], slots: isWorthIt ? [...slots.values()].slice(0, StateLens.mostSlots) : [] }
}

const stateLens = <Item>(
  reads: ReadonlyArray<Lensed<Item>>,
  codes: ReadonlyArray<Hex>,
  { lens, lenses, state }: Sending<Item>,
  found: Found<Item>
): ReadonlyArray<Item> => {
  if (reads.length === 0) return []
  found.lensesOut += 1
  const withCode = new Set(reads.flatMap(({ read }) => (read.kind === "code" ? [read.account] : [])))
  const codeReads = codes
    .filter((account) => !withCode.has(account))
    .map((account) => ({ kind: "code" as const, account }))
  const all: ReadonlyArray<StateLens.LensRead> = [...codeReads, ...reads.map(({ read }) => read)]
  const onData = (data: Option.Option<Hex>) => {
    const answers = Option.match(data, { onNone: () => [], onSome: (bytes) => StateLens.stateAnswers(all, bytes) })
    if (!answers.some(Option.isSome)) lenses.failed(new Set(reads.map(({ read }) => read.kind)))
    all.forEach(({ account, kind }, place) => {
      if (kind !== "code" || lenses.standingOf("code") !== "agrees") return
      for (const code of Option.toArray(Option.flatMap(answers[place] ?? Option.none(), codeOf)))
        state.addCode(account, code)
    })
    reads.forEach((each, place) => {
      found.answers.push([each, answers[codeReads.length + place] ?? Option.none()])
    })
    found.arrived()
  }
  const isUnproven = reads.some(({ read, standing }) => read.kind === "call" && standing === "unproven")
  const sender = () =>
    lens(StateLens.ofSender, (data) => {
      found.sender = Option.getOrUndefined(data)
    })
  return [lens(StateLens.ofState(all), onData), ...(isUnproven ? [sender()] : [])]
}

const slotLens = <Item>(
  reads: ReadonlyArray<Lensed<Item>>,
  further: StatePlaces["slots"],
  { lens, lenses, state }: Sending<Item>,
  found: Found<Item>
): ReadonlyArray<Item> => {
  if (reads.length === 0 && further.length === 0) return []
  found.lensesOut += 1
  // Most slots are zero. Where one of the first ones is not, storage is still there under the code of the lens.
  const isUnproven = reads.some(({ standing }) => standing === "unproven")
  const accounts = slotsOf(
    [
      ...reads.map(({ read }) => ({ account: read.account, slot: slotOf(read) })),
      ...further.map(({ account, slot }) => ({ account, slot: RpcValue.word(RpcValue.quantity(slot)) }))
    ],
    isUnproven ? firstSlots : []
  )
  const onData = (data: Option.Option<Hex>) => {
    const answers = Option.match(data, { onNone: () => [], onSome: (bytes) => StateLens.slotAnswers(accounts, bytes) })
    if (!answers.some(Option.isSome)) lenses.failed(["slot"])
    const words = new Map<string, Hex>()
    accounts.forEach(({ account, slots }, place) => {
      const ofAccount = Option.getOrElse(answers[place] ?? Option.none(), () => [])
      ofAccount.forEach((word, index) => {
        const slot = slots[index] ?? "0x"
        words.set(`${account} ${slot}`, word)
        if (lenses.standingOf("slot") === "agrees") state.addWord(account, slot, word)
      })
    })
    found.storageStays = [...words.values()].some((word) => !isNothing(word))
    for (const each of reads) {
      const word = Option.fromNullable(words.get(`${each.read.account} ${slotOf(each.read)}`))
      found.answers.push([each, Option.map(word, (result) => ({ _tag: "Result", result }))])
    }
    found.arrived()
  }
  return [lens(StateLens.ofSlots(accounts), onData)]
}

const learn = <Item>(reads: Iterable<Lensed<Item>>, lenses: Lenses, found: Found<Item>) => {
  const both = [...reads].flatMap(({ read, item }) => {
    const plain = Option.fromNullable(found.plain.get(item))
    const lensed = Option.flatten(Option.fromNullable(found.lensed.get(item)))
    return Option.toArray(Option.all({ kind: Option.some(read.kind), plain, lensed }))
  })
  for (const kind of new Set(both.map((each) => each.kind))) {
    const ofKind = both.filter((each) => each.kind === kind)
    const isAlike = ofKind.every(({ lensed, plain }) => textOf(lensed) === textOf(plain))
    lenses.compared(kind, {
      agrees: isAlike && (kind !== "call" || found.sender === undefined || isNothing(found.sender)),
      isConclusive:
        (kind === "slot" && found.storageStays) ||
        (ofKind.some(({ plain }) => !isNothing(plain)) && (kind !== "call" || found.sender !== undefined))
    })
  }
}

interface Lensed<Item> {
  readonly item: Item
  readonly read: StateLens.LensRead
  readonly standing: Standing
}

const lensed = <Item>(item: Item, { lenses, readOf, state }: Sending<Item>): ReadonlyArray<Lensed<Item>> => {
  const read = Option.getOrUndefined(Option.filter(readOf(item), StateLens.isReadable))
  if (read === undefined) return []
  const standing = lenses.standingOf(read.kind)
  return standing === "differs" || (read.kind === "call" && isDetected(read, { lenses, state }))
    ? []
    : [{ item, read, standing }]
}

const isDetected = <Item>(call: Call, { lenses, state }: Pick<Sending<Item>, "lenses" | "state">): boolean =>
  Option.match(state.code(call.account), {
    onNone: () => lenses.wasOpen(call),
    onSome: () => lenses.verdictOf(call, state).state === "open"
  })

// The same read, with its value kept.
const watched = <Item>(
  item: Item,
  { readOf, state, watching }: Sending<Item>,
  onValue: (value: unknown) => void
): Item =>
  watching(item, (value) => {
    for (const read of Option.toArray(readOf(item))) {
      if (read.kind === "code") state.addCode(read.account, value as Hex)
      if (read.kind === "slot") state.addWord(read.account, read.slot, value as Hex)
    }
    onValue(value)
  })

// Fewer are not worth a lens, and more may not fit into the gas of one.
const worthwhile = <Item>(reads: ReadonlyArray<Lensed<Item>>): ReadonlyArray<Lensed<Item>> =>
  reads.length < 3 ? [] : reads.slice(0, 200)

const firstSlots = Array.from({ length: 8 }, (_, slot) => RpcValue.word(RpcValue.quantity(slot)))

const slotsOf = (
  reads: ReadonlyArray<{ readonly account: Hex; readonly slot: Hex }>,
  further: ReadonlyArray<Hex>
): ReadonlyArray<StateLens.AccountSlots> => {
  const found = new Map<Hex, Set<Hex>>()
  for (const { account, slot } of reads) {
    const slots = found.get(account) ?? new Set(further)
    found.set(account, slots.add(slot))
  }
  return [...found].map(([account, slots]) => ({ account, slots: [...slots].slice(0, StateLens.mostSlots) }))
}

const slotOf = (read: StateLens.LensRead): Hex => (read.kind === "slot" ? RpcValue.word(read.slot) : "0x")

const codeOf = (answer: JsonRpc.RpcAnswer): Option.Option<Hex> =>
  answer._tag === "Result" ? RpcValue.parseCode(answer.result) : Option.none()

const isOutcome = (value: unknown): value is CallOutcome => typeof value === "object" && value !== null

const textOf = (value: unknown): string => (isOutcome(value) ? `${value._tag} ${value.data}` : String(value))

// A value that an endpoint without any data of the account returns too.
const isNothing = (value: unknown): boolean => {
  const data = isOutcome(value) ? (value._tag === "Returned" ? value.data : "0x") : String(value)
  return /^(?:0x)?0*$/.test(data)
}

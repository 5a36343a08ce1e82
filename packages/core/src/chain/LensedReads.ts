/** @internal */

import { Effect, Option } from "effect"
import type { Hex } from "../domain/Hex.js"
import type { CallOutcome, CallRequest } from "./ChainState.js"
import type * as JsonRpc from "./JsonRpc.js"
import type { Lenses, Standing } from "./Lenses.js"
import * as RpcValue from "./RpcValue.js"
import * as StateLens from "./StateLens.js"

/**
 * How a flush of reads is sent to one endpoint. `Item` is a read that waits for its answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sending<Item> {
  /** What is known of lenses at the endpoint. */
  readonly lenses: Lenses
  /** The codes at the pinned block that the analysis has read, by account; added to. */
  readonly codes: Map<Hex, Hex>
  /** What a lens has to read for it; none where no lens can. */
  readonly askOf: (item: Item) => Option.Option<StateLens.Ask>
  /** Sends each read as it is and settles it. */
  readonly plainly: (items: ReadonlyArray<Item>) => Effect.Effect<void>
  /** A read of this call; `onData` gets what it returned, none where it has no answer. */
  readonly lens: (request: CallRequest, onData: (data: Option.Option<Hex>) => void) => Item
  /** The same read; `onValue` gets its value as well. */
  readonly watched: (item: Item, onValue: (value: unknown) => void) => Item
  /** The value of an answer to a read; none where it is not of the type that was asked for. */
  readonly decode: (item: Item, answer: JsonRpc.RpcAnswer) => Option.Option<unknown>
  /** Settles a read by the answer of a lens. */
  readonly settle: (item: Item, answer: JsonRpc.RpcAnswer) => void
}

/**
 * Sends the reads of a flush in few calls: one lens reads code, balances and getters, another one storage slots.
 *
 * A lens answers a getter only where the code of the contract at this block cannot tell a lens from a plain call. What a
 * lens leaves open is sent plainly after it, in the same flush. A contract whose code could tell it before is called
 * plainly at once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const send = <Item>(items: ReadonlyArray<Item>, sending: Sending<Item>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { askOf, codes, decode, lenses, plainly, settle, watched } = sending
    const reads = items.flatMap((item) => lensed(item, sending))
    const ofState = worthwhile(reads.filter(({ ask }) => ask.kind !== "slot"))
    const ofSlots = worthwhile(reads.filter(({ ask }) => ask.kind === "slot"))
    const chosen = new Map([...ofState, ...ofSlots].map((read) => [read.item, read]))
    if (chosen.size === 0) return plainly(items)

    const left: Array<Item> = []
    const found: Found<Item> = {
      plain: new Map(),
      lensed: new Map(),
      storageStays: false,
      sender: undefined,
      use: ({ item, standing }, answer) => {
        if (standing === "agrees" && Option.isSome(answer)) settle(item, answer.value)
        else if (standing === "agrees") left.push(item)
        else for (const given of Option.toArray(answer)) found.lensed.set(item, decode(item, given))
      }
    }
    const sent = items.flatMap((item): ReadonlyArray<Item> => {
      if (chosen.get(item)?.standing === "agrees") return []
      return [
        watched(item, (value) => {
          const ask = Option.getOrUndefined(askOf(item))
          if (ask?.kind === "code") codes.set(ask.account, value as Hex)
          found.plain.set(item, value)
        })
      ]
    })
    return Effect.zipRight(
      // Codes that are read plainly come before the lens that needs them.
      plainly([...sent, ...stateLens(ofState, sending, found), ...slotLens(ofSlots, sending, found)]),
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
  storageStays: boolean
  sender: Hex | undefined
  /** Takes what a lens answered, none where it left the read open. */
  readonly use: (read: Lensed<Item>, answer: Option.Option<JsonRpc.RpcAnswer>) => void
}

const stateLens = <Item>(
  reads: ReadonlyArray<Lensed<Item>>,
  { codes, lens, lenses }: Sending<Item>,
  found: Found<Item>
): ReadonlyArray<Item> => {
  if (reads.length === 0) return []
  // The code of a contract that is called is read with it.
  const withCode = new Set([...codes.keys(), ...reads.flatMap(({ ask }) => (ask.kind === "code" ? [ask.account] : []))])
  const called = new Set(reads.flatMap(({ ask }) => (ask.kind === "call" ? [ask.account] : [])))
  const codeAsks = [...called]
    .filter((account) => !withCode.has(account))
    .map((account) => ({ kind: "code" as const, account }))
  const asks: ReadonlyArray<StateLens.Ask> = [...codeAsks, ...reads.map(({ ask }) => ask)]
  const onData = (data: Option.Option<Hex>) => {
    const answers = Option.match(data, { onNone: () => [], onSome: (bytes) => StateLens.stateAnswers(asks, bytes) })
    if (!answers.some(Option.isSome)) lenses.failed(new Set(reads.map(({ ask }) => ask.kind)))
    asks.forEach(({ account, kind }, place) => {
      if (kind !== "code" || lenses.standingOf("code") !== "agrees") return
      for (const code of Option.toArray(Option.flatMap(answers[place] ?? Option.none(), codeOf)))
        codes.set(account, code)
    })
    reads.forEach((read, place) => {
      const code = codes.get(read.ask.account)
      const isTelling = code === undefined || !lenses.isSelfContained(code)
      if (code !== undefined) lenses.noted(read.ask.account, { isTelling })
      const answer = answers[codeAsks.length + place] ?? Option.none()
      found.use(read, read.ask.kind === "call" && isTelling ? Option.none() : answer)
    })
  }
  const isUnproven = reads.some(({ ask, standing }) => ask.kind === "call" && standing === "unproven")
  const sender = () =>
    lens(StateLens.ofSender, (data) => {
      found.sender = Option.getOrUndefined(data)
    })
  return [lens(StateLens.ofState(asks), onData), ...(isUnproven ? [sender()] : [])]
}

const slotLens = <Item>(
  reads: ReadonlyArray<Lensed<Item>>,
  { lens, lenses }: Sending<Item>,
  found: Found<Item>
): ReadonlyArray<Item> => {
  if (reads.length === 0) return []
  // Most slots are zero. Where one of the first ones is not, storage is still there under the code of the lens.
  const isUnproven = reads.some(({ standing }) => standing === "unproven")
  const accounts = slotsOf(reads, isUnproven ? firstSlots : [])
  const onData = (data: Option.Option<Hex>) => {
    const answers = Option.match(data, { onNone: () => [], onSome: (bytes) => StateLens.slotAnswers(accounts, bytes) })
    if (!answers.some(Option.isSome)) lenses.failed(["slot"])
    const words = new Map<string, Hex>()
    accounts.forEach(({ account, slots }, place) => {
      const ofAccount = Option.getOrElse(answers[place] ?? Option.none(), () => [])
      ofAccount.forEach((word, index) => {
        words.set(`${account} ${slots[index]}`, word)
      })
    })
    found.storageStays = [...words.values()].some((word) => !isNothing(word))
    for (const read of reads) {
      const word = Option.fromNullable(words.get(`${read.ask.account} ${slotOf(read.ask)}`))
      found.use(
        read,
        Option.map(word, (result) => ({ _tag: "Result", result }))
      )
    }
  }
  return [lens(StateLens.ofSlots(accounts), onData)]
}

const learn = <Item>(reads: Iterable<Lensed<Item>>, lenses: Lenses, found: Found<Item>) => {
  const both = [...reads].flatMap(({ ask, item }) => {
    const plain = Option.fromNullable(found.plain.get(item))
    const lensed = Option.flatten(Option.fromNullable(found.lensed.get(item)))
    return Option.toArray(Option.all({ kind: Option.some(ask.kind), plain, lensed }))
  })
  for (const kind of new Set(both.map((each) => each.kind))) {
    const ofKind = both.filter((each) => each.kind === kind)
    const isAlike = ofKind.every(({ lensed, plain }) => textOf(lensed) === textOf(plain))
    lenses.compared(kind, {
      agrees: isAlike && (kind !== "call" || found.sender === undefined || isNothing(found.sender)),
      isTelling:
        (kind === "slot" && found.storageStays) ||
        (ofKind.some(({ plain }) => !isNothing(plain)) && (kind !== "call" || found.sender !== undefined))
    })
  }
}

interface Lensed<Item> {
  readonly item: Item
  readonly ask: StateLens.Ask
  readonly standing: Standing
}

const lensed = <Item>(item: Item, { askOf, codes, lenses }: Sending<Item>): ReadonlyArray<Lensed<Item>> => {
  const ask = Option.getOrUndefined(Option.filter(askOf(item), StateLens.isAskable))
  if (ask === undefined) return []
  const standing = lenses.standingOf(ask.kind)
  const code = codes.get(ask.account)
  const isTelling =
    ask.kind === "call" && (code === undefined ? lenses.wasTelling(ask.account) : !lenses.isSelfContained(code))
  return standing === "differs" || isTelling ? [] : [{ item, ask, standing }]
}

// Fewer are not worth a lens, and more may not fit into the gas of one.
const worthwhile = <Item>(reads: ReadonlyArray<Lensed<Item>>): ReadonlyArray<Lensed<Item>> =>
  reads.length < 3 ? [] : reads.slice(0, 200)

const firstSlots = Array.from({ length: 8 }, (_, slot) => RpcValue.word(RpcValue.quantity(slot)))

const slotsOf = <Item>(
  reads: ReadonlyArray<Lensed<Item>>,
  further: ReadonlyArray<Hex>
): ReadonlyArray<StateLens.AccountSlots> => {
  const found = new Map<Hex, Set<Hex>>()
  for (const { ask } of reads) {
    const slots = found.get(ask.account) ?? new Set(further)
    found.set(ask.account, slots.add(slotOf(ask)))
  }
  return [...found].map(([account, slots]) => ({ account, slots: [...slots].slice(0, StateLens.mostSlots) }))
}

const slotOf = (ask: StateLens.Ask): Hex => (ask.kind === "slot" ? RpcValue.word(ask.slot) : "0x")

const codeOf = (answer: JsonRpc.RpcAnswer): Option.Option<Hex> =>
  answer._tag === "Result" ? RpcValue.parseCode(answer.result) : Option.none()

const isOutcome = (value: unknown): value is CallOutcome => typeof value === "object" && value !== null

const textOf = (value: unknown): string => (isOutcome(value) ? `${value._tag} ${value.data}` : String(value))

// What an endpoint gives that knows nothing of the account as well.
const isNothing = (value: unknown): boolean => {
  const data = isOutcome(value) ? (value._tag === "Returned" ? value.data : "0x") : String(value)
  return /^(?:0x)?0*$/.test(data)
}

/** @internal */

import { Effect, Option } from "effect"
import type { Hex } from "../domain/Hex.js"
import type { CallOutcome, CallRequest } from "./ChainState.js"
import type * as JsonRpc from "./JsonRpc.js"
import type { Kind, Lenses, Standing } from "./Lenses.js"
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
  readonly readOf: (item: Item) => Option.Option<StateLens.LensRead>
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
 * A lens answers a getter only where the code of the contract at this block cannot detect the lens. What a lens leaves
 * open is sent plainly after it, in the same flush. A contract whose code could detect one before is called plainly at
 * once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const send = <Item>(items: ReadonlyArray<Item>, sending: Sending<Item>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { readOf, codes, decode, lenses, plainly, settle, watched } = sending
    const reads = items.flatMap((item) => lensed(item, sending))
    const ofState = worthwhile(reads.filter(({ read }) => read.kind !== "slot"))
    const ofSlots = worthwhile(reads.filter(({ read }) => read.kind === "slot"))
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
    const sent = items
      .filter((item) => chosen.get(item)?.standing !== "agrees")
      .map((item) =>
        watched(item, (value) => {
          for (const { account, kind } of Option.toArray(readOf(item)))
            if (kind === "code") codes.set(account, value as Hex)
          found.plain.set(item, value)
        })
      )
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
  const accountsOf = (kind: Kind) => new Set(reads.flatMap(({ read }) => (read.kind === kind ? [read.account] : [])))
  const withCode = accountsOf("code")
  const codeReads = [...accountsOf("call")]
    .filter((account) => !codes.has(account) && !withCode.has(account))
    .map((account) => ({ kind: "code" as const, account }))
  const all: ReadonlyArray<StateLens.LensRead> = [...codeReads, ...reads.map(({ read }) => read)]
  const onData = (data: Option.Option<Hex>) => {
    const answers = Option.match(data, { onNone: () => [], onSome: (bytes) => StateLens.stateAnswers(all, bytes) })
    if (!answers.some(Option.isSome)) lenses.failed(new Set(reads.map(({ read }) => read.kind)))
    all.forEach(({ account, kind }, place) => {
      if (kind !== "code" || lenses.standingOf("code") !== "agrees") return
      for (const code of Option.toArray(Option.flatMap(answers[place] ?? Option.none(), codeOf)))
        codes.set(account, code)
    })
    reads.forEach((each, place) => {
      const { account, kind } = each.read
      const code = codes.get(account)
      const detects = code === undefined || !lenses.isSelfContained(code)
      if (code !== undefined) lenses.noted(account, { detects })
      const answer = answers[codeReads.length + place] ?? Option.none()
      found.use(each, kind === "call" && detects ? Option.none() : answer)
    })
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
    for (const each of reads) {
      const word = Option.fromNullable(words.get(`${each.read.account} ${slotOf(each.read)}`))
      found.use(
        each,
        Option.map(word, (result) => ({ _tag: "Result", result }))
      )
    }
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

const lensed = <Item>(item: Item, { readOf, codes, lenses }: Sending<Item>): ReadonlyArray<Lensed<Item>> => {
  const read = Option.getOrUndefined(Option.filter(readOf(item), StateLens.isReadable))
  if (read === undefined) return []
  const standing = lenses.standingOf(read.kind)
  const code = codes.get(read.account)
  const detects =
    read.kind === "call" && (code === undefined ? lenses.hasDetected(read.account) : !lenses.isSelfContained(code))
  return standing === "differs" || detects ? [] : [{ item, read, standing }]
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
  for (const { read } of reads) {
    const slots = found.get(read.account) ?? new Set(further)
    found.set(read.account, slots.add(slotOf(read)))
  }
  return [...found].map(([account, slots]) => ({ account, slots: [...slots].slice(0, StateLens.mostSlots) }))
}

const slotOf = (read: StateLens.LensRead): Hex => (read.kind === "slot" ? RpcValue.word(read.slot) : "0x")

const codeOf = (answer: JsonRpc.RpcAnswer): Option.Option<Hex> =>
  answer._tag === "Result" ? RpcValue.parseCode(answer.result) : Option.none()

const isOutcome = (value: unknown): value is CallOutcome => typeof value === "object" && value !== null

const textOf = (value: unknown): string => (isOutcome(value) ? `${value._tag} ${value.data}` : String(value))

// What an endpoint gives that knows nothing of the account as well.
const isNothing = (value: unknown): boolean => {
  const data = isOutcome(value) ? (value._tag === "Returned" ? value.data : "0x") : String(value)
  return /^(?:0x)?0*$/.test(data)
}

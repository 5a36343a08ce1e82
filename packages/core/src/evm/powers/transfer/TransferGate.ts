/** @internal */

import * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import type { Load } from "../../expression/Expression.js"
import { constantOf, fieldOf, isOfContract, makeTracer, type ValueSource } from "../../expression/ValueSource.js"
import type { Variable } from "../../expression/Variable.js"
import * as Walk from "../../expression/Walk.js"
import { madeOf, type StoreEvent } from "../../interpreter/Trace.js"
import { isOneOf, isWritten, maskOf, overlap, type Place, wholeWord } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, Read, Write } from "../../summary/conditions/FunctionFlow.js"
import {
  type Condition,
  isOpaque,
  type Loaded,
  type Precondition,
  type Side,
  weightOf
} from "../../summary/conditions/Precondition.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import { isLeftAsFound } from "../../token/ReentrancyLock.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import * as TransferCondition from "./TransferCondition.js"

/**
 * A variable that decides whether a transfer goes through or how much of it arrives, and who can change it.
 *
 * - `flag`: one switch for everybody. `list`: an answer about the sender, the receiver or the caller.
 * - `limit`: a number that the amount or a balance is compared with, or a delay between transfers. `time`: a moment.
 * - `rate`: a number that goes into what the receiver gets.
 *
 * `passes` is the value that lets transfers through: zero or non-zero; undefined where neither does by itself. It is
 * `decisive` unless its part in the condition is unknown, as where it is compared with the gas price: its setter may or
 * may not be able to stop transfers. It no longer decides once one of `until` is open.
 */
export interface TransferGate extends Place {
  readonly kind: "flag" | "list" | "limit" | "time" | "rate"
  readonly passes: "zero" | "nonzero" | undefined
  readonly setters: ReadonlyArray<VariableWriter.VariableWriter>
  readonly decisive: boolean
  readonly until?: ReadonlyArray<TransferCondition.Opening> | undefined
}

/**
 * The variables besides balances, allowances and supply that can make transfer() or transferFrom() revert, move nothing
 * or deliver less, with the functions that write them. Variables without a writer are left out.
 */
export const of = (flow: StorageFlow, token?: TokenBooks.TokenBooks): ReadonlyArray<TransferGate> =>
  Slices.complete(inSlices(flow, token))

/** {@link of}, in slices. */
export function* inSlices(
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): Slices.Slices<ReadonlyArray<TransferGate>> {
  const gates = new Map<string, TransferGate>()
  const settersOf = settersIn(flow, token)
  const reader = makeReader(flow, token)
  const work = Slices.makeWork()
  const add = (
    { decisive, field, kind, passes, slot, until }: Omit<TransferGate, "setters">,
    accept: (setter: VariableWriter.VariableWriter) => boolean = () => true
  ): boolean => {
    const key = JSON.stringify([kind, slot, field, passes, until])
    if (gates.has(key)) return true
    const { hidden, setters } = settersOf({ slot, field })
    const accepted = hidden ? setters : setters.filter(accept)
    if (accepted.length > 0)
      gates.set(key, {
        kind,
        slot,
        field,
        passes,
        setters: accepted,
        decisive: decisive && !hidden,
        until
      })
    return accepted.length > 0
  }
  const untold = new Map<string, Asked>()
  const leave = (asked: Iterable<Asked>): void => {
    for (const one of asked) {
      const { field, isBeside, isSpared, kind, passes, slot, until } = one
      const key = JSON.stringify([kind, slot, field, passes, until, isSpared, isBeside])
      if (!untold.has(key)) untold.set(key, one)
    }
  }
  for (const transfer of Erc20.transfers) {
    const candidate = Erc20.functionOf(flow, transfer.selector)
    if (candidate === undefined) continue
    const parties = partiesOf(transfer)
    for (const requirement of candidate.requirements) {
      if (work.isDue(weightOf(requirement.anyOf))) yield undefined
      if (isPast(flow, requirement)) continue
      const found = TransferCondition.of(flow, requirement, parties, token)
      const isStopping = stoppingIn(flow, candidate, requirement)
      const told = found.filter(
        ({ certain, kind, passes, read, until }) =>
          certain && add({ ...read, kind, passes, decisive: true, until }, (setter) => isStopping(read, setter))
      )
      for (const { certain, kind, passes, read, until } of found)
        if (!certain) leave([{ ...read, kind, passes, isSpared: false, until }])
      leave(mistakenIn(requirement, parties, token))
      // A bound that stays as it is may be one for others than before.
      if (told.length === 0)
        leave(reader.readsIn(requirement, parties).filter(({ isSpared }) => isSpared || found.length === 0))
    }
    for (const requirement of candidate.implied) {
      if (work.isDue(weightOf(requirement.anyOf))) yield undefined
      if (isOfMemory(requirement)) continue
      leave(reader.readsIn(requirement, parties))
      // A list may stop its members where an answer of a party, of which nothing is known, lets others through.
      if (!requirement.anyOf.some(isOpaque)) continue
      for (const { kind, passes, read, until } of TransferCondition.of(flow, requirement, parties, token))
        leave([{ ...read, kind, passes, isSpared: false, until }])
    }
    for (const read of candidate.spends ?? [])
      if (!TokenBooks.isBook(token, read)) leave([{ ...read, ...spentBy(read), isSpared: false }])
    for (const { by, slot } of candidate.aims ?? [])
      if (token.balances.some((book) => book.slot === slot) && !TokenBooks.isBook(token, by))
        leave([{ ...by, ...spentBy(by), isSpared: false }])
    for (const write of candidate.writes)
      for (const source of ratesIn(write, transfer, token)) {
        if (work.isDue(1)) yield undefined
        const rate = { slot: source.slot, field: fieldOf(BigInt(source.mask)) }
        add({ ...rate, kind: "rate", passes: "zero", decisive: true })
        // Which of several rates it is that counts is as good as the rate.
        for (const { keys, slot } of candidate.reads)
          if (slot === source.slot)
            for (const place of reader.placesIn(keys))
              add({ ...place, kind: "rate", passes: undefined, decisive: false })
      }
  }
  const told = [...gates.values()]
  for (const asked of untold.values()) {
    if (work.isDue(1)) yield undefined
    if (
      !told.some(
        (gate) =>
          isSame(gate, asked) &&
          isNoLess(gate, asked) &&
          (gate.kind === asked.kind || !(asked.isSpared || asked.isBeside === true))
      )
    )
      add(
        { ...asked, decisive: false },
        (setter) =>
          VariableWriter.isAtWill(setter) && !(asked.isSpared && setter.writes.every(VariableWriter.isPutting))
      )
  }
  for (const transfer of Erc20.transfers)
    for (const { mask, slot } of Erc20.functionOf(flow, transfer.selector)?.writes.flatMap((write) =>
      extrasIn(write, transfer, token)
    ) ?? []) {
      if (work.isDue(1)) yield undefined
      const rate = { slot, field: fieldOf(BigInt(mask)) }
      if (!told.some((gate) => gate.kind === "rate" && isSame(gate, rate)))
        add({ ...rate, kind: "rate", passes: "zero", decisive: false })
    }
  // Without an allowance, no router can sell for a holder.
  const approve = Erc20.functionOf(flow, Selectors.functions.approve)
  for (const [requirement, isStopping] of approve?.requirements.map(
    (asked) => [asked, stoppingIn(flow, approve, asked)] as const
  ) ?? []) {
    if (work.isDue(weightOf(requirement.anyOf))) yield undefined
    for (const { kind, passes, read, until } of TransferCondition.of(flow, requirement, approvers, token))
      if (!told.some((gate) => isSame(gate, read) && gate.until === undefined))
        add({ ...read, kind, passes, decisive: false, until }, (setter) => isStopping(read, setter))
  }
  return [...gates.values()]
}

/** {@link of} the token that a code is, in slices, once of a flow. */
export const ofFlow = Slices.oncePer((flow: StorageFlow) => inSlices(flow))

/** Whether a requirement only bounds a size by what no memory has, as compilers do where they copy an answer. */
const isOfMemory = ({ anyOf, asked }: Precondition): boolean =>
  anyOf
    .slice(0, asked)
    .every(
      ({ left, right, test }) =>
        test === "below" &&
        [left, right].some(
          ({ about }) => about.length === 1 && about.flatMap(constantOf).some((size) => size > mostMemory)
        )
    )

// Gas ends long before.
const mostMemory = 2n ** 32n

/** A reentrancy lock is released by the function that takes it: only a function that leaves it taken stops others. */
const stoppingIn =
  (flow: StorageFlow, asking: FunctionFlow, requirement: Precondition) =>
  (read: Loaded, setter: VariableWriter.VariableWriter): boolean =>
    !isLeftAsFound(flow, asking, requirement, read, setter)

/** The functions that write a variable, each searched once. */
const settersIn = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks
): ((place: Place) => ReturnType<typeof VariableWriter.reaching>) => {
  const known = new Map<string, ReturnType<typeof VariableWriter.reaching>>()
  return (place) => {
    const key = JSON.stringify([place.slot, place.field])
    const setters = known.get(key) ?? VariableWriter.reaching(flow, token, place)
    known.set(key, setters)
    return setters
  }
}

const isSame = (one: Place, other: Place): boolean =>
  one.slot === other.slot && overlap(maskOf(one.field), maskOf(other.field))

/** Whether a gate decides for at least as long as the given condition. */
const isNoLess = (gate: TransferGate, asked: Asked): boolean =>
  gate.until === undefined || JSON.stringify(gate.until) === JSON.stringify(asked.until)

interface Asked extends Pick<TransferGate, "kind" | "passes" | "until" | keyof Place> {
  /** The accounts that it names are exempt from a bound. */
  readonly isSpared: boolean
  /** It counts in addition to the variable's other roles. */
  readonly isBeside?: boolean
}

/**
 * Whether it only requires that a stored time has passed, which was the present time when it was stored. A variable
 * outside of mappings may have a future time from the constructor.
 */
const isPast = (flow: StorageFlow, { anyOf }: Precondition): boolean =>
  anyOf.some(({ holds, left: { clock }, right, test }) => {
    const [read] = right.reads
    return (
      test === "below" &&
      !holds &&
      clock !== undefined &&
      right.isKept === true &&
      right.reads.length === 1 &&
      read?.slot.includes("[") === true &&
      flow.functions.every(({ writes }) =>
        writes.every(
          (write) =>
            !isWritten(write, read) ||
            write.change.kind === "clear" ||
            (write.change.kind === "set" && write.change.clock === clock)
        )
      )
    )
  })

/** Whether the received amount of a transfer depends on another contract's answer, such as a fee. */
export const isTaxedElsewhere = (flow: StorageFlow, token: TokenBooks.TokenBooks): boolean =>
  Erc20.transfers.some((transfer) =>
    Erc20.functionOf(flow, transfer.selector)?.writes.some(
      (write) => isReceived(write, transfer, token) && write.change.amount.some(({ kind }) => kind === "unknown")
    )
  )

/**
 * Whether transfers depend on the total supply, or on the balance or an allowance of an account in the code or in a
 * variable. Then minters, senders to that account, or the owner of the allowance may stop transfers.
 */
export const isStoppedByBooks = (flow: StorageFlow, token: TokenBooks.TokenBooks): boolean => {
  const isOfOne = ({ field, keys: [account], slot }: Loaded): boolean =>
    VariableWriter.isHashed(flow, slot) ||
    (isOneOf([...token.balances, ...token.allowances], slot, maskOf(field)) &&
      account !== undefined &&
      isOfContract(account))
  const isAlone = ({ about, reads }: Side, accept: (read: Loaded) => boolean): boolean =>
    reads.length === 1 && about.length === 1 && reads.every(accept)
  // A test of the supply for zero is only the check before a division.
  const isOfAll = ({ field, slot }: Loaded): boolean => isOneOf(token.supply, slot, maskOf(field))
  const isStopping = ({ left, right, test }: Condition): boolean =>
    (
      [
        [left, right],
        [right, left]
      ] as const
    ).some(
      ([side, other]) =>
        isFixed(other) && (isAlone(side, isOfOne) || (test === "below" && isNumber(other) && isAlone(side, isOfAll)))
    )
  return Erc20.transfers.some(({ selector }) =>
    Erc20.functionOf(flow, selector)?.requirements.some(({ anyOf }) => anyOf.some(isStopping))
  )
}

/**
 * Whether transfers make something of what an account in the code or in a variable allows to one of their parties, in
 * slices. That account edits these entries as a list of its own, by `approve`. An entry that is only counted up or down
 * decides nothing.
 */
export function* isListedByApproval({ code, flow, token }: TokenModel): Slices.Slices<boolean> {
  const isListed = listedIn(flow, token)
  for (const { selector } of Erc20.transfers) {
    if (Erc20.functionOf(flow, selector)?.reads.some(isListed) !== true) continue
    const { locator, trace } = yield* code.run(selector)
    const tracer = makeTracer(locator, maxParts)
    const isOfList = ({ args: [slot] }: Load): boolean =>
      (tracer.locate(slot) ?? []).some(({ id, keys }) => isListed({ slot: id, keys: keys.map(tracer.origin) }))
    for (const { events } of trace.blocks) {
      yield undefined
      for (const event of events)
        for (const what of madeOf(event))
          for (const load of tracer.loads(what))
            if (isOfList(load) && !(event.kind === "store" && what === event.value && isCounted(event, load)))
              return true
    }
    if (tracer.exhausted()) return true
  }
  return false
}

const maxParts = 100_000

/** Whether a store adds something to what it loaded, or takes something off. */
const isCounted = ({ slot, value: { args, op } }: StoreEvent, load: Load): boolean =>
  load.args[0] === slot &&
  (op === Opcodes.ADD || op === Opcodes.SUB) &&
  args.filter((part) => [...Walk.parts([part], { into: Walk.held, most: maxParts })].includes(load)).length === 1 &&
  args.includes(load)

/** Makes a test of whether an entry is what an account that is no party of a transfer allows to one that is. */
const listedIn = (flow: StorageFlow, token: TokenBooks.TokenBooks): ((read: Read) => boolean) => {
  const isAllowance = ({ slot }: Pick<Write, "slot">): boolean => isOneOf(token.allowances, slot, wholeWord)
  const owners = new Set(
    Erc20.functionOf(flow, Selectors.functions.approve)?.writes.flatMap((write) =>
      isAllowance(write) ? write.keys.flatMap(({ kind }, place) => (kind === "caller" ? [place] : [])) : []
    )
  )
  const isOfOther = ({ kind }: ValueSource): boolean => kind === "constant" || kind === "storage"
  // Of an account in the code compilers leave the hash of its entry, which may be one of any mapping that nobody else writes.
  const isHashed = ({ slot }: Read): boolean =>
    /^0x[0-9a-f]+\[k\]$/.test(slot) &&
    VariableWriter.isHashed(flow, slot.slice(0, -"[k]".length)) &&
    token.allowances.some((book) => book.slot.endsWith("[k][k]")) &&
    flow.functions.every(({ writes }) => writes.every((write) => write.slot !== slot)) &&
    VariableWriter.reaching(flow, token, { slot, field: undefined }).setters.length === 0
  return (read) =>
    read.keys.some(({ kind }) => kind === "caller" || kind === "argument") &&
    (isAllowance(read)
      ? read.keys.some((key, place) => isOfOther(key) && (owners.size === 0 || owners.has(place)))
      : isHashed(read))
}

/** Whether a transfer without calls has an unknown value in a requirement. */
export const isUntold = (flow: StorageFlow): boolean =>
  Erc20.transfers.some(({ selector }) => {
    const candidate = Erc20.functionOf(flow, selector)
    return candidate?.calls.length === 0 && candidate.implied.some(({ anyOf }) => anyOf.some(isOpaque))
  })

/** Whether a write is to the balance of a transfer's receiver. */
const isReceived = (write: Write, { receiver }: Erc20.Transfer, token: TokenBooks.TokenBooks): boolean =>
  TokenBooks.isOfBalances(token, write) && write.keys.some((key) => key.kind === "argument" && key.index === receiver)

/** Reads requirements, and looks once at what functions do with a variable. */
const makeReader = (flow: StorageFlow, token: TokenBooks.TokenBooks) => {
  const bosses = callersIn(flow)
  const accounts = new Set(
    flow.functions.flatMap(({ writes }) =>
      writes.flatMap(({ mask, slot }) => (BigInt(mask) === accountMask ? [slot] : []))
    )
  )

  /**
   * The variables that select which entry is read. Accounts are left out: the owner of an entry says nothing of its
   * content.
   */
  const placesIn = (keys: ReadonlyArray<ValueSource>): ReadonlyArray<Place> =>
    keys.flatMap((key): ReadonlyArray<Place> => {
      if (key.kind !== "storage") return []
      const place = { slot: key.slot, field: undefined }
      return accounts.has(place.slot) || TokenBooks.isBook(token, place) ? [] : [place]
    })

  /** What a requirement reads besides balances, allowances and supply, with its role. */
  const readsIn = ({ anyOf }: Precondition, parties: TransferCondition.Parties): ReadonlyArray<Asked> => {
    const isBound = anyOf.some(
      (condition) => condition.test === "below" && !TransferCondition.isOfBalance(condition, token)
    )
    return anyOf.flatMap((condition) => {
      const answered = answeredIn(condition, parties, token)
      return [...condition.left.reads, ...condition.right.reads]
        .filter(
          (read) => !TokenBooks.isBook(token, read) && (!answered.has(read) || (isBound && !bosses.has(read.slot)))
        )
        .flatMap((read): ReadonlyArray<Asked> => {
          const isOne = read.keys.every(isOfContract)
          // An exemption from a bound can end, as for the pool that all trades go through.
          const isSpared = answered.has(read) && !isNaming(read, condition)
          // A comparison with a constant, such as of a count, is a yes-or-no test.
          const isMeasured = condition.test === "below" && ![condition.left, condition.right].some(isNumber)
          const kind = isMeasured || isSpared ? "limit" : isOne && !isNaming(read, condition) ? "flag" : "list"
          return [
            { ...read, isSpared, kind, passes: kind === "list" ? "zero" : undefined },
            ...placesIn(read.keys).map(
              (place): Asked => ({ ...place, kind: "flag", passes: undefined, isSpared: false })
            )
          ]
        })
    })
  }

  return { placesIn, readsIn }
}

/**
 * The role of a variable that may make a transfer run out of gas, revert without a requirement, or reach another
 * account.
 */
const spentBy = ({ keys }: Loaded): Pick<TransferGate, "kind" | "passes"> =>
  keys.every(isOfContract) ? { kind: "flag", passes: undefined } : { kind: "list", passes: "zero" }

/**
 * Parts of a requirement that may do something else than they seem to.
 *
 * - It may stop single accounts: by an account's number that is compared with another stored one, by a variable that is
 *   combined with the address, as in a filter, or by one that is compared with the address or with an unknown value.
 * - A comparison with something other than the amount, a time or a balance, such as the gas that is left, may stop
 *   everyone.
 */
const mistakenIn = (
  { anyOf }: Precondition,
  { isAmount, isParty }: TransferCondition.Parties,
  token: TokenBooks.TokenBooks
): ReadonlyArray<Asked> =>
  anyOf.flatMap(({ left, right, test }) => {
    const isOf = (accept: (origin: ValueSource) => boolean): boolean =>
      [left, right].some(({ about }) => about.some(accept))
    const isOfHowMuch =
      isOf((origin) => isAmount(origin) || origin.kind === "time") ||
      [left, right].some(({ reads }) => reads.some((read) => TokenBooks.isBook(token, read)))
    const isOfUntold = isOf(({ kind }) => kind === "unknown")
    return [left, right].flatMap((side) =>
      side.reads.flatMap((read): ReadonlyArray<Asked> => {
        if (TokenBooks.isBook(token, read) || (test === "below" && isOfHowMuch)) return []
        const other = side === left ? right : left
        const isCommon = read.keys.length === 0
        const isChoice = isCommon
          ? side.about.some(isParty) || (test === "below" ? other.about.some(isParty) : isOfUntold)
          : read.keys.some(isParty) && test === "below" && other.reads.length > 0
        const asked = { ...read, isSpared: false, isBeside: true }
        return [
          ...(isChoice
            ? (["zero", "nonzero"] as const).map((passes): Asked => ({ ...asked, kind: "list", passes }))
            : []),
          ...(isCommon && test === "below" && isOfUntold
            ? [{ ...asked, kind: "flag", passes: undefined } as const]
            : [])
        ]
      })
    )
  })

/**
 * Whether a variable holds an account that functions require as their caller: a condition on that account binds nobody
 * else.
 */
export const isOfCaller = (flow: StorageFlow, slot: string): boolean => callersIn(flow).has(slot)

const callersIn = (flow: StorageFlow): ReadonlySet<string> =>
  new Set(
    flow.functions.flatMap(({ selector, writes }) =>
      // Conditions of transfers on the caller do not make an account privileged.
      Selectors.erc20.has(selector)
        ? []
        : writes.flatMap(({ guards }) => guards.flatMap((guard) => (guard.kind === "slot" ? [guard.slot] : [])))
    )
  )

/** Whether list members, or one account, fail the condition: they are refused, or bound by a constant. */
const isNaming = ({ field, keys }: Loaded, { holds, left, right, test }: Condition): boolean => {
  if (test !== "equal") return false
  return [left, right].some(isFixed)
    ? holds && keys.some(({ kind }) => kind !== "constant")
    : !holds && keys.length === 0 && field?.size === 20
}

/**
 * The entries that are tested for zero, and the accounts that are compared: {@link TransferCondition} decides which of
 * those count.
 */
const answeredIn = (
  condition: Condition,
  parties: TransferCondition.Parties,
  token: TokenBooks.TokenBooks
): ReadonlySet<Loaded> => {
  const { left, right, test } = condition
  if (test !== "equal") return new Set()
  if (![left, right].some(isFixed))
    return new Set([...left.reads, ...right.reads].filter(({ field, keys }) => keys.length === 0 && field?.size === 20))
  return new Set(
    TransferCondition.askedIn(condition, parties, token).filter(({ keys }) =>
      keys.some((key) => key.kind !== "constant" && !isKept(key))
    )
  )
}

/** Whether a key is looked up itself, as a number that accounts have, or one of a round. */
const isKept = (key: ValueSource): key is Extract<ValueSource, { readonly kind: "storage" }> => key.kind === "storage"

/** Whether one side of a comparison is a constant. */
const isFixed = ({ about, reads }: Side): boolean =>
  reads.length === 0 && about.every(({ kind }) => kind === "constant")

/** Whether one side of a comparison is known for sure to stand in the code. */
const isNumber = (side: Side): boolean => side.about.length > 0 && isFixed(side)

const accountMask = BigInt(maskOf({ offset: 0, size: 20 }))

const partiesOf = ({ amount }: Erc20.Transfer): TransferCondition.Parties => ({
  isParty: (origin) => origin.kind === "caller" || (origin.kind === "argument" && origin.index !== amount),
  isAmount: (origin) => origin.kind === "argument" && origin.index === amount
})

const approvers: TransferCondition.Parties = {
  isParty: (origin) => origin.kind === "caller" || (origin.kind === "argument" && origin.index === 0),
  isAmount: (origin) => origin.kind === "argument" && origin.index === 1
}

/** The variables by which a party of a transfer loses something besides what it sends. */
const extrasIn = (
  write: Write,
  { amount, receiver, sender }: Erc20.Transfer,
  token: TokenBooks.TokenBooks
): ReadonlyArray<Variable> => {
  const { change, keys, own } = write
  const isParty =
    own ||
    keys.some(
      (key) =>
        (sender === undefined && key.kind === "caller") ||
        (key.kind === "argument" && key.index !== amount && (key.index === sender || key.index === receiver))
    )
  if (!isParty || !TokenBooks.isOfBalances(token, write) || (change.kind !== "decrease" && change.kind !== "unknown"))
    return []
  return change.sources.filter(({ mask, slot }) => !isOneOf(TokenBooks.booksOf(token), slot, mask))
}

/** The variables that the sent amount is multiplied with, so that they change what the receiver gets. */
const ratesIn = (write: Write, transfer: Erc20.Transfer, token: TokenBooks.TokenBooks): ReadonlyArray<Variable> => {
  if (
    !isReceived(write, transfer, token) ||
    !write.change.amount.some((origin) => origin.kind === "argument" && origin.index === transfer.amount)
  )
    return []
  return write.change.sources.filter(({ mask, slot }) => !isOneOf(TokenBooks.booksOf(token), slot, mask))
}

import { Array as Arrays, Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/ChainState.js"
import * as Reading from "../../chain/Reading.js"
import * as Together from "../../chain/Together.js"
import * as Address from "../../domain/Address.js"
import type { ControlGap } from "../../domain/facts/ControlGraph.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import * as Destruction from "../../evm/patterns/Destruction.js"
import * as LinkedLibrary from "../../evm/patterns/LinkedLibrary.js"
import * as StandardPower from "../../evm/powers/balance/StandardPower.js"
import * as Slices from "../../evm/Slices.js"
import * as CallerDependence from "../../evm/summary/conditions/CallerDependence.js"
import type { Place } from "../../evm/summary/conditions/FieldMask.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import { type Guard, isUnasked } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, StorageFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as Access from "../../evm/token/Access.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as Forwarders from "../code/Forwarders.js"
import { Functions, type LogicContract } from "../code/Functions.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as SpentOneShots from "../code/SpentOneShots.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"
import * as OncePerKey from "../OncePerKey.js"
import * as TradePlaces from "../venue/TradePlaces.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"

/**
 * An account that a contract's code lets through, by `function:<selector>`.
 *
 * @since 0.1.0
 * @category models
 */
export interface AdmittedCaller {
  readonly power: string
  readonly account: Address.Address
}

/**
 * Those whom a code lets through, and what it asks beside them that names nobody.
 *
 * @since 0.1.0
 * @category models
 */
export interface AdmittedCallers {
  readonly holders: ReadonlyArray<AdmittedCaller>
  readonly gaps: ReadonlyArray<ControlGap>
}

/**
 * Who a contract's code lets through, function by function: the accounts in the slots and constants that it compares its
 * caller with. It finds somebody whom no getter shows.
 *
 * @since 0.1.0
 * @category services
 */
export class CallerGuards extends Context.Tag("@assay/core/CallerGuards")<
  CallerGuards,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading.Reading<AdmittedCallers>, ChainError>
    /** The account that a condition on the caller names; none where it names no one. */
    readonly account: (
      address: Address.Address,
      guard: Guard
    ) => Effect.Effect<Option.Option<Reading.Reading<Address.Address>>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const safe = yield* Safe
  const roles = yield* Roles.Roles
  const functions = yield* Functions
  const flows = yield* CodeReadings

  const inSlot = (address: Address.Address, guard: Place) =>
    Option.match(StoredVariable.slotOf(guard.slot), {
      onNone: () => Effect.succeedNone,
      onSome: (slot) =>
        Effect.map(state.storage(address, slot), (word) =>
          Option.some(Reading.map(word, (value) => StoredVariable.accountIn(value, guard.field)))
        )
    })

  /** Who has to have signed, where it can be read; of the zero account anything may be a signature. */
  const signerOf = (address: Address.Address, { signer }: Guard & { readonly kind: "unknown" }) =>
    signer === undefined
      ? Effect.succeedNone
      : Effect.map(
          inSlot(address, signer),
          Option.filter(({ value }) => value !== Address.zero)
        )

  /** One account has a power, unless it uses it for those alone who have signed for it. */
  const held = (guard: Guard, power: string, account: Address.Address): Effect.Effect<AdmittedCallers, ChainError> =>
    Effect.map(guard.forwards ? Forwarders.naming(state, account) : Effect.succeed("unknown"), (naming) =>
      naming === "signers" ? nobody : { holders: [{ power, account }], gaps: [] }
    )

  const admitted = (
    address: Address.Address,
    asked: { readonly guard: Guard; readonly selector: string; readonly isList: boolean },
    isAnybodysOwn: boolean
  ): Effect.Effect<AdmittedCallers, ChainError> => {
    const { guard } = asked
    const power = `function:${asked.selector}`
    const unclear: AdmittedCallers = { holders: [], gaps: [{ what: power, reason: "inconclusive" }] }
    // What the contract may do itself, somebody has to make it do.
    const itself = isAnybodysOwn ? unclear : nobody
    switch (guard.kind) {
      case "constant":
        return held(guard, power, guard.address)
      case "slot":
        return Effect.flatMap(
          inSlot(address, guard),
          Option.match({
            onNone: () => Effect.succeed(unclear),
            onSome: ({ value: account }) =>
              account === Address.zero
                ? Effect.succeed(nobody)
                : account === address
                  ? Effect.succeed(itself)
                  : held(guard, power, account)
          })
        )
      case "entry":
        return Effect.succeed({
          holders: [],
          gaps: asked.isList ? [{ what: `list:${guard.slot}`, reason: "inconclusive" }] : []
        })
      case "unknown":
        if (guard.isSelf) return Effect.succeed(itself)
        return Effect.map(signerOf(address, guard), (signer) =>
          Option.match(signer, {
            onNone: () => unclear,
            onSome: ({ value: account }) => ({ holders: [{ power, account }], gaps: [] })
          })
        )
    }
  }

  /**
   * Who of those has something by it that a standard function does for them. A contract of unknown code may be a pool as
   * well as somebody's tool, and what a pool does to others is up to whoever comes to trade.
   */
  const inTransfers = (
    { gaps, holders }: AdmittedCallers,
    gives: StandardPower.AskedCaller["gives"],
    places: ReadonlySet<Address.Address>
  ): Effect.Effect<AdmittedCallers, ChainError> =>
    Effect.map(
      Together.forEach(
        holders.filter(({ account }) => gives === "rule" || !places.has(account)),
        (holder) =>
          gives === "note"
            ? Effect.map(state.code(holder.account), (code) => ({ holder, isTold: !Bytecode.isContract(code.value) }))
            : Effect.succeed({ holder, isTold: !places.has(holder.account) })
      ),
      (others) => ({
        holders: others.filter(({ isTold }) => isTold).map(({ holder }) => holder),
        gaps: [
          ...gaps,
          ...others
            .filter(({ isTold }) => !isTold)
            .map(({ holder }): ControlGap => ({ what: holder.power, reason: "inconclusive" }))
        ]
      })
    )

  const read = Effect.fn("CallerGuards.of")(function* (address: Address.Address) {
    const itself = yield* safe.of(address)
    if (Option.isSome(itself) && itself.value.value.canonical) {
      // Its code is published and lets nobody through but the Safe itself, its owners and its modules.
      return Reading.map(itself.value, () => nobody)
    }
    const [{ observation, value }, hasRoles] = yield* Together.all([
      functions.of(address),
      Effect.map(Effect.either(roles.candidates(address)), (found) => Either.isRight(found) && found.right.length > 0)
    ])
    const ending = yield* Effect.forEach(
      value.logics.filter(({ reach }) => Bytecode.presence(reach, "SELFDESTRUCT") === "present"),
      ({ code, flow }) =>
        Slices.run(() =>
          Destruction.of(
            code,
            flow.functions.map(({ selector }) => selector)
          )
        )
    )
    const contract = { state, flows, address, logics: value.logics }
    const isUsedUp = (logic: LogicContract, selector: FunctionFlow["selector"]): Effect.Effect<boolean, ChainError> =>
      selector === "fallback" ? Effect.succeed(false) : SpentOneShots.isUsed(contract, logic, selector)
    const asUsed = yield* Together.forEach(value.logics, (logic) => withoutUsed(logic, isUsedUp))
    // Whom its events tell of has what the contract's own getter is asked for, and nothing that another mapping keeps.
    const roleBooks = new Set(
      value.logics.flatMap(({ flow }) =>
        flow.functions.flatMap(({ returns = [], selector }) =>
          selector === Selectors.functions.hasRole ? returns.map(({ slot }) => slot) : []
        )
      )
    )
    const asked = value.logics.flatMap((logic, index) => {
      const { flow } = logic
      const token = TokenBooks.of(flow)
      const givenBy = StandardPower.makeReader(flow, token)
      const isOpenList = (guard: Guard): boolean =>
        guard.kind === "entry" &&
        !(hasRoles && roleBooks.has(guard.slot)) &&
        [flow, asUsed[index] ?? flow].some((one) => Access.isPrivilege(one, token, guard))
      return flow.functions.flatMap((entry) => {
        const isStandard = Selectors.erc20.has(entry.selector)
        return [
          ...givenBy(entry).map(({ gives, guard }) => ({
            guard,
            gives,
            entry,
            logic,
            isList: (guard.always || isOneWay(entry, guard)) && !isStandard && isOpenList(guard)
          })),
          ...(isStandard
            ? (entry.callerComparisons ?? [])
            : [
                ...CallerDependence.besideGuards(entry),
                ...Access.allotments(entry, token),
                ...Access.favours(entry, token)
              ]
          ).map((guard) => ({
            guard,
            gives: "rule" as const,
            entry,
            logic,
            isList: isOpenList(guard)
          }))
        ]
      })
    })
    const destroying = ending.flat().flatMap(({ guards, selector }) => guards.map((guard) => ({ guard, selector })))
    const destroys = new Set(destroying.map(({ selector }) => selector))
    const distinct = Arrays.groupBy(
      [
        ...asked.map((each) => ({ ...each, selector: each.entry.selector })),
        ...destroying.map((each) => ({
          ...each,
          gives: "rule" as const,
          logic: undefined,
          isList: false
        }))
      ],
      ({ gives, guard, selector }) => JSON.stringify([selector, guard, gives])
    )
    const places = TradePlaces.of(state.chain.addressBook, address)
    const isAnybodysOwn = value.logics.some(({ flow }) => ArbitraryCall.isAnybodysOwn(flow))
    /** Whether anybody can put somebody into the variable that a condition asks. */
    const isFilledByAnybody = (guard: Guard): Effect.Effect<boolean, ChainError> =>
      guard.kind !== "slot"
        ? Effect.succeed(false)
        : Effect.map(
            Together.forEach(
              value.logics.flatMap((logic) =>
                logic.flow.functions.flatMap(({ selector, writes }) =>
                  writes.some((write) => isUnasked(write) && fills(write, guard)) ? [{ logic, selector }] : []
                )
              ),
              ({ logic, selector }) => isUsedUp(logic, selector)
            ),
            (each) => each.some((isOver) => !isOver)
          )
    // What a function could do once and did is nobody's power any more.
    const isUsed = (
      selector: FunctionFlow["selector"],
      logic: LogicContract | undefined,
      caller: StandardPower.AskedCaller
    ) =>
      logic === undefined || selector === "fallback" || destroys.has(selector)
        ? Effect.succeed(false)
        : Selectors.erc20.has(selector)
          ? Effect.map(SpentOneShots.fromNowOn(contract, logic, selector), (entries) => {
              const givenBy = StandardPower.makeReader(logic.flow, TokenBooks.of(logic.flow))
              return (
                entries.length > 0 &&
                entries.every((entry) => entry.complete && !givenBy(entry).some((other) => isSame(other, caller)))
              )
            })
          : SpentOneShots.isUsed(contract, logic, selector)
    const found = yield* Together.forEach(Object.values(distinct), (alike) => {
      const [each] = alike
      return Effect.map(
        Together.all([
          Effect.flatMap(admitted(address, each, isAnybodysOwn), (callers) =>
            Selectors.erc20.has(each.selector) ? inTransfers(callers, each.gives, places) : Effect.succeed(callers)
          ),
          Together.forEach(alike, ({ logic }) => isUsed(each.selector, logic, each)),
          each.gives === "rule" ? isFilledByAnybody(each.guard) : Effect.succeed(false)
        ]),
        ([callers, used, isTaken]): AdmittedCallers =>
          used.every((isOver) => isOver)
            ? nobody
            : isTaken
              ? {
                  ...callers,
                  gaps: [...callers.gaps, { what: `function:${each.selector}`, reason: "inconclusive" }]
                }
              : callers
      )
    })
    const foreign = value.logics.flatMap((logic) => foreignIn(logic, address))
    const libraries = yield* Together.forEach(
      Arrays.dedupe(foreign.flatMap(({ library }) => Option.toArray(library))),
      (library) => Effect.map(state.code(library), (code) => LinkedLibrary.asksNobody(code.value))
    )
    const isFollowed =
      value.resolved &&
      value.logics.every(({ flow }) => flow.completeness.gaps.every((gap) => gap === "delegatecall")) &&
      foreign.every(({ library }) => Option.isSome(library)) &&
      libraries.every((asks) => asks)
    const callers: AdmittedCallers = {
      holders: found.flatMap(({ holders }) => holders),
      gaps: [
        ...found.flatMap(({ gaps }) => gaps),
        ...(isFollowed ? [] : [{ what: "code", reason: "inconclusive" as const }])
      ]
    }
    return { value: callers, observation }
  })

  return CallerGuards.of({
    of: yield* OncePerKey.make((address: Address.Address) => address, read),
    account: (address, guard) => {
      switch (guard.kind) {
        case "slot":
          return inSlot(address, guard)
        case "unknown":
          return signerOf(address, guard)
        default:
          return Effect.succeedNone
      }
    }
  })
})

/**
 * Reads the slots that the code compares its caller with, in one level after the code.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<CallerGuards, never, ChainState | CodeReadings | Safe | Roles.Roles | Functions> =
  Layer.scoped(CallerGuards, make)

/** Whether a write may put an account into the variable that a condition asks. */
const fills = ({ change, mask, slot }: Write, guard: Place): boolean =>
  PresentFlow.isSame(slot, guard.slot) &&
  FieldMask.overlap(mask, FieldMask.maskOf(guard.field)) &&
  change.kind !== "clear" &&
  change.kind !== "keep" &&
  !(
    change.amount.length > 0 &&
    change.amount.every((origin) => origin.kind === "constant" && BigInt(origin.value) === 0n)
  )

/**
 * What a code does without the functions that enter accounts into lists for whoever calls, and were used up: whom an
 * initialiser put on a list is on it for good.
 */
const withoutUsed = (
  { flow, ...logic }: LogicContract,
  isUsedUp: (logic: LogicContract, selector: FunctionFlow["selector"]) => Effect.Effect<boolean, ChainError>
): Effect.Effect<StorageFlow, ChainError> => {
  const lists = new Set(
    flow.functions.flatMap(({ calls, writes }) =>
      [...writes, ...calls].flatMap(({ guards }) =>
        guards.flatMap((guard) => (guard.kind === "entry" ? [guard.slot] : []))
      )
    )
  )
  return Effect.map(
    Together.forEach(flow.functions, (entry) =>
      entry.writes.some((write) => lists.has(write.slot) && isUnasked(write) && write.change.kind !== "clear") &&
      !Selectors.erc20.has(entry.selector)
        ? Effect.map(isUsedUp({ ...logic, flow }, entry.selector), (isOver) =>
            isOver ? { ...entry, writes: [] } : entry
          )
        : Effect.succeed(entry)
    ),
    (functions) => ({ ...flow, functions })
  )
}

const isSame = (one: StandardPower.AskedCaller, other: StandardPower.AskedCaller): boolean =>
  one.gives === other.gives && JSON.stringify(one.guard) === JSON.stringify(other.guard)

/** Whether a condition is one of those of which everybody has to pass one, none of them all. */
const isOneWay = ({ calls, writes }: FunctionFlow, guard: Guard): boolean => {
  const name = JSON.stringify(guard)
  return [...writes, ...calls].some(
    ({ guards, shut }) =>
      shut && !guards.some(({ always }) => always) && guards.some((other) => JSON.stringify(other) === name)
  )
}

/**
 * The foreign code that one of the codes of an account runs for whoever calls, as the library that it is linked to. What a
 * proxy hands on to is among those codes, and who has to be somebody to have code run is told as such.
 */
const foreignIn = (
  { address, flow }: LogicContract,
  account: Address.Address
): ReadonlyArray<{ readonly library: Option.Option<Address.Address> }> => {
  const found = DelegatecallTarget.of(flow)
  const handedOn = new Set(
    address === account
      ? found.flatMap(({ selector, target }) => (selector === "fallback" ? [JSON.stringify(target)] : []))
      : []
  )
  const isOpen = new Set(
    flow.functions.flatMap(({ calls, selector }) =>
      calls.some(
        ({ guards, kind, shut }) =>
          (kind === "delegatecall" || kind === "callcode") && !shut && !guards.some(({ always }) => always)
      )
        ? [selector]
        : []
    )
  )
  return found
    .filter(({ selector, target }) => isOpen.has(selector) && !handedOn.has(JSON.stringify(target)))
    .map(({ selector, target }) => ({
      library:
        target.kind === "constant" && selector !== "fallback"
          ? Option.some(Address.fromWord(Getter.word(target.value)))
          : Option.none()
    }))
}

const nobody: AdmittedCallers = { holders: [], gaps: [] }

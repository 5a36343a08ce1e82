/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { ControlGap } from "../../domain/facts/ControlGraph.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import type { Place } from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import * as Forwarders from "../code/Forwarders.js"
import { Functions, type ResolvedCode } from "../code/Functions.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Implementation from "../native/Implementation.js"
import * as TradePlaces from "../venue/TradePlaces.js"
import * as EntryGuards from "./EntryGuards.js"
import * as OpenDelegatecalls from "./OpenDelegatecalls.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"
import * as UsedEntries from "./UsedEntries.js"

/** An account that passes a guard of a contract's function; `power` is `function:<selector>`. */
export interface AdmittedCaller {
  readonly power: string
  readonly account: Address.Address
}

/**
 * The accounts that pass guards, and the guards that do not show who passes them. `own` are the powers that only a call of
 * the contract to itself has, where `isAnybodysOwn`: any account may be able to make the contract call itself.
 */
export interface AdmittedCallers {
  readonly holders: ReadonlyArray<AdmittedCaller>
  readonly gaps: ReadonlyArray<ControlGap>
  readonly own: ReadonlyArray<string>
  readonly isAnybodysOwn: boolean
}

/**
 * The accounts that the code of a contract compares its caller with, function by function. It finds accounts that no
 * getter shows.
 */
export class CallerGuards extends Context.Tag("@assay/core/CallerGuards")<
  CallerGuards,
  {
    readonly of: (address: Address.Address) => Effect.Effect<Reading.Reading<AdmittedCallers>, ChainError>
    /** The account that a guard names by a variable; none if it names no single account. */
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

  /** The gap of code that cannot be followed to its end. */
  const gapsInCode = (address: Address.Address, { logics, resolved }: ResolvedCode) =>
    Effect.map(OpenDelegatecalls.askNobody(state, address, logics), (isHarmless): ReadonlyArray<ControlGap> => {
      const isFollowed =
        isHarmless &&
        resolved &&
        logics.every(({ flow }) => flow.completeness.gaps.every((gap) => gap === "delegatecall"))
      return isFollowed ? [] : [{ what: "code", reason: "inconclusive" }]
    })

  const read = Effect.fn("CallerGuards.of")(function* (address: Address.Address) {
    // The functions of a token that the chain implements look for roles alone.
    if ((yield* Implementation.of(state, address)) === "chain")
      return Reading.map(yield* state.code(address), () => ({ ...nobody, isAnybodysOwn: false }))
    const itself = yield* safe.of(address)
    // A published Safe lets nobody through but itself, its owners and its modules.
    if (Option.isSome(itself) && itself.value.value.canonical)
      return Reading.map(itself.value, () => ({ ...nobody, isAnybodysOwn: false }))
    const [{ observation, value: code }, hasRoles] = yield* Together.all([
      functions.of(address),
      Effect.match(roles.candidates(address), { onFailure: () => false, onSuccess: (found) => found.length > 0 })
    ])
    const used = UsedEntries.make({ state, flows, address, logics: code.logics })
    const asUsed = yield* Together.forEach(code.logics, used.withoutUsed)
    const guards = yield* EntryGuards.of(flows, code.logics, asUsed, hasRoles)
    const contract: GuardedContract = {
      address,
      used,
      tradePlaces: TradePlaces.of(yield* ChainBook.of(state.chain.addressBook), address),
      isAnybodysOwn: ArbitraryCall.isAnybodysOwn(
        code.logics.map(({ flow }) => flow),
        address
      )
    }
    const callers = yield* Together.forEach(guards, (guard) => stillAdmitted(state, contract, guard))
    const value: AdmittedCallers = {
      holders: callers.flatMap(({ holders }) => holders),
      gaps: [...callers.flatMap(({ gaps }) => gaps), ...(yield* gapsInCode(address, code))],
      own: callers.flatMap(({ own }) => own),
      isAnybodysOwn: contract.isAnybodysOwn
    }
    return { value, observation }
  })

  return CallerGuards.of({
    of: yield* OncePerKey.make((address: Address.Address) => address, read),
    account: (address, guard) => {
      switch (guard.kind) {
        case "slot":
          return accountIn(state, address, guard)
        case "unknown":
          return signerOf(state, address, guard)
        default:
          return Effect.succeedNone
      }
    }
  })
})

/** Reads the slots that the code compares its caller with, in one level after the code. */
export const layer: Layer.Layer<CallerGuards, never, ChainState | CodeReadings | Safe | Roles.Roles | Functions> =
  Layer.scoped(CallerGuards, make)

/** What is known of a contract while its guards are read. `isAnybodysOwn`: any account can have it call itself. */
interface GuardedContract {
  readonly address: Address.Address
  readonly used: UsedEntries.UsedEntries
  readonly tradePlaces: ReadonlySet<Address.Address>
  readonly isAnybodysOwn: boolean
}

type Passing = Omit<AdmittedCallers, "isAnybodysOwn">

/** The accounts that pass a guard, unless its function is used up. */
const stillAdmitted = (
  state: ChainState["Type"],
  contract: GuardedContract,
  guard: EntryGuards.EntryGuard
): Effect.Effect<Passing, ChainError> =>
  Effect.map(
    Together.all([
      admitted(state, contract, guard),
      contract.used.isUsed(guard),
      guard.gives === "rule" ? contract.used.isFilledByAnyone(guard.guard) : Effect.succeed(false)
    ]),
    ([callers, isUsed, isFilledByAnyone]) => {
      if (isUsed) return nobody
      return isFilledByAnyone ? { ...callers, gaps: [...callers.gaps, inconclusive(powerOf(guard))] } : callers
    }
  )

const admitted = (
  state: ChainState["Type"],
  contract: GuardedContract,
  guard: EntryGuards.EntryGuard
): Effect.Effect<Passing, ChainError> =>
  Effect.flatMap(passing(state, contract, guard), (callers) =>
    Selectors.erc20.has(guard.selector) ? amongTransfers(state, contract, guard, callers) : Effect.succeed(callers)
  )

/** The accounts that pass a guard. */
const passing = (
  state: ChainState["Type"],
  { address, isAnybodysOwn }: GuardedContract,
  entry: EntryGuards.EntryGuard
): Effect.Effect<Passing, ChainError> => {
  const { guard, isList } = entry
  const power = powerOf(entry)
  const unclear: Passing = { ...nobody, gaps: [inconclusive(power)] }
  // The contract itself acts only when another account calls it.
  const itself: Passing = isAnybodysOwn ? { ...nobody, own: [power] } : nobody
  switch (guard.kind) {
    case "constant":
      return unlessSigned(state, guard, { power, account: guard.address })
    case "slot":
      return Effect.flatMap(
        accountIn(state, address, guard),
        Option.match({
          onNone: () => Effect.succeed(unclear),
          onSome: ({ value: account }) => {
            if (account === Address.zero) return Effect.succeed(nobody)
            if (account === address) return Effect.succeed(itself)
            return unlessSigned(state, guard, { power, account })
          }
        })
      )
    case "entry":
      return Effect.succeed({ ...nobody, gaps: isList ? [inconclusive(`list:${guard.slot}`)] : [] })
    case "unknown":
      if (guard.isSelf) return Effect.succeed(itself)
      return Effect.map(
        signerOf(state, address, guard),
        Option.match({
          onNone: () => unclear,
          onSome: ({ value: account }) => ({ ...nobody, holders: [{ power, account }] })
        })
      )
  }
}

/** An account that passes a guard. A trusted forwarder has no power if it only names senders who have signed. */
const unlessSigned = (
  state: ChainState["Type"],
  guard: Guard,
  holder: AdmittedCaller
): Effect.Effect<Passing, ChainError> =>
  Effect.map(guard.forwards ? Forwarders.naming(state, holder.account) : Effect.succeed("unknown"), (naming) =>
    naming === "signers" ? nobody : { ...nobody, holders: [holder] }
  )

/**
 * Which of some accounts have a power because an ERC-20 function treats them differently. Exchanges have none: what they do
 * to others, those who trade decide. A contract of unknown code can be an exchange, so it is a gap where the function
 * only notes something about it.
 */
const amongTransfers = (
  state: ChainState["Type"],
  { tradePlaces }: GuardedContract,
  { gives }: EntryGuards.EntryGuard,
  { gaps, holders, own }: Passing
): Effect.Effect<Passing, ChainError> => {
  const isExchange = ({ account }: AdmittedCaller): boolean => tradePlaces.has(account)
  const possible = gives === "rule" ? holders : holders.filter((holder) => !isExchange(holder))
  return Effect.map(
    Together.forEach(possible, (holder) =>
      Effect.map(
        gives === "note"
          ? Effect.map(state.code(holder.account), ({ value }) => Bytecode.isContract(value))
          : Effect.succeed(isExchange(holder)),
        (isUnclear): Passing =>
          isUnclear ? { ...nobody, gaps: [inconclusive(holder.power)] } : { ...nobody, holders: [holder] }
      )
    ),
    (found) => ({
      holders: found.flatMap((each) => each.holders),
      gaps: [...gaps, ...found.flatMap((each) => each.gaps)],
      own
    })
  )
}

/** The account in a variable; none if the variable is not in one known slot. */
const accountIn = (
  state: ChainState["Type"],
  address: Address.Address,
  { field, slot }: Place
): Effect.Effect<Option.Option<Reading.Reading<Address.Address>>, ChainError> =>
  Option.match(StoredVariable.slotOf(slot), {
    onNone: () => Effect.succeedNone,
    onSome: (at) =>
      Effect.map(state.storage(address, at), (word) =>
        Option.some(Reading.map(word, (value) => StoredVariable.accountIn(value, field)))
      )
  })

/** The account that must have signed; none if it is not known, or zero: `ecrecover` answers zero for what is no signature. */
const signerOf = (
  state: ChainState["Type"],
  address: Address.Address,
  { signer }: Guard & { readonly kind: "unknown" }
): Effect.Effect<Option.Option<Reading.Reading<Address.Address>>, ChainError> =>
  signer === undefined
    ? Effect.succeedNone
    : Effect.map(
        accountIn(state, address, signer),
        Option.filter(({ value }) => value !== Address.zero)
      )

const powerOf = ({ selector }: EntryGuards.EntryGuard): string => `function:${selector}`

const inconclusive = (what: string): ControlGap => ({ what, reason: "inconclusive" })

const nobody: Passing = { holders: [], gaps: [], own: [] }

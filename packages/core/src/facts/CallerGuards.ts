import { Context, Effect, Either, Layer, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import * as Address from "../domain/Address.js"
import type { ControlGap } from "../domain/facts/ControlGraph.js"
import * as Access from "../evm/Access.js"
import * as Bytecode from "../evm/Bytecode.js"
import * as Destruction from "../evm/Destruction.js"
import * as Erc20 from "../evm/Erc20.js"
import type { Guard } from "../evm/Guard.js"
import * as Seizure from "../evm/Seizure.js"
import * as Selectors from "../evm/Selectors.js"
import * as Slices from "../evm/Slices.js"
import type { FunctionFlow } from "../evm/StorageFlow.js"
import * as TokenBooks from "../evm/TokenBooks.js"
import { Functions } from "./Functions.js"
import * as Memo from "./Memo.js"
import * as Roles from "./Roles.js"
import { Safe } from "./Safe.js"
import * as StoredVariable from "./StoredVariable.js"

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

  const inSlot = (address: Address.Address, guard: Guard & { readonly kind: "slot" }) =>
    Option.match(StoredVariable.slotOf(guard.slot), {
      onNone: () => Effect.succeedNone,
      onSome: (slot) =>
        Effect.map(state.storage(address, slot), (word) =>
          Option.some(Reading.map(word, (value) => StoredVariable.accountIn(value, guard.field)))
        )
    })

  const admitted = (
    address: Address.Address,
    asked: { readonly guard: Guard; readonly selector: string; readonly isList: boolean; readonly isOwn: boolean }
  ): Effect.Effect<AdmittedCallers, ChainError> => {
    const { guard } = asked
    const power = `function:${asked.selector}`
    const unclear: AdmittedCallers = { holders: [], gaps: [{ what: power, reason: "inconclusive" }] }
    switch (guard.kind) {
      case "constant":
        return Effect.succeed({ holders: [{ power, account: guard.address }], gaps: [] })
      case "slot":
        return Effect.map(
          inSlot(address, guard),
          Option.match({
            onNone: () => unclear,
            onSome: ({ value: account }) => ({
              holders: account === Address.zero ? [] : [{ power, account }],
              gaps: []
            })
          })
        )
      case "entry":
        return Effect.succeed({
          holders: [],
          gaps: asked.isList ? [{ what: `list:${guard.slot}`, reason: "inconclusive" }] : []
        })
      case "unknown":
        return Effect.succeed(guard.always && !asked.isOwn ? unclear : nobody)
    }
  }

  const read = Effect.fn("CallerGuards.of")(function* (address: Address.Address) {
    const itself = yield* safe.of(address)
    if (Option.isSome(itself) && itself.value.value.canonical) {
      // Its code is published and lets nobody through but the Safe itself, its owners and its modules.
      return Reading.map(itself.value, () => nobody)
    }
    const [{ observation, value }, hasRoles] = yield* Effect.all(
      [
        functions.of(address),
        Effect.map(Effect.either(roles.candidates(address)), (found) => Either.isRight(found) && found.right.length > 0)
      ],
      { concurrency: "unbounded" }
    )
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
    const asked = value.logics.flatMap(({ flow }) => {
      const token = TokenBooks.of(flow)
      const sparing = new Set(
        Seizure.of(flow, token)
          .filter(({ kind }) => kind === "bypass")
          .flatMap(({ guards }) => guards.map((guard) => JSON.stringify(guard)))
      )
      return flow.functions.flatMap((entry) =>
        [...entry.writes, ...entry.calls]
          .flatMap(({ guards }) => guards)
          // An owner whom a limit spares has no power by it; one who needs no allowance has.
          .filter(
            (guard) =>
              guard.always ||
              !Erc20.standardSelectors.has(entry.selector) ||
              (entry.selector === Selectors.functions.transferFrom && sparing.has(JSON.stringify(guard)))
          )
          .map((guard) => ({
            guard,
            entry,
            isList:
              guard.kind === "entry" &&
              guard.always &&
              !(hasRoles && guard.slot.split("[k]").length > 2) &&
              !Erc20.standardSelectors.has(entry.selector) &&
              Access.isPrivilege(flow, token, guard)
          }))
      )
    })
    const destroying = ending.flat().flatMap(({ guards, selector }) => guards.map((guard) => ({ guard, selector })))
    const distinct = new Map(
      [
        ...asked.map((each) => ({ ...each, selector: each.entry.selector, isOwn: asksForItself(each.entry) })),
        ...destroying.map((each) => ({ ...each, isList: false, isOwn: false }))
      ].map((each) => [JSON.stringify([each.selector, each.guard]), each])
    )
    const found = yield* Effect.forEach([...distinct.values()], (each) => admitted(address, each), {
      concurrency: "unbounded"
    })
    const isFollowed =
      value.resolved && value.logics.every(({ flow }) => flow.completeness.gaps.every((gap) => gap === "delegatecall"))
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
    of: yield* Memo.make((address: Address.Address) => address, read),
    account: (address, guard) => (guard.kind === "slot" ? inSlot(address, guard) : Effect.succeedNone)
  })
})

/**
 * Reads the slots that the code compares its caller with, in one level after the code.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<CallerGuards, never, ChainState | Safe | Roles.Roles | Functions> = Layer.scoped(
  CallerGuards,
  make
)

const nobody: AdmittedCallers = { holders: [], gaps: [] }

/** Whether a function is for the contract itself, as what a timelock changes about itself. */
const asksForItself = ({ gates }: FunctionFlow): boolean =>
  gates.some(
    ({ about, reads }) => reads.length === 0 && about.length === 2 && about.includes("caller") && about.includes("self")
  )

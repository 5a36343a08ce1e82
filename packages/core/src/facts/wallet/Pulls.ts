/** @internal */

import { Context, Effect, Layer } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Reading } from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { ValueSource } from "../../evm/expression/ValueSource.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import { mayRaise } from "../../evm/summary/conditions/FunctionFlow.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { Call, FunctionFlow, StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Access from "../../evm/token/Access.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import { isFree, isNamed, isSelf, isUnasked, isVacant, sources } from "../code/CallConditions.js"
import { Functions } from "../code/Functions.js"
import { Control } from "../control/Control.js"

/** From which accounts a contract takes tokens by its allowances, as its code says. */
export class Pulls extends Context.Tag("@assay/core/Pulls")<
  Pulls,
  {
    readonly of: (spender: Address) => Effect.Effect<Reading<Pulling>, ChainError>
  }
>() {}

/**
 * What the code says of it.
 *
 * - `own`: only from its caller, on every path of every function.
 * - `anybody`: from any account that the caller names, by any caller. The third kind: the same, where only `controller`
 *   may call.
 * - `unclear`: none of these was seen, and not all that it does could be followed.
 *
 * Only token functions of the standards are recognised.
 */
export type Pulling =
  | { readonly kind: "own" | "unclear" }
  | { readonly kind: "anybody"; readonly selector: FunctionFlow["selector"] }
  | {
      readonly kind: "appointed"
      readonly selector: FunctionFlow["selector"]
      readonly controller: Controller.Controller
    }

const make = Effect.gen(function* () {
  const functions = yield* Functions
  const control = yield* Control

  const read = Effect.fn("Pulls.of")(function* (spender: Address) {
    const own = yield* functions.at(spender)
    // Who runs no other code has none behind him to look for, which would be a level.
    const { observation, value } = Bytecode.runsOtherCode(own.value.reach)
      ? yield* functions.of(spender)
      : { observation: own.observation, value: { logics: [own.value], resolved: true } }
    const found = value.logics.flatMap(({ flow }) => pullsIn(flow))
    const open = found.find(({ by }) => by === "anybody")
    if (open !== undefined) return { value: { kind: "anybody", selector: open.selector } as const, observation }
    const pulls = found.flatMap((pull) => (pull.by === "appointed" ? [pull] : []))
    const appointed = yield* Together.forEach(
      pulls.flatMap(({ guards, selector }) => waysPast(guards).map((way) => ({ selector, way }))),
      ({ selector, way }) =>
        Effect.map(control.throughAll(spender, way), (controller) => ({
          kind: "appointed" as const,
          selector,
          controller
        }))
    )
    // What another contract may say here is up to that one's code, which may serve its own callers.
    const told = appointed.filter(({ controller }) => deciding.has(controller.kind))
    const [worst] = told.sort((a, b) => Controller.exposure(b.controller) - Controller.exposure(a.controller))
    if (worst !== undefined) return { value: worst, observation }
    const isFollowed =
      value.resolved && value.logics.every(({ flow }) => flow.completeness.complete || onlyItself(flow))
    const isOwn =
      isFollowed &&
      value.logics.every(({ reach }) => Bytecode.presence(reach, "ORIGIN") === "absent") &&
      found.every(({ by, isVacant }) => by === "appointed" && !isVacant) &&
      appointed.every(({ controller }) => controller.kind === "dead") &&
      (yield* Together.forEach(
        pulls.flatMap(({ guards }) => waysPast(guards)),
        (way) =>
          isShutForGood(
            spender,
            value.logics.map(({ flow }) => flow),
            way,
            new Set()
          )
      )).every((isShut) => isShut)
    return { value: { kind: isOwn ? "own" : "unclear" } as const, observation }
  })

  /** Whether nobody passes one of some conditions now, nor can be given the required role. */
  const isShutForGood = (
    spender: Address,
    flows: ReadonlyArray<StorageFlow>,
    guards: ReadonlyArray<Guard>,
    entered: ReadonlySet<string>
  ): Effect.Effect<boolean, ChainError> =>
    Effect.map(
      Together.forEach(
        guards.filter((guard) => guard.always),
        (guard) =>
          Effect.gen(function* () {
            if (guard.kind === "slot" && entered.has(guard.slot)) return true
            if ((yield* control.passing(spender, guard)).value.kind !== "dead") return false
            if (guard.kind !== "slot") return guard.kind === "constant"
            const within = new Set([...entered, guard.slot])
            const back = flows.flatMap((flow) =>
              flow.functions.flatMap(({ writes }) =>
                writes.filter((write) => FieldMask.isWritten(write, guard) && mayRaise(write.change))
              )
            )
            const shut = yield* Together.forEach(back, (write) => isShutForGood(spender, flows, write.guards, within))
            return shut.every((isShut) => isShut)
          })
      ),
      (each) => each.some((isShut) => isShut)
    )

  return Pulls.of({ of: yield* OncePerKey.make((spender: Address) => spender, read) })
})

/** Reads nothing of its own but the code of a contract and of what it runs, and who passes its conditions. */
export const layer: Layer.Layer<Pulls, never, Functions | Control> = Layer.scoped(Pulls, make)

/** Those who decide for themselves. */
const deciding: ReadonlySet<Controller.ControllerKind> = new Set([
  "eoa",
  "delegated_eoa",
  "safe",
  "timelock",
  "governor"
])

/** The alternatives of some guards: those on every path together, or else each one by itself. */
const waysPast = (guards: ReadonlyArray<Guard>): ReadonlyArray<ReadonlyArray<Guard>> =>
  guards.some(({ always }) => always) ? [guards] : guards.map((guard) => [{ ...guard, always: true }])

interface Pull {
  readonly selector: FunctionFlow["selector"]
  readonly by: "anybody" | "appointed" | "unclear"
  readonly guards: ReadonlyArray<Guard>
  /** Any caller may be able to give himself the role. */
  readonly isVacant: boolean
}

/** The calls by which a code moves, or may move, what others than its caller have. */
const pullsIn = (flow: StorageFlow): ReadonlyArray<Pull> => {
  const token = TokenBooks.of(flow)
  return flow.functions.flatMap((entry) =>
    entry.calls.flatMap((call): ReadonlyArray<Pull> => {
      const { selector } = entry
      const unclear: ReadonlyArray<Pull> = [{ selector, by: "unclear", guards: [], isVacant: false }]
      if (call.kind === "staticcall") return []
      if (call.kind !== "call") return call.target.every(isSelf) ? [] : unclear
      const source = sourceOf(call)
      if (source === "none") return []
      if (source === "unknown" || !source.some(isNamed)) return unclear
      const guards = Access.privilegesAt(flow, token, call)
      // The check of a callback's pool is such a condition as well.
      if (guards.some(({ kind }) => kind === "unknown")) return unclear
      if (!isUnasked(entry, call)) return unclear
      if (guards.length > 0)
        return [{ selector, by: "appointed", guards, isVacant: guards.some((guard) => isVacant(flow, guard)) }]
      return isFree(entry, call) ? [{ selector, by: "anybody", guards: [], isVacant: false }] : unclear
    })
  )
}

/**
 * The account that a call takes tokens from: only the caller or the contract itself, an account from these places, or
 * unknown.
 */
const sourceOf = ({ order, target }: Call): ReadonlyArray<ValueSource> | "none" | "unknown" => {
  const place = order?.selector === undefined ? undefined : sources.get(order.selector)
  // The caller is paid back or notified; a token that calls may be ordered to move another account's balance.
  if (target.length > 0 && target.every(({ kind }) => kind === "caller") && place === undefined)
    return order?.isUntold === true ? "unknown" : "none"
  if (order?.selector === undefined) return "unknown"
  // A token may have functions of its own that use an allowance. A call without any argument from the caller takes from
  // nobody on his behalf.
  if (place === undefined)
    return harmless.has(order.selector) || ![target, ...order.input].some((origins) => origins.some(isNamed))
      ? "none"
      : "unknown"
  const source = order.input[place] ?? []
  if (source.length === 0) return "unknown"
  return source.every((origin) => origin.kind === "caller" || isSelf(origin)) ? "none" : source
}

const { functions } = Selectors

/** Functions that use the contract's own tokens, or a signature. */
const harmless: ReadonlySet<Hex> = new Set([
  functions.transfer,
  functions.approve,
  functions.increaseAllowance,
  functions.deposit,
  functions.withdraw,
  functions.permit
])

const onlyItself = ({ completeness, delegations }: StorageFlow): boolean =>
  completeness.gaps.every((gap) => gap === "delegatecall") && delegations.every(({ target }) => isSelf(target))

/** @internal */

import { Array as Arrays, Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as Address from "../../domain/Address.js"
import * as Controller from "../../domain/Controller.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as TokenPowers from "../../evm/powers/TokenPowers.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Part from "../../runtime/Part.js"
import * as Slices from "../../runtime/Slices.js"
import * as Together from "../../runtime/Together.js"
import { CodeReadings } from "../code/CodeReadings.js"
import { Functions, type LogicContract, type ResolvedCode } from "../code/Functions.js"
import { Proxy } from "../code/Proxy.js"
import { Control } from "../control/Control.js"
import * as GuardHolders from "../control/GuardHolders.js"
import * as NativeToken from "../native/NativeToken.js"
import * as EndlessArrays from "./EndlessArrays.js"
import * as HookGaps from "./HookGaps.js"
import * as LeverHolders from "./LeverHolders.js"
import * as Power from "./Power.js"
import * as PowerGap from "./PowerGap.js"
import * as PowersInCode from "./PowersInCode.js"

/** Each power over the holders of a token, and the accounts that hold it. */
export type HeldPowers = { readonly [power in TokenPowers.Power]: Power.HeldPower }

/**
 * Who can do what to the holders of a token. It finds accounts that `owner()` does not show, by the slots that the code
 * compares its caller with.
 */
export class Powers extends Context.Tag("@assay/core/Powers")<
  Powers,
  {
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<HeldPowers>, ChainError>
    /** The powers in each code, a level before it is known who holds them. */
    readonly inCode: (token: Address.Address) => Effect.Effect<ReadonlyArray<PowersInCode.PowersInCode>, ChainError>
    /** The accounts that guards name, dead ones included. */
    readonly named: (
      token: Address.Address,
      guards: ReadonlyArray<Guard>
    ) => Effect.Effect<ReadonlyArray<Address.Address>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const control = yield* Control
  const functions = yield* Functions
  const flows = yield* CodeReadings
  const proxy = yield* Proxy

  const inLogic = (code: ResolvedCode, logic: LogicContract) =>
    Effect.flatMap(flows.powers(logic.code, logic.checkers), (findings) =>
      Slices.run(() => PowersInCode.of(code, logic, findings))
    )

  const inCode = yield* OncePerKey.make(
    (token: Address.Address) => token,
    (token): Effect.Effect<ReadonlyArray<PowersInCode.PowersInCode>, ChainError> =>
      Effect.flatMap(functions.of(token), ({ value: code }) =>
        Together.forEach(code.logics, (logic) => inLogic(code, logic))
      )
  )

  /** A code with the libraries that it is linked to. */
  const withLibraries = (code: ResolvedCode, part: PowersInCode.PowersInCode) =>
    Effect.flatMap(
      functions.linked(part.logic),
      Option.match({
        onNone: () => Effect.succeed(part),
        onSome: (logic) => Effect.map(inLogic(code, logic), (linked) => PowersInCode.withLibraries(part, linked))
      })
    )

  /** The address of a code that nobody can have run other code any more. */
  const withoutDelegations = (sources: GuardHolders.Sources, { logic, powers }: PowersInCode.PowersInCode) =>
    Object.values(powers).some(({ gaps }) => gaps.some(isOfDelegation))
      ? Effect.map(GuardHolders.delegatesForNobody(sources, logic), (isOver) => (isOver ? [logic.address] : []))
      : Effect.succeed([])

  /** Whether nobody can replace the code; none if it is not known who can. */
  const isFixed = Effect.fn("Powers.isFixed")(function* (token: Address.Address) {
    const { conflicts, upgrade, upgrade_authority: authority } = (yield* proxy.of(token)).value
    if (upgrade === "none") return Option.some(true)
    if ((upgrade !== "admin" && upgrade !== "beacon") || authority === null || conflicts.length > 0)
      return Option.some(false)
    const { value: controller } = yield* control.classify(authority)
    return controller.kind === "unknown" ? Option.none() : Option.some(Controller.isDead(controller))
  })

  /** Functions that may write any word, and so use any power. */
  const overrunning = (token: Address.Address) =>
    Effect.flatMap(inCode(token), (parts) =>
      Effect.map(
        Together.forEach(parts, ({ logic }) => EndlessArrays.writersOf(state, token, logic.flow)),
        (writers) => writers.flat()
      )
    )

  const read = Effect.fn("Powers.of")(function* (token: Address.Address) {
    const native = yield* NativeToken.of(state, token)
    if (Option.isSome(native)) {
      const { of } = yield* Part.load("powers over the tokens of Tempo", () => import("./NativePowers.js"))
      const held = yield* of(control, token, native.value.value)
      return Reading.map(native.value, (): HeldPowers => held)
    }
    // Beside each other: neither waits for what the other one reads.
    const [found, writers] = yield* Together.all([readHeld(token), overrunning(token)])
    if (writers.length === 0) return found
    const gap = PowerGap.make("write_location", writers)
    return Reading.map(
      found,
      (powers): HeldPowers => TokenPowers.ofEach((name) => ({ ...powers[name], gaps: [...powers[name].gaps, gap] }))
    )
  })

  const readHeld = Effect.fnUntraced(function* (token: Address.Address) {
    const [{ observation, value: code }, parts, fixed] = yield* Together.all([
      functions.of(token),
      inCode(token),
      isFixed(token),
      // Most initializers keep in this slot whether they ran. It is read before it is known that there is one.
      Effect.ignore(state.storage(token, Slots.initializable))
    ])
    const sources: GuardHolders.Sources = { state, control, flows, address: token, logics: code.logics }
    const holders = (power: TokenPowers.Power) =>
      Together.forEach(
        parts.flatMap((part) => part.powers[power].levers.map((lever) => ({ part, lever }))),
        ({ lever, part }) => Effect.map(LeverHolders.of(sources, part, lever), (held) => ({ lever, held }))
      )
    // Libraries are read beside the accounts, not before them, so a lever that a library explains is read for nothing.
    const hooks = parts.flatMap((part) => part.hooks)
    const [held, ended, linked, called] = yield* Together.all([
      Together.all(TokenPowers.ofEach(holders)),
      Together.forEach(parts, (part) => withoutDelegations(sources, part)),
      Together.forEach(parts, (part) => withLibraries(code, part)),
      HookGaps.read({ functions, state, address: token }, hooks)
    ])
    const gapsOfHooks = HookGaps.of(
      hooks,
      called,
      held.pause.flatMap(({ held: one }) => Option.toArray(one))
    )
    const isComplete = code.resolved && parts.length > 0
    const over = new Set(ended.flat())
    const ofPower = (name: TokenPowers.Power): Power.HeldPower => {
      const powers = linked.map((part) => part.powers[name])
      const left = new Set(powers.flatMap(({ levers }) => levers))
      const levers = held[name].flatMap(({ held: one, lever }) => (left.has(lever) ? Option.toArray(one) : []))
      const [others, proven] = Arrays.partition(levers, Power.isProven)
      return {
        levers: [...proven, ...others],
        isOfTransfers: powers.some(({ isOfTransfers }) => isOfTransfers),
        gaps: [
          ...(isComplete ? [] : [PowerGap.make("unresolved")]),
          ...(Option.isSome(fixed) ? [] : [PowerGap.make("unknown_upgrade")]),
          ...linked.flatMap(({ logic, powers: { [name]: power } }) =>
            over.has(logic.address) ? power.gaps.filter((gap) => !isOfDelegation(gap)) : power.gaps
          ),
          ...gapsOfHooks(name)
        ],
        fixed: Option.contains(fixed, true)
      }
    }
    return { value: TokenPowers.ofEach(ofPower), observation }
  })

  const named = (token: Address.Address, guards: ReadonlyArray<Guard>) =>
    Effect.map(
      Together.forEach(guards, (guard) => GuardHolders.accountOf(state, token, guard)),
      (found) => Arrays.dedupe(Arrays.getSomes(found))
    )

  return Powers.of({ of: yield* OncePerKey.make((token: Address.Address) => token, read), inCode, named })
})

const isOfDelegation = ({ reason }: PowerGap.PowerGap): boolean => reason === "delegatecall"

/** Reads the slots that a token's functions compare their caller with, and those that say that a function was used. */
export const layer: Layer.Layer<Powers, never, ChainState | Control | CodeReadings | Functions | Proxy> = Layer.scoped(
  Powers,
  make
)

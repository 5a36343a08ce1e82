/** @internal */

import { Array as Arrays, Effect, Either, Option } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import * as Controller from "../../../domain/Controller.js"
import type * as Document from "../../../domain/facts/CounterfactualSet.js"
import type { Target } from "../../../domain/Target.js"
import { Control } from "../../../facts/control/Control.js"
import * as PlannedChanges from "../../../facts/control/PlannedChanges.js"
import * as Counterfactual from "../../../facts/powers/Counterfactual.js"
import * as Power from "../../../facts/powers/Power.js"
import * as PowerGap from "../../../facts/powers/PowerGap.js"
import { Powers } from "../../../facts/powers/Powers.js"
import * as Together from "../../../runtime/Together.js"
import * as ShortList from "../../ShortList.js"

/**
 * Whether an account holds a power, by the code, the accounts that can call it, and simulation.
 *
 * - `held`: `functions` use the power, proved by the code or by the simulations in `shown`, and `controllers` are
 *   active or unknown. `controller` is the weakest of them. Its delay is 0 where a call of a function is already
 *   scheduled and executes before holders can exit.
 * - `none`: no function of the current code uses the power, or no account can call those that do. `fixed` is true where
 *   the code cannot be replaced.
 * - `open`: undecided; `why` is the reason. `by` is the weakest account that can have the power, none where anyone may
 *   have it.
 *
 * `lost` are functions that may use the power, with a failed simulation and no other one that proved them.
 */
export type PowerDecision =
  | {
      readonly _tag: "held"
      readonly power: Power.HeldPower
      readonly functions: ReadonlyArray<string>
      readonly controllers: ReadonlyArray<Controller.Controller>
      readonly controller: Controller.Controller
      readonly shown: Counterfactual.Tried["called"]
      readonly lost: Counterfactual.Tried["unavailable"]
    }
  | {
      readonly _tag: "none"
      readonly functions: ReadonlyArray<string>
      readonly controllers: ReadonlyArray<Controller.Controller>
      readonly fixed: boolean
    }
  | {
      readonly _tag: "open"
      readonly why: string
      readonly by: Option.Option<Controller.Controller>
      readonly lost: Counterfactual.Tried["unavailable"]
    }

/** A decision that is not open. */
export type Decided = PowerDecision & { readonly _tag: "held" | "none" }

/**
 * Decides whether an account holds one power over the holders of a token.
 *
 * A simulation that shows the effect is proof, whatever is uncertain in the code. A simulation without the effect
 * proves nothing. Where simulation fails, the result of the code stands, except that the callers of a function with a
 * guard that may be bypassed are then unknown.
 */
export const of = (
  target: Target,
  name: Document.TokenPower
): Effect.Effect<PowerDecision, ChainError, Control | Counterfactual.Counterfactual | Powers> =>
  Effect.gen(function* () {
    const control = yield* Control
    const counterfactual = yield* Counterfactual.Counterfactual
    const powers = yield* Powers
    const [{ value: held }, tried] = yield* Together.all([
      powers.of(target.address),
      Effect.either(counterfactual.ofPower(target.address, name))
    ])
    const power = held[name]
    const usable = Power.proven(power).filter((lever) => Power.living(lever).length > 0)
    const called = Either.match(tried, {
      onLeft: () => [],
      onRight: ({ called }) => called.filter(({ value: row }) => row.effect !== "none")
    })
    // A call by the token itself is made by whoever can make it call itself.
    const isByItself = called.some(({ value: row }) => row.controller === target.address)
    const itself = isByItself ? Option.some((yield* control.itself(target.address)).value) : Option.none()
    const able = yield* Together.forEach(called, ({ value: row }) =>
      row.controller === target.address
        ? Effect.succeed(!Option.exists(itself, Controller.isDead))
        : row.controller === null || row.selector === "fallback"
          ? Effect.succeed(true)
          : control.mayCall(row.controller, row.selector)
    )
    const shown = called.filter((_, place) => able[place] === true)
    const callers = yield* Together.forEach(shown, ({ value: row }) =>
      row.controller === target.address ? Effect.succeed(Option.toArray(itself)) : callersOf(control, power, row)
    )
    const failed = allLost(name, power, tried)
    const isUnproved = usable.some((lever) => !lever.shut && failed.some(({ selector }) => selector === lever.selector))
    const controllers = distinct([
      ...callers.flat(),
      ...usable.flatMap(Power.living),
      ...(isUnproved ? [Controller.make("unknown")] : [])
    ])
    const functions = selectorsOf([...usable, ...shown.map(({ value: row }) => row)])
    const controller = yield* weakest(control, target, functions, controllers)
    const proved = new Set(shown.map(({ value: row }) => row.selector))
    const lost = failed.filter(({ selector }) => !proved.has(selector))
    if (Option.isNone(controller)) return unheld(power, lost)
    return { _tag: "held", power, functions, controllers, controller: controller.value, shown, lost }
  })

/** The decision on a power that no account is known to hold. */
const unheld = (power: Power.HeldPower, lost: Counterfactual.Tried["unavailable"]): PowerDecision => {
  const doubts = Power.doubts(power)
  if (doubts.length > 0) return { _tag: "open", why: `${ShortList.format(doubts, 4)} may`, by: Option.none(), lost }
  if (power.gaps.length > 0) {
    const by = Option.all(power.gaps.map((gap) => Option.fromNullable(gap.by)))
    return {
      _tag: "open",
      why: PowerGap.describe(power.gaps),
      by: Option.flatMap(by, (all) => Controller.weakest(all.flat())),
      lost
    }
  }
  // Nobody can call any of them: otherwise one would be held, or a doubt.
  return {
    _tag: "none",
    functions: selectorsOf(power.levers),
    controllers: distinct(power.levers.flatMap(({ controllers }) => controllers)),
    fixed: power.fixed
  }
}

/** The accounts that can call a simulated function: any account, those found in the code, or else the simulated caller. */
const callersOf = (
  control: Control["Type"],
  { levers }: Power.HeldPower,
  row: Document.Counterfactual
): Effect.Effect<ReadonlyArray<Controller.Controller>, ChainError> => {
  if (row.controller === null) return Effect.succeed([Controller.make("eoa")])
  const found = levers.filter(({ selector }) => selector === row.selector).flatMap(Power.living)
  return found.length > 0 ? Effect.succeed(found) : Effect.map(control.classify(row.controller), ({ value }) => [value])
}

/** Why functions could not be simulated. A function that simulation only did not decide is not lost. */
const allLost = (
  power: Document.TokenPower,
  { levers }: Power.HeldPower,
  tried: Either.Either<Counterfactual.Tried, ChainError>
): Counterfactual.Tried["unavailable"] =>
  Either.match(tried, {
    onLeft: ({ detail, reason }) => levers.map(({ selector }) => ({ power, selector, reason, detail })),
    onRight: ({ unavailable }) => unavailable.filter(({ reason }) => reason !== "inconclusive")
  })

/** The weakest controller, without the delay of one that has already scheduled a call of these functions. */
const weakest = (
  control: Control["Type"],
  target: Target,
  functions: ReadonlyArray<string>,
  controllers: ReadonlyArray<Controller.Controller>
): Effect.Effect<Option.Option<Controller.Controller>> =>
  Effect.map(
    controllers.some(Controller.isLate)
      ? Effect.option(Effect.map(control.planned(target.address), PlannedChanges.orNone))
      : Effect.succeedNone,
    (planned) => Controller.weakest(controllers.map(PlannedChanges.hastened(planned, target.address, functions)))
  )

const distinct = (controllers: ReadonlyArray<Controller.Controller>): ReadonlyArray<Controller.Controller> =>
  Arrays.dedupeWith(controllers, (a, b) => a.kind === b.kind && a.address === b.address)

const selectorsOf = (levers: ReadonlyArray<{ readonly selector: string }>): ReadonlyArray<string> =>
  Arrays.dedupe(levers.map(({ selector }) => selector)).sort()

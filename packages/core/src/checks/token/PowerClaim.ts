/** @internal */

import { Array as Arrays, Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import * as Together from "../../chain/Together.js"
import * as Controller from "../../domain/Controller.js"
import type { Severity } from "../../domain/Evidence.js"
import type * as Document from "../../domain/facts/CounterfactualSet.js"
import type { Target } from "../../domain/Target.js"
import { Control } from "../../facts/control/Control.js"
import * as PlannedChanges from "../../facts/control/PlannedChanges.js"
import type * as Token from "../../facts/market/Token.js"
import * as Counterfactual from "../../facts/powers/Counterfactual.js"
import * as PowerGap from "../../facts/powers/PowerGap.js"
import * as Powers from "../../facts/powers/Powers.js"
import * as Check from "../Check.js"
import * as ShortList from "../ShortList.js"
import * as Tradeable from "./Tradeable.js"

/**
 * The value of every claim about a power over holders: the selectors of the functions that use the power, and the
 * accounts that can call them, without duplicates.
 *
 * @since 0.1.0
 * @category schemas
 */
export const value = Schema.Struct({
  functions: Schema.Array(Schema.String),
  controllers: Schema.Array(Controller.Controller)
})

/**
 * The result for one power, from the code, the accounts that can call it, and simulation.
 *
 * - `held`: `functions` use the power, proved by the code or by the simulations in `shown`, and `controllers` are
 *   active or unknown. `controller` is the weakest of them. Its delay is 0 where a call of a function is already
 *   scheduled and executes before holders can exit.
 * - `none`: no function of the current code uses the power, or no account can call those that do. `fixed` is true where
 *   the code cannot be replaced.
 * - `open`: undecided; `why` is the reason.
 *
 * @since 0.1.0
 * @category models
 */
export type Standing =
  | {
      readonly _tag: "held"
      readonly functions: ReadonlyArray<string>
      readonly controllers: ReadonlyArray<Controller.Controller>
      readonly controller: Controller.Controller
      readonly shown: Counterfactual.Tried["called"]
      readonly lost: Counterfactual.Tried["unavailable"]
      readonly power: Powers.HeldPower
    }
  | {
      readonly _tag: "none"
      readonly functions: ReadonlyArray<string>
      readonly controllers: ReadonlyArray<Controller.Controller>
      readonly fixed: boolean
    }
  | { readonly _tag: "open"; readonly why: string }

/**
 * Decides whether a token has one power over its holders.
 *
 * A simulation that shows the effect is proof, whatever is uncertain in the code. A simulation without the effect
 * proves nothing. Where simulation fails, the result of the code stands, except that the callers of a function with a
 * guard that may be bypassed are then unknown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const standing = (
  target: Target,
  name: Document.TokenPower
): Effect.Effect<Standing, ChainError, Control | Counterfactual.Counterfactual | Powers.Powers> =>
  Effect.gen(function* () {
    const control = yield* Control
    const counterfactual = yield* Counterfactual.Counterfactual
    const powers = yield* Powers.Powers
    const [{ value: held }, tried] = yield* Together.all([
      powers.of(target.address),
      Effect.either(counterfactual.ofPower(target.address, name))
    ])
    const power = held[name]
    const called = Either.isRight(tried) ? tried.right.called : []
    const shown = called.filter((reading) => reading.value.effect !== "none")
    const lostOf = (lever: Powers.HeldLever) =>
      Either.isLeft(tried)
        ? [{ power: name, selector: lever.selector, reason: tried.left.reason, detail: tried.left.detail }]
        : tried.right.unavailable.filter((row) => row.selector === lever.selector && row.reason !== "inconclusive")
    const living = power.levers.filter((lever) => Powers.living(lever).length > 0)
    const lost = living.flatMap(lostOf)
    const callers = yield* Together.forEach(
      shown,
      ({ value: row }): Effect.Effect<ReadonlyArray<Controller.Controller>, ChainError> => {
        if (row.controller === null) return Effect.succeed([Controller.make("eoa")])
        const known = [...power.levers, ...power.possible].filter((lever) => lever.selector === row.selector)
        const may = known.flatMap(Powers.living)
        return may.length > 0
          ? Effect.succeed(may)
          : Effect.map(control.classify(row.controller), ({ value: controller }) => [controller])
      }
    )
    const unproved = living.some((lever) => !lever.shut && lostOf(lever).length > 0)
    const controllers = Arrays.dedupeWith(
      [...callers.flat(), ...living.flatMap(Powers.living), ...(unproved ? [Controller.make("unknown")] : [])],
      (a, b) => a.kind === b.kind && a.address === b.address
    )
    const functions = selectorsOf([...living, ...shown.map(({ value: row }) => row)])
    const planned = controllers.some(Controller.isLate)
      ? yield* Effect.option(Effect.map(control.planned(target.address), PlannedChanges.orNone))
      : Option.none()
    const hastened = PlannedChanges.hastened(planned, target.address, functions)
    const controller = Option.getOrUndefined(Controller.weakest(controllers.map(hastened)))
    if (controller !== undefined) {
      return { _tag: "held", functions, controllers, controller, shown, lost, power }
    }
    if (power.doubts.length > 0) return { _tag: "open", why: `${ShortList.format(power.doubts, 4)} may` }
    if (power.gaps.length > 0) return { _tag: "open", why: PowerGap.describe(power.gaps) }
    return {
      _tag: "none",
      functions: selectorsOf(power.levers),
      controllers: Arrays.dedupeWith(
        power.levers.flatMap((lever) => lever.controllers),
        (a, b) => a.kind === b.kind && a.address === b.address
      ),
      fixed: power.fixed
    }
  })

const selectorsOf = (levers: ReadonlyArray<{ readonly selector: string }>): ReadonlyArray<string> =>
  Arrays.dedupe(levers.map(({ selector }) => selector)).sort()

/**
 * The `run` function of a check of one power. `describe` can extend {@link value} and set a severity.
 *
 * The claim does not apply to upgradeable code without such a function: proxy.upgradeable reports the account that can
 * replace the code, and covers every power that new code could have.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run =
  <V extends typeof value.Type>(options: {
    readonly power: Document.TokenPower
    /** The verb phrase for a function that uses the power: "stops transfers". */
    readonly does: string
    readonly describe: (
      target: Target,
      standing: Standing & { readonly _tag: "held" | "none" }
    ) => Effect.Effect<Described<V>, ChainError, Control | Counterfactual.Counterfactual | Powers.Powers>
    /** The verdicts for upgradeable code without such a function; none by default. */
    readonly replaceable?: ReadonlyArray<Check.Undecided> | undefined
  }) =>
  (
    target: Target
  ): Effect.Effect<
    ReadonlyArray<Check.Verdict<V>>,
    ChainError,
    Control | Counterfactual.Counterfactual | Powers.Powers | Token.Token
  > =>
    Effect.gen(function* () {
      const powers = yield* Powers.Powers
      const [isFungible, told] = yield* Together.all([
        Tradeable.fungible(target.address),
        Effect.either(Together.all([standing(target, options.power), powers.of(target.address)]))
      ])
      if (!isFungible) return Check.notApplicable
      const [found, { observation }] = yield* told
      if (found._tag === "open") {
        const seen = { observation: observation() }
        return [
          Check.unknown("inconclusive", `could not decide whether a function ${options.does}: ${found.why}`, seen)
        ]
      }
      if (found._tag === "none" && !found.fixed) return options.replaceable ?? Check.notApplicable
      const described = yield* options.describe(target, found)
      if (found._tag === "none") {
        return [
          Check.refuted({
            value: described.value,
            verified: false,
            observation: observation(),
            controller: found.controllers[0],
            detail:
              found.functions.length === 0
                ? `no function ${options.does}`
                : `no account can call ${listed(found.functions)}`
          })
        ]
      }
      if (described.unmeasured !== undefined) {
        const { detail, reason } = described.unmeasured
        return [Check.unknown(reason, detail, { observation: observation() })]
      }
      const [proof] = found.shown
      return [
        Check.confirmed({
          value: described.value,
          severity: described.severity,
          verified: proof !== undefined,
          observation: (proof ?? { observation }).observation(),
          controller: found.controller,
          detail: detailOf(found, options.does)
        })
      ]
    })

/**
 * The result of a check: its value and severity, or the reason why the severity could not be measured.
 *
 * @since 0.1.0
 * @category models
 */
export interface Described<V> {
  readonly value: V
  readonly severity?: Severity | undefined
  readonly unmeasured?: { readonly reason: ChainError["reason"]; readonly detail: string } | undefined
}

/**
 * The common value of these checks, without additions.
 *
 * @since 0.1.0
 * @category constructors
 */
export const plainly = (
  _: Target,
  { controllers, functions }: Standing & { readonly _tag: "held" | "none" }
): Effect.Effect<Described<typeof value.Type>> => Effect.succeed({ value: { functions, controllers } })

const listed = (selectors: ReadonlyArray<string>): string => ShortList.format(selectors, 3)

const detailOf = (
  { controller, controllers, functions, shown }: Standing & { readonly _tag: "held" },
  does: string
): string => {
  const which = functions.length === 1 ? listed(functions) : `each of ${listed(functions)}`
  const who = `weakest controller: ${controller.address ?? "address unknown"} (${controller.kind})`
  const [proof] = shown
  const seen = proof === undefined ? "" : `; simulation: ${simulated(proof.value, controller)}`
  const planned = controllers.includes(controller)
    ? ""
    : controller.delay_seconds === 0
      ? ", a call is already scheduled"
      : ", scheduled calls unknown"
  return `${which} ${does}; ${who}${planned}${seen}`
}

const simulated = (
  { amount, controller, effect, selector, worst_tax_bps }: Document.Counterfactual,
  weakest: Controller.Controller
): string => {
  const caller = controller === null ? "any account" : controller === weakest.address ? "this controller" : controller
  const call = `${selector} called by ${caller}`
  switch (effect) {
    case "stopped":
      return `${call} stops a holder's transfer that succeeds without the call`
    case "released":
      return `${call} allows a holder's transfer that fails without the call`
    case "taxed":
      return `${call} raises a holder's transfer, sale or purchase tax to ${(worst_tax_bps ?? 0) / 100} %`
    case "minted":
      return `${call} mints ${amount ?? "some"} units`
    case "seized":
      return `${call} takes ${amount ?? "some"} units from an uninvolved account`
    case "bypassed":
      return `${call} moves ${amount ?? "some"} units of an account without an allowance`
    case "none":
      return call
  }
}

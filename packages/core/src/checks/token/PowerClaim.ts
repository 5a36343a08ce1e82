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
import * as Tradeable from "./Tradeable.js"

/**
 * What every claim about a power over holders says: the functions by which it is used, as selectors, and who may call
 * them, each once.
 *
 * @since 0.1.0
 * @category schemas
 */
export const value = Schema.Struct({
  functions: Schema.Array(Schema.String),
  controllers: Schema.Array(Controller.Controller)
})

/**
 * What is known of one power, put together from the code, from who may call it, and from simulation.
 *
 * - `held`: `functions` use it, certainly by the code or as `shown`, and `controllers` are alive or not known. `controller` is
 *   the one to fear most, with no delay where he was told to use one of them and holders cannot leave before he does.
 * - `none`: no function of the present code does, or nobody may call those that do. `fixed` says that this code stays.
 * - `open`: neither can be said, because of `why`.
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
 * Finds out how it stands with one power over a token.
 *
 * Behaviour decides where it shows something: a function that was seen to use a power does, whatever is doubted about its
 * code. Where it shows nothing it says nothing. A fault of the simulation leaves what the code says, except for who may
 * call a function whose conditions could be gone past, which is then not known.
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
    if (power.doubts.length > 0) return { _tag: "open", why: `${power.doubts.join(", ")} may` }
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
 * A check of one power, with more in its value than {@link value} where `describe` says so, and a severity where
 * `describe` grades it.
 *
 * Code that can be replaced, and that has no such function now, is no claim: who may replace it is told by
 * proxy.upgradeable, which stands for every power that another code might have.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run =
  <V extends typeof value.Type>(options: {
    readonly power: Document.TokenPower
    /** What a function does that uses it: "stops transfers". */
    readonly does: string
    readonly describe: (
      target: Target,
      standing: Standing & { readonly _tag: "held" | "none" }
    ) => Effect.Effect<Described<V>, ChainError, Control | Counterfactual.Counterfactual | Powers.Powers>
    /** What to say of code that has no such function and that somebody can replace; nothing by default. */
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
          Check.unknown("inconclusive", `it could not be told whether anything ${options.does}: ${found.why}`, seen)
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
                : `nobody may call ${found.functions.join(", ")}`
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
          detail: detailOf(found)
        })
      ]
    })

/**
 * What a check says of how it stands: its value, a grade, or why it cannot be graded.
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
 * The value that all of these checks have, and nothing beside it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const plainly = (
  _: Target,
  { controllers, functions }: Standing & { readonly _tag: "held" | "none" }
): Effect.Effect<Described<typeof value.Type>> => Effect.succeed({ value: { functions, controllers } })

const detailOf = ({ controller, controllers, functions, shown }: Standing & { readonly _tag: "held" }): string => {
  const who = `${controller.address ?? "an account that was not found"} (${controller.kind})`
  const [proof] = shown
  const seen = proof === undefined ? "" : `; simulated: ${simulated(proof.value)}`
  const told = controllers.includes(controller)
    ? ""
    : controller.delay_seconds === 0
      ? " and was told to"
      : ", of which it could not be told whether it was told to"
  return `by ${functions.join(", ")}, which ${who} may call${told}${seen}`
}

const simulated = ({ amount, controller, effect, selector, worst_tax_bps }: Document.Counterfactual): string => {
  const call = `${selector} called by ${controller ?? "anybody"}`
  switch (effect) {
    case "stopped":
      return `${call} stops a holder's transfer that goes through without it`
    case "released":
      return `${call} lets a holder's transfer through that is stopped without it`
    case "taxed":
      return `${call} leaves ${(worst_tax_bps ?? 0) / 100} % of a holder's transfer behind`
    case "minted":
      return `${call} makes ${amount ?? "some"} units`
    case "seized":
      return `${call} takes ${amount ?? "some"} units off an account that did nothing`
    case "bypassed":
      return `${call} moves ${amount ?? "some"} units of an account that allowed nothing`
    case "none":
      return call
  }
}

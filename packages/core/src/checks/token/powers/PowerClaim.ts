/** @internal */

import { Effect, Option, Schema } from "effect"
import type { ChainError } from "../../../chain/ChainError.js"
import type * as Reading from "../../../chain/state/Reading.js"
import * as Controller from "../../../domain/Controller.js"
import type { Severity } from "../../../domain/Evidence.js"
import type * as Document from "../../../domain/facts/CounterfactualSet.js"
import type { Target } from "../../../domain/Target.js"
import { Proxy } from "../../../facts/code/Proxy.js"
import { Control } from "../../../facts/control/Control.js"
import type * as Token from "../../../facts/market/Token.js"
import type { Counterfactual } from "../../../facts/powers/Counterfactual.js"
import { Powers } from "../../../facts/powers/Powers.js"
import * as Together from "../../../runtime/Together.js"
import * as Check from "../../Check.js"
import * as ShortList from "../../ShortList.js"
import * as Fungible from "../Fungible.js"
import * as PowerDecision from "./PowerDecision.js"

/**
 * The value of every claim about a power over holders: the selectors of the functions that use the power, and the
 * accounts that can call them, without duplicates. `complete` is false where the simulation of a function that may use
 * the power failed, and where members of roles may not have been read.
 */
export const value = Schema.Struct({
  functions: Schema.Array(Schema.String),
  controllers: Schema.Array(Controller.Controller),
  complete: Schema.Boolean
})

/**
 * The `run` function of a check of one power. `describe` can extend {@link value} and set a severity.
 *
 * The claim does not apply to upgradeable code without such a function: proxy.upgradeable reports the account that can
 * replace the code, and covers every power that new code could have.
 */
export const run =
  <V extends typeof value.Type>(claim: Claim<V>) =>
  (
    target: Target
  ): Effect.Effect<
    ReadonlyArray<Check.Verdict<V>>,
    ChainError,
    Control | Counterfactual | Powers | Proxy | Token.Token
  > =>
    Effect.gen(function* () {
      const powers = yield* Powers
      const [isFungible, read] = yield* Together.all([
        Fungible.is(target.address),
        Effect.either(Together.all([PowerDecision.of(target, claim.power), powers.of(target.address)]))
      ])
      if (!isFungible) return Check.notApplicable
      const [decision, { observation }] = yield* read
      if (decision._tag === "open") return [undecided(claim, decision, observation)]
      if (decision._tag === "none" && !decision.fixed)
        return claim.replaceable === undefined
          ? Check.notApplicable
          : [
              Check.unknown("inconclusive", claim.replaceable, {
                observation: observation(),
                controller: Option.getOrUndefined(yield* replacer(target))
              })
            ]
      const described = yield* claim.describe(target, decision)
      return [
        decision._tag === "held"
          ? confirmed(claim, decision, described, observation)
          : refuted(claim, decision, described, observation)
      ]
    })

/** What one check says about its power. */
export interface Claim<V> {
  readonly power: Document.TokenPower
  /** The verb phrase for a function that uses the power: "stops transfers". */
  readonly does: string
  readonly describe: (
    target: Target,
    decision: PowerDecision.Decided
  ) => Effect.Effect<Described<V>, ChainError, Control | Counterfactual | Powers>
  /** Why the claim is unknown for upgradeable code without such a function; it does not apply by default. */
  readonly replaceable?: string | undefined
}

/** The weakest of those who can replace the code; none where there may be others. */
const replacer = (target: Target): Effect.Effect<Option.Option<Controller.Controller>, ChainError, Control | Proxy> =>
  Effect.gen(function* () {
    const control = yield* Control
    const { value: structure } = yield* (yield* Proxy).of(target.address)
    const { accounts, complete } = yield* control.upgraders(target.address)
    if (!complete || structure.conflicts.length > 0) return Option.none()
    const told = yield* Together.forEach(accounts, (account) => control.classify(account))
    return Controller.weakest(told.map(({ value }) => value))
  })

type Observe = Reading.Reading<unknown>["observation"]

const undecided = <V>(
  { does }: Claim<V>,
  { by, why }: PowerDecision.PowerDecision & { readonly _tag: "open" },
  observation: Observe
): Check.Undecided =>
  Check.unknown("inconclusive", `could not decide whether a function ${does}: ${why}`, {
    observation: observation(),
    controller: Option.getOrUndefined(by)
  })

const refuted = <V>(
  { does }: Claim<V>,
  { controllers, functions }: PowerDecision.Decided,
  described: Described<V>,
  observation: Observe
): Check.Verdict<V> =>
  Check.refuted({
    value: described.value,
    verified: false,
    observation: observation(),
    controller: controllers[0],
    detail: functions.length === 0 ? `no function ${does}` : `no account can call ${listed(functions)}`
  })

const confirmed = <V>(
  { does }: Claim<V>,
  decision: PowerDecision.Decided & { readonly _tag: "held" },
  { severity, unmeasured, value }: Described<V>,
  observation: Observe
): Check.Verdict<V> => {
  if (unmeasured !== undefined)
    return Check.unknown(unmeasured.reason, unmeasured.detail, { observation: observation() })
  const [proof] = decision.shown
  return Check.confirmed({
    value,
    severity,
    verified: proof !== undefined || decision.power.isRead === true,
    observation: (proof ?? { observation }).observation(),
    controller: decision.controller,
    detail: detailOf(decision, does)
  })
}

/** The result of a check: its value and severity, or the reason why the severity could not be measured. */
export interface Described<V> {
  readonly value: V
  readonly severity?: Severity | undefined
  readonly unmeasured?: { readonly reason: ChainError["reason"]; readonly detail: string } | undefined
}

/** The common value of these checks, without additions. */
export const plainly = (_: Target, decision: PowerDecision.Decided): Effect.Effect<Described<typeof value.Type>> =>
  Effect.succeed({ value: valueOf(decision) })

/** What is common to the values of these checks. */
export const valueOf = (decision: PowerDecision.Decided): typeof value.Type => ({
  functions: decision.functions,
  controllers: decision.controllers,
  complete:
    decision._tag === "none" ||
    (decision.lost.length === 0 && !decision.power.gaps.some(({ reason }) => reason === "unread_grants"))
})

const listed = (selectors: ReadonlyArray<string>): string => ShortList.format(selectors, 3)

const detailOf = (
  { controller, controllers, functions, shown }: PowerDecision.Decided & { readonly _tag: "held" },
  does: string
): string => {
  const which = functions.length === 1 ? listed(functions) : `each of ${ShortList.format(functions)}`
  const who = `weakest controller: ${named(controller)}`
  const [proof] = shown
  const seen = proof === undefined ? "" : `; simulation: ${simulated(proof.value, controller)}`
  const planned = controllers.includes(controller)
    ? ""
    : controller.delay_seconds === 0
      ? ", a call is already scheduled"
      : ", scheduled calls unknown"
  return `${which} ${does}; ${who}${planned}${seen}`
}

/** A key without an address stands for any account. */
const named = ({ address, kind }: Controller.Controller): string =>
  address === null && kind === "eoa" ? "any account" : `${address ?? "address unknown"} (${kind})`

const simulated = (
  { amount, controller, effect, selector, worst_tax_bps }: Document.Counterfactual,
  weakest: Controller.Controller
): string => {
  const caller = controller === null ? "any account" : controller === weakest.address ? "this controller" : controller
  const call = `${selector} called by ${caller}`
  switch (effect) {
    case "stopped":
      return `${call} stops a holder's transfer that otherwise succeeds`
    case "released":
      return `${call} allows a holder's transfer that otherwise fails`
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

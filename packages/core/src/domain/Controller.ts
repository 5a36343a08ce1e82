import { Option, Schema } from "effect"
import { Address } from "./Address.js"

/**
 * What kind of account holds a power.
 * `dead`: nobody can use it. `unknown`: it could not be found out, which is never read as `dead`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ControllerKind = Schema.Literal(
  "eoa",
  "delegated_eoa",
  "safe",
  "timelock",
  "governor",
  "contract",
  "dead",
  "unknown"
).annotations({ identifier: "ControllerKind" })

/**
 * @since 0.1.0
 * @category models
 */
export type ControllerKind = typeof ControllerKind.Type

/**
 * Who can use a power, followed to the account that decides; the strongest mitigation on the way is kept
 * (`delay_seconds` of a timelock, `threshold` of `signers` of a Safe). A member is null where it does not apply.
 * `complete` is present only where it is false: not every account behind a timelock was found, so `threshold` and
 * `signers` may be missing.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Controller = Schema.Struct({
  kind: ControllerKind,
  address: Schema.NullOr(Address),
  delay_seconds: Schema.NullOr(Schema.NonNegativeInt),
  threshold: Schema.NullOr(Schema.NonNegativeInt),
  signers: Schema.NullOr(Schema.NonNegativeInt),
  complete: Schema.optionalWith(Schema.Literal(false), { exact: true })
}).annotations({ identifier: "Controller" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Controller extends Schema.Schema.Type<typeof Controller> {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  kind: ControllerKind,
  options: {
    readonly address?: Address | undefined
    readonly delaySeconds?: number | undefined
    readonly threshold?: number | undefined
    readonly signers?: number | undefined
  } = {}
): Controller => ({
  kind,
  address: options.address ?? null,
  delay_seconds: options.delaySeconds ?? null,
  threshold: options.threshold ?? null,
  signers: options.signers ?? null
})

/**
 * The same controller, marked as incomplete: not every account behind it was found.
 *
 * @since 0.1.0
 * @category combinators
 */
export const incomplete = (controller: Controller): Controller => ({ ...controller, complete: false })

/**
 * Whether nobody can use what the controller holds.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isDead = ({ kind }: Controller): boolean => kind === "dead"

/**
 * Whether an account behind a controller may not have been found.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isIncomplete = ({ complete, kind }: Controller): boolean => kind === "unknown" || complete === false

/**
 * How long holders need to leave, in seconds: whoever has to wait for less is held up by nothing.
 *
 * @since 0.1.0
 * @category models
 */
export const notice = 2 * 86_400

/**
 * Whether holders can leave before a controller may act.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isLate = ({ delay_seconds: delay }: Controller): boolean => delay !== null && delay >= notice

/**
 * How much of a power's weight is left with this controller, 0 to 1, the strongest mitigation alone: nobody 0.05; a
 * delay of 30 days 0.15, 7 days 0.3, 2 days 0.5; a Safe that is a council (at least 7 signers and 51 %) 0.5, another
 * Safe 0.7; all others, and unknown controllers, 1.
 *
 * @since 0.1.0
 * @category combinators
 */
export const exposure = (controller: Controller): number =>
  controller.kind === "dead"
    ? exposureOfNobody
    : Math.min(exposureOfDelay(controller.delay_seconds), exposureOfSigners(controller))

/**
 * Whether a controller says nothing about who is behind it. A contract of no known kind is one: it may be a timelock or a
 * single key's puppet.
 *
 * @since 0.1.0
 * @category models
 */
export const isUnresolved = (controller: Controller): boolean =>
  controller.kind === "unknown" ||
  controller.kind === "contract" ||
  (controller.kind === "timelock" && controller.delay_seconds === null)

/**
 * The same, where what is not known is as good as it can be.
 *
 * @since 0.1.0
 * @category combinators
 */
export const exposureAtBest = (controller: Controller): number =>
  isUnresolved(controller) ? exposureOfNobody : exposure(controller)

/**
 * The most dangerous controller: a single key first, then an unknown one, then contracts, delays and multisigs, weakest
 * first, and nobody last. None of an empty list.
 *
 * @since 0.1.0
 * @category combinators
 */
export const weakest = (controllers: ReadonlyArray<Controller>): Option.Option<Controller> =>
  Option.fromNullable(
    [...controllers].sort(
      (a, b) =>
        exposure(b) - exposure(a) ||
        exposureAtBest(b) - exposureAtBest(a) ||
        Number(b.kind === "unknown") - Number(a.kind === "unknown") ||
        // Of two with the same weight, the weaker one is reported for both.
        (a.delay_seconds ?? 0) - (b.delay_seconds ?? 0) ||
        (a.threshold ?? 1) - (b.threshold ?? 1) ||
        ((a.address ?? "") < (b.address ?? "") ? -1 : 1)
    )[0]
  )

const day = 86_400
const unmitigated = 1
const exposureOfNobody = 0.05

const exposureOfDelay = (seconds: number | null): number =>
  seconds === null || seconds < notice ? unmitigated : seconds >= 30 * day ? 0.15 : seconds >= 7 * day ? 0.3 : 0.5

const isCouncil = ({ signers, threshold }: Controller): boolean =>
  signers !== null && threshold !== null && signers >= 7 && threshold * 100 >= signers * 51

const exposureOfSigners = (controller: Controller): number =>
  isCouncil(controller) ? 0.5 : controller.kind === "safe" ? 0.7 : unmitigated

import { Schema } from "effect"
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
 *
 * @since 0.1.0
 * @category schemas
 */
export const Controller = Schema.Struct({
  kind: ControllerKind,
  address: Schema.NullOr(Address),
  delay_seconds: Schema.NullOr(Schema.NonNegativeInt),
  threshold: Schema.NullOr(Schema.NonNegativeInt),
  signers: Schema.NullOr(Schema.NonNegativeInt)
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

import { type Brand, Schema } from "effect"

/**
 * An unsigned integer of any size as decimal digits, because JSON numbers lose digits past 2^53.
 *
 * @since 0.1.0
 * @category models
 */
export type Quantity = string & Brand.Brand<"Quantity">

/**
 * @since 0.1.0
 * @category schemas
 */
export const Quantity: Schema.Schema<Quantity, string> = Schema.String.pipe(
  Schema.pattern(/^(0|[1-9][0-9]*)$/, { identifier: "Quantity", description: "An unsigned integer as decimal digits" }),
  Schema.brand("Quantity")
)

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (value: bigint | number): Quantity => value.toString(10) as Quantity

import { Schema } from "effect"

/**
 * Bytes as `0x` and an even or odd run of hex digits, as JSON-RPC carries them.
 *
 * @since 0.1.0
 * @category models
 */
export type Hex = `0x${string}`

/**
 * @since 0.1.0
 * @category schemas
 */
export const Hex: Schema.Schema<Hex> = Schema.TemplateLiteral("0x", Schema.String).pipe(
  Schema.filter((text) => /^0x[0-9a-fA-F]*$/.test(text), {
    identifier: "Hex",
    jsonSchema: { pattern: "^0x[0-9a-fA-F]*$" }
  })
)

/**
 * Number of bytes in a hex string.
 *
 * @since 0.1.0
 * @category combinators
 */
export const size = (hex: Hex): number => Math.ceil((hex.length - 2) / 2)

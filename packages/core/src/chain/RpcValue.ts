/** @internal */

import { Option } from "effect"
import type { Hex } from "../domain/Hex.js"

/**
 * A number as JSON-RPC carries it: hex without leading zeroes.
 *
 * @see https://ethereum.org/en/developers/docs/apis/json-rpc/#quantities-encoding
 * @since 0.1.0
 * @category constructors
 */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/**
 * A hex string as a 32-byte word, padded on the left; more than 32 bytes is the caller's mistake.
 *
 * @since 0.1.0
 * @category constructors
 */
export const word = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`

/**
 * Reads bytes: `0x` and an even run of hex digits, in lower case.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseBytes = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)
    ? Option.some(value.toLowerCase() as Hex)
    : Option.none()

/**
 * Reads a storage word; nodes that leave leading zeroes out are understood, more than 32 bytes is not a word.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseWord = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? Option.some(word(value as Hex)) : Option.none()

/**
 * Reads a hash: exactly 32 bytes, in lower case.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseHash = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)
    ? Option.some(value.toLowerCase() as Hex)
    : Option.none()

/**
 * Reads an unsigned number of at most 256 bits from hex.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseBigInt = (value: unknown): Option.Option<bigint> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? Option.some(BigInt(value)) : Option.none()

/**
 * Reads an unsigned number that JavaScript holds exactly.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseNumber = (value: unknown): Option.Option<number> =>
  Option.filter(Option.map(parseBigInt(value), Number), Number.isSafeInteger)

/**
 * Reads 20 bytes in any case, as lower case; EIP-55 spelling is given where an address leaves `chain/`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseAccount = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)
    ? Option.some(value.toLowerCase() as Hex)
    : Option.none()

/**
 * Reads a JSON object; arrays and null are none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parseRecord = (value: unknown): Option.Option<{ readonly [member: string]: unknown }> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Option.some(value as { readonly [member: string]: unknown })
    : Option.none()

/** @internal */

import { Option } from "effect"
import type { Hex } from "../../domain/Hex.js"

/**
 * A number in JSON-RPC notation: hex without leading zeroes.
 *
 * @see https://ethereum.org/en/developers/docs/apis/json-rpc/#quantities-encoding
 */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** A hex string as a 32-byte word, padded on the left. More than 32 bytes is a defect of the caller. */
export const word = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`

/** Decodes bytes: `0x` and an even number of hex digits, to lower case. */
export const parseBytes = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)
    ? Option.some(value.toLowerCase() as Hex)
    : Option.none()

/** Reads the code of an account. Some nodes give a zero word, a zero or an empty text for an account without code. */
export const parseCode = (value: unknown): Option.Option<Hex> =>
  value === "" || value === "0x0" || value === noCode ? Option.some("0x") : parseBytes(value)

const noCode = `0x${"0".repeat(64)}`

/** Decodes a storage word. Missing leading zeroes are accepted, more than 32 bytes are not. */
export const parseWord = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? Option.some(word(value as Hex)) : Option.none()

/** Decodes a hash: exactly 32 bytes, to lower case. */
export const parseHash = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)
    ? Option.some(value.toLowerCase() as Hex)
    : Option.none()

/** Decodes an unsigned number of at most 256 bits from hex. */
export const parseBigInt = (value: unknown): Option.Option<bigint> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? Option.some(BigInt(value)) : Option.none()

/** Decodes an unsigned number that JavaScript can represent exactly. */
export const parseNumber = (value: unknown): Option.Option<number> =>
  Option.filter(Option.map(parseBigInt(value), Number), Number.isSafeInteger)

/** Decodes 20 bytes in any case, to lower case. EIP-55 checksums are applied where an address leaves `chain/`. */
export const parseAccount = (value: unknown): Option.Option<Hex> =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)
    ? Option.some(value.toLowerCase() as Hex)
    : Option.none()

/** Decodes a JSON object; arrays and null are none. */
export const parseRecord = (value: unknown): Option.Option<{ readonly [member: string]: unknown }> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Option.some(value as { readonly [member: string]: unknown })
    : Option.none()

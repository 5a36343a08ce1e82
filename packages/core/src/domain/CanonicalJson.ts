import canonicalize from "canonicalize"
import { Encoding } from "effect"
import { sha256 } from "#sha256"
import type { Hex } from "./Hex.js"

// Its declaration says `export default` of a module that is CommonJS, which NodeNext reads as a namespace.
const serialize = canonicalize as unknown as (value: unknown) => string | undefined

/**
 * The one spelling of a JSON value; members that are `undefined` are left out.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8785
 * @since 0.1.0
 * @category constructors
 */
export const stringify = (value: unknown): string => serialize(value) ?? "null"

/**
 * SHA-256 over the UTF-8 bytes of the canonical JSON of a value. By the platform: an analysis hashes some 400 kB, which takes
 * a hash written in JavaScript 3 ms.
 *
 * @since 0.1.0
 * @category constructors
 */
export const hash = (value: unknown): Hex => `0x${Encoding.encodeHex(sha256(stringify(value)))}`

/**
 * The same value with every list in it sorted and without repetitions, so that two lists of the same members are equal.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unordered = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const members = new Map(value.map(unordered).map((member) => [stringify(member), member]))
    return [...members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, member]) => member)
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unordered(member)]))
}

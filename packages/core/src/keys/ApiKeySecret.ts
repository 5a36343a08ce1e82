import { type Brand, Effect, Option, Redacted } from "effect"
import * as Hash from "ox/Hash"
import type { Hex } from "../domain/Hex.js"
import { Entropy } from "./Entropy.js"

/**
 * The secret of an API key: `asy_`, 32 random Base62 characters (190 bits), and 6 characters of a CRC-32 of all before.
 * A mistyped or invented secret is refused without a look-up, and a leaked one is found by its pattern.
 *
 * @since 0.1.0
 * @category models
 */
export type ApiKeySecret = string & Brand.Brand<"ApiKeySecret">

const prefix = "asy_"
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 32
// 62^6 > 2^32: six characters can hold every CRC-32.
const checksumLength = 6
const shape = /^asy_[0-9A-Za-z]{38}$/

/**
 * Generates a new secret.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Redacted.Redacted<ApiKeySecret>, never, Entropy> = Effect.gen(function* () {
  const entropy = yield* Entropy
  let random = ""
  while (random.length < randomLength) random += symbols(yield* entropy.bytes(randomLength))
  return Redacted.make(fromRandom(random.slice(0, randomLength)))
})

/**
 * Parses what a caller presented as a secret; none if its format or its checksum is wrong.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (text: Redacted.Redacted<string>): Option.Option<Redacted.Redacted<ApiKeySecret>> => {
  const presented = Redacted.value(text)
  return shape.test(presented) && fromRandom(randomOf(presented)) === presented
    ? Option.some(Redacted.make(presented as ApiKeySecret))
    : Option.none()
}

/**
 * Adds prefix and checksum to 32 Base62 characters. The caller is responsible for their number and randomness.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromRandom = (random: string): ApiKeySecret => {
  const body = prefix + random
  return `${body}${base62(crc32(body))}` as ApiKeySecret
}

/**
 * The Base62 characters of random bytes. Bytes at or above the last whole multiple of 62 are skipped: a remainder of
 * all 256 values would make the first eight characters more likely.
 *
 * @since 0.1.0
 * @category combinators
 */
export const symbols = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) if (byte < 256 - (256 % 62)) text += alphabet.charAt(byte % 62)
  return text
}

/**
 * The part of a secret that stays visible: the first and last four of its random characters.
 *
 * @since 0.1.0
 * @category combinators
 */
export const hint = (secret: Redacted.Redacted<ApiKeySecret>): string => {
  const random = randomOf(Redacted.value(secret))
  return `${prefix}${random.slice(0, 4)}…${random.slice(-4)}`
}

/**
 * The SHA-256 of the whole secret, as stored (scheme 1). A slow hash would add nothing to 190 random bits.
 *
 * @since 0.1.0
 * @category combinators
 */
export const hash = (secret: Redacted.Redacted<ApiKeySecret>): Hex =>
  Hash.sha256(new TextEncoder().encode(Redacted.value(secret)), { as: "Hex" })

const randomOf = (secret: string): string => secret.slice(prefix.length, prefix.length + randomLength)

const base62 = (value: number): string => {
  let rest = value
  let text = ""
  for (let index = 0; index < checksumLength; index++) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/**
 * CRC-32 of ASCII text, with the reflected polynomial 0xEDB88320.
 *
 * @see https://www.rfc-editor.org/rfc/rfc1952#section-8
 * @since 0.1.0
 * @category combinators
 */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

import { type Brand, Either, Schema } from "effect"
import * as OxAddress from "ox/Address"
import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { Hex } from "./Hex.js"

/**
 * A 20-byte account address in its EIP-55 spelling, so that two equal addresses are the same string.
 *
 * @see https://eips.ethereum.org/EIPS/eip-55
 * @since 0.1.0
 * @category models
 */
export type Address = Hex & Brand.Brand<"Address">

const isChecksummed = (text: string): boolean =>
  OxAddress.validate(text, { strict: true }) && checksum(text as Hex) === text

/**
 * @since 0.1.0
 * @category schemas
 */
export const Address: Schema.Schema<Address, Hex> = Schema.TemplateLiteral("0x", Schema.String).pipe(
  Schema.filter((text) => isChecksummed(text), {
    identifier: "Address",
    description: "An address in its EIP-55 spelling",
    jsonSchema: { pattern: "^0x[0-9a-fA-F]{40}$" }
  }),
  Schema.brand("Address")
)

/**
 * Gives 20 bytes of hex, in any case, their EIP-55 spelling; 40 hex digits are the caller's duty.
 *
 * @since 0.1.0
 * @category constructors
 */
export const checksum = (hex: Hex): Address => OxAddress.checksum(hex) as Address

/**
 * Takes the low 20 bytes of a 32-byte word, as contracts return addresses.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromWord = (word: Hex): Address => checksum(`0x${word.slice(2).padStart(64, "0").slice(-40)}`)

/**
 * Reads what a person typed: all lower, all upper, correct EIP-55, or EIP-1191 of Rootstock (chains 30 and 31), the
 * only form that its wallets show. A wrong mixed case is refused.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1191
 * @since 0.1.0
 * @category constructors
 */
export const parse = (text: string): Either.Either<Address, AddressRefused> => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    return Either.left(new AddressRefused({ reason: "bad_address", text: text.slice(0, 64) }))
  const digits = text.slice(2)
  const canonical = checksum(text.toLowerCase() as Hex)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase() || canonical === text || isEip1191(text))
    return Either.right(canonical)
  return Either.left(new AddressRefused({ reason: "bad_checksum", text }))
}

const isEip1191 = (text: string): boolean =>
  rootstock.some((chainId) => {
    const lower = text.toLowerCase()
    const hash = Hash.keccak256(OxHex.fromString(`${chainId}${lower}`)).slice(2)
    return [...text].every((letter, place) => {
      const plain = lower.charAt(place)
      return letter === (place > 1 && Number.parseInt(hash.charAt(place - 2), 16) >= 8 ? plain.toUpperCase() : plain)
    })
  })

const rootstock = [30, 31]

/**
 * The address 0x0…0; a value that chains return, never this library's way to say "none".
 *
 * @since 0.1.0
 * @category constructors
 */
export const zero: Address = checksum(`0x${"0".repeat(40)}`)

/**
 * The text is no address, or its mixed case contradicts EIP-55.
 *
 * @since 0.1.0
 * @category errors
 */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {
  reason: Schema.Literal("bad_address", "bad_checksum"),
  text: Schema.String
}) {
  override get message(): string {
    const text = JSON.stringify(this.text)
    return this.reason === "bad_address"
      ? `${text} is no address: 0x and 40 hex digits. Names are not resolved.`
      : `${text} has a wrong checksum (EIP-55): copy it again, or write it in lower case.`
  }
}

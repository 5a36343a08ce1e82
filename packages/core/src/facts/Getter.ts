/** @internal */

import { Effect, Option } from "effect"
import * as OxBytes from "ox/Bytes"
import { ChainError } from "../chain/ChainError.js"
import type { ChainState } from "../chain/state/ChainState.js"
import * as Reading from "../chain/state/Reading.js"
import * as Address from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Selectors from "../evm/bytecode/Selectors.js"
import * as HostileText from "./HostileText.js"

/**
 * What a getter gave; none where the contract has no such getter: it reverted, returned nothing, or returned bytes that
 * are not of its type. None says that the getter is absent and nothing else.
 */
export type Answer<A> = Reading.Reading<Option.Option<A>>

/**
 * Decodes return data as one type; none where it is malformed. It reads a bounded part of the bytes and never throws.
 */
export type Decoder<A> = (data: Hex) => Option.Option<A>

/** Calls a getter. `arguments` are 32-byte words (see {@link word}). */
export const read = <A>(
  state: ChainState["Type"],
  to: Address.Address,
  selector: Hex,
  decode: Decoder<A>,
  args: ReadonlyArray<Hex> = []
): Effect.Effect<Answer<A>, ChainError> =>
  Effect.map(state.call({ to, data: calldata(selector, args) }), (reading) =>
    Reading.map(reading, (outcome) => (outcome._tag === "Returned" ? decode(outcome.data) : Option.none()))
  )

/**
 * Calls a getter that names an account. A longer answer than one word is not absent: callers take its first word, which is
 * the account where it can be one. Fails as `inconclusive` where that word is zero or so small that it is an offset, as of a
 * list.
 */
export const account = (
  state: ChainState["Type"],
  to: Address.Address,
  selector: Hex
): Effect.Effect<Answer<Address.Address>, ChainError> =>
  Effect.flatMap(state.call({ to, data: calldata(selector) }), (reading) => {
    const { value } = reading
    const data = value._tag === "Returned" ? value.data : "0x"
    if (data.length <= 66) return Effect.succeed(Reading.map(reading, () => address(data)))
    const first = Option.flatMap(wordAt(data, 0), addressOfWord)
    return Option.exists(first, (named) => BigInt(named) <= mostOffset)
      ? Effect.fail(
          new ChainError({
            reason: "inconclusive",
            method: "eth_call",
            retryable: false,
            detail: `the getter ${selector} of ${to} answers ${(data.length - 2) / 2} bytes, which do not name one account`
          })
        )
      : Effect.succeed(Reading.map(reading, () => first))
  })

// An answer longer than that costs more gas than there is.
const mostOffset = 0xffffn

/** A selector followed by argument words. */
export const calldata = (selector: Hex, args: ReadonlyArray<Hex> = []): Hex =>
  `0x${[selector, ...args].map((part) => part.slice(2)).join("")}`

/** A number, or the bytes of an address, as a 32-byte argument word. */
export const word = (value: bigint | Hex): Hex =>
  `0x${(typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0")}`

/** `bytes4` as an argument word: its bytes come first. */
export const leftAligned = (bytes: Hex): Hex => `0x${bytes.slice(2).toLowerCase().padEnd(64, "0")}`

/** An unsigned integer of up to 256 bits. */
export const uint: Decoder<bigint> = (data) => Option.map(wordAt(data, 0), BigInt)

/** An integer that fits a JavaScript number. */
export const int: Decoder<number> = (data) =>
  Option.filterMap(uint(data), (value) =>
    value <= BigInt(Number.MAX_SAFE_INTEGER) ? Option.some(Number(value)) : Option.none()
  )

/** A truth value: a word of 0 or 1 and no other. */
export const bool: Decoder<boolean> = (data) =>
  Option.filterMap(uint(data), (value) => (value <= 1n ? Option.some(value === 1n) : Option.none()))

/** The answer word by word, at most 4,096 of them. */
export const words: Decoder<ReadonlyArray<bigint>> = (data) =>
  Option.some(
    Array.from({ length: Math.min(Math.floor((data.length - 2) / 64), 4_096) }, (_, place) =>
      BigInt(`0x${data.slice(2 + 64 * place, 66 + 64 * place)}`)
    )
  )

/** An address: exactly one word with zero in its upper 12 bytes. */
export const address: Decoder<Address.Address> = (data) =>
  data.length === 66 ? Option.flatMap(wordAt(data, 0), addressOfWord) : Option.none()

/** A list of addresses, at most 256 of them. */
export const addresses: Decoder<ReadonlyArray<Address.Address>> = (data) => addressesAt(data, 0)

/** A list of addresses that the `place`-th word of the answer points to. */
const addressesAt = (data: Hex, place: number): Option.Option<ReadonlyArray<Address.Address>> =>
  Option.gen(function* () {
    const start = yield* offsetAt(data, place)
    const length = yield* lengthAt(data, start, 256)
    const found: Array<Address.Address> = []
    for (let i = 0; i < length; i++)
      found.push(yield* Option.flatMap(wordAt(data, start + 32 * (i + 1)), addressOfWord))
    return found
  })

/** A text as `string`, or as the `bytes32` that tokens before 2018 return; cleaned for show. */
export const text: Decoder<string> = (data) => Option.map(writtenText(data), ({ text }) => HostileText.clean(text))

/**
 * A text as a contract wrote it, at most its first 1024 bytes of `size`. It is for judging: only what {@link text} gives
 * may be shown.
 */
export interface WrittenText {
  readonly text: string
  readonly size: number
}

/** A text as `string` or `bytes32`, with every character that the contract put into it. */
export const writtenText: Decoder<WrittenText> = (data) => (data.length === 66 ? fixedText(data) : string(data))

/**
 * The words of a revert by `require` or `revert` (`Error(string)`), cleaned for show; empty where it has none.
 *
 * @see https://docs.soliditylang.org/en/latest/control-structures.html#revert
 */
export const revertReason = (data: Hex): string =>
  data.startsWith(errorSelector)
    ? Option.match(string(`0x${data.slice(10)}`), { onNone: () => "", onSome: ({ text }) => HostileText.clean(text) })
    : ""

/** The address in a 32-byte word; none where its upper 12 bytes are not zero. */
export const addressOfWord = (value: Hex): Option.Option<Address.Address> =>
  /^0x0{24}[0-9a-f]{40}$/i.test(value) ? Option.some(Address.fromWord(value)) : Option.none()

/** The address that a storage word holds; none where the word is zero or no address. */
export const storedAddress = (value: Hex): Option.Option<Address.Address> =>
  Option.filter(addressOfWord(value), (found) => found !== Address.zero)

/** The 32 bytes at a byte offset of an answer. */
export const wordAt = (data: Hex, offset: number): Option.Option<Hex> => {
  const start = 2 + 2 * offset
  return data.length >= start + 64 ? Option.some<Hex>(`0x${data.slice(start, start + 64)}`) : Option.none()
}

/** The byte offset that the `place`-th word of an answer points to. */
export const offsetAt = (data: Hex, place: number): Option.Option<number> =>
  Option.filterMap(wordAt(data, 32 * place), (value) =>
    BigInt(value) < BigInt(data.length) ? Option.some(Number(BigInt(value))) : Option.none()
  )

/** The length stored at a byte offset, where it is at most `most`. */
export const lengthAt = (data: Hex, offset: number, most: number): Option.Option<number> =>
  Option.filterMap(wordAt(data, offset), (value) =>
    BigInt(value) <= BigInt(most) ? Option.some(Number(BigInt(value))) : Option.none()
  )

const errorSelector = Selectors.selector("Error(string)")

const string: Decoder<WrittenText> = (data) =>
  Option.gen(function* () {
    const start = yield* offsetAt(data, 0)
    // A text of a megabyte is still a text; only its beginning is decoded.
    const length = yield* lengthAt(data, start, Number.MAX_SAFE_INTEGER)
    if (start % 32 !== 0 || data.length < 2 + 2 * (start + 32 + length)) return yield* Option.none()
    const from = 2 + 2 * (start + 32)
    return { text: utf8(`0x${data.slice(from, from + 2 * Math.min(length, 1024))}`), size: length }
  })

const fixedText: Decoder<WrittenText> = (data) => {
  const content = data.slice(2).replace(/(?:00)+$/, "")
  return content.length === 0
    ? Option.none()
    : Option.some({ text: utf8(`0x${content}`), size: Math.ceil(content.length / 2) })
}

const utf8 = (bytes: Hex): string => decoder.decode(OxBytes.fromHex(bytes))

const decoder = new TextDecoder("utf-8", { fatal: false })

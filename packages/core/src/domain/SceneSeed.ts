/** @internal */

import * as Hash from "ox/Hash"
import * as Address from "./Address.js"
import type { Hex } from "./Hex.js"

/**
 * What the values of a simulated scene are derived from: the same token at the same block gives the same accounts and
 * the same blocks. Stored documents are packed by these rules (`BlockTemplate`), which shortens them only while the rules
 * are the same.
 */
export interface SceneSeed {
  readonly token: Address.Address
  readonly blockHash: Hex
}

/**
 * A fresh account without a known private key. Even ones begin with a low digit, odd ones with a high one. None has a zero
 * byte, which costs less gas in a transaction than others: so a simulation takes the same gas at every block.
 */
export const account = (seed: SceneSeed, index: number): Address.Address =>
  Address.checksum(withoutZeroBytes(digitsOf(seed, index)))

/** The same by an earlier rule, which documents are packed by, in small letters. */
export const accountWithZeroBytes = (seed: SceneSeed, index: number): Hex => digitsOf(seed, index)

/** An address in small letters with `01` in the place of each zero byte. */
export const withoutZeroBytes = (address: Hex): Hex =>
  `0x${address.slice(2).replace(/../g, (byte) => (byte === "00" ? "01" : byte))}`

const digitsOf = ({ blockHash, token }: SceneSeed, index: number): Hex => {
  const digest = Hash.keccak256(`0x${token.slice(2)}${blockHash.slice(2)}${word(index)}` as Hex)
  const first = (Number.parseInt(digest.slice(26, 27), 16) & 7) | (index % 2 === 0 ? 0 : 8)
  return `0x${first.toString(16)}${digest.slice(27)}`
}

/**
 * The numbers of the accounts of a scene, by what each does: `buyer` and `peer` are the first of {@link mostBuyers}.
 */
export const accounts = {
  buyer: 0,
  /** Contracts that trade now, in a month, and in a year, and the receivers of their transfers. */
  trader: 10,
  traderInAMonth: 11,
  traderInAYear: 12,
  traderPeer: 20,
  constructorPeer: 30,
  peer: 50,
  feeRecipient: 100,
  clerk: 101,
  controller: 102,
  /** Of a pool that exists only in the simulation. */
  provider: 103,
  control: 104,
  /** Trades in pools of a manager, where no router of the exchange is known. */
  router: 105,
  /** A holder with a balance by state override, and the accounts around it. */
  holder: 200,
  holderPeer: 201,
  holderBuyer: 202,
  holderStranger: 203,
  holderReceiver: 204,
  holderBystander: 205,
  holderReader: 206
} as const

/** The most buyers of a scene: ten, and two at each of eight moments. */
export const mostBuyers = 26

/**
 * The random number of a simulated block that begins some seconds after the pinned one. No two blocks have the same, and a
 * token can compare.
 */
export const prevRandao = ({ blockHash }: Pick<SceneSeed, "blockHash">, seconds: number): Hex =>
  Hash.keccak256(`${blockHash}${word(seconds)}` as Hex)

const word = (value: number): string => value.toString(16).padStart(64, "0")

/** What simulated accounts own ends as their address does: this end, in wei. */
export const tailOf = (owner: string): bigint => BigInt(`0x${owner.slice(-12)}`)

/**
 * Where words of 40 digits, such as accounts, stand among the arguments of calls in a text: after zeros, which may be more than
 * those of its own word, or begin it.
 */
export const amongArguments = <A>(
  text: string,
  words: ReadonlyMap<string, A>
): ReadonlyArray<{ readonly start: number; readonly end: number; readonly by: A }> => {
  const found: Array<{ readonly start: number; readonly end: number; readonly by: A }> = []
  let done = 0
  for (const { 0: zeros, index } of text.matchAll(/0{24,}/g)) {
    const after = index + zeros.length
    for (const start of [after, after - 1, after - 2]) {
      const by = start < done ? undefined : words.get(text.slice(start, start + 40))
      if (by === undefined) continue
      done = start + 40
      found.push({ start, end: done, by })
      break
    }
  }
  return found
}

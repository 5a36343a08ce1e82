/** @internal */

import * as Hash from "ox/Hash"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import type { Variable } from "../../evm/summary/StorageFlow.js"
import * as Getter from "../Getter.js"

/** Storage words by slot, for the `stateDiff` of a token in a simulation. */
export interface Words {
  readonly [slot: string]: Hex
}

/**
 * The words that allow a spender an amount of an owner's tokens; empty where the allowances are not one mapping of whole words
 * by owner and spender. Vyper hashes the slot before the key, as with balances.
 */
export const ofAllowance = (
  allowances: ReadonlyArray<Variable>,
  options: { readonly owner: Address; readonly spender: Address; readonly amount: bigint }
): Words => {
  const [book] = allowances
  if (book === undefined || allowances.length > 1 || book.mask !== wholeWord) return {}
  const root = /^0x([0-9a-f]+)\[k\]\[k\]$/.exec(book.slot)?.[1]
  if (root === undefined) return {}
  const [owner, spender, slot] = [
    Getter.word(options.owner),
    Getter.word(options.spender),
    Getter.word(BigInt(`0x${root}`))
  ]
  const word = Getter.word(options.amount)
  return {
    [Slots.mapping(spender, Slots.mapping(owner, slot))]: word,
    [Slots.mapping(Slots.mapping(slot, owner), spender)]: word
  }
}

const wholeWord = `0x${"f".repeat(64)}`

/**
 * The storage words that give an account an amount of a token, in its smallest units; empty where the balances are not
 * one mapping by account. Vyper hashes the slot before the key and Solidity after it, so both words are set: the other
 * one belongs to nobody.
 *
 * @see https://github.com/Vectorized/solady/blob/main/src/tokens/ERC20.sol the account, then a seed in twelve bytes
 */
export const of = (balances: ReadonlyArray<Variable>, account: Address, amount: bigint): Words => {
  const [book] = balances
  if (book === undefined || balances.length > 1) return {}
  const mask = BigInt(book.mask)
  const word = Getter.word((amount * (mask & -mask)) & mask)
  const root = /^0x([0-9a-f]+)\[k\]$/.exec(book.slot)?.[1]
  if (root !== undefined) {
    const [key, slot] = [Getter.word(account), Getter.word(BigInt(`0x${root}`))]
    return { [Slots.mapping(key, slot)]: word, [Slots.mapping(slot, key)]: word }
  }
  const seed = /^#([0-9a-f]+)\[k\]$/.exec(book.slot)?.[1]
  return seed === undefined
    ? {}
    : { [Hash.keccak256(`0x${account.slice(2).toLowerCase()}${seed.padStart(24, "0")}`)]: word }
}

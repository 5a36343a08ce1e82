/** @internal */

import { BigInt as BigInts, Option } from "effect"
import type { Log } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Getter from "../Getter.js"

/**
 * What the transfers of one token add up to. A negative sum means that the account had a balance before the first of
 * them, or got tokens without an event. `readable` is false where a transfer was not one of a fungible token.
 */
export interface Ledger {
  readonly balances: ReadonlyMap<Address.Address, bigint>
  readonly readable: boolean
}

/**
 * Adds up transfers. What comes from the zero address is new, and what goes there is no more.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 */
export const of = (transfers: ReadonlyArray<Log>): Ledger => {
  const byWord = new Map<Hex, bigint>()
  let readable = true
  for (const { data, topics } of transfers) {
    const [, from, to] = topics
    if (topics.length !== 3 || data.length !== 66 || from === undefined || to === undefined) {
      readable = false
      continue
    }
    const amount = BigInt(data)
    byWord.set(from, (byWord.get(from) ?? 0n) - amount)
    byWord.set(to, (byWord.get(to) ?? 0n) + amount)
  }
  const balances = new Map<Address.Address, bigint>()
  for (const [word, balance] of byWord) {
    const address = Getter.addressOfWord(word)
    if (Option.isNone(address)) readable = false
    else if (address.value !== Address.zero) balances.set(address.value, balance)
  }
  return { balances, readable }
}

/**
 * The accounts that hold or held something, those with the largest sums first, whichever their sign: with the oldest
 * transfers missing, the sign says little and the size much.
 */
export const largest = ({ balances }: Ledger): ReadonlyArray<Address.Address> =>
  [...balances]
    .filter(([, balance]) => balance !== 0n)
    .map(([address, balance]) => ({ address, size: balance < 0n ? -balance : balance }))
    .sort((a, b) => (a.size === b.size ? (a.address < b.address ? -1 : 1) : a.size > b.size ? -1 : 1))
    .map(({ address }) => address)

/**
 * How much other accounts have from the givers, without minting, directly or through further accounts: an account that
 * sends passes on first what came from the givers. Transfers to one of `ends` count for nobody. Transfers are oldest
 * first.
 */
export const passedOn = (
  transfers: ReadonlyArray<Log>,
  givers: ReadonlySet<Address.Address>,
  ends: ReadonlySet<Address.Address>
): ReadonlyMap<Address.Address, bigint> => {
  const passed = new Map<Address.Address, bigint>()
  const accountIn = (word: Hex | undefined) => Option.flatMap(Option.fromNullable(word), Getter.addressOfWord)
  for (const { data, topics } of transfers) {
    const [, from, to] = topics.map((word) => Option.getOrUndefined(accountIn(word)))
    if (topics.length !== 3 || data.length !== 66 || from === undefined || to === undefined) continue
    if (from === Address.zero) continue
    const amount = BigInt(data)
    const had = passed.get(from) ?? 0n
    const moved = givers.has(from) ? amount : BigInts.min(had, amount)
    if (!givers.has(from)) passed.set(from, had - moved)
    if (!givers.has(to) && !ends.has(to)) passed.set(to, (passed.get(to) ?? 0n) + moved)
  }
  return passed
}

/**
 * How much other accounts have straight from the givers, or through a contract that passed it on in the same
 * transaction. An account that sends passes on first what came from the givers, and transfers to one of `ends` count
 * for nobody. Transfers are oldest first.
 */
export const handedOut = (
  transfers: ReadonlyArray<Log>,
  givers: ReadonlySet<Address.Address>,
  ends: ReadonlySet<Address.Address>
): ReadonlyMap<Address.Address, bigint> => {
  const handed = new Map<Address.Address, bigint>()
  let passing = { transaction: "", amounts: new Map<Address.Address, bigint>() }
  const accountIn = (word: Hex | undefined) => Option.flatMap(Option.fromNullable(word), Getter.addressOfWord)
  for (const { data, topics, transactionHash } of transfers) {
    const [, from, to] = topics.map((word) => Option.getOrUndefined(accountIn(word)))
    if (topics.length !== 3 || data.length !== 66 || from === undefined || to === undefined || from === to) continue
    if (passing.transaction !== transactionHash) passing = { transaction: transactionHash, amounts: new Map() }
    const amount = BigInt(data)
    const had = handed.get(from) ?? 0n
    handed.set(from, had - BigInts.min(had, amount))
    const passed = passing.amounts.get(from) ?? 0n
    const moved = givers.has(from) ? amount : BigInts.min(passed, amount)
    passing.amounts.set(from, passed - BigInts.min(passed, amount))
    if (moved === 0n || givers.has(to) || ends.has(to) || to === Address.zero) continue
    handed.set(to, (handed.get(to) ?? 0n) + moved)
    passing.amounts.set(to, (passing.amounts.get(to) ?? 0n) + moved)
  }
  return new Map([...handed].filter(([, amount]) => amount > 0n))
}

/**
 * The part of a pair's LP tokens, in basis points, that accounts got when it was issued or sent in when it was redeemed,
 * whichever is more. What goes to the zero address straight from there is what the pair locks for ever.
 */
export const partOf = (
  transfers: ReadonlyArray<Log>,
  accounts: ReadonlySet<Address.Address>,
  pair: Address.Address
): number => {
  const [issued, redeemed] = [
    { all: 0n, own: 0n },
    { all: 0n, own: 0n }
  ]
  for (const { data, topics } of transfers) {
    const [from, to] = topics.slice(1).map((word) => Option.getOrElse(Getter.addressOfWord(word), () => Address.zero))
    if (topics.length !== 3 || data.length !== 66 || from === undefined || to === undefined || from === to) continue
    const [kind, account] = from === Address.zero ? [issued, to] : to === pair ? [redeemed, from] : []
    if (kind === undefined || account === undefined) continue
    kind.all += BigInt(data)
    if (accounts.has(account)) kind.own += BigInt(data)
  }
  return Math.max(...[issued, redeemed].map(({ all, own }) => (all === 0n ? 0 : Number((own * 10_000n) / all))))
}

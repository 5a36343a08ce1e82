/** @internal */

import { Option } from "effect"
import type { Log } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Getter from "../Getter.js"

/** Who was let move what. */
export interface Permission {
  readonly token: Address
  readonly spender: Address
}

/** The words of an event that are the token and the spender. */
export type PlaceOf = (log: Log) => { readonly token: Hex | undefined; readonly spender: Hex | undefined }

/** The events of what a wallet lets others move: what it lets itself move it may move anyway. */
export const toOthers = (logs: ReadonlyArray<Log>, placeOf: PlaceOf, wallet: Address): ReadonlyArray<Log> => {
  const itself = Getter.word(wallet)
  return logs.filter((log) => placeOf(log).spender !== itself)
}

/**
 * The permissions in events, each once: at most `most` of them, the newest of each token first, then the one before it
 * of each, so that a token with very many does not displace others. `all` says that none was left out. What names no
 * address is no permission.
 */
export const newest = (
  logs: ReadonlyArray<Log>,
  placeOf: PlaceOf,
  most: number
): { readonly kept: ReadonlyArray<Permission>; readonly all: boolean } => {
  const found = new Map<string, Permission>()
  for (const log of [...logs].reverse()) {
    const place = placeOf(log)
    const pair = Option.all({ token: addressIn(place.token), spender: addressIn(place.spender) })
    if (Option.isNone(pair)) continue
    const key = keyOf(pair.value)
    if (!found.has(key)) found.set(key, pair.value)
  }
  const kept = inTurns([...found.values()]).slice(0, most)
  return { kept, all: kept.length === found.size }
}

const inTurns = (permissions: ReadonlyArray<Permission>): ReadonlyArray<Permission> => {
  const seen = new Map<Address, number>()
  const turns = permissions.map((permission) => {
    const turn = seen.get(permission.token) ?? 0
    seen.set(permission.token, turn + 1)
    return { permission, turn }
  })
  return turns.sort((a, b) => a.turn - b.turn).map(({ permission }) => permission)
}

/** Identifies a permission. */
export const keyOf = ({ spender, token }: Permission): string => `${token} ${spender}`

/** Orders permissions by token and spender, which stay the same from block to block. */
export const byPlace = (a: Permission, b: Permission): number => (keyOf(a) < keyOf(b) ? -1 : 1)

const addressIn = (word: Hex | undefined): Option.Option<Address> =>
  Option.flatMap(Option.fromNullable(word), Getter.addressOfWord)

import { Option } from "effect"
import type { Log } from "../chain/ChainState.js"
import type { Address } from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Getter from "./Getter.js"

/**
 * Who was let move what.
 *
 * @since 0.1.0
 * @category models
 */
export interface Permission {
  readonly token: Address
  readonly spender: Address
}

/**
 * The permissions that events tell of, each once, newest first: at most `most` of them. `all` says that none was left
 * out. `placeOf` says which words of an event are the token and the spender; what names no address is no permission.
 *
 * @since 0.1.0
 * @category constructors
 */
export const newest = (
  logs: ReadonlyArray<Log>,
  placeOf: (log: Log) => { readonly token: Hex | undefined; readonly spender: Hex | undefined },
  most: number
): { readonly kept: ReadonlyArray<Permission>; readonly all: boolean } => {
  const found = new Map<string, Permission>()
  for (const log of [...logs].reverse()) {
    const place = placeOf(log)
    const pair = Option.all({ token: addressIn(place.token), spender: addressIn(place.spender) })
    if (Option.isNone(pair)) continue
    const key = `${pair.value.token} ${pair.value.spender}`
    if (!found.has(key)) found.set(key, pair.value)
  }
  const kept = [...found.values()].slice(0, most)
  return { kept, all: kept.length === found.size }
}

/**
 * Orders permissions by token and spender, which stay the same from block to block.
 *
 * @since 0.1.0
 * @category combinators
 */
export const byPlace = (a: Permission, b: Permission): number =>
  `${a.token}${a.spender}` < `${b.token}${b.spender}` ? -1 : 1

const addressIn = (word: Hex | undefined): Option.Option<Address> =>
  Option.flatMap(Option.fromNullable(word), Getter.addressOfWord)

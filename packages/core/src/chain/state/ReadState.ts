/** @internal */

import { Option } from "effect"
import type { Hex } from "../../domain/Hex.js"
import type * as StateOnlyCall from "../../evm/interpreter/StateOnlyCall.js"

/** Codes and storage words that an analysis has read at its block, of accounts in lower case. */
export interface ReadState extends StateOnlyCall.KnownState {
  readonly addCode: (account: Hex, code: Hex) => void
  readonly addWord: (account: Hex, slot: Hex, word: Hex) => void
}

/** Nothing was read yet. */
export const make = (): ReadState => {
  const codes = new Map<Hex, Hex>()
  const words = new Map<string, bigint>()
  return {
    code: (account) => Option.fromNullable(codes.get(account)),
    word: (account, slot) => Option.fromNullable(words.get(`${account} ${slot}`)),
    addCode: (account, code) => {
      codes.set(account, code)
    },
    addWord: (account, slot, word) => {
      words.set(`${account} ${BigInt(slot)}`, BigInt(word))
    }
  }
}
